import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { pathOf, type Trouble } from '../http/handle-request.js'
import { ServiceError } from '../http/service-error.js'
import type { ChaosRule } from './chaos-rule.js'
import { isQuirk, quirkNames, quirks } from './quirks.js'

/** Decides for each request what trouble it meets: by the rules, and by its own header when chaos is on at all. */
export function startChaos(
  chaos: boolean | readonly ChaosRule[],
): (request: IncomingMessage) => Trouble | undefined {
  const rules = typeof chaos === 'boolean' ? [] : chaos.map(startRule)
  const asked = new Map<string, number>()
  return (request) => {
    const wish = request.headers[header]
    if (typeof wish === 'string') {
      if (chaos === false) throw refused('is taken only by a service that was started with chaos')
      return byWish(wish, asked)
    }
    return rules.map((fits) => fits(pathOf(request))).find((trouble) => trouble !== undefined)
  }
}

const header = 'x-capstan-chaos'

function startRule(rule: ChaosRule): (path: string) => Trouble | undefined {
  const { quirk, path: only, nth = 1, probability = 1, seed = 1 } = rule
  const times = rule.times ?? (rule.nth === undefined ? Number.POSITIVE_INFINITY : 1)
  let seen = 0
  return (path) => {
    if (only !== undefined && only !== path) return undefined
    seen++
    if (seen < nth || seen >= nth + times || luck(seed, seen) >= probability) return undefined
    return quirks[quirk].trouble
  }
}

// From 0 to under 1, by the seed and the number of the request alone.
function luck(seed: number, count: number): number {
  return createHash('sha256').update(`${seed}:${count}`).digest().readUInt32BE() / 2 ** 32
}

/** `<quirk>`, or `<quirk>;times=2;id=mine`: then the first two requests that say exactly this. */
function byWish(wish: string, asked: Map<string, number>): Trouble | undefined {
  const [, name = '', , times] = /^\s*([\w-]+)\s*(;\s*times=(\d+)\s*)?(;\s*id=[\w.-]+\s*)?$/.exec(wish) ?? []
  if (!isQuirk(name))
    throw refused(`must be <quirk> or <quirk>;times=<n>;id=<any>; the quirks are: ${quirkNames}`)
  if (times === undefined) return quirks[name].trouble
  const count = asked.get(wish) ?? 0
  asked.set(wish, count + 1)
  // A service that runs for long need not remember every client it ever had.
  const [oldest] = asked.keys()
  if (asked.size > 1000 && oldest !== undefined) asked.delete(oldest)
  return count < Number(times) ? quirks[name].trouble : undefined
}

function refused(why: string): ServiceError {
  return new ServiceError(400, 'invalid_chaos', `The header ${header} ${why}.`, header)
}
