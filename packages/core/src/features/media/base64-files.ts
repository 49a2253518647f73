// Finds files in text, written as base64 or as `data:` URLs, and stores them as artifacts.

import {
  type Artifact,
  type ArtifactOrigin,
  type ArtifactStore,
  artifactKindOf,
  sniffMediaType,
  withArea,
} from '../../artifacts/artifact.js'
import { isText } from '../../bytes.js'
import { isString, type Json, lastOfEach, startsWith, withoutUndefined } from '../../json.js'
import { limitOf, type SpendLimiter } from '../../limits.js'
import { type MessageMedia, nameOf } from '../../types/message.js'
import type { CallResult, LimitName } from '../../types/state.js'
import type { Spending } from '../../usage.js'
import {
  escapedFilesIn,
  type FileRange,
  fewCharacters,
  fromAnyBase64,
  isMedia,
  isQuoted,
  longestPrefix,
  type TextRange,
} from './encoded-files.js'

/** Whether text contains long stretches of base64 or `data:` URLs, which may be files. Fast for plain text. */
export function mayHoldFiles(text: string): boolean {
  return !base64Runs(text).next().done || !escapedFilesIn(text).next().done
}

/** The origin of stored files, and the limits that they count toward. Default: neither. */
interface KeepOptions {
  readonly origin?: ArtifactOrigin
  readonly limiter?: SpendLimiter
}

/**
 * Stores each file once. If a file would exceed a run limit, it is not stored, and the text that replaces it says so.
 */
export interface FileKeeper {
  readonly kept: Artifact[]
  readonly spent: Spending[]
  /** The limit that a file would have exceeded. */
  limit?: LimitName
  /** Stores a file, and returns it as a message's file. */
  readonly take: (bytes: Uint8Array, mediaType: string) => Promise<MessageMedia>
  /** Stores a file, and returns the name that replaces it in text. */
  readonly keep: StoreFile
}

export function fileKeeper(
  store: Pick<ArtifactStore, 'put'>,
  { origin, limiter }: KeepOptions = {},
): FileKeeper {
  const known: { readonly bytes: Uint8Array; readonly file: MessageMedia }[] = []
  const keeper: FileKeeper = {
    kept: [],
    spent: [],
    keep: async (bytes, mediaType) => nameOf(await keeper.take(bytes, mediaType)),
    async take(bytes, mediaType) {
      const size = bytes.length
      const before = known.find((one) => one.bytes.length === size && startsWith(bytes, one.bytes))
      if (before) return before.file
      let file: MessageMedia
      try {
        if (limiter?.countsArtifacts) {
          const spending = { artifacts: 1, artifactBytes: size }
          limiter.spend(spending)
          keeper.spent.push(spending)
        }
        const info = withoutUndefined({ kind: artifactKindOf(mediaType), mediaType, origin })
        const artifact = await store.put(bytes, info)
        keeper.kept.push(artifact)
        file = toMedia(withArea(artifact, bytes))
      } catch (error) {
        const limit = limitOf(error)
        if (!limit) throw error
        keeper.limit ??= limit
        file = { mediaType, size, limit }
      }
      known.push({ bytes, file })
      return file
    },
  }
  return keeper
}

/** Returns an artifact as a message's file, with its type and size. */
export function toMedia({ id: artifact, mediaType, size, width, height }: Artifact): MessageMedia {
  return withoutUndefined({ artifact, mediaType, size, width, height })
}

/** Stores a file, and returns the text that replaces it. */
export type StoreFile = (bytes: Uint8Array, mediaType: string) => Promise<string>

/** Replaces each file in a result with an artifact id, in the text and in the value. */
export async function keepFiles(result: CallResult, keeper: FileKeeper): Promise<CallResult> {
  const content = await replaceFiles(result.content, keeper.keep, true)
  if (content === result.content) return result
  const { result: value, artifacts = [] } = result
  const replaced = value === undefined ? {} : { result: await replaceFilesIn(value, keeper.keep, true) }
  const media = keeper.kept.map(({ id: artifact }) => ({ artifact }))
  return {
    ...result,
    content,
    ...replaced,
    artifacts: lastOfEach([...artifacts, ...keeper.kept], 'id'),
    media,
  }
}

