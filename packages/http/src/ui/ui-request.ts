import { isRecord } from '@capstan/core/wire'
import { HttpError } from '../http-error.js'

/** What a chat of the AI SDK sends, as far as it is read here. */
export interface UiRequest {
  /** Of the chat. */
  readonly id: string | undefined
  readonly messages: readonly UiMessage[]
  readonly last: UiMessage
  /** Whether an earlier message is to be answered anew, or was changed. */
  readonly isChange: boolean
  /** The name of an agent, where there are several. */
  readonly agent: unknown
  /** Tools of the page by name, as some front ends send them. */
  readonly tools: Readonly<Record<string, unknown>>
}

export interface UiMessage {
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly parts: readonly UiPart[]
  /** Of an answer, the run that gave it. */
  readonly runId: string | undefined
}

export type UiPart = Readonly<Record<string, unknown>> & { readonly type: string }

/** @throws HttpError 400 for what is no such request */
export function readUiRequest(body: Readonly<Record<string, unknown>>): UiRequest {
  const { id, messages: given, trigger, messageId, agent, tools } = body
  if (!Array.isArray(given)) throw invalid('`messages` must be a list of UI messages.')
  const messages = given.map(toMessage)
  const last = messages.at(-1)
  if (!last) throw invalid('`messages` is empty.')
  const changed = messages.find((message) => message.id === messageId)
  return {
    id: typeof id === 'string' ? id : undefined,
    messages,
    last,
    isChange: trigger === 'regenerate-message' || changed?.role === 'user',
    agent: agent ?? undefined,
    tools: isRecord(tools) ? tools : {},
  }
}

function toMessage(given: unknown): UiMessage {
  const { id, role, parts, metadata } = isRecord(given) ? given : {}
  const { runId } = isRecord(metadata) ? metadata : {}
  if (role === 'system') throw invalid('Instructions are the agent\'s own: leave "system" messages out.')
  if ((role !== 'user' && role !== 'assistant') || !Array.isArray(parts) || !parts.every(isPart))
    throw invalid('Each message must be { id, role: "user" or "assistant", parts: [{ type, ... }] }.')
  return {
    id: typeof id === 'string' ? id : '',
    role,
    parts,
    runId: typeof runId === 'string' ? runId : undefined,
  }
}

function isPart(part: unknown): part is UiPart {
  return isRecord(part) && typeof part.type === 'string'
}

function invalid(message: string): HttpError {
  return new HttpError(400, 'invalid_request', message)
}
