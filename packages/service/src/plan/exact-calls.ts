import { isRecord } from '../json.js'
import type { PlannerTool } from './planner-tool.js'

/** A call that the user writes out: `get_weather(city: "Oslo")`. */
export interface ExactCall {
  readonly tool: PlannerTool
  readonly arguments: Readonly<Record<string, unknown>>
  /** Whether "then" precedes it. */
  readonly isSequel: boolean
}

/** A part of a request: words to be read, or a call written out. */
export type RequestPart = string | ExactCall

/**
 * Cuts a request at the calls that it writes out: `Call NAME with {json}`, `NAME(key: value, ...)` and
 * `NAME key=value`. Their arguments are sent as they are, in the types of the schema.
 */
export function toRequestParts(request: string, tools: readonly PlannerTool[]): RequestPart[] {
  const parts: RequestPart[] = []
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  let at = 0
  for (const match of request.matchAll(/[\w.-]+/g)) {
    const tool = byName.get(match[0].replace(/\.+$/, '')) ?? byName.get(match[0])
    if (!tool || match.index < at || parts.length >= mostCalls) continue
    const before = request.slice(at, match.index)
    const read = readArguments(request, match.index + tool.name.length, tool, isCalled.test(before))
    if (!read) continue
    const words = before.replace(isCalled, '')
    if (!connective.test(words)) parts.push(words)
    parts.push({ tool, arguments: read.value, isSequel: sequel.test(before) })
    at = read.end
  }
  const rest = request.slice(at)
  if (parts.length === 0 || !connective.test(rest)) parts.push(rest)
  return parts
}

// Limits the work of a hostile request.
const mostCalls = 40

const isCalled =
  /\b(?:please\s+)?(?:call|use|run|invoke|execute|trigger)\s+(?:the\s+)?(?:(?:tool|function)\s+)?[`"']?$/i
const connective =
  /^[\s,;.`"')]*(?:(?:and|then|next|finally|also|after that|afterwards|now|please|first|tool|function)\b[\s,;.:]*)*[-*\d.)\s`"']*$/i
const sequel = /\b(?:then|after that|afterwards|next|finally)\b/i

interface Read<T> {
  readonly value: T
  readonly end: number
}

type Arguments = Record<string, unknown>

function readArguments(
  text: string,
  from: number,
  tool: PlannerTool,
  called: boolean,
): Read<Arguments> | undefined {
  const rest = text.slice(from)
  const [bracket = ''] = /^[`"']?\(\s*/.exec(rest) ?? []
  if (bracket !== '') return readList(text, from + bracket.length, tool)
  const [lead = ''] = leadIn.exec(rest) ?? []
  const start = from + lead.length
  if (text[start] === '{') return readObject(text, start)
  if (/^\w+\s*=/.test(text.slice(start))) return readAssignments(text, start, tool)
  const isBare = called && /^[`"']?\s*(?:with (?:no|empty) (?:arguments|input))?\s*(?:[.,;]|$)/i.test(rest)
  return isBare && tool.slots.every(({ required }) => !required) ? { value: {}, end: start } : undefined
}

const leadIn =
  /^[`"']?(?:\s+(?:tool|function))?(?:\s*:)?\s*(?:(?:with|using|on)\s+)?(?:(?:the|these)\s+)?(?:(?:arguments?|args|parameters?|input|json|payload)\s*)?[:=]?\s*/i

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

// `NAME city=New York days=3`: a bare value ends at the next key, a comma, "then" or a new line.
function readAssignments(text: string, start: number, tool: PlannerTool): Read<Arguments> | undefined {
  const value: Arguments = {}
  let at = start
  for (;;) {
    const [key = '', name = ''] =
      /^(?:[ \t]*,?[ \t]*(?:and[ \t]+)?)([\w.-]+)[ \t]*=[ \t]*/.exec(text.slice(at, at + 200)) ?? []
    if (key === '') break
    const from = at + key.length
    const end = endOfValue(text, from) ?? from + (bare.exec(text.slice(from))?.[0].length ?? 0)
    setOwn(value, name, toTyped(text.slice(from, end).trim(), name, tool))
    at = end
  }
  return at === start ? undefined : { value, end: at }
}

const bare =
  /^(?:(?!\s*[,;\n]|[.!?](?:\s|$)|\s+(?:and\s+)?[\w.-]+[ \t]*=|\s+(?:and\s+)?then\b|\s+and\s+(?:call|run|use)\b)[\s\S])*/i

/** Returns the end of a quoted text, a list or an object, or undefined for a bare word. */
function endOfValue(text: string, start: number): number | undefined {
  const first = text[start] ?? ''
  if (!/["'`{[]/.test(first)) return undefined
  const closers: string[] = []
  for (let at = start; at < text.length; at++) {
    const sign = text[at] ?? ''
    const open = closers.at(-1) ?? ''
    if (/["'`]/.test(open)) {
      if (sign === '\\') at++
      else if (sign === open) closers.pop()
    } else if (/["`]/.test(sign) || (sign === "'" && /[\s:=,{[(]|^$/.test(text[at - 1] ?? '')))
      closers.push(sign)
    else if (sign === '{') closers.push('}')
    else if (sign === '[') closers.push(']')
    else if (sign === open) closers.pop()
    if (closers.length === 0) return at + 1
  }
  return undefined
}

function toTyped(written: string, name: string, { slots }: PlannerTool): unknown {
  const type = slots.find((slot) => slot.name === name)?.schema.type
  if (/^["'`]/.test(written)) return parseLoose(written)
  if (type === 'string') return written
  const value = parseLoose(written)
  return value === undefined ? written : value
}

// JSON, or an object with bare keys and single quotes as people type it.
function parseLoose(text: string): unknown {
  for (const written of [
    text,
    text.replace(/^['`]([\s\S]*)['`]$/, (_, inner: string) => JSON.stringify(inner)),
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
    .replace(/'((?:[^'\\]|\\.)*)'/g, (_, inner: string) => JSON.stringify(inner))
    .replace(/([{,]\s*)([A-Za-z_][\w-]*)\s*:/g, '$1"$2":')
    .replace(/:\s*([A-Za-z_][\w-]*)\s*(?=[,}])/g, (whole, word: string) =>
      /^(?:true|false|null)$/.test(word) ? whole : `: "${word}"`,
    )
    .replace(/,\s*([}\]])/g, '$1')
}

// Own properties only: a parameter may be named "__proto__".
function setOwn(target: Arguments, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })
}
