// Files in message parts and in `data:` URLs, as base64, escapes or text.

import { sniffMediaType } from '../../artifacts/artifact.js'
import { fromBase64, fromUtf8, joinBytes, toUtf8 } from '../../bytes.js'
import { getOwn, isRecord, isString } from '../../json.js'
import { toText } from '../../model/reply-fields.js'
import { type FilePlace, fileFields } from '../../types/message.js'

/** A range of characters in text. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

/** A file in text, including its `data:` prefix. */
export interface FileRange extends TextRange {
  readonly bytes: Uint8Array
  /** The media type; `''` if the URL has none. */
  readonly mediaType: string
}

/** The maximum length of the text before the base64 in a `data:` URL. That text may include a file name. */
export const longestPrefix = 400

/** Base64 with more characters than this is stored as an artifact. */
export const fewCharacters = 1024

/**
 * Yields the files in `data:` URLs that are longer than 1 kB and are not plain base64. A URL without base64 ends at a
 * space, or at the end of its JSON string. Such a URL is left unchanged in prose and code.
 */
export function* escapedFilesIn(text: string): Generator<FileRange> {
  // Most text contains none.
  if (!text.includes('data:')) return
  const head = /data:([\w.+-]+\/[\w.+-]+)?([^\s,:"\\]{0,300}),/g
  for (let found = head.exec(text); found; found = head.exec(text)) {
    const { 1: declared = '', 2: parameters = '', index: start } = found
    const isBase64 = /;base64$/i.test(parameters)
    const body = isBase64 ? base64Body : textBody
    body.lastIndex = head.lastIndex
    const [encoded = ''] = body.exec(text) ?? []
    const end = head.lastIndex + encoded.length
    head.lastIndex = end
    if (encoded.length <= fewCharacters || (isBase64 && !encoded.includes('%'))) continue
    const bytes = isBase64 ? fromAnyBase64(encoded) : unescapedBytes(encoded)
    const mediaType = (bytes && sniffMediaType(bytes)) ?? declared
    const isWhole = isQuoted(text, start, end)
    const isFile = isBase64 ? isMedia(mediaType) || isWhole : isMedia(mediaType) && isWhole
    if (bytes && isFile) yield { start, end, bytes, mediaType }
  }
}

/** Whether a media type is an image, audio, a video, a PDF or an archive. */
export function isMedia(mediaType: string): boolean {
  return /^(image|audio|video)\/|^application\/(pdf|zip)$/.test(mediaType)
}

/**
 * Whether a range is the entire text or an entire JSON string, even within nested JSON. Ignores white space after the
 * range.
 */
export function isQuoted(text: string, start: number, end: number): boolean {
  behind.lastIndex = end
  behind.test(text)
  const before = text.charAt(start - 1)
  return ['', '"'].includes(before) && before === text.charAt(behind.lastIndex)
}

/** Matches white space, and the escape of a quotation mark. */
const behind = /(\s|\\{1,4}[nr])*\\*/y

const base64Body = /[\w+/%-]*={0,2}/y
const textBody = /[^\s"\\]*/y

/**
 * Decodes base64, which may contain percent escapes or use the URL alphabet. Chunks of a stream may each have padding.
 * Undefined if the text is not base64.
 */
export function fromAnyBase64(text: string): Uint8Array | undefined {
  const encoded = text.includes('%') ? fromUtf8([unescapedBytes(text)]) : text.trim()
  // Searches for invalid characters: an expression that matches valid ones could overflow the stack on megabytes.
  if (encoded.length < 4 || encoded.startsWith('=') || /[^\w+/=\s-]/.test(encoded)) return undefined
  return joinBytes(encoded.split('=').map(fromBase64))
}

/** Decodes percent escapes: `%41` is one byte. Returns all other text as UTF-8. */
function unescapedBytes(text: string): Uint8Array {
  const parts = text.split(/((?:%[\da-f]{2})+)/i)
  const fromHex = (code: string) => Number(`0x${code}`)
  return joinBytes(
    parts.map((part, at) =>
      at % 2 === 1 ? Uint8Array.from(part.slice(1).split('%'), fromHex) : toUtf8(part),
    ),
  )
}

/** A file in a message part, and where it is in the part. */
export interface EncodedFile {
  readonly bytes: Uint8Array
  readonly mediaType: string
  readonly place: FilePlace
}

/**
 * Returns the file in a message part: a `data:` URL, or base64 in a field that servers and clients use for it.
 * Undefined for other parts, such as an https URL, and for text that is not base64.
 */
export function fileOfPart(
  part: unknown,
  declared = '',
  path: readonly string[] = [],
): EncodedFile | undefined {
  if (isString(part)) return fileOfText(part, declared, path)
  if (!isRecord(part) || path.length > 3) return undefined
  const { mime_type, mimeType = mime_type, media_type = mimeType, format } = part
  const own = isString(media_type) ? media_type : toMediaType(format)
  for (const name of fileFields) {
    if (!Object.hasOwn(part, name)) continue
    const found = fileOfPart(part[name], own || declared, [...path, name])
    if (found) return found
  }
  return undefined
}

/** Returns the media type for a `format` such as `wav`, `mp3`, `pcm16` or `png`; `''` if it is unknown. */
function toMediaType(format: unknown): string {
  const name = toText(format)
  if (name.startsWith('pcm')) return 'audio/pcm'
  if (/^(png|jpe?g|webp|gif|avif)$/.test(name)) return `image/${name.replace('jpg', 'jpeg')}`
  return /^(wav|mp3|flac|opus|ogg|aac|m4a|webm)$/.test(name) ? `audio/${name.replace('mp3', 'mpeg')}` : ''
}

function fileOfText(text: string, declared: string, path: readonly string[]): EncodedFile | undefined {
  const [address = '', ofUrl = '', base64] =
    /^\s*data:([\w.+/-]*)[^,]*?(;base64)?,/i.exec(text.slice(0, longestPrefix)) ?? []
  const isText = address !== '' && base64 === undefined
  // Short text may be meant for the model to read.
  if (isText && text.length <= fewCharacters) return undefined
  const encoded = text.slice(address.length)
  const bytes = isText ? unescapedBytes(encoded) : fromAnyBase64(encoded)
  if (!bytes) return undefined
  const mediaType = sniffMediaType(bytes) ?? (ofUrl || declared)
  // Text that is not a URL may be an id or a name, unless it is long and its field can only contain bytes.
  const isBytes = /^(file_data|b64_json)$/.test(path.at(-1) ?? '') && text.length > fewCharacters
  if (mediaType === '' && address === '' && !isBytes) return undefined
  const prefix = isText ? `${address.slice(0, -1)};base64,` : address
  return { bytes, mediaType: mediaType || 'application/octet-stream', place: { path, prefix } }
}

/** Returns a message part with its file's base64 put back. */
export function withFile(
  part: unknown,
  { path: [name, ...path], prefix }: FilePlace,
  base64: string,
): unknown {
  if (name === undefined) return prefix + base64
  const inner = getOwn(part, name) ?? {}
  return { ...Object(part), [name]: withFile(inner, { path, prefix }, base64) }
}
