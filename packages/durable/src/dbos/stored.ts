import { randomUUID } from 'node:crypto'
import type { Json, RunState } from '@capstan/core'
import type { SegmentsBefore } from '../segment.js'
import type { RunSettings } from '../settings.js'

/** The input of the workflow that executes a segment of a run. */
export interface SegmentStart extends SegmentsBefore {
  readonly state: RunState
  readonly options: RunSettings
  /** A hash of the input. Repeated starts with the same id must have the same hash. */
  readonly asked: string
  /** The id of the decision that started it. Two decisions can try to start the same segment; one succeeds. */
  readonly by?: string
}

/** The input of the workflow that executes a child run. */
export interface ChildStart {
  /** The id of the top-level run. */
  readonly runId: string
  /** The path of the call that started it: `call/inner call` for a nested child run. */
  readonly path: string
  readonly state: RunState
  readonly options: RunSettings
  readonly prices?: Json
}

/** The input of the workflow that applies a decision. */
export interface DecisionStart {
  readonly runId: string
  readonly callId: string
  readonly decision: Json
}

/** The input of the workflow that aborts a run. */
export interface AbortStart {
  readonly runId: string
  readonly reason?: string
}

/** Returns the name of the workflow that executes an agent's runs, from their start or from a state. */
export const runWorkflow = (agent: string) => `capstan.run/${agent}`

/** Returns the name of the workflow that executes child runs. */
export const childWorkflow = (agent: string) => `capstan.child/${agent}`

/** Returns the name of the workflow that applies a decision once its call is pending. */
export const decisionWorkflow = (agent: string) => `capstan.decision/${agent}`

/** Returns the name of the workflow that aborts a run. */
export const abortWorkflow = (agent: string) => `capstan.abort/${agent}`

/** Returns the name of the engine's queue for an application. Queue and version names are shared by an entire database. */
export const toNamespace = (application: string, queue: string) => `${application}/${queue}`

/** Returns the workflow id of a segment. A run has one more segment each time it continues after being pending. */
export const segmentId = (runId: string, round: number) => (round === 0 ? runId : `${runId}/round${round}`)

/** Returns the prefix of the ids of all decisions on a run. */
export const decisionIdPrefix = (runId: string) => `${runId}/decision/`

/**
 * Returns the workflow id of a decision on a call. After a rejected decision, a new attempt has a new id. The attempt
 * comes first, because call ids can contain slashes and numbers.
 */
export const decisionId = (runId: string, callId: string, attempt: number) =>
  `${decisionIdPrefix(runId)}${attempt}/${callId}`

/** Escapes wildcards in a prefix, because the engine searches with LIKE. */
export const escapeLike = (prefix: string) => prefix.replace(/[\\%_]/g, '\\$&')

/** Returns the workflow id of a run's abort. */
export const abortId = (runId: string) => `${runId}/abort`

/** Returns the queue for decisions. Decisions wait for runs, so they must not be queued behind them. */
export const decisionsQueue = (queue: string) => `${queue}-decisions`

/** Returns the queue for runs that were active when workers died. It executes one run at a time. */
export const suspectsQueue = (queue: string) => `${queue}-suspects`

/** Returns a new engine id for a worker that starts. It is unique to the process, even if processes share a name. */
export const newExecutorId = (name: string) => `${name}~${randomUUID()}`

/** Returns the worker name in an engine id. */
export const workerName = (executor: string) => executor.replace(/~[0-9a-f-]{36}$/, '')