export async function replaceFilesIn(value: Json, store: StoreFile, isResult?: boolean): Promise<Json> {
  if (isString(value)) return replaceFiles(value, store, isResult)
  return JSON.parse(await replaceFiles(JSON.stringify(value), store, isResult))
}

/**
 * Replaces each file of more than 1 kB in text: base64 of a known format, and `data:` URLs. In results, also replaces
 * strings that are entirely base64, in any format. In replies, such strings stay unchanged, because they may be meant
 * for the server.
 */
export async function replaceFiles(text: string, store: StoreFile, isResult = false): Promise<string> {
  const rest = await replaceRanges(text, escapedFilesIn(text), store)
  return replaceRanges(rest, filesIn(rest, isResult), store)
}

async function replaceRanges(text: string, files: Iterable<FileRange>, store: StoreFile): Promise<string> {
  let replaced = ''
  let end = 0
  for (const file of files) {
    replaced += text.slice(end, file.start) + (await store(file.bytes, file.mediaType))
    end = file.end
  }
  return replaced + text.slice(end)
}

/**
 * Yields the long stretches of base64 in text, including line breaks, escaped or not. Only looks at positions that
 * every long stretch must cover, so the search is fast in plain text.
 */
function* base64Runs(text: string): Generator<TextRange> {
  let from = 0
  for (let at = fewCharacters; at < text.length; at += fewCharacters) {
    if (!isBase64(text, at)) continue
    let start = at
    while (start > from && isBase64(text, start - 1)) start--
    otherCharacter.lastIndex = at
    at = otherCharacter.exec(text)?.index ?? text.length
    let end = at
    // These backslashes belong to the escaped quotation mark after the base64.
    while (text.charCodeAt(end - 1) === 92) end--
    if (end - start > fewCharacters) yield { start, end }
    from = at
  }
}

/**
 * Matches a character that base64 does not contain. Base64 consists of letters, digits, `+`, `/`, `-`, `_`, line
 * breaks, and the backslash of an escaped line break.
 */
const otherCharacter = /[^\w+/\n\r\\-]/g

function isBase64(text: string, at: number): boolean {
  return text.charAt(at).search(otherCharacter) < 0
}

/**
 * Yields the files in the stretches of base64 in text. Base64 that has no known format and is not in a URL is assumed
 * to be a hash or code.
 */
function* filesIn(text: string, isResult: boolean): Generator<FileRange> {
  for (const run of base64Runs(text)) {
    const lines = linesOf(text, run)
    let next = 0
    for (const [at, line] of lines.entries()) {
      const type = at < next ? undefined : typeAt(text, line)
      if (!type) continue
      next = endOfWrapped(lines, at)
      const file = fileOfRange(text, { start: line.start, end: lines[next - 1]?.end ?? line.end }, type)
      if (file) yield file
    }
    const whole = isResult && next === 0 && isOneFile(lines) && fileOfRange(text, run)
    if (whole) yield whole
  }
}

/** Whether all lines belong to one file. Lines of hashes do not have the length of wrapped base64. */
function isOneFile(all: readonly TextRange[]): boolean {
  const lines = all.filter(({ start, end }) => end > start)
  const [one = { start: 0, end: 0 }] = lines
  const width = one.end - one.start
  const isWrapped = width >= shortestLine && width % 4 === 0 && endOfWrapped(lines, 0) === lines.length
  return lines.length === 1 || isWrapped
}

/**
 * Returns the media type of an entire string that may be base64 of any format. The string is a file if it decodes to
 * text, or if its upper-case letters, lower-case letters and digits alternate as in encoded bytes. In words, names,
 * paths and numbers they alternate less. Undefined for a string that is not a file.
 */
function typeOfWhole(bytes: Uint8Array, encoded: string): string | undefined {
  if (isText(bytes)) return 'text/plain'
  // Repeated characters are no evidence.
  const sample = encoded.slice(0, 2 ** 16).replace(/(.)\1+/g, '$1')
  const kept = sample.match(/[A-Z](?=[A-Z])|[a-z](?=[a-z])|\d(?=\d)/g) ?? []
  // Formulas, hexadecimal digits and the like have few different characters.
  const isMixed = kept.length * 2 < sample.length && new Set(sample).size > 40
  return isMixed ? 'application/octet-stream' : undefined
}

