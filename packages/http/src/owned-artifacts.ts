import type { Artifact, ArtifactInfo, Json } from '@capstan/core'
import { isRecord } from '@capstan/core/internal'
import type { RunStore } from '@capstan/stores'
import { ownedKey } from './owned-cache.js'

/** The origin and parents of an artifact, as stored for its owner. */
type Description = Pick<ArtifactInfo, 'origin' | 'parents'>

/**
 * Tracks which artifacts each user may read. This process remembers a limited number of them, and looks up the others
 * in the run store.
 */
export class OwnedArtifacts {
  readonly #store: RunStore
  readonly #known = new Set<string>()
  readonly #most: number

  constructor(store: RunStore, most = 100_000) {
    this.#store = store
    this.#most = most
  }

  /** Gives a user access to an artifact. After the promise resolves, the user also has access in other processes. */
  async add(owner: string, { id, origin, parents }: Artifact): Promise<void> {
    const isNew = this.#remember(owner, id)
    if (!isNew || this.#store.isVolatile) return
    const description = { ...(origin && { origin }), ...(parents && { parents }) }
    await this.#store.setOnce(await keyOf(owner, id), description as unknown as Json)
  }

  /** Whether a user may read an artifact. Checks the artifacts that this process knows, then the run store. */
  async has(owner: string, id: string): Promise<boolean> {
    return this.#known.has(ownedKey(owner, id)) || (await this.recall(owner, id)) !== undefined
  }

  /** Returns the description that a process has stored for the user's artifact. Undefined if there is none. */
  async recall(owner: string, id: string): Promise<Description | undefined> {
    if (this.#store.isVolatile) return undefined
    const description = await this.#store.find(await keyOf(owner, id))
    if (!isRecord(description)) return undefined
    this.#remember(owner, id)
    return description
  }

  /** Records a user's artifact. Returns whether it is new. Above the limit, the oldest artifact is forgotten. */
  #remember(owner: string, id: string): boolean {
    const key = ownedKey(owner, id)
    const isNew = !this.#known.delete(key)
    this.#known.add(key)
    const [oldest] = this.#known
    if (oldest !== undefined && this.#known.size > this.#most) this.#known.delete(oldest)
    return isNew
  }
}

/**
 * Returns the key of a user's artifact in the run store. The user id is hashed, because it may have any length and any
 * characters.
 */
async function keyOf(owner: string, id: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(owner))
  const hex = Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `artifact/${id}/${hex}`
}
