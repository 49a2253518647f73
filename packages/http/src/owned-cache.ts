interface OwnedEntry {
  readonly owner: string
}

/**
 * A cache with a byte limit. It first evicts the oldest entries of an owner who uses more than 1/8 of the limit, then
 * the oldest entries of all owners.
 */
export class OwnedCache<Entry extends OwnedEntry> {
  /** The bytes of each entry, oldest first. */
  readonly #bytes = new Map<Entry, number>()
  readonly #shares = new Map<string, Share<Entry>>()
  readonly #maxBytes: number
  readonly #onEvict: (entry: Entry) => void
  #total = 0

  /** `onEvict` is called for each entry that leaves the cache. */
  constructor(maxBytes: number, onEvict: (entry: Entry) => void) {
    this.#maxBytes = maxBytes
    this.#onEvict = onEvict
  }

  /** Adds an entry and evicts older ones. The newest entry stays even if it alone exceeds the limit. */
  add(entry: Entry, given: number): void {
    this.delete(entry)
    const bytes = given + entryOverheadBytes
    const share = this.#shares.get(entry.owner) ?? { bytes: 0, entries: new Set() }
    this.#shares.set(entry.owner, share)
    share.entries.add(entry)
    share.bytes += bytes
    this.#bytes.set(entry, bytes)
    this.#total += bytes
    for (const one of share.entries) {
      if (one === entry || share.bytes <= this.#maxBytes / 8) break
      this.delete(one)
    }
    for (const one of this.#bytes.keys()) {
      if (one === entry || this.#total <= this.#maxBytes) break
      this.delete(one)
    }
  }

  delete(entry: Entry): void {
    const { owner } = entry
    const bytes = this.#bytes.get(entry)
    const share = this.#shares.get(owner)
    if (bytes === undefined || !share) return
    this.#bytes.delete(entry)
    this.#total -= bytes
    share.entries.delete(entry)
    share.bytes -= bytes
    if (share.entries.size === 0) this.#shares.delete(owner)
    this.#onEvict(entry)
  }

  clear(): void {
    for (const entry of this.#bytes.keys()) this.delete(entry)
  }
}

/** One owner's entries, and how many bytes they use. */
interface Share<Entry> {
  bytes: number
  /** Oldest first. */
  readonly entries: Set<Entry>
}

/** Bytes added to each entry's size, so that many small entries also fill the cache. */
const entryOverheadBytes = 1024

/** Returns the length of a value as JSON. A value that JSON cannot represent counts as 8 MiB. */
export function jsonLength(value: unknown): number {
  try {
    return JSON.stringify(value)?.length ?? 0
  } catch {
    return 8 * 2 ** 20
  }
}

/** Combines owner and id into one key. It is JSON, so that different pairs never have the same key. */
export function ownedKey(owner: string, id: string): string {
  return JSON.stringify([owner, id])
}
