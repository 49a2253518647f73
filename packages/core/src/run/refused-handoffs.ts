import { refusal } from '../answer/refusals.js'
import type { Answer, RunState } from '../words/state.js'
import { openCalls, type RunPlan } from './walk.js'

const none: ReadonlyMap<number, Answer> = new Map()

/** The answers of open calls that would hand over to nobody, or to a second agent, by their index. */
export function refusedHandoffs(state: RunState, { toolset, agents }: RunPlan): ReadonlyMap<number, Answer> {
  const calls = openCalls(state)
  if (!calls.some((call) => toolset.get(call.function.name)?.handoff !== undefined)) return none
  const refused = new Map<number, Answer>()
  let first: string | undefined
  for (const [index, call] of calls.entries()) {
    const to = toolset.get(call.function.name)?.handoff
    if (to === undefined) continue
    const known = state.answered[index]
    if (known) first ??= known.status === 'ok' ? to : undefined
    else if (!agents.has(to)) refused.set(index, refusal('error', `this run knows no agent "${to}".`))
    else if (first !== undefined)
      refused.set(index, refusal('not_run', `the conversation goes to one agent alone, "${first}".`))
    else first = to
  }
  return refused
}
