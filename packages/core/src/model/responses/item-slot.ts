import { writeJson } from '../../features/reply-forms/lenient-json.js'
import { setOwn, tryJson } from '../../json.js'
import { note } from '../../types/model.js'
import { isEmptyValue, isFilled, type RawJson, toText } from '../reply-fields.js'
import { isCall, partsOf, recordsOf } from './items.js'

/** The kind of text that a piece of an item contains. */
export type PieceKind = 'text' | 'refusal' | 'summary' | 'reasoning' | 'call'

const kinds: readonly (readonly [name: string, kind: PieceKind])[] = [
  ['output_text', 'text'],
  ['refusal', 'refusal'],
  ['reasoning_summary_text', 'summary'],
  ['reasoning_text', 'reasoning'],
  ['function_call_arguments', 'call'],
  ['custom_tool_call_input', 'call'],
]

/** The kind of piece for each event type, without the prefix `response.`. */
export const piecesOf: ReadonlyMap<string, PieceKind> = new Map(
  kinds.flatMap(([name, kind]) => ['.delta', '.done'].map((end) => [name + end, kind] as const)),
)

/** The fields of a piece's last event that repeat the full text. */
const wholeFields: Readonly<Record<PieceKind, readonly string[]>> = {
  text: ['text'],
  refusal: ['refusal'],
  summary: ['text'],
  reasoning: ['text'],
  call: ['arguments', 'input'],
}

const toldKinds = ['text', 'reasoning', 'summary', 'call'] as const

/** A part of an item's text, as received so far. */
export interface Piece {
  readonly kind: PieceKind
  texts: string[]
  /** The sources of the text, by content. Absent if there are none. */
  sources?: Map<string, RawJson>
}

/** Called with new text from an item, and with each new call. */
type Tell = (slot: ItemSlot, piece: Piece, text: string) => void

/** The part of an output item that has arrived so far. */
export class ItemSlot {
  readonly index: number
  /** The position among the calls. Undefined until the call is emitted. */
  call: number | undefined
  readonly #onText: Tell
  readonly #item: Record<string, unknown> = {}
  /** Whether the complete item has arrived. */
  isWhole = false
  /** The pieces, by kind and position. */
  readonly #pieces = new Map<string, Piece>()
  /** The text that was emitted so far, by kind. */
  readonly #told = new Map<PieceKind, string>()
  /**
   * The kind of reasoning that arrived first: full text or summary. If a server sends the same text as both, the text
   * is emitted only once.
   */
  #first: PieceKind | undefined
  /**
   * The text of the first kind of reasoning that the second kind has not repeated yet. Undefined once the two differ.
   */
  #ahead: string | undefined = ''

  constructor(index: number, onText: Tell) {
    this.index = index
    this.#onText = onText
  }

