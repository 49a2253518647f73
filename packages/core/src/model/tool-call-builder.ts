import { setOwn } from '../json.js'
import type { ToolCall } from '../types/message.js'
import type { PlainCall } from './fast-path.js'
import { type CallChunk, isNothing, JsonScanner, type RawJson, readCall, sameJson } from './lenient-json.js'

/** The text that a piece added to a call. */
export interface CallDelta {
  readonly index: number
  readonly name: string
  readonly arguments: string
  /** Whether the call or some of its arguments are new. */
  readonly isNew: boolean
}

/** Builds the calls of one reply from pieces that servers label by id, by index, by both or by neither. */
export class ToolCallBuilder {
  readonly #drafts: PartialCall[] = []
  readonly #byId = new Map<string, PartialCall>()
  readonly #byIndex = new Map<string, PartialCall>()
  readonly #names: ToolNames

  /** `isTool` distinguishes a whole tool name from a piece of one. */
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

  /** Adds a call with a new id and index, or arguments for the call with this index. Undefined otherwise. */
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

  /** Adds the entries of a whole message. Each is a call of its own that may repeat a known one. */
  addWhole(entries: readonly RawJson[]): readonly CallDelta[] {
    return this.#addAll(entries, false)
  }

  /** Adds calls from other places of the message. They usually repeat known ones, even under other ids. */
  addAgain(entries: readonly RawJson[]): readonly CallDelta[] {
    return this.#addAll(entries, true)
  }

  /** Returns the calls without empty ones. */
  toCalls(): ToolCall[] {
    return this.#drafts.filter(({ isUnsaid }) => !isUnsaid).map((draft) => draft.toCall())
  }

  /** Returns arguments that may belong to a call without any. */
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

  /** Returns the open call of a piece, if any: by id, then by index, then by order. */
  #route(piece: CallChunk): PartialCall | undefined {
    const { id, index, name } = piece
    const last = this.#drafts.at(-1)
    const known = id === '' ? undefined : this.#byId.get(id)
    const labelled = known ?? (index === '' ? last : this.#byIndex.get(index))
    // A new id starts a call, unless the previous call still has no id.
    if (id !== '' && !known)
      return labelled?.id === '' && (labelled.name === '' || name === '') ? labelled : undefined
    if (!labelled) return name === '' ? last : undefined
    return this.#isSecondCall(labelled, piece) ? undefined : labelled
  }

  /** Some servers send the same id or index for all calls, or none: a name may still separate them. */
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

  /** Returns the known call that a message repeats, by content or by id. */
  #findSame(piece: CallChunk, among: ReadonlySet<PartialCall>, underAnyId: boolean): PartialCall | undefined {
    const known = this.#byId.get(piece.id)
    const byId = known && among.has(known) ? known : undefined
    if (byId && this.#isSame(byId, piece)) return byId
    for (const draft of among) {
      // Some servers create new ids when they repeat streamed calls.
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

/** A call whose pieces are still arriving. */
export class PartialCall {
  id = ''
  index = ''
  name = ''
  /** Whether a delta contributed to it, not only whole messages. */
  isPieced = false
  readonly position: number
  readonly edge = new JsonScanner()
  readonly #texts: string[] = []
  readonly #further: Record<string, unknown> = {}
  readonly #inner: Record<string, unknown> = {}

  constructor(position: number) {
    this.position = position
  }

  /** The arguments so far. */
  get text(): string {
    return this.#texts.join('')
  }

  /** Whether the arguments so far are empty, or `{}`. */
  get isBlank(): boolean {
    return /^\s*(\{\s*\}\s*)?$/.test(this.text)
  }

  /** Whether the call is empty: some servers put an empty call beside every text. */
  get isUnsaid(): boolean {
    return (
      this.id + this.name.trim() === '' && isNothing(this.#further) && isNothing(this.#inner) && this.isBlank
    )
  }

  /** Adds arguments and unknown fields. */
  add(text: string, { further, inner }: CallChunk): void {
    this.addText(text)
    merge(this.#further, further)
    merge(this.#inner, inner)
  }

  addText(text: string): void {
    this.#texts.push(text)
    this.edge.add(text)
  }

  /** Returns the arguments that a whole call adds to the known ones: the rest if it extends them, otherwise all. */
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

/** Merges fields. New values replace old ones, but empty values do not. */
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
 * Finds arguments of a later nameless call, or of one with the same index and name, that may belong to an empty call.
 * Some servers create an id per piece; the empty call must then not run.
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

/** Recognizes tool names, which servers may repeat, split or decorate. */
export class ToolNames {
  readonly #toTool: (name: string) => string | undefined

  /** `isTool` recognizes whole names. */
  constructor(isTool: (name: string) => boolean) {
    this.#toTool = (name) => toToolName(name, isTool)
  }

  /** Whether a name refers to a tool. */
  has(name: string): boolean {
    return this.#toTool(name) !== undefined
  }

  /** Whether two names refer to different tools. */
  differ(one: string, other: string): boolean {
    return one !== other && (this.#toTool(one) ?? one) !== (this.#toTool(other) ?? other)
  }

  /** Whether a name continues the one before it. Once arguments arrived, the name of a tool is complete. */
  goesOn(before: string, name: string, hasArguments: boolean): boolean {
    return !(hasArguments && this.has(before)) && this.has(before + name)
  }

  /**
   * Appends to a name: nothing, a repetition or the next piece. Another tool's name amid arguments yields an unknown
   * name.
   */
  joined(before: string, name: string, hasArguments: boolean): string {
    if (before === '') return name
    if (name.trim() === '' || before.length > longest || !this.differ(before, name)) return before
    if (hasArguments && this.has(before)) return `${before} ${name}`
    return name.startsWith(before) ? name : before + name
  }
}

/** Maximum length of a collected name in characters. */
const longest = 200

/**
 * Returns the tool that a server's name refers to. A registered name is returned unchanged. Otherwise white space,
 * template tokens, a `functions.` prefix and a trailing count are removed. Never picks one of several words.
 */
export function toToolName(said: string, isTool: (name: string) => boolean): string | undefined {
  if (isTool(said)) return said
  const bare = withoutTokens(said)
  const name = bare.replace(/^(functions?|tools?|default_api)[.:/]/, '')
  return [bare, name, name.replace(/:\d+$/, '')].find(isTool)
}

/** Extracts a name from a template, as in `<|channel|>commentary to=functions.f <|constrain|>json`. */
function withoutTokens(said: string): string {
  if (!said.includes('<')) return said.trim()
  const bare = said
    .replace(/<\|(?:channel|constrain)\|>\s*\w*/g, ' ')
    .replace(/<[^<>]*>/g, ' ')
    .trim()
  return bare.replace(/^to=/, '')
}
