import { type Artifact, type ArtifactStore, prefixes, sniffMediaType } from '../../artifacts/artifact.js'
import { readBytes } from '../../artifacts/memory-artifacts.js'
import { abortable, chain } from '../../async.js'
import { toBase64 } from '../../bytes.js'
import { checkOptionNames, type OptionKind } from '../../option-names.js'
import type { Feature } from '../../run/feature.js'
import type { RunContext } from '../../run/run-context.js'
import { imagesMark, imagesNamedIn } from '../../run/start.js'
import type { Toolset } from '../../tools/tool.js'
import { type ContentPart, type Message, mediaOf, type UserMessage } from '../../types/message.js'
import type { CallRecord } from '../../types/state.js'

/** Limits on the images that a request includes: those of the latest step. */
export interface ShowImagesOptions {
  /** Default 4. Further images are named, not shown. */
  readonly maxImages?: number
  /** The bytes of one image. Default 4 MiB. */
  readonly maxBytes?: number
  /** The pixels of one image whose size is known. Default 2048 x 2048. */
  readonly maxPixels?: number
  /** Shrinks an image that is too large. Without it such an image is not shown. */
  fit?(image: Uint8Array, bounds: ImageBounds): Promise<Uint8Array>
}

export interface ImageBounds {
  readonly maxBytes: number
  readonly maxPixels: number
}

/**
 * Shows models with vision the images that tools with `show` returned, and those of their own replies, in the next
 * request, and pictures that the user attached in every request.
 * @throws CapstanError `invalid_request` for an unknown option, or a value of another kind
 */
export function showImages(options: ShowImagesOptions = {}): Feature {
  checkOptionNames(options, optionKinds, { of: 'showImages' })
  const attached = new WeakMap<ArtifactStore, WeakMap<Message, Message>>()
  return {
    name: 'show-images',
    toolSettings: ['show'],
    beforeModel({ messages, signal }, { artifacts: store, state }: RunContext) {
      const known = attached.get(store) ?? new WeakMap<Message, Message>()
      attached.set(store, known)
      const named = withImages(messages, { store, options, made: state.artifacts ?? [] })
      const shown = chain(named, (all) =>
        all.some(isAttachedTo) ? withAttachments(all, { store, options }, known) : all,
      )
      if (shown instanceof Promise) return abortable(signal, shown).then((all) => ({ messages: all }))
      return shown === messages ? undefined : { messages: shown }
    },
    afterStep(results, { toolset, messages }: RunContext) {
      const message = showing(results, toolset, ownImages(messages.at(-1)))
      return message && { messages: [message] }
    },
  }
}

const optionKinds: Readonly<Record<keyof ShowImagesOptions, OptionKind>> = {
  maxImages: 'a number from 0 up',
  maxBytes: 'a number from 0 up',
  maxPixels: 'a number from 0 up',
  fit: 'a function',
}

/** The source of images. */
interface ImageSource {
  readonly store: ArtifactStore
  readonly options: ShowImagesOptions
  /** The artifacts of this run. No others are shown. */
  readonly made: readonly Artifact[]
}

/**
 * Returns the messages of a request with the images of the latest step as image parts, within the limits. The messages
 * of the run stay unchanged: only this request contains bytes.
 */
function withImages(
  messages: readonly Message[],
  { store, options, made }: ImageSource,
): readonly Message[] | Promise<readonly Message[]> {
  const at = messages.findLastIndex(
    (message) => message.role === 'assistant' || imagesNamedIn(message) !== undefined,
  )
  const message = messages[at]
  // A user can write the same text with ids of other users' artifacts.
  const isMade = (id: string) => made.some((artifact) => artifact.id === id)
  const named = message && imagesNamedIn(message)?.filter(isMade)
  if (named?.length) return showingThem(messages, { at, ids: named }, { store, options })
  // After an answer they are shown with the user's message: servers take no pictures in those of the model.
  const own = ownImages(message)
  const isFollowed = own.length > 0 && messages[at + 1]?.role === 'user'
  return isFollowed
    ? showingThem(messages, { at: at + 1, ids: own, note: `${ownMark}${own.join(', ')}` }, { store, options })
    : messages
}

