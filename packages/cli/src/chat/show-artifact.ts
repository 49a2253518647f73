import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Artifact, ArtifactStore } from '@capstan/core'
import { readBytes } from '@capstan/core/internal'
import type { FolderArtifacts } from '@capstan/core/node'
import { sanitizeText } from '../format.js'
import { formatArtifact } from '../outcome.js'
import { type Terminal, terminalSize } from '../terminal.js'
import { type Graphics, maxPictureBytes, renderPicture } from './terminal-graphics.js'

/** How to show artifacts. In a pipe, `links` is false and `graphics` is undefined. */
export interface ArtifactDisplay {
  readonly store: ArtifactStore
  readonly terminal: Terminal
  /** Whether the terminal shows paths as links. */
  readonly links: boolean
  /** The protocol for images. If undefined, images are shown as paths only. */
  readonly graphics: Graphics | undefined
}

/** Prints an artifact's details and the path of its file. If the terminal supports images, prints an image too. */
export async function showArtifact(artifact: Artifact, display: ArtifactDisplay): Promise<void> {
  const { store, terminal } = display
  const path = pathOf(artifact, store)
  const link = path === undefined ? '' : ` -> ${display.links ? toLink(path) : sanitizeText(path)}`
  terminal.writeLine(`${formatArtifact(artifact)}${link}`)
  const picture = await toPicture(artifact, display)
  if (picture !== undefined) terminal.writeLine(picture)
}

/** Returns the path of an artifact's file. Undefined if the store does not keep artifacts as files. */
export function pathOf(artifact: Artifact, store: ArtifactStore): string | undefined {
  return 'pathOf' in store ? (store as FolderArtifacts).pathOf(artifact) : undefined
}

/** Returns a terminal link to a file. Escapes control characters in the path, because they could end the link early. */
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
