// Files in the parts of messages, in the fields that servers and clients use for them.

import { sniffMediaType } from '../../artifacts/artifact.js'
import { getOwn, isRecord } from '../../json.js'
import { type FilePlace, fileFields } from '../../types/message.js'
import { longestPrefix } from './base64-files.js'
import { fewCharacters, fromAnyBase64, unescapedBytes } from './data-addresses.js'

/** A file in a part of a message, and the part without its bytes. */
export interface EncodedFile {
  readonly bytes: Uint8Array
  readonly mediaType: string
  readonly place: FilePlace
}

/**
 * Returns the file that a part of a message holds: a `data:` URL, or base64 in a field that servers and clients use for
 * it. Undefined for other parts, such as one with an https URL, and for what is not base64.
 */
export function fileOfPart(
  part: unknown,
  declared = '',
  path: readonly string[] = [],
): EncodedFile | undefined {
  if (typeof part === 'string') return fileOfText(part, declared, path)
  if (!isRecord(part) || path.length > 3) return undefined
  const { mime_type, mimeType = mime_type, media_type = mimeType, format } = part
  const own = typeof media_type === 'string' ? media_type : toMediaType(format)
  for (const name of fileFields) {
    if (!Object.hasOwn(part, name)) continue
    const found = fileOfPart(part[name], own || declared, [...path, name])
    if (found) return found
  }
  return undefined
}

/** The media type of a `format`: `wav`, `mp3`, `pcm16`, `png`. */
function toMediaType(format: unknown): string {
  if (typeof format !== 'string') return ''
  if (format.startsWith('pcm')) return 'audio/pcm'
  if (/^(png|jpe?g|webp|gif|avif)$/.test(format)) return `image/${format === 'jpg' ? 'jpeg' : format}`
  return /^(wav|mp3|flac|opus|ogg|aac|m4a|webm)$/.test(format)
    ? `audio/${format === 'mp3' ? 'mpeg' : format}`
    : ''
}

function fileOfText(text: string, declared: string, path: readonly string[]): EncodedFile | undefined {
  const [address = '', ofUrl = '', base64] =
    /^\s*data:([\w.+/-]*)[^,]*?(;base64)?,/i.exec(text.slice(0, longestPrefix)) ?? []
  const isText = address !== '' && base64 === undefined
  // A short text may be for the model to read.
  if (isText && text.length <= fewCharacters) return undefined
  const encoded = text.slice(address.length)
  const bytes = isText ? unescapedBytes(encoded) : fromAnyBase64(encoded)
  if (!bytes) return undefined
  const mediaType = sniffMediaType(bytes) ?? (ofUrl || declared)
  // A text that is no URL may be an id or a name, unless it is long and its field is for bytes alone.
  const isBytes = /^(file_data|b64_json)$/.test(path.at(-1) ?? '') && text.length > fewCharacters
  if (mediaType === '' && address === '' && !isBytes) return undefined
  const prefix = isText ? `${address.slice(0, -1)};base64,` : address
  return { bytes, mediaType: mediaType || 'application/octet-stream', place: { path, prefix } }
}

/** Returns a part with the base64 of a file in its place. */
export function withFile(
  part: unknown,
  { path: [name, ...path], prefix }: FilePlace,
  base64: string,
): unknown {
  if (name === undefined) return prefix + base64
  const inner = getOwn(part, name) ?? {}
  return { ...Object(part), [name]: withFile(inner, { path, prefix }, base64) }
}
