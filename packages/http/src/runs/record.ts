import type { Decision, Decisions, Json, PendingCall, RunResult, RunState, TokenUsage } from '@capstan/core'
import { CapstanError } from '@capstan/core'
import { callsOf, isRecord } from '@capstan/core/internal'
import type { RunEntry, StoredRun } from '@capstan/stores'

/** A stored run with its parsed record. */
export interface FoundRun extends StoredRun {
  readonly runId: string
  readonly record: RunRecord
}

/** The data that this package stores about a run, as the `record` of its entry. */
export interface RunRecord {
  readonly format: 1
  /** The state before the step that started last, or at the run's end. Absent until it is known. */
  readonly state?: RunState
  /** The `seq` of the last event before the state. */
  readonly stateAt: number
  readonly start: StoredStart
  /** The run's newest segments, oldest first. */
  readonly segments: readonly Segment[]
  /** The number of older segments that were removed. */
  readonly dropped: number
  /** Decisions by call id. */
  readonly decided: Readonly<Record<string, StoredDecision>>
  /** The calls that are or were pending, by id. */
  readonly waits: Readonly<Record<string, Wait>>
  /** The number of times that other processes have changed the entry while a process was executing the run. */
  readonly signals: number
  /** The number of times that the run was taken over from a process that died, since the run last made progress. */
  readonly takeOvers: number
  /** Ids of calls that have a start event but whose functions never started. Set when a process releases the run. */
  readonly notBegun?: readonly string[] | undefined
  /** Set once a client has aborted the run. */
  readonly isAborted?: true
}

/** The data that a run needs to continue in another process. */
interface StoredStart {
  /** The JSON of the request, without its messages and tools. */
  readonly sent: Readonly<Record<string, Json>>
  readonly wait: boolean
  readonly unattended: boolean
  readonly taintedBy?: string | false
  /** The page's ids for the user messages in the input. */
  readonly userIds: readonly string[]
  /** The suffix that a branch adds to the session id; `''` outside branches. */
  readonly branch: string
}

/** A part of a run: from its start or a decision until it ends or waits for the next decision. */
export interface Segment {
  /** The `seq` of the last event before this segment. */
  readonly after: number
  /** The decisions that the segment started with. */
  readonly decisions: Decisions
  /** The calls that were pending before this segment. */
  readonly asked: readonly PendingCall[]
  /** The parts of the run's state that the client already had. */
  readonly before: ClientState
  /** The client's tools, as sent. */
  readonly tools: readonly Json[]
  /** The protocol fields that are needed to write the client's stream. */
  readonly head: Readonly<Record<string, Json>>
  /** The `seq` of the last event. Set when the segment has ended. */
  readonly to?: number
  readonly result?: StoredResult
  /** The error that ended the segment, in the form that clients get. */
  readonly error?: StoredError
}

/** A run's result without its state. The state is stored in the record. */
export type StoredResult = Pick<
  RunResult,
  | 'stopReason'
  | 'limit'
  | 'exceeded'
  | 'text'
  | 'reasoning'
  | 'refusal'
  | 'stepCount'
  | 'artifacts'
  | 'usage'
  | 'pending'
  | 'undelivered'
>

export interface StoredError {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
}

export interface StoredDecision {
  readonly decision: Decision
  /** The time of the decision, in milliseconds since 1970. */
  readonly at: number
  /** The number of the segment that the decision started, or of the segment that was waiting for the decision. */
  readonly segment: number
  /** Set if the call expired without a decision. */
  readonly isExpired?: true
  /**
   * A random id for the request that decided, if it used an approval token. The request uses the id to recognize its
   * own decision.
   */
  readonly by?: string
}

/** A call that is or was pending. */
export interface Wait {
  readonly call: PendingCall
  /** Expiry time in milliseconds since 1970. */
  readonly expiresAt: number
}

/** The parts of a run's state that a client already has. */
export interface ClientState {
  /** Ids of the artifacts that the client already has. */
  readonly artifacts: readonly string[]
  /** Ids of the calls that the client already knows to be pending. */
  readonly pendingCalls: readonly string[]
  readonly usage: TokenUsage
  /** The number of messages in the run's state. */
  readonly messages: number
}

/** Returns a run's first segment: empty, except for the `given` fields. */
export function newSegment(given: Partial<Segment> = {}): Segment {
  return {
    ...{ after: -1, decisions: {}, asked: [], before: clientState(undefined), tools: [], head: {} },
    ...given,
  }
}

