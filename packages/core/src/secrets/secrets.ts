import { fromBase64, fromUtf8, joinBytes, toBase64, toUtf8 } from '../bytes.js'
import { decoded, getOwn, isObject, isString, setNewest, toHex, tryURL } from '../json.js'
import { environmentSecrets, withoutNamed } from './secret-names.js'

/** Collects the secrets in requests: the values in headers and URLs that a user may have set. Keeps the 500 newest. */
export class Secrets {
  readonly #known = new Map<string, readonly Spelling[]>()
  #version = 0

  readonly #collectMore: (secrets: Secrets) => void

  /** `collectMore` is called before each redaction, so that it can add secrets that may have changed. */
  constructor(collectMore: (secrets: Secrets) => void = () => {}) {
    this.#collectMore = collectMore
  }

  /** Adds the secrets in a request's URL and headers. */
  learn(url: string, headers: HeadersInit): void {
    this.learnAddress(url)
    // `Headers` would reject invalid values with an error that quotes them, and takes Node 30 ms to load.
    const entries: Iterable<readonly string[]> =
      Symbol.iterator in headers ? headers : Object.entries(headers)
    for (const [name = '', value] of entries) if (!harmlessHeaders.test(name)) this.add(value)
  }

  /**
   * Adds the parts of a URL that may be secret: user name, password, parameters, and path segments that look like
   * tokens.
   */
  learnAddress(url: string): void {
    const address = tryURL(url)
    if (!address) return
    const { username, password, pathname, searchParams } = address
    this.#addLogin(decoded(username), decoded(password))
    for (const [name, value] of searchParams) if (name !== 'api-version') this.add(value)
    for (const segment of pathname.replace(/\/(deployments|models)\/[^/]*/g, '').split('/'))
      if (segment.length >= 16 && /\d/.test(segment)) this.#keep(decoded(segment))
  }

  /** Adds the user name and password of a login in the form `user:password`. Ignores text without a colon. */
  addPair(login: string): void {
    const colon = login.indexOf(':')
    if (colon >= 0) this.#addLogin(login.slice(0, colon), login.slice(colon + 1))
  }

  #addLogin(username: string, password: string): void {
    this.#keep(username)
    this.#keep(password)
    this.#keep(`${username}:${password}`, true)
  }

  /**
   * Adds a secret and the tokens in it. Ignores values that are not strings, and strings of fewer than 6 characters.
   */
  add(value: unknown): void {
    if (!isString(value)) return
    const secret = value.trim()
    this.#keep(secret)
    // The other parts of a URL are ordinary words.
    if (/^https?:/.test(secret)) this.learnAddress(secret)
    else this.#addTokens(secret)
  }

  #addTokens(secret: string): void {
    const [, scheme = '', rest = ''] = /^([\w-]+)\s+(\S+)$/.exec(secret) ?? []
    this.#keep(rest)
    if (/^basic$/i.test(scheme)) {
      try {
        this.addPair(fromUtf8([fromBase64(rest)]))
      } catch {
        // The value is not base64.
      }
    }
    for (const token of secret.split(/[\s;:=,"&]+/)) if (token.length >= 8) this.#keep(token)
  }

  /** Replaces all known secrets in text, however they are spelled, even if they were cut off. */
  hide(text: string): string {
    return hideSpellings(text, this.spellings())
  }

  spellings(): readonly Spelling[] {
    this.collect()
    return [...this.#known.values()].flat()
  }

  /** Adds secrets that may have changed. Returns a number that changes whenever a secret is added. */
  collect(): number {
    this.#collectMore(this)
    return this.#version
  }

  /**
   * Adds a secret. With `isWhole`, only the entire secret is replaced, not a part that was cut off. That is the default
   * for URLs and for secrets of several words, because parts of them look like ordinary text.
   */
  #keep(secret: string, isWhole = /\s|^https?:/.test(secret)): void {
    if (secret.length < shortestSecret) return
    const known = this.#known.get(secret)
    if (!known) this.#version++
    setNewest(this.#known, secret, known ?? spellingsOf(secret, isWhole), maxSecrets)
  }
}

/** Maximum number of secrets, so that keys that change every hour do not fill a service's memory. */
const maxSecrets = 500

/** Values with fewer characters do not count as secrets. */
export const shortestSecret = 6

/** Headers that contain no secrets. Hiding values such as a media type could hide the cause of an error. */
const harmlessHeaders =
  /^(accept(-.*)?|cache-control|connection|content-(type|length)|expect|host|http-referer|idempotency-key|openai-beta|origin|pragma|referer|user-agent|x-stainless-.*|x-title)$/i

/** A range of text: its start and its end, which is exclusive. */
type Span = readonly [from: number, to: number]

/** A spelling of a secret, in lower case. */
interface Spelling {
  readonly text: string
  /**
   * How many characters from the start or end of the spelling are enough for a match: an excerpt may cut off the rest.
   */
  readonly part: number
}

/**
 * Returns the spellings of a secret, apart from escapes: plain, percent-encoded, hexadecimal, and inside base64. With
 * `isWhole`, only a complete secret matches.
 */
function spellingsOf(secret: string, isWhole: boolean): readonly Spelling[] {
  const inAddress = /[^\x20-\x7e]/.test(secret) ? [encodeURIComponent(secret.toWellFormed())] : []
  const texts = [secret, ...inAddress, ...inBase64(secret), toHex(toUtf8(secret))].map(toLower)
  const partOf = ({ length }: string) => (isWhole ? length : length > 16 ? 8 : Math.min(length, 12))
  return [...new Set(texts)].map((text) => ({ text, part: partOf(text) }))
}

/**
 * Returns how a secret can appear inside base64: at each of three byte offsets, without characters that depend on
 * neighbouring bytes.
 */
function inBase64(secret: string): readonly string[] {
  const bytes = toUtf8(secret)
  const texts = [0, 1, 2].map((before) => {
    const whole = toBase64(joinBytes([new Uint8Array(before), bytes]))
    return whole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
  })
  return [...texts, ...texts.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))]
}

