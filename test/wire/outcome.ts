import type { SeenRequest } from './replay.js'

/** What a client did with a case. */
export interface Outcome {
  /** The tool functions that were started, with the arguments they got. */
  readonly runs: readonly { readonly name: string; readonly arguments: unknown }[]
  readonly requests: readonly SeenRequest[]
  readonly end: Ending
  readonly maxRetries: number
  /** Properties that `Object.prototype` did not have before. */
  readonly pollution: readonly string[]
}

export type Ending =
  | ({ readonly kind: 'answer' } & WireReport)
  | ({ readonly kind: 'thrown' } & WireFailure)
  | { readonly kind: 'late' }

/** The end of a run, as its caller sees it. */
export interface WireReport {
  readonly text: string
  readonly refusal?: string | undefined
  /** The caller can see that this is not the whole answer. */
  readonly incomplete?: boolean | undefined
}

export interface WireFailure {
  /** Messages of the error and its causes, and their statuses. */
  readonly said: string
  /** Of this project's codes, where the client reports them. */
  readonly code?: string | undefined
  readonly retryable?: boolean | undefined
  readonly retryAfterMs?: number | undefined
}
