import type { Limits, RunState } from '../words/state.js'
import type { Usage } from '../words/usage.js'
import { withOpenTurn } from './costs.js'
import { workSeconds } from './limit-before.js'
import { openCalls, type RunPlan } from './walk.js'

/**
 * What is left of a run's limits for each agent that is to answer one of its open calls. Those of one answer share it
 * equally, and what agents that wait may still use is kept for them: so that all together pass no limit.
 */
export function leftFor(state: RunState, plan: RunPlan): Limits {
  const { limits, children = {} } = state
  const usage = withOpenTurn(state, plan.prices)
  const waiting = Object.values(children).map((child) => child.state)
  const sharers = Math.max(1, sharersOf(state, plan))
  const left: [string, unknown][] = amounts.flatMap((name) => {
    const bound = limits[name]
    if (bound === undefined) return []
    const kept = waiting.reduce(
      (sum, one) => sum + Math.max(0, (one.limits[name] ?? 0) - used(name, one.usage)),
      0,
    )
    const open = name === 'toolCalls' ? openCalls(state).length : 0
    // Time passes for all of them at once, and some is kept for the last answer.
    const rest =
      name === 'seconds'
        ? workSeconds(bound) - used(name, usage)
        : (bound - used(name, usage) - open - kept) / sharers
    return [[name, Math.max(0, isWhole(name) ? Math.floor(rest) : rest)]]
  })
  const { perTool } = limits
  if (perTool) left.push(['perTool', leftPerTool(perTool, usage, sharers)])
  return Object.fromEntries(left)
}

const amounts = ['toolCalls', 'tokens', 'seconds', 'images', 'audioSeconds', 'cost'] as const
type Amount = (typeof amounts)[number]

function isWhole(name: Amount): boolean {
  return name === 'toolCalls' || name === 'tokens' || name === 'images'
}

/** What is not known may be everything. */
function used(name: Amount, usage: Usage): number {
  const amount = name === 'tokens' ? usage.totalTokens : usage[name]
  return amount === 'unknown' ? Number.POSITIVE_INFINITY : (amount ?? 0)
}

function leftPerTool(bounds: Readonly<Record<string, number>>, { perTool }: Usage, sharers: number): object {
  const spent = new Map(Object.entries(perTool))
  const left = Object.entries(bounds).map(([name, bound]) => [
    name,
    Math.max(0, Math.floor((bound - (spent.get(name) ?? 0)) / sharers)),
  ])
  return Object.fromEntries(left)
}

/** Agents that are yet to begin with a call of the open turn. */
function sharersOf(state: RunState, { toolset }: RunPlan): number {
  const { answered, children = {} } = state
  const calls = openCalls(state)
  const isOpen = (index: number) => !answered[index] && !children[index]
  return calls.filter((call, index) => isOpen(index) && toolset.get(call.function.name)?.child).length
}
