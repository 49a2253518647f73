// Stuck detection, written with what @capstan/core exports.

import { createHash } from 'node:crypto'
import type { CallRecord, Middleware, RunState, RunView, StepEffects, StuckOptions } from '@capstan/core'

/**
 * Notices steps that repeat earlier ones: warns the model, then disables the repeated tools for one step, then ends
 * the run as `stuck`. On by default. @throws CapstanError `invalid_request` for a number below 1, or an unknown option
 */
export function stuckDetection(options: StuckOptions = {}): Middleware {
  const { warn = 1, disable = 2, stop = 3 } = options
  return {
    name,
    beforeModel(_call, run) {
      const { disabled = [], agent } = keptOf(run)
      return disabled.length > 0 && agent === run.agent ? { disabled } : undefined
    },
    afterStep(results, run): StepEffects {
      const { stage, ...changes } = detectRepeats(keptOf(run), results, {
        warn,
        disable,
        stop,
        agent: run.agent,
      })
      if (!stage) return changes
      return { ...changes, events: [{ type: 'stuck-detected', stage, names: namesOf(results) }] }
    },
    shouldStop: (run) => ((keptOf(run).repeats ?? 0) >= stop ? { reason: 'stuck' } : undefined),
    onResume: (state, { stopReason }) => (stopReason === 'stuck' ? withoutOwn(state) : state),
  }
}

const name = 'stuck-detection'

/** What it keeps in the state of a run. */
type Kept = {
  /** Hashes of the calls and results of recent steps, newest last. */
  readonly recent?: readonly (readonly string[])[]
  /** Consecutive steps that repeated earlier ones. */
  readonly repeats?: number
  /** Tools of `agent` that are disabled in the next request. */
  readonly disabled?: readonly string[]
  readonly agent?: string
}

function keptOf({ kept }: Pick<RunView, 'kept'>): Kept {
  return Object(kept[name])
}

interface StuckReport {
  readonly state: Kept
  /** The reaction, by the name of its option. */
  readonly stage?: 'warn' | 'disable' | 'stop'
  /** Text for the model, added to the results. */
  readonly note?: string
}

/**
 * Compares a step with those before it. A step repeats when all its calls and results equal those of the step before,
 * or when the last steps form a cycle of two or three. Failed calls are equal when their errors are, even with other
 * arguments.
 */
function detectRepeats(
  before: Kept,
  results: readonly CallRecord[],
  { warn = 1, disable = 2, stop = 3, agent = '' }: StuckOptions & { readonly agent?: string },
): StuckReport {
  const recent = [...(before.recent ?? []), results.map(fingerprintOf)].slice(-remembered)
  const { disabled = [] } = before
  const isRepeat =
    isCycle(recent) || (disabled.length > 0 && results.every(({ name }) => disabled.includes(name)))
  const repeats = isRepeat ? (before.repeats ?? 0) + 1 : 0
  const state = { recent, repeats }
  if (repeats >= stop) return { state, stage: 'stop' }
  if (repeats >= disable)
    return { state: { ...state, disabled: namesOf(results), agent }, stage: 'disable', note: disabledNote }
  return repeats >= warn ? { state, stage: 'warn', note: warningNote } : { state }
}

function namesOf(results: readonly CallRecord[]): string[] {
  return [...new Set(results.map(({ name }) => name))]
}

const cycles = [1, 2, 3]
/** The longest cycle, twice. */
const remembered = 6

const warningNote =
  'Note: same result as before. Do not repeat this call. Try something else, or answer with what you have.'
const disabledNote =
  'Note: same result again, so this tool is disabled for the next step. Try something else, or answer with what you have.'

/** Whether the last steps are within those before them. */
function isCycle(steps: readonly (readonly string[])[]): boolean {
  return cycles.some((length) =>
    steps.slice(-length).every((calls, at) => {
      const before = steps[steps.length - 2 * length + at]
      return before && calls.every((call) => before.includes(call))
    }),
  )
}

function fingerprintOf({ name, status, arguments: args, content }: CallRecord): string {
  return hash(`${name}\0${status === 'ok' ? JSON.stringify(args) : status}\0${content}`)
}

function withoutOwn(state: RunState): RunState {
  const { [name]: _, ...kept } = state.kept
  return { ...state, kept }
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
