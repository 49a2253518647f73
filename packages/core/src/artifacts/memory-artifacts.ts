import { fromUtf8 } from '../bytes.js'
import { CapstanError } from '../errors.js'
import { toHex } from '../json.js'
import {
  type Artifact,
  type ArtifactInfo,
  type ArtifactKind,
  type ArtifactStore,
  type LateInfo,
  lateFacts,
  prefixes,
  type ReadableArtifact,
  withMark,
} from './artifact.js'

/** Creates a store in this process's memory. An agent without the `artifacts` option uses such a store. */
export function memoryArtifacts(): ArtifactStore {
  const entries = new Map<string, { artifact: Artifact; bytes: Uint8Array }>()
  const stat = async (id: string) => entries.get(id)?.artifact
  return {
    async put(data, info) {
      const bytes = Uint8Array.from(await readBytes(data))
      return keepDescribed(await contentOf(bytes), info, {
        stat,
        async keep(artifact) {
          const there = entries.get(artifact.id) ?? { artifact, bytes }
          if (there.artifact.sha256 !== artifact.sha256) return undefined
          const kept = withMark(there.artifact, artifact) as typeof artifact
          entries.set(artifact.id, { ...there, artifact: kept })
          return kept
        },
      })
    },
    async open(id) {
      const entry = entries.get(id)
      if (!entry) throw noArtifact(id)
      return new Blob([entry.bytes as Uint8Array<ArrayBuffer>]).stream()
    },
    stat,
    list: async () => Array.from(entries.values(), ({ artifact }) => artifact),
    async delete(id) {
      entries.delete(id)
    },
  }
}

/** Returns the `not_found` error for an id that a store does not contain. The error's message is written for models. */
export function noArtifact(id: string): CapstanError {
  const message = `Unknown artifact "${id}". Use the exact id of a result or attachment.`
  return new CapstanError('not_found', message, { evidence: { id } })
}

/**
 * Returns the artifact that describes bytes, without storing them. The artifact's id is the kind's prefix and the first
 * characters of the content's hash: eight, or more if different content would have the same id.
 */
export async function describeArtifact<Kind extends ArtifactKind>(
  bytes: Uint8Array,
  info: ArtifactInfo<Kind>,
  isTaken: IsTaken,
): Promise<Artifact<Kind>> {
  const content = await contentOf(bytes)
  const { sha256 } = content
  const whole = `${prefixes[info.kind]}_${toBase32(sha256)}`
  const stat = async (id: string) =>
    id !== whole && (await isTaken(id, sha256)) ? { id, sha256: '' } : undefined
  return described(content, info, stat)
}

/** Whether an id already belongs to different content. */
type IsTaken = (id: string, sha256: string) => boolean | Promise<boolean>

/** The hash and size that identify content. */
export type Content = Pick<Artifact, 'sha256' | 'size'>

/** Returns the hash and size of bytes. */
export async function contentOf(bytes: Uint8Array): Promise<Content> {
  const digest = await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)
  return { size: bytes.byteLength, sha256: toHex(new Uint8Array(digest)) }
}

/** The functions of a store that `keepDescribed` calls. */
interface Keeping {
  readonly stat: Stat<Artifact>
  /**
   * Stores an artifact, or adds its untrusted source to the stored one. Returns undefined if different content has
   * taken the id in the meantime.
   */
  keep<One extends Artifact>(artifact: One): Promise<One | undefined>
}

/**
 * Describes and stores an artifact. If different content has taken the artifact's id, uses a longer id. Artifacts of
 * other kinds with the same bytes get the same untrusted source.
 */
