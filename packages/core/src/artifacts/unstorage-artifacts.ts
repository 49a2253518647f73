import { type SerialByKey, serialByKey } from '../async.js'
import { type Artifact, type ArtifactStore, isArtifact, isArtifactId } from './artifact.js'
import { describeArtifact, keepDescribed, noArtifact, readBytes, takenIn } from './memory-artifacts.js'

/** What is used of a storage of the package `unstorage`. */
export interface BytesStorage {
  getItem(key: string): Promise<unknown>
  setItem(key: string, value: string): Promise<void>
  getItemRaw(key: string): Promise<unknown>
  setItemRaw(key: string, value: Uint8Array): Promise<void>
  removeItem(key: string): Promise<void>
  /** The keys that begin with `base`. */
  getKeys(base: string): Promise<string[]>
}

/**
 * A store over a storage of the package `unstorage` (S3, R2, Redis, SQL, ...): the bytes of an artifact are the value
 * of one key, what is known of it that of another, written after the bytes: so an artifact is there whole or not at
 * all. Bytes are held in memory while they are written or read, since these storages take and give whole values.
 * Two contents with the same short id, stored at the same time, are told apart within a process. Between processes only
 * if one is stored before the other begins: these storages cannot write a key on the condition that it is free.
 */
export function unstorageArtifacts(storage: BytesStorage): ArtifactStore {
  const turn = turnOf(storage)
  const stat = async (id: string) => (await readEntry(storage, id))?.artifact
  const bytesOf = async (id: string) => toBytes(await storage.getItemRaw(bytesKey(id)))
  return {
    stat,
    async put(data, info) {
      const bytes = Uint8Array.from(await readBytes(data))
      // Storages need not write whole values: two writers of one key might leave half of each.
      const keep = <One extends Artifact>(artifact: One) =>
        turn(artifact.id, async () => {
          const there = (await stat(artifact.id)) as One | undefined
          if (there && there.sha256 !== artifact.sha256) return undefined
          // A cache may have dropped them.
          if (there && (await bytesOf(artifact.id))) return there
          await storage.setItemRaw(bytesKey(artifact.id), bytes)
          if (there) return there
          const at = performance.timeOrigin + performance.now()
          await storage.setItem(entryKey(artifact.id), JSON.stringify({ artifact, at }))
          return artifact
        })
      return keepDescribed(() => describeArtifact(bytes, info, takenIn(stat)), keep)
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
      // What is known of it goes first: then it is not there, whatever happens to its bytes.
      await storage.removeItem(entryKey(id))
      await storage.removeItem(bytesKey(id))
    },
  }
}

const turns = new WeakMap<BytesStorage, SerialByKey>()

/** Shared by all stores over a storage. */
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
  /** When it was put, in milliseconds: the order of the list. */
  readonly at: number
}

async function readEntry(storage: BytesStorage, id: string): Promise<Entry | undefined> {
  if (!isArtifactId(id)) return undefined
  const { artifact, at } = parse(await storage.getItem(entryKey(id))) ?? {}
  return isArtifact(artifact) && artifact.id === id && typeof at === 'number' ? { artifact, at } : undefined
}

/** Storages give JSON back as text or read. */
function parse(value: unknown): Partial<Entry> | undefined {
  if (typeof value !== 'string') return typeof value === 'object' ? (value ?? undefined) : undefined
  try {
    return JSON.parse(value) ?? undefined
  } catch {
    return undefined
  }
}

/** Drivers give raw values back as bytes of one kind or another. */
function toBytes(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value
  return value instanceof ArrayBuffer ? new Uint8Array(value) : undefined
}
