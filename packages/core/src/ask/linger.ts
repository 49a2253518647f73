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
  #timer: ReturnType<typeof setTimeout> | undefined
  /** When it was first finished, and when it was last closed. */
  #finishedAt: number | undefined
  #closedAt: number | undefined
  #leavesAt = Number.NaN

  constructor(leave: () => void) {
    this.#leave = leave
  }

  /** To be called before the first piece, and after each: more of the answer may come after what seemed its end. */
  look({ isFinished, isWhole }: Progress): void {
    if (!isFinished) {
      this.stop()
      return
    }
    const now = performance.now()
    this.#finishedAt ??= now
    this.#closedAt = isWhole ? (this.#closedAt ?? now) : undefined
    const closedAt = this.#closedAt ?? Number.POSITIVE_INFINITY
    const leavesAt = Math.min(this.#finishedAt + longestMs, closedAt + pauseMs)
    if (leavesAt === this.#leavesAt) return
    clearTimeout(this.#timer)
    this.#leavesAt = leavesAt
    this.#timer = setTimeout(this.#leave, leavesAt - now)
  }

  stop(): void {
    if (this.#finishedAt === undefined) return
    clearTimeout(this.#timer)
    this.#finishedAt = undefined
    this.#closedAt = undefined
    this.#leavesAt = Number.NaN
  }
}

const longestMs = 2000
const pauseMs = 250