/**
 * Reads the record in a run's entry.
 * @throws CapstanError `invalid_state` if its format is unknown
 */
export function readRecord(runId: string, entry: RunEntry): RunRecord {
  const { record } = entry
  if (isRecord(record) && record.format === 1 && Array.isArray(record.segments))
    return record as unknown as RunRecord
  const message = `Run "${runId}" was not stored in the format of this version of @capstan/http. Use the version that stored it.`
  throw new CapstanError('invalid_state', message, { evidence: { runId } })
}

/**
 * Parses the record of a stored run.
 * @throws CapstanError `invalid_state` if its format is unknown
 */
export function toFoundRun(runId: string, { entry, version }: StoredRun): FoundRun {
  return { runId, entry, version, record: readRecord(runId, entry) }
}

/** Whether a run has ended or failed. */
export function isOver({ status }: Pick<RunEntry, 'status'>): boolean {
  return status === 'ended' || status === 'failed'
}

export function withRecord(entry: RunEntry, change: Partial<RunRecord>): RunEntry {
  return { ...entry, record: { ...(entry.record as object), ...change } as unknown as Json }
}

/** Returns the segment with this number. Undefined if it is no longer kept. */
export function segmentOf({ segments, dropped }: RunRecord, index: number): Segment | undefined {
  return segments[index - dropped]
}

export function newestSegment({ segments, dropped }: RunRecord): number {
  return dropped + segments.length - 1
}

/** Appends a segment. If there are then more than 100, drops the oldest ones. */
export function withSegment(record: RunRecord, segment: Segment): Pick<RunRecord, 'segments' | 'dropped'> {
  const segments = [...record.segments, segment]
  const surplus = Math.max(0, segments.length - mostSegments)
  return { segments: segments.slice(surplus), dropped: record.dropped + surplus }
}

const mostSegments = 100

/** Returns the segments, with `end` applied to the newest one. */
export function withEnd(
  { segments }: RunRecord,
  end: Pick<Segment, 'to' | 'result' | 'error'>,
): readonly Segment[] {
  return segments.map((one, at) => (at === segments.length - 1 ? { ...one, ...end } : one))
}

export function toStoredResult(result: RunResult): StoredResult {
  const { stopReason, limit, exceeded, text, reasoning, refusal } = result
  const { stepCount, artifacts, usage, pending, undelivered } = result
  return {
    stopReason,
    text,
    stepCount,
    artifacts,
    usage,
    ...(limit && { limit }),
    ...(exceeded && { exceeded }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(refusal === undefined ? {} : { refusal }),
    ...(pending && { pending }),
    ...(undelivered && { undelivered }),
  } as StoredResult
}

/** Combines a segment's stored result with the run's state. */
export function toResult(result: StoredResult, state: RunState): EndedRun {
  return { ...result, state }
}

/** A stored result with the run's state. */
export type EndedRun = StoredResult & { readonly state: RunState }

/** Returns the parts of a run's state that a client already has. */
export function clientState(state: RunState | undefined): ClientState {
  return {
    artifacts: state?.artifacts?.map(({ id }) => id) ?? [],
    pendingCalls: state?.pending.map(({ callId }) => callId) ?? [],
    usage: state?.usage ?? { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    messages: state?.messages.length ?? 0,
  }
}

/** Returns the decision on a call. Undefined if there is none. */
export function decidedOn(
  callId: string,
  { decided }: Pick<RunRecord, 'decided'>,
): StoredDecision | undefined {
  return Object.hasOwn(decided, callId) ? decided[callId] : undefined
}

/** Returns a call that is or was pending, with its expiry time. Undefined for any other call. */
export function waitOf(callId: string, { waits }: Pick<RunRecord, 'waits'>): Wait | undefined {
  return Object.hasOwn(waits, callId) ? waits[callId] : undefined
}

/** Returns the calls that have not been decided yet. */
export function waitingCalls(record: Pick<RunRecord, 'waits' | 'decided'>): readonly Wait[] {
  return Object.values(record.waits).filter(({ call }) => !decidedOn(call.callId, record))
}

/** Returns the pending calls of nested agents. No message of the conversation contains these calls. */
export function nestedCalls({ pending = [], state }: EndedRun): readonly PendingCall[] {
  const own = new Set(state.messages.flatMap((message) => callsOf(message).map(({ id }) => id)))
  return pending.filter(({ callId }) => !own.has(callId))
}
