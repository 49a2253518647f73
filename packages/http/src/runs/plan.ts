import type { Decisions, Json, PendingCall } from '@capstan/core'
import { toJsonText } from '@capstan/core/internal'
import type { RunEntry } from '@capstan/stores'
import { toHttpError } from '../http-error.js'
import type { PreparedRun, StartOptions } from '../start-run.js'
import { decidedOn, type RunRecord, type Segment, type StoredError } from './record.js'
import type { RunSegment, SegmentPlan } from './segment.js'

/** A client's options for continuing a run. Options that are absent keep their stored values. */
export type Continuation = Pick<StartOptions, 'sent' | 'tools' | 'unattended' | 'head' | 'isStreamed'>

/** A segment that is about to start. */
export interface NextSegment {
  readonly segment: Segment
  readonly decided: RunRecord['decided']
  readonly how: Continuation
  /** The number of the first segment that the client reads. Default: the number of this segment. */
  readonly from?: number
}

/**
 * Waits for a run's first event.
 * @throws HttpError, for the client, if the run fails before that event or its first request exceeds the budget
 */
export async function started(live: RunSegment, { hasBegun, budgeted }: PreparedRun): Promise<void> {
  try {
    await live.started
    const over = await Promise.race([budgeted, afterEnd(live, budgeted)])
    if (over) throw over
  } catch (error) {
    throw toHttpError(error, hasBegun())
  }
}

async function afterEnd<T>({ over }: RunSegment, value: Promise<T>): Promise<T> {
  await over
  return value
}

export function planOf(
  { input, isStreamed = true }: StartOptions,
  { options }: PreparedRun,
): Pick<SegmentPlan, 'input' | 'isStreamed' | 'options'> {
  return { input, isStreamed, options }
}

/** Returns the decisions on these calls, by call id. Calls without a decision are omitted. */
export function decisionsOn(pending: readonly PendingCall[], record: Pick<RunRecord, 'decided'>): Decisions {
  return Object.fromEntries(
    pending.flatMap(({ callId }) => {
      const { decision } = decidedOn(callId, record) ?? {}
      return decision ? [[callId, decision] as const] : []
    }),
  )
}

/** Returns the first entry for a new run. `now` is in milliseconds since 1970. */
export function newEntry(
  start: StartOptions,
  { owner, segment, now }: { readonly owner: string; readonly segment: Segment; readonly now: number },
): RunEntry {
  const { agent, session, chat, taintedBy } = start
  const { wait = false, unattended = false, userIds = [], branch = '' } = start
  const sent = sentOf(start.sent)
  const record: RunRecord = {
    ...{ format: 1, stateAt: -1, dropped: 0, takeOvers: 0, signals: 0, decided: {}, waits: {} },
    start: { sent, wait, unattended, userIds, branch, ...(taintedBy === undefined ? {} : { taintedBy }) },
    segments: [segment],
  }
  return {
    ...{ owner, agent: agent.name, status: 'running', callIds: [] },
    ...(chat === undefined ? {} : { chat }),
    ...(session === undefined ? {} : { session }),
    ...{ createdAt: now, updatedAt: now, record: record as unknown as Json },
  }
}

/**
 * Returns the request fields that a run needs to continue without its client: all except the conversation and the
 * tools.
 */
function sentOf(sent: StartOptions['sent']): Readonly<Record<string, Json>> {
  const { messages: _, input: __, tools: ___, ...rest } = sent
  return JSON.parse(toJsonText(rest))
}

export function toStoredError(thrown: unknown): StoredError {
  const { status, code, message, headers } = toHttpError(thrown)
  return { status, code, message, headers }
}
