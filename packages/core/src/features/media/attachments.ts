import {
  type Artifact,
  type ArtifactInfo,
  type ArtifactStore,
  artifactKindOf,
  attachedSource,
  isArtifact,
  isArtifactId,
  prefixes,
  sniffMediaType,
  withArea,
  withMark,
} from '../../artifacts/artifact.js'
import { noArtifact, readArtifactBytes } from '../../artifacts/memory-artifacts.js'
import { isText } from '../../bytes.js'
import { CapstanError, invalidOption, invalidRequest, messageOf } from '../../errors.js'
import { isRecord, isString, nodeModule, setOwn, startsWith } from '../../json.js'
import { replyFields } from '../../model/reply-fields.js'
import { kindOf } from '../../option-names.js'
import type { Attachment } from '../../run/feature.js'
import {
  type AssistantMessage,
  type ContentPart,
  type Message,
  type MessageMedia,
  mediaOf,
  textOf,
  type UserMessage,
} from '../../types/message.js'
import { type FileKeeper, fileKeeper, replaceFiles, toMedia } from './base64-files.js'
import { fileOfPart, withFile } from './encoded-files.js'

/**
 * Returns the last message with the attachments added as files. Undefined without attachments.
 * @throws CapstanError `invalid_request` if the last message is not a user message, `not_found` for a missing file or
 * artifact
 */
export async function attach(
  last: Message | undefined,
  attachments: readonly Attachment[],
  store: ArtifactStore,
): Promise<Message | undefined> {
  if (attachments.length === 0) return undefined
  const files: Artifact[] = []
  for (const one of attachments) files.push(await toArtifact(one, store))
  if (last?.role !== 'user') {
    throw invalidRequest('To attach files, end with a user message.')
  }
  return withAttached(last, files)
}

/** Returns the message with these files added. Models with vision are shown the images. */
export function withAttached(message: UserMessage, files: readonly Artifact[]): UserMessage {
  if (files.length === 0) return message
  const media = files.map((file) => ({
    ...toGiven(file),
    ...(/^image\/(png|jpeg|gif|webp)$/.test(file.mediaType) && { show: true as const }),
  }))
  return { ...message, media: [...mediaOf(message), ...media] }
}

/** Returns an artifact as a user message's file, marked if it is untrusted. */
function toGiven(artifact: Artifact): MessageMedia {
  return { ...toMedia(artifact), ...(artifact.origin?.taintedBy !== undefined && { untrusted: true }) }
}

async function toArtifact(attachment: Attachment, store: ArtifactStore): Promise<Artifact> {
  const { untrusted, origin } = Object(attachment)
  const taintedBy: unknown = untrusted === true ? attachedSource : origin?.taintedBy
  const mark = isString(taintedBy) ? { origin: { taintedBy } } : {}
  if (isArtifact(attachment)) {
    const known = await store.stat(attachment.id)
    if (known) return known === withMark(known, mark) ? known : marked(await store.open(known.id), known)
    const message = `Unknown artifact "${attachment.id}". Attach its bytes, or use its store.`
    throw new CapstanError('not_found', message, { evidence: { id: attachment.id } })
  }
  const [bytes, declared] = await open(attachment)
  const mediaType =
    sniffMediaType(bytes) ?? (declared || (isText(bytes) ? 'text/plain' : 'application/octet-stream'))
  return withArea(await marked(bytes, { kind: artifactKindOf(mediaType), mediaType }), bytes)

  /** Stores a file. Marks an untrusted file even if a custom store drops the mark. */
  async function marked(data: Uint8Array | ReadableStream, { kind, mediaType }: ArtifactInfo) {
    return withMark(await store.put(data, { kind, mediaType, ...mark }), mark)
  }
}

/** Returns an attachment's bytes, and its declared media type if it has one. */
async function open(attachment: Exclude<Attachment, Artifact>): Promise<[Uint8Array, string?]> {
  const { path, data = attachment }: { readonly path?: unknown; readonly data?: unknown } = Object(attachment)
  if (data instanceof Uint8Array) return [data]
  if (data instanceof Blob) return [new Uint8Array(await data.arrayBuffer()), data.type]
  if (isString(path)) return [await onFile('read', path, (files) => files.readFile(path))]
  const message = `attachments contains ${kindOf(attachment)}. Use { path }, { data }, or bytes.`
  throw invalidOption('attachments', message)
}

/**
 * Stores the base64 files in messages as artifacts: parts of user messages, such as images, which later requests still
 * contain, and files in replies and results. Messages before `from` stay unchanged. Returns the same array if there are
 * no such files.
 */
