import type { LimitName, RunState } from '../words/state.js'

/** The limit that asking once more would pass, the last answer's reserve included. */
export function limitBefore({ turn, usage, limits, flags }: RunState): LimitName | undefined {
  const { steps = none, tokens = none, seconds = none, cost = none } = limits
  const last = flags.lastRequest ?? { tokens: 0, cost: 0 }
  if (turn - (flags.landings ?? 0) >= steps) return 'steps'
  if (usage.totalTokens >= tokens || usage.totalTokens + room * last.tokens > tokens) return 'tokens'
  const spent = usage.cost ?? 0
  if (cost !== none && (spent === 'unknown' || spent >= cost || spent + room * last.cost > cost))
    return 'cost'
  return (usage.seconds ?? 0) >= workSeconds(seconds) ? 'seconds' : undefined
}

const none = Number.POSITIVE_INFINITY

/** For the next request and for the last one: each holds somewhat more than the one before it. */
const room = 2.5

/** The part of a run's time that is for work: a fifth, half a minute at most, is kept for the last answer. */
export function workSeconds(seconds: number): number {
  return seconds === none ? none : seconds - Math.min(seconds / 5, 30)
}
