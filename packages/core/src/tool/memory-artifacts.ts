import type { Artifact, ArtifactStore } from '../words/artifact.js'
import { CapstanError } from '../words/error.js'
import { describeArtifact, keepDescribed, takenIn } from './describe-artifact.js'
import { readBytes } from './read-bytes.js'

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
