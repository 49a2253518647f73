import { CapstanError } from '../words/error.js'
import type { ContentPart } from '../words/message.js'
import { isRecord } from '../words/record.js'
import { isFilled, isNothing, isTelling, type Loose, toEntries, toExcerpt, toText } from './loose.js'

// What says nothing is nothing. What says something that cannot be read is an error: dropped, it would look like an
// answer without it.

/** The message or delta of a choice. @throws CapstanError `invalid_response`, as all of these */
export function readMessage(field: 'delta' | 'message', value: unknown): Loose | undefined {
  if (isRecord(value)) return value
  if (!isNothing(value)) throw unreadable(field, value)
  return undefined
}

/** What servers put into the choice instead of its message, where no message says it. */
export function readBeside(choice: Loose, messages: readonly (Loose | undefined)[]): Loose | undefined {
  const { content = choice.text, tool_calls, function_call } = choice
  const told = Object.entries({ content, tool_calls, function_call }).filter(
    ([field, value]) => !isNothing(value) && messages.every((message) => isNothing(message?.[field])),
  )
  return told.length > 0 ? Object.fromEntries(told) : undefined
}

/** A chunk without a choice carries counts and the like: an answer in it is of another interface. */
export function refuseLoose({ message, ...chunk }: Loose): void {
  const said: Loose = isRecord(message) ? { ...chunk, message } : chunk
  const field = ['delta', 'message', 'tool_calls', 'function_call'].find((name) => isTelling(said[name]))
  if (field !== undefined) throw unreadable(field, said[field])
}

/** A text, or parts: also a single part, and texts among parts. */
export function readContent(value: unknown): string | readonly ContentPart[] {
  if (isNothing(value)) return ''
  if (typeof value === 'string') return value
  return (Array.isArray(value) ? value : [value]).filter(isFilled).map(toPart)
}

/** The entries of `tool_calls`: a list, an object by index, or one call. */
export function readCalls(value: unknown): readonly Loose[] {
  const entries = toEntries(value)
  const calls = entries.filter(isRecord)
  const isAnyLost = entries.some((entry) => entry !== null && !isRecord(entry))
  if (isAnyLost || (calls.length === 0 && entries.length > 0)) throw unreadable('tool_calls', value)
  return calls
}

/** The old `function_call`, as an entry of `tool_calls`. */
export function readOldCall(value: unknown): readonly Loose[] {
  if (isNothing(value)) return []
  if (!isRecord(value)) throw unreadable('function_call', value)
  return [{ function: value }]
}

/** A part of content that is a call, as an entry of `tool_calls`; undefined for any other part. */
export function readCallPart(part: ContentPart): Loose | undefined {
  const { type, ...entry } = part
  if (!/^(tool|function)[_-]?(use|call)$/i.test(type)) return undefined
  const { name } = isRecord(entry.function) ? entry.function : entry
  if (toText(name) === '') throw unreadable('content', part)
  return entry
}

function toPart(part: unknown): ContentPart {
  if (typeof part === 'string') return { type: 'text', text: part }
  if (!isRecord(part) || !isPart(part)) throw unreadable('content', part)
  return { ...part, type: toText(part.type) || 'text' }
}

function isPart({ type, text, refusal }: Loose): boolean {
  const isText = typeof text === 'string'
  return (isText || !isFilled(text)) && (isText || isFilled(type) || typeof refusal === 'string')
}

/** The error for a field that says something, but not in a form that anybody could read. */
export function unreadable(field: string, value: unknown): CapstanError {
  const excerpt = toExcerpt(value)
  const message = `The model server sent ${field} in a form that cannot be read: ${excerpt}. Nothing was run.`
  return new CapstanError('invalid_response', message, { retryable: true, evidence: { field, excerpt } })
}
