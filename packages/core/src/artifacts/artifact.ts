import { isString } from '../json.js'

// Messages, events and states contain only references to artifacts. The bytes are in an ArtifactStore.

export type ArtifactKind = 'image' | 'audio' | 'text' | 'file'
export type ArtifactId = `img_${string}` | `aud_${string}` | `txt_${string}` | `file_${string}`

/** A reference to stored bytes. The prefix of `id` always matches `kind`: `img_` for an image. */
export interface Artifact<Kind extends ArtifactKind = ArtifactKind> {
  readonly id: `${(typeof prefixes)[Kind]}_${string}`
  readonly kind: Kind
  /** The media type, for example `image/png`. */
  readonly mediaType: string
  /** Size in bytes. */
  readonly size: number
  /** SHA-256 of the bytes, as lower-case hexadecimal digits. */
  readonly sha256: string
  /** Width in pixels, if known. `height` is in pixels too. */
  readonly width?: number
  readonly height?: number
  readonly durationMs?: number
  /** Where the artifact comes from, if known. */
  readonly origin?: ArtifactOrigin
  /** Ids of the artifacts from which this artifact was made. */
  readonly parents?: readonly string[]
}

/**
 * An artifact in a run's result, with methods to read its bytes. When serialized as JSON or copied, it becomes a plain
 * artifact.
 */
export interface ReadableArtifact<Kind extends ArtifactKind = ArtifactKind> extends Artifact<Kind> {
  /** Returns the bytes. @throws CapstanError `not_found` if the artifact was deleted */
  read(): Promise<Uint8Array>
  /** Returns the bytes as UTF-8 text. @throws CapstanError `not_found` if the artifact was deleted */
  text(): Promise<string>
}

export interface ArtifactOrigin {
  readonly tool?: string
  /** The id of the call that made the artifact. */
  readonly callId?: string
  readonly runId?: string
  /** The prompt that the artifact was generated from. */
  readonly prompt?: string
  readonly model?: string
  /** The resource's URI on another server, such as an MCP server, if the artifact came from there. */
  readonly uri?: string
  /** The resource's name on that server. */
  readonly name?: string
  /**
   * The untrusted source of the content, set by the run: the tool that stored it, the source of text that the call or
   * run had read before, or `attachment` for an untrusted attachment. A run that reads the content counts as having
   * read untrusted text.
   */
  readonly taintedBy?: string
}

/** Describes bytes to store. */
export interface ArtifactInfo<Kind extends ArtifactKind = ArtifactKind> {
  readonly kind: Kind
  readonly mediaType: string
  readonly width?: number
  readonly height?: number
  readonly durationMs?: number
  /** The run adds the tool's name and the ids of the call and the run. */
  readonly origin?: ArtifactOrigin
  /** Ids of the artifacts from which this artifact was made. */
  readonly parents?: readonly string[]
}

/**
 * The key of a function that returns facts known only after the data has been read, such as the duration of streamed
 * speech. Capstan's stores call the function at that point. The key is a symbol, which JSON omits, so other stores can
 * copy the description.
 */
export const lateFacts = Symbol('lateFacts')

/**
 * A description of bytes that may have `lateFacts`. This is a separate type, because users' declaration files cannot
 * refer to the symbol.
 */
export interface LateInfo<Kind extends ArtifactKind = ArtifactKind> extends ArtifactInfo<Kind> {
  readonly [lateFacts]?: () => Promise<LateFacts>
}

/** Facts that are known only after all of the data has been read. */
export type LateFacts = Pick<ArtifactInfo, 'width' | 'height' | 'durationMs'>

/**
 * Stores artifacts. Create one with `memoryArtifacts()`, `unstorageArtifacts(storage)`, or `folderArtifacts(folder)`
 * from `@capstan/core/node`.
 */
export interface ArtifactStore {
  /**
   * Stores bytes. If you store the same bytes of the same kind again, the id and the first description stay the same.
   * Only `origin.taintedBy` is added, even to artifacts of other kinds with the same bytes.
   */
  put<Kind extends ArtifactKind>(
    data: Uint8Array | ReadableStream<Uint8Array>,
    info: ArtifactInfo<Kind>,
  ): Promise<Artifact<Kind>>
  /** Opens the bytes as a stream. @throws CapstanError `not_found` for an unknown id. */
  open(id: string): Promise<ReadableStream<Uint8Array>>
  stat(id: string): Promise<Artifact | undefined>
  /** Lists all artifacts, oldest first. */
  list(): Promise<Artifact[]>
  /** Deletes an artifact. An unknown id is not an error. */
  delete(id: string): Promise<void>
}

export const prefixes = { image: 'img', audio: 'aud', text: 'txt', file: 'file' } as const

/** A regular expression, as a string, that matches an artifact id. */
export const idPattern = '(?:img|aud|txt|file)_[a-z2-7]{8,52}'

const wholeId = RegExp(`^${idPattern}$`)

