import type { RunEvent } from '@capstan/core'
import { type TextPiece, TextReader } from '@capstan/core/internal'

/** A part of a run's streamed text or reasoning. */
export interface TextPart {
  readonly type: 'start' | 'delta' | 'end'
  readonly kind: TextPiece['kind']
  /** The index of the text or reasoning block that this part belongs to, starting at 0. */
  readonly index: number
  /** In a `delta`, the new text; `''` otherwise. */
  readonly text: string
}

/**
 * Splits text and reasoning into start, delta and end parts. After a retry, new text starts its own part instead of
 * continuing the discarded one.
 */
export class TextParts {
  readonly #reader = new TextReader()
  #open: Pick<TextPart, 'kind' | 'index'> | undefined
  #count = 0

  /** Returns the parts that an event adds. A tool call ends the open part. */
  event(event: RunEvent): readonly TextPart[] {
    const parts = this.#reader.event(event).flatMap((piece) => this.add(piece))
    // A run that continues after a failure emits `run-start` again.
    return /^(call-ready|step-end|run-start)$/.test(event.type) ? this.end() : parts
  }

  add({
    kind,
    text,
    startsNew = false,
  }: Pick<TextPiece, 'kind' | 'text'> & Partial<TextPiece>): readonly TextPart[] {
    if (text === '') return []
    if (this.#open?.kind === kind && !startsNew) return [{ ...this.#open, type: 'delta', text }]
    const ended = this.end()
    const open = { kind, index: this.#count++ }
    this.#open = open
    return [...ended, { ...open, type: 'start', text: '' }, { ...open, type: 'delta', text }]
  }

  end(): readonly TextPart[] {
    const open = this.#open
    this.#open = undefined
    return open ? [{ ...open, type: 'end', text: '' }] : []
  }
}

/** A piece of a reply's text or reasoning. */
export type ReplyPiece = Pick<TextPiece, 'kind' | 'text'>

/**
 * Joins all of a run's text into one reply, because model protocols expect only one. An empty line separates the
 * pieces.
 */
export class ReplyText {
  readonly #reader = new TextReader()
  #whole = ''

  /** The text so far. */
  get text(): string {
    return this.#whole
  }

  /** Returns the pieces that an event adds. */
  event(event: RunEvent): readonly ReplyPiece[] {
    return this.#reader.event(event).map(({ kind, text, startsNew }) => {
      if (kind === 'reasoning') return { kind, text }
      const joined = startsNew && this.#whole !== '' ? `\n\n${text}` : text
      this.#whole += joined
      return { kind, text: joined }
    })
  }
}
