import { isRecord, setOwn } from '../json.js'
import {
  type AssistantMessage,
  type Content,
  type ContentPart,
  isTextPart,
  type Message,
  type MessageMedia,
  mediaOf,
  textOf,
  type UserMessage,
} from '../types/message.js'
import { type Artifact, type ArtifactStore, artifactKindOf } from './artifact.js'
import { toLine } from './attachments.js'
import { attachedLine, FileKeeper, fileOfPart, mayHoldFiles, replaceFiles, withFile } from './base64-files.js'

/**
 * Stores the files that messages contain as base64: pictures and other parts of user messages, which requests show
 * again, files in replies, and files in results. Messages before `from` stay as they are. Returns the same list when there are none.
 */
export async function storeFilesIn(
  messages: readonly Message[],
  store: Pick<ArtifactStore, 'put'>,
  from = 0,
): Promise<readonly Message[]> {
  const stored = [...messages]
  let isChanged = false
  for (const [at, message] of messages.entries()) {
    if (at < from || !mayHaveFiles(message)) continue
    const changed = await withoutFiles(message, store)
    stored[at] = changed
    isChanged ||= changed !== message
  }
  return isChanged ? stored : messages
}

/** Whether a message may contain files. Messages of clients are checked later. */
function mayHaveFiles(message: Message): boolean {
  const { role, content, media }: Partial<Message> = Object(message)
  if (role === 'user') return Array.isArray(content) && content.some((part) => part?.type !== 'text')
  if (role === 'tool') return typeof content === 'string' && mayHoldFiles(content)
  // The files of a reply with a mark are stored.
  if (role !== 'assistant' || media !== undefined) return false
  const isContent = Array.isArray(content) ? content.every(isRecord) : !isRecord(content)
  return isContent && mayHoldMedia(message as AssistantMessage)
}

async function withoutFiles(message: Message, store: Pick<ArtifactStore, 'put'>): Promise<Message> {
  const { role, content } = message
  if (role === 'user' && Array.isArray(content)) return withStoredParts(message, content, store)
  const keeper = new FileKeeper(store)
  if (role === 'assistant') {
    const changed = await takeMedia(message, keeper)
    return changed ? Object.freeze(changed) : message
  }
  if (role !== 'tool') return message
  return Object.freeze({ ...message, content: await replaceFiles(content, keeper.keep) })
}

async function withStoredParts(
  message: UserMessage,
  content: readonly ContentPart[],
  store: Pick<ArtifactStore, 'put'>,
): Promise<UserMessage> {
  const media: MessageMedia[] = []
  const references: string[] = []
  const kept: ContentPart[] = []
  for (const [at, part] of content.entries()) {
    const file = isRecord(part) && part.type !== 'text' ? fileOfPart(part) : undefined
    if (!file) {
      kept.push(part)
      continue
    }
    const { bytes, mediaType, place } = file
    const artifact = await store.put(bytes, { kind: artifactKindOf(mediaType), mediaType })
    references.push(toLine(artifact, false))
    const empty = withFile(part, { ...place, prefix: '' }, '') as ContentPart
    media.push({ artifact: artifact.id, shown: { part: empty, at, place } })
  }
  if (references.length === 0) return message
  const line = attachedLine([...new Set(references)], textOf(kept) !== '')
  return Object.freeze({ ...message, content: [...kept, line], media: [...(message.media ?? []), ...media] })
}

/** Whether a reply may have files. Most replies have text and calls alone. */
export function mayHoldMedia(message: AssistantMessage): boolean {
  const { content } = message
  for (const field in message) if (!plainFields.has(field)) return true
  return typeof content === 'string' ? mayHoldFiles(content) : content !== null && content !== undefined
}

const plainFields = new Set(['role', 'content', 'tool_calls', 'refusal'])

/** Fields whose base64 is not a file: servers get them back as they sent them. */
const opaqueField = /reason|think|thought|signature|encrypt/i

/**
 * Returns a message of the model without its files, which are stored and named in its last part. Undefined when it has
 * none.
 */
