import type { ChildRun, Limits } from '../words/state.js'
import { amounts, isWhole, type Sharers, share } from './share.js'

type Children = Readonly<Record<number, ChildRun>>

interface Change {
  readonly before: Limits
  readonly now: Limits
}

/** Agents that wait within a run, each with its share of what the run's limits were changed by; theirs as well. */
export function raised(children: Children, { before, now }: Change): Record<number, ChildRun> {
  const waiting = Object.entries(children)
  const entries = waiting.map(([index, child], place): [string, ChildRun] => {
    const { limits, children: within } = child.state
    const changed = withShare(limits, { before, now }, { count: waiting.length, place })
    const deeper = within && { children: raised(within, { before: limits, now: changed }) }
    return [index, { ...child, state: { ...child.state, limits: changed, ...deeper } }]
  })
  return Object.fromEntries(entries)
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
  return Math.max(0, (own ?? 0) + part(now - (before ?? 0)))
}
