// What the checks of stores expect, and the messages that they store.

import {
  type CapstanError,
  type ErrorCode,
  isCapstanError,
  type Message,
  type UserMessage,
} from '@capstan/core'
import { canonicalJson } from '@capstan/core/internal'

/** Throws unless two values are the same JSON. The order of keys is ignored. */
export function expectSame(seen: unknown, wanted: unknown, what: string): void {
  const [is, should] = [toText(seen), toText(wanted)]
  if (is !== should) throw new Error(`${what} should be ${excerpt(should)} and is ${excerpt(is)}`)
}

/** Throws unless a promise rejects with a CapstanError of this code. Returns the error. */
export async function expectRejection(
  work: Promise<unknown>,
  code: ErrorCode,
  what: string,
): Promise<CapstanError> {
  const outcome = await work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if (!('error' in outcome))
    throw new Error(`${what} should fail with "${code}" and returned ${excerpt(toText(outcome.value))}`)
  const { error } = outcome
  if (isCapstanError(error) && error.code === code) return error
  throw new Error(`${what} should fail with "${code}", as a CapstanError, and threw ${error}`, {
    cause: error,
  })
}

function toText(value: unknown): string {
  return String(canonicalJson(value))
}

function excerpt(text: string): string {
  return text.length <= 300 ? text : `${text.slice(0, 300)}... (${text.length} characters)`
}

/** A message of each kind, with extra fields of servers. */
export const messagesOfEveryKind: readonly Message[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: 'Grüße, 世界 👩‍👩‍👧', cache: { ttl: 3 } }] },
  {
    role: 'assistant',
    content: null,
    reasoning_content: '…',
    tool_calls: [
      {
        id: 'call_1',
        type: 'function',
        function: { name: 'look_up', arguments: '{"__proto__": {"q": "\\"\\n\\u0000\\""}, "n": 1.50}' },
        index: 0,
      },
    ],
  },
  { role: 'tool', tool_call_id: 'call_1', content: '{"found":[]}\r\n\u2028' },
  { role: 'assistant', content: '', refusal: null },
]

/** Invalid ids; the last ends with half a surrogate pair. */
export const invalidIds: readonly string[] = [
  '',
  'x'.repeat(201),
  'a\0b',
  'a\nb',
  '\u007f',
  '\u0085',
  'a\ud83d',
]

/** Returns a message with this text. */
export function userMessage(content: string): UserMessage {
  return { role: 'user', content }
}

/** Returns numbered messages. */
export function userMessages(count: number, about: string): UserMessage[] {
  return Array.from({ length: count }, (_, at) => userMessage(`${about} ${at}`))
}

/** Waits until the time in milliseconds changes. */
export async function nextMillisecond(): Promise<void> {
  const now = Date.now()
  while (Date.now() === now) await new Promise((resolve) => setTimeout(resolve, 1))
}
