import type { AnyToolCall, RunState } from '@capstan/core'
import { currentStep, openCalls } from '@capstan/core/internal'
import { finishedCalls, placeWithin } from './ended-calls.js'
import { keptCallsIn, keptIn } from './kept.js'

/** A call that a program made. */
export type ProgramCall = AnyToolCall & {
  /** The tool that ran the program: `run_program`, or a saved program. */
  readonly via: string
  /** The id of the call to that tool. */
  readonly parentCallId: string
}

/** A run's result, or the state of a failed run (`error.state`). */
type Finished = { readonly toolCalls: readonly AnyToolCall[]; readonly state?: RunState } | RunState

/**
 * Returns the calls that programs made, in order: first the calls in `result.toolCalls`, then the calls of pending
 * programs. For a failed run, pass its state.
 */
export function programCalls(of: Finished): readonly ProgramCall[] {
  const isState = !('toolCalls' in of)
  const state = isState ? of : of.state
  const made = isState ? [...keptCallsIn(of), ...callsInResults(of)] : of.toolCalls
  const all = [...made, ...(state ? waitingCalls(state) : [])]
  return all.filter((call): call is ProgramCall => call.via !== undefined)
}

function callsInResults({ results }: RunState): readonly AnyToolCall[] {
  return Object.values(results).flatMap(({ calls = [] }) => calls)
}

function waitingCalls(state: RunState, step = currentStep(state)): readonly AnyToolCall[] {
  return openCalls(state).flatMap(({ id: callId, function: { name: via } }, index) => {
    const child = state.children?.[index]?.state
    if (!child || !keptIn(child)) return []
    const own = finishedCalls(child, { callId, via, step })
    return [...own, ...waitingCalls(child, step).map((one) => placeWithin(callId, one, step))]
  })
}
