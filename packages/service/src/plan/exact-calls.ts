import { isRecord } from '../json.js'
import type { PlannerTool } from './planner-tool.js'

/** A call that the user writes out: `get_weather(city: "Oslo")`. */
interface ExactCall {
  readonly tool: PlannerTool
  readonly arguments: Readonly<Record<string, unknown>>
  /** Whether the call waits for the words before it: "ring the bell, then get_weather(...)". */
  readonly isSequel: boolean
}

/** A part of a request: words to interpret, or a call that is written out. */
export type RequestPart = string | ExactCall

/**
 * Splits a request at the calls that it writes out: `Call NAME with {json}`, `NAME(key: value, ...)` and
 * `NAME key=value`. Their arguments are sent unchanged, with the types in the schema. Such calls need no result, so
 * consecutive ones are made together, even with "then" between them.
 */
export function toRequestParts(request: string, tools: readonly PlannerTool[]): RequestPart[] {
  const parts: RequestPart[] = []
  const find = toFinder(tools)
  let at = 0
  for (const match of request.matchAll(/[\w.-]+/g)) {
    const tool = match.index < at || parts.length >= mostCalls ? undefined : find(match[0])
    if (!tool) continue
    const before = request.slice(at, match.index)
    const words = before.replace(isCalled, '')
    const isNext = parts.length > 0 && typeof parts.at(-1) !== 'string' && saysNothing(words, tool)
    const called = isCalled.test(before) || isNext
    const read = readArguments({ text: request, find, tool, called }, match.index + tool.name.length)
    if (!read) continue
    if (!saysNothing(words, tool)) parts.push(words)
    at = read.end
    if (isNotCalled.test(before)) continue
    const isSequel = typeof parts.at(-1) === 'string' && sequel.test(before)
    parts.push(...read.calls.map((one) => ({ tool, arguments: one, isSequel })))
  }
  const rest = request.slice(at)
  if (at === 0 || !saysNothing(rest)) parts.push(rest)
  return parts
}

// Limits the work of a hostile request.
const mostCalls = 40

type Finder = (word: string) => PlannerTool | undefined

/** Finds a tool by name. Case matters only if names differ in nothing else: a sentence may start with "Set_price". */
function toFinder(tools: readonly PlannerTool[]): Finder {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const plain = new Map(tools.map((tool) => [tool.name.toLowerCase(), tool]))
  return (word) => {
    const name = word.replace(/\.+$/, '')
    const exact = byName.get(name) ?? byName.get(word)
    return exact ?? (name.includes('_') ? plain.get(name.toLowerCase()) : undefined)
  }
}

const verbs = 'call|use|run|invoke|execute|trigger'
const isCalled = new RegExp(
  `\\b(?:please\\s+)?(?:${verbs})\\s+(?:the\\s+)?(?:(?:tool|function)\\s+)?[\`"']?$`,
  'i',
)
const isNotCalled = new RegExp(
  `\\b(?:don['’]?t|do not|never|without|(?:what|how|why|when)\\s+(?:does|do|did|is|would))\\s+(?:(?:${verbs}|calling|running)\\s+)?(?:the\\s+)?[\`"']?$`,
  'i',
)
const sequel = /\b(?:then|after that|afterwards|next|finally)\b/i

