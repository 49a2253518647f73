import { type Artifact, type ArtifactStore, artifactKindOf, sniffMediaType } from '@capstan/core'

/** A picture, sound or file as a server gives it. */
export interface Given {
  bytes(): Uint8Array
  /** Its type, by the server's word. */
  readonly said: string | undefined
}

/** Stores it. What the bytes are is what they say; the server's word counts where they say nothing. */
export function toArtifact(given: Given, artifacts: Pick<ArtifactStore, 'put'>): Promise<Artifact> {
  const bytes = given.bytes()
  const said = given.said && /^[\w.+-]+\/[\w.+-]+$/.test(given.said) ? given.said : 'application/octet-stream'
  const mediaType = sniffMediaType(bytes) ?? said
  return artifacts.put(bytes, { kind: artifactKindOf(mediaType), mediaType })
}
