import type { Noun } from './part.js'

const facewear = new Set(['glasses', 'sunglasses', 'goggles', 'diving mask'])
const headwear = new Set([
  'hat',
  'cap',
  'sun hat',
  'helmet',
  'military helmet',
  'crown',
  'graduation cap',
  'headphones',
])
const clothes = new Set(
  'shirt,tank top,womans clothes,dress,kimono,sari,coat,lab coat,vest,skirt,trousers,shorts,swimsuit'.split(
    ',',
  ),
)

/** Whether a thing is worn over the eyes. */
export function isFacewear({ words: [name = ''] }: Noun): boolean {
  return facewear.has(name)
}

/** Whether a thing is worn on the head. */
export function isHeadwear(noun: Noun): boolean {
  return isFacewear(noun) || headwear.has(noun.words[0] ?? '')
}

/**
 * Whether a thing is worn on the body. People are always drawn with clothes, and the thing sets the colour of these
 * clothes.
 */
export function isClothes({ words: [name = ''] }: Noun): boolean {
  return clothes.has(name)
}

/** Things that are part of some drawings. */
const own: Readonly<Record<string, readonly string[]>> = {
  king: ['crown'],
  prince: ['crown'],
  princess: ['crown'],
  wizard: ['hat', 'magic wand'],
  witch: ['hat'],
  cowboy: ['hat'],
  cook: ['hat'],
  'police officer': ['cap', 'hat'],
  firefighter: ['helmet', 'axe'],
  'construction worker': ['helmet'],
  astronaut: ['helmet'],
  doctor: ['stethoscope'],
  nurse: ['stethoscope'],
  cake: ['candle'],
  'birthday cake': ['candle'],
  fishbowl: ['fish'],
}

/** Whether a thing is always drawn with another thing, like a king with a crown. */
export function hasOwn({ words: [name = ''] }: Noun, other: Noun): boolean {
  return own[name]?.includes(other.words[0] ?? '') ?? false
}
