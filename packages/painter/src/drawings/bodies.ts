import type { Hex } from '../color.js'
import { movedParts, type Part, part } from '../nouns/part.js'
import { blob, curve, type Form, line, oval } from '../nouns/shapes.js'
import type { Drawn } from './drawn-parts.js'

/** The coat of an animal whose drawing is only a head. */
interface Coat {
  readonly color: Hex
  /** Default: the colour of the body. */
  readonly legs?: Hex
  readonly tail?: 'tuft' | 'bushy' | 'short'
  readonly tip?: Hex
}

const coats: Readonly<Record<string, Coat>> = {
  lion: { color: '#ffb02e', tail: 'tuft', tip: '#6d4534' },
  fox: { color: '#ff822d', legs: '#5a3a30', tail: 'bushy', tip: '#ffdea7' },
  wolf: { color: '#9b9b9b', tail: 'bushy', tip: '#d3d3d3' },
  bear: { color: '#a56953', tail: 'short' },
  panda: { color: '#f2f0f4', legs: '#433b4b', tail: 'short' },
  'polar-bear': { color: '#f0f0f2', tail: 'short' },
  koala: { color: '#9b9b9b', tail: 'short' },
  raccoon: { color: '#9b9b9b', legs: '#636363', tail: 'bushy', tip: '#636363' },
  boar: { color: '#6d4534', legs: '#4d3025', tail: 'short' },
  hamster: { color: '#f3ad61', tail: 'short' },
  moose: { color: '#8c5543', legs: '#6d4534', tail: 'short' },
  unicorn: { color: '#ece6f4', tail: 'bushy', tip: '#b4a0f0' },
}

/** Puts an animal's head on a body with four legs. The body faces left. */
export function withAnimalBody(name: string, head: Drawn): Drawn {
  const { color, legs = color, tail, tip = color } = coats[name] ?? { color: head.color }
  const leg = (x: number, fill: Hex): Part =>
    part(fill, line([x, 0.36], [x - 0.01, 0.05], [0.085, 0.07]), { bulge: 0.05, shadeOf: color })
  const tailForm: Form =
    tail === 'short'
      ? oval([0.66, 0.52], 0.06)
      : curve(
          [
            [0.58, 0.5],
            [0.86, 0.42],
            [0.82, 0.72],
          ],
          tail === 'bushy' ? [0.06, 0.11] : [0.03, 0.025],
        )
  const tipForm = oval([0.82, 0.74], tail === 'bushy' ? [0.09, 0.1] : 0.06)
  return {
    color,
    width: 1.6,
    parts: [
      ...[-0.16, 0.5].map((x) => leg(x, darker(legs))),
      part(color, tailForm, { bulge: 0.04, shadeOf: color }),
      ...(tail === 'short' ? [] : [part(tip, tipForm, { bulge: 0.04 })]),
      part(
        color,
        blob([
          [-0.36, 0.5],
          [-0.2, 0.64],
          [0.2, 0.63],
          [0.56, 0.62],
          [0.66, 0.46],
          [0.56, 0.28],
          [0.1, 0.24],
          [-0.28, 0.26],
        ]),
        { bulge: 0.14, shadeOf: color },
      ),
      ...[-0.27, 0.4].map((x) => leg(x, legs)),
      ...movedParts(withColorOf(head, color), [-0.42, 0.4], 0.6),
    ],
  }
}

