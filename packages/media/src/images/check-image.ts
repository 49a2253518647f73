import { CapstanError } from '@capstan/core'
import { contentType } from '../inputs/content-type.js'
import { bytesOf, type Held, headOf } from '../inputs/held.js'
import { type ImageFacts, recognizeImage } from '../recognize-image.js'
import { asText } from '../words-of.js'
import { isWhole } from './is-whole.js'

/** The most pixels of an image that is taken in, and of its longer side: a small file may unpack to gigabytes. */
const most = { pixels: 100_000_000, side: 32_768 }

/**
 * What an image is, by its header and content; nothing is unpacked. `said` is the type that came with it.
 * @throws CapstanError `invalid_arguments` for what is no image, cut off, or too large to unpack safely
 */
export async function checkImage(held: Held, field: string, said = ''): Promise<ImageFacts> {
  const fail = (why: string) =>
    new CapstanError('invalid_arguments', `"${field}" ${why}`, { evidence: { field } })
  if (held.blob.size === 0) throw fail('is empty: give the whole image.')
  const facts = await factsOf(held, said)
  if (!facts) throw fail(`is no image but ${await nameOf(await headOf(held))}: give a PNG, JPEG or WebP.`)
  const { mediaType, width = 0, height = 0 } = facts
  if (!(await isWhole(held, mediaType)) || (needsArea.has(mediaType) && width * height === 0))
    throw fail(`is cut off or damaged (${mediaType}): give the whole image.`)
  if (Math.max(width, height) > most.side || width * height > most.pixels)
    throw fail(
      `is ${width}x${height} pixels: at most ${most.side} a side and ${most.pixels / 1e6} megapixels are taken. Give a smaller one.`,
    )
  return facts
}

const needsArea = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/** As much as holds the header of any usual image. */
const headerBytes = 1024 * 1024

/** What an image is, by its header: of a large one no more is read, unless that says too little. */
export async function factsOf(held: Held, said: string): Promise<ImageFacts | undefined> {
  const facts = recognizeImage(await headOf(held, headerBytes), said)
  if (facts?.width !== undefined || held.blob.size <= headerBytes) return facts
  // Its many segments would be walked through while everything else waits.
  if (facts && !(await isWhole(held, facts.mediaType))) return facts
  return recognizeImage(await bytesOf(held), said)
}

/** What bytes are, in words. */
export async function nameOf(bytes: Uint8Array): Promise<string> {
  return (await contentType(bytes)) ?? (asText(bytes) === undefined ? 'unknown bytes' : 'a text')
}