  get id(): string {
    return toText(this.#item.id)
  }

  get callId(): string {
    return toText(this.#item.call_id)
  }

  get name(): string {
    return toText(this.#item.name)
  }

  /** The keys by which an item may be found: its type with its id, and with its call id. */
  get identities(): readonly string[] {
    const { type, id, call_id } = this.#item
    return [identityOf({ type, id }), identityOf({ type, call_id })].filter((one) => one !== undefined)
  }

  /**
   * Whether this is certainly a different item. Some servers use the same index for all items, and some change call
   * ids.
   */
  isOther(item: RawJson): boolean {
    const own = this.#item
    if (isFilled(own.call_id) && own.call_id === item.call_id) return false
    const differs = (name: string) => isFilled(own[name]) && isFilled(item[name]) && own[name] !== item[name]
    if (!differs('call_id')) return differs('type') || (this.isWhole && differs('id'))
    return differs('type') || !isFilled(item.id) || own.id !== item.id
  }

  /** Adds the start of an item. The item's fields arrive again later, in pieces or with the complete item. */
  begin(item: RawJson): void {
    if (this.isWhole) return
    this.#merge(item)
    if (isCall(item)) this.#tell(this.#pieceOf('call', item), '')
  }

  addPiece(kind: PieceKind, text: string, event: RawJson): void {
    if (this.isWhole) return
    const piece = this.#pieceOf(kind, event)
    piece.texts.push(text)
    this.#tell(piece, text)
  }

  /** Adds a source to a text part. Repeated sources are ignored. */
  addSource(source: RawJson, event: RawJson): void {
    const piece = this.#pieceOf('text', event)
    piece.sources ??= new Map()
    piece.sources.set(writeJson(source), source)
  }

  /** Adds the full text of a piece. Emits only the text that was missing from its deltas. */
  endPiece(kind: PieceKind, event: RawJson): void {
    const whole = wholeFields[kind].map((name) => event[name]).find((value) => typeof value === 'string')
    if (typeof whole !== 'string' || this.isWhole) return
    if (kind === 'call' && this.name === '') this.#merge({ name: event.name })
    const piece = this.#pieceOf(kind, event)
    if (whole === '') return
    const known = piece.texts.join('')
    piece.texts = [whole]
    if (whole !== known && whole.startsWith(known)) this.#tell(piece, whole.slice(known.length))
  }

  /** Adds the complete item from the server. Fields that are empty in the complete item keep their earlier values. */
  addWhole(item: RawJson): void {
    const isFirst = !this.isWhole
    if (isFirst && textsOf({ type: this.#item.type, ...item }).length === 0) this.#merge(this.#fromPieces())
    this.#merge(item)
    this.isWhole = true
    const texts = textsOf(isFirst ? this.#item : item)
    for (const kind of toldKinds)
      this.#tellRest(
        kind,
        texts.flatMap(([one, text]) => (one === kind ? text : [])),
      )
    if (isFirst && isCall(this.#item) && !this.#told.has('call')) this.#tell(this.#pieceOf('call', item), '')
  }

  /** Returns the item, assembled from its pieces if no complete item arrived. Undefined for an empty item. */
  toItem(): RawJson | undefined {
    const item = this.isWhole ? this.#item : { ...this.#item, ...this.#fromPieces() }
    return isEmptyValue(item) ? undefined : item
  }

  /** Adds the fields that have a value. An empty field changes nothing. */
  #merge(added: RawJson): void {
    for (const [name, value] of Object.entries(added))
      if (!isEmptyValue(value) || !Object.hasOwn(this.#item, name)) setOwn(this.#item, name, value)
  }

  /** Returns the piece at a position. The parts of an item's content and of its summary may arrive in any order. */
  #pieceOf(kind: PieceKind, { content_index: content, summary_index: at = content }: RawJson): Piece {
    const key = kind === 'call' ? kind : `${kind} ${toText(at)}`
    const piece = this.#pieces.get(key) ?? { kind, texts: [] }
    this.#pieces.set(key, piece)
    return piece
  }

  /**
   * Emits the part of a complete item's text that has not been emitted yet. If the text differs from what was emitted,
   * emits nothing.
   */
  #tellRest(kind: PieceKind, texts: readonly string[]): void {
    const told = this.#told.get(kind) ?? ''
    if (!texts.join('').startsWith(told)) return
    let known = told.length
    for (const [at, text] of texts.entries()) {
      if (text.length > known) this.#tell(this.#pieceOf(kind, { content_index: at }), text.slice(known))
      known = Math.max(0, known - text.length)
    }
  }

  #tell(piece: Piece, text: string): void {
    const { kind } = piece
    const before = this.#told.get(kind) ?? ''
    this.#told.set(kind, before + text)
    let fresh = text
    if ((kind === 'reasoning' || kind === 'summary') && this.#ahead !== undefined) {
      this.#first ??= kind
      if (kind === this.#first) this.#ahead += text
      else if (this.#ahead.startsWith(text)) {
        this.#ahead = this.#ahead.slice(text.length)
        return
      } else {
        this.#ahead = undefined
        fresh = before + text
      }
    }
    this.#onText(this, piece, fresh)
  }

  #fromPieces(): RawJson {
    const item = this.#item
    const [call] = this.#textsOf('call')
    if (call !== undefined)
      return {
        type: 'function_call',
        ...typeOf(item),
        [item.type === 'custom_tool_call' ? 'input' : 'arguments']: call,
      }
    const summary = this.#textsOf('summary').map((text) => ({ type: 'summary_text', text }))
    const reasoning = this.#textsOf('reasoning').map((text) => ({ type: 'reasoning_text', text }))
    if (summary.length + reasoning.length > 0)
      return {
        ...{ type: 'reasoning', ...typeOf(item) },
        ...(summary.length > 0 ? { summary } : {}),
        ...(reasoning.length > 0 ? { content: reasoning } : {}),
      }
    const texts = Array.from(this.#pieces.values()).filter(({ kind }) => kind === 'text')
    const content = [
      ...texts.flatMap(toTextPart),
      ...this.#textsOf('refusal').map((refusal) => ({ type: 'refusal', refusal })),
    ]
    return content.length > 0 ? { type: 'message', role: 'assistant', ...typeOf(item), content } : {}
  }

  #textsOf(kind: PieceKind): readonly string[] {
    return Array.from(this.#pieces.values(), (piece) =>
      piece.kind === kind ? piece.texts.join('') : '',
    ).filter((text) => text !== '')
  }
}

function toTextPart({ texts, sources = new Map() }: Piece): RawJson[] {
  const text = texts.join('')
  if (text === '') return []
  const annotations = [...sources.values()]
  return [{ type: 'output_text', text, ...(annotations.length > 0 ? { annotations } : {}) }]
}

function typeOf({ type }: RawJson): RawJson {
  return isFilled(type) ? { type } : {}
}

/** Returns the key of an item. Calls have their own ids, and some servers change item ids. Undefined without an id. */
export function identityOf({ type, id, call_id }: RawJson): string | undefined {
  const [call, own] = [toText(call_id), toText(id)]
  return call === '' ? (own === '' ? undefined : `${type} ${own}`) : `${type} call ${call}`
}

/** Returns the key of an item by its content, for items whose ids differ. */
export function likenessOf(item: RawJson): string {
  if (!isCall(item)) return toText(item.type)
  const given = argumentsOf(item)
  return `${item.type} ${item.name} ${writeJson(tryJson(given)) ?? given}`
}

/** Returns the parts of an item's text that are emitted, each with its kind. */
function textsOf(item: RawJson): readonly (readonly [kind: PieceKind, text: string])[] {
  const texts: readonly (readonly [PieceKind, string])[] = isCall(item)
    ? [['call', argumentsOf(item)]]
    : item.type === 'reasoning'
      ? [
          ...recordsOf(item.content).map(({ text }) => ['reasoning', toText(text)] as const),
          ...recordsOf(item.summary).map(({ text }) => ['summary', toText(text)] as const),
        ]
      : partsOf([item]).map((part) => ['text', toPlainText(part)] as const)
  return texts.filter(([, text]) => text !== '')
}

/** Returns a call's arguments. Values that are not strings are written as JSON. */
export function argumentsOf({ arguments: given, input = '' }: RawJson): string {
  const value = given ?? input
  if (typeof value === 'string') return value
  note('arguments-as-object', value)
  return writeJson(value)
}

export function toPlainText({ type, text }: RawJson): string {
  return type === 'output_text' || type === 'text' ? toText(text) : ''
}

/**
 * Returns the reasoning that a server shows: its text and its summary. If one is the start of the other, returns only
 * the longer text.
 */
export function reasoningOf({ summary, content }: RawJson): string {
  const [shown, full] = [summary, content].map((list) =>
    recordsOf(list)
      .map(({ text }) => toText(text))
      .filter((text) => text !== ''),
  ) as [string[], string[]]
  const texts = isStartOf(shown, full) ? full : isStartOf(full, shown) ? shown : [...full, ...shown]
  return texts.join(thoughtBreak)
}

/** Separates two pieces of reasoning. */
export const thoughtBreak = '\n\n'

function isStartOf(texts: readonly string[], others: readonly string[]): boolean {
  return others.join('').startsWith(texts.join(''))
}