/** Replaces the spellings of secrets in text, and strings that look like keys. */
export function hideSpellings(text: string, spellings: readonly Spelling[], mayHaveKey = true): string {
  // Matches any case and any escaping, complete or cut off. The spans may overlap.
  const spans = readingsOf(text).flatMap(({ text: read, positions }) => {
    const reading = { text: toLower(read), positions }
    return spellings.flatMap((spelling) => findSpans(spelling, reading))
  })
  if (mayHaveKey)
    for (const { index, 0: key } of text.matchAll(keyShape)) spans.push([index, index + key.length])
  let output = ''
  let from = 0
  for (const [start, end] of spans.toSorted(([a], [b]) => a - b)) {
    if (start >= from && end > start) output += `${text.slice(from, start)}[redacted]`
    from = Math.max(from, end)
  }
  return output + text.slice(from)
}

/**
 * Matches keys in well-known formats. Such keys are replaced wherever they come from: a custom `fetch` may add keys
 * that are not known here.
 */
const keyShape = RegExp(
  [
    String.raw`\b(?:[spr]k-|(?:gsk|xai|hf|nvapi|gh[oprsu]|github_pat|glpat|xox[a-z])[-_])[\w-]{14}[\w-]*`,
    // Names of tables, indexes and settings can start like this too.
    String.raw`\b(?:[spr]k_|npm_|pypi-)(?=[\w-]{0,80}\d)[\w-]{14}[\w-]*`,
    String.raw`\b(?:AKIA|ASIA)[A-Z\d]{16}\b`,
    String.raw`\bAIza[\w-]{20}[\w-]*`,
    String.raw`\b(?:ya29\.|GOCSPX-|do[opr]_v1_|SG\.[\w-]{16,80}\.)[\w-]{16}[\w-]*`,
    String.raw`(?<=\bhooks\.slack\.com/services/)[\w/]{20}[\w/]*`,
    String.raw`\beyJ[\w-]{8,4000}\.[\w-]{4}[\w.-]*`,
    String.raw`(?<=\b(?:Bearer|Basic)\s{1,8})(?=\S*\d)[\w.~+/=-]{8}[\w.~+/=-]*`,
  ].join('|'),
  'g',
)

/** Returns the ranges of text that match a spelling, or a spelling's start or end as far as it matches. */
function findSpans({ text, part }: Spelling, { text: read, positions }: Reading): readonly Span[] {
  const spans: Span[] = []
  for (const isEnd of part === text.length ? [false] : [false, true]) {
    const piece = isEnd ? text.slice(-part) : text.slice(0, part)
    for (let at = read.indexOf(piece); at !== -1; at = read.indexOf(piece, at + 1)) {
      let [from, to] = [at, at + part]
      if (isEnd) while (from > 0 && text[text.length - to + from - 1] === read[from - 1]) from--
      else while (to - from < text.length && text[to - from] === read[to]) to++
      spans.push([positions?.[from] ?? from, positions?.[to] ?? to])
    }
  }
  return spans
}

/** Text after decoding, with the original position of each character. */
interface Reading {
  readonly text: string
  /** The original position of each character, and of the end. Undefined if nothing was decoded. */
  readonly positions: readonly number[] | undefined
}

