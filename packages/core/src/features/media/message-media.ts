import { type ArtifactOrigin, type ArtifactStore, markOf } from '../../artifacts/artifact.js'
import { readBytes } from '../../artifacts/memory-artifacts.js'
import { abortable, chain } from '../../async.js'
import { toBase64 } from '../../bytes.js'
import { CapstanError, isCapstanError } from '../../errors.js'
import { onceFor, withoutUndefined } from '../../json.js'
import { furtherFieldsOf } from '../../model/request-body.js'
import type { Attachment, Feature } from '../../run/feature.js'
import type { Middleware, RunView, StepReply, StepRequest } from '../../run/middleware.js'
import type { RunningCall, Tool } from '../../tools/tool.js'
import {
  type AssistantMessage,
  type ContentPart,
  fileLineOf,
  isTextPart,
  type Message,
  type MessageMedia,
  mediaOf,
  textOf,
} from '../../types/message.js'
import type { ModelSink } from '../../types/model.js'
import type { CallResult } from '../../types/state.js'
import { attach, mayHoldMedia, storeFilesIn, takeMedia } from './attachments.js'
import { Base64Filter, FileKeeper, keepFiles, mayHoldFiles, replaceFilesIn } from './base64-files.js'
import { withFile } from './file-parts.js'

/** What `showImages` shows, whatever a model says of vision. Programs without it do not load this. */
export interface ImageShow {
  /** Returns the parts that show attached pictures. */
  toParts(files: readonly MessageMedia[], store: ArtifactStore): Promise<readonly ContentPart[]>
  /** Adds the pictures of the last step to a request. */
  withLastStep(messages: readonly Message[], store: ArtifactStore): Promise<readonly Message[]>
}

/**
 * Stores the pictures, sounds and other files of replies and results as artifacts, and writes the files of messages into
 * each request: their names, and what the model is shown. On by default, and the last to change requests and replies.
 */
export function messageMedia(show?: ImageShow): Feature {
  const [sent, seen] = [shownBefore(), shownBefore()]
  return {
    name,
    isInner: true,
    runOptions: { attachments: 'a list: [one, two]' },
    forAgent({ middleware = [] }: { readonly middleware?: readonly Middleware[] }) {
      if (middleware.some((one) => one.name === name)) throw notRemoved()
      const shown = middleware.find((one) => shows.has(one))
      return shown ? messageMedia(shows.get(shown)) : this
    },
    async prepareInput({ messages, from, options, artifacts }) {
      const stored = await storeFilesIn(messages, artifacts, from)
      const { attachments = [] } = options as { readonly attachments?: readonly Attachment[] }
      const last = await attach(stored.at(-1), attachments, artifacts)
      return last ? [...stored.slice(0, -1), Object.freeze(last)] : stored
    },
    beforeModel({ messages, signal, stream, sink, model: { vision = false } }, run) {
      const filtered = stream && sink ? { sink: filteredSink(sink, run) } : undefined
      if (!hasFiles(messages, run)) return filtered
      const { artifacts } = run
      const known = (vision ? seen : sent)(artifacts)
      const all = toSentMessages(messages, { store: artifacts, vision, show }, known)
      return abortable(signal, all).then((messages) => ({ ...filtered, messages }))
    },
    afterModel: storeReply,
    afterTool(result, call, run) {
      // Text of an artifact stays as it is.
      if (call.tool.reads || !mayHoldFiles(result.content)) return withShown(result, call)
      return withoutFiles(result, call, run).then((stored) => withShown(stored, call))
    },
  }
}

const name = 'message-media'

/** What each middleware of `showImages` shows. */
export const shows = new WeakMap<Middleware, ImageShow>()

function notRemoved(): CapstanError {
  const message = `"${name}" cannot be turned off: it keeps base64 out of the history. Remove it from middleware.`
  return new CapstanError('invalid_request', message, { evidence: { option: 'middleware' } })
}

/** How much of each conversation was looked at, and whether it has files. Conversations only grow. */
const lookedAt = onceFor((_messages: readonly Message[]) => ({ length: 0, hasFiles: false }))

/** Whether messages have files. Those of a run are looked at once. */
function hasFiles(messages: readonly Message[], run: RunView): boolean {
  const isFile = ({ media }: Message) => media !== undefined
  if (messages !== run.messages) return messages.some(isFile)
  const known = lookedAt(messages)
  for (; !known.hasFiles && known.length < messages.length; known.length++)
    known.hasFiles = isFile(messages[known.length] as Message)
  return known.hasFiles
}