export async function storeFilesIn(
  messages: readonly Message[],
  store: Pick<ArtifactStore, 'put'>,
  from = 0,
): Promise<readonly Message[]> {
  const stored: Message[] = []
  for (const message of messages)
    stored.push(stored.length < from ? message : await withoutFiles(message, store))
  return startsWith(stored, messages) ? messages : stored
}

/**
 * Stores a message's base64 files and returns the message without the files. A client's message may contain anything at
 * this point, because messages are validated later.
 */
async function withoutFiles(message: Message, store: Pick<ArtifactStore, 'put'>): Promise<Message> {
  const { role, content, media }: Partial<Message> = Object(message)
  if (role === 'user' && Array.isArray(content))
    return withStoredParts(message as UserMessage, content, store)
  const keeper = fileKeeper(store)
  if (role === 'assistant') {
    const isContent = Array.isArray(content) ? content.every(isRecord) : !isRecord(content)
    // If a reply has `media`, its files are already stored.
    const changed = media === undefined && isContent && (await takeMedia(message as AssistantMessage, keeper))
    return changed ? Object.freeze(changed) : message
  }
  if ((role !== 'user' && role !== 'tool') || !isString(content)) return message
  const told = await replaceFiles(content, keeper.keep, role === 'tool')
  return told === content ? message : (Object.freeze({ ...message, content: told }) as Message)
}

async function withStoredParts(
  message: UserMessage,
  content: readonly ContentPart[],
  store: Pick<ArtifactStore, 'put'>,
): Promise<UserMessage> {
  const media: MessageMedia[] = []
  const kept: ContentPart[] = []
  const { keep } = fileKeeper(store)
  for (const [at, part] of content.entries()) {
    const { type, text } = Object(part)
    const file = isRecord(part) && type !== 'text' && fileOfPart(part)
    if (!file) {
      const told = type === 'text' && isString(text) ? await replaceFiles(text, keep) : text
      kept.push(told === text ? part : { ...part, text: told })
      continue
    }
    const { bytes, mediaType, place } = file
    const artifact = await store.put(bytes, { kind: artifactKindOf(mediaType), mediaType })
    const empty = withFile(part, { ...place, prefix: '' }, '') as ContentPart
    media.push({ ...toGiven(withArea(artifact, bytes)), show: { part: empty, at, ...place } })
  }
  if (media.length > 0)
    return Object.freeze({ ...message, content: kept, media: [...mediaOf(message), ...media] })
  return startsWith(kept, content) ? message : Object.freeze({ ...message, content: kept })
}

/** Reply fields that contain no files, except within their text. */
export const plainFields = new Set([...replyFields, 'refusal'])

/** Matches fields whose base64 is not a file. Servers get these fields back unchanged. */
const opaqueField = /reason|think|thought|signature|encrypt/i

/** Stores a model message's files, and returns the message without them. Undefined for a message without files. */
export async function takeMedia(
  message: AssistantMessage,
  keeper: FileKeeper,
): Promise<AssistantMessage | undefined> {
  const { content: given, media: _, ...others } = message
  const named = new Set<MessageMedia>()
  const taking = { keeper, named }
  const fields = await takeFields(others, taking)
  // A file within text is replaced with its name.
  const content = isString(given)
    ? await replaceFiles(given, keeper.keep)
    : given && (await takeParts(given, taking, ({ type }) => type, 0))
  const { kept, limit } = keeper
  if (named.size === 0 && kept.length === 0 && !limit) return undefined
  const media = mediaIn(named, kept, textOf(content))
  // Keeps the message's fields, without their files.
  const rest = { ...(fields as unknown as AssistantMessage), content }
  return media.length > 0 ? { ...rest, media } : rest
}

/** Returns a reply's files. Files that the reply's text already names are not named again. */
function mediaIn(
  named: ReadonlySet<MessageMedia>,
  kept: readonly Artifact[],
  text: string,
): readonly MessageMedia[] {
  // Whether the reply consists only of files, in fields without a known name.
  const isNamed = named.size === 0 && text.trim() === ''
  const others = kept.filter(({ id }) => ![...named].some(({ artifact }) => artifact === id))
  const files = [...named, ...others.map((one) => (isNamed ? toMedia(one) : { artifact: one.id }))]
  return files.map((file) =>
    file.artifact?.startsWith(`${prefixes.image}_`) ? { ...file, show: true } : file,
  )
}

/** Collects the files that are taken out of a reply's fields and content. */
interface Taking {
  readonly keeper: FileKeeper
  /** The files to name. Files at a URL are not fetched. */
  readonly named: Set<MessageMedia>
}

