import {
  type Artifact,
  type ArtifactStore,
  artifactKindOf,
  CapstanError,
  type Json,
  sniffMediaType,
} from '@capstan/core'
import { canonicalJson, isRecord, listOf } from '@capstan/core/internal'
import { sanitizeText } from '@capstan/schema/sanitize-text'
import type { CallToolResult, ContentBlock, ReadResourceResult } from '@modelcontextprotocol/client'

/** A call's result: a string, or an object if the result contains more than text. */
export type McpResult = string | McpContent

export interface McpContent {
  readonly text?: string
  /** The server's `structuredContent`, unchanged. */
  readonly structured?: Json
  /** Images, audio, files, and linked resources. `origin` contains a resource's URI and a link's name. */
  readonly artifacts?: readonly Artifact[]
  /** Links, and embedded resources that are not text. */
  readonly links?: readonly McpLink[]
  /** The number of images, audio clips and files that were left out because of the limit of 256 per result. */
  readonly leftOut?: number
}

export interface McpLink {
  readonly uri: string
  readonly name?: string
  /** The id of the artifact with the content. Absent if the server did not resolve the link. */
  readonly artifact?: string
}

/** What is needed to create artifacts: the run's artifact store, and the server's resources. */
interface ArtifactAccess {
  readonly artifacts: Pick<ArtifactStore, 'put'>
  read(uri: string): Promise<ReadResourceResult>
}

/** Converts a server's result to a tool result. Stores images, audio, files and linked resources as artifacts. */
export async function toResult(result: CallToolResult, access: ArtifactAccess): Promise<McpResult> {
  const { content = [], structuredContent } = result
  const parts = await unpack(content, access)
  const structured = structuredContent === undefined ? undefined : (structuredContent as Json)
  const text = (structured === undefined ? parts.texts : withoutRepeated(parts.texts, structured)).join('\n')
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

/**
 * Returns the strings that do not repeat the structured content. Servers also send that content as text, for clients
 * that only read text: as JSON, as the content's only value, or as one string for each item of that value.
 */
function withoutRepeated(texts: readonly string[], structured: Json): readonly string[] {
  const [wrapped, ...others] = isRecord(structured) ? Object.values(structured) : []
  const value = others.length === 0 ? (wrapped as Json | undefined) : undefined
  const wholes = [toSame(structured), toSame(value)]
  const left = texts.filter((text) => !wholes.some((isSame) => isSame(text)))
  const items = listOf(value)
  const areItems = left.length === items.length && items.every((item, at) => toSame(item)(left[at] ?? ''))
  return areItems ? [] : left
}

/** Returns a function that checks whether a string is equal to a value or its JSON. */
function toSame(value: unknown): (text: string) => boolean {
  if (value === undefined) return () => false
  const json = canonicalJson(value)
  const words = typeof value === 'string' ? value.trim() : undefined
  return (text) => text.trim() === words || canonicalOf(text) === json
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

/** Maximum number of links to resolve per result. */
const maxLinks = 16
/** Maximum number of artifacts to store per result. */
const maxArtifacts = 256

type Contents = ReadResourceResult['contents'][number]

async function addResource(resource: Contents, parts: Parts, access: ArtifactAccess): Promise<void> {
  const { uri, mimeType: declared } = resource
  if ('blob' in resource)
    await add({ bytes: () => fromBase64(resource.blob), declared, link: { uri } }, parts, access)
  else parts.texts.push(`Resource ${sanitizeText(uri, maxUri)}:\n${resource.text}`)
}

const maxUri = 2048

/** Reads a link's content by requesting it from the server. Does not fetch any URL. */
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
    await add({ bytes, declared, link: { ...link, uri: contents.uri } }, parts, access)
  }
}

async function add(item: ServerContent, parts: Parts, access: ArtifactAccess): Promise<void> {
  const isKept = parts.artifacts.length < maxArtifacts
  const artifact = isKept ? await storeContent(item, access.artifacts) : undefined
  if (artifact) parts.artifacts.push(artifact)
  else parts.leftOut += 1
  if (item.link) parts.links.push({ ...item.link, ...(artifact ? { artifact: artifact.id } : {}) })
}

/** Returns JSON text in canonical form, as `canonicalJson` writes it. Undefined for any other text. */
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
  /** The link that the content was read from, if any. */
  readonly link?: McpLink
}

/**
 * Stores content as an artifact. The media type is detected from the bytes. If it cannot be detected, the declared type
 * is used.
 */
function storeContent(item: ServerContent, artifacts: Pick<ArtifactStore, 'put'>): Promise<Artifact> {
  const bytes = item.bytes()
  const declared =
    item.declared && /^[\w.+-]+\/[\w.+-]+$/.test(item.declared) ? item.declared : 'application/octet-stream'
  const mediaType = sniffMediaType(bytes) ?? declared
  const { uri, name } = item.link ?? {}
  const origin = {
    ...(uri === undefined ? {} : { uri: sanitizeText(uri, maxUri) }),
    ...(name === undefined ? {} : { name: sanitizeText(name, maxUri) }),
  }
  return artifacts.put(bytes, {
    kind: artifactKindOf(mediaType),
    mediaType,
    ...(item.link ? { origin } : {}),
  })
}

/**
 * Decodes base64.
 * @throws CapstanError `invalid_response` for text that is not base64
 */
export function fromBase64(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  } catch (cause) {
    throw new CapstanError('invalid_response', 'The MCP server sent invalid base64.', {
      cause,
    })
  }
}
