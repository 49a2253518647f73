import { type ArtifactStore, CapstanError, type ImageBounds } from '@capstan/core'
import type { ImageLimits } from '../client/dialect.js'
import { type Loaded, load, type Wanted } from '../inputs/resolve-input.js'
import { bytesOf, holdBytes } from '../inputs/stored-bytes.js'
import { checkImage } from './check-image.js'

interface Opening extends Fitting, Pick<Wanted, 'allow' | 'signal'> {}

/** The image that a call names, fit for the server. @throws CapstanError as `load` and `fitImage` do */
export async function openImage(given: string, opening: Opening): Promise<Fit> {
  const { field, store, allow, signal } = opening
  const loaded = await load(given, { kind: 'image', field, store, allow, signal })
  try {
    const fit = await fitImage(loaded, opening)
    if (fit.blob !== loaded.blob) await loaded[Symbol.asyncDispose]()
    return fit
  } catch (error) {
    await loaded[Symbol.asyncDispose]()
    throw error
  }
}

interface Fitting {
  readonly field: string
  readonly limits: ImageLimits
  /** Whether it may be converted and scaled down. */
  readonly convert: boolean | undefined
  readonly store: ArtifactStore
}

/** An image with its size, fit for the server. */
export interface Fit extends Loaded, Size {
  /** The size it had as it was given. */
  readonly given: Size
}

interface Size {
  readonly width: number
  readonly height: number
}

/**
 * An image as the server takes it: as it is, or converted and scaled down, then stored as an artifact made from it.
 * @throws CapstanError `invalid_arguments` for no image, or one that is not taken and may not be converted;
 * `unsupported` without the package for it
 */
export async function fitImage(loaded: Loaded, fitting: Fitting): Promise<Fit> {
  const { field, limits, convert, store } = fitting
  const { artifact, blob } = loaded
  const { mediaType, width = 0, height = 0 } = await checkImage(loaded, field, artifact.mediaType)
  const why = misfit({ mediaType, length: blob.size, side: Math.max(width, height) }, limits)
  if (why === undefined) return { ...loaded, width, height, given: { width, height } }
  const problem = `"${field}" ${artifact.id} ${why}.`
  if (!convert) {
    const message = `${problem} Give another image, or let it be converted: the option convert: true.`
    throw new CapstanError('invalid_arguments', message, { evidence: { field, id: artifact.id } })
  }
  const made = await converted(await bytesOf(loaded), { limits, sharp: await loadSharp(problem), problem })
  const info = { kind: 'image', ...made.facts, parents: [artifact.id] } as const
  return {
    artifact: await store.put(made.bytes, info),
    ...holdBytes(made.bytes),
    ...made.facts,
    given: { width, height },
  }
}

interface Seen {
  readonly mediaType: string
  readonly length: number
  readonly side: number
}

/** Why an image is not taken, or undefined when it is. */
function misfit({ mediaType, length, side }: Seen, limits: ImageLimits): string | undefined {
  if (limits.types && !limits.types.includes(mediaType))
    return `is ${mediaType}; ${limits.types.join(' or ')} is taken`
  if (limits.side !== undefined && side > limits.side)
    return `is ${side} pixels long; ${limits.side} are taken`
  if (limits.bytes !== undefined && length > limits.bytes)
    return `has ${length} bytes; ${limits.bytes} are taken`
  return undefined
}

interface Conversion {
  readonly sharp: Sharp
  readonly limits: ImageLimits
  readonly problem: string
}

/** As PNG, or as JPEG where only that is taken; smaller each time until it fits. */
async function converted(bytes: Uint8Array, { sharp, limits, problem }: Conversion) {
  const { types = ['image/png'], bytes: most = Number.POSITIVE_INFINITY, side } = limits
  const format = types.includes('image/png') ? 'png' : types.includes('image/webp') ? 'webp' : 'jpeg'
  let longest = side
  for (let attempt = 0; attempt < 6; attempt++) {
    const image = sharp(bytes, { limitInputPixels: 100_000_000 }).autoOrient()
    if (longest !== undefined)
      image.resize({ width: longest, height: longest, fit: 'inside', withoutEnlargement: true })
    const { data, info } = await image
      .toFormat(format)
      .toBuffer({ resolveWithObject: true })
      .catch((cause: unknown) => {
        throw new CapstanError(
          'invalid_arguments',
          `${problem} It cannot be converted: it is damaged, or of no known type.`,
          { cause },
        )
      })
    const { width, height } = info
    if (data.length <= most)
      return { bytes: new Uint8Array(data), facts: { mediaType: `image/${format}`, width, height } }
    longest = Math.max(1, Math.floor(Math.max(width, height) * Math.sqrt(most / data.length) * 0.95))
  }
  throw new CapstanError('invalid_arguments', `${problem} It does not get small enough by scaling it down.`)
}

/**
 * A picture made small enough to be shown to a model, as JPEG: what an agent's `show.fit` is for.
 * @throws CapstanError `unsupported` when the package `sharp` is not installed, or the picture cannot be made to fit
 */
export async function fitPicture(picture: Uint8Array, bounds: ImageBounds): Promise<Uint8Array> {
  const sharp = await loadSharp('A picture is too large to be shown to the model as it is.')
  const { width, height } = await sharp(picture).metadata()
  const scale = Math.min(1, Math.sqrt(bounds.maxPixels / (width * height)))
  for (let side = Math.floor(width * scale); side >= 1; side = Math.floor(side / 2)) {
    // What is transparent would be black in a JPEG.
    const small = sharp(picture).rotate().resize({ width: side }).flatten({ background: 'white' })
    const bytes = new Uint8Array(await small.jpeg({ quality: 85 }).toBuffer())
    if (bytes.byteLength <= bounds.maxBytes) return bytes
  }
  const message = `A picture of ${width}x${height} pixels cannot be made to fit ${bounds.maxBytes} bytes.`
  throw new CapstanError('unsupported', message, { evidence: { ...bounds } })
}

type Sharp = typeof import('sharp')['default']

/**
 * The package that scales and converts images, which users install when they need it.
 * @throws CapstanError `unsupported` when it is not installed; `why` says what it is needed for
 */
export async function loadSharp(
  why: string,
  load: () => Promise<{ default: Sharp }> = () => import('sharp'),
): Promise<Sharp> {
  try {
    return (await load()).default
  } catch (cause) {
    const message = `${why} For that, install the package "sharp" (npm install sharp).`
    throw new CapstanError('unsupported', message, { cause, evidence: { package: 'sharp' } })
  }
}
