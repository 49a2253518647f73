import { drawnNouns } from '../drawings/drawn-nouns.js'
import { food } from '../drawings/food.js'
import { nounOf } from '../nouns/nouns.js'
import { movedParts, type Noun, part } from '../nouns/part.js'
import { oval } from '../nouns/shapes.js'
import { shopParts } from '../nouns/structures.js'
import { type Meaning, meaningsOf } from './dictionary.js'

type Thing = Extract<Meaning, { kind: 'thing' }>

/**
 * Returns the noun for a compound whose first word is a known thing, such as a coffee shop or an orange tree. Undefined
 * for other compounds.
 */
export function compoundOf(first: Noun, phrase: string, head: string): Thing | undefined {
  const [, kind, many] = /^(shop|store|stall|stand|market|tree)(s?)$/.exec(head) ?? []
  if (!kind) return undefined
  const name = `${phrase} ${kind}`
  const noun = kind === 'tree' ? treeWith(first, name) : shopFor(first, name)
  return noun && { kind: 'thing', noun, many: many === 's' }
}

const made = new Map<string, Noun>()

/** Returns a shop with the thing on its sign. */
function shopFor(goods: Noun, name: string): Noun {
  const found = made.get(name)
  if (found) return found
  const noun: Noun = {
    ...nounOf('shop'),
    words: [name],
    parts: (random) =>
      shopParts((to, size) => {
        // A wide thing is fitted to the width of the board.
        const scale = Math.min(size, (size * 2.4) / goods.width)
        return movedParts(goods.parts(random), to, scale).map((drawn) =>
          drawn.fill === 'main' ? { ...drawn, fill: goods.color } : drawn,
        )
      }),
  }
  made.set(name, noun)
  return noun
}

const foods = new Set(food.flatMap(({ words, metres }) => (metres < 0.2 ? words : [])))

/** Whether a noun is something to eat or drink. */
export function isFood(noun: Noun): boolean {
  return edible.has(noun)
}

const edible = new Set<Noun>([
  ...drawnNouns.filter(({ words }) => food.some((entry) => entry.words === words)),
  ...['apple', 'banana', 'strawberry', 'pizza', 'cake', 'ice cream'].map(nounOf),
])

/** Whether a noun's name contains the name of a more general one. For example, a polar bear is a bear. */
export function isKindOf(noun: Noun, general: Noun): boolean {
  return general.words.some((word) => noun.words.some((own) => own.endsWith(` ${word}`)))
}

/** Returns a tree that bears a fruit. */
function treeWith(fruit: Noun, name: string): Noun | undefined {
  const isFruit = isFood(fruit) && (foods.has(fruit.words[0] ?? '') || fruit === nounOf('apple'))
  if (!isFruit) return undefined
  const found = made.get(name)
  if (found) return found
  const tree = nounOf('tree')
  const spots = [
    [-0.24, 0.62],
    [-0.1, 0.74],
    [0.12, 0.8],
    [0.24, 0.64],
    [0.02, 0.6],
    [-0.02, 0.9],
    [-0.2, 0.82],
    [0.14, 0.68],
  ]
  const noun: Noun = {
    ...tree,
    words: [name],
    parts: (random) => [
      ...tree.parts(random),
      ...spots.map(([x = 0, y = 0]) => part(fruit.color, oval([x, y], [0.034, 0.034]), { bulge: 0.03 })),
    ],
  }
  made.set(name, noun)
  return noun
}

/** Returns the thing among the meanings of a phrase. Undefined if there is none. */
export function thingOf(phrase: string): Thing | undefined {
  return meaningsOf(phrase).find((meaning) => meaning.kind === 'thing')
}
