import { bodyNouns, drawnNouns } from '../src/drawings/drawn-nouns.js'
import { nouns } from '../src/nouns/nouns.js'
import {
  colors,
  degrees,
  places,
  relations,
  sizes,
  styles,
  times,
  tones,
  weathers,
} from '../src/prompt/words.js'

/** Examples of what can be painted, by kind. Each is a name of a noun. */
const kinds: Readonly<Record<string, string>> = {
  Animals: 'cat, dog, horse, cow, lion, elephant, owl, penguin, fish, whale, dragon',
  Plants: 'tree, palm, cactus, rose, sunflower, bush, mushroom',
  Food: 'apple, banana, bread, cheese, pizza, cake, ice cream, coffee',
  People: 'man, woman, child, doctor, teacher, farmer, astronaut, king, dancer',
  Buildings: 'house, castle, lighthouse, church, school, shop, bridge, tent',
  Vehicles: 'car, bus, bicycle, train, sailboat, airplane, helicopter, rocket',
  Household: 'table, chair, sofa, bed, lamp, shelf, window, mirror, stove',
  Devices: 'hammer, scissors, laptop, phone, camera, clock, book, pencil',
  'Music, sport and toys': 'guitar, piano, drum, ball, skateboard, kite, teddy bear, balloon, robot',
  Clothes: 'shirt, dress, coat, shoe, hat, glasses, umbrella, backpack',
  Landscape: 'sun, moon, star, cloud, rainbow, mountain, volcano, waterfall, snowman',
}

/** Renders what the painter can paint, by kind, and the words for the rest of a prompt. */
export function toVocabulary(): string {
  const known = new Set([...nouns, ...drawn].flatMap(({ words }) => words))
  const unknown = Object.values(kinds).flatMap((words) =>
    words.split(', ').filter((word) => !known.has(word)),
  )
  if (unknown.length > 0) throw new Error(`The painter has no ${unknown.join(', ')}. Name other examples.`)
  return [
    `The painter draws ${nouns.length} things itself and ${drawn.length} from the library, under ${known.size} names, each also in the plural. Some of them:`,
    '',
    ...Object.entries(kinds).map(([kind, words]) => `- **${kind}**: ${words}`),
    '',
    'Combine them with these words. Most have other names too, such as "ocean" for "sea":',
    '',
    ...Object.entries({
      Places: firstOf(places),
      Times: firstOf(times),
      Weather: firstOf(weathers),
      Styles: firstOf(styles),
      Tones: firstOf(tones),
      Relations: firstOf(relations),
      Colours: `${Object.keys(colors).slice(0, 12).join(', ')} and ${Object.keys(colors).length - 12} more, with ${Object.keys(degrees).slice(0, 4).join(', ')}`,
      Sizes: Object.keys(sizes).slice(0, 7).join(', '),
      Numbers: 'up to 12, as figures or words',
    }).map(([kind, words]) => `- **${kind}**: ${words}`),
  ].join('\n')
}

const drawn = [...drawnNouns, ...bodyNouns]

/** The first name of each. */
function firstOf(words: Readonly<Record<string, string>>): string {
  return Object.values(words)
    .map((phrases) => phrases.split(', ')[0])
    .join(', ')
}
