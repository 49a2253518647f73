import type { ToolCall } from '../words/message.js'
import { setOwn } from '../words/set-own.js'
import { JsonEdge } from './json-edge.js'
import { isNothing, type Loose } from './loose.js'
import type { CallPiece } from './read-call.js'
import { sameJson } from './same-json.js'

/** A call while its pieces arrive. */
export class CallDraft {
  id = ''
  index = ''
  name = ''
  /** Whether a delta said something of it, not only whole messages. */
  isPieced = false
  readonly position: number
  readonly edge = new JsonEdge()
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
  add(text: string, { further, inner }: CallPiece): void {
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
function merge(kept: Record<string, unknown>, fields: Loose): void {
  for (const [name, value] of Object.entries(fields))
    if (!isNothing(value) || !Object.hasOwn(kept, name)) setOwn(kept, name, value)
}
