import { sameJson } from '../../json.js'
import { isEmptyValue, JsonScanner, maxItems, type RawJson, toToolName } from '../../model/reply-fields.js'
import { tooManyItems } from '../../model/response-errors.js'
import type { ToolCall } from '../../types/message.js'
import { note } from '../../types/model.js'
import { type ChunkEntry, joined, newText, readCall } from './lenient-json.js'

/** The text that a piece added to a call. */
export interface ArgumentsDelta {
  readonly index: number
  readonly id: string
  readonly name: string
  readonly arguments: string
  /** Whether the call or some of its arguments are new. */
  readonly isNew: boolean
}

/** Builds the calls of one reply from pieces that servers label by id, by index, by both or by neither. */
export class CallsBuilder {
  readonly #calls: Draft[] = []
  readonly #byId = new Map<string, Draft>()
  readonly #byIndex = new Map<string, Draft>()
  readonly #names: ToolNames
  /** The number of full messages so far. */
  #round = 0

  /** `isTool` tells complete tool names from pieces. */
  constructor(isTool: (name: string) => boolean) {
    this.#names = new ToolNames(isTool)
  }

  /** Adds the entries of a delta: calls or pieces of calls. */
  add(entries: readonly RawJson[]): readonly ArgumentsDelta[] {
    return entries.map(readCall).map((piece) => this.addPiece(piece))
  }

  /** Adds a call or a piece of a call. Returns the new text. */
  addPiece(piece: EntryPiece): ArgumentsDelta {
    const call = this.#findOpenCall(piece) ?? this.#startCall()
    call.isStreamed = true
    return this.#add(call, piece)
  }

  /**
   * Adds the entries of a full message. Each entry is a separate call, which may repeat a known call. With `ignoreIds`,
   * an entry may repeat a call with a different id, as calls in other fields of the message do.
   */
  addWhole(entries: readonly RawJson[], ignoreIds = false): readonly ArgumentsDelta[] {
    this.#round += 1
    const { length } = this.#calls
    let from = 0
    return entries.map(readCall).map((piece) => {
      const known = this.#findSame(piece, from, length, ignoreIds) ?? this.#findBegun(piece, ignoreIds)
      const call = known ?? this.#startCall()
      call.round = this.#round
      if (!known) return this.#add(call, piece)
      from = call.position + 1
      note('call-again', undefined, { call: call.position })
      return this.#add(call, piece, call.newText(piece.text))
    })
  }

  /** Returns the calls, except empty ones. */
  toCalls(): ToolCall[] {
    return this.#calls.filter(({ isUnused }) => !isUnused).map((call) => call.toCall())
  }

  /** Returns arguments that may belong to an empty call, with the call's name. */
  findStray(): StrayArguments | undefined {
    return findStrayArguments(this.#calls)
  }

  /** Returns the open call from an earlier message that a piece without a name continues, if any. */
  #findBegun(piece: ChunkEntry, ignoreIds: boolean): Draft | undefined {
    const call = ignoreIds || piece.name.trim() !== '' ? undefined : this.#findOpenCall(piece)
    return call && this.#isFree(call) ? call : undefined
  }