/** Whether words around calls only join or announce them: "and then", "2)", "Do these in order:". */
function saysNothing(text: string, next?: PlannerTool): boolean {
  const plain = text
    .replace(/(^|\n)\s*(?:(?:step\s+)?\d+\s*[.):]|[a-z][.)])\s*/gi, '$1')
    .replace(isNotCalled, '')
    .replaceAll(next?.name ?? '\n', ' ')
  return !/\d/.test(plain) && (plain.match(/[\p{L}'’]+/gu) ?? []).every((word) => joining.test(word))
}

const joining =
  /^(?:and|then|next|finally|lastly|also|after|that|afterwards?|now|please|first(?:ly)?|second(?:ly)?|third(?:ly)?|last|step|tools?|functions?|calls?|call|use|run|invoke|execute|trigger|make|do|perform|both|all|these|those|the|this|following|two|three|four|five|twice|again|too|in|a|an|order|row|sequence|one|other|another|once|followed|by|with|can|could|would|will|you|i|want|need|like|to|for|me|it['’]?s|when|done|finished|instead|but|thanks?|thank|as|written|exactly|json|bash|text|['’]+)$/i

/** A request, the tool whose name was read, and whether "call" or an exact call precedes it. */
interface Written {
  readonly text: string
  readonly find: Finder
  readonly tool: PlannerTool
  readonly called: boolean
}

interface Read<T> {
  readonly value: T
  readonly end: number
}

type Arguments = Record<string, unknown>

/** The calls that one name starts: one, or one for each object of "with {...} and with {...}". */
type Calls = ReturnType<typeof toCalls>

function readArguments(written: Written, from: number): Calls {
  const { text, tool, called } = written
  const rest = text.slice(from)
  const [bracket = ''] = /^[`"']?\(\s*/.exec(rest) ?? []
  if (bracket !== '') return toCalls(readList(text, from + bracket.length, tool))
  const [lead = ''] = leadIn.exec(rest) ?? []
  const start = from + lead.length
  if (text[start] === '{') return readObjects(text, start)
  if (nextKey(written, start)) return toCalls(readAssignments(written, start))
  const isBare = called && bareCall.test(rest)
  return isBare && tool.slots.every(({ required }) => !required) ? { calls: [{}], end: start } : undefined
}

function toCalls(read: Read<Arguments> | undefined) {
  return read && { calls: [read.value], end: read.end }
}

const leadIn =
  /^[`"']?(?:\s+(?:tool|function))?(?:\s*:)?\s*(?:(?:with|using|on)\b\s*)?(?:(?:the|these|this|following)\s+)*(?:(?:arguments?|args|parameters?|input|json|payload)\b\s*)?[:=]?\s*(?:```(?:json)?\s*|`(?=\{))?/i
const bareCall =
  /^[`"']?\s*(?:tool|function)?\s*(?:with (?:no|empty) (?:arguments|input|parameters)|without (?:arguments|input|parameters))?\s*(?:[.,;!?)\]&|\n]|$|->|(?:and|then|again|next|please|too|now|after|afterwards|followed|finally|once more|for me)\b)/i

function readObjects(text: string, start: number): Calls {
  const calls: Arguments[] = []
  let end = start
  for (let at = start; text[at] === '{' && calls.length < mostCalls; ) {
    const read = readObject(text, at)
    if (!read) break
    calls.push(read.value)
    end = read.end + (/^\s*`{1,3}/.exec(text.slice(read.end, read.end + 20))?.[0].length ?? 0)
    at = end + (further.exec(text.slice(end, end + 60))?.[0].length ?? 0)
  }
  return calls.length > 0 ? { calls, end } : undefined
}

const further = /^[\s,;]*(?:(?:and|then|again|also)\b[\s,]*)*(?:with\b\s*)?`?(?=\{)/i

function readObject(text: string, start: number): Read<Arguments> | undefined {
  const end = endOfValue(text, start)
  const value = end === undefined ? undefined : parseLoose(text.slice(start, end))
  return end !== undefined && isRecord(value) ? { value, end } : undefined
}

// `NAME(city: "Oslo", days=3)`, and `NAME({...})`.
function readList(text: string, start: number, tool: PlannerTool): Read<Arguments> | undefined {
  if (text[start] === '{') {
    const object = readObject(text, start)
    const [close = ''] = /^\s*\)/.exec(text.slice(object?.end ?? text.length)) ?? []
    return object && close !== '' ? { ...object, end: object.end + close.length } : undefined
  }
  const value: Arguments = {}
  let at = start
  while (text[at] !== ')') {
    const [key = '', name = ''] =
      /^[\s,]*["'`]?([\w.-]+)["'`]?\s*[:=]\s*/.exec(text.slice(at, at + 200)) ?? []
    if (key === '') return undefined
    const from = at + key.length
    const end = endOfValue(text, from) ?? from + (/^[^,)]*/.exec(text.slice(from))?.[0].length ?? 0)
    setOwn(value, name, toTyped(text.slice(from, end).trim(), name, tool))
    const [gap = ''] = /^[\s,]*/.exec(text.slice(end)) ?? []
    at = end + gap.length
    if (at >= text.length) return undefined
  }
  return { value, end: at + 1 }
}

// `NAME city=New York days=3`: a bare value ends at the next key, a comma, "then", a new line or a call.
function readAssignments(written: Written, start: number): Read<Arguments> | undefined {
  const { text, tool } = written
  const value: Arguments = {}
  let at = start
  for (let key = nextKey(written, at); key; key = nextKey(written, at)) {
    const end = endOfValue(text, key.end) ?? key.end + lengthOfBare(written, key)
    setOwn(value, key.value, toTyped(text.slice(key.end, end).trim(), key.value, tool))
    at = end
  }
  return at === start ? undefined : { value, end: at }
}

