import { CapstanError } from '../words/error.js'
import type { ContentPart } from '../words/message.js'
import { isFilled, isRecord, type Loose, toExcerpt, toText } from './loose.js'

// What says nothing (null, '', [], {}: some languages write one for the other) is nothing. What says something that
// cannot be read is an error: dropped, it would look like an answer without it.

/** The message or delta of a choice. @throws CapstanError `invalid_response`, as all of these */
export function readMessage(field: 'delta' | 'message', value: unknown): Loose | undefined {
  if (isRecord(value)) return value
  if (isFilled(value) && !isEmptyList(value)) throw unreadable(field, value)
  return undefined
}

/** A text, or parts: also a single part, and texts among parts. */
export function readContent(value: unknown): string | readonly ContentPart[] {
  if (!isFilled(value)) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.filter(isFilled).map(toPart)
  return isRecord(value) && Object.keys(value).length === 0 ? '' : [toPart(value)]
}

/** The entries of `tool_calls`: a list, an object by index, or one call. */
export function readCalls(value: unknown): readonly Loose[] {
  if (!isFilled(value)) return []
  const entries = Array.isArray(value) ? value : isRecord(value) ? byIndex(value) : [value]
  const calls = entries.filter(isRecord)
  const isAnyLost = entries.some((entry) => entry !== null && !isRecord(entry))
  if (isAnyLost || (calls.length === 0 && entries.length > 0)) throw unreadable('tool_calls', value)
  return calls
}

/** The old `function_call`, as an entry of `tool_calls`. */
export function readOldCall(value: unknown): readonly Loose[] {
  if (isRecord(value)) return Object.keys(value).length === 0 ? [] : [{ function: value }]
  if (isFilled(value) && !isEmptyList(value)) throw unreadable('function_call', value)
  return []
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

function byIndex(calls: Loose): readonly unknown[] {
  const entries = Object.entries(calls)
  if (!entries.every(([key]) => /^\d+$/.test(key))) return [calls]
  return entries.map(([key, call]) => (isRecord(call) ? { index: Number(key), ...call } : call))
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

function unreadable(field: string, value: unknown): CapstanError {
  const excerpt = toExcerpt(value)
  const message = `The model server sent ${field} in a form that cannot be read: ${excerpt}. Nothing was run.`
  return new CapstanError('invalid_response', message, { retryable: true, evidence: { field, excerpt } })
}
