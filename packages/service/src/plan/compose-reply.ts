import { isRecord } from '../json.js'
import type { AnsweredCall } from './conversation.js'
import { splitName } from './words.js'

/** Composes the reply: one sentence for each result, then the tasks that failed. */
export function composeReply(calls: readonly AnsweredCall[], notes: readonly string[]): string {
  return [...calls.map(toLine), ...notes].join('\n')
}

/** Composes the reply without any call: it introduces the planner and gives the reason. */
export function composeRefusal(tools: readonly string[], notes: readonly string[]): string {
  const self = 'I am a rule-based planner, not a language model: I choose tools and report their results.'
  if (notes.length > 0) return [...notes, self].join('\n')
  if (tools.length === 0) return `${self} This request offers no tools, so there is nothing I can do with it.`
  return `${self} None of the tools I see fits this request: ${tools.join(', ')}.`
}

function toLine(call: AnsweredCall): string {
  if (call.failed) return `${call.name} failed: ${withStop(describeFailure(call))}`
  if (call.artifacts.length > 0) return `${call.name} made ${call.artifacts.join(' and ')}.`
  return `${call.name}${toLabel(call)}: ${withStop(describeResult(call))}`
}

function toLabel({ arguments: args }: AnsweredCall): string {
  const scalars = Object.entries(args).filter(([, value]) => typeof value !== 'object')
  const shown = scalars.slice(0, 3).map(([key, value]) => `${key} ${shorten(String(value), 40)}`)
  return shown.length > 0 ? ` (${shown.join(', ')})` : ''
}

function withStop(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

/**
 * Summarizes the result of a call: `temperature -3, conditions light snow`. Leaves out values that repeat the
 * arguments.
 */
export function describeResult({
  result,
  arguments: args,
}: Pick<AnsweredCall, 'result' | 'arguments'>): string {
  const asked = new Set(Object.values(args).map((value) => String(value).toLowerCase()))
  return shorten(describe(result, asked), 600)
}

/** Returns the reason of a failed call. */
function describeFailure({ result }: Pick<AnsweredCall, 'result'>): string {
  const error = isRecord(result) ? (result.error ?? result.message ?? result) : result
  const text = isRecord(error) ? (error.message ?? JSON.stringify(error)) : error
  return shorten(String(text).replace(/^\s*error:?\s*/i, ''), 300)
}

/** Truncates a text to a length. */
function shorten(text: string, length: number): string {
  const plain = text.replace(/\s+/g, ' ').trim()
  return plain.length > length ? `${plain.slice(0, length - 1).trimEnd()}…` : plain
}

const maxEntries = 12
const carriers =
  /^(?:result|results|value|values|answer|output|text|content|message|data|description|caption|transcript|transcription|translation|summary)$/

function describe(value: unknown, asked: ReadonlySet<string>): string {
  if (Array.isArray(value)) return describeList(value, asked)
  if (!isRecord(value)) return value === null || value === undefined ? 'nothing' : String(value)
  const told = Object.entries(value).filter(
    ([, inner]) => inner !== null && !asked.has(String(inner).toLowerCase()),
  )
  const entries = told.length > 0 ? told : Object.entries(value)
  if (entries.length === 0) return 'nothing'
  const [only] = entries
  if (entries.length === 1 && only && carriers.test(only[0])) return describe(only[1], asked)
  return entries
    .slice(0, maxEntries)
    .map(([key, inner]) => `${splitName(key).toLowerCase()} ${describe(inner, asked)}`)
    .join(', ')
}

function describeList(values: readonly unknown[], asked: ReadonlySet<string>): string {
  if (values.length === 0) return 'nothing'
  const items = values.slice(0, maxEntries).map((value) => describe(value, asked))
  const rest = values.length > maxEntries ? [`${values.length - maxEntries} more`] : []
  return [...items, ...rest].join(values.some((value) => typeof value === 'object') ? '; ' : ', ')
}
