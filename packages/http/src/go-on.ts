import type { Decision, Decisions } from '@capstan/core'
import { HttpError } from './http-error.js'
import type { ParkedRun } from './parked-runs.js'
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
}

/** The run that these answers, by call id, are for; undefined when none waits for any of them. */
export function goOn(answers: ReadonlyMap<string, CallAnswer>, { site, user }: Visit): GoneOn | undefined {
  for (const [callId, { runId }] of answers) {
    const parked = runId === undefined ? site.parked.find(user.id, callId) : site.parked.get(user.id, runId)
    const decisions = parked ? fitting(answers, parked) : {}
    if (parked && Object.keys(decisions).length > 0) return { parked, decisions }
  }
  return undefined
}

/** A caller says yes or no to a tool of ours, and never what it brought; and a yes is for the run that asked. */
function fitting(answers: ReadonlyMap<string, CallAnswer>, { state }: ParkedRun): Decisions {
  const decisions = state.pending.flatMap(({ callId, kind }) => {
    const { decision, runId = state.runId } = answers.get(callId) ?? {}
    const isResult = decision?.type === 'result'
    const fits = decision && runId === state.runId && isResult === (kind === 'result')
    return fits ? [[callId, decision] as const] : []
  })
  return Object.fromEntries(decisions)
}

/** Of an answer to a question that is not open: it was asked too long ago, or in another process. */
export function nothingWaits(): HttpError {
  return new HttpError(409, 'not_waiting', 'No run waits for this answer any more. Ask again.')
}
