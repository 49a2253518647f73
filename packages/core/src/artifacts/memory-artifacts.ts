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
  withMark,
} from './artifact.js'

/** Creates a store in the memory of this process. The default of every agent. */
export function memoryArtifacts(): ArtifactStore {
  const entries = new Map<string, { artifact: Artifact; bytes: Uint8Array }>()
  return {
    async put(data, info) {
      const bytes = Uint8Array.from(await readBytes(data))
      const isTaken = takenIn(async (id) => entries.get(id)?.artifact)
      return keepDescribed(
        () => describeArtifact(bytes, info, isTaken),
        async (artifact) => {
          const there = entries.get(artifact.id)
          if (there && there.artifact.sha256 !== artifact.sha256) return undefined
          const kept = withMark(there?.artifact ?? artifact, artifact) as typeof artifact
          entries.set(artifact.id, { artifact: kept, bytes: there?.bytes ?? bytes })
          return kept
        },
      )
    },
    async open(id) {
      const entry = entries.get(id)
      if (!entry) throw noArtifact(id)
      return new Blob([entry.bytes as Uint8Array<ArrayBuffer>]).stream()
    },
    stat: async (id) => entries.get(id)?.artifact,
    list: async () => Array.from(entries.values(), ({ artifact }) => artifact),
    async delete(id) {
      entries.delete(id)
    },
  }
}

/** Returns the error for an id that a store does not have. */
export function noArtifact(id: string): CapstanError {
  const message = `Unknown artifact "${id}". Use the exact id that a tool returned or that was attached.`
  return new CapstanError('not_found', message, { evidence: { id } })
}

/**
 * Describes bytes as an artifact. Its id is the kind's prefix and the first characters of the content's hash: eight,
 * or more when two contents would have the same id.
 */
export async function describeArtifact<Kind extends ArtifactKind>(
  bytes: Uint8Array,
  info: ArtifactInfo<Kind>,
  isTaken: IsTaken,
): Promise<Artifact<Kind>> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>))
  return describeDigest({ digest, size: bytes.byteLength }, info, isTaken)
}

/** Whether an id belongs to other content than that with this hash. */
type IsTaken = (id: string, sha256: string) => boolean | Promise<boolean>

/** Returns an `IsTaken` that looks ids up in a store. */
export function takenIn(stat: (id: string) => Promise<Artifact | undefined>): IsTaken {
  return async (id, sha256) => {
    const there = await stat(id)
    return there !== undefined && there.sha256 !== sha256
  }
}

/**
 * Describes and stores an artifact. `keep` returns undefined when other content took the id since: then the artifact
 * is described again with a longer id.
 */
export async function keepDescribed<One extends Artifact>(
  describe: () => Promise<One>,
  keep: (artifact: One) => Promise<One | undefined>,
): Promise<One> {
  for (;;) {
    const kept = await keep(await describe())
    if (kept) return kept
  }
}

/** The parts of bytes that determine their artifact. */
export interface Digested {
  /** SHA-256. */
  readonly digest: Uint8Array
  readonly size: number
}

/** Describes bytes that are not in memory, by their hash. */
export async function describeDigest<Kind extends ArtifactKind>(
  { digest, size }: Digested,
  info: ArtifactInfo<Kind>,
  isTaken: IsTaken,
): Promise<Artifact<Kind>> {
  const sha256 = toHex(digest)
  const name = toBase32(digest)
  for (let length = 8; ; length++) {
    const id = `${prefixes[info.kind]}_${name.slice(0, length)}` as Artifact<Kind>['id']
    if (length < name.length && (await isTaken(id, sha256))) continue
    const { [lateFacts]: late, ...known } = info as LateInfo
    return { ...known, ...(await late?.()), id, size, sha256 } as Artifact<Kind>
  }
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

function toBase32(bytes: Uint8Array): string {
  let bits = ''
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0')
  return (bits.match(/.{5}/g) ?? []).map((five) => alphabet[Number.parseInt(five, 2)]).join('')
}

/** Reads all bytes of a stream; returns bytes as they are. */
export async function readBytes(data: Uint8Array | ReadableStream<Uint8Array>): Promise<Uint8Array> {
  if (data instanceof Uint8Array) return data
  return new Uint8Array(await new Response(data as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer())
}

/**
 * Yields the chunks of a stream. Each chunk is valid until the next is requested, since byte streams reuse one
 * buffer: new buffers for a large file would pile up until garbage collection.
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
    // Not awaited: a stream that never ends may never finish its cancellation.
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
