import type { ToolCall } from '../words/message.js'
import { CallDraft } from './call-draft.js'
import { findStray, type StrayArguments } from './find-stray.js'
import type { Loose } from './loose.js'
import { type CallPiece, readCall } from './read-call.js'
import type { PlainCall } from './read-piece.js'
import { sameJson } from './same-json.js'
import { ToolNames } from './tool-names.js'

/** What a piece added to which call. */
export interface CallNews {
  readonly index: number
  readonly name: string
  readonly arguments: string
  /** Whether the call or some of its arguments were not known before. */
  readonly isNew: boolean
}

/** The calls of one answer, put together from pieces that servers label by id, by index, by both or by neither. */
export class CallDrafts {
  readonly #drafts: CallDraft[] = []
  readonly #byId = new Map<string, CallDraft>()
  readonly #byIndex = new Map<string, CallDraft>()
  readonly #names: ToolNames

  /** `isTool` tells a whole tool name from a piece of one. */
  constructor(isTool: (name: string) => boolean) {
    this.#names = new ToolNames(isTool)
  }

  get isEmpty(): boolean {
    return this.#drafts.length === 0
  }

  /** Adds entries of a delta, each a call or a piece of one. */
  addPieces(entries: readonly Loose[]): readonly CallNews[] {
    return entries.map(readCall).map((piece) => {
      const draft = this.#route(piece) ?? this.#open()
      draft.isPieced = true
      return this.#add(draft, piece, piece.text)
    })
  }

  /** Adds a call that is new by id and index, or to the arguments of the one that has its index; undefined otherwise. */
  addPlain({ index, id, name, arguments: text }: PlainCall): CallNews | undefined {
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
  addWhole(entries: readonly Loose[]): readonly CallNews[] {
    return this.#addAll(entries, false)
  }

  /** Adds calls that come from elsewhere in the message, most often the same ones: under other ids too. */
  addAgain(entries: readonly Loose[]): readonly CallNews[] {
    return this.#addAll(entries, true)
  }

  /** The calls, without those of which nothing was ever said. */
  toCalls(): ToolCall[] {
    return this.#drafts.filter(({ isUnsaid }) => !isUnsaid).map((draft) => draft.toCall())
  }

  /** Arguments that may belong to a call which has none. */
  findStray(): StrayArguments | undefined {
    return findStray(this.#drafts)
  }

  #addAll(entries: readonly Loose[], underAnyId: boolean): readonly CallNews[] {
    const before = new Set(this.#drafts)
    return entries.map(readCall).map((piece) => {
      const same = this.#findSame(piece, before, underAnyId)
      if (!same) return this.#add(this.#open(), piece, piece.text)
      before.delete(same)
      return this.#add(same, piece, same.newText(piece.text))
    })
  }

  #add(draft: CallDraft, piece: CallPiece, text: string): CallNews {
    const isNew = text !== '' || (draft.id + draft.name === '' && piece.id + piece.name !== '')
    this.#label(draft, piece)
    draft.add(text, piece)
    return { index: draft.position, name: draft.name, arguments: text, isNew }
  }

  /** The open call a piece belongs to, if any: the id decides, then the index, then the order. */
  #route(piece: CallPiece): CallDraft | undefined {
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
  #isSecondCall(first: CallDraft, { id, index, name }: CallPiece): boolean {
    if (name.trim() === '' || first.name === '') return false
    const { isBegun, isClosed } = first.edge
    if (this.#names.differ(first.name, name)) {
      if (this.#names.goesOn(first.name, name, isBegun)) return false
      if (isClosed || (this.#names.has(name) && this.#names.has(first.name))) return true
    }
    const isElsewhere = index === '' ? id === '' : this.#byIndex.get(index) !== first
    return isElsewhere && isClosed
  }

  #open(): CallDraft {
    const draft = new CallDraft(this.#drafts.length)
    this.#drafts.push(draft)
    return draft
  }

  #label(draft: CallDraft, { id, index, name }: Pick<CallPiece, 'id' | 'index' | 'name'>): void {
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
  #findSame(piece: CallPiece, among: ReadonlySet<CallDraft>, underAnyId: boolean): CallDraft | undefined {
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

  #isSame(draft: CallDraft, { index, name, text }: CallPiece): boolean {
    if (name === '' || this.#names.differ(draft.name, name)) return false
    if (index !== '' && draft.index !== '' && index !== draft.index) return false
    return draft.isBlank || text.trim() === '' || sameJson(draft.text, text)
  }
}
