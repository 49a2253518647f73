import { isRecord } from '../words/record.js'
import type { Loose } from './loose.js'

/** What a chunk of the common form brings. */
export interface Piece {
  readonly text: string
  readonly call?: PlainCall
  /** Why the answer ended; `''` while it goes on. */
  readonly reason: string
}

/** A call, or a piece of one. */
export interface PlainCall {
  readonly index: number
  /** `''` in all but its first piece. */
  readonly id: string
  readonly name: string
  readonly arguments: string
}

/**
 * What a chunk says when it has the form of the interface and leaves nothing to guess; undefined for any other, which is
 * read with care. A stream is thousands of these.
 */
export function readPiece(chunk: Loose): Piece | undefined {
  const { choices, object = 'chat.completion.chunk', usage = null } = chunk
  if (object !== 'chat.completion.chunk' || usage !== null || saysMore(chunk)) return undefined
  if (!Array.isArray(choices) || choices.length !== 1) return undefined
  const [choice] = choices as unknown[]
  if (!isRecord(choice) || choice.index !== 0 || !isRecord(choice.delta)) return undefined
  const { finish_reason: reason = null } = choice
  for (const field in choice)
    if (field !== 'index' && field !== 'delta' && field !== 'finish_reason' && choice[field] !== null)
      return undefined
  if (reason === null) return readDelta(choice.delta, '')
  return typeof reason === 'string' && plainReasons.includes(reason)
    ? readDelta(choice.delta, reason)
    : undefined
}

const plainReasons = ['stop', 'tool_calls', 'length']

/** Failures, signs of life and the like, that servers put beside the choices. */
function saysMore(chunk: Loose): boolean {
  return 'error' in chunk || 'base_resp' in chunk || 'type' in chunk || 'event' in chunk
}

function readDelta(delta: Loose, reason: string): Piece | undefined {
  for (const field in delta)
    if (field !== 'content' && field !== 'tool_calls' && field !== 'role' && delta[field] !== null)
      return undefined
  const { content = null, tool_calls: calls = null } = delta
  if (content !== null && typeof content !== 'string') return undefined
  const text = content ?? ''
  if (calls === null) return { text, reason }
  const call = readPlainCall(calls)
  return call && { text, call, reason }
}

function readPlainCall(calls: unknown): PlainCall | undefined {
  if (!Array.isArray(calls) || calls.length !== 1) return undefined
  const [call] = calls as unknown[]
  if (!isRecord(call) || !isRecord(call.function) || typeof call.index !== 'number') return undefined
  for (const field in call)
    if (field !== 'index' && field !== 'function' && field !== 'id' && field !== 'type') return undefined
  for (const field in call.function) if (field !== 'arguments' && field !== 'name') return undefined
  const { name = '', arguments: text } = call.function
  const { index, id = '' } = call
  const isText = typeof id === 'string' && typeof name === 'string' && typeof text === 'string'
  // A call begins with an id and a name, and has neither after that.
  const isPlain = isText && (id === '' ? name === '' : name.trim() !== '')
  return isPlain ? { index, id, name, arguments: text } : undefined
}
