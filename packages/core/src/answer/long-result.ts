import type { Artifact, ArtifactOrigin, ArtifactStore } from '../words/artifact.js'

/** A result as the model reads it. */
export interface ToldResult {
  readonly content: string
  /** The whole, where the model reads only its ends. */
  readonly whole?: Artifact
}

/** Bytes of a result that a model reads whole, unless its tool says otherwise. */
export const usualMaxResultBytes = 64 * 1024

/**
 * A result that is longer than `maxBytes` as its head, its tail and the id of an artifact that is all of it; a
 * shorter one as it is.
 */
export function toToldResult(
  content: string,
  maxBytes: number,
  keep: ResultKeeper,
): ToldResult | Promise<ToldResult> {
  // A character takes three bytes at most.
  return content.length * 3 <= maxBytes ? { content } : shortened(content, maxBytes, keep)
}

/** The store for a long result, and the call that returned it. */
export interface ResultKeeper {
  readonly store: Pick<ArtifactStore, 'put'>
  readonly origin: ArtifactOrigin
}

async function shortened(
  content: string,
  maxBytes: number,
  { store, origin }: ResultKeeper,
): Promise<ToldResult> {
  const bytes = new TextEncoder().encode(content)
  if (bytes.byteLength <= maxBytes) return { content }
  const whole = await store.put(bytes, { kind: 'text', mediaType: 'text/plain', origin })
  const head = decode(bytes.subarray(0, Math.floor(maxBytes * 0.75)))
  const tail = decode(bytes.subarray(bytes.byteLength - Math.floor(maxBytes * 0.25)))
  const left = `[${content.length - head.length - tail.length} of ${content.length} characters are left out here: read_artifact gives any part of "${whole.id}"]`
  return { content: `${head}\n${left}\n${tail}`, whole }
}

/** Text of bytes that are cut anywhere: half a character at either end is left out. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replace(/^\ufffd+|\ufffd+$/g, '')
}