  /** Whether a call comes from an earlier message and has not been found in this one. */
  #isFree({ round }: Draft): boolean {
    return round < this.#round
  }

  #add(call: Draft, piece: EntryPiece, text = piece.text): ArgumentsDelta {
    const isNew = text !== '' || (call.id + call.name === '' && piece.id + piece.name !== '')
    this.#label(call, piece)
    call.add(text, piece)
    return { index: call.position, id: call.id, name: call.name, arguments: text, isNew }
  }

  /** Returns the open call that a piece belongs to, if any: by id, then by index, then by order. */
  #findOpenCall(piece: EntryPiece): Draft | undefined {
    const { id, index, name } = piece
    const last = this.#calls.at(-1)
    const known = id === '' ? undefined : this.#byId.get(id)
    const there = this.#byIndex.get(index)
    const labelled = known ?? (index === '' ? last : there)
    if (known && there && there !== known) note('call-by-id', undefined, { call: known.position })
    // A new id starts a call, unless the previous call still has no id.
    if (id !== '' && !known)
      return labelled?.id === '' && (labelled.name === '' || name === '') ? labelled : undefined
    if (!labelled && (name !== '' || !last)) return undefined
    const call = labelled ?? (last as Draft)
    if (labelled && this.#isSecondCall(call, piece)) {
      note('call-by-name', call.name, { call: this.#calls.length, to: name })
      return undefined
    }
    if (!labelled || id + index === '') note('call-by-order', undefined, { call: call.position })
    return call
  }

  /**
   * Whether a piece starts a second call although its labels match the first call. Some servers send the same id or
   * index for all calls, or none, so that only the name separates them.
   */
  #isSecondCall(first: Draft, { id, index, name }: EntryPiece): boolean {
    if (name.trim() === '' || first.name === '') return false
    const { isBegun, isClosed } = first.scanner
    if (this.#names.differ(first.name, name)) {
      if (this.#names.continues(first.name, name, isBegun)) return false
      if (isClosed || (this.#names.has(name) && this.#names.has(first.name))) return true
    }
    const isElsewhere = index === '' ? id === '' : this.#byIndex.get(index) !== first
    return isElsewhere && isClosed
  }

  #startCall(): Draft {
    if (this.#calls.length === maxItems) throw tooManyItems('tool calls')
    const call = new Draft(this.#calls.length)
    this.#calls.push(call)
    return call
  }

  #label(call: Draft, { id, index, name }: EntryPiece): void {
    const before = call.name
    if (name !== '') {
      call.name = this.#names.append(before, name, call.scanner.isBegun)
      if (before && before !== call.name) note('name-in-pieces', name, { call: call.position, to: call.name })
    }
    if (index !== '') {
      call.index ||= index
      this.#byIndex.set(index, call)
    }
    if (id !== '' && call.id === '') {
      call.id = id
      this.#byId.set(id, call)
    }
  }

  /**
   * Returns the known call that an entry of a full message repeats, by content or id. To save time, compares only the
   * call with the same index, and those of the first `length` calls that are near `from`, the position after the last
   * match: servers repeat calls in order.
   */
  #findSame(piece: ChunkEntry, from: number, length: number, ignoreIds: boolean): Draft | undefined {
    const known = this.#byId.get(piece.id)
    const byId = known && this.#isFree(known) ? known : undefined
    if (byId && this.#isSame(byId, piece)) return byId
    const tried = [this.#byIndex.get(piece.index)]
    for (let n = 0; n < Math.min(length, maxTried); n++)
      tried.push(this.#calls[(from + n) % length], this.#calls[(from + length - 1 - n) % length])
    return (
      tried.find(
        (call) =>
          call &&
          this.#isFree(call) &&
          // Some servers create new ids when they repeat streamed calls.
          (ignoreIds || call.isStreamed || ['', piece.id].includes(call.id) || piece.id === '') &&
          this.#isSame(call, piece),
      ) ?? byId
    )
  }

  #isSame(call: Draft, { name, text }: ChunkEntry): boolean {
    if (name === '' || this.#names.differ(call.name, name)) return false
    return call.isBlank || text.trim() === '' || call.has(text)
  }
}

/** A piece of a call. Pieces in the documented form have no unknown fields. */
type EntryPiece = Pick<ChunkEntry, 'id' | 'index' | 'name' | 'text'> & Partial<ChunkEntry>

/** How many known calls are compared with a repeated one, in each direction. */
const maxTried = 32

/** A call whose pieces are still arriving. */
export class Draft {
  id = ''
  index = ''
  name = ''
  /** Whether a delta has added to the call, rather than only full messages. */
  isStreamed = false
  /** Whether this is a call to a custom tool. */
  isCustom = false
  /** The number of the last full message that contained the call; 0 if none did. */
  round = 0
  /** The arguments so far. */
  text = ''
  readonly position: number
  readonly scanner = new JsonScanner()
  readonly #extraFields: Record<string, unknown> = {}
  readonly #extraFunctionFields: Record<string, unknown> = {}

  constructor(position: number) {
    this.position = position
  }

  /** Whether the arguments so far are empty, or `{}`. */
  get isBlank(): boolean {
    return this.text.length < 100 && /^\s*(\{\s*\}\s*)?$/.test(this.text)
  }

  /** Whether the call is empty: some servers send an empty call with every piece of text. */
  get isUnused(): boolean {
    return (
      this.id + this.name.trim() === '' &&
      isEmptyValue(this.#extraFields) &&
      isEmptyValue(this.#extraFunctionFields) &&
      this.isBlank
    )
  }

  /** Adds arguments and unknown fields. */
  add(text: string, { isCustom = false, extraFields, extraFunctionFields }: Partial<ChunkEntry> = {}): void {
    this.text += text
    this.scanner.add(text)
    this.isCustom ||= isCustom
    if (extraFields) joined(this.#extraFields, extraFields, '', { isWhole: true })
    if (extraFunctionFields) joined(this.#extraFunctionFields, extraFunctionFields, '', { isWhole: true })
  }

  /**
   * Returns what a complete call's arguments add to the known ones: nothing if they are equal, the rest if they extend
   * them, otherwise all.
   */
  newText(text: string): string {
    return this.has(text) ? '' : newText(text, this.text)
  }

  /** Whether text equals the call's arguments, apart from formatting. */
  has(text: string): boolean {
    const { length } = this.text
    // An escape has at most six characters, so strings whose lengths differ more than that cannot be equal.
    return length < 8 * text.length + 64 && text.length < 8 * length + 64 && sameJson(this.text, text)
  }

  toCall(): ToolCall {
    const { id, name, text } = this
    return {
      ...this.#extraFields,
      id,
      // The type does not include `custom`. The reply is later changed to one that servers accept.
      type: (this.isCustom ? 'custom' : 'function') as 'function',
      function: { ...this.#extraFunctionFields, name, arguments: text },
    }
  }
}

/** Arguments, and the name of the call that they may belong to. */
interface StrayArguments {
  readonly name: string
  readonly text: string
}

/**
 * Finds arguments that may belong to an earlier, empty call: arguments of a later call that has no name, or the same
 * index and name. Some servers create a new id for each piece; if so, the empty call must not run.
 */
export function findStrayArguments(calls: readonly Draft[]): StrayArguments | undefined {
  let first: Draft | undefined
  const byIndexAndName = new Map<string, Draft>()
  for (const call of calls) {
    const { name, index, text, isBlank } = call
    const isNamed = name.trim() !== ''
    const key = `${index} ${name}`
    const owner = isNamed ? byIndexAndName.get(key) : first
    if (owner && !isBlank) return { name: owner.name, text }
    if (isNamed && isBlank) first ??= call
    if (isNamed && index !== '' && text.trim() === '') byIndexAndName.set(key, call)
  }
  return undefined
}

/** Recognizes tool names, which servers may repeat, split or decorate. */
export class ToolNames {
  readonly #findTool: (name: string) => string | undefined

  /** `isTool` recognizes complete names. */
  constructor(isTool: (name: string) => boolean) {
    // Long names are skipped, because they would be read again with each piece.
    this.#findTool = (name) => (name.length > 500 ? undefined : toToolName(name, isTool))
  }

  /** Whether a name refers to a tool. */
  has(name: string): boolean {
    return this.#findTool(name) !== undefined
  }

  /** Whether two names refer to different tools. */
  differ(one: string, other: string): boolean {
    return one !== other && (this.#findTool(one) ?? one) !== (this.#findTool(other) ?? other)
  }

  /**
   * Whether a name is the next piece of the one before it. Once arguments have arrived, a name that belongs to a tool
   * is complete.
   */
  continues(before: string, name: string, hasArguments: boolean): boolean {
    return !(hasArguments && this.has(before)) && this.has(before + name)
  }

  /**
   * Appends the next piece of a name. An empty piece or a repetition changes nothing. If a different tool's name
   * arrives after arguments, the result is a name that no tool has.
   */
  append(before: string, name: string, hasArguments: boolean): string {
    if (before === '') return name
    if (name.trim() === '' || before.length > maxNameLength || !this.differ(before, name)) return before
    if (hasArguments && this.has(before)) return `${before} ${name}`
    return name.startsWith(before) ? name : before + name
  }
}

/** The number of characters after which nothing is appended to a name. */
const maxNameLength = 200
