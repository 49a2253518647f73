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
