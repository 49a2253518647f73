import { type SerialByKey, serialByKey } from '../async.js'
import { checkRequiredOption } from '../option-names.js'
import { type Artifact, type ArtifactStore, isArtifact, isArtifactId, withMark } from './artifact.js'
import { contentOf, keepDescribed, noArtifact, readBytes } from './memory-artifacts.js'

/** The methods of a storage from the `unstorage` package that the store calls. */
export interface BytesStorage {
  getItem(key: string): Promise<unknown>
  setItem(key: string, value: string): Promise<void>
  getItemRaw(key: string): Promise<unknown>
  setItemRaw(key: string, value: Uint8Array): Promise<void>
  removeItem(key: string): Promise<void>
  /** Returns the keys that start with `base`. */
  getKeys(base: string): Promise<string[]>
}

/** The kind of value that the `storage` option accepts. */
export const isStorage = [
  'createStorage() of unstorage',
  (value: unknown) => typeof Object(value).getKeys === 'function',
] as const

/**
 * Creates an artifact store over a storage from the `unstorage` package (S3, R2, Redis, SQL, ...). One key contains an
 * artifact's bytes; a second key, written after it, contains the description, so an artifact is either complete or
 * missing. An artifact's bytes are held in memory while it is read or written, because `unstorage` drivers only handle
 * entire values. Within one process, different contents never get the same id. Across processes, this holds only if one
 * write has finished before the other starts, because drivers have no conditional writes.
 */
export function unstorageArtifacts(storage: BytesStorage): ArtifactStore {
  checkRequiredOption({ storage }, { storage: isStorage }, { of: 'unstorageArtifacts', required: 'storage' })
  const turn = turnOf(storage)
  const stat = async (id: string) => (await readEntry(storage, id))?.artifact
  const bytesOf = async (id: string) => toBytes(await storage.getItemRaw(bytesKey(id)))
  return {
    stat,
    async put(data, info) {
      const bytes = Uint8Array.from(await readBytes(data))
      // Drivers may write a value in parts, so two writers of one key could leave half of each value.
      const keep = <One extends Artifact>(artifact: One) =>
        turn(artifact.id, async () => {
          const entry = await readEntry(storage, artifact.id)
          const there = entry?.artifact as One | undefined
          if (there && there.sha256 !== artifact.sha256) return undefined
          // A cache may have dropped the bytes.
          if (!there || !(await bytesOf(artifact.id))) await storage.setItemRaw(bytesKey(artifact.id), bytes)
          const kept = withMark(there ?? artifact, artifact)
          const at = entry?.at ?? performance.timeOrigin + performance.now()
          if (kept !== there)
            await storage.setItem(entryKey(artifact.id), JSON.stringify({ artifact: kept, at }))
          return kept
        })
      return keepDescribed(await contentOf(bytes), info, { stat, keep })
    },
    async open(id) {
      const entry = await readEntry(storage, id)
      const bytes = entry && (await bytesOf(id))
      if (!bytes) throw noArtifact(id)
      return new Blob([bytes as Uint8Array<ArrayBuffer>]).stream()
    },
    async list() {
      const keys = await storage.getKeys(entries)
      const found = await Promise.all(keys.map((key) => readEntry(storage, key.slice(entries.length))))
      const all = found.filter((entry) => entry !== undefined)
      return all.sort((a, b) => a.at - b.at).map(({ artifact }) => artifact)
    },
    async delete(id) {
      if (!isArtifactId(id)) return
      // The description is removed first, so that the artifact is missing even if its bytes cannot be removed.
      await storage.removeItem(entryKey(id))
      await storage.removeItem(bytesKey(id))
    },
  }
}

const turns = new WeakMap<BytesStorage, SerialByKey>()

/** Returns the queue that all stores over the same storage share. */
function turnOf(storage: BytesStorage): SerialByKey {
  const turn = turns.get(storage) ?? serialByKey()
  turns.set(storage, turn)
  return turn
}

const entries = 'artifacts:'

function entryKey(id: string): string {
  return `${entries}${id}`
}

function bytesKey(id: string): string {
  return `artifact-bytes:${id}`
}

interface Entry {
  readonly artifact: Artifact
  /** When the artifact was first stored, in milliseconds since 1970. Used to sort `list`. */
  readonly at: number
}

async function readEntry(storage: BytesStorage, id: string): Promise<Entry | undefined> {
  if (!isArtifactId(id)) return undefined
  const { artifact, at } = parse(await storage.getItem(entryKey(id))) ?? {}
  return isArtifact(artifact) && artifact.id === id && typeof at === 'number' ? { artifact, at } : undefined
}

/**
 * Parses a stored value: some drivers return JSON as a string, others return the parsed value. Undefined if the value
 * is not valid JSON.
 */
function parse(value: unknown): Partial<Entry> | undefined {
  if (typeof value !== 'string') return typeof value === 'object' ? (value ?? undefined) : undefined
  try {
    return JSON.parse(value) ?? undefined
  } catch {
    return undefined
  }
}

/** Converts a raw value to bytes, because drivers return different types. Undefined for any other type. */
function toBytes(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value
  return value instanceof ArrayBuffer ? new Uint8Array(value) : undefined
}
