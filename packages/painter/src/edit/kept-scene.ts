import type { Noun } from '../nouns/part.js'
import type { Picture } from '../picture.js'
import { compoundOf, thingOf } from '../prompt/compounds.js'
import type { Named, Placement, Relation, Request, Side, Wanted, Weather } from '../prompt/request.js'
import { places, relations, sides, styles, times, tones, weathers } from '../prompt/words.js'

/** A painted scene. The same request, seed and size always result in the same image. */
export interface KeptScene {
  readonly request: Request
  readonly seed: number
}

/** Returns an image with its scene added as text. Files store that text. */
export function withScene(picture: Picture, { request, seed }: KeptScene): Picture {
  const { heard: _, said: __, unknownNouns: ___, weather, things, ...rest } = request
  const kept = {
    version: 1,
    seed,
    look: lookOf(picture),
    request: {
      ...rest,
      weather: [...weather],
      things: things.map((thing) => ({ ...thing, noun: thing.noun.words[0] })),
    },
  }
  return { ...picture, scene: JSON.stringify(kept) }
}

/**
 * Returns the scene of an image from the painter. Undefined for other images, for damaged scenes, and if another
 * program has changed the image.
 */
export function sceneOf(picture: Picture): KeptScene | undefined {
  if (!picture.scene) return undefined
  const kept = parseObject(picture.scene)
  if (kept?.version !== 1 || typeof kept.seed !== 'number' || !isLike(kept.look, picture)) return undefined
  const request = isObject(kept.request) ? toRequest(kept.request) : undefined
  return request && { request, seed: kept.seed }
}

type Json = Readonly<Record<string, unknown>>

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parseObject(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function toRequest(kept: Json): Request | undefined {
  const things = Array.isArray(kept.things) ? kept.things.map(toWanted) : []
  if (typeof kept.text !== 'string' || things.includes(undefined) || things.length > 40) return undefined
  const all = things.flatMap((thing) => thing ?? [])
  if (all.some(({ placed }) => placed?.to.some((to) => to >= all.length))) return undefined
  const place = keyOf(places, kept.place)
  const time = keyOf(times, kept.time)
  const style = keyOf(styles, kept.style)
  const [sky, color] = [toNamed(kept.sky), toNamed(kept.color)]
  const inscription = isObject(kept.inscription) ? kept.inscription : undefined
  const lettering = toNamed(inscription?.color)
  return {
    things: all,
    weather: toWeather(kept.weather),
    tones: listOf(kept.tones).flatMap((tone) => keyOf(tones, tone) ?? []),
    heard: [],
    said: [],
    text: kept.text,
    ...(place && { place }),
    ...(time && { time }),
    ...(style && { style }),
    ...(sky && { sky }),
    ...(color && { color }),
    ...(typeof inscription?.text === 'string' && {
      inscription: { text: inscription.text, ...(lettering && { color: lettering }) },
    }),
  }
}

function toWanted(kept: unknown): Wanted | undefined {
  if (!isObject(kept) || typeof kept.noun !== 'string') return undefined
  const noun = nounNamed(kept.noun)
  const { count, size, hidden } = kept
  if (!noun || !isWithin(count, 1, 12) || !isWithin(size, 0.1, 10)) return undefined
  const [color, side, placed] = [toNamed(kept.color), keyOf(sides, kept.side), toPlacement(kept.placed)]
  return {
    noun,
    count,
    size,
    ...(color && { color }),
    ...(side && { side: side satisfies Side }),
    ...(placed && { placed }),
    ...(isWithin(hidden, 1, count) && { hidden }),
    ...(kept.late === true && { late: true }),
  }
}

function nounNamed(name: string): Noun | undefined {
  const [, first = '', head = ''] = /^(.*) (\w+)$/.exec(name) ?? []
  const maker = thingOf(first)
  return thingOf(name)?.noun ?? (maker && compoundOf(maker.noun, first, head)?.noun)
}

function toPlacement(kept: unknown): Placement | undefined {
  if (!isObject(kept)) return undefined
  const relation: Relation | undefined = keyOf(relations, kept.relation)
  const to = listOf(kept.to).filter(
    (index): index is number => isWithin(index, 0, 39) && Number.isInteger(index),
  )
  return relation && to.length > 0 ? { relation, to } : undefined
}

function toNamed(kept: unknown): Named | undefined {
  if (!isObject(kept) || typeof kept.word !== 'string' || !isObject(kept.rgb)) return undefined
  const { r, g, b } = kept.rgb
  if (!isWithin(r, 0, 4) || !isWithin(g, 0, 4) || !isWithin(b, 0, 4)) return undefined
  return { word: kept.word, rgb: { r, g, b } }
}

function toWeather(kept: unknown): ReadonlyMap<Weather, number> {
  const pairs = listOf(kept).flatMap((pair): [Weather, number][] => {
    const [kind, strength] = listOf(pair)
    const weather = keyOf(weathers, kind)
    return weather && isWithin(strength, 0, 10) ? [[weather, strength]] : []
  })
  return new Map(pairs)
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function keyOf<K extends string>(table: Readonly<Record<K, unknown>>, key: unknown): K | undefined {
  return Object.keys(table).find((own): own is K => own === key)
}

function isWithin(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && value >= least && value <= most
}

const cells = 12

/** Returns the mean colours of a coarse grid. They survive compression and resizing. */
function lookOf({ width, height, pixels }: Picture): string {
  const sums = new Float64Array(cells * cells * 3)
  const counts = new Float64Array(cells * cells)
  for (let y = 0; y < height; y++) {
    const row = Math.floor((y * cells) / height) * cells
    for (let x = 0; x < width; x++) {
      const cell = row + Math.floor((x * cells) / width)
      counts[cell] = (counts[cell] ?? 0) + 1
      for (let c = 0; c < 3; c++)
        sums[cell * 3 + c] = (sums[cell * 3 + c] ?? 0) + (pixels[(y * width + x) * 4 + c] ?? 0)
    }
  }
  const means = Uint8Array.from(sums, (sum, i) =>
    Math.round(sum / Math.max(1, counts[Math.floor(i / 3)] ?? 1)),
  )
  return Buffer.from(means).toString('base64')
}

/** Whether an image still looks like its scene. Colours may differ by as much as compression changes them. */
function isLike(look: unknown, picture: Picture): boolean {
  if (typeof look !== 'string') return false
  const [before, now] = [Buffer.from(look, 'base64'), Buffer.from(lookOf(picture), 'base64')]
  return before.length === now.length && before.every((value, i) => Math.abs(value - (now[i] ?? 0)) <= 8)
}
