import {
  type Artifact,
  type ArtifactStore,
  artifactKindOf,
  CapstanError,
  type Json,
  sniffMediaType,
} from '@capstan/core'
import { canonicalJson } from '@capstan/core/internal'
import type { CallToolResult, ContentBlock, ReadResourceResult } from '@modelcontextprotocol/client'

/** The result of a call: its text, or an object when it has more than text. */
export type McpResult = string | McpContent

export interface McpContent {
  readonly text?: string
  /** The server's structured content. */
  readonly structured?: Json
  /** Images, audio, files, and linked resources. */
  readonly artifacts?: readonly Artifact[]
  /** Links that the server did not resolve. */
  readonly links?: readonly McpLink[]
  /** Number of images, audio and files beyond the limit of 256 for one result. */
  readonly leftOut?: number
}

export interface McpLink {
  readonly uri: string
  readonly name?: string
}

/** Access to the run's artifact store and to the server's resources. */
interface ArtifactAccess {
  readonly artifacts: Pick<ArtifactStore, 'put'>
  read(uri: string): Promise<ReadResourceResult>
}

/** Converts a server's result to the result of a tool. */
export async function toResult(result: CallToolResult, access: ArtifactAccess): Promise<McpResult> {
  const { content = [], structuredContent } = result
  const parts = await unpack(content, access)
  const structured = structuredContent === undefined ? undefined : (structuredContent as Json)
  const json = structured === undefined ? undefined : canonicalJson(structured)
  // Servers repeat structured content as text, for clients that read only text.
  const text = parts.texts.filter((text) => json === undefined || canonicalOf(text) !== json).join('\n')
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

async function unpack(content: readonly ContentBlock[], access: ArtifactAccess): Promise<Parts> {
  const parts: Parts = { texts: [], artifacts: [], links: [], leftOut: 0 }
  let linksLeft = maxLinks
  for (const block of content) {
    if (block.type === 'text') parts.texts.push(block.text)
    else if (block.type === 'image' || block.type === 'audio')
      await add({ bytes: () => fromBase64(block.data), declared: block.mimeType }, parts, access)
    else if (block.type === 'resource') await addResource(block.resource, parts, access)
    else if (block.type === 'resource_link') {
      const isRead = linksLeft-- > 0 && parts.artifacts.length < maxArtifacts
      await addLink(block, parts, isRead ? access : undefined)
    }
  }
  return parts
}

/** Links of one result that are resolved. */
const maxLinks = 16
/** Artifacts that one result may store. */
const maxArtifacts = 256

type Contents = ReadResourceResult['contents'][number]

async function addResource(resource: Contents, parts: Parts, access: ArtifactAccess): Promise<void> {
  const { mimeType: declared } = resource
  if ('blob' in resource) await add({ bytes: () => fromBase64(resource.blob), declared }, parts, access)
  else parts.texts.push(resource.text)
}

/** Reads a link through the server. No URL is fetched. */
async function addLink(
  { uri, name }: McpLink,
  parts: Parts,
  access: ArtifactAccess | undefined,
): Promise<void> {
  const link = { uri, ...(name === undefined ? {} : { name }) }
  const read = await access?.read(uri).catch(() => undefined)
  if (!access || !read || read.contents.length === 0) {
    parts.links.push(link)
    return
  }
  for (const contents of read.contents) {
    const bytes = () =>
      'blob' in contents ? fromBase64(contents.blob) : new TextEncoder().encode(contents.text)
    const declared = contents.mimeType ?? ('blob' in contents ? undefined : 'text/plain')
    await add({ bytes, declared }, parts, access)
  }
}

async function add(item: ServerContent, parts: Parts, access: ArtifactAccess): Promise<void> {
  if (parts.artifacts.length < maxArtifacts) parts.artifacts.push(await storeContent(item, access.artifacts))
  else parts.leftOut += 1
}

/** Returns the JSON of a text as `canonicalJson` writes it, or undefined for any other text. */
function canonicalOf(text: string): string | undefined {
  try {
    return canonicalJson(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** An image, audio or file from a server. */
interface ServerContent {
  bytes(): Uint8Array
  /** The media type that the server declares. */
  readonly declared: string | undefined
}

/**
 * Stores the content. The media type comes from the bytes; the declared one is used if they do not show it.
 */
function storeContent(item: ServerContent, artifacts: Pick<ArtifactStore, 'put'>): Promise<Artifact> {
  const bytes = item.bytes()
  const declared =
    item.declared && /^[\w.+-]+\/[\w.+-]+$/.test(item.declared) ? item.declared : 'application/octet-stream'
  const mediaType = sniffMediaType(bytes) ?? declared
  return artifacts.put(bytes, { kind: artifactKindOf(mediaType), mediaType })
}

/**
 * Decodes base64.
 * @throws CapstanError `invalid_response` for text that is not base64
 */
export function fromBase64(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  } catch (cause) {
    throw new CapstanError(
      'invalid_response',
      "The MCP server sent bytes that are not valid base64. Report it to the server's authors.",
      { cause },
    )
  }
}
