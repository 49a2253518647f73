import { isExactNumber, isRecord, type Json } from '../json.js'
import type { ToolCall } from '../types/message.js'
import type { Repair } from './repair.js'

/** The parsed arguments of a call, or the reason why they are invalid. */
export type ParsedArguments =
  | {
      readonly ok: true
      readonly value: Record<string, unknown>
      /** The arguments text for the history: the server's own text if it is a JSON object. */
      readonly text: string
      /** Descriptions of the repairs; usually empty. */
      readonly repairs: readonly string[]
    }
  | { readonly ok: false; readonly reason: string }

const known = new WeakMap<ToolCall, { readonly text: string; readonly parsed: ParsedArguments }>()

/** Returns the parsed arguments of a call, which are parsed once while its text is the same. Their value is frozen. */
export function argumentsOf(call: ToolCall): ParsedArguments {
  const { arguments: text } = call.function
  const last = known.get(call)
  return last?.text === text ? last.parsed : keepArguments(call, parseArguments(text))
}

/** Returns the arguments of a call as people and programs see them: their text when it does not parse. */
export function shownArguments(call: ToolCall): Json {
  const parsed = argumentsOf(call)
  return parsed.ok ? (parsed.value as Json) : call.function.arguments
}

/** Keeps arguments that were parsed with the reply of their call. */
export function keepArguments(call: ToolCall, parsed: ParsedArguments): ParsedArguments {
  if (parsed.ok) freeze(parsed.value)
  known.set(call, { text: call.function.arguments, parsed })
  return parsed
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  Object.values(value).forEach(freeze)
  Object.freeze(value)
}

interface ParseOptions {
  /** Reads complete but sloppy text too: a code fence, a trailing comma, Python's literals. Default: none. */
  readonly repair?: Repair | undefined
}

/**
 * Parses the arguments text of a call into one object. Empty text, white space and `null` mean `{}`. Unambiguous
 * mistakes are accepted: the same object twice, `{}` before the object, the object inside one JSON string.
 * Other text is an error, not repaired: a call must not run with cut text, nor with a value that lost part of the text.
 */
export function parseArguments(text: string, { repair }: ParseOptions = {}): ParsedArguments {
  try {
    const whole = tryParse(text)
    if (whole.ok) return isRecord(whole.value) ? accept(whole.value, text) : fromValue(whole.value, text)
    if (text.trim() === '') return accept({}, '{}')
    const object = fromTwoObjects(text)
    if (object) return accept(object, JSON.stringify(object))
    const repaired = repair?.repairJson(text)
    const repairedObject = repaired && parseObject(repaired.text)
    if (repairedObject) return { ...accept(repairedObject, repaired.text), repairs: repaired.repairs }
    return { ok: false, reason: `${whole.reason}. They began: ${excerpt(text)}` }
  } catch {
    // A value that parses may still be too deep to serialize.
    return { ok: false, reason: tooDeep }
  }
}

function accept(value: Record<string, unknown>, text: string): ParsedArguments & { ok: true } {
  if (!mayHoldLoneSurrogate(text)) return { ok: true, value, text, repairs: [] }
  const wellFormed = toWellFormed(value)
  return { ok: true, value: wellFormed, text: JSON.stringify(wellFormed), repairs: [] }
}

function fromValue(value: unknown, text: string): ParsedArguments {
  if (value === null) return accept({}, '{}')
  if (typeof value === 'string') {
    const inner = tryParse(value.trim() || 'null')
    if (inner.ok && (inner.value === null || isRecord(inner.value)))
      return accept(inner.value ?? {}, JSON.stringify(inner.value ?? {}))
  }
  const what = Array.isArray(value) ? 'an array' : `a ${typeof value}`
  return { ok: false, reason: `the arguments are ${what}, not one JSON object: ${excerpt(text)}` }
}

/** Accepts `{..}{..}` with equal halves, which repeats one call, and `{}` in front, a placeholder of gateways. */
function fromTwoObjects(text: string): Record<string, unknown> | undefined {
  const rest = text.trim()
  const empty = /^\{\s*\}/.exec(rest)
  if (empty) return parseObject(rest.slice(empty[0].length))
  const half = Math.floor(rest.length / 2)
  const first = rest.slice(0, half).trimEnd()
  return first === rest.slice(half).trimStart() ? parseObject(first) : undefined
}

function parseObject(text: string): Record<string, unknown> | undefined {
  const parsed = tryParse(text)
  return parsed.ok && isRecord(parsed.value) ? parsed.value : undefined
}

function tryParse(text: string): { ok: true; value: unknown } | { ok: false; reason: string } {
  try {
    const value: unknown = JSON.parse(text)
    // A value that serializes to its own text has lost nothing. Longer text may be nested too deeply.
    const isLossless = text.length < 2000 && JSON.stringify(value) === text
    const loss = isLossless ? undefined : findJsonLoss(text)
    return loss === undefined ? { ok: true, value } : { ok: false, reason: loss }
  } catch (error) {
    // Of the engine's sentence only the position: its words differ between runtimes and their versions.
    const position = / at position \d+|$/.exec((error as SyntaxError).message)
    return { ok: false, reason: `the arguments are not JSON${position}` }
  }
}

/** Quotes a text, and of a long one both ends. */
export function excerpt(text: string): string {
  return text.length <= 200
    ? text
    : `${text.slice(0, 150)} ... ${text.slice(-50)} (${text.length} characters)`
}

/**
 * Finds a part of valid JSON that its parsed value would lose: a number with too many digits, a duplicate key.
 * Also finds nesting that is too deep for most recursive code.
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
      if (isDuplicateKey(text, open.at(-1))) return `the key ${text} occurs twice in one object`
    } else if (/\d/.test(token) && !isExactNumber(token))
      return `the number ${token} changes when parsed; use a string if the schema allows one`
    if (open.length > maxDepth) return tooDeep
  }
  return undefined
}

const maxDepth = 1500

export const tooDeep = 'they are nested too deep to check. Make them flatter'

function isDuplicateKey(text: string, keys: Set<string> | undefined): boolean {
  const key: string = text.includes('\\') ? JSON.parse(text) : text.slice(1, -1)
  const isThere = keys?.has(key)
  keys?.add(key)
  return isThere === true
}

/** Returns the token at an index: a whole string or number, otherwise one character. */
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
  let count = 0
  while (json[at - count - 1] === '\\') count++
  return count % 2 > 0
}

/** Whether JSON text may contain a lone surrogate, as a character or as an escape. */
export function mayHoldLoneSurrogate(json: string): boolean {
  return !json.isWellFormed() || /\\u[dD][89a-fA-F]/.test(json)
}

/** Returns the JSON value with every lone surrogate replaced, in keys as well. */
export function toWellFormed<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replace(escaped, (all, what) => (what === '\\' ? all : '\ufffd')))
}

/** Escapes in JSON that was written here: a backslash, and lone surrogates. */
const escaped = /\\(\\|ud[89a-f]..)/g

/** The parsed arguments of a call. */
export type ArgumentsValue = Readonly<Record<string, unknown>>
