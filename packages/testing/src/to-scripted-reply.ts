import type { ModelReply, TokenUsage, ToolCall } from '@capstan/core'
import type { ScriptAnswer, ScriptCall, ScriptFailure } from './script-step.js'

/** A step as the reply of a model; `place` counts the steps from 1, and names the calls that have no id. */
export function toScriptedReply(step: Exclude<ScriptAnswer, ScriptFailure>, place: number): ModelReply {
  if (!('type' in step)) return step
  const tokens = toTokens(step.tokens)
  const { finishReason } = step
  if (step.type === 'text') {
    const message = { role: 'assistant', content: step.text } as const
    return { message, finishReason: finishReason ?? 'stop', tokens }
  }
  const calls = step.type === 'call' ? [step] : step.calls
  const tool_calls = calls.map((call, at) => toWireCall(call, `call_${place}_${at + 1}`))
  const message = { role: 'assistant', content: null, tool_calls } as const
  return { message, finishReason: finishReason ?? 'tool_calls', tokens }
}

function toWireCall({ name, arguments: args, id }: ScriptCall, ownId: string): ToolCall {
  const text = typeof args === 'string' ? args : JSON.stringify(args)
  return { id: id ?? ownId, type: 'function', function: { name, arguments: text } }
}

function toTokens({ inputTokens = 10, outputTokens = 5, totalTokens }: Partial<TokenUsage> = {}): TokenUsage {
  return { inputTokens, outputTokens, totalTokens: totalTokens ?? inputTokens + outputTokens }
}
