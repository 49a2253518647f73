import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Artifact, ArtifactStore } from '@capstan/core'
import { readBytes } from '@capstan/core/internal'
import type { FolderArtifacts } from '@capstan/core/node'
import { sanitizeText } from '../format.js'
import { formatArtifact } from '../outcome.js'
import { type Terminal, terminalSize } from '../terminal.js'
import { type Graphics, maxPictureBytes, renderPicture } from './terminal-graphics.js'

/** The protocols with which a terminal shows artifacts. A pipe shows text only. */
export interface ArtifactDisplay {
  readonly store: ArtifactStore
  readonly terminal: Terminal
  /** Whether paths become links. */
  readonly links: boolean
  /** The protocol for images. Undefined for links alone. */
  readonly graphics: Graphics | undefined
}

/** Prints an artifact with the path of its file, and the image where the terminal can show it. */
export async function showArtifact(artifact: Artifact, display: ArtifactDisplay): Promise<void> {
  const { store, terminal } = display
  const path = pathOf(artifact, store)
  const link = path === undefined ? '' : ` -> ${display.links ? toLink(path) : sanitizeText(path)}`
  terminal.writeLine(`${formatArtifact(artifact)}${link}`)
  const picture = await toPicture(artifact, display)
  if (picture !== undefined) terminal.writeLine(picture)
}

/** Returns the path of an artifact's file; undefined in a store without files. */
export function pathOf(artifact: Artifact, store: ArtifactStore): string | undefined {
  return 'pathOf' in store ? (store as FolderArtifacts).pathOf(artifact) : undefined
}

/** The link contains the file's path without control characters, which could end the link. */
function toLink(path: string): string {
  return `\x1b]8;;${pathToFileURL(resolve(path)).href}\x1b\\${sanitizeText(path)}\x1b]8;;\x1b\\`
}

async function toPicture(
  artifact: Artifact,
  { store, graphics }: ArtifactDisplay,
): Promise<string | undefined> {
  const isPicture = artifact.kind === 'image' && artifact.size <= maxPictureBytes
  if (!graphics || !isPicture || !(await store.stat(artifact.id))) return undefined
  const bytes = await readBytes(await store.open(artifact.id))
  return renderPicture(bytes, artifact, { graphics, ...terminalSize(process.stderr) })
}
