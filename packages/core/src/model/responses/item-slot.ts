import { sameJson } from '../../json.js'
import { note } from '../../types/wire.js'
import { isEmptyValue, isFilled, type RawJson, toText } from '../lenient-json.js'
import { newText } from '../unknown-fields.js'
import { isCall, partsOf, recordsOf } from './items.js'

/** What a piece of an item is. */
export type PieceKind = 'text' | 'refusal' | 'reasoning' | 'call'

/** New text of an item. */
export interface PieceDelta {
  readonly kind: PieceKind
  readonly text: string
}

const kinds: readonly (readonly [name: string, kind: PieceKind])[] = [
  ['output_text', 'text'],
  ['refusal', 'refusal'],
  ['reasoning_summary_text', 'reasoning'],
  ['reasoning_text', 'reasoning'],
  ['function_call_arguments', 'call'],
  ['custom_tool_call_input', 'call'],
]

/** The kinds of pieces by the types of their events, without the `response.` before each. */
export const piecesOf: ReadonlyMap<string, PieceKind> = new Map(
  kinds.flatMap(([name, kind]) => ['.delta', '.done'].map((end) => [name + end, kind] as const)),
)

/** The fields in which the last event of a piece repeats it. */
const wholeFields: Readonly<Record<PieceKind, readonly string[]>> = {
  text: ['text'],
  refusal: ['refusal'],
  reasoning: ['text'],
  call: ['arguments', 'input'],
}

/** One item of the output, as far as it arrived. */
export class ItemSlot {
  readonly index: number
  /** The position among the calls, once it was told. */
  call: number | undefined
  #item: RawJson = {}
  #isWhole = false
  /** Whether nothing arrived yet. */
  #isNew = true
  /** Pieces by kind and position. */
  readonly #texts = new Map<string, string[]>()
  /** What listeners heard, by kind. */
  readonly #told = new Map<PieceKind, string>()

  constructor(index: number) {
    this.index = index
  }

