import { type ArtifactStore, markOf, sniffMediaType } from '../../artifacts/artifact.js'
import { readBytes } from '../../artifacts/memory-artifacts.js'
import { abortable, chain } from '../../async.js'
import { toBase64 } from '../../bytes.js'
import { codeOf, invalidOption } from '../../errors.js'
import { isString, onceFor, withoutUndefined } from '../../json.js'
import { furtherFieldsOf } from '../../model/reply-fields.js'
import { checkOptionNames, type OptionKind } from '../../option-names.js'
import { filesOfParts } from '../../run/estimate.js'
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
  type UserMessage,
  withText,
} from '../../types/message.js'
import type { ModelSink } from '../../types/model.js'
import type { CallResult } from '../../types/state.js'
import { attach, plainFields, storeFilesIn, takeMedia } from './attachments.js'
import { Base64Filter, fileKeeper, keepFiles, mayHoldFiles, replaceFilesIn } from './base64-files.js'
import { fewCharacters, withFile } from './encoded-files.js'

/** How a `showImages` middleware shows images. */
interface ImageShow {
  /** Returns the parts that show attached images. */
  toParts(files: readonly MessageMedia[], store: ArtifactStore): Promise<readonly ContentPart[]>
  /** Adds images from replies and results to a request's messages, after the step that they come from. */
  withResults(messages: readonly Message[], store: ArtifactStore): Promise<readonly Message[]>
}

/**
 * Stores images, audio and other files from replies and results as artifacts. Adds the files of messages to each
 * request: their names, and what the model may see. On by default. This is the last feature to change requests and
 * replies.
 */
export function messageMedia(show?: ImageShow): Feature {
  const [sent, seen] = [shownBefore(), shownBefore()]
  return {
    name,
    isInner: true,
    runOptions: { attachments: 'an array: [one, two]' },
    forAgent({ middleware = [] }: { readonly middleware?: readonly Middleware[] }) {
      if (middleware.some((one) => one.name === name)) {
        const message = `"${name}" cannot be turned off: it keeps base64 out of the history.`
        throw invalidOption('middleware', message)
      }
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
      const hasMedia = messages === run.messages ? run.hasMedia : messages.some(({ media }) => media)
      if (!hasMedia) return filtered
      const { artifacts } = run
      const known = (vision ? seen : sent)(artifacts)
      const all = toSentMessages(messages, { store: artifacts, vision, show }, known)
      return abortable(signal, all).then((messages) => ({ ...filtered, messages }))
    },
    afterModel: storeReply,
    afterTool(result, call, run) {
      const { content } = result
      // Text that was read from an artifact stays unchanged.
      const isText = call.tool.reads || content.length <= fewCharacters || !mayHoldFiles(content)
      return isText ? result : withoutFiles(result, call, run)
    },
  }
}

const name = 'message-media'

/** How each `showImages` middleware shows images. */
const shows = new WeakMap<Middleware, ImageShow>()

/** Returns a cache of messages as they are sent, by store and message. */
function shownBefore() {
  return onceFor((_store: ArtifactStore) => new WeakMap<Message, Message>())
}

interface ShownFiles {
  readonly store: ArtifactStore
  /** Whether the model accepts images. If so, attached images are shown. */
  readonly vision: boolean
  readonly show: ImageShow | undefined
}

/**
 * Returns the messages with their files. A message is the same object in each request, so that it is serialized only
 * once.
 */
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
  return source.show ? source.show.withResults(all, source.store) : all
}

async function toSent(message: Message, source: ShownFiles): Promise<Message> {
  const { role, content } = message
  const line = fileLineOf(message)
  // Token estimates count the files in the content, so `media` is empty.
  if (role === 'user') return { ...message, media: [], content: await withFiles(message, line, source) }
  if (role !== 'assistant') return message
  // Many servers accept only text in assistant messages.
  if (!Array.isArray(content) || content.every(isTextPart)) {
    const text = textOf(content) + line
    return text === '' || text === content ? message : { ...message, content: text }
  }
  return line === '' ? message : { ...message, content: withText(content, line) }
}

