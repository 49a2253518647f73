import type { Message } from '@capstan/core'

export type AiSdkMessage =
  | { readonly role: 'user' | 'assistant'; readonly content: string | readonly AiSdkPart[] }
  | { readonly role: 'tool'; readonly content: readonly AiSdkPart[] }

type AiSdkPart = { readonly type: string } & Readonly<Record<string, unknown>>

/** Returns the messages before the last reply, whose calls are being handled. Omits the instructions. */
export function beforeReply(messages: readonly Message[]): readonly Message[] {
  const reply = messages.findLastIndex(({ role }) => role === 'assistant')
  return reply < 0 ? messages : messages.slice(0, reply)
}

/** Converts a conversation to AI SDK messages. Keeps calls and text, and drops all other content. */
export function toAiSdkMessages(messages: readonly Message[]): AiSdkMessage[] {
  const names = new Map<string, string>()
  return messages.flatMap((message): AiSdkMessage[] => {
    if (message.role === 'user') return [{ role: 'user', content: textOf(message.content) }]
    if (message.role === 'tool') {
      const { tool_call_id: toolCallId, content } = message
      const toolName = names.get(toolCallId) ?? ''
      const output = { type: 'text', value: textOf(content) }
      return [{ role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] }]
    }
    if (message.role !== 'assistant') return []
    const text = textOf(message.content ?? null)
    const calls = message.tool_calls ?? []
    if (calls.length === 0) return [{ role: 'assistant', content: text }]
    for (const { id, function: called } of calls) names.set(id, called.name)
    const parts = calls.map(({ id, function: called }) => ({
      type: 'tool-call',
      toolCallId: id,
      toolName: called.name,
      input: inputOf(called.arguments),
    }))
    return [{ role: 'assistant', content: text === '' ? parts : [{ type: 'text', text }, ...parts] }]
  })
}

function textOf(content: Message['content']): string {
  if (typeof content === 'string') return content
  return (content ?? []).map(({ text = '' }) => text).join('')
}

function inputOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
