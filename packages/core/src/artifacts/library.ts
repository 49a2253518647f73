import { type Artifact, type ArtifactStore, isArtifactId } from './artifact.js'
import { writeFile } from './attachments.js'
import { noArtifact, readBytes } from './memory-artifacts.js'

/** The artifacts of an agent, for reading and saving. */
export interface ArtifactLibrary {
  /** Reads the bytes. @throws CapstanError `not_found` */
  read(id: string): Promise<Uint8Array>
  /** Writes an artifact to a file. The folder must exist. @throws CapstanError `not_found` */
  save(id: string, path: string): Promise<void>
  /**
   * Returns all artifacts that an artifact was made from, recursively, the oldest first, and itself last.
   * @throws CapstanError `not_found`
   */
  lineage(id: string): Promise<Artifact[]>
  /** Lists all artifacts, oldest first. */
  list(): Promise<Artifact[]>
  /** The store of the artifacts. */
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

/** Returns an artifact after all that it was made from, without those that the store no longer has. */
async function lineage(id: string, store: ArtifactStore): Promise<Artifact[]> {
  const found = await store.stat(id)
  if (!found) throw noArtifact(id)
  const line: Artifact[] = []
  // Depth first. A store may contain anything, even an artifact that was made from itself.
  const seen = new Set<string>()
  const visit = async (artifact: Artifact): Promise<void> => {
    if (seen.has(artifact.id)) return
    seen.add(artifact.id)
    for (const parent of parentsOf(artifact)) {
      const made = await store.stat(parent)
      if (made) await visit(made)
    }
    line.push(artifact)
  }
  await visit(found)
  return line
}

/** Reads `parents`, which other programs may have written. */
function parentsOf({ parents }: Artifact): readonly string[] {
  return Array.isArray(parents) ? parents.filter(isArtifactId) : []
}
