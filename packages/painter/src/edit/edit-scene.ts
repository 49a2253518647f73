import type { Noun } from '../nouns/part.js'
import { isHidden, toCaption } from '../prompt/caption.js'
import { isKindOf } from '../prompt/compounds.js'
import { parsePrompt } from '../prompt/parse-prompt.js'
import { type Request, unknownIn, type Wanted, wordsOf } from '../prompt/request.js'
import { toClauses } from './clauses.js'
import type { KeptScene } from './kept-scene.js'

/** The result of changing a scene. */
export interface SceneEdit {
  /** The changed scene. Undefined if the edit does not change anything. */
  readonly scene?: KeptScene
  readonly understood: readonly string[]
  readonly unknown: readonly string[]
  /** The caption of the changed image. */
  readonly caption: string
}

/** The result of a clause. Undefined for a clause that cannot be followed. Such a clause changes nothing. */
interface Change {
  readonly request: Request
  readonly heard: readonly string[]
}

/** Changes the scene of an image from the painter, as an edit describes. */
export function editScene({ request, seed }: KeptScene, prompt: string): SceneEdit {
  let current = request
  const understood: string[] = []
  const unknown: string[] = []
  for (const clause of toClauses(prompt)) {
    const done =
      clause.kind === 'remove'
        ? remove(current, clause.words)
        : clause.kind === 'replace'
          ? replace(current, clause.from, clause.words)
          : change(current, clause)
    const isDone = done !== undefined && isOther(done.request, current)
    if (isDone) {
      current = done.request
      understood.push(...(clause.verb && clause.kind !== 'change' ? [clause.verb] : []), ...done.heard)
    }
    const parsed = parsePrompt(clause.text)
    unknown.push(...unknownIn(parsed, isDone ? done.heard : []).filter((word) => !understood.includes(word)))
  }
  const result = { understood: [...new Set(understood)], unknown: [...new Set(unknown)] }
  if (current === request) return { ...result, caption: `${toCaption(request)}, unchanged` }
  return { ...result, scene: { request: current, seed }, caption: toCaption(current) }
}

/** Whether two requests paint different images. */
function isOther(a: Request, b: Request): boolean {
  const plain = ({ heard: _, said: __, unknownNouns: ___, weather, things, ...rest }: Request): string =>
    JSON.stringify([rest, [...weather], things.map((thing) => ({ ...thing, noun: thing.noun.words[0] }))])
  return plain(a) !== plain(b)
}

/** Hides things, or removes weather, styles and lettering. */
function remove(current: Request, words: string): Change | undefined {
  // Matches "one of the dogs".
  const asked = withPresent(parsePrompt(words.replace(/\bof (?:the|these|those)\b/gi, '')), current)
  const targets = asked.things.map(({ noun, count }) => ({ noun, count, counted: isCounted(words) }))
  const things = current.things.map((thing) => {
    const target = targets.find(({ noun }) => noun === thing.noun)
    if (!target) return thing
    const hidden = target.counted ? (thing.hidden ?? 0) + target.count : thing.count
    return { ...thing, hidden: Math.min(thing.count, hidden) }
  })
  const isFound = targets.every(({ noun }) =>
    current.things.some((thing) => thing.noun === noun && !isHidden(thing)),
  )
  if (!isFound || (asked.unknownNouns?.length ?? 0) > 0) return undefined
  const { style, inscription, ...rest } = current
  const request = {
    ...rest,
    things,
    weather: new Map([...current.weather].filter(([kind]) => !asked.weather.has(kind))),
    tones: current.tones.filter((tone) => !asked.tones.includes(tone)),
    ...(style && !asked.style && { style }),
    ...(inscription && !/\b(text|words?|letters?|writing|lettering)\b/i.test(words) && { inscription }),
  }
  return { request, heard: wordsOf(asked) }
}

/**
 * Replaces a general thing with the matching thing in the image: "the bear" means the polar bear if there is no other
 * bear.
 */
function withPresent(asked: Request, { things }: Request): Request {
  const present = things.filter((thing) => !isHidden(thing)).map(({ noun }) => noun)
  const nounFor = (noun: Noun): Noun =>
    present.includes(noun) ? noun : (present.findLast((one) => isKindOf(one, noun)) ?? noun)
  return { ...asked, things: asked.things.map((thing) => ({ ...thing, noun: nounFor(thing.noun) })) }
}

/** Whether words mention a number of things, but not all of them. */
function isCounted(words: string): boolean {
  return /\b(one|two|three|four|five|six|seven|eight|nine|ten|\d+)\b/i.test(words)
}

