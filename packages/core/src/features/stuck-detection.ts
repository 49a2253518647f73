import { hash } from '../json.js'
import { checkOptionNames, isCount } from '../option-names.js'
import { withoutKept } from '../run/hooks.js'
import type { Middleware, StepEffects } from '../run/middleware.js'
import type { CallRecord } from '../types/state.js'

/** The number of consecutive repeated steps before each reaction. `Infinity` turns a reaction off. */
export interface StuckOptions {
  /** Consecutive repeated steps after which the model is warned. Default 1. */
  readonly warn?: number
  /** Consecutive repeated steps after which the repeated tools are disabled for one step. Default 2. */
  readonly disable?: number
  /** Consecutive repeated steps after which the run ends as `stuck`. Default 3. */
  readonly stop?: number
}

/**
 * Detects steps that repeat earlier ones: warns the model, then disables the repeated tools for one step, then ends
 * the run as `stuck`. On by default.
 * @throws CapstanError `invalid_request` for a number below 1, or an unknown option
 */
export function stuckDetection(options: StuckOptions = {}): Middleware {
  checkOptionNames(options, optionKinds, { of: 'stuckDetection' })
  const { warn = 1, disable = 2, stop = 3 } = options
  return {
    name,
    beforeModel(_call, run) {
      const { disabled, agent }: Kept = Object(run.kept[name])
      return disabled && agent === run.agent ? { disabled } : undefined
    },
    afterStep(results, run): StepEffects {
      const { disabled = [], recent: before = [], repeats: last = 0 }: Kept = Object(run.kept[name])
      const recent = [...before, results.map(fingerprintOf)].slice(-remembered)
      const isRepeated = isCycle(recent, 1) || isCycle(recent, 2) || isCycle(recent, 3)
      const isSame = disabled.length > 0 && results.every(({ name }) => disabled.includes(name))
      if (!isSame && !isRepeated) return { state: { recent, repeats: 0 } }
      const names = [...new Set(results.map(({ name }) => name))]
      const repeats = last + 1
      const stage =
        repeats >= stop ? 'stop' : repeats >= disable ? 'disable' : repeats >= warn ? 'warn' : undefined
      const state = { recent, repeats, ...(stage === 'disable' && { disabled: names, agent: run.agent }) }
      return {
        state,
        ...(stage && { note: notes[stage], events: [{ type: 'stuck-detected', stage, names }] }),
      }
    },
    shouldStop: ({ kept }) => (Object(kept[name]).repeats >= stop ? { reason: 'stuck' } : undefined),
    onResume: (state, { stopReason }) => (stopReason === 'stuck' ? withoutKept(state, name) : state),
  }
}

const name = 'stuck-detection'

/** The middleware's data in the run's state. */
type Kept = {
  /** Hashes of the calls and results of recent steps, newest last. */
  readonly recent?: readonly (readonly string[])[]
  /** Consecutive steps that repeated earlier ones. */
  readonly repeats?: number
  /** Tools of `agent` that are disabled in the next request. */
  readonly disabled?: readonly string[]
  readonly agent?: string
}

const times = ['a whole number of at least 1, or Infinity for never', isCount] as const
const optionKinds = { warn: times, disable: times, stop: times } satisfies Record<keyof StuckOptions, unknown>

/** The number of recent steps to keep: twice the longest cycle. */
const remembered = 6

const advice = ' Try something else, or answer with what you have.'
/** Text for the model, added to the results. */
const notes = {
  warn: `Note: same result as before. Do not repeat this call.${advice}`,
  disable: `Note: same result again, so this tool is disabled for the next step.${advice}`,
  stop: '',
}

/** Whether the last `length` steps have the same calls and results as the `length` steps before them. */
function isCycle(recent: readonly (readonly string[])[], length: number): boolean {
  for (let at = recent.length - length; at < recent.length; at++)
    if (!recent[at]?.every((call) => recent[at - length]?.includes(call))) return false
  return true
}

/**
 * Returns a hash that is equal for equal calls and results. For failed calls, the hash covers only the tool and the
 * error, not the arguments.
 */
function fingerprintOf({ name, status, arguments: args, content }: CallRecord): string {
  return hash(`${name}\0${status === 'ok' ? JSON.stringify(args) : status}\0${content}`)
}
