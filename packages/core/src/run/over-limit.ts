import { refusal } from '../answer/refusals.js'
import type { Answer, LimitName, RunState } from '../words/state.js'
import { outputToolName } from './output.js'
import { openCalls } from './walk.js'

const none: ReadonlyMap<number, Answer> = new Map()

/** The answers of those open calls that would pass a limit on calls, by their index; others of the turn run. */
export function overLimit(state: RunState): ReadonlyMap<number, Answer> {
  const { usage, limits, answered, pending, children } = state
  if (limits.toolCalls === undefined && limits.perTool === undefined) return none
  const refused = new Map<number, Answer>()
  const perTool = new Map(Object.entries(usage.perTool))
  let all = usage.toolCalls
  for (const [index, { id, function: called }] of openCalls(state).entries()) {
    const waits = children?.[index] !== undefined || pending.some(({ callId }) => callId === id)
    const isKnown = answered[index] !== undefined || waits
    const ofTool = perTool.get(called.name) ?? 0
    const bound = boundOf(limits.perTool, called.name)
    // The answer itself is no call that a limit should hold back.
    if (called.name === outputToolName) continue
    if (!isKnown && all >= (limits.toolCalls ?? Number.POSITIVE_INFINITY))
      refused.set(index, toRefusal('toolCalls', `calls (${limits.toolCalls})`))
    else if (!isKnown && ofTool >= bound)
      refused.set(index, toRefusal('perTool', `calls of "${called.name}" (${bound})`))
    all += 1
    perTool.set(called.name, ofTool + 1)
  }
  return refused
}

function boundOf(perTool: Readonly<Record<string, number>> = {}, name: string): number {
  return Object.hasOwn(perTool, name) ? (perTool[name] ?? 0) : Number.POSITIVE_INFINITY
}

function toRefusal(limit: LimitName, what: string): Answer {
  return { ...refusal('not_run', `the run's limit of ${what} is reached; this call did not run.`), limit }
}
