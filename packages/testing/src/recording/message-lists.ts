import type { Message } from '@capstan/core'
import type { WrittenMessages } from './lines.js'

/** A list that others may begin with, and the request that asked with it. */
export interface KnownList {
  readonly at: string
  readonly messages: readonly Message[]
}

/** What a list adds to one that it begins like. */
export function toWritten(messages: readonly Message[], before: KnownList | undefined): WrittenMessages {
  const most = Math.min(messages.length, before?.messages.length ?? 0)
  let keep = 0
  while (keep < most && isSame(messages[keep], before?.messages[keep])) keep += 1
  if (!before) return { messages }
  const all = keep === before.messages.length
  return { after: before.at, ...(all ? {} : { keep }), messages: messages.slice(keep) }
}

/** Whether two values are the same JSON. */
export function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

/** The list again. @throws Error when it begins with one that nobody knows */
export function fromWritten(
  { after, keep, messages }: WrittenMessages,
  known: (at: string) => readonly Message[] | undefined,
): readonly Message[] {
  if (after === undefined) return messages
  const before = known(after)
  if (!before) throw new Error(`it comes after ${JSON.stringify(after)}, which is not there`)
  return [...before.slice(0, keep), ...messages]
}
