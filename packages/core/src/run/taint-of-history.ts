import { parseArguments } from '../answer/parse-arguments.js'
import { readArtifact } from '../tool/read-artifact.js'
import { callsOf, type ToolCall } from '../words/message.js'
import type { RunState } from '../words/state.js'
import { attachedIn, untrustedSourceOf } from './artifact-source.js'
import type { RunPlan } from './walk.js'

/**
 * The first untrusted source of text in the conversation that a run begins with: the model reads it again. Undefined
 * where there is none, and for a run that is resumed: its state has it.
 */
export async function taintOfHistory(state: RunState, plan: RunPlan): Promise<string | undefined> {
  const { messages, usage, flags } = state
  if (flags.taintedBy !== undefined) return undefined
  if (typeof plan.taintedBy === 'string') return plan.taintedBy
  if (usage.requests > 0 || usage.toolCalls > 0) return undefined
  const attached = messages.flatMap(attachedIn).find(({ isUntrusted }) => isUntrusted)
  if (attached) return attached.id
  const answered = new Set(messages.map((message) => message.role === 'tool' && message.tool_call_id))
  const calls = messages.flatMap((message) => callsOf(message)).filter(({ id }) => answered.has(id))
  for (const call of calls) {
    const source = await sourceOf(call, state, plan)
    if (source !== undefined && (plan.taintedBy !== false || plan.trustOf(source) === 'untrusted'))
      return source
  }
  return undefined
}

function sourceOf(call: ToolCall, state: RunState, plan: RunPlan) {
  const { name } = call.function
  if (name === readArtifact.name) return untrustedSourceOf(artifactOf(call), state, plan)
  return plan.trustOf(name) === 'trusted' ? undefined : name
}

function artifactOf({ function: { arguments: text } }: ToolCall): unknown {
  const parsed = parseArguments(text)
  return parsed.ok ? parsed.value.artifact : undefined
}