/**
 * Returns the base64 at the start of a range, in one alphabet and without line breaks, and the text that follows it.
 */
function encodedIn(text: string, { start, end }: TextRange) {
  const given = text.slice(start, end)
  const [special = ''] = /[+/_-]/.exec(given) ?? []
  const other = given.search('-_'.includes(special) ? /[+/]|\\(?!\\{0,3}[rn])/ : /[_-]|\\(?!\\{0,3}[rn])/)
  const rest = other === -1 ? '' : given.slice(other)
  let until = given.length - rest.length
  // Removes line breaks at the end one at a time, because one expression for all of them would backtrack.
  for (let length = 1; length > 0; until -= length)
    length = /(\s|\\{1,4}[rn])?$/.exec(given.slice(Math.max(0, until - 5), until))?.[0].length ?? 0
  const last = start + until
  const [padding = ''] = /^=*/.exec(text.slice(last, last + 2)) ?? []
  const encoded = given.slice(0, until).replace(/\s|\\{1,4}[rn]/g, '')
  return { encoded, end: last + padding.length, rest }
}

function linesOf(text: string, { start, end }: TextRange): readonly TextRange[] {
  let at = start
  const ranges = text
    .slice(start, end)
    .split(lineBreak)
    .map((part) => {
      at += part.length
      return { start: at - part.length, end: at }
    })
  // Every second part is a line break.
  return ranges.filter((_, index) => index % 2 === 0)
}

/** A file's media type, and the part of its `data:` URL before the base64. */
interface FileType {
  readonly mediaType: string
  readonly prefix: string
}

/** Returns the type of the file that starts at a line. Undefined if none does. */
function typeAt(text: string, { start, end }: TextRange): FileType | undefined {
  if (end - start < shortestLine) return undefined
  const [prefix = '', declared = prefix && 'text/plain'] =
    dataPrefix.exec(text.slice(Math.max(0, start - longestPrefix), start)) ?? []
  const mediaType = sniffBase64(text.slice(start, start + headCharacters), declared)
  // MPEG audio is recognized by only two bytes, and other data may start with them too.
  const isKnown = declared !== '' || mediaType !== 'audio/mpeg' || text.startsWith('SUQz', start)
  return mediaType && isKnown ? { mediaType, prefix } : undefined
}

/** Returns the file at the start of a range. Without a known type, the file must be the entire string. */
function fileOfRange(text: string, range: TextRange, known?: FileType): FileRange | undefined {
  const { encoded, end, rest } = encodedIn(text, range)
  // An escape may follow the base64, such as that of a quotation mark, but not be within it.
  if (encoded.length <= fewCharacters || encoded.length % 4 === 1 || /^\\+[^\\]/.test(rest)) return undefined
  const start = range.start - (known?.prefix.length ?? 0)
  // A URL by itself is a file, whatever its type. In code or prose it may be a source map, which stays in the text.
  const isWhole = known?.prefix !== '' && isQuoted(text, start, end)
  if (!isWhole && !isMedia(known?.mediaType ?? '')) return undefined
  const bytes = fromAnyBase64(encoded)
  const mediaType = bytes && (known?.mediaType ?? typeOfWhole(bytes, encoded))
  return bytes && mediaType ? { start, end, bytes, mediaType } : undefined
}

/**
 * Returns the index after the last line of wrapped base64, whose lines are equally long, except for a shorter last one.
 */
function endOfWrapped(lines: readonly TextRange[], first: number): number {
  const lengthOf = (at: number) => (lines[at] ? lines[at].end - lines[at].start : Infinity)
  const width = lengthOf(first)
  let last = first
  while (width <= longestLine && lengthOf(last) === width && lengthOf(last + 1) <= width) last += 1
  return last + 1
}

const dataPrefix = /data:([\w.+-]+\/[\w.+-]+)?[^\s,:]*;base64,$/i
/** Matches a line break or its escape, which has several backslashes in nested JSON. */
const lineBreak = /(\r?\n|(?:\\{1,4}r)?\\{1,4}n)/
const shortestLine = 60
const longestLine = 128

