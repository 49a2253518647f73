import { checkMessages } from '../run/check-messages.js'
import { CapstanError, messageOf } from '../words/error.js'
import type { Message } from '../words/message.js'
import type { Entry } from './chain.js'
import { checkSessionId } from './session-name.js'

/** Messages on their way into a store. */
export interface Addition extends Entry {
  readonly id: string
  /** The messages as JSON, made at once: what the caller changes later is not stored. */
  readonly messagesText: string
}

/** @throws CapstanError `invalid_request` for what is no id or no message, and for what JSON cannot hold */
export function toAddition(id: string, messages: readonly Message[], expectedVersion: number): Addition {
  checkSessionId(id)
  if (!Array.isArray(messages) || messages.length > 0) checkMessages(messages)
  return {
    id,
    at: expectedVersion,
    count: messages.length,
    by: crypto.randomUUID(),
    time: Date.now(),
    messagesText: toText(messages),
  }
}

/** Goes on when a session has the version that was expected. @throws CapstanError `conflict` */
export function checkVersion({ id, at, count }: Addition, version: number): void {
  if (version === at) return
  const message = `Session "${id}" has version ${version}, and this was to be added to version ${at}: something else was added meanwhile. Nothing of this was added. Load the session, and add to what it holds now.`
  // The messages are with the caller still: their number is enough.
  const evidence = { id, expectedVersion: at, version, messages: count }
  throw new CapstanError('conflict', message, { evidence })
}

/** The JSON of a record with messages, without making that of the messages twice. */
export function withMessages(head: Readonly<Record<string, string | number>>, messagesText: string): string {
  return `${JSON.stringify(head).slice(0, -1)},"messages":${messagesText}}`
}

function toText(messages: readonly Message[]): string {
  try {
    return JSON.stringify(messages)
  } catch (error) {
    const message = `These messages cannot be stored, since JSON cannot hold them: ${messageOf(error)}`
    throw new CapstanError('invalid_request', message, { cause: error })
  }
}