/** Takes the files out of a value and returns the rest. Undefined if the value is a file or an array of files. */
async function take(value: unknown, taking: Taking, name: string, depth: number): Promise<unknown> {
  if (opaqueField.test(name) || depth > maxDepth) return value
  if (Array.isArray(value)) {
    const kept = await takeParts<unknown>(value, taking, () => name, depth + 1)
    return kept.length === 0 && value.length > 0 ? undefined : kept
  }
  const { keeper, named } = taking
  // Audio without a known signature is raw samples.
  const file = isRecord(value)
    ? fileOfPart(value, name === 'audio' ? 'audio/pcm' : '')
    : fileOfPart({ [name]: value })
  if (file) {
    named.add(await keeper.take(file.bytes, file.mediaType))
    return undefined
  }
  const url = isRecord(value) ? urlOf(value, name) : depth <= 1 && urlOf({ url: value }, name)
  if (url) {
    named.add({ url })
    return value
  }
  if (isString(value)) return replaceFiles(value, keeper.keep)
  return isRecord(value) ? takeFields(value, taking, depth + 1) : value
}

async function takeParts<Part>(
  list: readonly Part[],
  taking: Taking,
  nameOf: (part: Part) => string,
  depth: number,
): Promise<Part[]> {
  const kept: Part[] = []
  for (const one of list) {
    const rest = await take(one, taking, nameOf(one), depth)
    if (rest !== undefined) kept.push(rest as Part)
  }
  return kept
}

/** Takes the files out of each field of a record or message. Returns the remaining fields. */
async function takeFields(
  record: Readonly<Record<string, unknown>>,
  taking: Taking,
  depth = 0,
): Promise<Record<string, unknown>> {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(record)) {
    const isPlain = depth === 0 && plainFields.has(name)
    const rest = isPlain ? value : await take(value, taking, name, depth)
    if (rest !== undefined) setOwn(kept, name, rest)
  }
  return kept
}

const maxDepth = 6

/** Returns the https URL of an image, audio or video. Links in other fields, such as citations, are not files. */
function urlOf({ type, image_url, url = image_url }: Readonly<Record<string, unknown>>, name: string) {
  const isMedia = /image|audio|video/i.test(`${name} ${String(type)}`)
  const address = isRecord(url) ? url.url : url
  return isMedia && isString(address) && /^https?:/.test(address) ? address : undefined
}

/**
 * Reads or writes a file.
 * @throws CapstanError `unsupported` without a file system, `not_found` if reading or writing fails
 */
async function onFile<T>(
  what: 'read' | 'write',
  path: string,
  work: (files: typeof import('node:fs/promises')) => Promise<T>,
): Promise<T> {
  // Loaded by name, so that bundles for other runtimes need no `node:` import.
  const files = nodeModule('node:fs/promises')
  if (!files) throw new CapstanError('unsupported', 'This runtime has no file system. Pass bytes.')
  try {
    return await work(files)
  } catch (cause) {
    const message = `Cannot ${what} "${path}": ${messageOf(cause)}`
    throw new CapstanError('not_found', message, { evidence: { path }, cause })
  }
}

/**
 * Writes a stored artifact to a file. The folder must exist.
 * @throws CapstanError `not_found` if the artifact or the folder is missing
 */
export async function saveArtifact(store: ArtifactStore, id: string, path: string): Promise<void> {
  const bytes = await readArtifactBytes(store, id)
  await onFile('write', path, (files) => files.writeFile(path, bytes))
}

/**
 * Returns all artifacts that an artifact was made from, recursively and oldest first, then the artifact itself.
 * Artifacts that are no longer in the store are omitted.
 * @throws CapstanError `not_found` if the artifact itself is missing
 */
export async function lineage(store: ArtifactStore, id: string): Promise<Artifact[]> {
  const found = await store.stat(id)
  if (!found) throw noArtifact(id)
  const line: Artifact[] = []
  // Visits parents depth first. A store may contain anything, even an artifact that was made from itself.
  const seen = new Set<string>()
  const visit = async (artifact: Artifact): Promise<void> => {
    if (seen.has(artifact.id)) return
    seen.add(artifact.id)
    for (const parent of parentsOf(artifact)) {
      const made = await store.stat(parent)
      if (made) await visit(made)
    }
    line.push(artifact)
  }
  await visit(found)
  return line
}

/** Returns the valid ids in `parents`, which other programs may have written. */
function parentsOf({ parents }: Artifact): readonly string[] {
  return Array.isArray(parents) ? parents.filter(isArtifactId) : []
}
