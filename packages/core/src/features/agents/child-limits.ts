import { limitKinds, workSeconds } from '../../limits.js'
import type { Middleware, RunView } from '../../run/middleware.js'
import { type ChildRun, type Limits, openCalls, type RunState } from '../../types/state.js'
import { type Usage, withSpending, withUsage } from '../../usage.js'

/** The middleware of runs with agents as tools: their pending child runs share what a resumed run may use. */
export const childLimits: Middleware = {
  name: 'child-limits',
  onResume(state, { limits }) {
    if (!state.children) return state
    return { ...state, children: raiseLimits({ ...state, limits }, state.limits) }
  },
}

/**
 * Returns the limits of a child run: its share of what is left of the parent's. Child runs of one step share equally,
 * the first ones get the remainder, and the part of pending child runs is reserved. Together they pass no limit.
 */
export function remainingLimits(index: number, run: RunView): Limits {
  const { limits, openCalls: calls } = run
  const { usage } = run.limiter()
  const waiting = calls.flatMap(({ child }) => child?.state ?? [])
  const among = sharersOf(index, run)
  const left: [string, unknown][] = amounts.flatMap((name) => {
    const bound = limits[name]
    if (bound === undefined) return []
    const kept = waiting.reduce(
      (sum, one) => sum + Math.max(0, (one.limits[name] ?? 0) - used(name, one.usage)),
      0,
    )
    const open = name === 'toolCalls' ? calls.length : 0
    // Time passes for all child runs at once; some is reserved for the final answer.
    const rest =
      name === 'seconds'
        ? workSeconds(bound) - used(name, usage)
        : splitLimit(bound - used(name, usage) - open - kept, isWhole(name), among)
    return [[name, Math.max(0, rest)]]
  })
  const { perTool } = limits
  if (perTool) left.push(['perTool', remainingPerTool(perTool, usage, among)])
  return Object.fromEntries(left)
}

function remainingPerTool(
  bounds: Readonly<Record<string, number>>,
  { perTool }: Usage,
  among: LimitSharers,
): Record<string, number> {
  const spent = new Map(Object.entries(perTool))
  const left = Object.entries(bounds).map(([name, bound]) => [
    name,
    Math.max(0, splitLimit(bound - (spent.get(name) ?? 0), true, among)),
  ])
  return Object.fromEntries(left)
}

function sharersOf(index: number, { openCalls: calls, toolset }: RunView): LimitSharers {
  const mayBegin = calls.filter(
    ({ call, result, child }) => !result && !child && toolset.get(call.function.name)?.toInput !== undefined,
  )
  const place = mayBegin.filter((one) => one.index < index).length
  return { count: Math.max(1, mayBegin.length), place }
}

interface Change {
  readonly before: Limits
  readonly now: Limits
}

/** Returns the pending child runs, each with its share of the change to the parent's limits, recursively. */
export function raiseLimits(run: RunState, now: Limits): Record<number, ChildRun> {
  const waiting = Object.entries(run.children ?? {})
  const change = { before: run.limits, now }
  const before = withNew(run, change)
  const entries = waiting.map(([index, child], place): [string, ChildRun] => {
    const { state } = child
    const among = { count: waiting.length, place }
    const limits = withShare(withNew(state, change), { before, now }, among)
    const deeper = state.children && { children: raiseLimits(state, limits) }
    return [index, { ...child, state: { ...state, limits, ...deeper } }]
  })
  return Object.fromEntries(entries)
}

/** Returns the run's limits. A newly set limit starts from what has been used so far. */
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

/** The usage of a run, with the calls of its open step and its pending child runs. */
function usedIn(run: RunState): Usage {
  const answers = Object.values(run.results)
  const spent = answers.flatMap((one) => one.spent ?? []).reduce(withSpending, run.usage)
  const waiting = Object.values(run.children ?? {}).map((child) => usedIn(child.state))
  const all = [...answers.flatMap(({ usage }) => usage ?? []), ...waiting].reduce(withUsage, spent)
  return { ...all, toolCalls: all.toolCalls + openCalls(run).length }
}

function withShare(own: Limits, { before, now }: Change, among: LimitSharers): Limits {
  const bounds = amounts.map((name) => {
    // Time passes for all child runs at once.
    const part = (by: number) => (name === 'seconds' ? by : splitLimit(by, isWhole(name), among))
    return [name, bound(own[name], { before: before[name], now: now[name] }, part)]
  })
  const perTool = ofTools(own.perTool, { before, now }, among)
  const all = { ...own, ...Object.fromEntries(bounds), perTool }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

function ofTools(
  own: Limits['perTool'] = {},
  { before, now }: Change,
  among: LimitSharers,
): Limits['perTool'] {
  if (!now.perTool) return undefined
  const [were, are] = [new Map(Object.entries(before.perTool ?? {})), Object.entries(now.perTool)]
  const mine = new Map(Object.entries(own))
  const bounds = are.map(([name, bounded]) => [
    name,
    bound(mine.get(name), { before: were.get(name), now: bounded }, (by) => splitLimit(by, true, among)),
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
  // An unknown cost leaves nothing.
  return Math.max(0, (own ?? 0) + part(now - (before ?? 0))) || 0
}

/** Limits that a run shares with its child runs. */
const amounts = [
  'toolCalls',
  'tokens',
  'seconds',
  'images',
  'audioSeconds',
  'artifacts',
  'artifactBytes',
  'cost',
] as const
type Amount = (typeof amounts)[number]

/** The number of child runs that share a limit, and the place of one, from 0. */
interface LimitSharers {
  readonly count: number
  readonly place: number
}

/** The used amount of a limit. An unknown cost counts as everything. */
function used(name: Amount, usage: Usage): number {
  const amount = name === 'tokens' ? usage.totalTokens : usage[name]
  return amount === 'unknown' ? Number.POSITIVE_INFINITY : (amount ?? 0)
}

function isWhole(name: Amount): boolean {
  return limitKinds[name] === 'whole'
}

/** One child's share of an amount. Shares are equal; of whole numbers the first ones get the remainder. */
function splitLimit(amount: number, whole: boolean, { count, place }: LimitSharers): number {
  return whole ? Math.floor((amount + count - 1 - place) / count) : amount / count
}
