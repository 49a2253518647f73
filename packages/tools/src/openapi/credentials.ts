import { CapstanError } from '@capstan/core'
import { isRecord, Redactor, suggest } from '@capstan/core/internal'
import { type OpenApiDocument, type Part, resolvePart, Unusable } from './document.js'
import type { OpenApiCredential, OpenApiToolsOptions, SentHeaders } from './options.js'
import { encode, isHeaderText } from './styles.js'

/**
 * Headers, query parameters and cookies that the application adds to requests. They are sent only to the API's origin.
 */
export interface SentCredentials {
  readonly headers: Readonly<Record<string, string>>
  /** Each entry is `name=value`, with both parts encoded. */
  readonly query: readonly string[]
  readonly cookies: readonly string[]
}

type Auth = NonNullable<OpenApiToolsOptions['auth']>

/** The application's credentials and headers. Adds them to requests, and removes them from responses. */
export class Credentials {
  readonly #auth: ReadonlyMap<string, { readonly scheme: Part; readonly given: Auth[string] }>
  readonly #headers: OpenApiToolsOptions['headers']
  /** The most recently sent secrets, each with all its encoded spellings. */
  readonly #secrets = new Map<string, ReadonlySet<string>>()

  /**
   * @throws CapstanError `invalid_request` for an unknown scheme or an invalid value, `unsupported` for a scheme
   * without a value to send, such as `mutualTLS`
   */
  constructor(
    document: OpenApiDocument,
    { auth = {}, headers }: Pick<OpenApiToolsOptions, 'auth' | 'headers'>,
  ) {
    const schemes = schemesOf(document)
    this.#auth = new Map(
      Object.entries(auth).map(([name, given]) => {
        const scheme = schemes.get(name)
        if (!scheme) throw unknownScheme(name, [...schemes.keys()])
        checkCredential(name, scheme, given)
        return [name, { scheme, given }]
      }),
    )
    this.#headers = headers
    if (typeof headers === 'object') checkHeaders(headers)
  }

  /**
   * Whether the application sets this parameter itself. If so, the model must not set it. `place` is the parameter's
   * location, such as `header`.
   */
  isTaken(place: string, name: string): boolean {
    const isHeader = place === 'header' && typeof this.#headers === 'object'
    if (isHeader && Object.keys(Object(this.#headers)).some((one) => isSameHeader(one, name))) return true
    return [...this.#auth.values()].some(
      ({ scheme }) =>
        scheme.type === 'apiKey' &&
        scheme.in === place &&
        (place === 'header' ? isSameHeader(String(scheme.name), name) : scheme.name === name),
    )
  }

  /**
   * Returns the credentials to send. `security` contains alternative sets of schemes. Uses the first set for which the
   * application has all credentials.
   */
  async toSend(security: readonly Part[]): Promise<SentCredentials> {
    const sent = { headers: {} as Record<string, string>, query: [] as string[], cookies: [] as string[] }
    const headers = typeof this.#headers === 'function' ? await this.#headers() : this.#headers
    if (headers) checkHeaders(headers)
    for (const [name, value] of Object.entries(headers ?? {})) {
      sent.headers[name.toLowerCase()] = value
      if (secretHeader.test(name) || /^(basic|bearer) /i.test(value)) this.#learn(value)
    }
    for (const name of this.#schemesFor(security)) {
      const { scheme, given } = this.#auth.get(name) ?? {}
      if (!scheme || given === undefined) continue
      const credential = typeof given === 'function' ? await given() : given
      checkCredential(name, scheme, credential)
      this.#add(scheme, credential, sent)
    }
    return sent
  }

  /**
   * Returns the names of an operation's security schemes if there is no alternative set for which the application has
   * all credentials. Otherwise, or for an operation without security schemes, returns an empty array.
   */
  missing(security: readonly Part[]): readonly string[] {
    const isOpen = security.length === 0 || this.#schemesFor(security).length > 0
    return isOpen ? [] : [...new Set(security.flatMap((one) => Object.keys(one)))]
  }

  #schemesFor(security: readonly Part[]): readonly string[] {
    const sets = security.map((one) => Object.keys(one)).filter((names) => names.length > 0)
    return sets.find((names) => names.every((name) => this.#auth.has(name))) ?? []
  }

  #add(scheme: Part, credential: OpenApiCredential, sent: Writable<SentCredentials>): void {
    const { type, in: place, scheme: httpScheme = 'bearer' } = scheme
    const name = String(scheme.name)
    if (typeof credential !== 'string') {
      const { username, password } = credential
      const login = btoa(String.fromCharCode(...new TextEncoder().encode(`${username}:${password}`)))
      this.#learn(password)
      this.#learn(login)
      sent.headers.authorization = `Basic ${login}`
      return
    }
    this.#learn(credential)
    if (type === 'apiKey' && place === 'query') sent.query.push(`${encode(name)}=${encode(credential)}`)
    else if (type === 'apiKey' && place === 'cookie') sent.cookies.push(`${name}=${credential}`)
    else if (type === 'apiKey') sent.headers[name.toLowerCase()] = credential
    else {
      const spelled = String(httpScheme)
      sent.headers.authorization = `${/^bearer$/i.test(spelled) ? 'Bearer' : spelled} ${credential}`
    }
  }

  /**
   * Remembers a secret to hide. Keeps only the 100 newest, because tokens that change every hour would otherwise fill
   * the memory.
   */
  #learn(secret: string): void {
    const [, token = secret] = /^[\w-]+ +(\S+)$/.exec(secret) ?? []
    for (const one of [secret, token]) {
      if (one.length < shortestSecret) continue
      const spellings = this.#secrets.get(one) ?? spellingsOf(one)
      this.#secrets.delete(one)
      this.#secrets.set(one, spellings)
    }
    for (const one of this.#secrets.keys()) if (this.#secrets.size > maxSecrets) this.#secrets.delete(one)
  }

  /** Removes credentials from server text that goes into an error, in any encoding and even if they are cut off. */
  redact(text: string): string {
    return new Redactor([...this.#secrets.keys()]).text(this.hide(text))
  }

  /** Removes sent credentials from text, both plain and encoded. Changes nothing else. */
  hide(text: string): string {
    let shown = text
    for (const spellings of this.#secrets.values())
      for (const spelling of spellings) shown = shown.replaceAll(spelling, '[redacted]')
    return shown
  }

  /** Removes sent credentials from a JSON value, including its field names. */
  hideInside(value: unknown): unknown {
    if (this.#secrets.size === 0) return value
    if (typeof value === 'string') return this.hide(value)
    if (Array.isArray(value)) return value.map((one) => this.hideInside(one))
    if (!isRecord(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [this.hide(name), this.hideInside(inner)]),
    )
  }
}

type Writable<Fields> = {
  -readonly [Name in keyof Fields]: Fields[Name] extends readonly string[] ? string[] : Record<string, string>
}

/** The minimum length of a secret to hide. Shorter strings also occur in ordinary text. */
const shortestSecret = 6
const maxSecrets = 100

const secretHeader = /auth|key|token|secret|cookie|pass|credential|session/i

function spellingsOf(secret: string): ReadonlySet<string> {
  const bytes = new TextEncoder().encode(secret)
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  const encoded = [encode(secret), encodeURIComponent(secret.toWellFormed())]
  const quoted = JSON.stringify(secret).slice(1, -1)
  const html = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return new Set([
    ...[secret, quoted, quoted.replaceAll('/', '\\/'), html, html.replaceAll('"', '&quot;')],
    ...[...encoded, ...encoded.map((text) => text.replace(/%[0-9A-F]{2}/g, (one) => one.toLowerCase()))],
    ...[hex, hex.toUpperCase(), ...base64Of(bytes)],
  ])
}

/**
 * Returns three base64 spellings of bytes, one for each offset at which longer data can contain them, without the
 * characters that depend on neighbouring bytes.
 */
function base64Of(bytes: Uint8Array): readonly string[] {
  const texts = [0, 1, 2].map((before) => {
    const whole = btoa(String.fromCharCode(...new Uint8Array(before), ...bytes))
    return whole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
  })
  return [...texts, ...texts.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))]
}

function isSameHeader(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

function schemesOf(document: OpenApiDocument): ReadonlyMap<string, Part> {
  const { securitySchemes } = Object(document.root.components) as Part
  return new Map(
    Object.entries(Object(securitySchemes)).flatMap(([name, scheme]) => {
      try {
        return [[name, resolvePart(scheme, document)]]
      } catch (error) {
        if (error instanceof Unusable) return []
        throw error
      }
    }),
  )
}

function unknownScheme(name: string, known: readonly string[]): CapstanError {
  const meant = suggest(name, known)
  const advice =
    known.length === 0 ? 'It defines none, so use the headers option' : `Its schemes: ${known.join(', ')}`
  const question = meant === undefined ? '' : ` Did you mean "${meant}"?`
  const message = `auth names "${name}", but the document has no such security scheme. ${advice}.${question}`
  return new CapstanError('invalid_request', message, { evidence: { option: 'auth', name } })
}

/**
 * Checks a credential. Errors never contain the credential.
 * @throws CapstanError `invalid_request` for an invalid value, `unsupported` for a scheme without a value to send
 */
function checkCredential(name: string, { type, in: place, scheme }: Part, given: Auth[string]): void {
  const isHttp = type === 'http'
  const isKey = type === 'apiKey' && ['header', 'query', 'cookie'].includes(String(place))
  if (!isHttp && !isKey && type !== 'oauth2' && type !== 'openIdConnect') {
    const message = `The security scheme "${name}" has the type ${JSON.stringify(type)}, which the auth option does not support. Use the fetch option instead.`
    throw new CapstanError('unsupported', message, { evidence: { name } })
  }
  if (typeof given === 'function') return
  const isBasic = isHttp && /^basic$/i.test(String(scheme))
  const { username, password } = Object(given) as Record<string, unknown>
  const isRight = isBasic
    ? typeof username === 'string' && typeof password === 'string'
    : typeof given === 'string' &&
      given !== '' &&
      isHeaderText(given) &&
      !(place === 'cookie' && given.includes(';'))
  if (isRight) return
  const use = isBasic ? '{ username, password }' : 'a string on one line'
  const message = `auth: the value of "${name}" is not ${use}. Pass such a value, or a function that returns one.`
  throw new CapstanError('invalid_request', message, { evidence: { option: 'auth', name } })
}

/**
 * Checks headers. Errors contain only their names.
 * @throws CapstanError `invalid_request` for a header that cannot be sent
 */
function checkHeaders(headers: SentHeaders): void {
  for (const [name, value] of Object.entries(headers)) {
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(name) && typeof value === 'string' && isHeaderText(value)) continue
    const message = `headers: "${name.slice(0, 100)}" cannot be sent. Use a valid header name and a value on one line.`
    throw new CapstanError('invalid_request', message, { evidence: { option: 'headers' } })
  }
}