/** Reads `city=`, or `city:` if the tool has such a parameter. */
function nextKey({ text, tool }: Written, at: number): Read<string> | undefined {
  const [key = '', name = '', sign = ''] =
    /^(?:[ \t]*,?[ \t]*(?:(?:and|with)[ \t]+)?)(?:--)?([\w.-]+)[ \t]*([=:])[ \t]*/.exec(
      text.slice(at, at + 200),
    ) ?? []
  if (key === '' || (sign === ':' && !tool.slots.some((slot) => slot.name === name))) return undefined
  return { value: name, end: at + key.length }
}

function lengthOfBare({ text, find, tool }: Written, key: Read<string>): number {
  const isList = tool.slots.some(({ name, kind }) => name === key.value && kind === 'list')
  const [value = ''] = (isList ? bareList : bare).exec(text.slice(key.end)) ?? []
  for (const match of value.matchAll(/[\w.-]+/g)) {
    const after = text.slice(key.end + match.index + match[0].length).slice(0, 80)
    if (match.index === 0 || !find(match[0]) || !/^\s*(?:[({]|with\b|[\w.-]+[ \t]*=)/.test(after)) continue
    return value
      .slice(0, match.index)
      .replace(/(?:\s|&|\||->|\b(?:and|then|next|also|call|run|use)\b)+$/i, '').length
  }
  return value.length
}

const bare =
  /^(?:(?!\s*[,;\n]|[.!?](?:\s|$)|\s+(?:and\s+|--)?[\w.-]+[ \t]*=|\s+(?:and\s+)?(?:then|next|afterwards|finally)\b|\s+and\s+(?:call|run|use|invoke|execute)\b)[\s\S])*/i
const bareList = new RegExp(bare.source.replace('[,;', '[;'), 'i')

/** Returns the end of a quoted string, an array or an object. Undefined for a bare word. */
function endOfValue(text: string, start: number): number | undefined {
  const first = text[start] ?? ''
  if (!/["'`“{[]/.test(first)) return undefined
  const closers: string[] = []
  for (let at = start; at < text.length; at++) {
    const sign = text[at] ?? ''
    const open = closers.at(-1) ?? ''
    if (/["'`”]/.test(open)) {
      if (sign === '\\') at++
      else if (sign === open) closers.pop()
    } else if (/["`]/.test(sign) || (sign === "'" && /[\s:=,{[(]|^$/.test(text[at - 1] ?? '')))
      closers.push(sign)
    else if (sign === '“') closers.push('”')
    else if (sign === '{') closers.push('}')
    else if (sign === '[') closers.push(']')
    else if (sign === open) closers.pop()
    if (closers.length === 0) return at + 1
  }
  return undefined
}

function toTyped(written: string, name: string, { slots }: PlannerTool): unknown {
  const slot = slots.find((one) => one.name === name)
  if (/^["'`“]/.test(written)) return parseLoose(written)
  if (slot?.schema.type === 'string') return written
  const value = parseLoose(written)
  if (slot?.kind === 'list' && !Array.isArray(value))
    return written.split(/\s*,\s*/).map((item) => parseLoose(item) ?? item)
  return value === undefined ? written : value
}

// JSON, or an object with bare keys and single quotes as people type it.
function parseLoose(text: string): unknown {
  for (const written of [
    text,
    text.replace(/^['`“]([\s\S]*)['`”]$/, (_, inner: string) => JSON.stringify(inner)),
    relaxed(text),
  ]) {
    try {
      return JSON.parse(written)
    } catch {
      // The next spelling may be the right one.
    }
  }
  return undefined
}

function relaxed(text: string): string {
  return text
    .replace(/'((?:[^'\\]|\\.)*)'|“([^”]*)”/g, (_, one?: string, other?: string) =>
      JSON.stringify(one ?? other),
    )
    .replace(/([{,]\s*)([A-Za-z_][\w-]*)\s*:/g, '$1"$2":')
    .replace(
      /(^|[:[,]\s*)(True|False|None)(?=\s*(?:[,}\]]|$))/g,
      (_, before: string, word: string) => before + (word === 'None' ? 'null' : word.toLowerCase()),
    )
    .replace(/:\s*([A-Za-z_][\w-]*)\s*(?=[,}])/g, (whole, word: string) =>
      /^(?:true|false|null)$/.test(word) ? whole : `: "${word}"`,
    )
    .replace(/,\s*([}\]])/g, '$1')
}

// Own properties only: a parameter may be named "__proto__".
function setOwn(target: Arguments, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })
}
