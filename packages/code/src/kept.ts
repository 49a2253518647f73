// What code mode keeps in the state of a program's run.

import type { AnyToolCall, CallResult, Json, RunState, RunView } from '@capstan/core'
import { callsOf } from '@capstan/core/internal'
import type { Batch, CallOutcome, MadeCall, Program, ProgramEnd } from './engine/program.js'

/** The name of the middleware of programs, under which it keeps one. */
export const nameOfRuns = 'program-runs'

/** The name under which the end of a program is kept. */
export const nameOfEnds = 'program-end'

/** The name under which the places of the calls that a program waits for are kept. */
const nameOfSites = 'program-sites'

/** A program in the state of its run. Its source is the first message. */
export interface KeptProgram extends Omit<Program, 'source'> {
  /** The calls' results, in call order. */
  readonly outcomes: readonly CallOutcome[]
  /** The same calls, with what the program does not get. */
  readonly ended: readonly EndedCall[]
  /** Which calls need approval in a tainted run: all, or calls with untrusted values. */
  readonly taint: Taint
  /** The untrusted source that the model had read before it wrote the program. */
  readonly taintedBy?: string
}

export type Taint = 'run' | 'values'

/** The kind of the option `taint`. */
export const taintKind = [
  "'run' or 'values'",
  (value: unknown) => value === 'run' || value === 'values',
] as const

/** A call of a program that has ended: its place in the source, and what its result has beside status, text and value. */
export interface EndedCall extends CallFacts {
  readonly site: number
  /** The untrusted source of its result. */
  readonly taintedBy?: string
  /** Absent if they are those of the history. */
  readonly arguments?: Json
}

export type CallFacts = Omit<CallResult, 'status' | 'content' | 'result' | 'arguments' | 'taintedBy'>

/** Keeps the places of calls with the reply that makes them. */
export function keepSites(calls: readonly MadeCall[]): Record<string, Json> {
  return { [nameOfSites]: calls.map(({ site = -1 }) => site) }
}

/** Returns the places of the calls of the last reply. */
export function sitesIn({ kept }: Pick<State, 'kept'>): readonly number[] {
  return (kept[nameOfSites] ?? []) as readonly number[]
}

type State = Pick<RunState | RunView, 'kept' | 'messages'>

/** Returns the stored program of a run. Undefined if it has none. */
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

/** Returns the program of a run. Undefined for other runs. */
export function programOf(run: State): (KeptProgram & Program) | undefined {
  const program = keptIn(run)
  return program && { ...program, source: String(run.messages[0]?.content) }
}

/** Returns the end of a program. Undefined while it runs, and when something else ended its run. */
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
