import { type Artifact, type ArtifactInfo, type ArtifactStore, prefixes, withMark } from './artifact.js'
import { contentOf, find, noArtifact } from './memory-artifacts.js'

/** An artifact's origin and parents, as its owner described them. */
type Description = Pick<ArtifactInfo, 'origin' | 'parents'>

/** An artifact that an owner has access to. */
interface Entry extends Pick<Artifact, 'id' | 'sha256'> {
  readonly owner: string
  description: Description
  /** When the owner last used the artifact, in milliseconds since 1970. */
  readonly at: number
}

/**
 * Gives each owner a separate view of one store. A view contains the artifacts that were stored through it or given to
 * its owner, and no others. Views exist only in this process. They contain at most 100,000 artifacts in total, and an
 * eighth of that per owner. The least recently used artifacts are dropped first.
 */
export class ArtifactViews {
  readonly #store: ArtifactStore
  readonly #use: StoreUse
  readonly #most: number
  /** All entries, least recently used first. */
  readonly #entries = new Set<Entry>()
  readonly #byOwner = new Map<string, Map<string, Entry>>()

  constructor(store: ArtifactStore, most = 100_000) {
    this.#store = store
    this.#use = useOf(store)
    this.#most = most
  }

  /**
   * Returns an owner's view of the store. If other views also contain an artifact, deleting it only removes it from
   * this view.
   */
  of(owner: string): ArtifactStore {
    const entryOf = (id: string) => this.#byOwner.get(owner)?.get(id)
    const describe = async (id: string) => {
      const entry = entryOf(id)
      const artifact = entry && (await this.#store.stat(id))
      return artifact && asDescribed(artifact, entry.description)
    }
    return {
      stat: async (id) => {
        this.touch(owner, id)
        return describe(id)
      },
      put: (data, info) =>
        this.#use.put(async (made) => {
          const isNew = await newnessIn(this.#store, data, info)
          const artifact = await this.#store.put(data, info)
          if (isNew(artifact)) made(artifact.id)
          return asDescribed(artifact, this.#add(owner, artifact, info).description)
        }),
      open: async (id) => {
        if (!this.touch(owner, id)) throw noArtifact(id)
        return this.#store.open(id)
      },
      list: async () => {
        const ids = [...(this.#byOwner.get(owner)?.keys() ?? [])]
        return (await Promise.all(ids.map(describe))).filter((artifact) => artifact !== undefined)
      },
      delete: async (id) => {
        const entry = entryOf(id)
        if (!entry) return
        this.#drop(entry)
        await this.#use.remove([id])
      },
    }
  }

  /** Gives an owner access to an artifact that is already in the store. */
  give(owner: string, artifact: Artifact): void {
    this.#add(owner, artifact, artifact)
  }

  /** Marks an artifact as used now. Returns false if the owner has no access to the artifact. */
  touch(owner: string, id: string): boolean {
    const entry = this.#byOwner.get(owner)?.get(id)
    if (entry) this.#add(owner, entry, entry.description)
    return entry !== undefined
  }

  /**
   * Removes artifacts that were last used before `time` from their views, and from the store if no view contains them
   * any longer. Artifacts for which `isNeeded` returns true are kept and count as used now.
   */
  async removeBefore(
    time: number,
    isNeeded: (owner: string, id: string, usedAt: number) => boolean,
  ): Promise<void> {
    const removed: string[] = []
    for (const entry of [...this.#entries]) {
      const { owner, id, description, at } = entry
      if (at >= time) break
      if (isNeeded(owner, id, at)) this.#add(owner, entry, description)
      else {
        this.#drop(entry)
        removed.push(id)
      }
    }
    await this.#use.remove(removed)
  }

  /**
   * Adds an artifact to an owner's view, or marks it as used. The owner's first description is kept; a later
   * description of the same bytes can only add an untrusted source.
   */
  #add(owner: string, { id, sha256 }: Pick<Artifact, 'id' | 'sha256'>, given: Description): Entry {
    const known = this.#byOwner.get(owner) ?? new Map<string, Entry>()
    const before = known.get(id)
    let description = withMark(before?.description ?? descriptionOf(given), given)
    // Nothing has changed if the artifact is only used again.
    if (description !== before?.description)
      for (const other of known.values()) {
        if (other.sha256 !== sha256) continue
        description = withMark(description, other.description)
        other.description = withMark(other.description, description)
      }
    const entry: Entry = { owner, id, sha256, description, at: Date.now() }
    this.#use.hold(id)
    if (before) this.#drop(before)
    this.#byOwner.set(owner, known)
    known.set(id, entry)
    this.#entries.add(entry)
    const [oldestOfOwner] = known.values()
    if (oldestOfOwner && known.size > this.#most / 8) this.#forget(oldestOfOwner)
    const [oldest] = this.#entries
    if (oldest && this.#entries.size > this.#most) this.#forget(oldest)
    return entry
  }

  #forget(entry: Entry): void {
    this.#drop(entry)
    this.#use.forget(entry.id)
  }

  #drop(entry: Entry): void {
    const known = this.#byOwner.get(entry.owner)
    known?.delete(entry.id)
    if (known?.size === 0) this.#byOwner.delete(entry.owner)
    this.#entries.delete(entry)
    this.#use.release(entry.id)
  }
}

function descriptionOf({ origin, parents }: Description): Description {
  return { ...(origin ? { origin } : {}), ...(parents ? { parents } : {}) }
}

/**
 * Returns an artifact with its owner's description. Equal bytes from two owners are one artifact in the store, and
 * neither owner may see the other's description.
 */
function asDescribed<One extends Artifact>(artifact: One, description: Description): One {
  const { origin: _, parents: __, ...rest } = artifact
  return { ...rest, ...description } as One
}

/**
 * Returns a function that tells whether the artifact that `put` returned is new. If the store already had the bytes,
 * `put` returns their first description, whose origin is a different call.
 */
async function newnessIn(
  store: ArtifactStore,
  data: Parameters<ArtifactStore['put']>[0],
  info: ArtifactInfo,
): Promise<(artifact: Artifact) => boolean> {
  const { callId, runId } = info.origin ?? {}
  if (callId !== undefined) return ({ origin }) => origin?.callId === callId && origin.runId === runId
  if (!(data instanceof Uint8Array)) return () => false
  const before = await find(prefixes[info.kind], await contentOf(data), (id) => store.stat(id))
  return () => before.kind === undefined
}

const uses = new WeakMap<ArtifactStore, StoreUse>()

function useOf(store: ArtifactStore): StoreUse {
  const use = uses.get(store) ?? new StoreUse((id) => store.delete(id))
  uses.set(store, use)
  return use
}

/** Tracks which artifacts of a store are in views, across all of the store's views in this process. */
class StoreUse {
  readonly #delete: (id: string) => Promise<void>
  readonly #views = new Map<string, number>()
  /** Artifacts that were added to the store through a view. No other artifacts are ever removed. */
  readonly #made = new Set<string>()
  readonly #unused = new Set<string>()
  #puts = 0
  #removing: Promise<unknown> | undefined

  constructor(remove: (id: string) => Promise<void>) {
    this.#delete = remove
  }

  hold(id: string): void {
    this.#views.set(id, (this.#views.get(id) ?? 0) + 1)
  }

  release(id: string): void {
    const others = (this.#views.get(id) ?? 1) - 1
    if (others > 0) this.#views.set(id, others)
    else this.#views.delete(id)
  }

  forget(id: string): void {
    if (!this.#views.has(id)) this.#made.delete(id)
  }

  /** Stores content. Removals are delayed until the content is stored, because they could remove the same content. */
  async put<T>(work: (made: (id: string) => void) => Promise<T>): Promise<T> {
    while (this.#removing) await this.#removing
    this.#puts += 1
    try {
      return await work((id) => this.#made.add(id))
    } finally {
      this.#puts -= 1
      // A failed removal is retried with the next one.
      if (this.#puts === 0 && this.#unused.size > 0) await this.remove([]).catch(() => {})
    }
  }

  /**
   * Removes the artifacts among `ids` that no view contains: immediately, or after any puts in progress have finished.
   */
  async remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) if (this.#made.has(id)) this.#unused.add(id)
    while (this.#removing) await this.#removing
    if (this.#puts > 0 || this.#unused.size === 0) return
    const removed = Promise.all(Array.from(this.#unused, (id) => this.#removeUnused(id)))
    this.#removing = removed
      .catch(() => {})
      .finally(() => {
        this.#removing = undefined
      })
    await removed
  }

  async #removeUnused(id: string): Promise<void> {
    if (!this.#views.has(id)) {
      await this.#delete(id)
      this.#made.delete(id)
    }
    this.#unused.delete(id)
  }
}