/** Returns a user message's content with its files: images after the text, other files at their position. */
async function withFiles(
  message: Message,
  line: string,
  { store, vision, show }: ShownFiles,
): Promise<string | readonly ContentPart[]> {
  const { content } = message
  const isText = isString(content)
  const parts: ContentPart[] = isText ? [{ type: 'text', text: content + line }] : [...(content ?? [])]
  if (!isText && line !== '') parts.push({ type: 'text', text: line })
  const files = mediaOf(message)
  const insert = (at: number, part: ContentPart, file: MessageMedia) => {
    parts.splice(at, 0, part)
    filesOfParts.set(part, file)
  }
  for (const file of files) {
    const { artifact, show: place } = file
    if (place === undefined || place === true) continue
    const bytes = await bytesOf(artifact, store)
    if (bytes) insert(place.at, withFile(place.part, place, toBase64(bytes)) as ContentPart, file)
  }
  const pictures = files.filter((file) => file.show === true)
  if (show) parts.push(...(await show.toParts(pictures, store)))
  else if (vision)
    for (const file of pictures) {
      const bytes = await bytesOf(file.artifact, store)
      // Servers reject larger images.
      if (bytes && bytes.byteLength <= 20 * 2 ** 20)
        insert(parts.length, toPicture(bytes, file.mediaType), file)
    }
  // If there are no images, text stays a string.
  return isText && parts.length === 1 ? content + line : parts
}

function toPicture(bytes: Uint8Array, mediaType = 'image/png'): ContentPart {
  return { type: 'image_url', image_url: { url: `data:${mediaType};base64,${toBase64(bytes)}` } }
}

/**
 * Returns an artifact's bytes. Undefined if the artifact was deleted, although the message still names the artifact.
 */
async function bytesOf(id: string | undefined, store: ArtifactStore): Promise<Uint8Array | undefined> {
  if (id === undefined) return undefined
  try {
    return await readBytes(await store.open(id))
  } catch (error) {
    if (codeOf(error) === 'not_found') return undefined
    throw error
  }
}

/** A streamed reply's text, without base64 files. */
interface FilteredText {
  readonly sink: ModelSink
  filter: Base64Filter | undefined
  /** How many characters, from the start of the reply, have been passed on. */
  told: number
}

/** The streamed text of each run's last request. */
const streamed = new WeakMap<RunView, FilteredText>()

/** Returns a sink that drops base64 files and all text after them. The reply names artifacts instead. */
function filteredSink(sink: ModelSink, run: RunView): ModelSink {
  const text: FilteredText = { sink, filter: undefined, told: 0 }
  streamed.set(run, text)
  return (delta) => {
    if (delta.type === 'retry') Object.assign(text, { filter: undefined, told: 0 })
    if (delta.type !== 'text') return sink(delta)
    text.filter ??= new Base64Filter()
    const shown = text.filter.add(delta.text)
    if (shown === '') return
    text.told += shown.length
    sink(shown === delta.text ? delta : { ...delta, text: shown })
  }
}

/** Emits the rest of the streamed text, which was held back, as it appears in the history. */
function endText(
  { sink, filter, told }: FilteredText,
  given: AssistantMessage,
  kept: AssistantMessage,
): void {
  if (!filter?.isHolding) return
  const [text, words] = [textOf(given.content), textOf(kept.content)]
  let same = 0
  while (same < told && text[same] === words[same]) same++
  if (same < words.length) sink({ type: 'text', text: words.slice(same) })
}

function storeReply(
  reply: StepReply,
  call: StepRequest,
  run: RunView,
): StepReply | undefined | Promise<StepReply | undefined> {
  const { message } = reply
  let mayHold = isString(message.content) ? mayHoldFiles(message.content) : message.content
  // Most replies have only text and calls.
  for (const field in message) mayHold ||= !plainFields.has(field)
  const stored = mayHold ? withoutMedia(reply, call, run) : undefined
  const text = streamed.get(run)
  if (!text) return stored
  streamed.delete(run)
  return chain(stored, (changed) => {
    endText(text, message, (changed ?? reply).message)
    return changed
  })
}

