import { type Artifact, type ArtifactStore, isArtifactId } from '@capstan/core'
import { ArtifactViews, readBytes, toBase64 } from '@capstan/core/internal'
import type { ReadResourceResult } from '@modelcontextprotocol/server'
import { callerKey } from './auth.js'
import { defaultMaxReadBytes, type McpServerOptions } from './options.js'

interface ResourceAccess {
  readonly caller: unknown
  readonly stores: Iterable<ArtifactStore>
  readonly artifacts: CallerArtifacts
  readonly options: Pick<McpServerOptions, 'maxReadBytes'>
}

type Contents = ReadResourceResult['contents'][number]

/**
 * Reads a linked artifact. Returns undefined if this caller may not read the artifact, and an error message if the
 * artifact is too large.
 */
export async function readResource(
  uri: string,
  access: ResourceAccess,
): Promise<Contents | string | undefined> {
  const id = parseUri(uri)
  if (id === undefined) return undefined
  const { caller, stores, artifacts, options } = access
  const { maxReadBytes = defaultMaxReadBytes } = options
  for (const whole of stores) {
    const store = artifacts.readableOf(whole, caller)
    const found = await store.stat(id)
    if (!found) continue
    if (!(await artifacts.mayRead(found, caller))) return undefined
    if (found.size > maxReadBytes)
      return `"${id}" has ${found.size} bytes. The limit is ${maxReadBytes} bytes.`
    const bytes = await readBytes(await store.open(id))
    const { mediaType: mimeType } = found
    return found.kind === 'text'
      ? { uri, mimeType, text: new TextDecoder().decode(bytes) }
      : { uri, mimeType, blob: toBase64(bytes) }
  }
  return undefined
}

const start = 'capstan://artifact/'

/** Returns the URI under which clients can read an artifact. */
export function toUri(id: string): string {
  return `${start}${id}`
}

/** Returns the artifact id in a link. Undefined for a URI that is not from `toUri`. */
export function parseUri(uri: string): string | undefined {
  const id = uri.startsWith(start) ? uri.slice(start.length) : ''
  return isArtifactId(id) ? id : undefined
}

/**
 * Gives each caller a store for artifacts: the one from the `artifacts` option, or a view of the served tool's store.
 */
export class CallerArtifacts {
  readonly #options: Pick<McpServerOptions, 'artifacts' | 'mayRead'>
  readonly #views = new Map<ArtifactStore, ArtifactViews>()
  readonly #readable = new ReadableArtifacts()

  constructor(options: Pick<McpServerOptions, 'artifacts' | 'mayRead'>) {
    this.#options = options
  }

  /** Returns the store for a caller's run. A caller without a key gets a view that is used for this run only. */
  of(store: ArtifactStore, caller: unknown): ArtifactStore {
    const { artifacts } = this.#options
    if (typeof artifacts === 'function') return artifacts(caller)
    const views = this.#views.get(store) ?? new ArtifactViews(store)
    this.#views.set(store, views)
    return views.of(callerKey(caller) ?? crypto.randomUUID())
  }

  /**
   * Returns the store that a caller's requests read from. If `mayRead` decides about each artifact, this is the entire
   * store.
   */
  readableOf(store: ArtifactStore, caller: unknown): ArtifactStore {
    const { artifacts, mayRead } = this.#options
    return mayRead && typeof artifacts !== 'function' ? store : this.of(store, caller)
  }

  /** Records an artifact that a caller's run stored. */
  stored(artifact: Artifact, caller: unknown): void {
    this.#readable.add(caller, [artifact])
  }

  async mayRead(artifact: Artifact, caller: unknown): Promise<boolean> {
    const { artifacts, mayRead } = this.#options
    if (mayRead) return mayRead(artifact, caller)
    return typeof artifacts === 'function' || this.#readable.has(caller, artifact.id)
  }
}

/** Records which artifacts each caller's calls have stored in this process. Above a limit, forgets the oldest ones. */
class ReadableArtifacts {
  readonly #known = new Set<string>()
  readonly #most: number

  constructor(most = 100_000) {
    this.#most = most
  }

  /** Adds artifacts for a caller. Does nothing for a caller without a key. */
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
