/** What is known of an answer that is still being read. */
export interface Progress {
  /** Whether all that counts has come. */
  readonly isFinished: boolean
  /** Whether it is a JSON body that is closed. */
  readonly isWhole: boolean
}

/**
 * Leaves an answer that has said all that counts and whose server stays: two seconds after that, whatever keeps
 * the connection awake, and a quarter of one after a JSON body was closed, if nothing but white space follows.
 */
export class Linger {
  readonly #leave: () => void
  #longest: ReturnType<typeof setTimeout> | undefined
  #pause: ReturnType<typeof setTimeout> | undefined

  constructor(leave: () => void) {
    this.#leave = leave
  }

  /** To be called before the first piece, and after each: more of the answer may come after what seemed its end. */
  look({ isFinished, isWhole }: Progress): void {
    if (!isFinished) this.stop()
    else if (!isWhole) this.#goOn()
    if (isFinished) this.#longest ??= setTimeout(this.#leave, longestMs)
    if (isFinished && isWhole) this.#pause ??= setTimeout(this.#leave, pauseMs)
  }

  stop(): void {
    clearTimeout(this.#longest)
    this.#longest = undefined
    this.#goOn()
  }

  #goOn(): void {
    clearTimeout(this.#pause)
    this.#pause = undefined
  }
}

const longestMs = 2000
const pauseMs = 250
