// What code mode keeps in the state of a program's run.

import type { AnyToolCall, CallResult, Json, RunState, RunView } from '@capstan/core'
import { callsOf } from '@capstan/core/internal'
import type { Batch, CallOutcome, MadeCall, Program, ProgramEnd } from './engine/program.js'

/** The name of the programs' middleware, under which it stores a program. */
export const nameOfRuns = 'program-runs'

/** The name under which a program's end is stored. */
export const nameOfEnds = 'program-end'

/** The name under which the pending calls' places in the source are stored. */
const nameOfSites = 'program-sites'

/** A program as stored in the state of its run. Its source is the first message. */
export interface KeptProgram extends Omit<Program, 'source'> {
  /** The results of the program's calls, in call order. */
  readonly outcomes: readonly CallOutcome[]
  /** The same calls, with the parts that the program does not get. */
  readonly ended: readonly EndedCall[]
  /** The calls that need an approval in a tainted run: all, or calls with untrusted values. */
  readonly taint: Taint
  /** The untrusted source that the model had read before it wrote the program. */
  readonly taintedBy?: string
  /** Whether its source is not in the arguments of its call. */
  readonly isSaved?: boolean
}

/** Which calls of a program need an approval after untrusted text: all, or only those whose values came from it. */
export type Taint = 'run' | 'values'

/** The valid values of the option `taint`, and their description. */
export const taintKind = [
  "'run' or 'values'",
  (value: unknown) => value === 'run' || value === 'values',
] as const

/** A finished call of a program: its place in the source, and the parts of its result besides status, text and value. */
export interface EndedCall extends CallFacts {
  readonly site: number
  /** The untrusted source of its result. */
  readonly taintedBy?: string
  /** Absent if the arguments equal those in the history. */
  readonly arguments?: Json
}

export type CallFacts = Omit<CallResult, 'status' | 'content' | 'result' | 'arguments' | 'taintedBy'>

/** Stores the places of calls with the reply that makes them. */
export function keepSites(calls: readonly MadeCall[]): Record<string, Json> {
  return { [nameOfSites]: calls.map(({ site = -1 }) => site) }
}

/** Returns the places of the last reply's calls. */
export function sitesIn({ kept }: Pick<State, 'kept'>): readonly number[] {
  return (kept[nameOfSites] ?? []) as readonly number[]
}

type State = Pick<RunState | RunView, 'kept' | 'messages'>

/** Returns a run's stored program. Undefined if it has none. */
export function keptIn({ kept }: Pick<State, 'kept'>): KeptProgram | undefined {
  const own = kept[nameOfRuns]
  return Object.hasOwn(Object(own), 'outcomes') ? (own as unknown as KeptProgram) : undefined
}

/** The calls of programs, in the state of a run that failed after them: its messages have only the programs' results. */
export interface KeptCalls {
  readonly calls: readonly AnyToolCall[]
}

/** Returns the calls of programs that a failed run has kept. */
export function keptCallsIn({ kept }: Pick<State, 'kept'>): readonly AnyToolCall[] {
  const { calls = [] } = Object(kept[nameOfRuns]) as Partial<KeptCalls>
  return calls
}

/** Returns a run's program. Undefined for other runs. */
export function programOf(run: State): (KeptProgram & Program) | undefined {
  const program = keptIn(run)
  return program && { ...program, source: String(run.messages[0]?.content) }
}

/** Returns the end of a program. Undefined while it runs, or if its run ended for another reason. */
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
