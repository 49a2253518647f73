import { blankCanvas, type Canvas, shade, toPicture, wholeOf } from './canvas.js'
import { gradientAt, luma, mix, type Rgb, type Stop, scaled, toward } from './color.js'
import { type KeptScene, withScene } from './edit/kept-scene.js'
import { nounOf } from './nouns/nouns.js'
import { blankPicture, type Picture } from './picture.js'
import { toCaption } from './prompt/caption.js'
import { pluralOf } from './prompt/dictionary.js'
import { parsePrompt } from './prompt/parse-prompt.js'
import { type Aspect, type Request, unknownIn, type Wanted, wordsOf } from './prompt/request.js'
import { clamp, wave } from './ramp.js'
import { between, hashText, seededNoise, seededRandom } from './random.js'
import { arrange } from './scene/arrange.js'
import { paintLandscape } from './scene/landscape.js'
import { amongMountains, setScene } from './scene/set-scene.js'
import type { PlacedThing } from './scene/thing.js'
import { drawThings } from './scene/things.js'
import { paintLightning, paintWeather } from './scene/weather.js'
import { applyStyle } from './style/apply-style.js'
import { unwritable } from './text/pen-strokes.js'
import { inscribe } from './text/write-text.js'
import { applyTone, vignette } from './tone.js'

/** A prompt and the size of its image. */
export interface PaintOptions {
  readonly prompt: string
  /** Width in pixels. */
  readonly width: number
  readonly height: number
  /** The number of the variant. Each variant arranges the same prompt differently. Default 0. */
  readonly index?: number
  /**
   * Whether to draw only the things in the prompt, on a transparent background. A prompt without things still results
   * in an opaque landscape. Default false.
   */
  readonly cutOut?: boolean
}

/** A finished image, and how it relates to the prompt. */
export interface Painting {
  readonly picture: Picture
  /** The words in the prompt that the painter understood, in order. */
  readonly understood: readonly string[]
  /** The words that the painter did not understand, without words that mean nothing to a painter. */
  readonly unknown: readonly string[]
  /** A caption for the image. */
  readonly caption: string
}

/**
 * Paints a prompt. The same prompt, size and index result in the same bytes. A prompt of unknown words results in
 * abstract colours.
 */
export function paintPrompt({ prompt, width, height, index = 0, cutOut = false }: PaintOptions): Painting {
  const asked = furnished(parsePrompt(prompt), prompt)
  const request = { ...asked, things: asked.things.filter((thing) => !isHiddenMountain(thing, asked)) }
  const seed = hashText(request.text, index)
  const lost = asked.things.length > request.things.length ? mountainWords : new Set<string>()
  const understood = wordsOf(
    request,
    isAbstract(request) ? ['color', 'tones', 'style', 'text'] : scenic,
  ).filter((word) => !lost.has(word))
  const unknown = [...unknownIn(request, understood), ...unwritable(request.inscription?.text ?? '')]
  return {
    picture:
      cutOut && isCut(request)
        ? paintCutOut(request, { width, height }, seed)
        : paintKept({ request, seed }, { width, height }),
    understood,
    unknown,
    caption: withUnknown(toCaption(request), unknown),
  }
}

/** Whether a requested mountain is not visible in the request's place. */
function isHiddenMountain({ noun }: Wanted, { place }: Request): boolean {
  return noun.scenery === 'mountains' && place !== undefined && !amongMountains.has(place)
}

const mountainWords = new Set(nounOf('mountain').words.flatMap((word) => [word, pluralOf(word)]))

/** Adds typical furniture to a room if the prompt mentions nothing else. */
function furnished(request: Request, prompt: string): Request {
  if (request.place !== 'room' || request.things.length > 0 || request.unknownNouns?.length) return request
  const room = Object.keys(furniture).find((name) => new RegExp(`\\b${name}\\b`, 'i').test(prompt))
  return { ...request, things: parsePrompt(room ? (furniture[room] ?? '') : '').things }
}

const furniture: Readonly<Record<string, string>> = {
  library: 'two shelves and a chair',
  garage: 'a car and a toolbox',
  kitchen: 'a fridge and a stove',
  bedroom: 'a bed and a lamp',
  'living room': 'a sofa and a lamp',
  'dining room': 'a table and two chairs',
  office: 'a laptop on a desk',
  study: 'a laptop on a desk',
  bathroom: 'a bathtub and a sink',
  classroom: 'a blackboard and a chair',
  nursery: 'a bed and a teddy bear',
  workshop: 'a hammer and a saw on a table',
}

/** Paints a scene, and stores it in the image for edits and variations. */
export function paintKept(scene: KeptScene, size: Size): Picture {
  return withScene(painted(scene.request, size, scene.seed), scene)
}

/** Adds the unknown words to a caption, for clients that do not read headers. */
export function withUnknown(caption: string, unknown: readonly string[]): string {
  const shown = unknown.slice(0, 20).join(', ')
  return unknown.length > 0 ? `${caption} (not understood: ${shown})` : caption
}

/** The aspects that a scene can show. A colour without a thing is not visible. */
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

/** Whether the request contains things to cut out. */
function isCut({ things, inscription }: Request): boolean {
  return inscription !== undefined || things.some(({ noun }) => !noun.scenery)
}

/** Size in pixels. */
export interface Size {
  readonly width: number
  readonly height: number
}

function painted(request: Request, { width, height }: Size, seed: number): Picture {
  const canvas = blankCanvas(width, height)
  paintRequest(canvas, request, seed)
  return toPicture(canvas)
}

