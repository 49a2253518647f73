import type { Message } from '@capstan/core'

/** The instructions in front of a conversation, and the rest. */
export function splitSystem(messages: readonly Message[]): {
  readonly system: string | undefined
  readonly messages: readonly Message[]
} {
  const [first, ...rest] = messages
  const isPlain = first?.role === 'system' && Object.keys(first).length === 2
  if (!isPlain || typeof first.content !== 'string') return { system: undefined, messages }
  return { system: first.content, messages: rest }
}
