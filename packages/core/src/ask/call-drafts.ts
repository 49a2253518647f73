import type { ToolCall } from '../words/message.js'
import { isRecord, type Loose, setOwn, toText } from './loose.js'

/** A call while its pieces arrive. */
export interface CallDraft {
  readonly position: number
  id: string
  name: string
  readonly fragments: string[]
  /** Fields nobody knows here, to be sent back as they came. */
  readonly further: Record<string, unknown>
}

interface Piece {
  readonly id: string
  /** A label, whatever its type. */
  readonly index: string | undefined
  readonly name: string
  readonly fragment: string
}

/** The calls of one answer, put together from pieces that servers label by id, by index, by both or by neither. */
export class CallDrafts {
  readonly #drafts: CallDraft[] = []
  readonly #byId = new Map<string, CallDraft>()
  readonly #byIndex = new Map<string, CallDraft>()
  readonly #isTool: (name: string) => boolean

  /** `isTool` tells a whole tool name from a piece of one. */
  constructor(isTool: (name: string) => boolean) {
    this.#isTool = isTool
  }

  /** Adds an entry of `tool_calls`; in a `whole` message each entry is a call of its own. */
  add(entry: Loose, whole: boolean): { draft: CallDraft; fragment: string } {
    const { id, index, type: _type, function: given, ...further } = entry
    const { name, arguments: text } = isRecord(given) ? given : { name: undefined, arguments: undefined }
    const piece = { id: toText(id), index: toIndex(index), name: toText(name), fragment: toFragment(text) }
    const draft = (whole ? undefined : this.#route(piece)) ?? this.#open()
    this.#label(draft, piece)
    draft.fragments.push(piece.fragment)
    for (const [field, value] of Object.entries(further)) setOwn(draft.further, field, value)
    return { draft, fragment: piece.fragment }
  }

  toCalls(): ToolCall[] {
    return this.#drafts.map(({ id, name, fragments, further }) => ({
      ...further,
      id,
      type: 'function',
      function: { name, arguments: fragments.join('') },
    }))
  }

  /** The open call a piece belongs to, if any: the id decides, then the index, then the order. */
  #route(piece: Piece): CallDraft | undefined {
    const { id, index, name } = piece
    const last = this.#drafts.at(-1)
    const known = id === '' ? undefined : this.#byId.get(id)
    const labelled = known ?? (index === undefined ? last : this.#byIndex.get(index))
    // A new id begins a call, unless the one it would follow still waits for an id.
    if (id !== '' && !known)
      return labelled?.id === '' && (labelled.name === '' || name === '') ? labelled : undefined
    if (!labelled) return name === '' ? last : undefined
    return this.#isSecondCall(labelled, piece) ? undefined : labelled
  }

  /** Some servers give all calls of an answer one id, one index, or none: a name may still tell them apart. */
  #isSecondCall(first: CallDraft, { id, index, name }: Piece): boolean {
    if (name === '' || first.name === '') return false
    if (name !== first.name && this.#isTool(name) && this.#isTool(first.name)) return true
    const isElsewhere = index === undefined ? id === '' : this.#byIndex.get(index) !== first
    return isElsewhere && isWhole(first)
  }

  #open(): CallDraft {
    const draft: CallDraft = { position: this.#drafts.length, id: '', name: '', fragments: [], further: {} }
    this.#drafts.push(draft)
    return draft
  }

  #label(draft: CallDraft, { id, index, name }: Piece): void {
    if (index !== undefined) this.#byIndex.set(index, draft)
    if (id !== '' && draft.id === '') {
      draft.id = id
      this.#byId.set(id, draft)
    }
    if (draft.name === '') draft.name = name
    else if (name !== draft.name && !this.#isTool(draft.name) && this.#isTool(draft.name + name))
      draft.name += name
  }
}

function isWhole({ fragments }: CallDraft): boolean {
  try {
    return isRecord(JSON.parse(fragments.join('')))
  } catch {
    return false
  }
}

/** Arguments are text; an object is a server's slip, and is the text it stands for. */
function toFragment(value: unknown): string {
  if (typeof value === 'string') return value
  return value === null || value === undefined ? '' : JSON.stringify(value)
}

function toIndex(value: unknown): string | undefined {
  return toText(value) || undefined
}
