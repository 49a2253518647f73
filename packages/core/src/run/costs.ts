import { addCost, costOf, type PriceTable } from '../words/price.js'
import type { Flags, RunState } from '../words/state.js'
import { type Spending, type Usage, withSpending, withUsage } from '../words/usage.js'
import type { Answered } from './request.js'
import { costOfRequest, withRequests } from './with-requests.js'

/** What an answer of the model adds to a state's figures. */
export function withAnswer(
  { usage, flags }: RunState,
  { tokens, model, reported, repaired, forced, incomplete, outputByTool }: Answered,
  prices: PriceTable | undefined,
): { readonly usage: Usage; readonly flags: Flags } {
  const request = { tokens, model, reported, repairs: Object.keys(repaired).length }
  const cost = prices && costOfRequest(request, prices)
  const known = typeof cost === 'number' ? cost : 0
  return {
    usage: withRequests(usage, [request], prices),
    flags: {
      ...(flags.incomplete === undefined ? flags : complete(flags)),
      lastRequest: { tokens: tokens?.totalTokens ?? 0, cost: known },
      ...(forced ? { forcedChoiceUsed: true } : {}),
      ...(incomplete ? { incomplete } : {}),
      ...(outputByTool ? { outputByTool } : {}),
    },
  }
}

function complete({ incomplete: _, ...flags }: Flags): Flags {
  return flags
}

/** The usage with what calls of the open turn have used already: a limit holds for those that come after. */
export function withOpenTurn({ usage, answered }: RunState, prices: PriceTable | undefined): Usage {
  const before = Object.values(answered)
  if (before.length === 0 && !prices) return usage
  const spent = before.flatMap((one) => one.spent ?? []).reduce(withSpending, usage)
  const inside = before.flatMap((one) => one.usage ?? [])
  return inside.reduce(withUsage, withCallCosts(spent, before, prices))
}

/** The usage with the cost of what calls spent; as it was where there are no prices. */
export function withCallCosts(
  usage: Usage,
  calls: readonly { readonly spent?: readonly Spending[] }[],
  prices: PriceTable | undefined,
): Usage {
  if (!prices) return usage
  const costs = calls.flatMap(({ spent = [] }) => spent).map((one) => costOf(one, one.model, prices))
  return { ...usage, cost: costs.reduce<number | 'unknown'>(addCost, usage.cost ?? 0) }
}
