import { blankCanvas, type Canvas } from './canvas.js'
import { blankPicture, type Picture } from './picture.js'
import type { Request } from './prompt/request.js'
import { clamp } from './ramp.js'
import { arrange } from './scene/arrange.js'
import { setScene } from './scene/set-scene.js'
import { drawThings } from './scene/things.js'
import { inscribe } from './text/inscribe.js'
import { applyTone } from './tone.js'

/** The things of a request without what lies behind them. */
export function paintCutOut(
  asked: Request,
  { width, height }: Pick<Picture, 'width' | 'height'>,
  seed: number,
): Picture {
  const request: Request = { ...asked, place: asked.place === 'space' ? 'space' : 'plain' }
  // Drawn on black and on white: what is the same on both is solid, what differs lets the ground through.
  const [onBlack, onWhite] = [0, 1].map((level) => {
    const canvas = { ...blankCanvas(width, height), data: new Float32Array(width * height * 3).fill(level) }
    const scene = setScene(request, canvas, seed)
    const stands = arrange(scene, request.things)
    drawThings(canvas, scene, stands)
    inscribe(canvas, request, stands)
    return canvas
  })
  return onBlack && onWhite ? parted(onBlack, onWhite, request) : blankPicture(width, height)
}

function parted(onBlack: Canvas, onWhite: Canvas, { tones }: Request): Picture {
  const picture = blankPicture(onBlack.width, onBlack.height)
  const alphas = new Float32Array(onBlack.width * onBlack.height)
  for (let i = 0; i < alphas.length; i++) {
    let through = 0
    for (let c = 0; c < 3; c++)
      through += ((onWhite.data[i * 3 + c] ?? 0) - (onBlack.data[i * 3 + c] ?? 0)) / 3
    const alpha = clamp(1 - through)
    alphas[i] = alpha
    for (let c = 0; c < 3 && alpha > 0; c++)
      onBlack.data[i * 3 + c] = clamp((onBlack.data[i * 3 + c] ?? 0) / alpha)
  }
  for (const tone of tones) applyTone(onBlack, tone)
  for (const [i, alpha] of alphas.entries()) {
    for (let c = 0; c < 3; c++) picture.pixels[i * 4 + c] = (onBlack.data[i * 3 + c] ?? 0) * 255
    picture.pixels[i * 4 + 3] = alpha * 255
  }
  return picture
}
