import { messageOf } from '../errors.js'
import { isRecord } from '../json.js'
import type { ToolCall } from '../types/message.js'
import { isExactNumber, repairJson } from './repair.js'

export type ParsedArguments =
  | {
      readonly ok: true
      readonly value: Record<string, unknown>
      /** The arguments as the history keeps them: the server's own text wherever that is an object. */
      readonly text: string
      /** What was mended, in words; nothing in most cases. */
      readonly repairs: readonly string[]
    }
  | { readonly ok: false; readonly reason: string }

interface ParseOptions {
  /** Also read complete but sloppy text: a code fence, a trailing comma, Python's literals. Default false. */
  readonly repair?: boolean
}

/**
 * The arguments a server wrote, as one object. Empty text, white space and `null` mean `{}`. Unambiguous slips
 * are read: the same object twice, `{}` before the object, the object inside one JSON string.
 * Anything else is reported, not repaired: a cut text must not run, nor one that its value would not be true to.
 */
export function parseArguments(text: string, options: ParseOptions = {}): ParsedArguments {
  try {
    return parse(text, options)
  } catch (error) {
    // What can be parsed may still lie too deep to be written.
    return { ok: false, reason: `${messageOf(error)}. They began: ${excerpt(text)}` }
  }
}

function parse(text: string, { repair = false }: ParseOptions): ParsedArguments {
  if (text.trim() === '') return found({}, '{}')
  const whole = tryParse(text)
  if (whole.ok) return fromValue(whole.value, text)
  const slip = fromTwoObjects(text)
  if (slip) return found(slip, JSON.stringify(slip))
  const tidied = repair ? repairJson(text) : undefined
  const object = tidied && onlyObject(tidied.text)
  if (object) return { ...found(object, tidied.text), repairs: tidied.repairs }
  return { ok: false, reason: `${whole.reason}. They began: ${excerpt(text)}` }
}

function found(value: Record<string, unknown>, text: string): ParsedArguments & { ok: true } {
  if (!mayHoldLoneSurrogate(text)) return { ok: true, value, text, repairs: [] }
  const mended = toWellFormed(value)
  return { ok: true, value: mended, text: JSON.stringify(mended), repairs: [] }
}

function fromValue(value: unknown, text: string): ParsedArguments {
  if (value === null) return found({}, '{}')
  if (isRecord(value)) return found(value, text)
  if (typeof value === 'string') {
    const inner = value.trim() === '' ? { ok: true as const, value: {} } : tryParse(value)
    if (inner.ok && (inner.value === null || isRecord(inner.value)))
      return found(inner.value ?? {}, JSON.stringify(inner.value ?? {}))
  }
  const what = Array.isArray(value) ? 'an array' : `a ${typeof value}`
  return { ok: false, reason: `the arguments are ${what}, not one JSON object: ${excerpt(text)}` }
}

/** `{..}{..}` with equal halves is one call said twice; `{}` in front is a gateway's placeholder. */
function fromTwoObjects(text: string): Record<string, unknown> | undefined {
  const rest = text.trim()
  const empty = /^\{\s*\}/.exec(rest)
  if (empty) return onlyObject(rest.slice(empty[0].length))
  const half = Math.floor(rest.length / 2)
  const first = rest.slice(0, half).trimEnd()
  return first === rest.slice(half).trimStart() ? onlyObject(first) : undefined
}

function onlyObject(text: string): Record<string, unknown> | undefined {
  const parsed = tryParse(text)
  return parsed.ok && isRecord(parsed.value) ? parsed.value : undefined
}

function tryParse(text: string): { ok: true; value: unknown } | { ok: false; reason: string } {
  try {
    const value: unknown = JSON.parse(text)
    const flaw = isItself(value, text) ? undefined : findJsonLoss(text)
    return flaw === undefined ? { ok: true, value } : { ok: false, reason: flaw }
  } catch (error) {
    return { ok: false, reason: (error as SyntaxError).message }
  }
}