async function withoutMedia(
  reply: StepReply,
  call: StepRequest,
  run: RunView,
): Promise<StepReply | undefined> {
  // If the server sends a field with this name, it does not describe our files.
  const { media: foreign, ...given } = reply.message
  const model = reply.model ?? call.model.name
  // Text that a model writes after it has read untrusted text is not trusted either.
  const { runId, taintedBy = given.taintedBy } = run
  const origin = withoutUndefined({ model, runId, taintedBy })
  const keeper = fileKeeper(run.artifacts, { origin, limiter: run.limiter() })
  const message = await takeMedia(given, keeper)
  if (!message) return foreign === undefined ? undefined : { ...reply, message: withoutStaleMark(given) }
  const { kept: artifacts, spent, limit } = keeper
  for (const artifact of artifacts) run.emit({ type: 'artifact-stored', model, artifact })
  let { output } = reply
  if (output && 'value' in output) output = { value: await replaceFilesIn(output.value, keeper.keep) }
  return {
    ...reply,
    ...withoutUndefined({ output, artifacts, spent, limit }),
    message: withoutStaleMark(message),
  }
}

/** Removes the `server` mark from a reply if its files were the only content that other servers would reject. */
function withoutStaleMark({ server, ...message }: AssistantMessage): AssistantMessage {
  const isMarked = server !== undefined && furtherFieldsOf(message).length > 0
  return isMarked ? { ...message, server } : message
}

async function withoutFiles(result: CallResult, call: RunningCall, run: RunView): Promise<CallResult> {
  const shorter = await keepFiles(result, fileKeeper(call.artifacts ?? run.artifacts))
  if (shorter !== result) warnOnce(call.tool, result.content.length - shorter.content.length)
  return shorter
}

/** Tools whose base64 has already caused a warning. */
const warned = new WeakSet<Tool>()

/**
 * Warns once per tool that returns base64, because a model cannot read base64: the tool should store the bytes itself.
 */
function warnOnce(tool: Tool, characters: number): void {
  if (!tool.execute || warned.has(tool)) return
  warned.add(tool)
  const advice = tool.isDynamic
    ? 'Ask its authors to send a file block'
    : 'Use ctx.artifacts.put(bytes, info)'
  const message = `Tool "${tool.name}" returned ${characters} characters of base64, which became an artifact. ${advice}.`
  globalThis.process?.emitWarning?.(message, { type: 'CapstanWarning', code: 'capstan_base64_result' })
}

/** Limits on the images of one step, or of one user message. */
export interface ShowImagesOptions {
  /** The maximum number of images to show. Other images are only named. Default 4. */
  readonly maxImages?: number
  /** The maximum size of an image in bytes. Default 4 MiB. */
  readonly maxBytes?: number
  /** The maximum number of pixels in an image, if its dimensions are known. Default 2048 x 2048. */
  readonly maxPixels?: number
  /** Shrinks an image that is too large. Without this function, such an image is not shown. */
  fit?(image: Uint8Array, bounds: ImageBounds): Promise<Uint8Array>
}

export interface ImageBounds {
  readonly maxBytes: number
  readonly maxPixels: number
}

/**
 * Shows images to models with vision: images that tools with `show` returned, images in the model's own replies, and
 * images that the user attached. All later requests contain the images at the same positions, so that servers can cache
 * the start of a request.
 * @throws CapstanError `invalid_request` for an unknown option, or a value of the wrong type
 */
export function showImages(options: ShowImagesOptions = {}): Feature {
  checkOptionNames(options, optionKinds, { of: 'showImages' })
  const toParts: ImageShow['toParts'] = async (files, store) => {
    const parts: ContentPart[] = []
    for (const { artifact = '' } of files.slice(0, options.maxImages ?? 4))
      parts.push(await toPart(artifact, store, options))
    return parts
  }
  const known = shownBefore()
  /** Returns a message with images: the same object in each request, so that servers find it in their caches. */
  const shown = async (message: Message, files: readonly MessageMedia[], store: ArtifactStore) => {
    const before = known(store).get(message)
    if (before) return before
    const pictures = [...new Map(files.map((one) => [one.artifact, one])).values()]
    const ids = pictures.map(({ artifact }) => artifact).join(', ')
    const parts = await toParts(pictures, store)
    const made = message.role === 'user' ? withAnswer(message, ids, parts) : toResultPictures(ids, parts)
    known(store).set(message, made)
    return made
  }
  const show: ImageShow = {
    toParts,
    async withResults(messages, store) {
      const all: Message[] = []
      let pictures: MessageMedia[] = []
      for (const [at, message] of messages.entries()) {
        const { role } = message
        if (role === 'assistant') pictures = []
        if (role !== 'user') pictures.push(...mediaOf(message).filter(isPicture))
        const isEnd = role === 'user' || (role === 'tool' && messages[at + 1]?.role !== 'tool')
        const isShown = isEnd && pictures.length > 0
        if (!isShown || role === 'tool') all.push(message.media ? named(message) : message)
        if (isShown) all.push(await shown(message, pictures.splice(0), store))
      }
      return all
    },
  }
  // `messageMedia`, which adds files to requests, finds `show` by this middleware.
  const middleware: Feature = {
    name: 'show-images',
    toolSettings: ['show'],
    afterTool: (result, { tool }) => (tool.settings.show ? withShown(result) : result),
  }
  shows.set(middleware, show)
  return middleware
}

