import type { AnyAgent, Artifact, ArtifactStore, RunInput } from '@capstan/core'
import { ArtifactViews, toJsonText } from '@capstan/core/internal'
import type { HandlerOptions, User } from './options.js'
import { ownedKey } from './owned-cache.js'
import type { PendingRuns } from './pending-runs.js'

/** The fields of a run that determine which artifacts it needs. */
interface ArtifactUsage {
  readonly agent: AnyAgent
  readonly input: RunInput
  readonly session?: string | undefined
}

type Options = Pick<HandlerOptions, 'artifacts' | 'keepArtifactsMs' | 'mayRead'>

/** The artifacts of each user: the user's own store, or a view of the agent's store. */
export class UserArtifacts {
  readonly #options: Options
  readonly #pendingRuns: Pick<PendingRuns, 'jsonOf'>
  readonly #views = new Map<ArtifactStore, ArtifactViews>()
  /**
   * Start times of the runs that are active or still readable, by user. They need what their user has used
   * since.
   */
  readonly #runs = new Map<string, Set<{ readonly since: number }>>()
  #timer: ReturnType<typeof setTimeout> | undefined

  /** @throws TypeError for options that exclude each other */
  constructor(options: Options, pendingRuns: Pick<PendingRuns, 'jsonOf'>) {
    const { artifacts, keepArtifactsMs } = options
    if (artifacts && keepArtifactsMs !== undefined)
      throw new TypeError(
        '`keepArtifactsMs` cannot be combined with `artifacts`: agentHandler removes nothing from your stores.',
      )
    if (keepArtifactsMs !== undefined && !(keepArtifactsMs > 0))
      throw new TypeError(`keepArtifactsMs must be a positive number, not ${keepArtifactsMs}.`)
    this.#options = options
    this.#pendingRuns = pendingRuns
  }

  /** Returns the store of a user's runs. */
  storeOf({ artifacts }: AnyAgent, user: User): ArtifactStore {
    return this.#options.artifacts?.(user) ?? this.#viewsOf(artifacts).of(user.id)
  }

  /** Returns the store that a user's requests read: the agent's own if `mayRead` decides. */
  readableOf(agent: AnyAgent, user: User): ArtifactStore {
    const { artifacts, mayRead } = this.#options
    return mayRead && !artifacts ? agent.artifacts : this.storeOf(agent, user)
  }

  /** Adds an artifact that a user may read to the user's view. */
  share({ artifacts }: AnyAgent, user: User, artifact: Artifact): void {
    if (!this.#options.artifacts) this.#viewsOf(artifacts).give(user.id, artifact)
  }

  /**
   * Keeps the artifacts that a run needs until the returned function is called: those that its input names,
   * and those that are stored or read from now on. A stored conversation may name any artifact of its user.
   */
  keepFor({ agent, input, session }: ArtifactUsage, { id: owner }: User): () => void {
    if (this.#options.keepArtifactsMs === undefined) return () => {}
    const run = { since: session === undefined ? Date.now() : 0 }
    const runs = this.#runs.get(owner) ?? new Set()
    this.#runs.set(owner, runs.add(run))
    const views = this.#viewsOf(agent.artifacts)
    for (const id of findArtifactIds([toJsonText(input)])) views.touch(owner, id)
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
    const waiting = new Map<string, ReadonlySet<string>>()
    const isNeeded = (owner: string, id: string, usedAt: number) => {
      for (const { since } of this.#runs.get(owner) ?? []) if (usedAt >= since) return true
      const ids = waiting.get(owner) ?? findArtifactIds(this.#pendingRuns.jsonOf(owner))
      waiting.set(owner, ids)
      return ids.has(id)
    }
    await Promise.all(Array.from(this.#views.values(), (views) => views.removeBefore(before, isNeeded)))
  }
}

const longestTimeout = 2 ** 31 - 1

/** Returns every artifact id in the texts. */
function findArtifactIds(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => text.match(/(?:img|aud|txt|file)_[a-z2-7]{8,52}/g) ?? []))
}

/** The artifacts that each user may read, as far as this process knows. The oldest are evicted first. */
export class ReadableArtifacts {
  readonly #known = new Set<string>()
  readonly #most: number

  constructor(most = 100_000) {
    this.#most = most
  }

  add(owner: string, artifacts: readonly Artifact[]): void {
    for (const { id } of artifacts) {
      const key = ownedKey(owner, id)
      this.#known.delete(key)
      this.#known.add(key)
    }
    for (const key of this.#known) {
      if (this.#known.size <= this.#most) break
      this.#known.delete(key)
    }
  }

  has(owner: string, id: string): boolean {
    return this.#known.has(ownedKey(owner, id))
  }
}
