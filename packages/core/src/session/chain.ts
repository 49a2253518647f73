/** One append, as a store keeps it. */
export interface Entry {
  /** How many messages were stored before it. */
  readonly at: number
  /** How many it adds. */
  readonly count: number
  /** Whose append it is: random. */
  readonly by: string
  /** When it was made, in milliseconds since 1970. */
  readonly time: number
}

/** What a session consists of. */
export interface Chain<E> {
  readonly taken: readonly E[]
  /** How many messages are stored. */
  readonly version: number
  /** An entry that stands on messages which are not there. */
  readonly loose?: E
}

/**
 * The entries that make up a session: each that begins where those before it end. Of two with the same beginning the
 * first counts; the other lost, and whoever wrote it knows.
 */
export function toChain<E extends Entry>(entries: Iterable<E>, start = 0): Chain<E> {
  const taken: E[] = []
  let version = start
  for (const entry of entries) {
    if (entry.at > version) return { taken, version, loose: entry }
    if (entry.at < version) continue
    taken.push(entry)
    version += entry.count
  }
  return { taken, version }
}
