import type { Hex } from '../color.js'
import type { Noun, Part } from '../nouns/part.js'
import { withAnimalBody, withHumanBody, withLegs } from './bodies.js'
import { type Drawn, drawnParts } from './drawn-parts.js'
import type { DrawingEntry } from './entry.js'
import { food } from './food.js'
import { household } from './household.js'
import { nature } from './nature.js'
import { body, people } from './people.js'
import { places } from './places.js'

/** A noun in the library of drawings. Its drawing is read when it is first used. */
class DrawnNoun implements Noun {
  readonly words: readonly string[]
  readonly home: Noun['home']
  readonly metres: number
  readonly indoor: boolean | 'either'
  readonly seat?: number
  private drawn: Drawn | undefined

  constructor(private readonly entry: DrawingEntry) {
    this.words = entry.words
    this.home = entry.home
    this.metres = entry.metres
    this.indoor = entry.indoor
    if (entry.seat !== undefined) this.seat = entry.seat
  }

  get color(): Hex {
    return this.read().color
  }

  get width(): number {
    return this.read().width
  }

  /** The height in an image. Large things are drawn taller, and wide things shorter. */
  get height(): number {
    const { metres } = this
    const share = metres > 4 ? 0.52 : metres > 1.4 ? 0.46 : metres > 0.4 ? 0.4 : 0.34
    const wide = Math.max(1, this.width)
    return share / Math.sqrt(wide * Math.sqrt(wide))
  }

  parts = (): readonly Part[] => this.read().parts

  private read(): Drawn {
    this.drawn ??= toDrawn(this.entry) ?? { parts: [], width: 1, color: '#808080' }
    return this.drawn
  }
}

function toDrawn(entry: DrawingEntry): Drawn | undefined {
  const { drawing: name, only, without, shows, metres } = entry
  const drawn = drawnParts({ name, ...(only && { only }), ...(without && { without }) })
  if (!drawn || shows === 'whole') return drawn
  if (shows === 'animal head') return withAnimalBody(name, drawn)
  return shows === 'head' ? withHumanBody(name, drawn, metres) : withLegs(name, drawn)
}

/** All nouns in the library. */
export const drawnNouns: readonly Noun[] = [...nature, ...food, ...household, ...places, ...people].map(
  (entry) => new DrawnNoun(entry),
)

/** Parts of the body. In most prompts, they are part of another thing. */
export const bodyNouns: readonly Noun[] = body.map((entry) => new DrawnNoun(entry))
