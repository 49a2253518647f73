import { type Spelling, spansOf, spellingsOf } from './secret-spans.js'

/** What was sent and must never be told: every value that a user gave for a header or an address. The newest are kept. */
export class Secrets {
  readonly #known = new Map<string, readonly Spelling[]>()
  readonly #learnMore: (secrets: Secrets) => void

  /** `learnMore` is asked before each text, for what may have changed since. */
  constructor(learnMore: (secrets: Secrets) => void = () => {}) {
    this.#learnMore = learnMore
  }

  /** Takes the telling parts of a request as it is really sent. */
  learn(url: string, headers: HeadersInit): void {
    this.learnAddress(url)
    for (const [name = '', value] of entriesOf(headers)) {
      if (!isHarmless.test(name)) this.add(value)
    }
  }

  /** Takes what may be a secret in an address: user name, password, parameters, and tokens in its path. */
  learnAddress(url: string): void {
    if (!URL.canParse(url)) return
    const { username, password, pathname, searchParams } = new URL(url)
    this.addLogin(decoded(username), decoded(password))
    for (const [name, value] of searchParams) if (name !== 'api-version') this.add(value)
    for (const [at, segment] of pathname.split('/').entries()) {
      const isModel = /^(deployments|models)$/.test(pathname.split('/')[at - 1] ?? '')
      if (segment.length >= 16 && /\d/.test(segment) && !isModel) this.#keep(decoded(segment))
    }
  }

  addLogin(username: string, password: string): void {
    this.#keep(username)
    this.#keep(password)
    this.#keep(`${username}:${password}`, true)
  }

  /** Takes one secret and the tokens in it; what is no text or too short to be a secret is no matter. */
  add(value: unknown): void {
    if (typeof value !== 'string') return
    const secret = value.trim()
    this.#keep(secret)
    // Its parts are ordinary words.
    if (/^https?:/.test(secret)) this.learnAddress(secret)
    else this.#addTokens(secret)
  }

  /** The text with all that was ever sent taken out of it, however it is written, also where it was cut. */
  hide(text: string): string {
    this.#learnMore(this)
    const spans = spansOf(text, [...this.#known.values()].flat())
    let shown = ''
    let from = 0
    for (const [start, end] of spans.toSorted(([a], [b]) => a - b)) {
      if (start >= from && end > start) shown += `${text.slice(from, start)}[redacted]`
      from = Math.max(from, end)
    }
    return shown + text.slice(from)
  }

  #addTokens(secret: string): void {
    const [, scheme = '', rest = ''] = /^([\w-]+)\s+(\S+)$/.exec(secret) ?? []
    this.#keep(rest)
    if (/^basic$/i.test(scheme)) this.#addBasic(rest)
    for (const token of secret.split(/[\s;:=,"&]+/)) if (token.length >= 8) this.#keep(token)
  }

  #addBasic(base64: string): void {
    const login = fromBase64(base64)
    const colon = login.indexOf(':')
    if (colon !== -1) this.addLogin(login.slice(0, colon), login.slice(colon + 1))
  }

  /** Several words, or an address, begin and end like others that are no secret. */
  #keep(secret: string, isWhole = /\s|^https?:/.test(secret)): void {
    if (secret.length < shortest) return
    const spellings = this.#known.get(secret) ?? spellingsOf(secret, isWhole)
    this.#known.delete(secret)
    this.#known.set(secret, spellings)
    const [oldest] = this.#known.keys()
    if (this.#known.size > most && oldest !== undefined) this.#known.delete(oldest)
  }
}

/** Keys that change by the hour must not fill the memory of a service. */
const most = 500

const shortest = 6

/** Headers whose value is no secret, whoever gave it: hiding a type or a name would hide what went wrong. */
const isHarmless =
  /^(accept(-.*)?|cache-control|connection|content-(type|length)|expect|host|http-referer|idempotency-key|openai-beta|origin|pragma|referer|user-agent|x-stainless-.*|x-title)$/i

/** A `Headers` made of them would refuse, and quote, what cannot be sent. */
function entriesOf(headers: HeadersInit): Iterable<readonly string[]> {
  if (headers instanceof Headers) return headers
  return Array.isArray(headers) ? headers : Object.entries(headers)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** `''` for what is none. */
function fromBase64(text: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0)))
  } catch {
    return ''
  }
}
