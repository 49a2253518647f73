import { type Artifact, type ArtifactStore, isArtifactId } from './artifact.js'
import { writeFile } from './attachments.js'
import { noArtifact, readBytes } from './memory-artifacts.js'

/** Reads the bytes of a stored artifact. @throws CapstanError `not_found` */
export async function readArtifactBytes(store: ArtifactStore, id: string): Promise<Uint8Array> {
  return readBytes(await store.open(id))
}

/** Writes a stored artifact to a file. The folder must exist. @throws CapstanError `not_found` */
export async function saveArtifact(store: ArtifactStore, id: string, path: string): Promise<void> {
  await writeFile(path, await readArtifactBytes(store, id))
}

/**
 * Returns all artifacts that an artifact was made from, recursively, the oldest first, and itself last. Those that the
 * store no longer has are left out. @throws CapstanError `not_found`
 */
export async function lineage(store: ArtifactStore, id: string): Promise<Artifact[]> {
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
