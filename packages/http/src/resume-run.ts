import type { Decision, Decisions, PendingCall, RunState, TokenUsage } from '@capstan/core'
import type { Visit } from './context.js'
import { HttpError, invalidRequest } from './http-error.js'
import { askedBy, type ParkedRun } from './pending-runs.js'
import type { Start } from './start-run.js'

/** What a caller says to a call. */
export interface CallAnswer {
  readonly decision: Decision
  /** The run that asked, where that is known: some models call their calls alike in every run. */
  readonly runId?: string | undefined
}

/** A run that waits, and what is decided of the calls that it waits for. */
export interface GoneOn {
  readonly parked: ParkedRun
  readonly decisions: Decisions
  /** Calls that were answered before, of whose outcome the caller has not heard. */
  readonly unheard?: readonly string[]
}

/** The run that these answers, by call id, are for; undefined when none waits for any of them. */
export function goOn(answers: ReadonlyMap<string, CallAnswer>, { site, user }: Visit): GoneOn | undefined {
  for (const [callId, { runId }] of answers) {
    const known = runId === undefined ? undefined : site.parked.get(user.id, runId)
    const parked = known ?? site.parked.find(user.id, callId)
    const going = parked && goneOnWith(parked, fitting(answers, parked))
    if (going) return { ...going, unheard: parked.told ? unheardIn(answers) : [] }
  }
  return undefined
}

/** Who has heard of an outcome says that in place of its yes. */
function unheardIn(answers: ReadonlyMap<string, CallAnswer>): readonly string[] {
  return [...answers].filter(([, { decision }]) => decision.type !== 'result').map(([callId]) => callId)
}

/** A run with what is said to it; of one that came to no end behind that, only if the same is said again. */
export function goneOnWith(parked: ParkedRun, said: Decisions): GoneOn | undefined {
  const { state, told } = parked
  if (Object.keys(said).length === 0) return undefined
  if (!told) return { parked, decisions: said }
  if (toText(said) !== toText(told.decisions)) return undefined
  // Of calls that are answered by now nothing is left to decide.
  const open = new Set(state.pending.map(({ callId }) => callId))
  return {
    parked,
    decisions: Object.fromEntries(Object.entries(said).filter(([callId]) => open.has(callId))),
  }
}

function toText(decisions: Decisions): string {
  const entries = Object.entries(decisions).map((entry) => JSON.stringify(entry))
  return entries.sort().join()
}

/** A caller says yes or no to a tool of ours, and never what it brought; and a yes is for the run that asked. */
function fitting(answers: ReadonlyMap<string, CallAnswer>, parked: ParkedRun): Decisions {
  const { told, earlier } = parked
  const { runId: own, pending } = askedBy(parked)
  const decided = new Map(Object.entries(told?.decisions ?? {}))
  const decisions = pending.flatMap(({ callId, kind }) => {
    const { decision, runId = own } = answers.get(callId) ?? {}
    const isKnown = runId === own || runId === parked.state.runId || earlier?.get(callId)?.includes(runId)
    if (!decision || !isKnown) return []
    const isResult = decision.type === 'result'
    if (isResult === (kind === 'result')) return [[callId, decision] as const]
    const before = isResult ? decided.get(callId) : undefined
    return before ? [[callId, before] as const] : []
  })
  return Object.fromEntries(decisions)
}

/** Of an answer to a question that is not open: it was asked too long ago, or in another process. */
export function nothingWaits(): HttpError {
  return new HttpError(409, 'not_waiting', 'No run waits for this answer any more. Ask again.')
}

/** What a client has already of a run that it goes on with. */
export interface KnownBefore {
  /** Ids of artifacts. */
  readonly artifacts: readonly string[]
  /** Ids of calls that waited for it. */
  readonly asked: ReadonlySet<string>
  /** What it said to them. */
  readonly decisions: Decisions
  readonly usage: TokenUsage
  /** What became of calls that it answered, where it has not heard of that. */
  readonly missed: readonly Missed[]
}

interface Missed {
  readonly callId: string
  readonly content: string
}

export function knownBefore({ input, decisions = {}, parked, unheard = [] }: Start): KnownBefore {
  const state = typeof input === 'object' && 'messages' in input ? input : undefined
  const asked = parked ? askedBy(parked).pending : []
  return {
    artifacts: state?.artifacts?.map(({ id }) => id) ?? [],
    asked: new Set(asked.map(({ callId }) => callId)),
    decisions: parked?.told?.decisions ?? decisions,
    usage: state?.usage ?? { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    missed: state ? unheard.flatMap((callId) => toMissed(callId, state)) : [],
  }
}

function toMissed(callId: string, { messages }: RunState): readonly Missed[] {
  const message = messages.findLast((one) => one.role === 'tool' && one.tool_call_id === callId)
  return message?.role === 'tool' ? [{ callId, content: message.content }] : []
}

/**
 * A caller says yes or no to the house's tools, and gives results of its own ones alone. @throws HttpError 400, and
 * 404 for a call that does not wait
 */
export function checkAnswer(
  callId: string,
  decision: unknown,
  kind: PendingCall['kind'] | undefined,
): asserts decision is Decision {
  if (kind === undefined) throw new HttpError(404, 'not_found', `No call ${JSON.stringify(callId)} waits.`)
  const { type } = (decision ?? {}) as { type?: unknown }
  const fitting = kind === 'result' ? ['result'] : ['approve', 'deny']
  if (fitting.includes(String(type))) return
  const message = `The call ${JSON.stringify(callId)} waits for a decision of the type ${fitting.join(' or ')}.`
  throw invalidRequest(message)
}

/** Names a question about a call: some models call their calls alike in every run. */
export function toApprovalId(runId: string, callId: string): string {
  return `${runId}:${callId}`
}

/** What it was made of; undefined for what is none. */
export function readApprovalId(id: unknown): { readonly runId: string; readonly callId: string } | undefined {
  const [, runId = '', callId = ''] = typeof id === 'string' ? (/^([^:]+):(.+)$/s.exec(id) ?? []) : []
  return callId === '' ? undefined : { runId, callId }
}