/** Paints a request over the entire canvas. */
export function paintRequest(canvas: Canvas, request: Request, seed: number): void {
  const stands = isCoarse(canvas, request)
    ? paintHalf(canvas, request, seed)
    : isAbstract(request)
      ? paintNothing(canvas, request, seed)
      : paintScene(canvas, request, seed)
  // In pixel art, letters consist of pixels too. In other styles, this would draw them twice.
  if (request.style === 'pixels') inscribe(canvas, request, stands)
  if (request.style && request.style !== 'minimal') applyStyle(canvas, request.style, seed)
  if (request.style !== 'pixels') inscribe(canvas, request, stands)
  for (const tone of request.tones) applyTone(canvas, tone)
}

/**
 * Whether the style loses details of a single pixel, because its first step halves the canvas. Letters need the full
 * size.
 */
function isCoarse({ width, height }: Canvas, { style, inscription }: Request): boolean {
  return /^(?:watercolour|oil)$/.test(style ?? '') && !inscription && Math.min(width, height) >= 512
}

/** Paints the scene at half the size, for a style that needs no more detail. This takes a quarter of the time. */
function paintHalf(canvas: Canvas, request: Request, seed: number): PlacedThing[] {
  const small = blankCanvas(Math.ceil(canvas.width / 2), Math.ceil(canvas.height / 2))
  if (isAbstract(request)) paintNothing(small, request, seed)
  else paintScene(small, request, seed)
  shade(canvas, wholeOf(canvas), (ink, x, y) => {
    const i = ((y >> 1) * small.width + (x >> 1)) * 3
    ink.r = small.data[i] ?? 0
    ink.g = small.data[i + 1] ?? 0
    ink.b = small.data[i + 2] ?? 0
  })
  return []
}

function paintNothing(canvas: Canvas, { color }: Request, seed: number): PlacedThing[] {
  paintAbstract(canvas, seed, color?.rgb)
  return []
}

function paintScene(canvas: Canvas, request: Request, seed: number): PlacedThing[] {
  const scene = setScene(request, canvas, seed)
  paintLandscape(canvas, scene)
  if (request.weather.has('storm')) paintLightning(canvas, scene)
  const stands = arrange(scene, request.things)
  drawThings(canvas, scene, stands)
  paintWeather(canvas, { ...scene, haze: scene.air.haze })
  if (!scene.light.flat) vignette(canvas)
  return stands
}

/** Whether the request contains nothing that a scene can show. */
function isAbstract({ things, place, time, weather, sky, tones }: Request): boolean {
  return !things.length && !place && !time && !weather.size && !sky && !tones.includes('autumn')
}

/** Paints a flow of harmonious colours, a different one for each seed. `color` sets the leading colour. */
function paintAbstract(canvas: Canvas, seed: number, color?: Rgb): void {
  const random = seededRandom(seed)
  const noise = seededNoise(seed)
  const stops = toStops(random(), color)
  const unit = Math.min(canvas.width, canvas.height)
  const scale = between(random, 1.1, 1.6)
  shade(canvas, wholeOf(canvas), (ink, x, y) => {
    const u = (x / unit) * scale
    const v = (y / unit) * scale
    // If noise is distorted twice by noise, it forms folds and threads, like ink in water.
    const bendX = noise.layered(u, v, 3)
    const bendY = noise.layered(u + 5.2, v + 1.3, 3)
    const foldX = noise.layered(u + 2.6 * bendX + 1.7, v + 2.6 * bendY + 9.2, 3)
    const flow = noise.layered(u + 2.6 * foldX, v + 2.6 * bendX, 4)
    const thread = wave(flow * 5 + foldX * 2)
    toward(ink, gradientAt(stops, flow * 1.5 - 0.25 + 0.1 * bendY), 1)
    toward(
      ink,
      thread > 0 ? { r: 1, g: 0.97, b: 0.92 } : { r: 0.04, g: 0.03, b: 0.12 },
      0.13 * Math.abs(thread) * (0.4 + foldX),
    )
  })
}

/** Returns five colours around a leading hue: dark, deep, leading, neighbouring and light. */
function toStops(turn: number, color?: Rgb): Stop[] {
  const lead = color ?? hue(turn)
  const neighbour = color ? mix(color, hue(turn), 0.35) : hue(turn + 0.1)
  const across = color
    ? mix(color, { r: 1, g: 0.95, b: 0.85 }, 0.6)
    : mix(hue(turn + 0.24), { r: 1, g: 0.9, b: 0.75 }, 0.45)
  return [
    [0, scaled(lead, 0.28)],
    [0.3, mix(scaled(lead, 0.75), neighbour, 0.25)],
    [0.52, lead],
    [0.72, mix(neighbour, across, 0.45)],
    [1, mix(across, { r: 1, g: 0.97, b: 0.9 }, 0.6)],
  ]
}

/** Returns a clear colour for a hue, given in full turns. All these colours have a similar brightness. */
function hue(turn: number): Rgb {
  const color = {
    r: 0.55 + 0.36 * wave(turn + 0.25),
    g: 0.5 + 0.3 * wave(turn - 0.083),
    b: 0.55 + 0.36 * wave(turn - 0.417),
  }
  return scaled(color, Math.min(1.2, 0.56 / luma(color)))
}

/** Paints the things of a request without a background. */
function paintCutOut(
  asked: Request,
  { width, height }: Pick<Picture, 'width' | 'height'>,
  seed: number,
): Picture {
  const request: Request = { ...asked, place: asked.place === 'space' ? 'space' : 'plain' }
  // Paints on black and on white. Pixels that are equal are opaque, and pixels that differ are transparent.
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
