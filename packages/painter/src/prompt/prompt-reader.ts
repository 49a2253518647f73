import { toRgb } from '../color.js'
import { isPerson } from '../drawings/people.js'
import { canCarry, isContainer } from '../nouns/containers.js'
import type { Noun } from '../nouns/part.js'
import { metresOf } from '../nouns/sizes.js'
import { hasOwn, isClothes, isHeadwear } from '../nouns/wearing.js'
import { addAdjective, isAdjective, mostOfAKind, type Value, type Waiting } from './adjectives.js'
import { isFood, isKindOf } from './compounds.js'
import { type Adjective, isPairLike, type Meaning, type Placing, type Scenic } from './dictionary.js'
import { type Lost, OpenRelation } from './open-relation.js'
import type {
  Aspect,
  Heard,
  Inscription,
  Named,
  Place,
  Placement,
  Relation,
  Request,
  Side,
  Style,
  Time,
  Tone,
  Wanted,
  Weather,
} from './request.js'

/** Maximum number of things in an image. */
const mostThings = 40

/** The things in an image that a prompt changes. */
export interface Present {
  readonly things: readonly Wanted[]
  /** Whether colours and sizes change things, instead of describing them. Default false. */
  readonly changes?: boolean
}

/** Collects meanings in reading order. Adjectives are kept until their noun or weather is read. */
export class PromptReader {
  private readonly things: Draft[]
  /** The number of things in the image that the prompt changes. */
  private readonly present: number
  private readonly changes: boolean
  private readonly weather = new Map<Weather, number>()
  private readonly tones = new Set<Tone>()
  private heard: readonly Heard[] = []
  private place: Place | undefined
  private time: Time | undefined
  private style: Style | undefined
  private inscription: Inscription | undefined
  private sky: Named | undefined
  private color: Named | undefined
  /** Whether the sky was mentioned last and has no colour yet. */
  private skyWaits = false
  /** Whether the lettering was mentioned last and has no colour yet. */
  private textWaits = false
  private waiting: Waiting = {}
  private readonly relation = new OpenRelation()
  /** The index of the relation's word in the words that were understood. */
  private relationAt = 0
  /** The index of the last thing in this sentence. */
  private last: number | undefined
  /** The things since the last relation or sentence. For example, "a cup and a book on a table" places both. */
  private coordinated: number[] = []
  /** The things whose position may be corrected by another relation. */
  private readonly rough = new Set<number>()
  /** Whether the next thing is in a container, such as "a bowl of fruit", and therefore occurs several times. */
  private filling = false
  /** Whether "in" was the last word, not counting articles. */
  private isInside = false
  /** The thing that wears the thing after "with", "in" or "wearing". */
  private wearer: number | undefined
  /** The thing before "with", because the next thing may be "on its back". */
  private holder: number | undefined
  /** The words for unwanted things. */
  readonly refused = new Set<string>()
  /** Relations, numbers and verbs that the image does not show. */
  readonly lost = new Set<string>()

  constructor({ things, changes = false }: Present = { things: [] }) {
    this.things = things.map((thing) => ({ ...thing }))
    this.present = things.length
    this.changes = changes
  }

  /** Reads a phrase. With `again`, it may refer to an earlier thing, as "the cat" does after "a cat". */
  take(phrase: string, meanings: readonly Meaning[], { again }: { again: boolean }): void {
    // "Clouds" means weather, but "three clouds" means things.
    const counted = this.waiting.count ? meanings.find(({ kind }) => kind === 'thing') : undefined
    const meaning = counted ?? meanings[0]
    if (!meaning) return
    if (isAdjective(meaning)) this.wait(phrase, meaning)
    else if (meaning.kind === 'relation') this.takeRelation(phrase, meaning)
    else if (meaning.kind === 'unit') this.waiting = {}
    else if (this.waiting.not) this.refuse(phrase)
    else if (meaning.kind === 'thing' && again && this.meetAgain(phrase, meaning.noun)) return
    else if (meaning.kind === 'thing') this.takeThing(phrase, meaning.noun, meaning.many)
    else this.takeScenic(phrase, meaning)
  }

  get hasThings(): boolean {
    return this.things.length > 0
  }

  /** Uses the colour of a food for the next noun, if that noun has no other colour. */
  takeTint(phrase: string, { color }: Noun): void {
    this.waiting.color ??= { word: phrase, value: { word: phrase, rgb: toRgb(color) } }
  }

  /** Handles "it", which refers to the only thing in the image. */
  takeIt(): void {
    const visible = this.things.findIndex(({ count, hidden = 0 }) => hidden < count)
    const others = this.things.filter(({ count, hidden = 0 }) => hidden < count).length
    if (others === 1) this.last = visible
  }

