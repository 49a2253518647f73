import { noArtifact } from '../tool/memory-artifacts.js'
import { type Artifact, type ArtifactStore, isArtifactId } from '../words/artifact.js'

/** An artifact behind all that it was made from; what is not in the store any more is left out. */
export async function lineage(id: string, store: ArtifactStore): Promise<Artifact[]> {
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
