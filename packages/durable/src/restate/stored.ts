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

/** What a run is begun with. */
export interface RunStart {
  readonly state: RunState
  readonly settings: RunSettings
  /** Of what was asked for: two runs of one id must be of one. */
  readonly digest: string
}

/** What a run within one is begun with. */
export interface ChildStart {
  readonly state: RunState
  readonly settings: RunSettings
  /** Which of the agents it is of. */
  readonly agent: string
  /** The run that is at the top. */
  readonly runId: string
  /** The call that it answers there: `call/inner call` for one further within. */
  readonly path: string
  /** The tools that the run at the top is worked on with. */
  readonly definition: string
  readonly prices?: Json
}

/** What a run came to. */
export type RunEnd =
  | { readonly ok: true; readonly digest: string; readonly end: SegmentEnd }
  | { readonly ok: false; readonly digest: string; readonly error: RecordedError; readonly state?: RunState }

export interface ChildEnd {
  readonly state: RunState
}

/** What is kept of a run beside its steps, for who asks about it. */
export interface RunMetadata {
  readonly digest: string
  readonly definition: string
  /** As of its last turn. */
  readonly progress: { readonly steps: number; readonly usage: Usage }
  /** What it waits with. */
  readonly waiting: SegmentEnd
  /** How many decisions on a call were refused. */
  readonly refused: Readonly<Record<string, number>>
  readonly ended: { readonly stopReason?: StopReason; readonly error?: RecordedError }
}

/** A decision, as it is given and kept. */
export interface StoredDecision {
  readonly callId: string
  readonly decision: Decision
}

/** Where it is kept why a run was ended. */
export const reasonKey = 'reason'

/** Where a decision on a call is kept; after one that was refused, the next. */
export function decisionKey(callId: string, refused: RunMetadata['refused'] | null | undefined): string {
  const count = refused && Object.hasOwn(refused, callId) ? refused[callId] : 0
  return `decision ${count} ${callId}`
}

/** @throws CapstanError `invalid_state` for what is too long to be kept: a state, and what is kept with it */
export function checkSize(value: object, maxStateBytes: number): void {
  const bytes = sizeOf(value)
  if (bytes <= maxStateBytes) return
  const message = `The run has come to ${bytes} bytes, more than is kept of one (maxStateBytes: ${maxStateBytes}). Bound its steps, keep long texts as artifacts, or shorten the conversation that it begins with.`
  throw new CapstanError('invalid_state', message, { evidence: { bytes, maxStateBytes } })
}

/** In bytes, as JSON. */
export function sizeOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** Keeps something beside the steps of a run, for who asks about it. */
export function setMetadata<Name extends keyof RunMetadata>(
  ctx: WorkflowContext<TypedState>,
  name: Name,
  value: RunMetadata[Name],
): void {
  ctx.set(name, value)
}
