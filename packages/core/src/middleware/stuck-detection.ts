import { hash } from '../json.js'
import { checkOptionNames, isCount } from '../option-names.js'
import type { Middleware, RunEffects } from '../run/middleware.js'
import type { ToolDefinition } from '../types/message.js'
import type { CallRecord, Flags } from '../types/state.js'

/** The number of consecutive repeated steps before each reaction. `Infinity` turns one off. */
export interface StuckOptions {
  /** Tells the model that it repeats itself. Default 1. */
  readonly warn?: number
  /** Disables the repeated tools for one step. Default 2. */
  readonly disable?: number
  /** Ends the run as stuck. Default 3. */
  readonly stop?: number
}

/**
 * Notices steps that repeat earlier ones: warns the model, then disables the repeated tools for one step, then ends
 * the run as `stuck`. On by default. @throws CapstanError `invalid_request` for a number below 1, or an unknown option
 */
export function stuckDetection(options: StuckOptions = {}): Middleware {
  checkOptionNames(options, optionKinds, {
    of: 'stuckDetection',
    names: { warn: 'tell', disable: 'withhold', stop: 'land' },
  })
  const { warn = 1, disable = 2, stop = 3 } = options
  return {
    name: 'stuck-detection',
    beforeModel({ tools, toolChoice }, { flags: { withheld = [] } }) {
      if (withheld.length === 0) return undefined
      const isOffered = (tool: ToolDefinition) => !withheld.includes(tool.function.name)
      const forced = typeof toolChoice === 'string' ? toolChoice : toolChoice.function.name
      return {
        tools: tools.filter(isOffered),
        toolChoice: withheld.includes(forced) ? 'auto' : toolChoice,
      }
    },
    afterStep(results, run): RunEffects {
      const { stage, ...changes } = detectRepeats(run.flags, results, { warn, disable, stop })
      if (!stage) return changes
      return { ...changes, events: [{ type: 'stuck-detected', stage, names: namesOf(results) }] }
    },
    shouldStop: ({ flags }) => ((flags.repeats ?? 0) >= stop ? { reason: 'stuck' } : undefined),
  }
}

const times = ['a whole number from 1 up, or Infinity for never', isCount] as const
const optionKinds = { warn: times, disable: times, stop: times } satisfies Record<keyof StuckOptions, unknown>

export interface StuckReport {
  readonly flags: Pick<Flags, 'recent' | 'repeats' | 'withheld'>
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
export function detectRepeats(
  before: Flags,
  results: readonly CallRecord[],
  { warn = 1, disable = 2, stop = 3 }: StuckOptions,
): StuckReport {
  const recent = [...(before.recent ?? []), results.map(fingerprintOf)].slice(-remembered)
  const { withheld = [] } = before
  const isRepeat =
    isCycle(recent) || (withheld.length > 0 && results.every(({ name }) => withheld.includes(name)))
  const repeats = isRepeat ? (before.repeats ?? 0) + 1 : 0
  const flags = { recent, repeats, withheld: [] as string[] }
  if (repeats >= stop) return { flags, stage: 'stop' }
  if (repeats >= disable)
    return { flags: { ...flags, withheld: namesOf(results) }, stage: 'disable', note: disabledNote }
  return repeats >= warn ? { flags, stage: 'warn', note: warningNote } : { flags }
}

function namesOf(results: readonly CallRecord[]): string[] {
  return [...new Set(results.map(({ name }) => name))]
}

const cycles = [1, 2, 3]
/** The longest cycle, twice. */
const remembered = 6

const warningNote =
  'Note: this repeats an earlier call with the same outcome. Do something else, or answer with what you have.'
const disabledNote =
  'Note: this has been repeated with the same outcome; the tool is not offered in the next step. Do something else, or answer with what you have.'

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
