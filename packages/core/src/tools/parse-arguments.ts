import { isExactNumber, isObject, isRecord, isString, type Json } from '../json.js'
import type { ToolCall } from '../types/message.js'
import type { Repair } from './repair.js'

/** The parsed arguments of a call, or the reason why they are invalid. */
export type ParsedArguments =
  | {
      readonly ok: true
      readonly value: Record<string, unknown>
      /** The arguments as text, for the conversation. Unchanged if the server sent a JSON object. */
      readonly text: string
      /** A description of each repair; usually empty. */
      readonly repairs: readonly string[]
    }
  | { readonly ok: false; readonly reason: string }

const known = new WeakMap<ToolCall, { readonly text: string; readonly parsed: ParsedArguments }>()

/**
 * Returns the parsed arguments of a call. The arguments are parsed again only if the call's text has changed. The value
 * is frozen.
 */
export function argumentsOf(call: ToolCall): ParsedArguments {
  const { arguments: text } = call.function
  const last = known.get(call)
  return last?.text === text ? last.parsed : keepArguments(call, parseArguments(text))
}

/** Returns a call's arguments for display: the parsed value, or the text if it cannot be parsed. */
export function shownArguments(call: ToolCall): Json {
  const parsed = argumentsOf(call)
  return parsed.ok ? (parsed.value as Json) : call.function.arguments
}

/** Caches arguments that were already parsed when the call's reply was read. Freezes and returns them. */
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
  /**
   * Repairs complete text that is not quite JSON, such as JSON in a code fence, or with a trailing comma or Python
   * literals. Default: only JSON is accepted.
   */
  readonly repair?: Repair | undefined
}

/**
 * Parses a call's arguments text into one object. Empty text, white space and `null` mean `{}`. Unambiguous mistakes
 * are accepted: the same object twice, `{}` before the object, the object inside a JSON string. Any other text is an
 * error, because a call must not run if its arguments were cut off or if parsing would lose part of them.
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
    // A value that can be parsed may still be nested too deeply to serialize.
    return { ok: false, reason: tooDeep }
  }
}

function accept(value: Record<string, unknown>, text: string): ParsedArguments & { ok: true } {
  // A lone surrogate can be a character or an escape.
  const mayHoldLoneSurrogate = !text.isWellFormed() || /\\u[dD][89a-fA-F]/.test(text)
  const kept = mayHoldLoneSurrogate ? toWellFormed(value) : value
  return { ok: true, value: kept, text: kept === value ? text : JSON.stringify(kept), repairs: [] }
}

/** Returns the object inside a JSON string, or `{}` for `null`. */
function objectIn(value: unknown): Record<string, unknown> | undefined {
  const inner = isString(value) ? tryParse(value.trim() || 'null').value : value
  if (inner === null) return {}
  return isRecord(inner) ? inner : undefined
}

/**
 * Accepts `{..}{..}` with equal halves, which is the same call twice, and a leading `{}`, which gateways send as a
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

/** Parses JSON. Returns the value, or the reason why it cannot be used. */
function tryParse(text: string): { readonly value?: unknown; readonly loss?: string } {
  try {
    const value: unknown = JSON.parse(text)
    // If a value serializes to the same text, nothing was lost. Longer text may be nested too deeply to serialize.
    const isLossless = text.length < 2000 && JSON.stringify(value) === text
    const loss = isLossless ? undefined : findJsonLoss(text)
    return loss === undefined ? { value } : { loss }
  } catch (error) {
    // Only the position is used, because the message's wording differs between runtimes and versions.
    const position = / at position \d+|$/.exec((error as SyntaxError).message)
    return { loss: `the arguments are not JSON${position}` }
  }
}

/** Returns a string, or the start, end and length of one that has more than 200 characters. */
export function excerpt(text: string): string {
  return text.length <= 200
    ? text
    : `${text.slice(0, 150)} ... ${text.slice(-50)} (${text.length} characters)`
}

/**
 * Text for the model: what parsing valid JSON would lose, such as a number with too many digits or a duplicate key.
 * Also reports nesting that is too deep for most recursive code.
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

/** Matches JSON tokens, but not complete strings: matching megabytes of text could overflow the stack. */
const tokens = /[{}[\]:"]|\\.|-?\d[\d.eE+-]*/g

const maxDepth = 1500

/** Text for the model. */
export const tooDeep = 'nested too deeply. Use a flatter structure'

/** Returns the JSON value with each lone surrogate replaced by U+FFFD, also in keys. */
function toWellFormed<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replace(escaped, (all, what) => (what === '\\' ? all : '\ufffd')))
}

/** Matches escapes in the output of `JSON.stringify`: an escaped backslash, or a lone surrogate. */
const escaped = /\\(\\|ud[89a-f]..)/g

/** The parsed arguments of a call. */
export type ArgumentsValue = Readonly<Record<string, unknown>>
