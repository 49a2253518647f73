import { fromBase64, fromUtf8, joinBytes, toBase64, toUtf8 } from '../bytes.js'
import { decoded, getOwn, isObject, setNewest, toHex, tryURL } from '../json.js'
import { environmentSecrets, withoutNamed } from './secret-names.js'

/** Collects secrets that were sent: every value that a user set for a header or URL. Keeps the newest. */
export class Secrets {
  readonly #known = new Map<string, readonly Spelling[]>()
  #version = 0

  readonly #collectMore: (secrets: Secrets) => void

  /** `collectMore` is called before each redaction, to add secrets that may have changed. */
  constructor(collectMore: (secrets: Secrets) => void = () => {}) {
    this.#collectMore = collectMore
  }

  /** Adds the secret parts of a request as sent. */
  learn(url: string, headers: HeadersInit): void {
    this.learnAddress(url)
    // Not `Headers`, which would reject and quote invalid values, and which Node takes 30 ms to load.
    const entries: Iterable<readonly string[]> =
      Symbol.iterator in headers ? headers : Object.entries(headers)
    for (const [name = '', value] of entries) if (!harmlessHeaders.test(name)) this.add(value)
  }

  /** Adds the possible secrets in a URL: user name, password, parameters, and tokens in its path. */
  learnAddress(url: string): void {
    const address = tryURL(url)
    if (!address) return
    const { username, password, pathname, searchParams } = address
    this.#addLogin(decoded(username), decoded(password))
    for (const [name, value] of searchParams) if (name !== 'api-version') this.add(value)
    for (const segment of pathname.replace(/\/(deployments|models)\/[^/]*/g, '').split('/'))
      if (segment.length >= 16 && /\d/.test(segment)) this.#keep(decoded(segment))
  }

  /** Adds the parts of text with a colon, `user:password`. */
  addPair(login: string): void {
    const colon = login.indexOf(':')
    if (colon >= 0) this.#addLogin(login.slice(0, colon), login.slice(colon + 1))
  }

