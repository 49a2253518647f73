import { setImmediate } from 'node:timers/promises'
import {
  editPicture,
  type Output,
  PaintError,
  type Painting,
  type Picture,
  paintPrompt,
  readPicture,
  resizePicture,
  varyPicture,
  writePicture,
} from '@capstan/painter'
import { ServiceError } from '../http/service-error.js'
import type { TaskContext } from './jobs.js'

interface Size {
  readonly width: number
  readonly height: number
}

/** The indexes of the images to paint, counted from 0, and their file format. */
interface ImageBatch {
  readonly indexes: readonly number[]
  readonly output: Output
}

/** A finished image as a file. A variation has no caption and no words. */
export interface ImageFile extends Partial<Omit<Painting, 'picture'>> {
  readonly bytes: Uint8Array
  readonly width: number
  readonly height: number
}

export interface PaintInput extends ImageBatch, Size {
  readonly prompt: string
  /** Whether to draw only the objects, on a transparent background. */
  readonly cutOut: boolean
  /** The share of the full width and height at which the image is painted. It is then scaled up. Default 1. */
  readonly detail?: number
}

export interface EditInput extends ImageBatch {
  /** The image file: a PNG, JPEG or WebP. */
  readonly image: Uint8Array
  readonly mask?: Uint8Array | undefined
  readonly prompt: string
  /** The size of the result. Default: the size of the image. */
  readonly size?: Size | undefined
}

export type VaryInput = Pick<EditInput, 'image' | 'size' | keyof ImageBatch>

/** Paints a prompt once per index. */
export function paint(
  { prompt, width, height, cutOut, detail = 1, ...share }: PaintInput,
  context: TaskContext,
) {
  const sketch = {
    width: Math.max(1, Math.round(width * detail)),
    height: Math.max(1, Math.round(height * detail)),
  }
  return toFiles(share, context, (index) => {
    const painting = paintPrompt({ prompt, ...sketch, cutOut, index })
    return { ...painting, picture: resizePicture(painting.picture, { width, height }) }
  })
}

/** Edits an image once per index. */
export function edit({ image, mask, prompt, size, ...share }: EditInput, context: TaskContext) {
  return withServiceErrors(async () => {
    const picture = await readPicture(image, 'image')
    const options = { picture, prompt, ...(mask && { mask: await readPicture(mask, 'mask') }) }
    return toFiles(share, context, (index) => {
      const painting = editPicture({ ...options, index })
      return { ...painting, picture: resizePicture(painting.picture, size ?? picture) }
    })
  })
}

/** Creates a variation of an image once per index. */
export function vary({ image, size, ...share }: VaryInput, context: TaskContext) {
  return withServiceErrors(async () => {
    const picture = await readPicture(image, 'image')
    return toFiles(share, context, (index) => ({
      picture: resizePicture(varyPicture({ picture, index }), size ?? picture),
    }))
  })
}

/** Converts the painter's errors to error responses. */
async function withServiceErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof PaintError)) throw error
    throw new ServiceError(error.status, error.code, error.message, error.param)
  }
}

type Made = { readonly picture: Picture } & Partial<Painting>

async function toFiles(
  { indexes, output }: ImageBatch,
  { signal }: TaskContext,
  make: (index: number) => Made,
): Promise<ImageFile[]> {
  const files: ImageFile[] = []
  for (const index of indexes) {
    // Painting is synchronous, so the task checks between two images whether it should stop.
    await setImmediate()
    signal.throwIfAborted()
    const { picture, ...words } = make(index)
    const { width, height } = picture
    files.push({ ...words, width, height, bytes: await writePicture(picture, output) })
  }
  return files
}