/** The messages as sent, for each store and message. */
function shownBefore() {
  return onceFor((_store: ArtifactStore) => new WeakMap<Message, Message>())
}

interface ShownFiles {
  readonly store: ArtifactStore
  /** Whether the model sees: then attached pictures are shown. */
  readonly vision: boolean
  readonly show: ImageShow | undefined
}

/** Returns the messages with their files. The same message is the same object in each request: it is serialized once. */
async function toSentMessages(
  messages: readonly Message[],
  source: ShownFiles,
  known: WeakMap<Message, Message>,
): Promise<readonly Message[]> {
  const all: Message[] = []
  for (const message of messages) {
    const shown = message.media ? (known.get(message) ?? (await toSent(message, source))) : message
    if (shown !== message) known.set(message, shown)
    all.push(shown)
  }
  return source.show ? source.show.withLastStep(all, source.store) : all
}

async function toSent(message: Message, source: ShownFiles): Promise<Message> {
  const { role, content } = message
  const line = fileLineOf(message)
  if (role === 'user') return { ...message, content: await withFiles(message, line, source) }
  if (role !== 'assistant') return message
  // Many servers take text alone in a message of the model.
  if (!Array.isArray(content) || content.every(isTextPart)) {
    const text = textOf(content) + line
    return text === '' || text === content ? message : { ...message, content: text }
  }
  return line === '' ? message : { ...message, content: [...content, { type: 'text', text: line }] }
}

/** Returns the content of a user's message with its files: pictures behind the text, others where they were. */
async function withFiles(
  message: Message,
  line: string,
  { store, vision, show }: ShownFiles,
): Promise<string | readonly ContentPart[]> {
  const { content } = message
  const isText = typeof content === 'string'
  const parts: ContentPart[] = isText ? [{ type: 'text', text: content + line }] : [...(content ?? [])]
  if (!isText && line !== '') parts.push({ type: 'text', text: line })
  const files = mediaOf(message)
  for (const { artifact, show: place } of files) {
    if (place === undefined || place === true) continue
    const bytes = await bytesOf(artifact, store)
    if (bytes) parts.splice(place.at, 0, withFile(place.part, place, toBase64(bytes)) as ContentPart)
  }
  const pictures = files.filter((file) => file.show === true)
  if (show) parts.push(...(await show.toParts(pictures, store)))
  else if (vision)
    for (const { artifact, mediaType } of pictures) {
      const bytes = await bytesOf(artifact, store)
      // Servers refuse larger ones.
      if (bytes && bytes.byteLength <= 20 * 2 ** 20) parts.push(toPicture(bytes, mediaType))
    }
  // Without a picture a text stays one.
  return isText && parts.length === 1 ? content + line : parts
}

/** Returns a picture as a part. */
export function toPicture(bytes: Uint8Array, mediaType = 'image/png'): ContentPart {
  return { type: 'image_url', image_url: { url: `data:${mediaType};base64,${toBase64(bytes)}` } }
}

/** Returns undefined for an artifact that was deleted: the message still names it. */
async function bytesOf(id: string | undefined, store: ArtifactStore): Promise<Uint8Array | undefined> {
  if (id === undefined) return undefined
  try {
    return await readBytes(await store.open(id))
  } catch (error) {
    if (isCapstanError(error) && error.code === 'not_found') return undefined
    throw error
  }
}

/** The text of a streamed reply, of which files in base64 are held back. */
interface FilteredText {
  readonly sink: ModelSink
  filter: Base64Filter | undefined
  /** The text that was passed on. */
  told: string
}

/** The streamed text of each run's last request. */
const streamed = new WeakMap<RunView, FilteredText>()

/** Returns a sink without files in base64, and all text after them: the reply names artifacts in their place. */
function filteredSink(sink: ModelSink, run: RunView): ModelSink {
  const text: FilteredText = { sink, filter: undefined, told: '' }
  streamed.set(run, text)
  return (delta) => {
    if (delta.type === 'retry') Object.assign(text, { filter: undefined, told: '' })
    if (delta.type !== 'text') return sink(delta)
    text.filter ??= new Base64Filter()
    const shown = text.filter.add(delta.text)
    if (shown === '') return
    text.told += shown
    sink({ ...delta, text: shown })
  }
}