  #addLogin(username: string, password: string): void {
    this.#keep(username)
    this.#keep(password)
    this.#keep(`${username}:${password}`, true)
  }

  /** Adds a secret and the tokens in it. Other types and short texts are ignored. */
  add(value: unknown): void {
    if (typeof value !== 'string') return
    const secret = value.trim()
    this.#keep(secret)
    // Other parts of an address are ordinary words.
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
        // It is not base64.
      }
    }
    for (const token of secret.split(/[\s;:=,"&]+/)) if (token.length >= 8) this.#keep(token)
  }

  /** Replaces all known secrets in text, in any spelling, even if they were cut off. */
  hide(text: string): string {
    return hideSpellings(text, this.spellings())
  }

  spellings(): readonly Spelling[] {
    this.collect()
    return [...this.#known.values()].flat()
  }

  /** Adds secrets that may have changed. Returns a number that changes with the secrets. */
  collect(): number {
    this.#collectMore(this)
    return this.#version
  }

  /**
   * Adds a secret. With `isWhole`, the default for several words or a URL, only the entire secret matches, because its
   * parts look like ordinary text.
   */
  #keep(secret: string, isWhole = /\s|^https?:/.test(secret)): void {
    if (secret.length < shortestSecret) return
    const known = this.#known.get(secret)
    if (!known) this.#version++
    setNewest(this.#known, secret, known ?? spellingsOf(secret, isWhole), maxSecrets)
  }
}

/** Maximum number of secrets: keys that change hourly must not fill the memory of a service. */
const maxSecrets = 500

/** The minimum length of a secret. */
export const shortestSecret = 6

/** Headers without secrets: hiding a media type or a name would hide the cause of an error. */
const harmlessHeaders =
  /^(accept(-.*)?|cache-control|connection|content-(type|length)|expect|host|http-referer|idempotency-key|openai-beta|origin|pragma|referer|user-agent|x-stainless-.*|x-title)$/i

/** A range of text: start, and end (exclusive). */
type Span = readonly [from: number, to: number]

/** A spelling of a secret, in lower case. */
interface Spelling {
  readonly text: string
  /** Minimum length at which its start or end is hidden as well: excerpts are cut anywhere. */
  readonly part: number
}

/**
 * Returns the unescaped spellings of a secret: plain, hex, and inside any base64. With `isWhole` only the complete
 * secret matches.
 */
function spellingsOf(secret: string, isWhole: boolean): readonly Spelling[] {
  const inAddress = /[^\x20-\x7e]/.test(secret) ? [encodeURIComponent(secret.toWellFormed())] : []
  const texts = [secret, ...inAddress, ...inBase64(secret), toHex(toUtf8(secret))].map(toLower)
  const partOf = ({ length }: string) => (isWhole ? length : length > 16 ? 8 : Math.min(length, 12))
  return [...new Set(texts)].map((text) => ({ text, part: partOf(text) }))
}

/** Returns the base64 at all three byte offsets, without the characters that depend on neighbours. */
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
  // In any case and escaping, whole or cut. They may overlap.
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

/** Formats of well-known keys, from any source: a custom `fetch` may add keys that are not visible here. */
const keyShape = RegExp(
  [
    String.raw`\b(?:[spr]k-|(?:gsk|xai|hf|nvapi|gh[oprsu]|github_pat|glpat|xox[a-z])[-_])[\w-]{14}[\w-]*`,
    // Names of tables, indexes and settings start like this too.
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

/** Finds a spelling, or its start or end as far as it matches. */
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

/** Text with the original position of each character. */
interface Reading {
  readonly text: string
  /** The original position of each character, and of the end. Undefined if no position changed. */
  readonly positions: readonly number[] | undefined
}

/** Returns the text unchanged, and with its JSON, URL and HTML escapes decoded layer by layer. */
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

/** Lower-cases ASCII only: other letters may change their length. */
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
    // Copied in a loop: a long text has too many positions to pass as arguments.
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

/** Decodes an escape to one code unit, so that each character keeps one position. */
function characterOf([, ...[unit, byte, percent, hex, decimal, name, itself]]: RegExpMatchArray):
  | string
  | undefined {
  if (itself !== undefined) return itself
  if (name !== undefined) return getOwn(namedEntities, name.toLowerCase())
  const code = Number(decimal ?? `0x${unit ?? byte ?? percent ?? hex}`)
  return code > 0xffff ? undefined : String.fromCharCode(code)
}

/** The variables are read before each text because a program may set them late. */
const environment = /* @__PURE__ */ new Secrets((secrets) => {
  for (const secret of environmentSecrets()) secrets.add(secret)
})

/**
 * Removes credentials from text: secrets of the environment, passwords in URLs, keys of known formats, and values after
 * names such as `password=`. The other text stays.
 */
export function withoutCredentials(text: string): string {
  return environment.hide(withoutNamed(text))
}

const known = new WeakMap<object, readonly Secrets[]>()

/** Remembers the secrets that a model sends. */
export function withSecretsOf<Model extends object>(model: Model, secrets: readonly Secrets[]): Model {
  known.set(model, secrets)
  return model
}

/** Returns the secrets of a model. Empty for models from other code. */
export function secretsOf(model: object): readonly Secrets[] {
  return known.get(model) ?? []
}

/** Collects user names and passwords of proxies from an agent, wherever the common packages store them. */
export function collectProxySecrets(agent: unknown, secrets: Secrets): void {
  for (const [name, value] of fieldsOf(agent)) {
    if (/prox|option|connect/i.test(name)) collectFrom(value, secrets, 0)
  }
}

function collectFrom(value: unknown, secrets: Secrets, depth: number): void {
  if (value instanceof URL || typeof value === 'string') secrets.learnAddress(String(value))
  if (depth > maxDepth) return
  for (const [name, inner] of fieldsOf(value)) {
    // `user:password`, a password, or a header value.
    if (typeof inner === 'string' && /auth|pass|secret|token/i.test(name)) {
      secrets.add(inner)
      secrets.addPair(inner)
    }
    collectFrom(inner, secrets, depth + 1)
  }
}

const maxDepth = 3

/** Returns an object's own properties. Does not call getters. A symbol's name is its description. */
function fieldsOf(value: unknown): readonly (readonly [string, unknown])[] {
  if (!isObject(value)) return []
  return Reflect.ownKeys(value).map((key) => [
    typeof key === 'symbol' ? (key.description ?? '') : key,
    Reflect.getOwnPropertyDescriptor(value, key)?.value,
  ])
}
