import { type ArtifactStore, CapstanError, type ImageBounds } from '@capstan/core'
import type { ImageLimits } from '../client/dialect.js'
import { type ArtifactRequest, type LoadedArtifact, loadArtifact } from '../inputs/resolve-input.js'
import { fromBytes, readBytes } from '../inputs/stored-bytes.js'
import { checkImage } from './check-image.js'

interface LoadImageOptions extends FitOptions, Pick<ArtifactRequest, 'allow' | 'signal'> {}

/**
 * Loads the image that a call names. Converts it for the server if needed. @throws CapstanError as `loadArtifact` and
 * `fitImage` do
 */
export async function loadImage(given: string, opening: LoadImageOptions): Promise<FittedImage> {
  const { field, store, allow, signal } = opening
  const loaded = await loadArtifact(given, { kind: 'image', field, store, allow, signal })
  try {
    const fit = await fitImage(loaded, opening)
    if (fit.blob !== loaded.blob) await loaded[Symbol.asyncDispose]()
    return fit
  } catch (error) {
    await loaded[Symbol.asyncDispose]()
    throw error
  }
}

interface FitOptions {
  readonly field: string
  readonly limits: ImageLimits
  /** Whether to convert and scale down the image if needed. */
  readonly convert: boolean | undefined
  readonly store: ArtifactStore
}

/** An image that the server accepts, and its size. */
export interface FittedImage extends LoadedArtifact, Size {
  /** The size before the conversion. */
  readonly originalSize: Size
}

interface Size {
  readonly width: number
  readonly height: number
}

/**
 * Returns an image that the server accepts: unchanged, or converted, scaled down and stored as a derived artifact.
 * @throws CapstanError `invalid_arguments` if it is not an image, or the server does not accept it and it may not be
 * converted; `unsupported` if it must be converted and `sharp` is not installed
 */
export async function fitImage(loaded: LoadedArtifact, fitting: FitOptions): Promise<FittedImage> {
  const { field, limits, convert, store } = fitting
  const { artifact, blob } = loaded
  const { mediaType, width = 0, height = 0 } = await checkImage(loaded, field, artifact.mediaType)
  const why = rejectReason({ mediaType, length: blob.size, side: Math.max(width, height) }, limits)
  if (why === undefined) return { ...loaded, width, height, originalSize: { width, height } }
  const problem = `"${field}" ${artifact.id} ${why}.`
  if (!convert) {
    const message = `${problem} Use another image.`
    throw new CapstanError('invalid_arguments', message, {
      evidence: { field, id: artifact.id, fix: 'convert: true' },
    })
  }
  const made = await convertImage(await readBytes(loaded), {
    limits,
    sharp: await loadSharp(problem),
    problem,
  })
  const info = { kind: 'image', ...made.facts, parents: [artifact.id] } as const
  return {
    artifact: await store.put(made.bytes, info),
    ...fromBytes(made.bytes),
    ...made.facts,
    originalSize: { width, height },
  }
}

interface CheckedImage {
  readonly mediaType: string
  readonly length: number
  readonly side: number
}

/** Returns the reason why the server does not accept an image. Undefined if the server accepts it. */
function rejectReason({ mediaType, length, side }: CheckedImage, limits: ImageLimits): string | undefined {
  if (limits.types && !limits.types.includes(mediaType))
    return `is ${mediaType}, but the server accepts ${limits.types.join(' or ')}`
  if (limits.side !== undefined && side > limits.side)
    return `has a side of ${side} pixels, but the server accepts at most ${limits.side}`
  if (limits.bytes !== undefined && length > limits.bytes)
    return `has ${length} bytes, but the server accepts at most ${limits.bytes}`
  return undefined
}

interface Conversion {
  readonly sharp: Sharp
  readonly limits: ImageLimits
  readonly problem: string
}

/** Converts to PNG, or to WebP or JPEG if PNG is not accepted. Scales down until the image fits. */
async function convertImage(bytes: Uint8Array, { sharp, limits, problem }: Conversion) {
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
          `${problem} It cannot be converted: it is damaged or of an unknown type. Use another image.`,
          { cause },
        )
      })
    const { width, height } = info
    if (data.length <= most)
      return { bytes: new Uint8Array(data), facts: { mediaType: `image/${format}`, width, height } }
    longest = Math.max(1, Math.floor(Math.max(width, height) * Math.sqrt(most / data.length) * 0.95))
  }
  throw new CapstanError(
    'invalid_arguments',
    `${problem} Scaling cannot make it small enough. Use a smaller image.`,
  )
}

/**
 * Scales an image down to a JPEG within a model's bounds. Pass this function to `showImages` as `fit`.
 * @throws CapstanError `unsupported` if the package `sharp` is not installed, or the image cannot be made small enough
 */
export async function fitPicture(picture: Uint8Array, bounds: ImageBounds): Promise<Uint8Array> {
  const sharp = await loadSharp('The image is too large to be shown to the model.')
  const { width, height } = await sharp(picture).metadata()
  const scale = Math.min(1, Math.sqrt(bounds.maxPixels / (width * height)))
  for (let side = Math.floor(width * scale); side >= 1; side = Math.floor(side / 2)) {
    // Without a background, transparent pixels would become black in a JPEG.
    const small = sharp(picture).rotate().resize({ width: side }).flatten({ background: 'white' })
    const bytes = new Uint8Array(await small.jpeg({ quality: 85 }).toBuffer())
    if (bytes.byteLength <= bounds.maxBytes) return bytes
  }
  const message = `An image of ${width}x${height} pixels cannot be scaled to fit ${bounds.maxBytes} bytes. Use a smaller image.`
  throw new CapstanError('unsupported', message, { evidence: { ...bounds } })
}

type Sharp = typeof import('sharp')['default']

/**
 * Loads the optional package that scales and converts images.
 * @throws CapstanError `unsupported` if it is not installed. The message starts with `why`, which says what the package
 * is for
 */
export async function loadSharp(
  why: string,
  // If the package is missing, the import's own handler lets esbuild bundle this, and the comment does the same for
  // webpack.
  load: () => Promise<{ default: Sharp }> = () =>
    import(/* webpackIgnore: true */ 'sharp').catch((cause) => Promise.reject(cause)),
): Promise<Sharp> {
  try {
    return (await load()).default
  } catch (cause) {
    const message = `${why} The package "sharp" is not installed.`
    throw new CapstanError('unsupported', message, { cause, evidence: { package: 'sharp' } })
  }
}
