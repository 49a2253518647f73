import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import {
  createAgentUIStreamResponse,
  type ModelMessage,
  ToolLoopAgent,
  tool,
  type UIMessage,
} from 'ai'
import type { ClientMessage, Input, Opened, Outcome, Peer, Setup } from '../peer.js'

/** The AI SDK, with `ToolLoopAgent`. */
export const peer: Peer = {
  open(setup) {
    const { baseURL, apiKey, mended } = setup
    const agent = new ToolLoopAgent({
      model: createOpenAICompatible({ name: 'scripted', baseURL, apiKey }).chatModel('scripted'),
      tools: toolsOf(setup),
      toolApproval: Object.fromEntries(
        setup.tools.filter((one) => one.needsApproval).map(({ name }) => [name, 'user-approval' as const]),
      ),
      ...(mended && { experimental_toolApprovalSecret: 'a secret of the server' }),
    })
    const opened: Opened = {
      async run(input, { signal, onText } = {}) {
        const options = { ...promptOf(input), ...(signal && { abortSignal: signal }) }
        const messages = typeof input === 'string' ? [{ role: 'user', content: input } as const] : input
        if (!onText) return toOutcome(messages, await agent.generate(options))
        const result = await agent.stream(options)
        let text = ''
        for await (const part of result.fullStream) {
          if (part.type === 'error') throw part.error
          if (part.type === 'abort') return { end: 'abort', text }
          if (part.type !== 'text-delta') continue
          text += part.text
          onText(part.text)
        }
        return { text, end: await result.finishReason }
      },
      async resume(kept, decisions) {
        const { messages, approvals } = JSON.parse(kept) as Kept
        const content = approvals
          .filter(({ call }) => decisions[call] !== undefined)
          .map(({ approvalId, call }) => ({
            type: 'tool-approval-response' as const,
            approvalId,
            approved: decisions[call] === true,
          }))
        const next: ModelMessage[] = [...messages, { role: 'tool', content }]
        return toOutcome(next, await agent.generate({ messages: next }))
      },
      async chat({ messages }) {
        const response = await createAgentUIStreamResponse({ agent, uiMessages: toUIMessages(messages) })
        return response.text()
      },
    }
    return opened
  },
}

interface Kept {
  readonly messages: ModelMessage[]
  readonly approvals: readonly { readonly approvalId: string; readonly call: string }[]
}

function toolsOf({ tools }: Setup) {
  return Object.fromEntries(
    tools.map(({ name, description, parameters, execute }) => [
      name,
      tool({ description, inputSchema: parameters, execute: (args, o) => execute(args, o.abortSignal) }),
    ]),
  )
}

function promptOf(input: Input) {
  return typeof input === 'string' ? { prompt: input } : { messages: input as ModelMessage[] }
}

type Generated = Awaited<ReturnType<ToolLoopAgent['generate']>>

function toOutcome(before: readonly object[], result: Generated): Outcome {
  const asked = result.content.flatMap((part) => (part.type === 'tool-approval-request' ? [part] : []))
  if (asked.length === 0) return { text: result.text, end: result.finishReason }
  const kept = {
    messages: [...before, ...result.response.messages],
    approvals: asked.map(({ approvalId, toolCall }) => ({ approvalId, call: toolCall.toolCallId })),
  }
  return {
    text: result.text,
    end: result.finishReason,
    pending: asked.map(({ toolCall: { toolCallId: id, toolName: name, input } }) => ({
      id,
      name,
      arguments: input,
    })),
    kept: JSON.stringify(kept),
  }
}

function toUIMessages(messages: readonly ClientMessage[]): UIMessage[] {
  return messages.map((message, index) => {
    const id = `message_${index}`
    if (message.role === 'call') {
      const { call } = message
      const common = { type: `tool-${call.name}` as const, toolCallId: call.id, input: call.arguments }
      const part =
        call.result === undefined
          ? { ...common, state: 'approval-responded' as const, approval: { id: 'approval_1', approved: true } }
          : { ...common, state: 'output-available' as const, output: call.result }
      return { id, role: 'assistant', parts: [part] }
    }
    const text = { type: 'text' as const, text: message.text }
    if (!('url' in message)) return { id, role: message.role, parts: [text] }
    return { id, role: 'user', parts: [text, { type: 'file', url: message.url, mediaType: message.mediaType }] }
  })
}
