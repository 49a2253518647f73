import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { pathOf, type ReplyTransform } from '../http/handle-request.js'
import { ServiceError } from '../http/service-error.js'
import { isRecord } from '../json.js'
import { isQuirk, type QuirkName, quirkNames, quirks } from './quirks.js'

/**
 * Returns a function that chooses a request's quirk: the quirk in its header, or that of the first rule that applies.
 * Throws a 400 if the request has the header and chaos is off.
 */
export function startChaos(
  chaos: boolean | readonly ChaosRule[],
): (request: IncomingMessage) => ReplyTransform | undefined {
  const rules = typeof chaos === 'boolean' ? [] : chaos.map(startRule)
  const asked = new Map<string, number>()
  return (request) => {
    const wish = request.headers[header]
    if (typeof wish === 'string') {
      if (chaos === false) throw refused('needs a service that was started with the chaos option')
      return byHeader(wish, asked)
    }
    return rules.map((fits) => fits(pathOf(request))).find((transform) => transform !== undefined)
  }
}

const header = 'x-capstan-chaos'

function startRule(rule: ChaosRule): (path: string) => ReplyTransform | undefined {
  const { quirk, path: only, nth = 1, probability = 1, seed = 1 } = rule
  const times = rule.times ?? (rule.nth === undefined ? Number.POSITIVE_INFINITY : 1)
  let seen = 0
  return (path) => {
    if (only !== undefined && only !== path) return undefined
    seen++
    if (seen < nth || seen >= nth + times || toRandom(seed, seen) >= probability) return undefined
    return quirks[quirk].transform
  }
}

// Returns a number from 0 to below 1. It depends only on the seed and the request's number.
function toRandom(seed: number, count: number): number {
  return createHash('sha256').update(`${seed}:${count}`).digest().readUInt32BE() / 2 ** 32
}

/**
 * Parses the header: `<quirk>`, or `<quirk>;times=2;id=mine` to affect only the first two requests with exactly this
 * header.
 */
function byHeader(wish: string, asked: Map<string, number>): ReplyTransform | undefined {
  const [, name = '', , times] = /^\s*([\w-]+)\s*(;\s*times=(\d+)\s*)?(;\s*id=[\w.-]+\s*)?$/.exec(wish) ?? []
  if (!isQuirk(name))
    throw refused(`must be <quirk> or <quirk>;times=<n>;id=<any>; valid quirks: ${quirkNames}`)
  if (times === undefined) return quirks[name].transform
  const count = asked.get(wish) ?? 0
  asked.set(wish, count + 1)
  // Limits memory, because a service that runs for a long time must not remember every client.
  const [oldest] = asked.keys()
  if (asked.size > 1000 && oldest !== undefined) asked.delete(oldest)
  return count < Number(times) ? quirks[name].transform : undefined
}

function refused(why: string): ServiceError {
  return new ServiceError(400, 'invalid_chaos', `The header ${header} ${why}.`, header)
}

/** A fault injection rule: a quirk and the conditions under which it applies. */
export interface ChaosRule {
  readonly quirk: QuirkName
  /** The path of the requests that the rule applies to, such as `/v1/chat/completions`. Default: every path. */
  readonly path?: string | undefined
  /** The first request on the path that the rule affects, counted from 1. Default: 1. */
  readonly nth?: number | undefined
  /** How many requests the rule affects, starting with `nth`. Default: 1 if `nth` is set, otherwise all. */
  readonly times?: number | undefined
  /** The probability that the rule affects a request, from 0 to 1. Default: 1. */
  readonly probability?: number | undefined
  /** The seed of the random numbers. The same seed results in the same sequence. Default: 1. */
  readonly seed?: number | undefined
}

const fields = ['quirk', 'path', 'nth', 'times', 'probability', 'seed']

/** Checks rules that were read from a file. @throws TypeError that names the rule and the problem */
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
  if (unknown !== undefined) return `has an unknown field "${unknown}"; valid fields: ${fields.join(', ')}`
  if (!isQuirk(quirk)) return `has an unknown quirk ${JSON.stringify(quirk)}; valid quirks: ${quirkNames}`
  if (path !== undefined && !(typeof path === 'string' && path.startsWith('/')))
    return 'has a path that does not start with /'
  const counts = Object.entries({ nth, times, seed }).find(
    ([, value]) => value !== undefined && !isCount(value),
  )
  if (counts) return `has a ${counts[0]} that is not a positive whole number`
  if (!(typeof probability === 'number' && probability >= 0 && probability <= 1)) {
    return 'has a probability that is not between 0 and 1'
  }
  return undefined
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1
}
