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

  /** What is new in the next words, `''` for nothing; `isApart` when they do not go on with what was said. */
  take(words: string): { readonly text: string; readonly isApart: boolean } {
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
}
