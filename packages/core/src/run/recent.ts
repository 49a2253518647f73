/** Texts by key, the ones that were used last: a place that never grows beyond its bound. */
export class Recent {
  readonly #texts = new Map<string, string>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  get(key: string): string | undefined {
    const text = this.#texts.get(key)
    if (text !== undefined) this.set(key, text)
    return text
  }

  set(key: string, text: string): void {
    this.#texts.delete(key)
    this.#texts.set(key, text)
    const [oldest] = this.#texts.keys()
    if (this.#texts.size > this.#most && oldest !== undefined) this.#texts.delete(oldest)
  }
}
