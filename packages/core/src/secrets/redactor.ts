import { hash, isObject } from '../json.js'
import type { ChatModel } from '../types/model.js'
import { environmentSecrets, holdsSecret, namesSecret, redacted, withoutNamed } from './secret-names.js'
import { hideSpellings, Secrets, secretsOf, shortestSecret } from './secrets.js'

/**
 * Replaces secrets in values: secrets from the environment, API keys of models, the given secrets, and values whose
 * field name indicates a secret. Also replaces base64.
 */
export class Redactor {
  readonly #own = new Secrets()
  readonly #models = new Set<Secrets>()
  readonly #shown = new ShownTexts()
  /** Field names that are known not to indicate a secret. */
  readonly #harmless = new Set<string>()

  constructor(secrets: readonly string[] = []) {
    for (const secret of [...environmentSecrets(), ...secrets]) this.#own.add(secret)
  }

  /** Adds the secrets that a model sends with its requests. */
  learn(model: ChatModel): void {
    for (const secrets of secretsOf(model)) this.#models.add(secrets)
  }

  /** Replaces secrets and base64 in text. JSON stays valid JSON. */
  text(text: string): string {
    return this.#text(text, this.#version())
  }

  /** Replaces secrets in all strings, numbers and field names of a JSON value. */
  value<T>(value: T): T {
    return this.#redactInside(value, false, this.#version()) as T
  }

  /** Returns a number that changes when the known secrets change. */
  #version(): number {
    return [...this.#models].reduce((all, secrets) => all + secrets.collect(), this.#own.collect())
  }

  #text(text: string, version: number): string {
    return this.#shown.get(text, version, () => {
      const json = jsonOf(text)
      if (!json) return this.#plain(text)
      if (this.#isWithoutSecrets(text, json, version)) return text
      return redactJson(text, json, (inner) => this.#text(inner, version))
    })
  }

  /**
   * Whether JSON text contains no secrets. Checks the parsed value, because that is faster than checking the text. Also
   * false for JSON with spaces or duplicate fields, so that the caller checks it as text.
   */
  #isWithoutSecrets(text: string, json: object, version: number): boolean {
    try {
      return JSON.stringify(json) === text && this.#redactInside(json, false, version) === json
    } catch {
      // The value is nested too deeply.
      return false
    }
  }

  #plain(text: string): string {
    try {
      const shown = withoutNamed(withoutBase64(text))
      const spellings = [this.#own, ...this.#models].flatMap((secrets) => secrets.spellings())
      return hideSpellings(shown, spellings, hasRun(shown, shortestKey) || /Bearer|Basic/.test(shown))
    } catch (error) {
      // V8 ran out of stack in a regular expression, as for megabytes of assignments or escapes inside quotes.
      if (error instanceof RangeError)
        return `[${text.length} characters, not shown: too many to look for secrets]`
      throw error
    }
  }

  /** Redacts a value and its parts. Returns the same value if it contains no secrets. */
  #redactInside(value: unknown, isSecret: boolean, version: number): unknown {
    if (typeof value === 'string' || typeof value === 'number')
      return this.#redactLeaf(value, isSecret, version)
    if (!isObject(value)) return value
    if (Array.isArray(value)) {
      const shown = value.map((one) => this.#redactInside(one, isSecret, version))
      return shown.every((one, at) => one === value[at]) ? value : shown
    }
    // Other objects may have a `toJSON` that returns something else.
    let isSame = Object.getPrototypeOf(value) === Object.prototype
    const entries = Object.entries(value).map(([name, inner]) => {
      const shownName = this.#text(name, version)
      const shown = this.#redactInside(inner, isSecret || this.#holdsSecret(name, inner), version)
      isSame &&= shownName === name && shown === inner
      return [shownName, shown]
    })
    return isSame ? value : Object.fromEntries(entries)
  }

  /** Whether a field's value is a secret. Caches harmless names, because the same names occur often. */
  #holdsSecret(name: string, value: unknown): boolean {
    if (this.#harmless.has(name)) return false
    if (holdsSecret(name, value)) return true
    if (this.#harmless.size < maxNames && !namesSecret(name)) this.#harmless.add(name)
    return false
  }

  #redactLeaf(value: string | number, isSecret: boolean, version: number): string | number {
    if (isSecret && value !== '') return redacted
    const text = String(value)
    if (typeof value === 'number' && text.length < shortestSecret) return value
    const shown = this.#text(text, version)
    return shown === text ? value : shown
  }

  /**
   * Replaces secrets in text that was split into pieces. A secret may span several pieces, so text with a secret is
   * returned as a single piece.
   */
  pieces(pieces: readonly string[]): readonly string[] {
    const whole = pieces.join('')
    const shown = this.text(whole)
    return shown === whole ? pieces : [shown]
  }
}

