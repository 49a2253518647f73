import { isExactNumber, isObject, isRecord, type Json } from '../json.js'
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

/** Returns the parsed arguments of a call. Parses them once while the call's text stays the same. The value is frozen. */
export function argumentsOf(call: ToolCall): ParsedArguments {
  const { arguments: text } = call.function
  const last = known.get(call)
  return last?.text === text ? last.parsed : keepArguments(call, parseArguments(text))
}

/** Returns a call's arguments for display: their value, or their text if it does not parse. */
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
  if (!isObject(value)) return
  Object.values(value).forEach(freeze)
  Object.freeze(value)
}

interface ParseOptions {
  /** Also accepts complete but sloppy text: a code fence, a trailing comma, Python's literals. Default: only JSON. */
  readonly repair?: Repair | undefined
}

/**
 * Parses the arguments text of a call into one object. Empty text, white space and `null` mean `{}`. Unambiguous
 * mistakes are accepted: the same object twice, `{}` before the object, the object inside one JSON string.
 * Other text is an error, not repaired: a call must not run with cut text, nor with a value that lost part of the text.
 */
export function parseArguments(text: string, { repair }: ParseOptions = {}): ParsedArguments {
  try {
    const { value, loss } = tryParse(text)
    if (isRecord(value)) return accept(value, text)
    const object = text.trim() === '' ? {} : (objectIn(value) ?? fromTwoObjects(text))
    if (object) return accept(object, JSON.stringify(object))
    if (loss === undefined) {
      const what = Array.isArray(value) ? 'an array' : `a ${typeof value}`
      // Text for the model.
      return {
        ok: false,
        reason: `the arguments are ${what}, not one JSON object. Received: ${excerpt(text)}`,
      }
    }
    const repaired = repair?.repairJson(text)
    const repairedObject = repaired && parseObject(repaired.text)
    if (repairedObject) return { ...accept(repairedObject, repaired.text), repairs: repaired.repairs }
    // Text for the model.
    return { ok: false, reason: `${loss}. Received: ${excerpt(text)}` }
  } catch {
    // A value that parses may still be too deep to serialize.
    return { ok: false, reason: tooDeep }
  }
}

function accept(value: Record<string, unknown>, text: string): ParsedArguments & { ok: true } {
  // As a character or as an escape.
  const mayHoldLoneSurrogate = !text.isWellFormed() || /\\u[dD][89a-fA-F]/.test(text)
  const kept = mayHoldLoneSurrogate ? toWellFormed(value) : value
  return { ok: true, value: kept, text: kept === value ? text : JSON.stringify(kept), repairs: [] }
}

/** Returns the object in a JSON string, or no arguments for `null`. */
function objectIn(value: unknown): Record<string, unknown> | undefined {
  const inner = typeof value === 'string' ? tryParse(value.trim() || 'null').value : value
  if (inner === null) return {}
  return isRecord(inner) ? inner : undefined
}

/**
 * Accepts `{..}{..}` with equal halves, which repeats one call, and a leading `{}`, which gateways use as a
 * placeholder.
 */
function fromTwoObjects(text: string): Record<string, unknown> | undefined {
  const rest = text.trim()
  const empty = /^\{\s*\}/.exec(rest)
  if (empty) return parseObject(rest.slice(empty[0].length))
  const half = Math.floor(rest.length / 2)
  const first = rest.slice(0, half).trimEnd()
  return first === rest.slice(half).trimStart() ? parseObject(first) : undefined
}

function parseObject(text: string): Record<string, unknown> | undefined {
  const { value } = tryParse(text)
  return isRecord(value) ? value : undefined
}

/** Returns the value of a JSON string, or the reason why it cannot be used. */
function tryParse(text: string): { readonly value?: unknown; readonly loss?: string } {
  try {
    const value: unknown = JSON.parse(text)
    // A value that serializes to its own text has lost nothing. Longer text may be nested too deeply.
    const isLossless = text.length < 2000 && JSON.stringify(value) === text
    const loss = isLossless ? undefined : findJsonLoss(text)
    return loss === undefined ? { value } : { loss }
  } catch (error) {
    // Of the engine's sentence only the position: its words differ between runtimes and their versions.
    const position = / at position \d+|$/.exec((error as SyntaxError).message)
    return { loss: `the arguments are not JSON${position}` }
  }
}

/** Quotes a string. Shows only both ends of a long one. */
export function excerpt(text: string): string {
  return text.length <= 200
    ? text
    : `${text.slice(0, 150)} ... ${text.slice(-50)} (${text.length} characters)`
}

/**
 * Text for the model: the part of valid JSON that parsing would lose, such as a number with too many digits or a
 * duplicate key. Also finds nesting that is too deep for most recursive code.
 */
function findJsonLoss(json: string): string | undefined {
  const open: (Set<string> | undefined)[] = []
  let text = ''
  let start = -1
  for (const { 0: token, index } of json.matchAll(tokens)) {
    if (token === '"') {
      if (start >= 0) text = json.slice(start, index + 1)
      start = start < 0 ? index : -1
    } else if (start >= 0) continue
    else if (token === '{' || token === '[') open.push(token === '{' ? new Set() : undefined)
    else if (token === '}' || token === ']') open.pop()
    else if (token === ':') {
      const key: string = JSON.parse(text)
      if (open.at(-1)?.has(key)) return `the key ${text} occurs twice in one object`
      open.at(-1)?.add(key)
    } else if (!isExactNumber(token))
      return `the number ${token} changes when parsed; use a string if the schema allows one`
    if (open.length > maxDepth) return tooDeep
  }
  return undefined
}

/** Matches tokens. Does not match complete strings, because megabytes of text could overflow the stack. */
const tokens = /[{}[\]:"]|\\.|-?\d[\d.eE+-]*/g

const maxDepth = 1500

/** Text for the model. */
export const tooDeep = 'nested too deeply. Use a flatter structure'

/** Returns the JSON value with every lone surrogate replaced, in keys as well. */
function toWellFormed<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replace(escaped, (all, what) => (what === '\\' ? all : '\ufffd')))
}

/** Matches escapes in JSON that we wrote: a backslash, and lone surrogates. */
const escaped = /\\(\\|ud[89a-f]..)/g

/** The parsed arguments of a call. */
export type ArgumentsValue = Readonly<Record<string, unknown>>
