import type { Spending, TokenUsage, Usage } from './usage.js'

/** Prices by model name, each for one unit, in whatever currency the user counts in. */
export type PriceTable = Readonly<Record<string, Price>>

/** What one unit costs; a unit without a price makes the cost of what uses it unknown. */
export interface Price {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly images?: number
  readonly audioSeconds?: number
  readonly characters?: number
}

/** What something costs by a table, or `unknown`. */
export function costOf(
  units: Partial<TokenUsage> | Spending,
  model: string | undefined,
  table: PriceTable,
): number | 'unknown' {
  const price = model !== undefined && Object.hasOwn(table, model) ? table[model] : undefined
  let sum = 0
  for (const unit of priced) {
    const amount = (units as Partial<Record<keyof Price, number>>)[unit] ?? 0
    if (amount === 0) continue
    const each = price?.[unit]
    if (each === undefined) return 'unknown'
    sum += amount * each
  }
  return sum
}

const priced = ['inputTokens', 'outputTokens', 'images', 'audioSeconds', 'characters'] as const

/** Costs together: unknown as soon as one of them is. */
export function addCost(before: Usage['cost'], more: number | 'unknown'): number | 'unknown' {
  return before === 'unknown' || more === 'unknown' ? 'unknown' : (before ?? 0) + more
}
