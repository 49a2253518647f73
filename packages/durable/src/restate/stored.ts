import {
  CapstanError,
  type Decision,
  type Json,
  type RunState,
  type StopReason,
  type Usage,
} from '@capstan/core'
import type { TypedState, WorkflowContext } from '@restatedev/restate-sdk'
import type { RecordedError } from '../recorded.js'
import type { SegmentEnd } from '../segment.js'
import type { RunSettings } from '../settings.js'

/** The input of the handler that executes a run. */
export interface RunStart {
  readonly state: RunState
  readonly settings: RunSettings
  /** A hash of the run's input. If a run is started again with the same id, the hash must be the same. */
  readonly digest: string
}

/** The input of the handler that executes a child run. */
export interface ChildStart {
  readonly state: RunState
  readonly settings: RunSettings
  /** The name of the child run's agent. */
  readonly agent: string
  /** The id of the top-level run. */
  readonly runId: string
  /** The path to the call that started the child run, such as `call/inner call` for a nested run. */
  readonly path: string
  /** A hash of the tools with which the top-level run was started. */
  readonly definition: string
  readonly prices?: Json
}

/** The output of the handler that executes a run: the end of its last segment, or the error with which it failed. */
export type RunEnd =
  | { readonly ok: true; readonly digest: string; readonly end: SegmentEnd }
  | { readonly ok: false; readonly digest: string; readonly error: RecordedError; readonly state?: RunState }

/** The output of the handler that executes a child run. */
export interface ChildEnd {
  readonly state: RunState
}

/** The workflow's state. It is stored alongside the steps, and clients can read it. */
export interface RunMetadata {
  readonly digest: string
  readonly definition: string
  /** The number of model replies and the usage, up to the last step. */
  readonly progress: { readonly steps: number; readonly usage: Usage }
  /** The result of the last segment, while the run is pending. */
  readonly waiting: SegmentEnd
  /** How many decisions were rejected for each call, by call id. */
  readonly refused: Readonly<Record<string, number>>
  readonly ended: { readonly stopReason?: StopReason; readonly error?: RecordedError }
}

/** A decision in the form in which clients send it and Restate stores it. */
export interface StoredDecision {
  readonly callId: string
  readonly decision: Decision
}

/**
 * How the error message starts if a worker's tools differ from the run's. Restate reports only an error's message, so
 * clients recognize the error by this text.
 */
export const toolsHaveChanged = 'The tools have changed since run'

/** The key of the promise that contains the reason for an abort. */
export const reasonKey = 'reason'

/**
 * Returns the key of the promise for a decision on a call. Each rejection changes the key, so that a new decision can
 * be made.
 */
export function decisionKey(callId: string, refused: RunMetadata['refused'] | null | undefined): string {
  const count = refused && Object.hasOwn(refused, callId) ? refused[callId] : 0
  return `decision ${count} ${callId}`
}

/**
 * Checks the size of a value to store.
 * @throws CapstanError `invalid_state` if it has more than `maxStateBytes` as JSON
 */
export function checkSize(value: object, maxStateBytes: number): void {
  const bytes = sizeOf(value)
  if (bytes <= maxStateBytes) return
  const message = `The run is too large to store: ${bytes} bytes (maxStateBytes: ${maxStateBytes}). Limit its steps, store long text as artifacts, or shorten the input.`
  throw new CapstanError('invalid_state', message, { evidence: { bytes, maxStateBytes } })
}

/** Returns a value's size in bytes of JSON. */
export function sizeOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** Stores a field of the run's metadata. */
export function setMetadata<Name extends keyof RunMetadata>(
  ctx: WorkflowContext<TypedState>,
  name: Name,
  value: RunMetadata[Name],
): void {
  ctx.set(name, value)
}
