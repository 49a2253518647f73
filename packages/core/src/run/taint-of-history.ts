import { callsOf } from '../words/message.js'
import type { RunState } from '../words/state.js'
import type { RunPlan } from './walk.js'

/**
 * The first untrusted tool whose words are in the conversation that a run begins with: the model reads them again.
 * Undefined for a run that is gone on with: its state knows.
 */
export function taintOfHistory({ messages, usage, flags }: RunState, plan: RunPlan): string | undefined {
  const begins = usage.requests === 0 && usage.toolCalls === 0
  if (!begins || !plan.guards.taint || flags.taintedBy !== undefined) return undefined
  const answered = new Set(messages.map((message) => message.role === 'tool' && message.tool_call_id))
  const calls = messages.flatMap((message) => callsOf(message)).filter(({ id }) => answered.has(id))
  const names = calls.map((call) => call.function.name)
  return names.find(plan.isUntrusted)
}
