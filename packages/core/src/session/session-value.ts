import type { Message } from '../words/message.js'
import { type Addition, withMessages } from './addition.js'
import { unreadableSession } from './unreadable-session.js'

/**
 * The messages of one append, as a key holds them. The mark in front keeps storages from reading the text as JSON by
 * themselves, which would lose keys such as `__proto__`.
 */
export function toValue({ id, messagesText }: Addition): string {
  return `session/${format} ${withMessages({ id }, messagesText)}`
}

/** What `toValue` made. @throws CapstanError `invalid_state` for anything else */
export function parseValue(id: string, { key, value }: { key: string; value: unknown }): StoredValue {
  const [, version, text] = pattern.exec(String(value)) ?? []
  if (Number(version) > format)
    throw unreadableSession(id, `it has format ${version}. Use the version that wrote it.`, { key })
  const { id: stored, messages } = parsed(text)
  if (typeof stored === 'string' && Array.isArray(messages)) return { id: stored, messages }
  const what = `the key "${key}" holds something else. Restore it from a copy, or delete the session.`
  throw unreadableSession(id, what, { key })
}

interface StoredValue {
  readonly id: string
  readonly messages: readonly Message[]
}

const format = 1
const pattern = /^session\/(\d+) (.*)$/s

function parsed(text = 'null'): Readonly<Record<string, unknown>> {
  try {
    return { ...JSON.parse(text) }
  } catch {
    return {}
  }
}
