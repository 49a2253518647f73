import type { Message } from '@capstan/core'
import { isRecord, textOf } from '@capstan/core/wire'
import { HttpError } from '../http-error.js'

/** The messages of a chat request as a run takes them. @throws HttpError 400 for what is none */
export function toConversation(messages: unknown): readonly Message[] {
  if (!Array.isArray(messages) || messages.length === 0)
    throw new HttpError(400, 'invalid_request', '`messages` must be a list of messages.')
  return messages.map((message) => toMessage(message))
}

/** Newer names of roles, and texts in parts, are read as the older ones that every model knows. */
function toMessage(given: unknown): Message {
  if (!isRecord(given)) throw new HttpError(400, 'invalid_request', 'A message must be an object.')
  const { role, content } = given
  if (role === 'developer') return toMessage({ ...given, role: 'system' })
  if ((role === 'system' || role === 'tool') && Array.isArray(content))
    return { ...given, content: textOf(content.filter(isRecord) as never) } as unknown as Message
  if (role === 'assistant' && content === undefined) return { ...given, content: null } as unknown as Message
  return given as unknown as Message
}
