import type { Decision, Decisions } from '@capstan/core'
import { HttpError } from './http-error.js'
import { askedBy, type ParkedRun } from './parked-runs.js'
import type { Visit } from './site.js'

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
