// Converts a program's calls to the form in which the results of runs contain calls.

import type { AnyToolCall, CallResult, Json, RunState, RunView, ToolCall } from '@capstan/core'
import { callsOf, cancelledResult, notRunResult, openCalls, tryJson } from '@capstan/core/internal'
import { type CallFacts, keptIn } from './kept.js'

/** The call that runs a program. It is the parent of the program's calls. */
export interface ProgramRef {
  readonly callId: string
  /** The name of the tool that runs the program. */
  readonly via: string
  /** The step in which the call was made. */
  readonly step: number
  /** The run's tools. Calls to other tools or to dynamic tools are marked `dynamic`. Default: no call is marked. */
  readonly toolset?: RunView['toolset']
}

/**
 * Returns a program's calls from the state of its run, in call order. Includes calls that were open when the run ended,
 * because those calls may have taken effect.
 */
export function endedCalls(state: RunState, program: ProgramRef): readonly AnyToolCall[] {
  const waiting = new Set(state.pending.map(({ callId }) => callId))
  const open = openCalls(state).flatMap((call, index) => {
    const isWaiting = waiting.has(call.id) && !state.children?.[index]
    const result = state.results[index] ?? (isWaiting ? notRunResult : cancelledResult)
    const { arguments: given, result: value, taintedBy: _, ...facts } = result
    const child = state.children?.[index]?.state
    if (child && keptIn(child) && !facts.calls) {
      const { step, toolset } = program
      const ref = { callId: call.id, via: call.function.name, step, ...(toolset && { toolset }) }
      return toCalls(call, { given, value, ...facts, calls: endedCalls(child, ref) }, program)
    }
    return toCalls(call, { given, value, ...facts }, program)
  })
  return [...finishedCalls(state, program), ...open]
}

/** Returns a program's calls from completed steps. */
export function finishedCalls(state: RunState, program: ProgramRef): readonly AnyToolCall[] {
  const { outcomes = [], ended = [] } = keptIn(state) ?? {}
  const made = state.messages.flatMap(callsOf)
  const told = state.messages.flatMap((one) => (one.role === 'tool' ? [one.content] : []))
  return outcomes.flatMap((outcome, at) => {
    const call = made[at]
    if (!call) return []
    const { site: _, taintedBy: __, arguments: given, ...facts } = ended[at] ?? { site: -1, ms: 0 }
    const result = outcome.ok
      ? { status: 'ok' as const, value: outcome.value }
      : { status: outcome.status as CallResult['status'] }
    return toCalls(call, { ...result, content: told[at] ?? '', given, ...facts }, program)
  })
}

interface Ended extends CallFacts {
  readonly status: CallResult['status']
  readonly content: string
  readonly value?: Json | undefined
  /** The arguments that the tool got. Default: the arguments in the call. */
  readonly given?: Json | undefined
}

/**
 * Converts a call to the form in which results contain calls. If the call ran a program itself, that program's calls
 * follow.
 */
function toCalls(
  { id, function: made }: ToolCall,
  { calls = [], artifacts = [], given = tryJson(made.arguments) as Json, value, ...facts }: Ended,
  { callId: parentCallId, via, step, toolset }: ProgramRef,
): readonly AnyToolCall[] {
  const { name } = made
  const tool = toolset?.get(name)
  const call: AnyToolCall = {
    ...{ callId: `${parentCallId}/${id}`, name, step, via, parentCallId, arguments: given, ...facts },
    ...(value !== undefined && { result: value }),
    ...(artifacts.length > 0 && { artifacts }),
    ...(toolset && (!tool || tool.isDynamic) && { dynamic: true }),
  }
  return [call, ...calls.map((one) => placeWithin(parentCallId, one, step))]
}

/**
 * Moves a nested program's call to the outer program: prefixes the call's ids with the outer call's id, and replaces
 * the call's step.
 */
export function placeWithin(outer: string, call: AnyToolCall, step: number): AnyToolCall {
  return { ...call, callId: `${outer}/${call.callId}`, parentCallId: `${outer}/${call.parentCallId}`, step }
}
