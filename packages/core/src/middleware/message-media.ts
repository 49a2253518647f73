import type { Artifact, ArtifactOrigin, ArtifactStore } from '../artifacts/artifact.js'
import {
  attachedLine,
  FileKeeper,
  fileOfPart,
  mayHoldFiles,
  replaceFiles,
  withFile,
} from '../artifacts/base64-files.js'
import { readBytes } from '../artifacts/memory-artifacts.js'
import { abortable } from '../async.js'
import { toBase64 } from '../bytes.js'
import { isCapstanError } from '../errors.js'
import { isRecord, setOwn } from '../json.js'
import { SpendLimiter } from '../limits.js'
import { furtherFieldsOf } from '../model/request-body.js'
import type { Middleware, ModelCall, WrappedReply } from '../run/middleware.js'
import type { RunContext } from '../run/run-context.js'
import {
  type AssistantMessage,
  type Content,
  type ContentPart,
  type Message,
  type MessageMedia,
  mediaOf,
  textOf,
  type UserMessage,
} from '../types/message.js'

/**
 * Stores the pictures, sounds and other files of replies as artifacts, which the history names, and shows the files of
 * user messages in each request. On by default, and the last to change requests and replies.
 */
export function messageMedia(): Middleware {
  const sent = new WeakMap<ArtifactStore, WeakMap<Message, Message>>()
  return {
    name: 'message-media',
    beforeModel({ messages, signal }, { artifacts }: RunContext) {
      if (!messages.some(({ media }) => media)) return undefined
      const known = sent.get(artifacts) ?? new WeakMap<Message, Message>()
      sent.set(artifacts, known)
      return abortable(signal, toSentMessages(messages, artifacts, known)).then((all) => ({ messages: all }))
    },
    afterModel(reply, call, run: RunContext) {
      return mayHoldMedia(reply.message) ? withoutMedia(reply, call, run) : undefined
    },
  }
}

/** Returns the messages with their files. The same message is the same object in each request: it is serialized once. */
async function toSentMessages(
  messages: readonly Message[],
  store: ArtifactStore,
  known: WeakMap<Message, Message>,
): Promise<readonly Message[]> {
  const all: Message[] = []
  for (const message of messages) {
    const shown = message.media ? (known.get(message) ?? (await toSent(message, store))) : message
    if (shown !== message) known.set(message, shown)
    all.push(shown)
  }
  return all
}

async function toSent(message: Message, store: ArtifactStore): Promise<Message> {
  if (message.role === 'user') return withShownFiles(message, store)
  const { content } = message
  // Many servers take text alone in a message of the model.
  const isText = message.role === 'assistant' && Array.isArray(content) && content.every(isTextPart)
  return isText ? { ...message, content: textOf(content) } : message
}

function isTextPart({ type }: ContentPart): boolean {
  return type === 'text'
}

async function withShownFiles(message: UserMessage, store: ArtifactStore): Promise<UserMessage> {
  const { content } = message
  const parts: unknown[] = typeof content === 'string' ? [{ type: 'text', text: content }] : [...content]
  for (const { artifact, shown } of mediaOf(message)) {
    const bytes = artifact && shown && (await bytesOf(artifact, store))
    if (bytes) parts.splice(shown.at, 0, withFile(shown.part, shown.place, toBase64(bytes)))
  }
  return { ...message, content: parts as ContentPart[] }
}

/** Returns undefined for an artifact that was deleted: the message still names it. */
async function bytesOf(id: string, store: ArtifactStore): Promise<Uint8Array | undefined> {
  try {
    return await readBytes(await store.open(id))
  } catch (error) {
    if (isCapstanError(error) && error.code === 'not_found') return undefined
    throw error
  }
}

/** Whether a reply may have files. Most replies have text and calls alone. */
function mayHoldMedia(message: AssistantMessage): boolean {
  const { content } = message
  for (const field in message) if (!plainFields.has(field)) return true
  return typeof content === 'string' ? mayHoldFiles(content) : content !== null && content !== undefined
}

const plainFields = new Set(['role', 'content', 'tool_calls', 'refusal'])

/** Fields whose base64 is not a file: servers get them back as they sent them. */
const opaqueField = /reason|think|thought|signature|encrypt/i

async function withoutMedia(
  reply: WrappedReply,
  call: ModelCall,
  run: RunContext,
): Promise<WrappedReply | undefined> {
  // The server's own field of this name is not a mark of ours.
  const { content: given, media: foreign, ...others } = reply.message
  const limiter = new SpendLimiter(run.usage, run.limits, run.settings.prices)
  const keeper = new FileKeeper(run.artifacts, { origin: originOf(reply, call, run), limiter })
  const taker = new MediaTaker(keeper)
  const fields: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(others)) {
    const kept = plainFields.has(name) ? value : await taker.take(value, name)
    if (kept !== undefined) setOwn(fields, name, kept)
  }
  const words = await taker.takeContent(given)
  const isSame = taker.names.size === 0 && keeper.kept.length === 0 && !keeper.limit
  if (isSame && foreign === undefined) return undefined
  const message = { ...fields, content: words } as AssistantMessage
  if (isSame) return { ...reply, message: withoutStaleMark(message) }
  for (const artifact of keeper.kept)
    run.parts.emit?.({ type: 'artifact-stored', step: run.step, model: modelOf(reply, call), artifact })
  const { kept: artifacts, spent, limit: passed } = keeper
  return {
    ...reply,
    message: withoutStaleMark({ ...message, ...namingMedia(words, taker, artifacts) }),
    media: { artifacts, spent, ...(passed ? { passed } : {}) },
  }
}

/** Without its files a reply may have no field left that its server alone takes. */
function withoutStaleMark({ saidBy, ...message }: AssistantMessage): AssistantMessage {
  const isMarked = saidBy !== undefined && furtherFieldsOf(message).length > 0
  return isMarked ? { ...message, saidBy } : message
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

function modelOf({ model }: WrappedReply, call: ModelCall): string {
  return model ?? call.model.name
}

/** What a model writes after it read untrusted text is trusted no more than that. */
function originOf(reply: WrappedReply, call: ModelCall, { runId, taintedBy }: RunContext): ArtifactOrigin {
  return { model: modelOf(reply, call), runId, ...(taintedBy === undefined ? {} : { taintedBy }) }
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
    if (typeof value === 'string') return this.#takeText(value)
    if (!isRecord(value)) return value
    const url = urlOf(value, name)
    if (url !== undefined) {
      this.names.add(url)
      this.urls.add(url)
      return value
    }
    return this.#takeFields(value, depth)
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
