import type { Entry } from './chain.js'
import { sessionName } from './session-name.js'

/** An append whose messages are the value of a key. */
export interface KeyedEntry extends Entry {
  readonly key: string
}

/** What all keys of sessions begin with. */
export const sessionsBase = 'sessions:'

/** What all keys of one session begin with. */
export async function baseOf(id: string): Promise<string> {
  return `${sessionsBase}${await sessionName(id)}:`
}

/** The key says everything of an append but its messages, so that no value need be read to know a version. */
export function toKey(base: string, { at, count, by, time }: Entry): string {
  return `${base}${at}-${count}-${time}-${by}`
}

/** The appends that keys speak of, each under its session's base, in the order in which they count. */
export function toEntries(keys: readonly string[]): Map<string, KeyedEntry[]> {
  const entries = keys.map(parseKey).filter((entry) => entry !== undefined)
  entries.sort((a, b) => a.at - b.at || a.time - b.time || (a.by < b.by ? -1 : 1))
  const sessions = new Map<string, KeyedEntry[]>()
  for (const { base, ...entry } of entries) {
    const before = sessions.get(base)
    if (before) before.push(entry)
    else sessions.set(base, [entry])
  }
  return sessions
}

const pattern = /^(sessions:[a-z0-9-]+:)(\d+)-(\d+)-(\d+)-([0-9a-f-]+)$/

function parseKey(key: string): (KeyedEntry & { readonly base: string }) | undefined {
  const [, base, at, count, time, by] = pattern.exec(key) ?? []
  if (base === undefined || by === undefined) return undefined
  return { key, base, at: Number(at), count: Number(count), time: Number(time), by }
}
