import { setOwn } from '../json.js'
import type { ToolCall } from '../types/message.js'
import type { PlainCall } from './fast-path.js'
import { type CallChunk, isNothing, JsonScanner, type RawJson, readCall, sameJson } from './lenient-json.js'

/** What a piece added to which call. */
export interface CallDelta {
  readonly index: number
  readonly name: string
  readonly arguments: string
  /** Whether the call or some of its arguments were not known before. */
  readonly isNew: boolean
}

/** The calls of one answer, put together from pieces that servers label by id, by index, by both or by neither. */
export class ToolCallBuilder {
  readonly #drafts: PartialCall[] = []
  readonly #byId = new Map<string, PartialCall>()
  readonly #byIndex = new Map<string, PartialCall>()
  readonly #names: ToolNames

  /** `isTool` tells a whole tool name from a piece of one. */
  constructor(isTool: (name: string) => boolean) {
    this.#names = new ToolNames(isTool)
  }

  get isEmpty(): boolean {
    return this.#drafts.length === 0
  }

  /** Adds entries of a delta, each a call or a piece of one. */
  addPieces(entries: readonly RawJson[]): readonly CallDelta[] {
    return entries.map(readCall).map((piece) => {
      const draft = this.#route(piece) ?? this.#open()
      draft.isPieced = true
      return this.#add(draft, piece, piece.text)
    })
  }

