import type { RunEvent } from '@capstan/core'
import { textOf } from '@capstan/core/internal'

/** A part of the streamed text or reasoning of a run. */
export interface TextPart {
  readonly type: 'start' | 'delta' | 'end'
  readonly kind: Kind
  /** Counts the texts of a run, from 0. */
  readonly index: number
  /** The new text of a `delta`; `''` otherwise. */
  readonly text: string
}

type Kind = 'text' | 'reasoning'

/** Splits text and reasoning into start, delta and end parts. Text discarded by a retry is not continued. */
export class TextParts {
  readonly #deduplicators = { text: new RetryDeduplicator(), reasoning: new RetryDeduplicator() }
  #open: Pick<TextPart, 'kind' | 'index'> | undefined
  #count = 0

  /** Returns the parts that an event adds. A tool call ends the open part. */
  event(event: RunEvent): readonly TextPart[] {
    switch (event.type) {
      case 'step-start':
        for (const deduplicator of Object.values(this.#deduplicators)) deduplicator.start()
        return []
      case 'retry-scheduled':
        for (const deduplicator of Object.values(this.#deduplicators)) deduplicator.retry()
        return []
      case 'text-delta':
        return this.add('text', event.text)
      case 'reasoning-delta':
        return this.add('reasoning', event.text)
      case 'message-added': {
        const { message } = event
        // Not every model streams its text.
        return message.role === 'assistant'
          ? this.#toParts('text', this.#deduplicators.text.addFinal(textOf(message.content)))
          : []
      }
      case 'call-ready':
      case 'step-end':
        return this.end()
      default:
        return []
    }
  }

  add(kind: Kind, text: string): readonly TextPart[] {
    return this.#toParts(kind, this.#deduplicators[kind].add(text))
  }

  end(): readonly TextPart[] {
    const open = this.#open
    this.#open = undefined
    return open ? [{ ...open, type: 'end', text: '' }] : []
  }

  #toParts(kind: Kind, { text, isApart }: TextDelta): readonly TextPart[] {
    if (text === '') return []
    if (this.#open?.kind === kind && !isApart) return [{ ...this.#open, type: 'delta', text }]
    const ended = this.end()
    const open = { kind, index: this.#count++ }
    this.#open = open
    return [...ended, { ...open, type: 'start', text: '' }, { ...open, type: 'delta', text }]
  }
}

/** New text; `isApart` if it does not continue the text before it. */
export interface TextDelta {
  readonly text: string
  readonly isApart: boolean
}

/** Removes text that a retried request repeats. */
export class RetryDeduplicator {
  #received = ''
  /** The text received since a retry, while it repeats what was received before. */
  #repeated: string | undefined

  /** Starts a new reply. */
  start(): void {
    this.#received = ''
    this.#repeated = undefined
  }

  /** Starts the same reply again. */
  retry(): void {
    this.#repeated = ''
  }

  /** Returns the part of a delta that is new; `''` if none is. */
  add(delta: string): TextDelta {
    const repeated = this.#repeated
    if (repeated === undefined) {
      this.#received += delta
      return { text: delta, isApart: false }
    }
    const all = repeated + delta
    if (this.#received.startsWith(all)) {
      this.#repeated = all
      return { text: '', isApart: false }
    }
    const before = this.#received
    this.#received = all
    this.#repeated = undefined
    return all.startsWith(before)
      ? { text: all.slice(before.length), isApart: false }
      : { text: all, isApart: true }
  }

  /**
   * Returns the part of a complete reply that is new. A model may send it at once, or differ from what it
   * streamed.
   */
  addFinal(whole: string): TextDelta {
    const before = this.#repeated ?? this.#received
    if (whole.startsWith(before)) return this.add(whole.slice(before.length))
    if (before.startsWith(whole)) return { text: '', isApart: false }
    this.#received = whole
    this.#repeated = undefined
    return { text: whole, isApart: true }
  }
}
