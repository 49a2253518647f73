import { type ArtifactStore, sniffMediaType } from '../../artifacts/artifact.js'
import { readBytes } from '../../artifacts/memory-artifacts.js'
import { checkOptionNames, type OptionKind } from '../../option-names.js'
import type { Feature } from '../../run/feature.js'
import { type ContentPart, type MessageMedia, mediaOf } from '../../types/message.js'
import { type ImageShow, shows, toPicture } from './message-media.js'

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
  const toParts: ImageShow['toParts'] = async (files, store) => {
    const parts: ContentPart[] = []
    for (const { artifact = '' } of files.slice(0, options.maxImages ?? 4))
      parts.push(await toPart(artifact, store, options))
    return parts
  }
  const show: ImageShow = {
    toParts,
    async withLastStep(messages, store) {
      const reply = messages.findLastIndex(({ role }) => role === 'assistant')
      let at = reply + 1
      while (messages[at]?.role === 'tool') at++
      const files = reply < 0 ? [] : messages.slice(reply, at).flatMap(mediaOf).filter(isPicture)
      const pictures = [...new Map(files.map((one) => [one.artifact, one])).values()]
      if (pictures.length === 0) return messages
      const ids = pictures.map(({ artifact }) => artifact).join(', ')
      const showing = async (note: string): Promise<readonly ContentPart[]> => [
        { type: 'text', text: note + ids },
        ...(await toParts(pictures, store)),
      ]
      if (at > reply + 1) {
        const content = await showing('The pictures that the results above name: ')
        return messages.toSpliced(at, 0, { role: 'user', content })
      }
      // After an answer they are shown with the user's message: servers take no pictures in those of the model.
      const next = messages[at]
      if (next?.role !== 'user') return messages
      const given = typeof next.content === 'string' ? [{ type: 'text', text: next.content }] : next.content
      const content = [...given, ...(await showing('\n\nThe pictures of your last answer: '))]
      return messages.with(at, { ...next, content })
    },
  }
  // The feature that writes files into requests takes it from here.
  const middleware: Feature = { name: 'show-images', toolSettings: ['show'] }
  shows.set(middleware, show)
  return middleware
}

function isPicture({ show }: MessageMedia): boolean {
  return show === true
}

const optionKinds: Readonly<Record<keyof ShowImagesOptions, OptionKind>> = {
  maxImages: 'a number from 0 up',
  maxBytes: 'a number from 0 up',
  maxPixels: 'a number from 0 up',
  fit: 'a function',
}

async function toPart(id: string, store: ArtifactStore, options: ShowImagesOptions): Promise<ContentPart> {
  // An image that cannot be read or shrunk must not end the run.
  const picture = await fitting(id, store, options).catch(() => undefined)
  if (!picture)
    return { type: 'text', text: `(${id} cannot be shown: it is too large, not an image, or unreadable.)` }
  return toPicture(picture, sniffMediaType(picture))
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
  const isImage = bytes && sniffMediaType(bytes)?.startsWith('image/')
  return isImage && bytes.byteLength <= maxBytes ? bytes : undefined
}
