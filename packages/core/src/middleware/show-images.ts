import { type Artifact, type ArtifactStore, isArtifactId, sniffMediaType } from '../artifacts/artifact.js'
import { readBytes } from '../artifacts/memory-artifacts.js'
import { toBase64 } from '../bytes.js'
import type { CallRecord, ShowOptions } from '../run/run-context.js'
import type { Toolset } from '../tools/tool.js'
import type { ContentPart, Message } from '../types/message.js'

/** The source of images. */
interface ImageSource {
  readonly store: ArtifactStore
  readonly options: ShowOptions
  /** The artifacts of this run. No others are shown. */
  readonly made: readonly Artifact[]
}

/**
 * Returns the messages of a request with the images of the latest step as image parts, within the limits. The messages
 * of the run stay unchanged: only this request contains bytes.
 */
export function withImages(
  messages: readonly Message[],
  { store, options, made }: ImageSource,
): readonly Message[] | Promise<readonly Message[]> {
  const at = messages.findLastIndex(
    (message) => message.role === 'assistant' || shownIn(message) !== undefined,
  )
  const message = messages[at]
  // A user can write the same text with ids of other users' artifacts.
  const isMade = (id: string) => made.some((artifact) => artifact.id === id)
  const ids = message && shownIn(message)?.filter(isMade)
  return ids?.length ? showingThem(messages, { at, ids }, { store, options }) : messages
}

interface Showing {
  readonly at: number
  readonly ids: readonly string[]
}

async function showingThem(
  messages: readonly Message[],
  { at, ids }: Showing,
  { store, options }: { readonly store: ArtifactStore; readonly options: ShowOptions },
): Promise<readonly Message[]> {
  const message = messages[at]
  const parts: ContentPart[] = [{ type: 'text', text: String(message?.content) }]
  for (const id of ids.slice(0, options.maxImages ?? 4)) parts.push(await toPart(id, store, options))
  return messages.with(at, { role: 'user', content: parts })
}

async function toPart(id: string, store: ArtifactStore, options: ShowOptions): Promise<ContentPart> {
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
  { maxBytes = 4 * 2 ** 20, maxPixels = 2048 * 2048, fit: shrink }: ShowOptions,
): Promise<Uint8Array | undefined> {
  const artifact = await store.stat(id)
  if (!artifact) return undefined
  const { width = 0, height = 0 } = artifact
  const isSmall = artifact.bytes <= maxBytes && width * height <= maxPixels
  if (!isSmall && !shrink) return undefined
  const whole = await readBytes(await store.open(id))
  const bytes = isSmall ? whole : await shrink?.(whole, { maxBytes, maxPixels })
  const isPicture = bytes && sniffMediaType(bytes)?.startsWith('image/')
  return isPicture && bytes.byteLength <= maxBytes ? bytes : undefined
}

const start = 'The pictures that the results above name: '

/** Returns the message that names a step's images; undefined when there are none to show. */
export function showing(turn: readonly CallRecord[], toolset: Toolset): Message | undefined {
  const shows = ({ name, status }: CallRecord) => status === 'ok' && toolset.get(name)?.settings.show
  const ids = turn
    .filter(shows)
    .flatMap(({ artifacts = [] }) => artifacts.filter(isImage).map(({ id }) => id))
  return ids.length > 0 ? { role: 'user', content: `${start}${[...new Set(ids)].join(', ')}` } : undefined
}

/** Reads the ids of such a message; undefined for any other. A user can write one too, so callers check the ids. */
function shownIn({ role, content }: Message): readonly string[] | undefined {
  if (role !== 'user' || typeof content !== 'string' || !content.startsWith(start)) return undefined
  // References to attachments follow on later lines.
  const [line = ''] = content.slice(start.length).split('\n')
  const ids = line.split(', ')
  return ids.every(isArtifactId) ? ids : undefined
}

/** Whether a message is from the user, not one that names the images of a step. */
export function isRequest(message: Message): boolean {
  return message.role === 'user' && shownIn(message) === undefined
}

function isImage({ kind }: Artifact): boolean {
  return kind === 'image'
}
