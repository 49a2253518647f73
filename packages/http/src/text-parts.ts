import type { RunEvent } from '@capstan/core'
import { textOf } from '@capstan/core/internal'

/** A piece of what is said, or thought: `at` counts the pieces of a run. */
export interface Said {
  readonly type: 'begin' | 'words' | 'end'
  readonly kind: Kind
  readonly at: number
  /** Of `words`; else `''`. */
  readonly text: string
}

type Kind = 'text' | 'reasoning'

/** What a run says and thinks, in pieces that begin and end: words that are void after a failure are not gone on with. */
export class Spoken {
  readonly #words = { text: new Retold(), reasoning: new Retold() }
  #open: Pick<Said, 'kind' | 'at'> | undefined
  #pieces = 0

  /** What an event adds to it; a call ends what was being said. */
  event(event: RunEvent): readonly Said[] {
    switch (event.type) {
      case 'step-start':
        for (const words of Object.values(this.#words)) words.begin()
        return []
      case 'retry-scheduled':
        for (const words of Object.values(this.#words)) words.beginAnew()
        return []
      case 'text-delta':
        return this.say('text', event.text)
      case 'reasoning-delta':
        return this.say('reasoning', event.text)
      case 'message-added': {
        const { role, content } = event.message
        // Not every model says its words as they come.
        return role === 'assistant' ? this.#tell('text', this.#words.text.takeRest(textOf(content))) : []
      }
      case 'call-ready':
      case 'step-end':
        return this.end()
      default:
        return []
    }
  }

  say(kind: Kind, words: string): readonly Said[] {
    return this.#tell(kind, this.#words[kind].take(words))
  }

  end(): readonly Said[] {
    const open = this.#open
    this.#open = undefined
    return open ? [{ ...open, type: 'end', text: '' }] : []
  }

  #tell(kind: Kind, { text, isApart }: NewWords): readonly Said[] {
    if (text === '') return []
    if (this.#open?.kind === kind && !isApart) return [{ ...this.#open, type: 'words', text }]
    const ended = this.end()
    const open = { kind, at: this.#pieces++ }
    this.#open = open
    return [...ended, { ...open, type: 'begin', text: '' }, { ...open, type: 'words', text }]
  }
}

/** Words to be said; `isApart` when they do not go on with what was said. */
export interface NewWords {
  readonly text: string
  readonly isApart: boolean
}

/** Words of an answer that begins anew after a failure: what was said already is not said again. */
export class Retold {
  #said = ''
  /** What has come again so far. */
  #again: string | undefined

  /** A new answer. */
  begin(): void {
    this.#said = ''
    this.#again = undefined
  }

  /** The same answer, from its start. */
  beginAnew(): void {
    this.#again = ''
  }

  /** What is new in the next words, `''` for nothing. */
  take(words: string): NewWords {
    const again = this.#again
    if (again === undefined) {
      this.#said += words
      return { text: words, isApart: false }
    }
    const all = again + words
    if (this.#said.startsWith(all)) {
      this.#again = all
      return { text: '', isApart: false }
    }
    const before = this.#said
    this.#said = all
    this.#again = undefined
    return all.startsWith(before)
      ? { text: all.slice(before.length), isApart: false }
      : { text: all, isApart: true }
  }

  /** What of the whole answer is new: a server may give it at once, or another one than it began with. */
  takeRest(whole: string): NewWords {
    const before = this.#again ?? this.#said
    if (whole.startsWith(before)) return this.take(whole.slice(before.length))
    if (before.startsWith(whole)) return { text: '', isApart: false }
    this.#said = whole
    this.#again = undefined
    return { text: whole, isApart: true }
  }
}