/** Returns a result with its images marked, so that the model is shown them. */
function withShown(result: CallResult): CallResult {
  const { status, artifacts = [], media = [] } = result
  if (status !== 'ok') return result
  const pictures = artifacts.filter(({ kind }) => kind === 'image')
  if (pictures.length === 0) return result
  const others = media.filter(({ artifact }) => pictures.every(({ id }) => id !== artifact))
  const shown = pictures.map((one) => {
    const file = { artifact: one.id, show: true as const }
    return markOf(one) === undefined ? file : { ...file, untrusted: true as const }
  })
  return { ...result, media: [...others, ...shown] }
}

function toResultPictures(ids: string, parts: readonly ContentPart[]): Message {
  // Text for the model.
  const note = `Images from the results above: ${ids}`
  return { role: 'user', content: [{ type: 'text', text: note }, ...parts] }
}

/** Shows a reply's images in the next user message, because servers do not accept images in assistant messages. */
function withAnswer(message: UserMessage, ids: string, parts: readonly ContentPart[]): Message {
  const { content } = message
  const given = isString(content) ? [{ type: 'text', text: content }] : content
  // Text for the model.
  const note = { type: 'text', text: `\n\nImages from your last reply: ${ids}` }
  return { ...message, content: [...given, note, ...parts] }
}

/**
 * Returns a copy of a message without files. The files' images are shown, and their tokens counted, in a later message.
 */
const named = /* @__PURE__ */ onceFor((message: Message): Message => ({ ...message, media: [] }))

function isPicture({ show }: MessageMedia): boolean {
  return show === true
}

const optionKinds: Readonly<Record<keyof ShowImagesOptions, OptionKind>> = {
  maxImages: 'a number of at least 0',
  maxBytes: 'a number of at least 0',
  maxPixels: 'a number of at least 0',
  fit: 'a function',
}

async function toPart(id: string, store: ArtifactStore, options: ShowImagesOptions): Promise<ContentPart> {
  // An image that cannot be read or shrunk must not end the run.
  const picture = await fitting(id, store, options).catch(() => undefined)
  if (!picture)
    // Text for the model.
    return { type: 'text', text: `(${id} cannot be shown: it is too large, not an image, or unreadable.)` }
  return toPicture(picture, sniffMediaType(picture))
}

/**
 * Returns an image within the limits, shrunk with `fit` if necessary. Undefined if the artifact is missing, too large,
 * or not an image.
 */
async function fitting(
  id: string,
  store: ArtifactStore,
  { maxBytes = 4 * 2 ** 20, maxPixels = 2048 * 2048, fit: shrink }: ShowImagesOptions,
): Promise<Uint8Array | undefined> {
  const artifact = await store.stat(id)
  if (!artifact) return undefined
  const { width = 0, height = 0 } = artifact
  const isSmall = artifact.size <= maxBytes && width * height <= maxPixels
  if (!isSmall && !shrink) return undefined
  const whole = await readBytes(await store.open(id))
  const bytes = isSmall ? whole : await shrink?.(whole, { maxBytes, maxPixels })
  const isImage = bytes && sniffMediaType(bytes)?.startsWith('image/')
  return isImage && bytes.byteLength <= maxBytes ? bytes : undefined
}
