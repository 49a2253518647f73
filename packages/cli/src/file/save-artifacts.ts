import { mkdir } from 'node:fs/promises'
import type { AnyAgent, Artifact } from '@capstan/core'
import { folderArtifacts } from '@capstan/core/node'
import { size } from '../say/figures.js'
import { plainText } from '../say/plain-text.js'

/**
 * A line for each artifact, each written to a folder where one is given. Those that another process made may be gone
 * with it.
 */
export async function saveArtifacts(
  artifacts: readonly Artifact[],
  from: AnyAgent['artifacts'],
  folder: string | undefined,
): Promise<string[]> {
  if (folder === undefined) return artifacts.map(artifactLine)
  const { pathOf } = folderArtifacts(folder)
  if (artifacts.length > 0) await mkdir(folder, { recursive: true })
  const lines: string[] = []
  for (const artifact of artifacts) {
    const isHere = (await from.store.stat(artifact.id)) !== undefined
    if (isHere) await from.save(artifact.id, pathOf(artifact))
    lines.push(`${artifactLine(artifact)} ${isHere ? `-> ${pathOf(artifact)}` : 'is not here any more'}`)
  }
  return lines
}

function artifactLine({ id, mediaType, bytes, width, height, durationMs }: Artifact): string {
  const facts = [
    ...(width && height ? [`${width} x ${height}`] : []),
    ...(durationMs === undefined ? [] : [`${(durationMs / 1000).toFixed(1)} s`]),
    size(bytes),
  ]
  return plainText(`${id} (${mediaType}, ${facts.join(', ')})`)
}
