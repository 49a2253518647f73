import { aircraft } from './aircraft.js'
import { animals } from './animals.js'
import { birds } from './birds.js'
import { boats } from './boats.js'
import { buildings } from './buildings.js'
import { farmAnimals } from './farm-animals.js'
import { figures } from './figures.js'
import { fixtures } from './fixtures.js'
import { flowersAndFruit } from './flowers-and-fruit.js'
import { food } from './food.js'
import { furniture } from './furniture.js'
import { heavens } from './heavens.js'
import { indoorThings } from './indoor-things.js'
import { landmarks } from './landmarks.js'
import { objects } from './objects.js'
import { outdoorThings } from './outdoor-things.js'
import type { Noun } from './part.js'
import { plants } from './plants.js'
import { seaAnimals } from './sea-animals.js'
import { smallAnimals } from './small-animals.js'
import { structures } from './structures.js'
import { vehicles } from './vehicles.js'
import { wildAnimals } from './wild-animals.js'

/** All nouns that the painter can draw. */
export const nouns: readonly Noun[] = [
  ...animals,
  ...wildAnimals,
  ...smallAnimals,
  ...farmAnimals,
  ...birds,
  ...seaAnimals,
  ...boats,
  ...vehicles,
  ...aircraft,
  ...buildings,
  ...plants,
  ...flowersAndFruit,
  ...figures,
  ...objects,
  ...furniture,
  ...indoorThings,
  ...fixtures,
  ...structures,
  ...outdoorThings,
  ...food,
  ...heavens,
  ...landmarks,
]

/** Returns the noun with a name. Throws if the name is unknown. */
export function nounOf(word: string): Noun {
  const noun = nouns.find(({ words }) => words.includes(word))
  if (!noun) throw new Error(`The painter does not know the noun "${word}".`)
  return noun
}
