import type { RunEvent } from '@capstan/core'
import { textOf } from '@capstan/core/internal'
import { RetryDeduplicator, type TextDelta } from './text-parts.js'

/** A piece of the text or the reasoning of a reply. */
export interface ReplyPiece {
  readonly kind: 'text' | 'reasoning'
  readonly text: string
}

/**
 * Joins the texts of a run's steps to the one reply that protocols of models have, with empty lines between
 * them. Text of nested agents is left out.
 */
export class ReplyText {
  readonly #text = new RetryDeduplicator()
  readonly #reasoning = new RetryDeduplicator()
  /** Whether this step has sent no text yet. */
  #isNew = true
  #whole = ''

  /** The text so far. */
  get text(): string {
    return this.#whole
  }

  /** Returns the pieces that an event adds. */
  event(event: RunEvent): readonly ReplyPiece[] {
    if (event.parentCallId !== undefined) return []
    switch (event.type) {
      case 'step-start':
        this.#text.start()
        this.#reasoning.start()
        this.#isNew = true
        return []
      case 'retry-scheduled':
        this.#text.retry()
        this.#reasoning.retry()
        return []
      case 'text-delta':
        return this.#add(this.#text.add(event.text))
      case 'reasoning-delta': {
        const { text } = this.#reasoning.add(event.text)
        return text === '' ? [] : [{ kind: 'reasoning', text }]
      }
      case 'message-added': {
        const { message } = event
        return message.role === 'assistant' ? this.#add(this.#text.addFinal(textOf(message.content))) : []
      }
      default:
        return []
    }
  }

  #add({ text, isApart }: TextDelta): readonly ReplyPiece[] {
    if (text === '') return []
    const joined = this.#whole !== '' && (this.#isNew || isApart) ? `\n\n${text}` : text
    this.#isNew = false
    this.#whole += joined
    return [{ kind: 'text', text: joined }]
  }
}