/**
 * Redactors by their array of secrets. The writers of one run share a redactor and its cache, because they write most
 * strings several times.
 */
export const sharedRedactors = new WeakMap<readonly string[], Redactor>()

/** A cache of redacted strings, because the same string is often shown several times. */
class ShownTexts {
  #version = 0
  #recent = new Map<string, string>()
  #older = new Map<string, string>()
  #size = 0

  /** Returns the redacted form of a string. Calls `show` if none is cached for this version of the secrets. */
  get(text: string, version: number, show: () => string): string {
    if (version !== this.#version) this.#start(version, new Map())
    const known = this.#recent.get(text) ?? this.#older.get(text)
    const shown = known ?? show()
    if (text.length > maxShown) return shown
    if (this.#size > maxShown) this.#start(version, this.#recent)
    if (!this.#recent.has(text)) this.#size += text.length + 32
    this.#recent.set(text, shown)
    return shown
  }

  #start(version: number, older: Map<string, string>): void {
    this.#version = version
    this.#older = older
    this.#recent = new Map()
    this.#size = 0
  }
}

/** The number of cached characters after which older strings are dropped. Up to twice as many are kept. */
const maxShown = 2 ** 17

/**
 * Replaces base64 in text that people read with a placeholder that states its length. The same base64 gets the same
 * placeholder.
 */
export function withoutBase64(text: string): string {
  if (text.length < minLength) return text
  const shown = text.replace(dataUrl, (_, type: string, run: string) => `data:${type};${placeholderFor(run)}`)
  if (!hasRun(shown, shortestLine)) return shown
  return withoutWrappedRuns(shown).replace(longRun, (run) => (isBase64(run) ? placeholderFor(run) : run))
}

/** Minimum length of text with a match: `data:;base64,` and eight characters. */
const minLength = 21

/** Minimum length of a line of wrapped base64. */
const shortestLine = 60

// V8 uses stack for each iteration of `x{8,}`, so megabytes of base64 would overflow it. `x{8}x*` uses none.

/** Matches data URLs of any length. The media type of a URL stays visible. */
const dataUrl = /data:([\w.+/-]*(?:;[\w.=+-]+)*?);base64,([\w+/=%-]{8}[\w+/=%-]*)/gi

/** Matches at least 200 characters of base64 on one line. */
const longRun = /[A-Za-z0-9+/_-]{200}[A-Za-z0-9+/_-]*={0,2}/g

/**
 * Matches a line of base64 as in emails and certificates, and the indentation of the next line. Line ends may be
 * escaped.
 */
const line = String.raw`[A-Za-z0-9+/]{60,76}(?:\r?\n|(?:\\r)?\\n)[ \t]{0,16}`
const lastLine = /[A-Za-z0-9+/]*={0,2}/y

/** Replaces base64 that is wrapped over two or more lines. */
function withoutWrappedRuns(text: string): string {
  if (!/\n|\\n/.test(text)) return text
  const twoLines = RegExp(`(?:${line}){2}`, 'g')
  const nextLine = RegExp(line, 'y')
  let shown = ''
  let at = 0
  for (let found = twoLines.exec(text); found; found = twoLines.exec(text)) {
    let end = twoLines.lastIndex
    nextLine.lastIndex = end
    while (nextLine.test(text)) end = nextLine.lastIndex
    lastLine.lastIndex = end
    end += lastLine.exec(text)?.[0].length ?? 0
    const run = text.slice(found.index, end)
    shown += text.slice(at, found.index) + (isBase64(run) ? placeholderFor(run) : run)
    at = end
    twoLines.lastIndex = end
  }
  return shown + text.slice(at)
}

/**
 * Whether a long run of characters is base64. Runs without lower case, upper case or digits are words, separators or
 * hashes.
 */
function isBase64(run: string): boolean {
  return /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run)
}

function placeholderFor(run: string): string {
  return `[base64, ${run.length} characters, ${hash(run)}]`
}

/** Minimum length of a key that is recognized only by its shape. Keys after `Bearer` or `Basic` may be shorter. */
const shortestKey = 16

/** Whether text contains a run of `length` characters that may belong to a key or to base64. Skips most characters. */
function hasRun(text: string, length: number): boolean {
  for (let from = 0; from + length <= text.length; ) {
    let at = from + length
    while (at > from && inRun.test(text.charAt(at - 1))) at -= 1
    if (at === from) return true
    from = at
  }
  return false
}

const inRun = /[\w+/=.~-]/

/** Maximum number of field names to cache. */
const maxNames = 1000

/** Parses a string that is a JSON object or array. Undefined for any other string. */
function jsonOf(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** An array or object that has not been closed at the current position in the text. */
interface OpenValue {
  readonly value: unknown
  readonly isSecret: boolean
  /** The key of the next item. */
  next: string | number
}

/**
 * Redacts JSON text. Values whose names indicate a secret are replaced; other strings are passed to `redact`. White
 * space and numbers stay as written.
 */
function redactJson(text: string, value: object, redact: (text: string) => string): string {
  const redactOnce = memoize(redact)
  const openValues: OpenValue[] = [{ value: [value], isSecret: false, next: 0 }]
  const redactToken = (written: string, isName: boolean) => {
    if (written === ']' || written === '}') {
      openValues.pop()
      return written
    }
    const container = openValues.at(-1) as OpenValue
    if (isName) {
      container.next = JSON.parse(written)
      return redactLeaf(written, false, redactOnce)
    }
    const inner = itemOf(container)
    if (written === '[' || written === '{') openValues.push({ ...inner, next: 0 })
    return redactLeaf(written, inner.isSecret, redactOnce)
  }
  let shown = ''
  let at = 0
  for (const [start, end] of tokensOf(text)) {
    colon.lastIndex = end
    shown += text.slice(at, start) + redactToken(text.slice(start, end), colon.test(text))
    at = end
  }
  return shown + text.slice(at)
}

const colon = /\s*:/y

/** Yields the start and end of each string, bracket, number and literal in valid JSON. */
function* tokensOf(text: string): Generator<readonly [start: number, end: number]> {
  const begin = /["[\]{}]|-?\d[\d.eE+-]*|true|false|null/g
  for (let found = begin.exec(text); found; found = begin.exec(text)) {
    if (found[0] === '"') begin.lastIndex = textEnd(text, found.index)
    yield [found.index, begin.lastIndex]
  }
}

/** Returns the position after a JSON string. A single regular expression would use stack for each escape. */
function textEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let unescaped = end
    while (text[unescaped - 1] === '\\') unescaped -= 1
    if ((end - unescaped) % 2 === 0) return end + 1
  }
}

/** Caches results, because JSON with many records contains the same names again and again. */
function memoize(redact: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>()
  return (text) => {
    const shown = known.get(text) ?? redact(text)
    known.set(text, shown)
    return shown
  }
}

function itemOf(container: OpenValue): Pick<OpenValue, 'value' | 'isSecret'> {
  const { value: all, next } = container
  const value = (all as Readonly<Record<string | number, unknown>>)[next]
  if (typeof next === 'string') return { value, isSecret: container.isSecret || holdsSecret(next, value) }
  container.next = next + 1
  return { value, isSecret: container.isSecret }
}

function redactLeaf(written: string, isSecret: boolean, redact: (text: string) => string): string {
  const isText = written.startsWith('"')
  if (!isText && !/^[-\d]/.test(written)) return written
  if (!isText && !isSecret && written.length < shortestSecret) return written
  const leaf: string = isText ? JSON.parse(written) : written
  const shown = isSecret && leaf !== '' ? redacted : redact(leaf)
  return shown === leaf ? written : JSON.stringify(shown)
}
