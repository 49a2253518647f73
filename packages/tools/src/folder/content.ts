import { type Artifact, type ArtifactStore, artifactKindOf, sniffMediaType } from '@capstan/core'

/** Decodes UTF-8, and keeps a byte order mark. Undefined if the bytes are not UTF-8 or contain a null byte. */
export function toText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Stores a binary file as an artifact, so that the model can refer to it. */
export function storeFile(bytes: Uint8Array, name: string, artifacts: ArtifactStore): Promise<Artifact> {
  const mediaType = sniffMediaType(bytes) ?? 'application/octet-stream'
  return artifacts.put(bytes, { kind: artifactKindOf(mediaType), mediaType, origin: { name } })
}