  /** Handles "its" and similar words, as in "a turtle with a bird on its back". */
  takeOwner(): void {
    if (this.holder !== undefined && this.relation.isAwaiting) this.meet(this.holder, 1)
  }

  /** Handles "of water", which fills the previous thing. Returns false if there is none. */
  takeWater(phrase: string): boolean {
    const thing = this.last === undefined ? undefined : this.things[this.last]
    if (!thing) return false
    thing.color ??= { word: phrase, rgb: toRgb('#bfe0f2') }
    this.relation.drop()
    this.filling = false
    this.hear(phrase, 'things')
    this.waiting = {}
    return true
  }

  /** Handles "of". The contents of a container are drawn on it. */
  takeContents(): void {
    const container = this.things[this.last ?? -1]?.noun
    if (!container || !isContainer(container)) return
    this.filling = true
    this.beginTurned('on', '')
  }

  /** Sets the lettering. If there are several, the last one is used. */
  takeText(text: string): void {
    const color = this.used('color', 'text')
    this.inscription = { text, ...(color && { color }) }
    this.textWaits = !color
    this.hear(text, 'text')
    this.waiting = {}
  }

  /**
   * Ends a phrase at a separator. A colour without a thing applies to the previous thing, sky or lettering, or else to
   * the image. The end of a sentence or clause also ends a "not", but an article does not.
   */
  settle(separator: string): void {
    const ended = /\W/.test(separator)
    if (separator === 'with') this.holder = this.last
    if (separator === 'with' || separator === 'in') this.wearer = this.last
    else if (!articles.has(separator)) this.wearer = undefined
    this.isInside = separator === 'in' || (this.isInside && articles.has(separator))
    this.settleColor()
    this.settleSize()
    const { side, not } = this.waiting
    this.waiting = { ...(side && { side }), ...(not && !ended && { not }) }
    if (separator === ',') this.lose(this.relation.pause())
    else if (ended && separator !== ':') {
      this.lose(this.relation.drop())
      this.holder = undefined
      this.last = undefined
      this.coordinated = []
    }
  }

  /** Records that a relation lacks a thing, unless it is shown anyway, as in "a dog with a hat on its head". */
  private lose(open: Lost | undefined): void {
    if (!open || open.word === '') return
    const isShown = this.things.some(
      ({ placed }, at) =>
        placed?.relation === open.relation && [at, ...placed.to].some((one) => one === open.subject),
    )
    if (!isShown) this.lost.add(open.word)
  }

  private settleColor(): void {
    const { color } = this.waiting
    const last = this.changes && this.last !== undefined ? this.things[this.last] : this.things.at(-1)
    if (color && this.textWaits && this.inscription) {
      this.inscription = { ...this.inscription, color: color.value }
      this.textWaits = false
      this.hear(color.word, 'text')
    } else if (color && this.skyWaits) {
      this.sky = color.value
      this.skyWaits = false
      this.hear(color.word, 'sky')
    } else if (
      color &&
      last &&
      (this.changes || !last.color) &&
      !(this.present > 0 && this.last === undefined)
    ) {
      for (const thing of this.changes ? this.changed() : [last]) thing.color = color.value
      this.hear(color.word, 'things')
    } else if (color) {
      this.color = color.value
      this.hear(color.word, 'color')
    }
  }

  /** Applies a size to the thing before it, as in "make the boat bigger". */
  private settleSize(): void {
    const { size } = this.waiting
    if (!this.changes || !size || this.last === undefined) return
    for (const thing of this.changed()) thing.size = Math.min(4, Math.max(0.2, thing.size * size.value))
    this.hear(size.word, 'things')
  }

  /** Returns the things that a change refers to, as in "make the bird and the fence red". */
  private changed(): Draft[] {
    const named = new Set([...this.coordinated.splice(0), this.last ?? -1])
    return [...named].flatMap((at) => this.things[at] ?? [])
  }

  found(): Omit<Request, 'text' | 'said'> {
    return {
      things: this.things,
      weather: this.weather,
      tones: [...this.tones],
      heard: this.heard,
      ...(this.place && { place: this.place }),
      ...(this.time && { time: this.time }),
      ...(this.style && { style: this.style }),
      ...(this.inscription && { inscription: this.inscription }),
      ...(this.sky && { sky: this.sky }),
      ...(this.color && { color: this.color }),
    }
  }

  private wait(phrase: string, meaning: Adjective): void {
    if (meaning.kind === 'side') this.takeSide(phrase, meaning.side)
    else if (meaning.kind === 'not') this.waiting = { not: true }
    else {
      if (meaning.kind === 'count' && meaning.count > mostOfAKind) this.lost.add(phrase)
      addAdjective(this.waiting, phrase, meaning)
    }
  }