export async function keepDescribed<Kind extends ArtifactKind>(
  content: Content,
  info: ArtifactInfo<Kind>,
  store: Keeping,
): Promise<Artifact<Kind>> {
  const { stat, keep } = store
  const kept = await keep(await described(content, info, stat))
  if (!kept) return keepDescribed(content, info, store)
  // Checked after storing, so that of two concurrent puts, at least the later one finds the other.
  const same = await Promise.all(Object.values(prefixes).map((prefix) => find(prefix, content, stat)))
  const marked = same.find(({ origin }) => origin?.taintedBy) ?? kept
  for (const one of same) if (one.kind && withMark(one, marked) !== one) await keep(withMark(one, marked))
  return withMark(kept, marked)
}

async function described<Kind extends ArtifactKind>(
  content: Content,
  info: ArtifactInfo<Kind>,
  stat: Stat<Artifact | Missing>,
): Promise<Artifact<Kind>> {
  const { id } = await find(prefixes[info.kind], content, stat)
  const { [lateFacts]: late, ...known } = info as LateInfo
  return { ...known, ...(await late?.()), id, ...content } as Artifact<Kind>
}

type Stat<One> = (id: string) => Promise<One | undefined>

/** The id that content would get if it were stored. */
interface Missing {
  readonly id: string
  readonly sha256: string
  readonly kind?: never
  readonly origin?: never
}

/**
 * Returns the stored artifact with this content, or the id that the content would get: the shortest id that no
 * different content has.
 */
export async function find<One extends { readonly sha256: string }>(
  prefix: string,
  { sha256 }: Content,
  stat: Stat<One>,
): Promise<One | Missing> {
  const name = toBase32(sha256)
  for (let length = 8; ; length++) {
    const id = `${prefix}_${name.slice(0, length)}`
    const there = (await stat(id)) ?? { id, sha256 }
    if (there.sha256 === sha256) return there
  }
}

/** Returns the first 255 bits of a hash in base32, five per character: the letters a to z, then the digits 2 to 7. */
function toBase32(sha256: string): string {
  const fives = (BigInt(`0x${sha256}`) >> 1n).toString(32).padStart(51, '0')
  return fives.replace(/./g, (five) => {
    const bits = Number.parseInt(five, 32)
    return (bits + (bits < 26 ? 10 : -24)).toString(36)
  })
}

/** Reads a stream to its end. If `data` is a byte array, returns it unchanged. */
export async function readBytes(data: Uint8Array | ReadableStream<Uint8Array>): Promise<Uint8Array> {
  if (data instanceof Uint8Array) return data
  return new Uint8Array(await new Response(data as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer())
}

/** Returns an artifact with methods to read it. The methods are not enumerable, so JSON and copies omit them. */
export function readable(artifact: Artifact, store: ArtifactStore): ReadableArtifact {
  return withReader(artifact, () => readArtifactBytes(store, artifact.id))
}

/** Returns an artifact with methods to read it, which call `read`. */
export function withReader(artifact: Artifact, read: () => Promise<Uint8Array>): ReadableArtifact {
  const text = async () => fromUtf8([await read()])
  return Object.defineProperties({ ...artifact } as ReadableArtifact, {
    read: { value: read },
    text: { value: text },
  })
}

/** Reads the bytes of a stored artifact. @throws CapstanError `not_found` for an unknown id */
export async function readArtifactBytes(store: ArtifactStore, id: string): Promise<Uint8Array> {
  return readBytes(await store.open(id))
}

/**
 * Yields a stream's chunks. A chunk is valid only until the next one is requested, because byte streams reuse one
 * buffer. New buffers for a large file would use a lot of memory until garbage collection.
 */
export async function* eachPart(data: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = tryByob(data)
  if (!reader) return yield* data
  try {
    for (let buffer = new ArrayBuffer(64 * 1024); ; ) {
      const { value } = await reader.read(new Uint8Array(buffer))
      if (!value?.length) return
      yield value
      buffer = value.buffer
    }
  } finally {
    // Not awaited, because a stream that never ends may never finish its cancellation.
    reader.cancel().catch(() => {})
  }
}

function tryByob(stream: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | undefined {
  try {
    return stream.getReader({ mode: 'byob' })
  } catch {
    return undefined
  }
}
