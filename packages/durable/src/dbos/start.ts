import type { AnyToolCall, Json, RunState } from '@capstan/core'
import type { RunSettings } from '../run-settings.js'

/** What a round of a run is begun with. */
export interface RoundStart {
  readonly state: RunState
  readonly options: RunSettings
  /** Tells whether somebody else asks for the same. */
  readonly asked: string
  /** What the rounds before have called. */
  readonly toolCalls?: readonly AnyToolCall[]
  /** The decision that it goes on with, by its id: of two that begin one round, one did. */
  readonly by?: string
}

/** What a run within one is begun with. */
export interface ChildStart {
  /** The run that is at the top. */
  readonly runId: string
  /** The call that it answers there: `call/inner call` for one further within. */
  readonly path: string
  readonly state: RunState
  readonly options: RunSettings
  readonly prices?: Json
}

export interface DecisionStart {
  readonly runId: string
  readonly callId: string
  readonly decision: Json
}

export interface AbortStart {
  readonly runId: string
  readonly reason?: string
}
