import { CapstanError } from '../errors.js'
import {
  type Artifact,
  type ArtifactInfo,
  type ArtifactKind,
  type ArtifactStore,
  prefixes,
} from './artifact.js'

/** A store that keeps artifacts in this process, and loses them with it. The default of every agent. */
export function memoryArtifacts(): ArtifactStore {
  const entries = new Map<string, { artifact: Artifact; bytes: Uint8Array }>()
  return {
    async put(data, info) {
      const bytes = Uint8Array.from(await readBytes(data))
      const isTaken = takenIn(async (id) => entries.get(id)?.artifact)
      return keepDescribed(
        () => describeArtifact(bytes, info, isTaken),
        async (artifact) => {
          const there = entries.get(artifact.id)?.artifact as typeof artifact | undefined
          if (!there) entries.set(artifact.id, { artifact, bytes })
          return !there || there.sha256 === artifact.sha256 ? (there ?? artifact) : undefined
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

/** The error for an id that a store does not have. */
export function noArtifact(id: string): CapstanError {
  const message = `There is no artifact "${id}". Use an id that a tool returned or that was attached, exactly as it was given.`
  return new CapstanError('not_found', message, { evidence: { id } })
}

/**
 * The artifact that bytes make: its id is the kind's prefix and the first characters of the content's hash,
 * eight unless a longer id is needed to tell two contents apart.
 */
export async function describeArtifact<Kind extends ArtifactKind>(
  bytes: Uint8Array,
  info: ArtifactInfo<Kind>,
  isTaken: IsTaken,
): Promise<Artifact<Kind>> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>))
  return describeDigest({ digest, size: bytes.byteLength }, info, isTaken)
}

/** Whether an id stands for another content than the one with this hash. */
type IsTaken = (id: string, sha256: string) => boolean | Promise<boolean>

/** By what a store says of an id. */
export function takenIn(stat: (id: string) => Promise<Artifact | undefined>): IsTaken {
  return async (id, sha256) => {
    const there = await stat(id)
    return there !== undefined && there.sha256 !== sha256
  }
}

/**
 * Describes and keeps an artifact. `keep` returns undefined when the id was taken by another content in the meantime:
 * then the artifact is described again, with a longer id.
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

/** Bytes as far as their artifact depends on them. */
export interface Digested {
  /** SHA-256. */
  readonly digest: Uint8Array
  readonly size: number
}

/** The same of bytes that are not in memory. */
export async function describeDigest<Kind extends ArtifactKind>(
  { digest, size }: Digested,
  info: ArtifactInfo<Kind>,
  isTaken: IsTaken,
): Promise<Artifact<Kind>> {
  const sha256 = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
  const name = toBase32(digest)
  for (let length = 8; ; length++) {
    const id = `${prefixes[info.kind]}_${name.slice(0, length)}` as Artifact<Kind>['id']
    if (length < name.length && (await isTaken(id, sha256))) continue
    return { ...info, id, bytes: size, sha256 }
  }
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

function toBase32(bytes: Uint8Array): string {
  let bits = ''
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0')
  return (bits.match(/.{5}/g) ?? []).map((five) => alphabet[Number.parseInt(five, 2)]).join('')
}

/** All bytes of a stream, or the bytes themselves. */
export async function readBytes(data: Uint8Array | ReadableStream<Uint8Array>): Promise<Uint8Array> {
  if (data instanceof Uint8Array) return data
  return new Uint8Array(await new Response(data as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer())
}

/**
 * The bytes of a stream as they come; each part is good until the next is asked for. Where a stream fills a buffer of
 * ours, it is the same one again and again: as many as a large file takes would pile up until they are collected.
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
    // Not waited for: what never ends may not end its reading either.
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
