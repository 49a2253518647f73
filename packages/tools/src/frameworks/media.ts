import { type Artifact, type ArtifactStore, artifactKindOf, sniffMediaType } from '@capstan/core'

/**
 * The type of a value after its images, audio and other bytes have been replaced by artifacts, as far as types can
 * express this.
 */
export type Stored<Value> = 0 extends 1 & Value
  ? unknown
  : Value extends Bytes | MediaBlock
    ? Artifact
    : Value extends Date | ((...args: never) => unknown)
      ? Value
      : Value extends object
        ? { [Key in keyof Value]: Stored<Value[Key]> }
        : Value

type Bytes = Uint8Array | ArrayBuffer | Blob

export interface MediaBlock {
  readonly type: 'image' | 'audio' | 'file' | 'media' | 'image-data' | 'file-data'
  readonly data: string | Bytes
}

/**
 * Returns a copy of a value in which artifacts replace all bytes: `Uint8Array` and similar types, base64 `data:` URLs,
 * and content blocks with base64 in the forms of MCP and the frameworks. Stores at most 256 files; any further file
 * becomes `{ leftOut: true, mediaType }`. Does not fetch URLs. A value without bytes is returned unchanged.
 */
export async function storeMedia(value: unknown, artifacts: Pick<ArtifactStore, 'put'>): Promise<unknown> {
  const found = new Map<unknown, Media>()
  const holders = new Set<object>()
  find(value, found, holders)
  if (found.size === 0) return value
  const stored = new Map<unknown, unknown>()
  for (const [from, media] of found)
    stored.set(from, stored.size < maxArtifacts ? await store(media, artifacts) : leftOut(media))
  return replace(value, stored, new Map())
}

const maxArtifacts = 256

interface Media {
  readonly bytes: Uint8Array | Blob
  readonly mediaType: string | undefined
  readonly name?: string | undefined
}

/** Finds the parts of a value that are bytes. Visits each object once, so that shared and circular objects are safe. */
function find(root: unknown, found: Map<unknown, Media>, seen: Set<object>): void {
  const open: unknown[] = [root]
  while (open.length > 0) {
    const value = open.pop()
    const media = mediaOf(value)
    if (media) found.set(value, media)
    else if (isPlain(value) && !seen.has(value)) {
      seen.add(value)
      // Reversed, so that the first part is visited first.
      for (const part of Object.values(value).reverse()) open.push(part)
    }
  }
}

function replace(
  value: unknown,
  stored: ReadonlyMap<unknown, unknown>,
  copies: Map<object, object>,
): unknown {
  if (stored.has(value)) return stored.get(value)
  if (!isPlain(value)) return value
  const known = copies.get(value)
  if (known) return known
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value) ? [] : {}
  copies.set(value, copy)
  for (const [key, part] of Object.entries(value))
    Object.defineProperty(copy, key, {
      value: replace(part, stored, copies),
      enumerable: true,
      writable: true,
      configurable: true,
    })
  return copy
}

async function store(
  { bytes, mediaType, name }: Media,
  artifacts: Pick<ArtifactStore, 'put'>,
): Promise<Artifact> {
  const data = bytes instanceof Blob ? new Uint8Array(await bytes.arrayBuffer()) : bytes
  const type = sniffMediaType(data) ?? safeType(mediaType)
  return artifacts.put(data, {
    kind: artifactKindOf(type),
    mediaType: type,
    ...(name && { origin: { name } }),
  })
}

function leftOut({ mediaType }: Media): { leftOut: true; mediaType: string } {
  return { leftOut: true, mediaType: safeType(mediaType) }
}

function safeType(mediaType: string | undefined): string {
  return mediaType && /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(mediaType)
    ? mediaType
    : 'application/octet-stream'
}

/**
 * Returns the bytes of a value: a `data:` URL, a byte array or `Blob`, a content block, or a file from the AI SDK.
 * Undefined for any other value.
 */
function mediaOf(value: unknown): Media | undefined {
  if (typeof value === 'string') return fromDataUrl(value)
  if (typeof value !== 'object' || value === null) return undefined
  const bytes = bytesOf(value)
  if (bytes) return { bytes, mediaType: bytes instanceof Blob ? bytes.type : undefined }
  const block = value as Readonly<Record<string, unknown>>
  // A file that the AI SDK generated. Its fields are getters of a class.
  if (block.uint8Array instanceof Uint8Array && typeof block.mediaType === 'string')
    return { bytes: block.uint8Array, mediaType: block.mediaType }
  return typeof block.type === 'string' && blockTypes.has(block.type)
    ? fromBlock(block, undefined)
    : undefined
}

const blockTypes = new Set(
  'image audio file media image-data file-data image_url input_image input_file input_audio resource'.split(
    ' ',
  ),
)

/** Fields of a block that may contain its bytes, or an object with its bytes. */
const holderFields = 'data image file blob url image_url imageUrl resource input_audio'.split(' ')

function fromBlock(block: Readonly<Record<string, unknown>>, outer: string | undefined): Media | undefined {
  const declared = [block.mediaType, block.mimeType, block.mime_type].find((one) => typeof one === 'string')
  const mediaType = typeof declared === 'string' ? declared : outer
  const named = block.filename ?? block.name ?? block.uri
  const name = typeof named === 'string' ? named.slice(0, maxName) : undefined
  for (const field of holderFields) {
    const value = block[field]
    const bytes = bytesOf(value) ?? (typeof value === 'string' ? fromBase64(value, mediaType) : undefined)
    if (bytes) return { bytes, mediaType, name }
    const media =
      typeof value === 'string'
        ? fromDataUrl(value)
        : isPlain(value) && outer === undefined
          ? fromBlock(value as Readonly<Record<string, unknown>>, mediaType ?? '')
          : undefined
    if (media) return name === undefined ? media : { ...media, name }
  }
  return undefined
}

const maxName = 2048

function bytesOf(value: unknown): Uint8Array | Blob | undefined {
  if (value instanceof Blob) return value
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  if (!ArrayBuffer.isView(value)) return undefined
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
}

/** Decodes base64. Undefined if the text is not base64, or has neither a media type nor a known format. */
function fromBase64(text: string, mediaType: string | undefined): Uint8Array | undefined {
  if (text === '' || !/^[\w+/-]{1,64}={0,2}/.test(text) || /^[a-z]+:/.test(text)) return undefined
  const bytes = decode(text)
  if (!bytes) return undefined
  return mediaType || sniffMediaType(bytes) ? bytes : undefined
}

function fromDataUrl(text: string): Media | undefined {
  if (!text.startsWith('data:')) return undefined
  const comma = text.indexOf(',')
  const [mediaType, ...parameters] = text.slice('data:'.length, comma).split(';')
  if (comma < 0 || comma > maxHead || parameters.at(-1) !== 'base64') return undefined
  const bytes = decode(text.slice(comma + 1))
  return bytes && { bytes, mediaType }
}

const maxHead = 500

function decode(base64: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(base64.replaceAll('-', '+').replaceAll('_', '/')), (char) =>
      char.charCodeAt(0),
    )
  } catch {
    return undefined
  }
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === null || Object.getPrototypeOf(prototype) === null
}