  /** Adds a call that is new by id and index, or to the arguments of the one that has its index; undefined otherwise. */
  addPlain({ index, id, name, arguments: text }: PlainCall): CallDelta | undefined {
    const known = this.#byIndex.get(String(index))
    const begins = id !== ''
    if (begins ? known || this.#byId.has(id) : !known) return undefined
    const draft = known ?? this.#open()
    if (begins) this.#label(draft, { id, index: String(index), name })
    draft.isPieced = true
    draft.addText(text)
    return { index: draft.position, name: draft.name, arguments: text, isNew: begins || text !== '' }
  }

  /** Adds the entries of a whole message: each is a call of its own, but may be one that is here already. */
  addWhole(entries: readonly RawJson[]): readonly CallDelta[] {
    return this.#addAll(entries, false)
  }

  /** Adds calls that come from elsewhere in the message, most often the same ones: under other ids too. */
  addAgain(entries: readonly RawJson[]): readonly CallDelta[] {
    return this.#addAll(entries, true)
  }

  /** The calls, without those of which nothing was ever said. */
  toCalls(): ToolCall[] {
    return this.#drafts.filter(({ isUnsaid }) => !isUnsaid).map((draft) => draft.toCall())
  }

  /** Arguments that may belong to a call which has none. */
  findStray(): StrayArguments | undefined {
    return findStrayArguments(this.#drafts)
  }

  #addAll(entries: readonly RawJson[], underAnyId: boolean): readonly CallDelta[] {
    const before = new Set(this.#drafts)
    return entries.map(readCall).map((piece) => {
      const same = this.#findSame(piece, before, underAnyId)
      if (!same) return this.#add(this.#open(), piece, piece.text)
      before.delete(same)
      return this.#add(same, piece, same.newText(piece.text))
    })
  }

  #add(draft: PartialCall, piece: CallChunk, text: string): CallDelta {
    const isNew = text !== '' || (draft.id + draft.name === '' && piece.id + piece.name !== '')
    this.#label(draft, piece)
    draft.add(text, piece)
    return { index: draft.position, name: draft.name, arguments: text, isNew }
  }

  /** The open call a piece belongs to, if any: the id decides, then the index, then the order. */
  #route(piece: CallChunk): PartialCall | undefined {
    const { id, index, name } = piece
    const last = this.#drafts.at(-1)
    const known = id === '' ? undefined : this.#byId.get(id)
    const labelled = known ?? (index === '' ? last : this.#byIndex.get(index))
    // A new id begins a call, unless the one it would follow still waits for an id.
    if (id !== '' && !known)
      return labelled?.id === '' && (labelled.name === '' || name === '') ? labelled : undefined
    if (!labelled) return name === '' ? last : undefined
    return this.#isSecondCall(labelled, piece) ? undefined : labelled
  }

  /** Some servers give all calls of an answer one id, one index, or none: a name may still tell them apart. */
  #isSecondCall(first: PartialCall, { id, index, name }: CallChunk): boolean {
    if (name.trim() === '' || first.name === '') return false
    const { isBegun, isClosed } = first.edge
    if (this.#names.differ(first.name, name)) {
      if (this.#names.goesOn(first.name, name, isBegun)) return false
      if (isClosed || (this.#names.has(name) && this.#names.has(first.name))) return true
    }
    const isElsewhere = index === '' ? id === '' : this.#byIndex.get(index) !== first
    return isElsewhere && isClosed
  }

  #open(): PartialCall {
    const draft = new PartialCall(this.#drafts.length)
    this.#drafts.push(draft)
    return draft
  }

  #label(draft: PartialCall, { id, index, name }: Pick<CallChunk, 'id' | 'index' | 'name'>): void {
    draft.name = this.#names.joined(draft.name, name, draft.edge.isBegun)
    if (index !== '') {
      draft.index ||= index
      this.#byIndex.set(index, draft)
    }
    if (id !== '' && draft.id === '') {
      draft.id = id
      this.#byId.set(id, draft)
    }
  }

  /** The call that a message says again: by its words, or by its id. */
  #findSame(piece: CallChunk, among: ReadonlySet<PartialCall>, underAnyId: boolean): PartialCall | undefined {
    const known = this.#byId.get(piece.id)
    const byId = known && among.has(known) ? known : undefined
    if (byId && this.#isSame(byId, piece)) return byId
    for (const draft of among) {
      // Some servers make up new ids when they say again what they said in pieces.
      const isFree =
        underAnyId || draft.isPieced || [draft.id, piece.id].includes('') || draft.id === piece.id
      if (isFree && this.#isSame(draft, piece)) return draft
    }
    return byId
  }

  #isSame(draft: PartialCall, { index, name, text }: CallChunk): boolean {
    if (name === '' || this.#names.differ(draft.name, name)) return false
    if (index !== '' && draft.index !== '' && index !== draft.index) return false
    return draft.isBlank || text.trim() === '' || sameJson(draft.text, text)
  }
}

/** A call while its pieces arrive. */
export class PartialCall {
  id = ''
  index = ''
  name = ''
  /** Whether a delta said something of it, not only whole messages. */
  isPieced = false
  readonly position: number
  readonly edge = new JsonScanner()
  readonly #texts: string[] = []
  readonly #further: Record<string, unknown> = {}
  readonly #inner: Record<string, unknown> = {}

  constructor(position: number) {
    this.position = position
  }

  /** Its arguments so far. */
  get text(): string {
    return this.#texts.join('')
  }

  /** Whether there is no argument in what came, be it nothing or `{}`. */
  get isBlank(): boolean {
    return /^\s*(\{\s*\}\s*)?$/.test(this.text)
  }

  /** Whether nothing was ever said of it: some servers put an empty call beside every text. */
  get isUnsaid(): boolean {
    return (
      this.id + this.name.trim() === '' && isNothing(this.#further) && isNothing(this.#inner) && this.isBlank
    )
  }

  /** Adds arguments, and what nobody knows here. */
  add(text: string, { further, inner }: CallChunk): void {
    this.addText(text)
    merge(this.#further, further)
    merge(this.#inner, inner)
  }

  addText(text: string): void {
    this.#texts.push(text)
    this.edge.add(text)
  }

  /** What a whole call says more than is known of it; when it says something else, all of that. */
  newText(text: string): string {
    const known = this.text
    if (sameJson(known, text)) return ''
    return text.startsWith(known) ? text.slice(known.length) : text
  }

  toCall(): ToolCall {
    const { id, name, text } = this
    return { ...this.#further, id, type: 'function', function: { ...this.#inner, name, arguments: text } }
  }
}

/** The newest counts, but nothing takes away what was said. */
function merge(kept: Record<string, unknown>, fields: RawJson): void {
  for (const [name, value] of Object.entries(fields))
    if (!isNothing(value) || !Object.hasOwn(kept, name)) setOwn(kept, name, value)
}

/** Arguments, and the name of the call that they may belong to. */
interface StrayArguments {
  readonly name: string
  readonly text: string
}

/**
 * Arguments of a call without a name, or of one in the same place, that came after a call of nothing: some servers
 * make up an id with each piece, and without its arguments that call must not run.
 */
export function findStrayArguments(drafts: readonly PartialCall[]): StrayArguments | undefined {
  let first: PartialCall | undefined
  const byPlace = new Map<string, PartialCall>()
  for (const draft of drafts) {
    const { name, index, text, isBlank } = draft
    const isNamed = name.trim() !== ''
    const place = `${index} ${name}`
    const owner = isNamed ? byPlace.get(place) : first
    if (owner && !isBlank) return { name: owner.name, text }
    if (isNamed && isBlank) first ??= draft
    if (isNamed && index !== '' && text.trim() === '') byPlace.set(place, draft)
  }
  return undefined
}

/** The names of the tools, and what comes in their place: again, in pieces, with something around them. */
export class ToolNames {
  readonly #toTool: (name: string) => string | undefined

  /** `isTool` knows whole names. */
  constructor(isTool: (name: string) => boolean) {
    this.#toTool = (name) => toToolName(name, isTool)
  }

  /** Whether a name means a tool. */
  has(name: string): boolean {
    return this.#toTool(name) !== undefined
  }

  /** Whether two names mean something else. */
  differ(one: string, other: string): boolean {
    return one !== other && (this.#toTool(one) ?? one) !== (this.#toTool(other) ?? other)
  }

  /** Whether a name is the next piece of the one before it. Once there are arguments, that of a tool is whole. */
  goesOn(before: string, name: string, hasArguments: boolean): boolean {
    return !(hasArguments && this.has(before)) && this.has(before + name)
  }

  /** A name so far and what came next: nothing, the same again, or a piece. Another one amid arguments fits no tool. */
  joined(before: string, name: string, hasArguments: boolean): string {
    if (before === '') return name
    if (name.trim() === '' || before.length > longest || !this.differ(before, name)) return before
    if (hasArguments && this.has(before)) return `${before} ${name}`
    return name.startsWith(before) ? name : before + name
  }
}

/** No tool has a longer name: what goes on and on is none. */
const longest = 200

/**
 * The tool that a server's name for it means: a registered name as it is; else what is left without white space
 * around it, template tokens, a `functions.` in front and a count behind, when that is one. Never a word out of several.
 */
export function toToolName(said: string, isTool: (name: string) => boolean): string | undefined {
  if (isTool(said)) return said
  const bare = withoutTokens(said)
  const name = bare.replace(/^(functions?|tools?|default_api)[.:/]/, '')
  return [bare, name, name.replace(/:\d+$/, '')].find(isTool)
}

/** A name within a template, as in `<|channel|>commentary to=functions.f <|constrain|>json`. */
function withoutTokens(said: string): string {
  if (!said.includes('<')) return said.trim()
  const bare = said
    .replace(/<\|(?:channel|constrain)\|>\s*\w*/g, ' ')
    .replace(/<[^<>]*>/g, ' ')
    .trim()
  return bare.replace(/^to=/, '')
}
