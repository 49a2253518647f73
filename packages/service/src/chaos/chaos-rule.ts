import { isRecord } from '../record.js'
import { isQuirk, type QuirkName, quirkNames } from './quirks.js'

/** When to make trouble, and which. */
export interface ChaosRule {
  readonly quirk: QuirkName
  /** Only at this path, such as `/v1/chat/completions`. Default: at all. */
  readonly path?: string | undefined
  /** From the nth request that the rule fits. Default: 1. */
  readonly nth?: number | undefined
  /** For so many requests. Default: 1 with `nth`, else all. */
  readonly times?: number | undefined
  /** How likely it is each time, from 0 to 1. Default: 1. */
  readonly probability?: number | undefined
  /** Another order of luck; one seed gives one order. Default: 1. */
  readonly seed?: number | undefined
}

const fields = ['quirk', 'path', 'nth', 'times', 'probability', 'seed']

/** Checks rules that come from a file. @throws TypeError naming the rule and what is wrong */
export function checkRules(rules: unknown): asserts rules is readonly ChaosRule[] {
  if (!Array.isArray(rules)) throw new TypeError('chaos must be true, false or an array of rules.')
  for (const [index, rule] of rules.entries()) {
    const wrong = isRecord(rule) ? flawOf(rule) : 'must be an object'
    if (wrong) throw new TypeError(`chaos[${index}] ${wrong}.`)
  }
}

function flawOf(rule: Readonly<Record<string, unknown>>): string | undefined {
  const { quirk, path, nth, times, probability = 1, seed } = rule
  const unknown = Object.keys(rule).find((field) => !fields.includes(field))
  if (unknown !== undefined) return `has an unknown field "${unknown}"; there are: ${fields.join(', ')}`
  if (!isQuirk(quirk)) return `has an unknown quirk ${JSON.stringify(quirk)}; there are: ${quirkNames}`
  if (path !== undefined && !(typeof path === 'string' && path.startsWith('/'))) return 'has a path without /'
  const counts = Object.entries({ nth, times, seed }).find(
    ([, value]) => value !== undefined && !isCount(value),
  )
  if (counts) return `has a ${counts[0]} that is no whole number from 1`
  if (!(typeof probability === 'number' && probability >= 0 && probability <= 1)) {
    return 'has a probability that is not from 0 to 1'
  }
  return undefined
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1
}
