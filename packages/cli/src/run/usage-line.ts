import type { AnyRunResult, Usage } from '@capstan/core'
import { count, grouped } from '../say/figures.js'

/** How a run ended, and what it took, in one line. */
export function usageLine({ stopReason, limit, steps, usage }: AnyRunResult): string {
  const end = limit === undefined ? stopReason : `${stopReason} (${limit})`
  const cost = usage.cost === undefined ? [] : [`cost ${toCost(usage.cost)}`]
  return `${end}: ${[count(steps, 'step'), count(usage.toolCalls, 'call'), tokens(usage), ...cost].join(', ')}`
}

function tokens({ totalTokens, inputTokens, outputTokens, unreported, requests }: Usage): string {
  if (totalTokens === 0 && unreported > 0) return 'tokens unknown'
  const parts = `${count(totalTokens, 'token')} (${grouped(inputTokens)} in, ${grouped(outputTokens)} out)`
  return unreported === 0 ? parts : `${parts}, not counted in ${unreported} of ${count(requests, 'answer')}`
}

function toCost(cost: number | 'unknown'): string {
  return cost === 'unknown' ? cost : String(Number(cost.toPrecision(3)))
}
