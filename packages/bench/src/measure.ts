/** What one repetition of a scenario took in the process of one peer. */
export interface Measure {
  /** Milliseconds of CPU, of all threads of the process. */
  readonly cpuMs: number
  /** Calls of tools that ran. */
  readonly ran: number
  /** Conversations that did not end in the right words, and what they ended in. */
  readonly wrong: number
  readonly example?: string
  /** Growth of the resident memory at its peak, in MiB. */
  readonly grownMiB?: number
  /** The event loop's delay that 1 % of its turns passed, in milliseconds. */
  readonly delayMs?: number
  /** What a step at the end of a long conversation took, against one near its beginning. */
  readonly growth?: number
}