function isAttachedTo(message: Message): message is UserMessage {
  return message.role === 'user' && mediaOf(message).some(({ isAttached }) => isAttached)
}

/** Returns the messages with their attached pictures as parts, the same message as the same object in each request. */
async function withAttachments(
  messages: readonly Message[],
  source: Omit<ImageSource, 'made'>,
  known: WeakMap<Message, Message>,
): Promise<readonly Message[]> {
  const all: Message[] = []
  for (const message of messages) {
    const shown =
      known.get(message) ?? (isAttachedTo(message) ? await showingAttached(message, source) : message)
    if (shown !== message) known.set(message, shown)
    all.push(shown)
  }
  return all
}

async function showingAttached(message: UserMessage, source: Omit<ImageSource, 'made'>): Promise<Message> {
  const { media: _, ...plain } = message
  const ids = mediaOf(message).flatMap(({ isAttached, artifact = '' }) => (isAttached ? [artifact] : []))
  // The other files of the message have their places before these.
  const media = mediaOf(message).filter(({ isAttached }) => !isAttached)
  const named = media.length > 0 ? { ...plain, media } : plain
  const [shown = message] = await showingThem([named], { at: 0, ids }, source)
  return shown
}

const ownMark = '\n\nThe pictures of your last answer: '

/** The images that the model made in a reply. Replies of our own states and sessions alone have this mark. */
function ownImages(message: Message | undefined): readonly string[] {
  if (message?.role !== 'assistant') return []
  return mediaOf(message).flatMap(({ artifact = '' }) =>
    artifact.startsWith(`${prefixes.image}_`) ? [artifact] : [],
  )
}

interface Showing {
  /** The index of the message that shows them. */
  readonly at: number
  readonly ids: readonly string[]
  /** The text in front of the images. */
  readonly note?: string
}

async function showingThem(
  messages: readonly Message[],
  { at, ids, note }: Showing,
  { store, options }: { readonly store: ArtifactStore; readonly options: ShowImagesOptions },
): Promise<readonly Message[]> {
  const message = messages[at] as UserMessage
  const { content } = message
  const parts: ContentPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : [...content]
  if (note !== undefined) parts.push({ type: 'text', text: note })
  for (const id of ids.slice(0, options.maxImages ?? 4)) parts.push(await toPart(id, store, options))
  return messages.with(at, { ...message, content: parts })
}

async function toPart(id: string, store: ArtifactStore, options: ShowImagesOptions): Promise<ContentPart> {
  // An image that cannot be read or shrunk must not end the run.
  const picture = await fitting(id, store, options).catch(() => undefined)
  if (!picture)
    return { type: 'text', text: `(${id} cannot be shown: it is too large, not an image, or unreadable.)` }
  const url = `data:${sniffMediaType(picture) ?? 'image/png'};base64,${toBase64(picture)}`
  return { type: 'image_url', image_url: { url } }
}

/** Returns the image within the limits, shrunk if `fit` is given. */
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
  const isPicture = bytes && sniffMediaType(bytes)?.startsWith('image/')
  return isPicture && bytes.byteLength <= maxBytes ? bytes : undefined
}

/** Returns the message that names a step's images; undefined when there are none to show. */
function showing(
  results: readonly CallRecord[],
  toolset: Toolset,
  own: readonly string[] = [],
): UserMessage | undefined {
  const shows = ({ name, status }: CallRecord) => status === 'ok' && toolset.get(name)?.settings.show
  const ofTools = results
    .filter(shows)
    .flatMap(({ artifacts = [] }) => artifacts.filter(isImage).map(({ id }) => id))
  const ids = [...own, ...ofTools]
  return ids.length > 0
    ? { role: 'user', content: `${imagesMark}${[...new Set(ids)].join(', ')}` }
    : undefined
}

function isImage({ kind }: Artifact): boolean {
  return kind === 'image'
}
