// The data that code mode stores in the state of a program's run.

import type { AnyToolCall, CallResult, Json, RunState, RunView } from '@capstan/core'
import { callsOf } from '@capstan/core/internal'
import type { Batch, CallOutcome, MadeCall, Program, ProgramEnd } from './engine/program.js'

/** The name of the middleware for program runs. A run's state contains the program under this name. */
export const nameOfRuns = 'program-runs'

/** The name under which the end of a program is stored. */
export const nameOfEnds = 'program-end'

/** The name under which the source positions of the pending calls are stored. */
const nameOfSites = 'program-sites'

/** A program in the form that its run's state contains. The source is the run's first message. */
export interface KeptProgram extends Omit<Program, 'source'> {
  /** The results of the program's calls, in call order. */
  readonly outcomes: readonly CallOutcome[]
  /** Data about the same calls that is not passed to the program. */
  readonly ended: readonly EndedCall[]
  /** Which calls need approval after the run has read untrusted text. */
  readonly taint: Taint
  /** The untrusted source that the model had read before writing the program. */
  readonly taintedBy?: string
  /** Whether the program was saved. The call's arguments then do not contain its source. */
  readonly isSaved?: boolean
}

/**
 * Which of a program's calls need approval after the program has read untrusted text: all calls that can change data
 * (`run`), or only calls that depend on that text (`values`).
 */
export type Taint = 'run' | 'values'

/** The valid values of the `taint` option, and how errors describe them. */
export const taintKind = [
  "'run' or 'values'",
  (value: unknown) => value === 'run' || value === 'values',
] as const

/**
 * A finished call in a program: its position in the source, and the facts about its result. The result's status, text
 * and value are in `outcomes`.
 */
export interface EndedCall extends CallFacts {
  readonly site: number
  /** The untrusted source of the call's result. Absent if the result is trusted. */
  readonly taintedBy?: string
  /** The arguments that the tool got, if they differ from the arguments in the history. */
  readonly arguments?: Json
}

export type CallFacts = Omit<CallResult, 'status' | 'content' | 'result' | 'arguments' | 'taintedBy'>

/** Returns the source positions of calls, as state to store with the reply that contains the calls. */
export function keepSites(calls: readonly MadeCall[]): Record<string, Json> {
  return { [nameOfSites]: calls.map(({ site = -1 }) => site) }
}

/** Returns the source positions of the last reply's calls, in call order. */
export function sitesIn({ kept }: Pick<State, 'kept'>): readonly number[] {
  return (kept[nameOfSites] ?? []) as readonly number[]
}

type State = Pick<RunState | RunView, 'kept' | 'messages'>

/** Returns the program that a run's state contains. Undefined if it contains none. */
export function keptIn({ kept }: Pick<State, 'kept'>): KeptProgram | undefined {
  const own = kept[nameOfRuns]
  return Object.hasOwn(Object(own), 'outcomes') ? (own as unknown as KeptProgram) : undefined
}

/**
 * The calls that programs made in a run that failed later, as stored in the run's state. The run's messages contain
 * only the programs' results.
 */
export interface KeptCalls {
  readonly calls: readonly AnyToolCall[]
}

/** Returns the programs' calls in the state of a failed run. Empty for other runs. */
export function keptCallsIn({ kept }: Pick<State, 'kept'>): readonly AnyToolCall[] {
  const { calls = [] } = Object(kept[nameOfRuns]) as Partial<KeptCalls>
  return calls
}

/** Returns the program that a program run executes, with its source. Undefined for any other run. */
export function programOf(run: State): (KeptProgram & Program) | undefined {
  const program = keptIn(run)
  return program && { ...program, source: String(run.messages[0]?.content) }
}

/** Returns the end of a program. Undefined while the program is running, or if its run ended for another reason. */
export function endOf({ kept }: Pick<State, 'kept'>): ProgramEnd | undefined {
  return kept[nameOfEnds] as unknown as ProgramEnd | undefined
}

/** Returns a program's calls with their results, grouped into the batches in which the program made them. */
export function batchesOf({ messages }: State, outcomes: readonly CallOutcome[]): readonly Batch[] {
  let from = 0
  return messages.flatMap((message): Batch | readonly [] => {
    const calls = callsOf(message).map(({ function: made }) => made)
    if (calls.length === 0) return []
    from += calls.length
    return { calls, outcomes: outcomes.slice(from - calls.length, from) }
  })
}