  private refuse(phrase: string): void {
    for (const word of phrase.split(' ')) this.refused.add(word)
    this.waiting = {}
  }

  private takeRelation(phrase: string, { relation, rough, turned }: Placing): void {
    this.settle('')
    if (turned) {
      this.wearer = this.last
      this.beginTurned(relation, phrase)
      return
    }
    this.lose(this.relation.drop())
    this.relation.begin(relation, rough ? '' : phrase, this.last)
    this.relationAt = this.heard.length
  }

  /** Starts a relation in which the last thing carries the next one. */
  private beginTurned(relation: Relation, phrase: string): void {
    if (this.last === undefined) return
    this.relation.begin(relation, phrase, undefined)
    this.relation.meet(this.last, 1)
    this.relationAt = this.heard.length
  }

  /** Assigns the relation to its things. Omits a relation that would lead back to its own start. */
  private meet(index: number, count: number): void {
    const found = this.relation.meet(index, count)
    this.last = index
    const group = this.coordinated
    if (!found && !this.relation.isOpen) group.push(index)
    if (!found) return
    this.coordinated = []
    const subjects = group.includes(found.subject)
      ? group.filter((other) => other === found.subject || this.canJoin(other, found.placement))
      : [found.subject]
    let isPlaced = false
    for (const subject of subjects) {
      const thing = this.things[subject]
      const isFixed = thing?.placed && subject >= this.present && !this.rough.has(subject)
      if (!thing || isFixed || found.placement.to.some((to) => this.leadsTo(to, subject))) continue
      thing.placed = found.placement
      isPlaced = true
      if (found.word) this.rough.delete(subject)
      else this.rough.add(subject)
    }
    if (!isPlaced) this.lose({ ...found.placement, word: found.word, subject: found.subject })
    // In "a man reading a newspaper on a bench", both are on the bench.
    if (isPlaced && !found.word && found.placement.relation === 'beside')
      this.coordinated = [found.subject, ...found.placement.to]
    if (isPlaced && found.word)
      this.heard = this.heard.toSpliced(this.relationAt, 0, { words: found.word, about: 'relation' })
  }

  /** Whether a thing can have the position of the thing next to it: neither a balloon nor a house can be on a table. */
  private canJoin(other: number, { relation, to }: Placement): boolean {
    const [subject, object] = [this.things[other]?.noun, this.things[to[0] ?? -1]?.noun]
    if (!subject || !object) return false
    if (relation !== 'on') return true
    return subject.home !== 'sky' && (metresOf(subject) ?? 1) <= 2.5 * (metresOf(object) ?? 1)
  }

  private leadsTo(from: number, to: number): boolean {
    return from === to || (this.things[from]?.placed?.to.some((next) => this.leadsTo(next, to)) ?? false)
  }

  private meetAgain(phrase: string, noun: Noun): boolean {
    const find = (fits: (one: Noun) => boolean): number =>
      this.things.findLastIndex((thing) => fits(thing.noun) && (thing.hidden ?? 0) < thing.count)
    const own = find((one) => one === noun)
    const index = own >= 0 ? own : find((one) => isKindOf(one, noun))
    const thing = this.things[index]
    if (!thing) return false
    // Matches "add a hat to the snowman".
    const fresh = this.last === undefined || this.last < this.present ? undefined : this.things[this.last]
    if (fresh && !fresh.placed && isHeadwear(fresh.noun)) fresh.placed = { relation: 'on', to: [index] }
    this.meet(index, thing.count)
    this.hear(phrase, 'things')
    if (this.changes && this.waiting.color)
      thing.color = this.used('color', 'things') ?? this.waiting.color.value
    if (this.changes && this.waiting.size) thing.size *= this.used('size', 'things') ?? 1
    this.waiting = {}
    return true
  }

  private takeSide(phrase: string, side: Side): void {
    this.relation.drop()
    const named = this.changes && this.last !== undefined ? this.things[this.last] : undefined
    const last = named ?? this.things.at(-1)
    if (last && (named || !last.side)) {
      last.side = side
      this.hear(phrase, 'things')
    } else this.waiting.side = { word: phrase, value: side }
  }

