// The data that code mode stores in the state of a program's run.

import type { AnyToolCall, CallResult, Json, RunState, RunView } from '@capstan/core'
import { callsOf } from '@capstan/core/internal'
import type { Batch, CallOutcome, MadeCall, Program, ProgramEnd } from './engine/program.js'

/** The name of the middleware for programs' runs. It stores a program under this name. */
export const nameOfRuns = 'program-runs'

/** The name under which the end of a program is stored. */
export const nameOfEnds = 'program-end'

/** The name under which the source positions of the pending calls are stored. */
const nameOfSites = 'program-sites'

/** A program, as the state of its run stores it. The source is the run's first message. */
export interface KeptProgram extends Omit<Program, 'source'> {
  /** The results of the program's calls, in call order. */
  readonly outcomes: readonly CallOutcome[]
  /** Data about the same calls that the program does not get. */
  readonly ended: readonly EndedCall[]
  /** Which calls need approval once the run has read untrusted text. */
  readonly taint: Taint
  /** The untrusted source that the model had read before it wrote the program. */
  readonly taintedBy?: string
  /** Whether the program is a saved one, so that the call's arguments do not contain its source. */
  readonly isSaved?: boolean
}

/**
 * Which of a program's calls need approval once it has read untrusted text: all that can change data (`run`), or only
 * those with values that came from it (`values`).
 */
export type Taint = 'run' | 'values'

/** The valid values of the option `taint`, and their description. */
export const taintKind = [
  "'run' or 'values'",
  (value: unknown) => value === 'run' || value === 'values',
] as const

/** A program's finished call: its position in the source, and its result without the status, text and value. */
export interface EndedCall extends CallFacts {
  readonly site: number
  /** The untrusted source that its result came from. Absent if the result is trusted. */
  readonly taintedBy?: string
  /** The arguments that the tool got. Absent if they equal those in the history. */
  readonly arguments?: Json
}

export type CallFacts = Omit<CallResult, 'status' | 'content' | 'result' | 'arguments' | 'taintedBy'>

/** Returns the state that stores the source positions of calls. It is kept with the reply that contains the calls. */
export function keepSites(calls: readonly MadeCall[]): Record<string, Json> {
  return { [nameOfSites]: calls.map(({ site = -1 }) => site) }
}

/** Returns the source positions of the last reply's calls, in call order. */
export function sitesIn({ kept }: Pick<State, 'kept'>): readonly number[] {
  return (kept[nameOfSites] ?? []) as readonly number[]
}

type State = Pick<RunState | RunView, 'kept' | 'messages'>

/** Returns a run's stored program. Undefined if it has none. */
export function keptIn({ kept }: Pick<State, 'kept'>): KeptProgram | undefined {
  const own = kept[nameOfRuns]
  return Object.hasOwn(Object(own), 'outcomes') ? (own as unknown as KeptProgram) : undefined
}

/**
 * The calls that programs made, in the state of a run that failed later. The run's messages contain only the results of
 * the programs.
 */
export interface KeptCalls {
  readonly calls: readonly AnyToolCall[]
}

/** Returns the programs' calls that the state of a failed run contains. Empty for other runs. */
export function keptCallsIn({ kept }: Pick<State, 'kept'>): readonly AnyToolCall[] {
  const { calls = [] } = Object(kept[nameOfRuns]) as Partial<KeptCalls>
  return calls
}

/** Returns a run's program, with its source. Undefined for a run that is not a program. */
export function programOf(run: State): (KeptProgram & Program) | undefined {
  const program = keptIn(run)
  return program && { ...program, source: String(run.messages[0]?.content) }
}

/** Returns the end of a program. Undefined while it is running, or if its run ended for a different reason. */
export function endOf({ kept }: Pick<State, 'kept'>): ProgramEnd | undefined {
  return kept[nameOfEnds] as unknown as ProgramEnd | undefined
}

/** Returns a program's calls with their results, in the batches in which it made them. */
export function batchesOf({ messages }: State, outcomes: readonly CallOutcome[]): readonly Batch[] {
  let from = 0
  return messages.flatMap((message): Batch | readonly [] => {
    const calls = callsOf(message).map(({ function: made }) => made)
    if (calls.length === 0) return []
    from += calls.length
    return { calls, outcomes: outcomes.slice(from - calls.length, from) }
  })
}
