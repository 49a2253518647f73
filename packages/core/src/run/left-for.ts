import type { Limits, RunState } from '../words/state.js'
import type { Usage } from '../words/usage.js'
import { withOpenTurn } from './costs.js'
import { workSeconds } from './limit-before.js'
import { amounts, isWhole, type Sharers, share, used } from './share.js'
import { openCalls, type RunPlan } from './walk.js'

/**
 * What is left of a run's limits for an agent that is to answer one of its open calls. Those of one answer share it,
 * the first ones getting what cannot be parted, and what agents that wait may still use is kept for them: so that all
 * together pass no limit.
 */
export function leftFor(index: number, state: RunState, plan: RunPlan): Limits {
  const { limits, children = {} } = state
  const usage = withOpenTurn(state, plan.prices)
  const waiting = Object.values(children).map((child) => child.state)
  const among = sharersOf(index, state, plan)
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
        : share(bound - used(name, usage) - open - kept, isWhole(name), among)
    return [[name, Math.max(0, rest)]]
  })
  const { perTool } = limits
  if (perTool) left.push(['perTool', leftPerTool(perTool, usage, among)])
  return Object.fromEntries(left)
}

function leftPerTool(
  bounds: Readonly<Record<string, number>>,
  { perTool }: Usage,
  among: Sharers,
): Record<string, number> {
  const spent = new Map(Object.entries(perTool))
  const left = Object.entries(bounds).map(([name, bound]) => [
    name,
    Math.max(0, share(bound - (spent.get(name) ?? 0), true, among)),
  ])
  return Object.fromEntries(left)
}

function sharersOf(index: number, state: RunState, { toolset }: RunPlan): Sharers {
  const { answered, children = {} } = state
  const mayBegin = openCalls(state).map(
    (call, at) => !answered[at] && !children[at] && toolset.get(call.function.name)?.child !== undefined,
  )
  const count = Math.max(1, mayBegin.filter(Boolean).length)
  return { count, place: mayBegin.slice(0, index).filter(Boolean).length }
}
