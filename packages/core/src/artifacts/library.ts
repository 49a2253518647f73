import { type Artifact, type ArtifactStore, isArtifactId } from './artifact.js'
import { writeFile } from './attachments.js'
import { noArtifact, readBytes } from './memory-artifacts.js'

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

/** An artifact behind all that it was made from; what is not in the store any more is left out. */
async function lineage(id: string, store: ArtifactStore): Promise<Artifact[]> {
  const found = await store.stat(id)
  if (!found) throw noArtifact(id)
  const line: Artifact[] = []
  // Depth first; a store may say anything, also that something was made from itself.
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

/** What was stored may have been written by anybody. */
function parentsOf({ parents }: Artifact): readonly string[] {
  return Array.isArray(parents) ? parents.filter(isArtifactId) : []
}