  get id(): string {
    return toText(this.#item.id)
  }

  get name(): string {
    return toText(this.#item.name)
  }

  /** Whether it is this item by its id. Calls have an id of their own, and some servers change those of items. */
  isOf({ type, id, call_id: callId }: RawJson): boolean {
    if (this.#item.type !== type) return false
    return isFilled(callId) ? this.#item.call_id === callId : isFilled(id) && this.#item.id === id
  }

  /** Whether it says the same as this item: the ids may be others. */
  isLike(item: RawJson): boolean {
    const own = this.toItem() ?? {}
    if (own.type !== item.type) return false
    return !isCall(item) || (own.name === item.name && sameJson(argumentsOf(own), argumentsOf(item)))
  }

  /** Adds the beginning of the item. What it has already comes again in pieces, or with the whole. */
  begin(item: RawJson): PieceDelta | undefined {
    if (this.#isWhole) return undefined
    this.#item = this.#isNew ? item : withFilled(this.#item, item)
    this.#isNew = false
    return isCall(item) ? this.#tell('call', '') : undefined
  }

  addPiece(kind: PieceKind, text: string, event: RawJson): PieceDelta | undefined {
    if (this.#isWhole) return undefined
    this.#isNew = false
    const key = keyOf(kind, event)
    const known = this.#texts.get(key)
    if (known) known.push(text)
    else this.#texts.set(key, [text])
    return this.#tell(kind, text)
  }

  /** Adds a piece in full: what its deltas did not have is new. */
  endPiece(kind: PieceKind, event: RawJson): PieceDelta | undefined {
    const whole = wholeFields[kind].map((name) => event[name]).find((value) => typeof value === 'string')
    if (typeof whole !== 'string' || this.#isWhole) return undefined
    this.#isNew = false
    if (kind === 'call' && this.name === '') this.#item = withFilled(this.#item, { name: event.name })
    const key = keyOf(kind, event)
    const known = this.#texts.get(key)?.join('') ?? ''
    if (whole !== '') this.#texts.set(key, [whole])
    const more = newText(whole, known, known !== '')
    return more === '' ? undefined : this.#tell(kind, more)
  }

  /** Adds the item as the server has it in the end. Fields that it leaves empty are those of before. */
  addWhole(item: RawJson): PieceDelta | undefined {
    this.#item = this.#isNew ? item : withFilled(this.#isWhole ? this.#item : this.#fromPieces(), item)
    this.#isNew = false
    this.#isWhole = true
    const kind = kindOf(this.#item)
    if (!kind) return undefined
    const told = this.#told.get(kind)
    const more = newText(textIn(this.#item), told ?? '', told !== undefined)
    return more === '' && (kind !== 'call' || told !== undefined) ? undefined : this.#tell(kind, more)
  }

  /** Returns the item, put together from its pieces if the whole never came. Undefined for an empty one. */
  toItem(): RawJson | undefined {
    const item = this.#isWhole ? this.#item : this.#fromPieces()
    return isEmptyValue(item) ? undefined : item
  }

  #tell(kind: PieceKind, text: string): PieceDelta {
    this.#told.set(kind, (this.#told.get(kind) ?? '') + text)
    return { kind, text }
  }

  #fromPieces(): RawJson {
    const item = this.#item
    const [call] = this.#textsOf('call')
    if (call !== undefined)
      return withFilled(
        { type: 'function_call', ...item },
        { [item.type === 'custom_tool_call' ? 'input' : 'arguments']: call },
      )
    const summary = this.#textsOf('reasoning').map((text) => ({ type: 'summary_text', text }))
    if (summary.length > 0) return { type: 'reasoning', ...item, summary }
    const content = [
      ...this.#textsOf('text').map((text) => ({ type: 'output_text', text })),
      ...this.#textsOf('refusal').map((refusal) => ({ type: 'refusal', refusal })),
    ]
    return content.length > 0 ? { type: 'message', role: 'assistant', ...item, content } : item
  }

  #textsOf(kind: PieceKind): readonly string[] {
    return Array.from(this.#texts, ([key, texts]) => (key.startsWith(kind) ? texts.join('') : '')).filter(
      (text) => text !== '',
    )
  }
}

/** The content parts of an item, or those of its summary, come in any order. */
function keyOf(kind: PieceKind, { content_index: content, summary_index: at = content }: RawJson): string {
  return kind + toText(at)
}

/** Adds the fields that have a value. Empty ones are no news. */
function withFilled(before: RawJson, added: RawJson): RawJson {
  const filled = Object.entries(added).filter(([, value]) => !isEmptyValue(value))
  return { ...added, ...before, ...Object.fromEntries(filled) }
}

function kindOf(item: RawJson): PieceKind | undefined {
  if (isCall(item)) return 'call'
  return item.type === 'reasoning' ? 'reasoning' : item.type === 'message' ? 'text' : undefined
}

/** Returns the text of an item that listeners hear of. */
function textIn(item: RawJson): string {
  if (isCall(item)) return argumentsOf(item)
  return item.type === 'reasoning' ? reasoningOf(item) : partsOf([item]).map(toPlainText).join('')
}

/** Returns the arguments of a call. Those that are no text are a server's mistake, and written as JSON. */
export function argumentsOf({ arguments: given, input = '' }: RawJson): string {
  const value = given ?? input
  if (typeof value === 'string') return value
  note('arguments-as-object', value)
  return JSON.stringify(value)
}

export function toPlainText({ type, text }: RawJson): string {
  return type === 'output_text' || type === 'text' ? toText(text) : ''
}

/** Returns the reasoning that a server shows: the text itself, or its summary. */
export function reasoningOf({ summary, content }: RawJson): string {
  const texts = [...recordsOf(content), ...recordsOf(summary)].map(({ text }) => toText(text))
  return texts.filter((text) => text !== '').join('\n\n')
}
