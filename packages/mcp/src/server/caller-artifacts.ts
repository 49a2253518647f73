import type { Artifact, ArtifactStore } from '@capstan/core'
import { ArtifactViews } from '@capstan/core/wire'
import { callerKey } from './caller-key.js'
import { Readable } from './readable.js'
import type { McpServerOptions } from './server-options.js'

/** The artifacts of each caller: a store of the caller's own, or a view of the store of what is called. */
export class CallerArtifacts {
  readonly #options: Pick<McpServerOptions, 'artifacts' | 'mayRead'>
  readonly #views = new Map<ArtifactStore, ArtifactViews>()
  readonly #readable = new Readable()

  constructor(options: Pick<McpServerOptions, 'artifacts' | 'mayRead'>) {
    this.#options = options
  }

  /** The store of a caller's run. A caller who cannot be told from others gets a view for this run alone. */
  of(store: ArtifactStore, caller: unknown): ArtifactStore {
    const { artifacts } = this.#options
    if (typeof artifacts === 'function') return artifacts(caller)
    const views = this.#views.get(store) ?? new ArtifactViews(store)
    this.#views.set(store, views)
    return views.of(callerKey(caller) ?? crypto.randomUUID())
  }

  /** The store in which a caller's requests look for an artifact: the whole of it, where `mayRead` decides. */
  readableOf(store: ArtifactStore, caller: unknown): ArtifactStore {
    const { artifacts, mayRead } = this.#options
    return mayRead && typeof artifacts !== 'function' ? store : this.of(store, caller)
  }

  /** Notes what a caller's run stored. */
  stored(artifact: Artifact, caller: unknown): void {
    this.#readable.add(caller, [artifact])
  }

  async mayRead(artifact: Artifact, caller: unknown): Promise<boolean> {
    const { artifacts, mayRead } = this.#options
    if (mayRead) return mayRead(artifact, caller)
    return typeof artifacts === 'function' || this.#readable.has(caller, artifact.id)
  }
}
