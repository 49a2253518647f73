import { blankCanvas, type Canvas, toPicture } from './canvas.js'
import { paintCutOut } from './cut-out.js'
import { paintAbstract } from './paint-abstract.js'
import type { Picture } from './picture.js'
import { toCaption } from './prompt/caption.js'
import { parsePrompt } from './prompt/parse-prompt.js'
import { type Aspect, type Request, unknownIn, wordsOf } from './prompt/request.js'
import { hashText } from './random.js'
import { arrange } from './scene/arrange.js'
import { paintLandscape } from './scene/landscape.js'
import { paintLightning } from './scene/lightning.js'
import { setScene } from './scene/set-scene.js'
import type { Stand } from './scene/stand.js'
import { drawThings } from './scene/things.js'
import { paintWeather } from './scene/weather.js'
import { applyStyle } from './style/apply-style.js'
import { inscribe } from './text/inscribe.js'
import { unwritable } from './text/pen-strokes.js'
import { applyTone, vignette } from './tone.js'

/** What to paint, and how large. */
export interface PaintOptions {
  readonly prompt: string
  /** Pixels. */
  readonly width: number
  readonly height: number
  /** Another arrangement of the same prompt. Default 0. */
  readonly index?: number
  /**
   * Only the things of the prompt, on a transparent ground. A prompt without things gives a landscape, which is opaque.
   * Default false.
   */
  readonly cutOut?: boolean
}

/** A finished picture, and what of the prompt is in it. */
export interface Painting {
  readonly picture: Picture
  /** The words of the prompt that were understood, in its order. */
  readonly understood: readonly string[]
  /** Those that were not, without words that say nothing to a painter. */
  readonly unknown: readonly string[]
  /** One phrase that says what was painted. */
  readonly caption: string
}

/** Paints a prompt: the same prompt, size and index give the same bytes. Unknown words give abstract colours. */
export function paintPrompt({ prompt, width, height, index = 0, cutOut = false }: PaintOptions): Painting {
  const request = parsePrompt(prompt)
  const seed = hashText(request.text, index)
  const understood = wordsOf(request, isAbstract(request) ? ['color', 'tones', 'style', 'text'] : scenic)
  return {
    picture:
      cutOut && isCut(request)
        ? paintCutOut(request, { width, height }, seed)
        : painted(request, { width, height }, seed),
    understood,
    unknown: [...unknownIn(request, understood), ...unwritable(request.inscription?.text ?? '')],
    caption: toCaption(request),
  }
}

/** What a scene can show: a colour that belongs to nothing is lost in it. */
const scenic: readonly Aspect[] = [
  'things',
  'relation',
  'place',
  'time',
  'weather',
  'tones',
  'style',
  'text',
  'sky',
]

/** There is something to cut out. */
function isCut({ things, inscription }: Request): boolean {
  return inscription !== undefined || things.some(({ noun }) => !noun.scenery)
}

interface Size {
  readonly width: number
  readonly height: number
}

function painted(request: Request, { width, height }: Size, seed: number): Picture {
  const canvas = blankCanvas(width, height)
  paintRequest(canvas, request, seed)
  return toPicture(canvas)
}

/** Paints over the whole canvas what a request asks for. */
export function paintRequest(canvas: Canvas, request: Request, seed: number): void {
  const stands = isAbstract(request) ? paintNothing(canvas, request, seed) : paintScene(canvas, request, seed)
  // The letters of pixel art have pixels too; in other styles they would be drawn twice.
  if (request.style === 'pixels') inscribe(canvas, request, stands)
  if (request.style && request.style !== 'minimal') applyStyle(canvas, request.style, seed)
  if (request.style !== 'pixels') inscribe(canvas, request, stands)
  for (const tone of request.tones) applyTone(canvas, tone)
}

function paintNothing(canvas: Canvas, { color }: Request, seed: number): Stand[] {
  paintAbstract(canvas, seed, color?.rgb)
  return []
}

function paintScene(canvas: Canvas, request: Request, seed: number): Stand[] {
  const scene = setScene(request, canvas, seed)
  paintLandscape(canvas, scene)
  if (request.weather.has('storm')) paintLightning(canvas, scene)
  const stands = arrange(scene, request.things)
  drawThings(canvas, scene, stands)
  paintWeather(canvas, { ...scene, haze: scene.air.haze })
  if (!scene.light.flat) vignette(canvas)
  return stands
}

/** Nothing in the request can be shown as a scene. */
export function isAbstract({ things, place, time, weather, sky, tones }: Request): boolean {
  return !things.length && !place && !time && !weather.size && !sky && !tones.includes('autumn')
}