/** Whether a value has the form of an artifact id. The artifact may not exist. */
export function isArtifactId(value: unknown): value is ArtifactId {
  return isString(value) && wholeId.test(value)
}

/** Whether a value is a complete artifact reference, not just an object with an id. */
export function isArtifact(value: unknown): value is Artifact {
  const { id, kind, mediaType, sha256 }: Partial<Artifact> = Object(value)
  const isNamed = isArtifactId(id) && id.startsWith(`${prefixes[kind as ArtifactKind]}_`)
  return isNamed && isString(mediaType) && isString(sha256)
}

/** The `taintedBy` of files that were attached as untrusted. */
export const attachedSource = 'attachment'

/**
 * Returns an artifact's untrusted source, if it has one. For a file that was attached as untrusted, the source is the
 * file's own id.
 */
export function markOf({ id, origin }: Artifact): string | undefined {
  const by = origin?.taintedBy
  return by === attachedSource ? id : by
}

/**
 * Returns a stored artifact. Adds the untrusted source from a later put of the same bytes, unless the artifact already
 * has a source.
 */
export function withMark<One extends Pick<Artifact, 'origin'>>(
  known: One,
  { origin: { taintedBy } = {} }: Pick<Artifact, 'origin'>,
): One {
  const { origin } = known
  return taintedBy === undefined || origin?.taintedBy ? known : { ...known, origin: { ...origin, taintedBy } }
}

/** The name of the tool that reads a part of a text artifact. */
export const artifactReader = 'read_artifact'

/** Detects the media type from the first bytes. Undefined for an unknown format. */
export function sniffMediaType(bytes: Uint8Array): string | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 16))
  return signatures.find(([, magic]) => magic.test(head))?.[0]
}

/**
 * The first match applies. An MPEG frame starts with eleven set bits. Layer I frames are left out, because UTF-16 text
 * may also start with `ff fe`.
 */
const signatures: readonly (readonly [mediaType: string, magic: RegExp])[] = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the signature has one.
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8.a/s],
  ['image/webp', /^RIFF.{4}WEBP/s],
  ['image/avif', /^.{4}ftypavif/s],
  ['image/heic', /^.{4}ftyp(hei|mif1)/s],
  ['audio/wav', /^RIFF.{4}WAVE/s],
  ['audio/mpeg', /^(ID3|\xff[\xe2-\xe5\xea-\xed\xf2-\xf5\xfa-\xfd])/],
  ['audio/ogg', /^OggS/],
  ['audio/flac', /^fLaC/],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the signature has one.
  ['audio/webm', /^\x1aE\xdf\xa3/],
  ['audio/mp4', /^.{4}ftyp/s],
  ['application/pdf', /^%PDF/],
]

/** Returns an artifact with its width and height, read from an image's header. Unchanged for other formats. */
export function withArea<Kept extends Artifact>(artifact: Kept, bytes: Uint8Array): Kept {
  const read: ReadNumber = (...places) => places.reduce((sum, at) => sum * 256 + Number(bytes[at]), 0)
  const [width, height] = areas[sniffMediaType(bytes) ?? '']?.(read) ?? []
  return width && height ? { width, height, ...artifact } : artifact
}

/**
 * Returns the number in the bytes at these positions, most significant byte first. NaN if a position is past the end of
 * the file.
 */
type ReadNumber = (...places: readonly number[]) => number

/** Functions that read the width and height from a file's header, by media type. */
const areas: Readonly<Record<string, (read: ReadNumber) => readonly number[]>> = {
  // In some files, another chunk comes before IHDR.
  'image/png': (read) => (read(12, 13, 14, 15) === 0x49484452 ? [read(18, 19), read(22, 23)] : []),
  'image/gif': (read) => [read(7, 6), read(9, 8)],
  'image/webp'(read) {
    const kind = String.fromCharCode(read(14), read(15))
    if (kind === '8X') return [read(26, 25, 24) + 1, read(29, 28, 27) + 1]
    if (kind === '8 ') return [read(27, 26) % 2 ** 14, read(29, 28) % 2 ** 14]
    if (kind !== '8L') return []
    // Width and height are each stored minus one, in 14 bits.
    return [(read(22, 21) % 2 ** 14) + 1, (Math.floor(read(24, 23, 22) / 64) % 2 ** 14) + 1]
  },
  'image/jpeg'(read) {
    let at = 2
    // The frame comes after other segments, one of which may contain a small preview.
    while (at < 2 ** 20 && !/^c[^48c]$/.test(read(at + 1).toString(16))) at += 2 + read(at + 2, at + 3)
    return [read(at + 7, at + 8), read(at + 5, at + 6)]
  },
}

export function artifactKindOf(mediaType: string): ArtifactKind {
  if (mediaType.startsWith('image/')) return 'image'
  if (mediaType.startsWith('audio/')) return 'audio'
  return mediaType.startsWith('text/') || mediaType.startsWith('application/json') ? 'text' : 'file'
}
