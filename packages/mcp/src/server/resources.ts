import { type Artifact, type ArtifactStore, isArtifactId } from '@capstan/core'
import { ArtifactViews, readBytes, toBase64 } from '@capstan/core/internal'
import type { ReadResourceResult } from '@modelcontextprotocol/server'
import { callerKey } from './auth.js'
import { type McpServerOptions, usualMaxReadBytes } from './options.js'

/** A caller, and what can be read here. */
interface Reading {
  readonly caller: unknown
  readonly stores: Iterable<ArtifactStore>
  readonly artifacts: CallerArtifacts
  readonly options: Pick<McpServerOptions, 'maxReadBytes'>
}

type Contents = ReadResourceResult['contents'][number]

/** What a link leads to; nothing for one that leads nowhere, or to what is not this caller's; words for what is too large. */
export async function readResource(uri: string, reading: Reading): Promise<Contents | string | undefined> {
  const id = idOf(uri)
  if (id === undefined) return undefined
  const { caller, stores, artifacts, options } = reading
  const { maxReadBytes = usualMaxReadBytes } = options
  for (const whole of stores) {
    const store = artifacts.readableOf(whole, caller)
    const found = await store.stat(id)
    if (!found) continue
    if (!(await artifacts.mayRead(found, caller))) return undefined
    if (found.bytes > maxReadBytes)
      return `"${id}" has ${found.bytes} bytes; ${maxReadBytes} are the most that can be read here.`
    const bytes = await readBytes(await store.open(id))
    const { mediaType: mimeType } = found
    return found.kind === 'text'
      ? { uri, mimeType, text: new TextDecoder().decode(bytes) }
      : { uri, mimeType, blob: toBase64(bytes) }
  }
  return undefined
}

const start = 'capstan://artifact/'

/** What an artifact is linked to by. */
export function toUri(id: string): string {
  return `${start}${id}`
}

/** The id that a link means; undefined for every other address. */
export function idOf(uri: string): string | undefined {
  const id = uri.startsWith(start) ? uri.slice(start.length) : ''
  return isArtifactId(id) ? id : undefined
}

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

/** Which artifacts each caller's calls stored, as far as this process knows. The oldest are forgotten first. */
class Readable {
  readonly #known = new Set<string>()
  readonly #most: number

  constructor(most = 100_000) {
    this.#most = most
  }

  /** What is given to a caller who cannot be told from others is nobody's. */
  add(caller: unknown, artifacts: readonly Pick<Artifact, 'id'>[]): void {
    for (const { id } of artifacts) {
      const key = keyOf(caller, id)
      if (key === undefined) return
      this.#known.delete(key)
      this.#known.add(key)
    }
    for (const key of this.#known) {
      if (this.#known.size <= this.#most) break
      this.#known.delete(key)
    }
  }

  has(caller: unknown, id: string): boolean {
    return this.#known.has(keyOf(caller, id) ?? '')
  }
}

function keyOf(caller: unknown, id: string): string | undefined {
  const owner = callerKey(caller)
  return owner === undefined ? undefined : JSON.stringify([owner, id])
}
