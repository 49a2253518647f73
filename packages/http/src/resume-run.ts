import type { Decision, Decisions, PendingCall, RunState, TokenUsage } from '@capstan/core'
import { isRecord } from '@capstan/core/internal'
import type { RequestContext } from './context.js'
import { HttpError, invalidRequest } from './http-error.js'
import { askingState, type PendingRun } from './pending-runs.js'
import type { StartOptions } from './start-run.js'

/** A client's decision on a call. */
export interface AppliedDecision {
  readonly decision: Decision
  /** The run that asked, if known. Some models reuse call ids in every run. */
  readonly runId?: string | undefined
}

/** A pending run with the decisions that resume it. */
export interface ResumedRun {
  readonly pendingRun: PendingRun
  readonly decisions: Decisions
  /** Ids of calls that were decided before, whose results the client has not received. */
  readonly unreported?: readonly string[]
}

/** Finds the pending run for these decisions, by call id; `undefined` if none is pending. */
export function resumeRun(
  given: ReadonlyMap<string, AppliedDecision>,
  { handler, user }: RequestContext,
): ResumedRun | undefined {
  for (const [callId, { runId }] of given) {
    const known = runId === undefined ? undefined : handler.pendingRuns.get(user.id, runId)
    const pendingRun = known ?? handler.pendingRuns.find(user.id, callId)
    const resumed = pendingRun && resumeWith(pendingRun, matchingDecisions(given, pendingRun))
    if (resumed) return { ...resumed, unreported: pendingRun.lastResume ? unreportedIn(given) : [] }
  }
  return undefined
}

/**
 * Ids of the calls whose results the client lacks. A client that has a result sends it instead of its
 * approval.
 */
function unreportedIn(given: ReadonlyMap<string, AppliedDecision>): readonly string[] {
  return [...given].filter(([, { decision }]) => decision.type !== 'result').map(([callId]) => callId)
}

/**
 * Adds decisions to a pending run. If its last resume did not finish, only the same decisions are accepted.
 */
export function resumeWith(pendingRun: PendingRun, decisions: Decisions): ResumedRun | undefined {
  const { state, lastResume } = pendingRun
  if (Object.keys(decisions).length === 0) return undefined
  if (!lastResume) return { pendingRun, decisions }
  if (toKey(decisions) !== toKey(lastResume.decisions)) return undefined
  // Calls that have results by now need no decision.
  const open = new Set(state.pending.map(({ callId }) => callId))
  return {
    pendingRun,
    decisions: Object.fromEntries(Object.entries(decisions).filter(([callId]) => open.has(callId))),
  }
}

function toKey(decisions: Decisions): string {
  const entries = Object.entries(decisions).map((entry) => JSON.stringify(entry))
  return entries.sort().join()
}

/**
 * Selects the decisions that the pending calls accept. Clients approve or deny calls of the agent's tools (with
 * other arguments only over `runs`) but cannot give their results, and an approval counts only for the run that asked.
 */
function matchingDecisions(given: ReadonlyMap<string, AppliedDecision>, pendingRun: PendingRun): Decisions {
  const { lastResume, earlier } = pendingRun
  const { runId: own, pending } = askingState(pendingRun)
  const decided = new Map(Object.entries(lastResume?.decisions ?? {}))
  const decisions = pending.flatMap(({ callId, kind }) => {
    const { decision, runId = own } = given.get(callId) ?? {}
    const isKnown = runId === own || runId === pendingRun.state.runId || earlier?.get(callId)?.includes(runId)
    if (!decision || !isKnown) return []
    const isResult = decision.type === 'result'
    if (isResult === (kind === 'result')) return [[callId, decision] as const]
    const before = isResult ? decided.get(callId) : undefined
    return before ? [[callId, before] as const] : []
  })
  return Object.fromEntries(decisions)
}

/** The error for a decision on a call that is no longer pending, or pending in another process. */
export function notWaiting(): HttpError {
  return new HttpError(409, 'not_waiting', 'No run is waiting for this decision. Start a new run.')
}

/** The state of a resumed run that the client already has. */
export interface ClientState {
  /** Ids of artifacts. */
  readonly artifacts: readonly string[]
  /** Ids of calls that were pending. */
  readonly pendingCalls: ReadonlySet<string>
  /** The client's decisions on them. */
  readonly decisions: Decisions
  readonly usage: TokenUsage
  /** Results of calls that the client decided and whose results it has not received. */
  readonly missedResults: readonly MissedResult[]
}

interface MissedResult {
  readonly callId: string
  readonly content: string
}

export function clientState({
  input,
  decisions = {},
  pendingRun,
  unreported = [],
}: StartOptions): ClientState {
  const state = typeof input === 'object' && 'messages' in input ? input : undefined
  const pendingCalls = pendingRun ? askingState(pendingRun).pending : []
  return {
    artifacts: state?.artifacts?.map(({ id }) => id) ?? [],
    pendingCalls: new Set(pendingCalls.map(({ callId }) => callId)),
    decisions: pendingRun?.lastResume?.decisions ?? decisions,
    usage: state?.usage ?? { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    missedResults: state ? unreported.flatMap((callId) => toMissedResult(callId, state)) : [],
  }
}

function toMissedResult(callId: string, { messages }: RunState): readonly MissedResult[] {
  const message = messages.findLast((one) => one.role === 'tool' && one.tool_call_id === callId)
  return message?.role === 'tool' ? [{ callId, content: message.content }] : []
}

/**
 * Returns a client's decision on a call with its documented fields only. A client decides on tools of the agent, and
 * gives results of its own tools.
 * @throws HttpError 400; 404 for a call that is not pending
 */
export function readDecision(
  callId: string,
  given: unknown,
  kind: PendingCall['kind'] | undefined,
): Decision {
  if (kind === undefined)
    throw new HttpError(404, 'not_found', `Call ${JSON.stringify(callId)} is not pending.`)
  const { type, arguments: args, reason, value } = Object(given) as Readonly<Record<string, unknown>>
  // Core checks the fields.
  if (kind === 'result' && type === 'result') return { type, value }
  if (kind !== 'result' && type === 'deny') return { type, reason: reason as string }
  if (kind !== 'result' && type === 'approve') return { type, ...readArguments(callId, args) }
  const allowed = kind === 'result' ? 'result' : 'approve or deny'
  throw invalidRequest(`Call ${JSON.stringify(callId)} needs a decision of type ${allowed}.`)
}

/** A person who edits the arguments does not approve those of the model. */
function readArguments(callId: string, given: unknown): Pick<Decision & { type: 'approve' }, 'arguments'> {
  if (given === undefined || given === null) return {}
  if (isRecord(given)) return { arguments: given }
  throw invalidRequest(`The \`arguments\` for call ${JSON.stringify(callId)} must be an object.`)
}

/** Returns the id of an approval request. It includes the run, because some models reuse call ids. */
export function toApprovalId(runId: string, callId: string): string {
  return `${runId}:${callId}`
}

/** Splits an approval id; `undefined` if it is not valid. */
export function readApprovalId(id: unknown): { readonly runId: string; readonly callId: string } | undefined {
  const [, runId = '', callId = ''] = typeof id === 'string' ? (/^([^:]+):(.+)$/s.exec(id) ?? []) : []
  return callId === '' ? undefined : { runId, callId }
}
