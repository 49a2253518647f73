import { randomUUID } from 'node:crypto'
import type { AnyToolCall, Json, RunState } from '@capstan/core'
import type { RunSettings } from '../settings.js'

/** What a round of a run is begun with. */
export interface SegmentStart {
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

/** The workflow that works on a run of an agent, from its beginning or from a state. */
export const runWorkflow = (agent: string) => `capstan.run/${agent}`

/** The workflow that works on a run within one. */
export const childWorkflow = (agent: string) => `capstan.child/${agent}`

/** The workflow that carries out a decision, once the run waits for it. */
export const decisionWorkflow = (agent: string) => `capstan.decision/${agent}`

/** The workflow that ends a run. */
export const abortWorkflow = (agent: string) => `capstan.abort/${agent}`

/** Where the engine keeps what is queued: names of queues, and of versions, are those of a whole database. */
export const toNamespace = (application: string, queue: string) => `${application}/${queue}`

/** A run is worked on in rounds: one more each time that it goes on from waiting. */
export const segmentId = (runId: string, round: number) => (round === 0 ? runId : `${runId}/round${round}`)

/** What all ids of decisions on a run begin with. */
export const decisionIdPrefix = (runId: string) => `${runId}/decision/`

/**
 * A decision on a call; another attempt where the one before was refused. The attempt is in front: ids of calls may
 * have slashes and numbers in them.
 */
export const decisionId = (runId: string, callId: string, attempt: number) =>
  `${decisionIdPrefix(runId)}${attempt}/${callId}`

/** The id of the same decision as earlier versions stored it. It may also be a `decisionId` of another call. */
export const legacyDecisionId = (runId: string, callId: string, attempt: number) =>
  `${decisionIdPrefix(runId)}${callId}${attempt === 0 ? '' : `/${attempt}`}`

/** A prefix that the engine looks for by LIKE: its wildcards mean themselves. */
export const escapeLike = (prefix: string) => prefix.replace(/[\\%_]/g, '\\$&')

export const abortId = (runId: string) => `${runId}/abort`

/** Decisions wait for runs, and must not wait behind them. */
export const decisionsQueue = (queue: string) => `${queue}-decisions`

/** Where runs go on, one at a time, that were there when workers died. */
export const suspectsQueue = (queue: string) => `${queue}-suspects`

/** The engine's id of a worker that starts: each process has its own, though several may share a name. */
export const newExecutorId = (name: string) => `${name}~${randomUUID()}`

/** The name of a worker by the engine's id. Earlier versions gave the engine the name alone. */
export const workerName = (executor: string) => executor.replace(/~[0-9a-f-]{36}$/, '')
