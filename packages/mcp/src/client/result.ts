import {
  type Artifact,
  type ArtifactStore,
  artifactKindOf,
  CapstanError,
  type Json,
  sniffMediaType,
} from '@capstan/core'
import type { CallToolResult, ContentBlock, ReadResourceResult } from '@modelcontextprotocol/client'

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
  /** How many pictures, sounds and files were not taken: of one result no more than 256 are. */
  readonly leftOut?: number
}

export interface McpLink {
  readonly uri: string
  readonly name?: string
}

/** Where a result's bytes go, and where those come from that it links to. */
interface Shelf {
  readonly artifacts: Pick<ArtifactStore, 'put'>
  read(uri: string): Promise<ReadResourceResult>
}

/** A result of a server as a tool returns it. */
export async function toResult(result: CallToolResult, shelf: Shelf): Promise<McpResult> {
  const { content = [], structuredContent } = result
  const parts = await unpack(content, shelf)
  const structured = structuredContent === undefined ? undefined : (structuredContent as Json)
  const json = JSON.stringify(structuredContent)
  // Servers say data in words as well, for clients that read words only.
  const text = parts.texts.filter((text) => json === undefined || !saysSame(text, json)).join('\n')
  const { artifacts, links, leftOut } = parts
  if (structured === undefined && artifacts.length === 0 && links.length === 0) return text
  return {
    ...(text === '' ? {} : { text }),
    ...(structured === undefined ? {} : { structured }),
    ...(artifacts.length > 0 ? { artifacts } : {}),
    ...(links.length > 0 ? { links } : {}),
    ...(leftOut > 0 ? { leftOut } : {}),
  }
}

interface Parts {
  readonly texts: string[]
  readonly artifacts: Artifact[]
  readonly links: McpLink[]
  leftOut: number
}

async function unpack(content: readonly ContentBlock[], shelf: Shelf): Promise<Parts> {
  const parts: Parts = { texts: [], artifacts: [], links: [], leftOut: 0 }
  let linksLeft = maxLinks
  for (const block of content) {
    if (block.type === 'text') parts.texts.push(block.text)
    else if (block.type === 'image' || block.type === 'audio')
      await add({ bytes: () => fromBase64(block.data), said: block.mimeType }, parts, shelf)
    else if (block.type === 'resource') await addResource(block.resource, parts, shelf)
    else if (block.type === 'resource_link') {
      const isRead = linksLeft-- > 0 && parts.artifacts.length < maxArtifacts
      await addLink(block, parts, isRead ? shelf : undefined)
    }
  }
  return parts
}

/** Links of one result that are followed. */
const maxLinks = 16
/** What one result may leave in the run's store, whatever its deadline. */
const maxArtifacts = 256

type Contents = ReadResourceResult['contents'][number]

async function addResource(resource: Contents, parts: Parts, shelf: Shelf): Promise<void> {
  const { mimeType: said } = resource
  if ('blob' in resource) await add({ bytes: () => fromBase64(resource.blob), said }, parts, shelf)
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
    const bytes = () =>
      'blob' in contents ? fromBase64(contents.blob) : new TextEncoder().encode(contents.text)
    const said = contents.mimeType ?? ('blob' in contents ? undefined : 'text/plain')
    await add({ bytes, said }, parts, shelf)
  }
}

async function add(given: Given, parts: Parts, shelf: Shelf): Promise<void> {
  if (parts.artifacts.length < maxArtifacts) parts.artifacts.push(await toArtifact(given, shelf.artifacts))
  else parts.leftOut += 1
}

function saysSame(text: string, json: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === json
  } catch {
    return false
  }
}

/** A picture, sound or file as a server gives it. */
interface Given {
  bytes(): Uint8Array
  /** Its type, by the server's word. */
  readonly said: string | undefined
}

/** Stores it. What the bytes are is what they say; the server's word counts where they say nothing. */
function toArtifact(given: Given, artifacts: Pick<ArtifactStore, 'put'>): Promise<Artifact> {
  const bytes = given.bytes()
  const said = given.said && /^[\w.+-]+\/[\w.+-]+$/.test(given.said) ? given.said : 'application/octet-stream'
  const mediaType = sniffMediaType(bytes) ?? said
  return artifacts.put(bytes, { kind: artifactKindOf(mediaType), mediaType })
}

/** @throws CapstanError `invalid_response` for what is no base64 */
export function fromBase64(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  } catch (cause) {
    throw new CapstanError('invalid_response', 'The MCP server sent bytes that are no base64.', { cause })
  }
}
