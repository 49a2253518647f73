import { blankCanvas, type Canvas, colorAt, shade } from '../canvas.js'
import { toward } from '../color.js'
import { paintRequest } from '../paint-prompt.js'
import { toCaption, toThings } from '../prompt/caption.js'
import { parsePrompt } from '../prompt/parse-prompt.js'
import { type Request, wordsOf } from '../prompt/request.js'
import { ramp } from '../ramp.js'
import { seededRandom } from '../random.js'
import { writeText } from '../text/write-text.js'
import { type Clause, toClauses } from './clauses.js'
import { drawFitted } from './draw-things.js'
import { fillRegion } from './inpaint.js'
import { applyMood, isMood, moodAspects, toLook } from './mood.js'
import { depthOf, type Region } from './region.js'

/** The result of an edit, as text. */
export interface EditResult {
  readonly understood: readonly string[]
  readonly caption: string
}

interface Job {
  readonly edit: EditRequest
  readonly seed: number
}

/** Changes the inside of a region. Does not change pixels outside it. */
export function editRegion(canvas: Canvas, region: Region, { edit, seed }: Job): EditResult {
  const { removal, request } = edit
  const things = request.things.length > 0
  const scene = things ? undefined : toScene(request)
  const text = things ? undefined : request.inscription
  const mood = !things && !scene && !text && isMood(request)
  const taken = removal ? [removal] : []
  // If only a mood is requested, changes the existing content. Anything else replaces the content.
  const filled = (mood && !removal) || fillRegion(canvas, region, seed)
  if (filled && things) {
    paintInside(canvas, region, (layer) => drawIntoRegion(layer, region, { request, seed }))
    const caption = `${toThings(request.things)} in the marked area`
    return { understood: [...taken, ...wordsOf(request, ['things', 'relation'])], caption }
  }
  if (filled && text) {
    const color = text.color?.rgb ?? { r: 1, g: 1, b: 1 }
    paintInside(canvas, region, (layer) => writeText(layer, text.text, region.bounds, { color, rim: true }))
    const caption = `the text "${text.text}" in the marked area`
    return { understood: [...taken, ...wordsOf(request, ['text'])], caption }
  }
  if (filled && mood) {
    paintInside(canvas, region, (layer) => applyMood(layer, request, seed))
    const caption = `the marked area ${removal ? 'filled from its surroundings, ' : ''}${toLook(request)}`
    return { understood: [...taken, ...wordsOf(request, moodAspects)], caption }
  }
  if (filled && removal && !scene) {
    return { understood: taken, caption: 'the marked area filled from its surroundings' }
  }
  paintInside(canvas, region, (layer) => stampScene(layer, region, { request: scene ?? request, seed }))
  const caption = `in the marked area: ${toCaption(scene ?? request)}`
  return { understood: [...taken, ...wordsOf(request)], caption }
}

/** Returns the request as a separate landscape, if it mentions a place or the sky. */
function toScene(request: Request): Request | undefined {
  if (request.things.length) return undefined
  if (request.place) return request
  return request.heard.some(({ about }) => about === 'sky') ? { ...request, place: 'sky' } : undefined
}

/** Paints on a copy, then copies the inside of the region back with soft edges. */
function paintInside(canvas: Canvas, region: Region, paint: (layer: Canvas) => void): void {
  const layer = { ...canvas, data: canvas.data.slice() }
  paint(layer)
  const depth = depthOf(region)
  const softness = Math.max(1.5, Math.min(canvas.width, canvas.height) * 0.008)
  shade(canvas, region.bounds, (ink, x, y) => {
    const part = ramp(0, softness, depth[y * canvas.width + x] ?? 0)
    if (part > 0) toward(ink, colorAt(layer, x, y), part)
  })
}

interface Order {
  readonly request: Request
  readonly seed: number
}

function drawIntoRegion(layer: Canvas, region: Region, { request, seed }: Order): void {
  const { left, top, right, bottom } = region.bounds
  // Within its bounding rectangle, a round region has less room than a square one.
  const share = region.count / ((right - left) * (bottom - top))
  const fullness = Math.max(0.5, 0.92 - 0.9 * (1 - share))
  drawFitted(layer, region.bounds, { things: request.things, random: seededRandom(seed), fullness })
}

function stampScene(layer: Canvas, { bounds }: Region, { request, seed }: Order): void {
  const scene = blankCanvas(bounds.right - bounds.left, bounds.bottom - bounds.top)
  paintRequest(scene, request, seed)
  shade(layer, bounds, (ink, x, y) => toward(ink, colorAt(scene, x - bounds.left, y - bounds.top), 1))
}

/** A parsed edit. */
export interface EditRequest {
  /** The verb, if the edit removes something. */
  readonly removal?: string
  /** The things to paint, or the changes to make. */
  readonly request: Request
  /** The instructions that cannot be followed because their nouns are unknown, as text. */
  readonly refused: string
}

/**
 * Parses an edit. "Replace the dog with a cat" results in only the cat, and "remove the dog" in nothing. Without a
 * marked area, things in the image cannot be found, so "make the dog blue" is not possible.
 */
export function parseEdit(prompt: string, isMarked = true): EditRequest {
  const clauses = toClauses(prompt)
  const removal = clauses.find(({ kind }) => kind === 'remove')?.verb
  const others = clauses.filter(({ kind }) => kind !== 'remove')
  const wanted = others.filter((clause) => isPossible(clause, isMarked))
  const refused = others.filter((clause) => !wanted.includes(clause)).map(({ text }) => text)
  return {
    request: parsePrompt(wanted.map(toWanted).join(', ')),
    refused: refused.join(', '),
    ...(removal && { removal }),
  }
}

function isPossible(clause: Clause, isMarked: boolean): boolean {
  const { unknownNouns = [], things } = parsePrompt(toWanted(clause))
  if (unknownNouns.length > 0) return false
  if (isMarked || things.length === 0) return true
  const changes = /^(make|turn|change|colou?r|recolou?r|enlarge|shrink|move)$/.test(clause.verb)
  return clause.kind === 'change' && !(changes && /\b(the|its?)\b/i.test(clause.text))
}

/** Returns the new thing in a replacement. "Change the sky to red" only contains a colour, so the rest is kept. */
function toWanted({ kind, text, words }: Clause): string {
  if (kind !== 'replace') return text
  const { heard } = parsePrompt(words)
  return heard.length > 0 && heard.every(({ about }) => about === 'color') ? text : words
}
