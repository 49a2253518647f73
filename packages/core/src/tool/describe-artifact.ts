import type { Artifact, ArtifactInfo, ArtifactKind } from '../words/artifact.js'
import { prefixes } from '../words/artifact.js'

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
export type IsTaken = (id: string, sha256: string) => boolean | Promise<boolean>

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