function darker(fill: Hex): Hex {
  const value = Number.parseInt(fill.slice(1), 16)
  const channels = [16, 8, 0].map((shift) => Math.round(((value >> shift) & 255) * 0.82))
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

/**
 * Returns the parts of a head. If a colour is given, recolours the parts that have the coat's colour, but not skin and
 * hair.
 */
function withColorOf({ parts }: Drawn, color?: Hex): Part[] {
  return parts.map(({ shadeOf, ...rest }) =>
    color && shadeOf === color ? { ...rest, shadeOf: color } : rest,
  )
}

/** The colours of clothes for people whose drawing is only a head: for the upper body, and for the legs. */
const clothes: Readonly<Record<string, readonly [Hex, Hex]>> = {
  man: ['#3f7fd1', '#3d4a66'],
  woman: ['#c2476b', '#e0b48c'],
  boy: ['#e0672f', '#41608f'],
  girl: ['#e36aa8', '#e0b48c'],
  child: ['#4fae62', '#41608f'],
  baby: ['#8fc7ef', '#8fc7ef'],
  'old-man': ['#6d7d5a', '#5b5248'],
  'old-woman': ['#8a5fa8', '#d9c2b4'],
  'man-beard': ['#b0463a', '#3d4a66'],
  'santa-claus': ['#d8252c', '#b01e24'],
  'mrs-claus': ['#d8252c', '#e0b48c'],
  'cowboy-hat-face': ['#a8743e', '#3c5688'],
  'clown-face': ['#f6cd2b', '#3c9a45'],
  alien: ['#6fb33a', '#5a9430'],
  ogre: ['#a03a2a', '#a03a2a'],
  goblin: ['#5f8a3a', '#4c6f2e'],
  skull: ['#e8e4ea', '#d8d4da'],
}

/** Puts a head on a person with arms and legs. Children have larger heads. */
export function withHumanBody(name: string, head: Drawn, metres: number): Drawn {
  const [upper, lower] = clothes[name] ?? ['#3f7fd1', '#3d4a66']
  const share = metres > 1.5 ? 0.36 : metres > 0.9 ? 0.42 : 0.5
  const neck = 1 - share * 0.96
  const dress = ['woman', 'girl', 'old-woman', 'mrs-claus'].includes(name)
  const hip = neck * (dress ? 0.3 : 0.46)
  const skin = name === 'alien' ? '#86d72f' : name === 'skull' ? '#f4f4f4' : '#ffc83d'
  const wide = dress ? 0.2 : 0.13
  return {
    color: upper,
    width: Math.max(head.width * share, 0.52),
    parts: [
      ...[-0.075, 0.075].flatMap((x) => [
        part(lower, line([x, hip + 0.03], [x * 1.1, 0.05], [0.062, 0.052]), { bulge: 0.04 }),
        part('#4a3328', oval([x * 1.35, 0.025], [0.075, 0.032]), { bulge: 0.03 }),
      ]),
      ...[-1, 1].flatMap((side) => [
        part(
          upper,
          curve(
            [
              [side * 0.1, neck - 0.06],
              [side * 0.21, neck - 0.09],
              [side * 0.21, hip + 0.06],
            ],
            [0.055, 0.042],
          ),
          { bulge: 0.04, shadeOf: upper },
        ),
        part(skin, oval([side * 0.212, hip + 0.03], 0.042), { bulge: 0.03 }),
      ]),
      part(
        upper,
        blob([
          [-wide, hip],
          [-0.13, (neck + hip) / 2],
          [-0.14, neck - 0.04],
          [0, neck + 0.02],
          [0.14, neck - 0.04],
          [0.13, (neck + hip) / 2],
          [wide, hip],
          [0, hip - 0.02],
        ]),
        { bulge: 0.09, shadeOf: upper },
      ),
      ...movedParts(withColorOf(head), [0, 1 - share], share),
    ],
  }
}

/** The colours of legs that are not dark blue, by the name of the drawing. */
const trousers: Readonly<Record<string, Hex>> = {
  astronaut: '#dfe1e6',
  farmer: '#2f6fc0',
  firefighter: '#8f1440',
  ninja: '#2b2030',
  'man-mage': '#1f6fb0',
  'woman-mage': '#1f6fb0',
  'woman-with-veil': '#f4f2f6',
  princess: '#6a2f86',
  'baby-angel': '#ffc83d',
  'man-superhero': '#1f5fb0',
  'woman-superhero': '#1f5fb0',
}

/** Adds two legs to a person whose drawing ends at the chest. */
export function withLegs(name: string, bust: Drawn): Drawn {
  const legs = trousers[name] ?? '#3d4a66'
  const share = 0.68
  const wide = bust.width * share
  return {
    color: bust.color,
    width: wide,
    parts: [
      ...[-1, 1].flatMap((side) => [
        part(legs, line([side * wide * 0.19, 0.36], [side * wide * 0.2, 0.06], [0.1, 0.08]), {
          bulge: 0.05,
        }),
        part('#2f2a33', oval([side * wide * 0.24, 0.035], [0.11, 0.04]), { bulge: 0.03 }),
      ]),
      ...movedParts(bust.parts, [0, 1 - share], share),
    ],
  }
}
