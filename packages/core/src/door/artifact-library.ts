import { readBytes } from '../tool/read-bytes.js'
import type { Artifact, ArtifactStore } from '../words/artifact.js'
import { writeFile } from './files.js'
import { lineage } from './lineage.js'

/** An agent's artifacts, as its user takes them out. */
export interface ArtifactLibrary {
  /** The bytes. @throws CapstanError `not_found` */
  read(id: string): Promise<Uint8Array>
  /** Writes an artifact to a file; the folder must be there. @throws CapstanError `not_found` */
  save(id: string, path: string): Promise<void>
  /**
   * What an artifact was made from, step by step: all it comes from, the oldest first, and itself.
   * @throws CapstanError `not_found`
   */
  lineage(id: string): Promise<Artifact[]>
  /** All artifacts, oldest first. */
  list(): Promise<Artifact[]>
  /** Where they live. */
  readonly store: ArtifactStore
}

export function artifactLibrary(store: ArtifactStore): ArtifactLibrary {
  const read = async (id: string) => readBytes(await store.open(id))
  return {
    read,
    save: async (id, path) => writeFile(path, await read(id)),
    lineage: (id) => lineage(id, store),
    list: () => store.list(),
    store,
  }
}
