import type { AnyRunResult, Artifact, ArtifactStore } from '@capstan/core'
import { readBytes, toBase64 } from '@capstan/core/wire'
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server'
import { toUri } from './artifact-uri.js'
import type { Told } from './offer.js'

/** How artifacts go out. */
export interface Outlet {
  readonly artifacts: ArtifactStore
  readonly inlineBytes: number
}

/** What a run came to, as the protocol has it: words, data, and what it made. */
export async function toBlocks(
  { text, isError, value }: Told,
  { artifacts }: Pick<AnyRunResult, 'artifacts'>,
  outlet: Outlet,
): Promise<CallToolResult> {
  const made = await Promise.all(artifacts.map((artifact) => toBlock(artifact, outlet)))
  const structuredContent = isError ? undefined : dataOf(text, value)
  return {
    content: [{ type: 'text', text }, ...made],
    ...(structuredContent ? { structuredContent } : {}),
    ...(isError ? { isError } : {}),
  }
}

async function toBlock(artifact: Artifact, { artifacts, inlineBytes }: Outlet): Promise<ContentBlock> {
  const { id, kind, bytes, mediaType: mimeType } = artifact
  if ((kind === 'image' || kind === 'audio') && bytes <= inlineBytes)
    return { type: kind, data: toBase64(await readBytes(await artifacts.open(id))), mimeType }
  return { type: 'resource_link', uri: toUri(id), name: id, mimeType, size: bytes }
}

/** An object is data as well as words, with references in place of artifacts; not one too long to be told whole. */
function dataOf(text: string, value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