/** Holds back base64 files in streamed text, and all text after them. The complete reply names artifacts instead. */
export class Base64Filter {
  /** The end of the text so far, which may belong to a file, and the character before it. */
  #tail = ' '
  /** How many characters of `#tail` have been shown. */
  #shown = 1
  #isFile = false

  /** Whether text is held back. */
  get isHolding(): boolean {
    return this.#isFile || this.#shown < this.#tail.length
  }

  /** Returns the text that may be shown now: nothing of a `data:` URL, and less than 1 kB of any other file. */
  add(given: string): string {
    if (this.#isFile) return ''
    // Nearly all chunks are a short word with a space, and contain neither a long stretch of base64 nor a URL.
    const mayBeAddress = given.includes('d') && addressStart.test(given)
    if (
      given.length < shownCharacters &&
      !mayBeAddress &&
      !this.isHolding &&
      given.search(otherCharacter) >= 0
    ) {
      this.#tail = given
      this.#shown = given.length
      return given
    }
    const text = this.#tail + given
    const file = text.length > fewCharacters ? startOfFile(text) : undefined
    const stretch = { start: text.length, end: text.length }
    while (stretch.start > 1 && isBase64(text, stretch.start - 1)) stretch.start--
    const start = text.length - stretch.start > shownCharacters ? startIn(text, stretch) : stretch.start
    const isLong = text.length - start > shownCharacters
    const mayBeFile = isLong && startsFile(text, start)
    const address = addressAtEnd.exec(text)?.index ?? text.length
    const held = file ?? Math.min(address, mayBeFile ? start : text.length)
    const end = Math.max(this.#shown, held)
    const shown = text.slice(this.#shown, end)
    const from = Math.min(start, address) - 1
    // The first characters of a stretch are enough to tell that it is not a file.
    this.#tail = text.slice(from, isLong && held === text.length ? start + headCharacters : undefined)
    this.#shown = Math.min(end - from, this.#tail.length)
    this.#isFile = file !== undefined
    return shown
  }
}

/** Returns where the first file of more than 1 kB starts. Undefined if there is none. */
function startOfFile(text: string): number | undefined {
  const address = longAddress.exec(text)?.index
  for (const run of base64Runs(text)) {
    const start = startIn(text, run)
    if (run.end - start > fewCharacters && startsFile(text, start)) return Math.min(start, address ?? start)
  }
  return address
}

/**
 * Returns where the file in a stretch of base64 starts or, if there is none, where the last possible file starts. A
 * file continues after a long line.
 */
function startIn(text: string, run: TextRange): number {
  let { start } = run
  let width = 0
  for (const line of linesOf(text, run)) {
    if (width < shortestLine || !startsFile(text, start)) start = line.start
    width = line.end - line.start
    if (line.end - start > fewCharacters && startsFile(text, start)) return start
  }
  return start
}

/** How many characters of base64 are shown before it may be held back as a file. In a `data:` URL, none are shown. */
const shownCharacters = 256

/** Matches a `data:` URL, or the start of one, at the end of text. A longer URL is recognized by its base64. */
const addressAtEnd = /(?<=[\s("'=<])d(?:a(?:t(?:a(?::[^\s,"')]{0,400}(?:,[\w+/%-]{0,1100})?)?)?)?)?$/

const addressStart = /(?:^|[\s("'=<])d/

/** Matches a `data:` URL that is long enough for a file. The base64 may contain escapes or use the URL alphabet. */
const longAddress = /data:[^\s,"')]{0,400};base64,[\w+/%-]{1025}/i

/** Whether base64 may be a file: by its first bytes, or because a comma precedes it, as in a `data:` URL. */
function startsFile(text: string, start: number): boolean {
  return text[start - 1] === ',' || sniffBase64(text.slice(start, start + headCharacters)) !== undefined
}

/** Detects a file's media type from the start of its base64. Office documents count as ZIP archives. */
function sniffBase64(head: string, declared = ''): string | undefined {
  const found = sniffMediaType(fromAnyBase64(head) ?? new Uint8Array())
  return found ?? (declared || (head.startsWith('UEsDB') ? 'application/zip' : undefined))
}

/** The number of leading base64 characters that are enough to detect a format. */
const headCharacters = 32
