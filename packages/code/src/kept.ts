// What code mode keeps in the state of a program's run.

import type { RunState, RunView } from '@capstan/core'
import { callsOf } from '@capstan/core/internal'
import type { Batch, CallOutcome, Program, ProgramEnd } from './engine/program.js'

/** The name of the middleware of programs, under which it keeps one. */
export const nameOfRuns = 'program-runs'

/** The name under which the end of a program is kept. */
export const nameOfEnds = 'program-end'

/** A program in the state of its run. Its source is the first message. */
export interface KeptProgram extends Omit<Program, 'source'> {
  /** The outcomes of its calls, in call order. Once it has ended, without their values. */
  readonly outcomes: readonly CallOutcome[]
}

type State = Pick<RunState | RunView, 'kept' | 'messages'>

/** Returns the stored program of a run. Undefined if it has none. */
export function keptIn({ kept }: Pick<State, 'kept'>): KeptProgram | undefined {
  return kept[nameOfRuns] as unknown as KeptProgram | undefined
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

/** Returns the calls of a program with their outcomes, as it made them. */
export function batchesOf({ messages }: State, outcomes: readonly CallOutcome[]): readonly Batch[] {
  let from = 0
  return messages.flatMap((message): Batch | readonly [] => {
    const calls = callsOf(message).map(({ function: made }) => made)
    if (calls.length === 0) return []
    from += calls.length
    return { calls, outcomes: outcomes.slice(from - calls.length, from) }
  })
}
