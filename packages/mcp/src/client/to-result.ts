import { type Artifact, type ArtifactStore, artifactKindOf, type Json, sniffMediaType } from '@capstan/core'
import type { CallToolResult, ContentBlock, ReadResourceResult } from '@modelcontextprotocol/client'
import { fromBase64 } from '../from-base64.js'
import { withoutForged } from './without-forged.js'

/** What a call brought: its words, or an object when there is more than words. */
export type McpResult = string | McpContent

export interface McpContent {
  readonly text?: string
  /** What the server gives as data. */
  readonly structured?: Json
  /** Pictures, sound, files, and what the server linked to. */
  readonly artifacts?: readonly Artifact[]
  /** Links that the server did not give anything for. */
  readonly links?: readonly McpLink[]
}

export interface McpLink {
  readonly uri: string
  readonly name?: string
}

/** Where a result's bytes go, and where those come from that it links to. */
export interface Shelf {
  readonly artifacts: Pick<ArtifactStore, 'put'>
  read(uri: string): Promise<ReadResourceResult>
}

/** A result of a server as a tool returns it. */
export async function toResult(result: CallToolResult, shelf: Shelf): Promise<McpResult> {
  const { content = [], structuredContent } = result
  const parts = await unpack(content, shelf)
  const structured = structuredContent === undefined ? undefined : withoutForged(structuredContent as Json)
  const json = JSON.stringify(structuredContent)
  // Servers say data in words as well, for clients that read words only.
  const text = parts.texts.filter((text) => json === undefined || !saysSame(text, json)).join('\n')
  const { artifacts, links } = parts
  if (structured === undefined && artifacts.length === 0 && links.length === 0) return text
  return {
    ...(text === '' ? {} : { text }),
    ...(structured === undefined ? {} : { structured }),
    ...(artifacts.length > 0 ? { artifacts } : {}),
    ...(links.length > 0 ? { links } : {}),
  }
}

interface Parts {
  readonly texts: string[]
  readonly artifacts: Artifact[]
  readonly links: McpLink[]
}

async function unpack(content: readonly ContentBlock[], shelf: Shelf): Promise<Parts> {
  const parts: Parts = { texts: [], artifacts: [], links: [] }
  let linksLeft = maxLinks
  for (const block of content) {
    if (block.type === 'text') parts.texts.push(block.text)
    else if (block.type === 'image' || block.type === 'audio')
      parts.artifacts.push(await store(fromBase64(block.data), block.mimeType, shelf))
    else if (block.type === 'resource') await addResource(block.resource, parts, shelf)
    else if (block.type === 'resource_link') await addLink(block, parts, linksLeft-- > 0 ? shelf : undefined)
  }
  return parts
}

/** Links of one result that are followed. */
const maxLinks = 16

type Contents = ReadResourceResult['contents'][number]

async function addResource(resource: Contents, parts: Parts, shelf: Shelf): Promise<void> {
  if ('blob' in resource)
    parts.artifacts.push(await store(fromBase64(resource.blob), resource.mimeType, shelf))
  else parts.texts.push(resource.text)
}

/** The server itself is asked for what it links to: no address is followed. */
async function addLink({ uri, name }: McpLink, parts: Parts, shelf: Shelf | undefined): Promise<void> {
  const link = { uri, ...(name === undefined ? {} : { name }) }
  const read = await shelf?.read(uri).catch(() => undefined)
  if (!shelf || !read || read.contents.length === 0) {
    parts.links.push(link)
    return
  }
  for (const contents of read.contents) {
    const bytes = 'blob' in contents ? fromBase64(contents.blob) : new TextEncoder().encode(contents.text)
    parts.artifacts.push(
      await store(bytes, contents.mimeType ?? ('blob' in contents ? undefined : 'text/plain'), shelf),
    )
  }
}

/** What the bytes are is what they say; the server's word counts where they say nothing. */
function store(bytes: Uint8Array, said: string | undefined, { artifacts }: Shelf): Promise<Artifact> {
  const mediaType =
    sniffMediaType(bytes) ?? (said && /^[\w.+-]+\/[\w.+-]+$/.test(said) ? said : 'application/octet-stream')
  return artifacts.put(bytes, { kind: artifactKindOf(mediaType), mediaType })
}

function saysSame(text: string, json: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === json
  } catch {
    return false
  }
}