/** Whether a value says all that its text does: then nobody needs to look for what it may have lost. */
function isItself(value: unknown, text: string): boolean {
  // Longer ones may lie too deep, which is a flaw of its own.
  return text.length < 2000 && JSON.stringify(value) === text
}

function excerpt(text: string): string {
  return text.length <= 200
    ? text
    : `${text.slice(0, 150)} ... ${text.slice(-50)} (${text.length} characters)`
}

/**
 * What valid JSON says that its value would not: a number with more digits than can be kept, a key twice in one object.
 * Also what lies deeper than most code that looks through values gets.
 */
function findJsonLoss(json: string): string | undefined {
  const open: (Set<string> | undefined)[] = []
  let text = ''
  for (let at = 0; at < json.length; ) {
    const token = tokenAt(json, at)
    at += token.length
    if (token === '{' || token === '[') open.push(token === '{' ? new Set() : undefined)
    else if (token === '}' || token === ']') open.pop()
    else if (token.startsWith('"')) text = token
    else if (token === ':') {
      if (isTwice(text, open.at(-1))) return `the key ${text} is there twice in one object`
    } else if (/\d/.test(token) && !isExactNumber(token))
      return `the number ${token} is not kept as it is: where it may be, make it a string`
    if (open.length > deepest) return `they are nested more than ${deepest} levels deep: make them flatter`
  }
  return undefined
}

const deepest = 1500

function isTwice(text: string, keys: Set<string> | undefined): boolean {
  const key: string = text.includes('\\') ? JSON.parse(text) : text.slice(1, -1)
  const isThere = keys?.has(key) ?? false
  keys?.add(key)
  return isThere
}

/** A string or a number as a whole, else one character. */
function tokenAt(json: string, at: number): string {
  if (json[at] === '"') return json.slice(at, endOfString(json, at))
  numbers.lastIndex = at
  return numbers.exec(json)?.[0] ?? json.charAt(at)
}

const numbers = /-?\d[\d.eE+-]*/y

function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1)
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end + 1
}

function isEscaped(json: string, at: number): boolean {
  let before = at
  while (json[before - 1] === '\\') before--
  return (at - before) % 2 === 1
}

/** Whether JSON text may hold half of a surrogate pair, as a character or as an escape. */
export function mayHoldLoneSurrogate(json: string): boolean {
  return !json.isWellFormed() || /\\u[dD][89a-fA-F]/.test(json)
}

/** The same JSON value with every half of a surrogate pair replaced, in keys as well. */
export function toWellFormed<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, wellFormedEntries)) as T
}

function wellFormedEntries(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value)
  if (entries.every(([key]) => key.isWellFormed())) return value
  return Object.fromEntries(entries.map(([key, inner]) => [key.toWellFormed(), inner]))
}

export type ArgumentsValue = Readonly<Record<string, unknown>>

interface Known {
  /** As they were looked through. */
  readonly texts: readonly string[]
  readonly values: readonly ArgumentsValue[]
}

const known = new WeakMap<readonly ToolCall[], Known>()

/** Notes what the arguments of an answer's calls come to, once their text was looked through. */
export function rememberArguments(calls: readonly ToolCall[], values: readonly ArgumentsValue[]): void {
  known.set(calls, { texts: calls.map((call) => call.function.arguments), values })
}

/** Whether the text of a call was looked through: not that of calls from elsewhere, nor what was put in its place. */
export function isLookedThrough(calls: readonly ToolCall[], index: number): boolean {
  const text = known.get(calls)?.texts[index]
  return text !== undefined && text === calls[index]?.function.arguments
}

/**
 * What was noted, in call order; undefined for calls from elsewhere, such as a stored state, and for changed ones.
 * Given out once: who is shown it may change it, and another run may go on with the same calls.
 */
export function takeParsedArguments(calls: readonly ToolCall[]): readonly ArgumentsValue[] | undefined {
  const found = known.get(calls)
  if (!found) return undefined
  const isWhole = found.texts.length === calls.length && calls.every((_, at) => isLookedThrough(calls, at))
  known.delete(calls)
  return isWhole ? found.values : undefined
}
