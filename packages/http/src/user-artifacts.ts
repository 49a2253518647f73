import type { AnyAgent, Artifact, ArtifactStore, RunInput } from '@capstan/core'
import { ArtifactViews, toJsonText } from '@capstan/core/internal'
import type { HandlerOptions, User } from './options.js'
import { ownedKey } from './owned-cache.js'
import type { ParkedRuns } from './pending-runs.js'

/** A run, as far as it decides which artifacts are needed. */
interface ArtifactUser {
  readonly agent: AnyAgent
  readonly input: RunInput
  readonly session?: string | undefined
}

type Options = Pick<HandlerOptions, 'artifacts' | 'keepArtifactsMs' | 'mayRead'>

/** The artifacts of each user: a store of the user's own, or a view of the agent's store. */
export class UserArtifacts {
  readonly #options: Options
  readonly #parked: Pick<ParkedRuns, 'textsOf'>
  readonly #views = new Map<ArtifactStore, ArtifactViews>()
  /** The times from which runs that go on, or can still be read, need what their user has used. */
  readonly #runs = new Map<string, Set<{ readonly since: number }>>()
  #timer: ReturnType<typeof setTimeout> | undefined

  /** @throws TypeError for options that cannot be kept together */
  constructor(options: Options, parked: Pick<ParkedRuns, 'textsOf'>) {
    const { artifacts, keepArtifactsMs } = options
    if (artifacts && keepArtifactsMs !== undefined)
      throw new TypeError('agentHandler removes nothing from stores of yours: leave `keepArtifactsMs` out.')
    if (keepArtifactsMs !== undefined && !(keepArtifactsMs > 0))
      throw new TypeError(`keepArtifactsMs must be a positive number, not ${keepArtifactsMs}.`)
    this.#options = options
    this.#parked = parked
  }

  /** The store of a user's runs. */
  of({ artifacts }: AnyAgent, user: User): ArtifactStore {
    return this.#options.artifacts?.(user) ?? this.#viewsOf(artifacts.store).of(user.id)
  }

  /** The store in which a user's requests look for an artifact: the agent's own, where `mayRead` decides. */
  readableOf(agent: AnyAgent, user: User): ArtifactStore {
    const { artifacts, mayRead } = this.#options
    return mayRead && !artifacts ? agent.artifacts.store : this.of(agent, user)
  }

  /** Makes an artifact that a user may read known to the user's runs. */
  give({ artifacts }: AnyAgent, user: User, artifact: Artifact): void {
    if (!this.#options.artifacts) this.#viewsOf(artifacts.store).give(user.id, artifact)
  }

  /**
   * Keeps the artifacts that a run needs until the returned function is called: those that its input names, and those
   * that are stored or looked at from now on. A kept conversation may name any artifact of its user.
   */
  use({ agent, input, session }: ArtifactUser, { id: owner }: User): () => void {
    if (this.#options.keepArtifactsMs === undefined) return () => {}
    const run = { since: session === undefined ? Date.now() : 0 }
    const runs = this.#runs.get(owner) ?? new Set()
    this.#runs.set(owner, runs.add(run))
    const views = this.#viewsOf(agent.artifacts.store)
    for (const id of idsIn([toJsonText(input)])) views.touch(owner, id)
    this.#removeLater()
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

  #removeLater(): void {
    const { keepArtifactsMs } = this.#options
    if (keepArtifactsMs === undefined || this.#timer !== undefined) return
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined
        // A store that fails is asked again the next time.
        this.#removeThenWait(Date.now() - keepArtifactsMs).catch(() => {})
      },
      Math.min(keepArtifactsMs, longestTimeout),
    )
    // A program that is done need not wait for this.
    if (typeof this.#timer === 'object') this.#timer.unref()
  }

  async #removeThenWait(before: number): Promise<void> {
    try {
      await this.#remove(before)
    } finally {
      this.#removeLater()
    }
  }

  async #remove(before: number): Promise<void> {
    const waiting = new Map<string, ReadonlySet<string>>()
    const isNeeded = (owner: string, id: string, usedAt: number) => {
      for (const { since } of this.#runs.get(owner) ?? []) if (usedAt >= since) return true
      const ids = waiting.get(owner) ?? idsIn(this.#parked.textsOf(owner))
      waiting.set(owner, ids)
      return ids.has(id)
    }
    await Promise.all(Array.from(this.#views.values(), (views) => views.removeBefore(before, isNeeded)))
  }
}

const longestTimeout = 2 ** 31 - 1

/** Everything of the form of an artifact id. */
function idsIn(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => text.match(/(?:img|aud|txt|file)_[a-z2-7]{8,52}/g) ?? []))
}

/** Which artifacts each user has to do with, as far as this process knows. The oldest are forgotten first. */
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
