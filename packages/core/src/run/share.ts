import type { Usage } from '../words/usage.js'
import { limitKinds } from './limit-kinds.js'

/** Limits that a run shares with the agents within it. */
export const amounts = [
  'toolCalls',
  'tokens',
  'seconds',
  'images',
  'audioSeconds',
  'artifacts',
  'artifactBytes',
  'cost',
] as const
export type Amount = (typeof amounts)[number]

/** How many share, and which of them one is, from 0. */
export interface Sharers {
  readonly count: number
  readonly place: number
}

/** How much of it was used; what is not known may be everything. */
export function used(name: Amount, usage: Usage): number {
  const amount = name === 'tokens' ? usage.totalTokens : usage[name]
  return amount === 'unknown' ? Number.POSITIVE_INFINITY : (amount ?? 0)
}

export function isWhole(name: Amount): boolean {
  return limitKinds[name] === 'whole'
}

/** One's share of an amount: all are equal, and of what counts things the first ones get what is left over. */
export function share(amount: number, whole: boolean, { count, place }: Sharers): number {
  return whole ? Math.floor((amount + count - 1 - place) / count) : amount / count
}
