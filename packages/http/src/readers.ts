import { HttpError } from './http-error.js'

/** Who reads a run at one time. */
export class Readers {
  readonly #left: (others: number) => void
  #count = 0

  /** `left` is told when one leaves, and of how many others there are. */
  constructor(left: (others: number) => void) {
    this.#left = left
  }

  /** @throws HttpError 429 when as many read as may */
  check(): void {
    if (this.#count < most) return
    const message = `As many read this run as may at one time (${most}).`
    throw new HttpError(429, 'too_many_readers', message, { 'retry-after': '1' })
  }

  /** One more, until what this gives is called or the signal aborts. */
  enter(signal: AbortSignal): () => void {
    let isHere = true
    this.#count += 1
    const leave = () => {
      signal.removeEventListener('abort', leave)
      if (!isHere) return
      isHere = false
      this.#count -= 1
      this.#left(this.#count)
    }
    signal.addEventListener('abort', leave)
    if (signal.aborted) leave()
    return leave
  }
}

const most = 100
