import type { WireNoteCode } from '@capstan/core'
import type { SeenRequest } from './replay.js'
import type { WireReport } from './wire-client.js'

/** What a client did with a case. */
export interface Outcome {
  /** The tool functions that were started, with the arguments they got. */
  readonly runs: readonly { readonly name: string; readonly arguments: unknown }[]
  readonly requests: readonly SeenRequest[]
  readonly end: Ending
  readonly maxRetries: number
  /** Properties that `Object.prototype` did not have before. */
  readonly pollution: readonly string[]
  /** The codes of the notes, each once, by name. Undefined for a client that tells none. */
  readonly notes?: readonly WireNoteCode[] | undefined
}

export type Ending =
  | ({ readonly kind: 'answer' } & WireReport)
  | ({ readonly kind: 'thrown' } & WireFailure)
  | { readonly kind: 'late' }

export interface WireFailure {
  /** Messages of the error and its causes, and their statuses. */
  readonly said: string
  /** Of this project's codes, where the client reports them. */
  readonly code?: string | undefined
  readonly retryable?: boolean | undefined
  readonly retryAfterMs?: number | undefined
}