/** Replaces a thing with another one, or changes its colour. */
function replace(current: Request, from: string, words: string): Change | undefined {
  const [before, after] = [withPresent(parsePrompt(from), current), parsePrompt(words)]
  const [old, [fresh]] = [before.things[0], after.things]
  if (after.unknownNouns?.length) return undefined
  const index = old ? current.things.findIndex((thing) => thing.noun === old.noun && !isHidden(thing)) : -1
  const heard = [...wordsOf(before), ...wordsOf(after)]
  const thing = current.things[index]
  if (thing && (fresh || after.color)) {
    const color = fresh ? fresh.color : after.color
    const { color: _, ...plain } = thing
    const changed: Wanted = {
      ...plain,
      ...(fresh && {
        noun: fresh.noun,
        size: fresh.size,
        count: isCounted(words) ? fresh.count : thing.count,
      }),
      ...(color && { color }),
    }
    return { request: { ...current, things: current.things.with(index, changed) }, heard }
  }
  if (old || fresh) return undefined
  return { request: withSetting(current, parsePrompt(`${from} ${words}`)), heard }
}

interface Asked {
  readonly words: string
  readonly text: string
  readonly verb: string
}

/** Adds things, moves or changes existing ones, and changes the setting. */
function change(current: Request, { text, verb }: Asked): Change | undefined {
  const changes = /^(make|turn|change|paint|colou?r|recolou?r|let|have|give|enlarge|shrink|move)$/.test(verb)
  const asked = parsePrompt(text, { things: current.things, changes })
  if (asked.unknownNouns?.length) return undefined
  const only = /\b(?:only|just)\b/i.test(text) ? limited(current, text) : undefined
  if (only) return { request: only, heard: wordsOf(parsePrompt(text)) }
  const fresh = asked.things.slice(current.things.length)
  const counted = changes ? recounted(current, fresh, text) : undefined
  if (counted) return { request: counted, heard: wordsOf(asked) }
  // "The table" does not request a new table, except in phrases such as "add the moon".
  const isWished =
    fresh.every(({ placed }) => placed?.to.some((to) => to < current.things.length)) ||
    (!changes &&
      (/^(add|draw|insert|include)$/.test(verb) || !/\bthe\b/i.test(text) || isKnownBy(current, text)))
  if (fresh.length > 0 && !isWished) return undefined
  const placed = asked.things.map(
    (thing, i): Wanted =>
      i < current.things.length || thing.placed?.to.some((to) => to < current.things.length)
        ? thing
        : { ...thing, late: true },
  )
  const setting = withSetting(current, asked)
  return { request: { ...setting, things: placed }, heard: wordsOf(asked) }
}

/** Changes how many of a thing there are in the image: "make it five cows". */
function recounted(current: Request, [fresh, other]: readonly Wanted[], text: string): Request | undefined {
  const index = current.things.findIndex((thing) => thing.noun === fresh?.noun && !isHidden(thing))
  const thing = current.things[index]
  // "Make one dog black" does not change the number of dogs.
  if (!fresh || other || !thing || fresh.color || fresh.size !== 1 || !isCounted(text)) return undefined
  const { hidden: _, ...shown } = thing
  return { ...current, things: current.things.with(index, { ...shown, count: fresh.count }) }
}

/** Whether the image contains each thing that text refers to with "the". */
function isKnownBy({ things }: Request, text: string): boolean {
  const named = [...text.matchAll(/\bthe\s+((?:\w+\s*){1,3})/gi)].map(
    ([, words = '']) => parsePrompt(words).things[0],
  )
  return named.every((thing) => !thing || things.some(({ noun }) => noun === thing.noun))
}

/** Keeps only a number of things of one kind. Undefined if the text mentions no such things that are in the image. */
function limited(current: Request, text: string): Request | undefined {
  const asked = withPresent(parsePrompt(text), current)
  const limits = new Map(asked.things.map(({ noun, count }) => [noun, count]))
  const things = current.things.map((thing) => {
    const limit = limits.get(thing.noun)
    return limit === undefined || limit >= thing.count ? thing : { ...thing, hidden: thing.count - limit }
  })
  return things.some((thing, i) => thing !== current.things[i]) ? { ...current, things } : undefined
}

/** Returns the scene's setting after the changes in an edit. */
function withSetting(current: Request, asked: Request): Request {
  const { place, time, style, sky, inscription, weather, tones } = asked
  const cleared = weather.has('clear') || weather.size === 0 ? [] : [...current.weather]
  const kept = weather.size === 0 ? current.weather : new Map(cleared.filter(([kind]) => kind !== 'clear'))
  const opposite: Readonly<Record<string, string>> = {
    darker: 'lighter',
    lighter: 'darker',
    warmer: 'cooler',
    cooler: 'warmer',
  }
  return {
    ...current,
    weather: new Map([...kept, ...weather]),
    tones: [
      ...new Set([
        ...current.tones.filter((tone) => !tones.some((other) => opposite[other] === tone)),
        ...tones,
      ]),
    ],
    ...(place && { place }),
    ...(time && { time }),
    ...(style && { style }),
    ...(sky && { sky }),
    ...(inscription && { inscription }),
  }
}
