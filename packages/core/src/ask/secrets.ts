/** What was sent and must never be told: keys, the headers that carry them, parameters of an address. The newest are kept. */
export class Secrets {
  readonly #known = new Set<string>()

  /** Takes the telling parts of a request as it is really sent. */
  learn(url: string, headers: HeadersInit): void {
    for (const [name = '', value] of entriesOf(headers)) {
      if (namesSecret(name)) this.add(value)
    }
    if (!URL.canParse(url)) return
    const { username, password, searchParams } = new URL(url)
    this.add(decodeURIComponent(username))
    this.add(decodeURIComponent(password))
    searchParams.forEach((value, name) => {
      if (namesSecret(name)) this.add(value)
    })
  }

  /** Takes one secret and the tokens in it; what is no text or too short to be a secret is no matter. */
  add(value: unknown): void {
    if (typeof value !== 'string') return
    const secret = value.trim()
    const tokens = secret.split(/[\s;=]+/).filter((token) => token.length >= 8)
    for (const one of [secret, ...tokens]) if (one.length >= 6) this.#keep(one)
  }

  /** The text with all that was ever sent taken out of it, also where an excerpt was cut within a secret. */
  hide(text: string): string {
    const spans = [...this.#known].flatMap(spellings).flatMap((secret) => [...spansOf(secret, text)])
    let shown = ''
    let from = 0
    for (const [start, end] of spans.toSorted(([a], [b]) => a - b)) {
      if (start >= from) shown += `${text.slice(from, start)}[redacted]`
      from = Math.max(from, end)
    }
    return shown + text.slice(from)
  }

  #keep(secret: string): void {
    this.#known.delete(secret)
    this.#known.add(secret)
    const [oldest] = this.#known
    if (this.#known.size > most && oldest !== undefined) this.#known.delete(oldest)
  }
}

/** Keys that change by the hour must not fill the memory of a service. */
const most = 500

/** Excerpts are cut anywhere: from so many characters on, the beginning of a secret is hidden as well. */
const shortestPart = 12

function namesSecret(name: string): boolean {
  return (
    /auth|key|token|secret|cookie|password|credential|signature/i.test(name) &&
    !/^idempotency-key$/i.test(name)
  )
}

/** A `Headers` made of them would refuse, and quote, what cannot be sent. */
function entriesOf(headers: HeadersInit): Iterable<readonly string[]> {
  if (headers instanceof Headers) return headers
  return Array.isArray(headers) ? headers : Object.entries(headers)
}

/** How a server may write it: in JSON, in JSON with slashes escaped, in an address. */
function spellings(secret: string): readonly string[] {
  const inJson = JSON.stringify(secret).slice(1, -1)
  const inAddress = encodeURIComponent(secret.toWellFormed())
  return [...new Set([secret, inJson, inJson.replaceAll('/', '\\/'), inAddress])]
}

function* spansOf(secret: string, text: string): Generator<readonly [number, number]> {
  const start = secret.slice(0, shortestPart)
  for (let at = text.indexOf(start); at !== -1; at = text.indexOf(start, at + 1)) {
    let length = start.length
    while (length < secret.length && secret[length] === text[at + length]) length++
    yield [at, at + length]
  }
}
