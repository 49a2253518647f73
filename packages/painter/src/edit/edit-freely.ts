import { type Area, blankCanvas, type Canvas, colorAt, shade } from '../canvas.js'
import { toward } from '../color.js'
import { paintRequest } from '../paint-prompt.js'
import { toCaption, toThings } from '../prompt/caption.js'
import { type Aspect, type Request, wordsOf } from '../prompt/request.js'
import { ramp } from '../ramp.js'
import { seededRandom } from '../random.js'
import { inscribe } from '../text/write-text.js'
import { drawFreely, findFreeArea } from './draw-things.js'
import type { EditResult } from './edit-region.js'
import { applyMood, isMood, moodAspects, toLook } from './mood.js'

/** Changes the entire image, or adds things where there is room. */
export function editFreely(canvas: Canvas, asked: Request, seed: number): EditResult {
  const request = withWinter(asked)
  const mood = isMood(request)
  const things = request.things.length > 0
  const text = request.inscription?.text
  if (!mood && !things && !text) return paintPatch(canvas, request, seed)
  if (mood) applyMood(canvas, request, seed)
  if (things) drawFreely(canvas, request.things, seededRandom(seed))
  inscribe(canvas, request, [])
  const shown: Aspect[] = [
    ...(mood ? moodAspects : []),
    ...(things ? (['things', 'relation'] as const) : []),
    ...(text ? (['text'] as const) : []),
    ...(request === asked ? [] : (['place'] as const)),
  ]
  const look = mood ? `the picture ${toLook(request)}` : ''
  const named = [toThings(request.things), text && `the text "${text}"`].filter(Boolean).join(' and ')
  const added = named && `${named} added`
  return { understood: wordsOf(asked, shown), caption: [look, added].filter(Boolean).join(', ') }
}

/** Replaces a winter landscape with snowfall, because the painter cannot paint a landscape under existing content. */
function withWinter(request: Request): Request {
  if (request.place !== 'snow' || request.weather.has('snow')) return request
  return { ...request, weather: new Map([...request.weather, ['snow', 0.7]]) }
}

/** Paints a soft round patch with a landscape or abstract colours in the calmest part of the image. */
function paintPatch(canvas: Canvas, request: Request, seed: number): EditResult {
  const random = seededRandom(seed)
  const side = Math.min(canvas.width, canvas.height) * 0.45
  const area = findFreeArea(canvas, { wide: side, tall: side, home: 'land' }, { taken: [], random })
  const patch = blankCanvas(Math.max(1, Math.round(side)), Math.max(1, Math.round(side)))
  paintRequest(patch, request, seed)
  stampRound(canvas, area, patch)
  return { understood: wordsOf(request), caption: `a patch added: ${toCaption(request)}` }
}

function stampRound(canvas: Canvas, area: Area, patch: Canvas): void {
  const radius = patch.width / 2
  shade(canvas, area, (ink, x, y) => {
    const dx = (x - area.left - radius) / radius
    const dy = (y - area.top - radius) / radius
    toward(ink, colorAt(patch, x - area.left, y - area.top), ramp(1, 0.75, Math.sqrt(dx * dx + dy * dy)))
  })
}
