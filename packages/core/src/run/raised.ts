import type { ChildRun, Limits, RunState } from '../words/state.js'
import { type Usage, withSpending, withUsage } from '../words/usage.js'
import { amounts, isWhole, type Sharers, share, used } from './share.js'
import { openCalls } from './walk.js'

interface Change {
  readonly before: Limits
  readonly now: Limits
}

/** Agents that wait within a run, each with its share of what the run's limits are changed by; theirs as well. */
export function raised(run: RunState, now: Limits): Record<number, ChildRun> {
  const waiting = Object.entries(run.children ?? {})
  const change = { before: run.limits, now }
  const before = withNew(run, change)
  const entries = waiting.map(([index, child], place): [string, ChildRun] => {
    const { state } = child
    const among = { count: waiting.length, place }
    const limits = withShare(withNew(state, change), { before, now }, among)
    const deeper = state.children && { children: raised(state, limits) }
    return [index, { ...child, state: { ...state, limits, ...deeper } }]
  })
  return Object.fromEntries(entries)
}

/** A run's limits, those that are new as if they had been what it has used: they bound what is left. */
function withNew(run: RunState, { before, now }: Change): Limits {
  const usage = usedIn(run)
  const calls = new Map(Object.entries(usage.perTool))
  const bounds = amounts.filter((name) => before[name] === undefined && now[name] !== undefined)
  const tools = Object.keys(now.perTool ?? {}).filter((name) => !Object.hasOwn(before.perTool ?? {}, name))
  return {
    ...run.limits,
    ...Object.fromEntries(bounds.map((name) => [name, used(name, usage)])),
    perTool: {
      ...run.limits.perTool,
      ...Object.fromEntries(tools.map((name) => [name, calls.get(name) ?? 0])),
    },
  }
}

/** What a run has used, with the calls of its open turn and the agents that wait in it. */
function usedIn(run: RunState): Usage {
  const answers = Object.values(run.answered)
  const spent = answers.flatMap((one) => one.spent ?? []).reduce(withSpending, run.usage)
  const waiting = Object.values(run.children ?? {}).map((child) => usedIn(child.state))
  const all = [...answers.flatMap(({ usage }) => usage ?? []), ...waiting].reduce(withUsage, spent)
  return { ...all, toolCalls: all.toolCalls + openCalls(run).length }
}

function withShare(own: Limits, { before, now }: Change, among: Sharers): Limits {
  const bounds = amounts.map((name) => {
    // Time passes for all of them at once.
    const part = (by: number) => (name === 'seconds' ? by : share(by, isWhole(name), among))
    return [name, bound(own[name], { before: before[name], now: now[name] }, part)]
  })
  const perTool = ofTools(own.perTool, { before, now }, among)
  const all = { ...own, ...Object.fromEntries(bounds), perTool }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

function ofTools(own: Limits['perTool'] = {}, { before, now }: Change, among: Sharers): Limits['perTool'] {
  if (!now.perTool) return undefined
  const [were, are] = [new Map(Object.entries(before.perTool ?? {})), Object.entries(now.perTool)]
  const mine = new Map(Object.entries(own))
  const bounds = are.map(([name, bounded]) => [
    name,
    bound(mine.get(name), { before: were.get(name), now: bounded }, (by) => share(by, true, among)),
  ])
  return Object.fromEntries(bounds)
}

interface Bounds {
  readonly before: number | undefined
  readonly now: number | undefined
}

function bound(
  own: number | undefined,
  { before, now }: Bounds,
  part: (by: number) => number,
): number | undefined {
  if (now === before) return own
  if (now === undefined) return undefined
  // Nothing is left of what is not known.
  return Math.max(0, (own ?? 0) + part(now - (before ?? 0))) || 0
}
