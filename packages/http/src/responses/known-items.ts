import { jsonLength, OwnedCache, ownedKey } from '../owned-cache.js'

interface OutputItem {
  readonly id: string
}

interface Entry {
  readonly owner: string
  readonly item: OutputItem
}

/**
 * Stores items of recent responses, up to a byte limit. Some clients send back only an item's id, because other servers
 * store responses.
 */
export class KnownItems {
  readonly #entries = new Map<string, Entry>()
  readonly #cache: OwnedCache<Entry>

  constructor(maxBytes = 16 * 2 ** 20) {
    this.#cache = new OwnedCache(maxBytes, ({ owner, item }) =>
      this.#entries.delete(ownedKey(owner, item.id)),
    )
  }

  add(owner: string, items: readonly OutputItem[]): void {
    for (const item of items) {
      const entry = { owner, item }
      this.#entries.set(ownedKey(owner, item.id), entry)
      this.#cache.add(entry, jsonLength(item))
    }
  }

  /** Returns the owner's item with this id. Undefined if it is unknown or was evicted. */
  find(owner: string, id: string): Readonly<Record<string, unknown>> | undefined {
    return this.#entries.get(ownedKey(owner, id))?.item as Readonly<Record<string, unknown>> | undefined
  }
}
