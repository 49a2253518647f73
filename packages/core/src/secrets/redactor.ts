import { hash } from '../json.js'
import type { ChatModel } from '../types/model.js'
import { secretsOf } from './model-secrets.js'
import { environmentSecrets, holdsSecret, redacted, withoutNamed } from './secret-names.js'
import { Secrets } from './secrets.js'

/**
 * Takes out of values what must not be kept: what the environment and the models asked hold as keys, what was given as
 * a secret, what stands under the name of one, and base64.
 */
export class Redactor {
  readonly #own = new Secrets()
  readonly #models = new Set<Secrets>()

  constructor(given: readonly string[] = []) {
    for (const secret of [...environmentSecrets(), ...given]) this.#own.add(secret)
  }

  /** What this model sends is a secret as well. */
  learn(model: ChatModel): void {
    for (const secrets of secretsOf(model)) this.#models.add(secrets)
  }

  /** The text without any of it. What was JSON still is. */
  text(text: string): string {
    const json = jsonOf(text)
    return json ? shownJson(text, json, (inner) => this.text(inner)) : this.#plain(text)
  }

  /** The same for all texts and numbers in a value that JSON can hold, the names of fields included. */
  value<T>(value: T): T {
    return this.#inside(value, false) as T
  }

  #plain(text: string): string {
    let shown = withoutNamed(withoutBase64(text))
    for (const secrets of [this.#own, ...this.#models]) shown = secrets.hide(shown)
    return shown
  }

  #inside(value: unknown, isSecret: boolean): unknown {
    if (typeof value === 'string' || typeof value === 'number') return this.#leaf(value, isSecret)
    if (Array.isArray(value)) return value.map((one) => this.#inside(one, isSecret))
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).map(([name, inner]) => [
      this.text(name),
      this.#inside(inner, isSecret || holdsSecret(name, inner)),
    ])
    return Object.fromEntries(entries)
  }

  #leaf(value: string | number, isSecret: boolean): string | number {
    if (isSecret && value !== '') return redacted
    const text = String(value)
    const shown = this.text(text)
    return shown === text ? value : shown
  }

  /**
   * The pieces of one text without any of it: a secret may be cut between two. Pieces of a text that held one come
   * as one piece.
   */
  pieces(pieces: readonly string[]): readonly string[] {
    const whole = pieces.join('')
    const shown = this.text(whole)
    return shown === whole ? pieces : [shown]
  }
}

/** The text with its base64 taken out: bytes do not belong into a file that people read. The same bytes leave the same words. */
export function withoutBase64(text: string): string {
  if (text.length < shortest) return text
  return text
    .replace(dataAddress, (_, type: string, run: string) => `data:${type};${wordsFor(run)}`)
    .replace(wrapped, (run) => (isBase64(run) ? wordsFor(run) : run))
    .replace(long, (run) => (isBase64(run) ? wordsFor(run) : run))
}

/** Nothing shorter is replaced: `data:;base64,` and eight characters. */
const shortest = 21

/** Of any length: what it is, it says itself. */
const dataAddress = /data:([\w.+/-]*(?:;[\w.=+-]+)*?);base64,([\w+/=%-]{8,})/gi

/** On one line. */
const long = /[A-Za-z0-9+/_-]{200,}={0,2}/g

/** On lines of the same length, as mails and certificates have it, indented or not; their ends may be written as escapes. */
const wrapped = /(?:[A-Za-z0-9+/]{60,76}(?:\r?\n|(?:\\r)?\\n)[ \t]{0,16}){2,}[A-Za-z0-9+/]*={0,2}/g

/** Long runs of one kind of letter are words, dots or hashes. */
function isBase64(run: string): boolean {
  return /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run)
}

function wordsFor(run: string): string {
  return `[base64, ${run.length} characters, ${hash(run)}]`
}

/** What a text is as JSON, if it is an object or a list. */
function jsonOf(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A list or an object that is open, at a place of the text. */
interface Open {
  readonly value: unknown
  readonly isSecret: boolean
  /** The item that comes next. */
  next: string | number
}

/** A name with its colon, a text, a bracket, a number or a word. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[[\]{}]|-?\d[\d.eE+-]*|true|false|null/g

/**
 * The same JSON without what stands under the names of secrets, its other texts as `show` makes them. All else stays as
 * it was written, the white space and the digits.
 */
function shownJson(text: string, value: object, show: (text: string) => string): string {
  const once = eachOnce(show)
  const open: Open[] = [{ value: [value], isSecret: false, next: 0 }]
  return text.replace(token, (written, colon?: string) => {
    if (written === ']' || written === '}') {
      open.pop()
      return written
    }
    const around = open.at(-1) as Open
    if (colon !== undefined) {
      const quoted = written.slice(0, -colon.length)
      around.next = JSON.parse(quoted)
      return shownLeaf(quoted, false, once) + colon
    }
    const inner = itemOf(around)
    if (written === '[' || written === '{') open.push({ ...inner, next: 0 })
    return shownLeaf(written, inner.isSecret, once)
  })
}

/** Tables say the same names again and again. */
function eachOnce(show: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>()
  return (text) => {
    const shown = known.get(text) ?? show(text)
    known.set(text, shown)
    return shown
  }
}

function itemOf(around: Open): Pick<Open, 'value' | 'isSecret'> {
  const { value: all, next } = around
  const value = (all as Readonly<Record<string | number, unknown>>)[next]
  if (typeof next === 'string') return { value, isSecret: around.isSecret || holdsSecret(next, value) }
  around.next = next + 1
  return { value, isSecret: around.isSecret }
}

function shownLeaf(written: string, isSecret: boolean, show: (text: string) => string): string {
  const isText = written.startsWith('"')
  if (!isText && !/^[-\d]/.test(written)) return written
  const leaf: string = isText ? JSON.parse(written) : written
  const shown = isSecret && leaf !== '' ? redacted : show(leaf)
  return shown === leaf ? written : JSON.stringify(shown)
}
