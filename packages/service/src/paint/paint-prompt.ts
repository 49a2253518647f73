import { blankCanvas, type Canvas, toPicture } from './canvas.js'
import { paintAbstract } from './paint-abstract.js'
import type { Picture } from './picture.js'
import { toCaption } from './prompt/caption.js'
import { parsePrompt } from './prompt/parse-prompt.js'
import { type Aspect, type Request, wordsOf } from './prompt/request.js'
import { hashText } from './random.js'
import { paintLandscape } from './scene/landscape.js'
import { paintLightning } from './scene/lightning.js'
import { setScene } from './scene/set-scene.js'
import { drawThings } from './scene/things.js'
import { paintWeather } from './scene/weather.js'
import { applyTone, vignette } from './tone.js'

/** What to paint, and how large. */
export interface PaintOptions {
  readonly prompt: string
  /** Pixels. */
  readonly width: number
  readonly height: number
  /** Another arrangement of the same prompt. Default 0. */
  readonly index?: number
}

/** A finished picture, and what of the prompt is in it. */
export interface Painting {
  readonly picture: Picture
  /** The words of the prompt that were understood, in its order. */
  readonly understood: readonly string[]
  /** One phrase that says what was painted. */
  readonly caption: string
}

/** Paints a prompt: the same prompt, size and index give the same bytes. Unknown words give abstract colours. */
export function paintPrompt({ prompt, width, height, index = 0 }: PaintOptions): Painting {
  const request = parsePrompt(prompt)
  const canvas = blankCanvas(width, height)
  paintRequest(canvas, request, hashText(request.text, index))
  return {
    picture: toPicture(canvas),
    understood: wordsOf(request, isAbstract(request) ? ['color', 'tones'] : scenic),
    caption: toCaption(request),
  }
}

/** What a scene can show: a colour that belongs to nothing is lost in it. */
const scenic: readonly Aspect[] = ['things', 'place', 'time', 'weather', 'tones', 'sky']

/** Paints over the whole canvas what a request asks for. */
export function paintRequest(canvas: Canvas, request: Request, seed: number): void {
  if (isAbstract(request)) paintAbstract(canvas, seed, request.color?.rgb)
  else paintScene(canvas, request, seed)
  for (const tone of request.tones) applyTone(canvas, tone)
}

function paintScene(canvas: Canvas, request: Request, seed: number): void {
  const scene = setScene(request, canvas, seed)
  paintLandscape(canvas, scene)
  if (request.weather.has('storm')) paintLightning(canvas, scene)
  drawThings(canvas, scene, request.things)
  paintWeather(canvas, { ...scene, haze: scene.air.haze })
  vignette(canvas)
}

/** Nothing in the request can be shown as a scene. */
export function isAbstract({ things, place, time, weather, sky, tones }: Request): boolean {
  return !things.length && !place && !time && !weather.size && !sky && !tones.includes('autumn')
}
