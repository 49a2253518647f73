import type { AnyAgent, Decision, Decisions, PendingCall, RunState } from '@capstan/core'
import { canonicalJson, isRecord, toJson } from '@capstan/core/internal'
import { HttpError, invalidRequest } from '../http-error.js'
import { decidedOn, type FoundRun, newestSegment, type StoredDecision, segmentOf, waitOf } from './record.js'

/** A client's decision on a call. */
export interface AppliedDecision {
  readonly decision: Decision
  /** The decision to apply if the call asks a question. Default: `decision`. */
  readonly answer?: Decision
  /** The id of the run that made the call, if known. */
  readonly runId?: string | undefined
}

/** The result of comparing decisions with a run's calls. */
export interface Judged {
  /** Decisions on pending calls. */
  readonly fresh: Decisions
  /** Stored decisions that the client has sent again. */
  readonly repeated: readonly StoredDecision[]
}

/**
 * Compares decisions with the pending calls and with earlier decisions. `now` is in milliseconds since 1970.
 * @throws HttpError 409 for a decision that differs from the first one; 410 for an expired call; 404 for a call that is
 * not pending
 */
export function judge({ record }: FoundRun, given: Decisions, now = Number.NEGATIVE_INFINITY): Judged {
  const fresh: Record<string, Decision> = Object.create(null)
  const repeated: StoredDecision[] = []
  for (const [callId, decision] of Object.entries(given)) {
    const before = decidedOn(callId, record)
    const wait = waitOf(callId, record)
    if (before) {
      checkSame(callId, before, decision)
      repeated.push(before)
    } else if (wait) {
      if (wait.expiresAt < now) throw expired(callId)
      fresh[callId] = decision
    } else throw new HttpError(404, 'not_found', `Call ${JSON.stringify(callId)} is not pending.`)
  }
  return { fresh, repeated }
}

/**
 * Checks that a decision can be applied to a call, using a state in which no other call is open.
 * @throws CapstanError `invalid_request`; `invalid_arguments` if edited arguments do not match the tool's schema
 */
export async function checkDecision(agent: AnyAgent, call: PendingCall, decision: Decision): Promise<void> {
  const { callId: given, name, arguments: args } = call
  // In a nested agent, the call's id starts with the ids of the calls above it.
  const callId = given.split('/').at(-1) ?? given
  const asked = { id: callId, type: 'function', function: { name, arguments: JSON.stringify(args) } } as const
  const state = await agent.prepare('.')
  const open: RunState = {
    ...state,
    stepCount: 1,
    messages: [...state.messages, { role: 'assistant', content: null, tool_calls: [asked] }],
    pending: [{ ...call, callId }],
  }
  await agent.prepare(open, { decisions: { [callId]: decision }, allowChangedTools: true })
}

function checkSame(callId: string, before: StoredDecision, decision: Decision): void {
  if (before.isExpired) throw expired(callId)
  const isSame = canonicalJson(toJson(before.decision)) === canonicalJson(toJson(decision))
  if (isSame) return
  const { at, decision: first } = before
  throw alreadyDecided(`Call ${JSON.stringify(callId)}`, { decision: first.type, at })
}

function expired(callId: string): HttpError {
  return new HttpError(410, 'expired', `No one decided on call ${JSON.stringify(callId)} in time.`)
}

/** Creates the error for a call that was already decided, with that decision and its time. */
export function alreadyDecided(
  call: string,
  { decision, at }: { readonly decision: Decision['type']; readonly at: number },
): HttpError {
  const message = `${call} has already been decided. The first decision applies.`
  return new HttpError(409, 'already_decided', message, {}, { decision, at })
}

/**
 * Selects the decisions from a page that apply to this run, because pages send all calls of a message again, including
 * finished ones. Undefined if none of them is for the calls that were pending last.
 */
export function decisionsFor(
  given: ReadonlyMap<string, AppliedDecision>,
  { runId, record }: FoundRun,
): Decisions | undefined {
  const fresh: Record<string, Decision> = Object.create(null)
  const known = [...given].filter(([, { runId: asked = runId }]) => asked === runId)
  for (const [callId, { decision: given, answer = given }] of known) {
    const wait = waitOf(callId, record)
    const before = decidedOn(callId, record)
    const decision = wait?.call.kind === 'input' ? answer : given
    if (wait && !before && typesOf[wait.call.kind].includes(decision.type)) fresh[callId] = decision
    // Once a page has received the result of an approved call, it sends the result instead of the approval.
    if (before && decision.type !== 'result') checkSame(callId, before, decision)
  }
  if (Object.keys(fresh).length > 0) return fresh
  const { decisions = {} } = segmentOf(record, newestSegment(record)) ?? {}
  const last = Object.entries(decisions)
  const isRepeated = last.length > 0 && last.every(([callId]) => known.some(([id]) => id === callId))
  return isRepeated ? decisions : undefined
}

/**
 * Returns a client's decision on a call, with only its documented fields. A client can approve or deny calls to the
 * agent's tools, answer their questions, and send results of its own tools.
 * @throws HttpError 400 if the decision is not of a type for this call; 404 if the call is not pending
 */
export function readDecision(
  callId: string,
  given: unknown,
  kind: PendingCall['kind'] | undefined,
): Decision {
  if (kind === undefined)
    throw new HttpError(404, 'not_found', `Call ${JSON.stringify(callId)} is not pending.`)
  const { type, arguments: args, reason, value } = Object(given) as Readonly<Record<string, unknown>>
  const allowed = typesOf[kind]
  if (!allowed.some((one) => one === type))
    throw invalidRequest(`Call ${JSON.stringify(callId)} needs a decision of type ${allowed.join(' or ')}.`)
  // The core checks the fields.
  if (type === 'result') return { type, value }
  return type === 'deny'
    ? { type, reason: reason as string }
    : { type: 'approve', ...readArguments(callId, args) }
}

/** The decisions that clients may make on each kind of call. */
const typesOf: Readonly<Record<PendingCall['kind'], readonly Decision['type'][]>> = {
  approval: ['approve', 'deny'],
  result: ['result'],
  input: ['result', 'deny'],
}

/**
 * Reads a user's edited arguments. Invalid arguments are an error, because the model's own arguments would otherwise be
 * approved.
 * @throws HttpError 400 if they are not an object
 */
function readArguments(callId: string, given: unknown): Pick<Decision & { type: 'approve' }, 'arguments'> {
  if (given === undefined || given === null) return {}
  if (isRecord(given)) return { arguments: given }
  throw invalidRequest(`The \`arguments\` for call ${JSON.stringify(callId)} must be an object.`)
}

/** Returns the id of an approval request. It contains the run id, because some models reuse call ids. */
export function toApprovalId(runId: string, callId: string): string {
  return `${runId}:${callId}`
}

/** Splits an approval id. Undefined if it is invalid. */
export function readApprovalId(id: unknown): { readonly runId: string; readonly callId: string } | undefined {
  const [, runId = '', callId = ''] = typeof id === 'string' ? (/^([^:]+):(.+)$/s.exec(id) ?? []) : []
  return callId === '' ? undefined : { runId, callId }
}

/** Creates the error for a decision on a call that is not pending in any run. */
export function notWaiting(): HttpError {
  return new HttpError(409, 'not_waiting', 'No run is waiting for this decision. Start a new run.')
}
