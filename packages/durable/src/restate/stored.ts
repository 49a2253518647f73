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
  /** A hash of the input. Repeated starts with the same id must have the same hash. */
  readonly digest: string
}

/** The input of the handler that executes a child run. */
export interface ChildStart {
  readonly state: RunState
  readonly settings: RunSettings
  /** The name of its agent. */
  readonly agent: string
  /** The id of the top-level run. */
  readonly runId: string
  /** The path of the call that started it: `call/inner call` for a nested child run. */
  readonly path: string
  /** A hash of the tools that the top-level run started with. */
  readonly definition: string
  readonly prices?: Json
}

/** The output of the handler that executes a run. */
export type RunEnd =
  | { readonly ok: true; readonly digest: string; readonly end: SegmentEnd }
  | { readonly ok: false; readonly digest: string; readonly error: RecordedError; readonly state?: RunState }

/** The output of the handler that executes a child run. */
export interface ChildEnd {
  readonly state: RunState
}

/** The workflow's state, which is stored next to its steps and read by clients. */
export interface RunMetadata {
  readonly digest: string
  readonly definition: string
  /** The progress, as of the last step. */
  readonly progress: { readonly steps: number; readonly usage: Usage }
  /** The end of the segment after which the run is pending. */
  readonly waiting: SegmentEnd
  /** The number of rejected decisions by call id. */
  readonly refused: Readonly<Record<string, number>>
  readonly ended: { readonly stopReason?: StopReason; readonly error?: RecordedError }
}

/** A decision as sent and stored. */
export interface StoredDecision {
  readonly callId: string
  readonly decision: Decision
}

/** The key of the promise for an abort's reason. */
export const reasonKey = 'reason'

/** Returns the key of the promise for a decision on a call. After a rejected decision, the next one has a new key. */
export function decisionKey(callId: string, refused: RunMetadata['refused'] | null | undefined): string {
  const count = refused && Object.hasOwn(refused, callId) ? refused[callId] : 0
  return `decision ${count} ${callId}`
}

/** Checks the size of a state with its results. @throws CapstanError `invalid_state` if it is too large to store */
export function checkSize(value: object, maxStateBytes: number): void {
  const bytes = sizeOf(value)
  if (bytes <= maxStateBytes) return
  const message = `The run has ${bytes} bytes (maxStateBytes: ${maxStateBytes}). Limit its steps, store long texts as artifacts, or shorten the input.`
  throw new CapstanError('invalid_state', message, { evidence: { bytes, maxStateBytes } })
}

/** Returns the number of bytes of a value as JSON. */
export function sizeOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** Stores one field of the metadata. */
export function setMetadata<Name extends keyof RunMetadata>(
  ctx: WorkflowContext<TypedState>,
  name: Name,
  value: RunMetadata[Name],
): void {
  ctx.set(name, value)
}