/** Passes on the rest of a streamed text of which a part was held back, as the history has it. */
function endText({ sink, filter, told }: FilteredText, { content }: AssistantMessage): void {
  if (!filter?.isHolding) return
  const words = textOf(content)
  let same = 0
  while (same < told.length && told[same] === words[same]) same++
  if (same < words.length) sink({ type: 'text', text: words.slice(same) })
}

function storeReply(
  reply: StepReply,
  call: StepRequest,
  run: RunView,
): StepReply | undefined | Promise<StepReply | undefined> {
  const stored = mayHoldMedia(reply.message) ? withoutMedia(reply, call, run) : undefined
  const text = streamed.get(run)
  if (!text) return stored
  streamed.delete(run)
  return chain(stored, (changed) => {
    endText(text, (changed ?? reply).message)
    return changed
  })
}

async function withoutMedia(
  reply: StepReply,
  call: StepRequest,
  run: RunView,
): Promise<StepReply | undefined> {
  // The server's own field of this name is not a mark of ours.
  const { media: foreign, ...given } = reply.message
  const keeper = new FileKeeper(run.artifacts, { origin: originOf(reply, call, run), limiter: run.limiter() })
  const message = await takeMedia(given, keeper)
  if (!message) return foreign === undefined ? undefined : { ...reply, message: withoutStaleMark(given) }
  const { kept: artifacts, spent, limit } = keeper
  for (const artifact of artifacts)
    run.emit({ type: 'artifact-stored', model: modelOf(reply, call), artifact })
  const { output } = reply
  const read =
    output && 'value' in output ? { value: await replaceFilesIn(output.value, keeper.keep) } : output
  return {
    ...reply,
    ...withoutUndefined({ output: read, artifacts, spent, limit }),
    message: withoutStaleMark(message),
  }
}

/** Without its files a reply may have no field left that its server alone takes. */
function withoutStaleMark({ server, ...message }: AssistantMessage): AssistantMessage {
  const isMarked = server !== undefined && furtherFieldsOf(message).length > 0
  return isMarked ? { ...message, server } : message
}

function modelOf({ model }: StepReply, call: StepRequest): string {
  return model ?? call.model.name
}

/** What a model writes after it read untrusted text is trusted no more than that. */
function originOf(
  reply: StepReply,
  call: StepRequest,
  { runId, taintedBy: before }: RunView,
): ArtifactOrigin {
  const taintedBy = before ?? reply.message.taintedBy
  return withoutUndefined({ model: modelOf(reply, call), runId, taintedBy })
}

/** Returns a result with the pictures that its tool shows. */
function withShown(result: CallResult, { tool }: RunningCall): CallResult {
  const { status, artifacts = [], media = [] } = result
  if (!tool.settings.show || status !== 'ok') return result
  const pictures = artifacts.filter(({ kind }) => kind === 'image')
  if (pictures.length === 0) return result
  const others = media.filter(({ artifact }) => pictures.every(({ id }) => id !== artifact))
  const shown = pictures.map((one) => {
    const file = { artifact: one.id, show: true as const }
    return markOf(one) === undefined ? file : { ...file, untrusted: true as const }
  })
  return { ...result, media: [...others, ...shown] }
}

async function withoutFiles(result: CallResult, call: RunningCall, run: RunView): Promise<CallResult> {
  const shorter = await keepFiles(result, new FileKeeper(call.artifacts ?? run.artifacts))
  if (shorter !== result) warnOnce(call.tool, result.content.length - shorter.content.length)
  return shorter
}

/** Tools whose results contained files. */
const warned = new WeakSet<Tool>()

/** The model cannot read base64: the tool should store its bytes itself. */
function warnOnce(tool: Tool, characters: number): void {
  if (!tool.execute || warned.has(tool)) return
  warned.add(tool)
  const advice = tool.isDynamic
    ? 'Ask the authors of its MCP server to send a file block'
    : 'Use ctx.artifacts.put(bytes, info)'
  const message = `Tool "${tool.name}" returned ${characters} characters of base64, which became an artifact. ${advice}.`
  globalThis.process?.emitWarning?.(message, { type: 'CapstanWarning', code: 'capstan_base64_result' })
}