/** Returns text in several forms: unchanged, and with one, two or more layers of JSON, URL and HTML escapes decoded. */
function readingsOf(text: string): readonly Reading[] {
  const readings: Reading[] = [{ text, positions: undefined }]
  for (const last of readings) {
    if (readings.length === maxLayers || last.text.search(escapes) < 0) break
    const next = unescaped(last)
    if (next.text !== last.text) readings.push(next)
  }
  return readings
}

export function withoutEscapes(text: string): string {
  return readingsOf(text).at(-1)?.text ?? ''
}

/** Lower-cases ASCII letters only, because lower-casing other letters may change the length of the text. */
function toLower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

const maxLayers = 4

const escapes =
  /\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|%([0-9a-f]{2})|&#x([0-9a-f]{1,6});|&#(\d{1,7});|&([a-z]{2,6});|\\([^a-z0-9])/gi

const namedEntities: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  colon: ':',
  equals: '=',
  gt: '>',
  lowbar: '_',
  lt: '<',
  period: '.',
  plus: '+',
  quot: '"',
  sol: '/',
}

function unescaped({
  text,
  positions = Array.from({ length: text.length + 1 }, (_, at) => at),
}: Reading): Reading {
  let output = ''
  const kept: number[] = []
  let from = 0
  const copy = (until: number) => {
    output += text.slice(from, until)
    // Copied in a loop, because long text has too many positions to pass as arguments.
    for (const position of positions.slice(from, until)) kept.push(position)
  }
  for (const match of text.matchAll(escapes)) {
    const one = characterOf(match)
    if (one === undefined) continue
    copy(match.index)
    output += one
    kept.push(positions[match.index] ?? 0)
    from = match.index + match[0].length
  }
  copy(positions.length)
  return { text: output, positions: kept }
}

/**
 * Decodes an escape to a single code unit, so that there is one position per character. Undefined if that is not
 * possible.
 */
function characterOf([, ...[unit, byte, percent, hex, decimal, name, itself]]: RegExpMatchArray):
  | string
  | undefined {
  if (itself !== undefined) return itself
  if (name !== undefined) return getOwn(namedEntities, name.toLowerCase())
  const code = Number(decimal ?? `0x${unit ?? byte ?? percent ?? hex}`)
  return code > 0xffff ? undefined : String.fromCharCode(code)
}

/**
 * The secrets in environment variables. The variables are read again before each use, because a program may set them
 * late.
 */
const environment = /* @__PURE__ */ new Secrets((secrets) => {
  for (const secret of environmentSecrets()) secrets.add(secret)
})

/**
 * Replaces credentials in text: secrets from the environment, passwords in URLs, keys in known formats, and values
 * after names such as `password=`. The rest stays unchanged.
 */
export function withoutCredentials(text: string): string {
  return environment.hide(withoutNamed(text))
}

const known = new WeakMap<object, readonly Secrets[]>()

/** Registers the secrets that a model sends. Returns the model. */
export function withSecretsOf<Model extends object>(model: Model, secrets: readonly Secrets[]): Model {
  known.set(model, secrets)
  return model
}

/** Returns a model's secrets. Empty for models that Capstan did not create. */
export function secretsOf(model: object): readonly Secrets[] {
  return known.get(model) ?? []
}

/** Adds the proxy user names and passwords in an HTTP agent, wherever the common proxy packages store them. */
export function collectProxySecrets(agent: unknown, secrets: Secrets): void {
  for (const [name, value] of fieldsOf(agent)) {
    if (/prox|option|connect/i.test(name)) collectFrom(value, secrets, 0)
  }
}

function collectFrom(value: unknown, secrets: Secrets, depth: number): void {
  if (value instanceof URL || isString(value)) secrets.learnAddress(String(value))
  if (depth > maxDepth) return
  for (const [name, inner] of fieldsOf(value)) {
    // The string may be `user:password`, a password, or a header value.
    if (isString(inner) && /auth|pass|secret|token/i.test(name)) {
      secrets.add(inner)
      secrets.addPair(inner)
    }
    collectFrom(inner, secrets, depth + 1)
  }
}

const maxDepth = 3

/** Returns an object's own properties without calling getters. A symbol is named by its description. */
function fieldsOf(value: unknown): readonly (readonly [string, unknown])[] {
  if (!isObject(value)) return []
  return Reflect.ownKeys(value).map((key) => [
    typeof key === 'symbol' ? (key.description ?? '') : key,
    Reflect.getOwnPropertyDescriptor(value, key)?.value,
  ])
}
