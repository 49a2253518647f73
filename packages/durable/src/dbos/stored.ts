import { randomUUID } from 'node:crypto'
import type { Json, RunState } from '@capstan/core'
import type { SegmentsBefore } from '../segment.js'
import type { RunSettings } from '../settings.js'

/** Input of the workflow that executes a segment of a run. */
export interface SegmentStart extends SegmentsBefore {
  readonly state: RunState
  readonly options: RunSettings
  /** Hash of the input. Repeated starts with an id must have the same hash. */
  readonly asked: string
  /** Id of the decision that started it. Two decisions can try to start the same segment; one succeeds. */
  readonly by?: string
}

/** Input of the workflow that executes a child run. */
export interface ChildStart {
  /** Id of the top-level run. */
  readonly runId: string
  /** Path of the call that it answers: `call/inner call` for a nested child run. */
  readonly path: string
  readonly state: RunState
  readonly options: RunSettings
  readonly prices?: Json
}

/** Input of the workflow that applies a decision. */
export interface DecisionStart {
  readonly runId: string
  readonly callId: string
  readonly decision: Json
}

/** Input of the workflow that aborts a run. */
export interface AbortStart {
  readonly runId: string
  readonly reason?: string
}

/** Name of the workflow that executes a run of an agent, from its start or from a state. */
export const runWorkflow = (agent: string) => `capstan.run/${agent}`

/** Name of the workflow that executes a child run. */
export const childWorkflow = (agent: string) => `capstan.child/${agent}`

/** Name of the workflow that applies a decision once the run waits for it. */
export const decisionWorkflow = (agent: string) => `capstan.decision/${agent}`

/** Name of the workflow that aborts a run. */
export const abortWorkflow = (agent: string) => `capstan.abort/${agent}`

/** Name of the engine's queue for an application. Queue and version names are shared by a whole database. */
export const toNamespace = (application: string, queue: string) => `${application}/${queue}`

/** Workflow id of a segment. A run has one more segment each time it continues from waiting. */
export const segmentId = (runId: string, round: number) => (round === 0 ? runId : `${runId}/round${round}`)

/** Prefix of all ids of decisions on a run. */
export const decisionIdPrefix = (runId: string) => `${runId}/decision/`

/**
 * Workflow id of a decision on a call. A new attempt follows a rejected one. The attempt comes first because call ids can
 * contain slashes and numbers.
 */
export const decisionId = (runId: string, callId: string, attempt: number) =>
  `${decisionIdPrefix(runId)}${attempt}/${callId}`

/** Escapes the wildcards of a prefix that the engine searches with LIKE. */
export const escapeLike = (prefix: string) => prefix.replace(/[\\%_]/g, '\\$&')

/** Workflow id of the abort of a run. */
export const abortId = (runId: string) => `${runId}/abort`

/** Queue of the decisions. Decisions wait for runs, so they must not be queued behind them. */
export const decisionsQueue = (queue: string) => `${queue}-decisions`

/** Queue of runs that were active when workers died. It executes one at a time. */
export const suspectsQueue = (queue: string) => `${queue}-suspects`

/** Creates the engine's id of a starting worker. It is unique to the process, although processes can share a name. */
export const newExecutorId = (name: string) => `${name}~${randomUUID()}`

/** Returns the worker name in an engine's id. */
export const workerName = (executor: string) => executor.replace(/~[0-9a-f-]{36}$/, '')
