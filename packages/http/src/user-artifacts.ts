import type { AnyAgent, Artifact, ArtifactStore, RunInput } from '@capstan/core'
import { ArtifactViews, toJsonText } from '@capstan/core/internal'
import type { RunStore } from '@capstan/stores'
import type { HandlerOptions, User } from './options.js'
import { OwnedArtifacts } from './owned-artifacts.js'
import { eachRun } from './runs/store.js'

/** The fields of a run that determine which artifacts it needs. */
interface ArtifactUsage {
  readonly agent: AnyAgent
  readonly input: RunInput
  readonly session?: string | undefined
}

type Options = Pick<HandlerOptions, 'artifacts' | 'keepArtifactsMs' | 'mayRead'>

/** Gives each user a store for artifacts: the one from the `artifacts` option, or a view of the agent's store. */
export class UserArtifacts {
  readonly #options: Options
  readonly #store: RunStore
  readonly #owned: OwnedArtifacts
  readonly #views = new Map<ArtifactStore, ArtifactViews>()
  /**
   * Start times of the runs that are active or still readable, by user. Such a run needs every artifact that its user
   * has used since the run started.
   */
  readonly #runs = new Map<string, Set<{ readonly since: number }>>()
  #timer: ReturnType<typeof setTimeout> | undefined

  /**
   * Checks the options.
   * @throws TypeError if `keepArtifactsMs` is invalid or is combined with `artifacts`
   */
  constructor(options: Options, store: RunStore) {
    const { artifacts, keepArtifactsMs } = options
    if (artifacts && keepArtifactsMs !== undefined)
      throw new TypeError(
        '`keepArtifactsMs` cannot be combined with `artifacts`: agentHandler removes nothing from your stores. Omit it.',
      )
    if (keepArtifactsMs !== undefined && !(keepArtifactsMs > 0))
      throw new TypeError(`keepArtifactsMs must be a positive number, not ${keepArtifactsMs}.`)
    this.#options = options
    this.#store = store
    this.#owned = new OwnedArtifacts(store)
  }

  /** Returns the artifact store for a user's runs. */
  storeOf({ artifacts }: AnyAgent, user: User): ArtifactStore {
    return this.#options.artifacts?.(user) ?? this.#viewOf(artifacts, user)
  }

  /** Returns a user's view, including artifacts that other processes have stored. */
  #viewOf(artifacts: ArtifactStore, { id: owner }: User): ArtifactStore {
    const views = this.#viewsOf(artifacts)
    const view = views.of(owner)
    if (this.#store.isVolatile) return view
    const recall = async (id: string) => {
      const description = await this.#owned.recall(owner, id)
      const { origin: _, parents: __, ...artifact } = (description && (await artifacts.stat(id))) ?? {}
      if (!('id' in artifact)) return false
      views.give(owner, { ...artifact, ...description })
      return true
    }
    return {
      ...view,
      stat: async (id) => (await view.stat(id)) ?? ((await recall(id)) ? view.stat(id) : undefined),
      open: async (id) => {
        if (!(await view.stat(id))) await recall(id)
        return view.open(id)
      },
      put: async (data, info) => {
        const artifact = await view.put(data, info)
        await this.#owned.add(owner, artifact)
        return artifact
      },
    }
  }

  /**
   * Returns the store that a user's requests read from: the agent's own store if `mayRead` decides about each artifact.
   */
  readableOf(agent: AnyAgent, user: User): ArtifactStore {
    const { artifacts, mayRead } = this.#options
    return mayRead && !artifacts ? agent.artifacts : this.storeOf(agent, user)
  }

  /** Adds an artifact to the view of a user who may read it. */
  share({ artifacts }: AnyAgent, user: User, artifact: Artifact): void {
    if (!this.#options.artifacts) this.#viewsOf(artifacts).give(user.id, artifact)
  }

  /** Lets a user read an artifact over HTTP, in this and other processes. */
  async keepReadable({ id: owner }: User, artifact: Artifact): Promise<void> {
    await this.#owned.add(owner, artifact)
  }

  /** Whether a user may read an artifact over HTTP. */
  async canRead({ id: owner }: User, { id }: Artifact): Promise<boolean> {
    return this.#owned.has(owner, id)
  }

  /**
   * Keeps the artifacts that a run needs until the returned function is called. These are the artifacts in its input,
   * and all artifacts that are stored or read from now on. A run in a session needs all of its user's artifacts,
   * because the stored conversation may refer to any of them.
   */
  keepFor({ agent, input, session }: ArtifactUsage, { id: owner }: User): () => void {
    if (this.#options.keepArtifactsMs === undefined) return () => {}
    const run = { since: session === undefined ? Date.now() : 0 }
    const runs = this.#runs.get(owner) ?? new Set()
    this.#runs.set(owner, runs.add(run))
    const views = this.#viewsOf(agent.artifacts)
    for (const id of findArtifactIds(toJsonText(input))) views.touch(owner, id)
    this.#scheduleRemoval()
    return () => {
      runs.delete(run)
      if (runs.size === 0 && this.#runs.get(owner) === runs) this.#runs.delete(owner)
    }
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #viewsOf(store: ArtifactStore): ArtifactViews {
    const views = this.#views.get(store) ?? new ArtifactViews(store)
    this.#views.set(store, views)
    return views
  }

  #scheduleRemoval(): void {
    const { keepArtifactsMs } = this.#options
    if (keepArtifactsMs === undefined || this.#timer !== undefined) return
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined
        // If the store fails, the next removal tries again.
        this.#removeAndReschedule(Date.now() - keepArtifactsMs).catch(() => {})
      },
      Math.min(keepArtifactsMs, longestTimeout),
    )
    // The timer must not keep the process alive.
    if (typeof this.#timer === 'object') this.#timer.unref()
  }

  async #removeAndReschedule(before: number): Promise<void> {
    try {
      await this.#remove(before)
    } finally {
      this.#scheduleRemoval()
    }
  }

  async #remove(before: number): Promise<void> {
    const waiting = await this.#neededByPending()
    const isNeeded = (owner: string, id: string, usedAt: number) => {
      for (const { since } of this.#runs.get(owner) ?? []) if (usedAt >= since) return true
      return waiting.get(owner)?.has(id) ?? false
    }
    await Promise.all(Array.from(this.#views.values(), (views) => views.removeBefore(before, isNeeded)))
  }

  /** Returns the ids of the artifacts that pending runs refer to, by owner. */
  async #neededByPending(): Promise<ReadonlyMap<string, Set<string>>> {
    const needed = new Map<string, Set<string>>()
    for await (const { entry } of eachRun(this.#store, { status: 'pending' })) {
      const ids = needed.get(entry.owner) ?? new Set()
      needed.set(entry.owner, ids)
      for (const id of findArtifactIds(toJsonText(entry.record))) ids.add(id)
    }
    return needed
  }
}

const longestTimeout = 2 ** 31 - 1

/** Returns every artifact id in text. */
function findArtifactIds(text: string): ReadonlySet<string> {
  return new Set(text.match(/(?:img|aud|txt|file)_[a-z2-7]{8,52}/g))
}
