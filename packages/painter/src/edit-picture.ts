import { type Canvas, toCanvas, toPicture } from './canvas.js'
import { editFreely } from './edit/edit-freely.js'
import { type EditRequest, type EditResult, editRegion, parseEdit } from './edit/edit-region.js'
import { editScene } from './edit/edit-scene.js'
import { type KeptScene, sceneOf } from './edit/kept-scene.js'
import { type Region, toRegion, toTransparent } from './edit/region.js'
import { PaintError } from './paint-error.js'
import { type Painting, paintKept, withUnknown } from './paint-prompt.js'
import type { Picture } from './picture.js'
import { parsePrompt } from './prompt/parse-prompt.js'
import { unknownIn } from './prompt/request.js'
import { hashText } from './random.js'

/** An image and its edit. */
export interface EditOptions {
  readonly picture: Picture
  /**
   * Marks the area to repaint with transparent pixels or, in a mask without transparency, with white ones. Default: the
   * transparent pixels of the image. If there are none, the painter chooses an area or changes the entire image.
   */
  readonly mask?: Picture
  readonly prompt: string
  /** The number of the variant. Each variant paints the same edit differently. Default 0. */
  readonly index?: number
}

/** Edits an image. The bytes of pixels outside the marked area do not change. */
export function editPicture({ picture, mask, prompt, index = 0 }: EditOptions): Painting {
  const region = toMarked(picture, mask)
  const scene = region ? undefined : sceneOf(picture)
  if (scene) return editKept(picture, scene, prompt, index)
  const edit = parseEdit(prompt, region !== undefined)
  const seed = hashText(edit.request.text, index)
  const canvas = toCanvas(picture)
  if (!edit.removal && edit.request.heard.length === 0) return unchanged(picture, edit)
  if (region) {
    const done = toldUnknown(edit, editRegion(canvas, region, { edit, seed }))
    const painted = toPicture(canvas)
    const isInside = (i: number): boolean => region.inside[i] === 1
    return { ...done, picture: merged(picture, painted, isInside) }
  }
  if (edit.removal && edit.request.heard.length === 0) {
    throw new PaintError(
      'missing_mask',
      `"mask" is missing. To ${edit.removal} something, mark it: the painter cannot find things in an image.`,
      'mask',
    )
  }
  const done = toldUnknown(edit, editFreely(canvas, edit.request, seed))
  const painted = withAlphaOf(picture, toPicture(canvas))
  return { ...done, picture: merged(picture, painted, (i) => isPainted(picture, canvas, i)) }
}

/** Changes the scene of an image from the painter, and paints the scene again. */
function editKept(picture: Picture, kept: KeptScene, prompt: string, index: number): Painting {
  const { scene, ...done } = editScene(kept, prompt)
  const caption = withUnknown(done.caption, done.unknown)
  if (!scene) return { ...done, caption, picture }
  const seed = index === 0 ? scene.seed : hashText(`edit ${index}`, scene.seed)
  return { ...done, caption, picture: paintKept({ ...scene, seed }, picture) }
}

/** Returns the image unchanged, for an edit without any known word. */
function unchanged(picture: Picture, edit: EditRequest): Painting {
  return { ...toldUnknown(edit, { understood: [], caption: 'the picture, unchanged' }), picture }
}

function toldUnknown({ request, refused }: EditRequest, done: EditResult): Omit<Painting, 'picture'> {
  const unknown = [...unknownIn(request, done.understood), ...unknownIn(parsePrompt(refused), [])]
  return { ...done, unknown, caption: withUnknown(done.caption, unknown) }
}

function toMarked(picture: Picture, mask: Picture | undefined): Region | undefined {
  if (!mask) {
    const transparent = toTransparent(picture)
    return transparent.count > 0 ? transparent : undefined
  }
  if (mask.width !== picture.width || mask.height !== picture.height) {
    const sizes = `the image is ${picture.width}x${picture.height}, the mask ${mask.width}x${mask.height}`
    throw new PaintError('mask_size_mismatch', `The mask must be as large as the image: ${sizes}.`, 'mask')
  }
  const region = toRegion(mask)
  if (region.count > 0) return region
  throw new PaintError(
    'empty_mask',
    'The mask marks no pixels. Make the pixels to repaint transparent or white.',
    'mask',
  )
}

/** Combines two images: the painted image where `isWanted` is true, and the old image elsewhere. */
function merged(picture: Picture, painted: Picture, isWanted: (pixel: number) => boolean): Picture {
  const pixels = picture.pixels.slice()
  for (let i = 0; i < picture.width * picture.height; i++) {
    if (isWanted(i)) pixels.set(painted.pixels.subarray(i * 4, i * 4 + 4), i * 4)
  }
  return { width: picture.width, height: picture.height, pixels }
}

function withAlphaOf(picture: Picture, painted: Picture): Picture {
  const pixels = painted.pixels.slice()
  for (let i = 3; i < pixels.length; i += 4) pixels[i] = picture.pixels[i] ?? 255
  return { ...painted, pixels }
}

/** Whether a pixel of the canvas differs from the pixel of the image. */
function isPainted({ pixels }: Picture, { data }: Canvas, i: number): boolean {
  for (let c = 0; c < 3; c++) if (data[i * 3 + c] !== Math.fround((pixels[i * 4 + c] ?? 0) / 255)) return true
  return false
}
