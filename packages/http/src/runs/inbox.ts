import type { PendingCall, StopReason } from '@capstan/core'
import type { RunStatus } from '@capstan/stores'
import type { RequestContext } from '../context.js'
import { invalidRequest } from '../http-error.js'
import { toApprovalId } from './decisions.js'
import { type FoundRun, isOver, toFoundRun, waitingCalls } from './record.js'

/** The information about a run that a user gets without reading its events. */
export interface RunInfo {
  readonly runId: string
  readonly agent: string
  readonly status: RunStatus
  readonly session?: string
  /** When the run was created, in milliseconds since 1970. */
  readonly createdAt: number
  readonly updatedAt: number
  readonly stopReason?: StopReason
  /** The pending calls. `approvalId` is unique across runs, and `expiresAt` is in milliseconds since 1970. */
  readonly pending: readonly (PendingCall & { readonly approvalId: string; readonly expiresAt: number })[]
}

/** `GET runs?status=pending&limit=50&after=`: returns a page of the user's runs, the most recently changed first. */
export async function listRuns({ request, handler, user }: RequestContext): Promise<Response> {
  const given = new URL(request.url).searchParams
  const status = given.get('status') ?? 'all'
  if (status !== 'all' && !isStatus(status))
    throw invalidRequest('`status` must be pending, running, ended, failed or all.')
  const limit = given.get('limit') ?? '50'
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > 100)
    throw invalidRequest('`limit` must be a whole number from 1 to 100.')
  const after = given.get('after')
  const query = {
    owner: user.id,
    limit: Number(limit),
    ...(status === 'all' ? {} : { status }),
    ...(after === null ? {} : { after }),
  }
  const page = await handler.runs.store.list(query)
  const runs = page.runs
    .filter(({ entry }) => handler.runs.isKept(entry))
    .map(({ runId, ...stored }) => toRunInfo(toFoundRun(runId, stored)))
  return Response.json({ runs, ...(page.after === undefined ? {} : { after: page.after }) })
}

function isStatus(text: string): text is RunStatus {
  return ['pending', 'running', 'ended', 'failed'].includes(text)
}

/** Returns the parts of a run that clients may see. */
export function toRunInfo({ runId, entry, record }: FoundRun): RunInfo {
  const { agent, status, session, createdAt, updatedAt } = entry
  const { stopReason } = record.state ?? {}
  return {
    ...{ runId, agent, status },
    ...(session === undefined ? {} : { session }),
    ...{ createdAt, updatedAt },
    ...(isOver(entry) && stopReason ? { stopReason } : {}),
    pending: waitingCalls(record).map(({ call, expiresAt }) => ({
      ...call,
      approvalId: toApprovalId(runId, call.callId),
      expiresAt,
    })),
  }
}
