import type { RunEvent } from '../../types/event.js'
import { textOf } from '../../types/message.js'

/** A piece of the text or of the reasoning of a reply. */
export interface TextPiece {
  readonly kind: 'text' | 'reasoning'
  readonly text: string
  /** The number of the reply, from 0. */
  readonly step: number
  /** Whether it does not continue the piece of its kind before it: of a new reply, or of one that a retry replaced. */
  readonly startsNew: boolean
}

/**
 * Reads the text of a run from its events, without child runs. Text that a retried reply repeats comes once. That of a
 * model that does not stream comes with its message.
 */
export class TextReader {
  readonly #text = new KindReader('text')
  readonly #reasoning = new KindReader('reasoning')

  /** The text of the current reply so far. */
  get text(): string {
    return this.#text.received
  }

  /** Returns the pieces that an event adds. */
  event(event: RunEvent): readonly TextPiece[] {
    if (event.parentCallId !== undefined) return []
    switch (event.type) {
      case 'step-start':
        this.#text.start(event.step)
        this.#reasoning.start(event.step)
        return []
      case 'retry-scheduled':
        this.#text.retry()
        this.#reasoning.retry()
        return []
      case 'text-delta':
        return this.#text.add(event.text)
      case 'reasoning-delta':
        return this.#reasoning.add(event.text)
      case 'message-added': {
        const { message } = event
        return message.role === 'assistant' ? this.#text.addWhole(textOf(message.content)) : []
      }
      default:
        return []
    }
  }
}

/** Reads one kind of text. */
class KindReader {
  readonly #kind: TextPiece['kind']
  #step = 0
  #startsNew = true
  /** All text of the reply so far. */
  received = ''
  /** How much of what was received before a retry has come again, while it is the same. */
  #repeated: number | undefined

  constructor(kind: TextPiece['kind']) {
    this.#kind = kind
  }

  /** Starts a reply. */
  start(step: number): void {
    this.#step = step
    this.#begin('')
  }

  /** Starts the same reply again. */
  retry(): void {
    this.#repeated = 0
  }

  add(delta: string): readonly TextPiece[] {
    if (this.#repeated === undefined) return this.#pieces(delta)
    const expected = this.received.slice(this.#repeated, this.#repeated + delta.length)
    if (!delta.startsWith(expected)) return this.#begin(this.received.slice(0, this.#repeated) + delta)
    this.#repeated += expected.length
    if (expected.length === delta.length) return []
    this.#repeated = undefined
    return this.#pieces(delta.slice(expected.length))
  }

  /** Adds what is new in a complete reply: its model may send it in one piece, or differ from what it streamed. */
  addWhole(whole: string): readonly TextPiece[] {
    const before = this.received.slice(0, this.#repeated)
    if (whole.startsWith(before)) return this.add(whole.slice(before.length))
    return before.startsWith(whole) ? [] : this.#begin(whole)
  }

  #begin(text: string): readonly TextPiece[] {
    this.#startsNew = true
    this.#repeated = undefined
    this.received = ''
    return this.#pieces(text)
  }

  #pieces(text: string): readonly TextPiece[] {
    this.received += text
    if (text === '') return []
    const startsNew = this.#startsNew
    this.#startsNew = false
    return [{ kind: this.#kind, text, step: this.#step, startsNew }]
  }
}
