import { randomUUID } from 'node:crypto'
import type { Json, RunState } from '@capstan/core'
import type { SegmentsBefore } from '../segment.js'
import type { RunSettings } from '../settings.js'

/** The input of the workflow that executes one segment of a run. */
export interface SegmentStart extends SegmentsBefore {
  readonly state: RunState
  readonly options: RunSettings
  /** A hash of the run's input. If a run is started again with the same id, the hash must be the same. */
  readonly asked: string
  /**
   * The workflow id of the decision that started the segment. If two decisions try to start the same segment, only one
   * succeeds.
   */
  readonly by?: string
}

/** The input of the workflow that executes a child run. */
export interface ChildStart {
  /** The id of the top-level run. */
  readonly runId: string
  /** The path to the call that started the child run, such as `call/inner call` for a nested run. */
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

/** Returns the name of the workflow that executes an agent's runs, both new and continued ones. */
export const runWorkflow = (agent: string) => `capstan.run/${agent}`

/** Returns the name of the workflow that executes child runs. */
export const childWorkflow = (agent: string) => `capstan.child/${agent}`

/** Returns the name of the workflow that applies a decision once its call is pending. */
export const decisionWorkflow = (agent: string) => `capstan.decision/${agent}`

/** Returns the name of the workflow that aborts a run. */
export const abortWorkflow = (agent: string) => `capstan.abort/${agent}`

/**
 * Returns the name of the engine's queue for an application. The name includes the application, because queue and
 * version names apply to the entire database.
 */
export const toNamespace = (application: string, queue: string) => `${application}/${queue}`

/** Returns a segment's workflow id. Each time a run continues after being pending, it gets another segment. */
export const segmentId = (runId: string, round: number) => (round === 0 ? runId : `${runId}/round${round}`)

/** Returns the prefix that the workflow ids of all decisions on a run share. */
export const decisionIdPrefix = (runId: string) => `${runId}/decision/`

/**
 * Returns the workflow id of a decision on a call. If a decision is rejected, the next attempt gets a new id. The
 * attempt's number comes before the call id, because call ids can contain slashes and numbers.
 */
export const decisionId = (runId: string, callId: string, attempt: number) =>
  `${decisionIdPrefix(runId)}${attempt}/${callId}`

/** Escapes LIKE wildcards in an id prefix, because the engine searches with LIKE. */
export const escapeLike = (prefix: string) => prefix.replace(/[\\%_]/g, '\\$&')

/** Returns the id of the workflow that aborts a run. */
export const abortId = (runId: string) => `${runId}/abort`

/**
 * Returns the name of the queue for decisions. It is separate from the queue for runs, so a decision that is waiting
 * for its run does not block other runs.
 */
export const decisionsQueue = (queue: string) => `${queue}-decisions`

/**
 * Returns the name of the queue for runs that were in progress when workers died. This queue executes one run at a
 * time.
 */
export const suspectsQueue = (queue: string) => `${queue}-suspects`

/**
 * Returns a new engine id for a worker's process. The id is unique, even if several processes use the same worker name.
 */
export const newExecutorId = (name: string) => `${name}~${randomUUID()}`

/** Returns the worker's name from an engine id. */
export const workerName = (executor: string) => executor.replace(/~[0-9a-f-]{36}$/, '')
