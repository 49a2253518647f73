import type { ChatModel } from '@capstan/core'

/** A model without a server. It makes its calls after the user's message, and replies after their results. */
export function asksThenAnswers(
  calls: readonly (readonly [name: string, args: object])[],
  answer: string,
): ChatModel {
  return {
    name: 'scripted',
    async complete({ messages, toolChoice }, sink) {
      const tokens = { inputTokens: 1000, outputTokens: 20, totalTokens: 1020 }
      if (messages.at(-1)?.role === 'tool' || toolChoice === 'none') {
        for (const part of answer.match(/[\s\S]{1,7}/gu) ?? []) sink?.({ type: 'text', text: part })
        return { message: { role: 'assistant', content: answer }, finishReason: 'stop', tokens }
      }
      const made = calls.map(([name, args], index) => ({
        id: `call_${index + 1}`,
        type: 'function' as const,
        function: { name, arguments: JSON.stringify(args) },
      }))
      return {
        message: { role: 'assistant', content: null, tool_calls: made },
        finishReason: 'tool_calls',
        tokens,
      }
    },
  }
}
