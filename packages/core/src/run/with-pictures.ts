import { readBytes } from '../tool/read-bytes.js'
import { sniffMediaType } from '../tool/sniff.js'
import type { Artifact, ArtifactStore } from '../words/artifact.js'
import { toBase64 } from '../words/base64.js'
import type { ContentPart, Message } from '../words/message.js'
import { shownIn } from './shown.js'
import type { ShowOptions } from './walk.js'

/** Where pictures are from. */
export interface PictureSource {
  readonly store: ArtifactStore
  readonly options: ShowOptions
  /** What calls of this run came to: nothing else is shown. */
  readonly made: readonly Artifact[]
}

/**
 * A request's messages with the pictures of the latest turn inside, as image parts, within their bounds. The messages
 * of the run are left as they are: only this request holds bytes.
 */
export function withPictures(
  messages: readonly Message[],
  { store, options, made }: PictureSource,
): readonly Message[] | Promise<readonly Message[]> {
  const at = messages.findLastIndex(
    (message) => message.role === 'assistant' || shownIn(message) !== undefined,
  )
  const message = messages[at]
  // A user can write such words as well, and name what is somebody else's.
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
  // One that cannot be read, or made to fit, is no reason to end a run.
  const picture = await fitting(id, store, options).catch(() => undefined)
  if (!picture)
    return { type: 'text', text: `(${id} cannot be shown: it is too large, no picture, or cannot be read.)` }
  const url = `data:${sniffMediaType(picture) ?? 'image/png'};base64,${toBase64(picture)}`
  return { type: 'image_url', image_url: { url } }
}

/** The picture within its bounds, made smaller where that can be done. */
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