export async function takeMedia(
  message: AssistantMessage,
  keeper: FileKeeper,
): Promise<AssistantMessage | undefined> {
  const { content: given, media: _, ...others } = message
  const taker = new MediaTaker(keeper)
  const fields: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(others)) {
    const kept = plainFields.has(name) ? value : await taker.take(value, name)
    if (kept !== undefined) setOwn(fields, name, kept)
  }
  const words = await taker.takeContent(given)
  if (taker.names.size === 0 && keeper.kept.length === 0 && !keeper.limit) return undefined
  const { content, media } = namingMedia(words, taker, keeper.kept)
  // The fields of the message without their files.
  return { ...(fields as unknown as AssistantMessage), content, media: [...mediaOf(message), ...media] }
}

/** Returns the content with a part that names the files, unless its words name them all. */
function namingMedia(
  words: Content,
  { names, urls }: MediaTaker,
  artifacts: readonly Artifact[],
): { readonly content: Content; readonly media: readonly MessageMedia[] } {
  const media = [...artifacts.map(({ id }) => ({ artifact: id })), ...Array.from(urls, () => ({}))]
  if (names.size === 0) return { content: words, media }
  const parts = typeof words === 'string' ? [{ type: 'text', text: words }] : (words ?? [])
  const said = parts.filter((part) => !isTextPart(part) || part.text?.trim() !== '')
  return { content: [...said, attachedLine([...names], said.length > 0)], media }
}

/** Takes files out of the fields and the content of a reply. */
class MediaTaker {
  /** What stands for the files: ids with types and sizes, and URLs. */
  readonly names = new Set<string>()
  /** Files that are not fetched. */
  readonly urls = new Set<string>()
  readonly #keeper: FileKeeper

  constructor(keeper: FileKeeper) {
    this.#keeper = keeper
  }

  /** Returns the content without its files. Those within a text are replaced in their place. */
  async takeContent(content: Content): Promise<Content> {
    if (typeof content === 'string') return this.#takeText(content)
    if (!content) return content
    const parts: ContentPart[] = []
    for (const part of content) {
      const kept = await this.take(part, part.type)
      if (kept !== undefined) parts.push(kept as ContentPart)
    }
    return parts
  }

  /** Returns the rest of a value; undefined for a file, and for a list of files. */
  async take(value: unknown, name: string, depth = 0): Promise<unknown> {
    if (opaqueField.test(name) || depth > maxDepth) return value
    if (Array.isArray(value)) return this.#takeList(value, name, depth)
    // Audio without a signature is a list of samples.
    const file = isRecord(value)
      ? fileOfPart(value, name === 'audio' ? 'audio/pcm' : '')
      : fileOfPart({ [name]: value })
    if (file) {
      this.names.add(await this.#keeper.keep(file.bytes, file.mediaType))
      return undefined
    }
    const url = isRecord(value) ? urlOf(value, name) : depth <= 1 && urlOf({ url: value }, name)
    if (url) {
      this.names.add(url)
      this.urls.add(url)
      return value
    }
    if (typeof value === 'string') return this.#takeText(value)
    return isRecord(value) ? this.#takeFields(value, depth) : value
  }

  async #takeList(list: readonly unknown[], name: string, depth: number): Promise<unknown> {
    const kept: unknown[] = []
    for (const one of list) {
      const rest = await this.take(one, name, depth + 1)
      if (rest !== undefined) kept.push(rest)
    }
    return kept.length === 0 && list.length > 0 ? undefined : kept
  }

  async #takeFields(record: Readonly<Record<string, unknown>>, depth: number): Promise<unknown> {
    const kept: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(record)) {
      const rest = await this.take(value, name, depth + 1)
      if (rest !== undefined) setOwn(kept, name, rest)
    }
    return kept
  }

  #takeText(text: string): string | Promise<string> {
    return mayHoldFiles(text) ? replaceFiles(text, this.#keeper.keep) : text
  }
}

const maxDepth = 6

/** Returns the https URL of a picture, sound or video. Links in other fields, such as citations, are no files. */
function urlOf({ type, image_url, url = image_url }: Readonly<Record<string, unknown>>, name: string) {
  const isMedia = /image|audio|video/i.test(`${name} ${String(type)}`)
  const address = isRecord(url) ? url.url : url
  return isMedia && typeof address === 'string' && /^https?:/.test(address) ? address : undefined
}