  private takeScenic(phrase: string, meaning: Scenic): void {
    if (meaning.kind === 'place') this.takePlace(meaning.place)
    else if (meaning.kind === 'time') this.time = meaning.time
    else if (meaning.kind === 'tones') this.tones.add(meaning.tone)
    else if (meaning.kind === 'style') this.style = meaning.style
    else if (meaning.kind === 'weather')
      this.weather.set(meaning.weather, this.used('degree', 'weather')?.factor ?? 1)
    else this.takeSky()
    this.hear(phrase, meaning.kind)
    // In "riding the waves", the verb means more than a position.
    const { word = '' } = (meaning.kind !== 'style' && this.relation.drop()) || {}
    if (word.endsWith('ing')) this.lost.add(word)
    this.isInside = false
    this.waiting = {}
  }

  private takePlace(place: Place): void {
    const joined = joinPlaces(this.place ?? place, place)
    if (!joined.both) this.heard = this.heard.filter(({ about }) => about !== 'place')
    if ((this.place === 'snow' || place === 'snow') && joined.place !== 'snow') this.weather.set('snow', 0.7)
    this.place = joined.place
  }

  private takeSky(): void {
    const color = this.used('color', 'sky')
    this.sky = color ?? this.sky
    this.skyWaits = !color
  }

  private takeThing(phrase: string, noun: Noun, many: boolean): void {
    const room = mostThings - this.things.reduce((sum, thing) => sum + thing.count, 0)
    // A pair of scissors is one thing.
    const paired = !many && isPairLike(phrase) && this.waiting.count?.word === 'pair'
    const asked = this.used('count', 'things') ?? (many || (this.filling && isFood(noun)) ? 3 : 1)
    this.filling = false
    const count = Math.min(room, paired ? 1 : asked)
    if (count < asked && !paired) this.lost.add(phrase)
    const size = this.used('size', 'things') ?? 1
    // Mountains and rainbows have fixed colours. A different one would be reported as understood, but not shown.
    const fixed = noun.scenery === 'mountains' || noun.scenery === 'rainbow'
    const color = fixed ? undefined : this.used('color', 'things')
    const side = this.used('side', 'things')
    this.skyWaits = false
    this.textWaits = false
    const wearer = this.wearer === undefined ? undefined : this.things[this.wearer]
    if (!isClothes(noun) && !isHeadwear(noun)) this.wearer = undefined
    const isWorn = wearer !== undefined && isPerson(wearer.noun) && isClothes(noun)
    if (wearer && (isWorn || hasOwn(wearer.noun, noun))) {
      // People are drawn with clothes, and kings with a crown.
      if (color && isWorn) wearer.color = color
      this.relation.drop()
      this.hear(phrase, 'things')
      this.waiting = {}
      return
    }
    const carrier = this.last
    const isPutOn = (wearer !== undefined || (carrier ?? Infinity) < this.present) && isHeadwear(noun)
    if (isPutOn && !this.relation.isOpen) this.beginTurned('on', '')
    if (this.isInside && canCarry(noun)) this.relation.begin('on', '', carrier)
    else if (this.isInside && carrier !== undefined && !isPutOn && !isClothes(noun)) this.lost.add('in')
    this.isInside = false
    if (count > 0) {
      this.things.push({ noun, count, size, ...(color && { color }), ...(side && { side }) })
      this.meet(this.things.length - 1, count)
    }
    // In "a man with a hat on a horse", the man is on the horse.
    if (isPutOn && carrier !== undefined) {
      this.last = carrier
      this.coordinated = [carrier]
    }
    this.hear(phrase, 'things')
    this.waiting = {}
  }

  /** Returns the value of the adjective for this noun, and counts its word as understood. */
  private used<K extends 'count' | 'size' | 'degree' | 'color' | 'side'>(
    kind: K,
    about: Aspect,
  ): Value<K> | undefined {
    const adjective = this.waiting[kind]
    if (adjective) this.hear(adjective.word, about)
    return adjective?.value as Value<K> | undefined
  }

  private hear(words: string, about: Aspect): void {
    if (words !== '') this.heard = [...this.heard, { words, about }]
  }
}

const articles = new Set(['a', 'an', 'the'])

type Draft = { -readonly [K in keyof Wanted]: Wanted[K] }

/** Joins two places in one prompt. `both` says whether the image also shows the first place. */
function joinPlaces(first: Place, second: Place): { readonly place: Place; readonly both: boolean } {
  if (first === second || holds[first]?.includes(second)) return { place: first, both: true }
  if (holds[second]?.includes(first)) return { place: second, both: true }
  return { place: second, both: false }
}

/** Places that include other places: mountains can have a lake, and most places can have snow. */
const holds: Readonly<Partial<Record<Place, readonly Place[]>>> = {
  mountains: ['sea', 'snow'],
  city: ['sea', 'snow'],
  beach: ['sea'],
  forest: ['meadow', 'snow'],
  meadow: ['snow'],
  sea: ['snow'],
}
