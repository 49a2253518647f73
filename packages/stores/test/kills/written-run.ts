import type { RunEntry, RunStore, StoredEvent } from '@capstan/stores'

/** Returns the entry that a writer puts after this one. Its record contains the writer of each version. */
export function entryAfter(entry: RunEntry | undefined, name: string): RunEntry {
  const writers = [...writersOf(entry), name]
  const now = writers.length
  return {
    owner: 'ada',
    agent: 'helper',
    status: 'running',
    callIds: [],
    createdAt: 1,
    updatedAt: now,
    // Large enough for a kill to cut it off.
    record: { writers, text: String(now).padStart(8).repeat(4000) },
  }
}

/** Returns the writers of all versions. @throws if the entry is not complete */
export function writersOf(entry: RunEntry | undefined): readonly string[] {
  if (!entry) return []
  const { writers, text } = entry.record as { writers: readonly string[]; text: string }
  if (text !== String(writers.length).padStart(8).repeat(4000)) throw new Error('The record is damaged.')
  return writers
}

export function eventAt(seq: number, name: string): StoredEvent {
  return {
    seq,
    by: name,
    text: String(seq)
      .padStart(8)
      .repeat(seq % 5 === 0 ? 20_000 : 20),
  }
}

export async function lastSeq(store: RunStore, runId: string): Promise<number> {
  return (await allEvents(store, runId)).at(-1)?.seq ?? -1
}

export async function allEvents(store: RunStore, runId: string): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = []
  for (;;) {
    const more = await store.read(runId, events.length - 1)
    if (more.length === 0) return events
    events.push(...more)
  }
}
