import { Agent, chatModel, type Message, type RunState, tool } from '@capstan/core'
import { agentHandler } from '@capstan/http'
import type { ClientMessage, Opened, Outcome, Peer } from '../peer.js'

export const peer: Peer = {
  open({ baseURL, apiKey, tools: specs }) {
    const tools = specs.map(({ name, description, parameters, execute, needsApproval, untrusted }) =>
      tool({
        name,
        description,
        parameters,
        ...(needsApproval && { needsApproval }),
        ...(untrusted && { untrusted, effects: 'read' as const }),
        execute: (args, { signal }) => execute(args, signal),
      }),
    )
    const model = chatModel('scripted', { baseURL, apiKey })
    const agent = new Agent({ name: 'scripted', model, tools })
    const opened: Opened = {
      async run(input, { signal, onText } = {}) {
        const options = signal ? { signal } : {}
        const given = typeof input === 'string' ? input : (input as Message[])
        if (!onText) return toOutcome(await agent.run(given, options))
        const run = agent.stream(given, options)
        for await (const text of run.textStream) onText(text)
        return toOutcome(await run.result)
      },
      async resume(kept, decisions) {
        const given = Object.entries(decisions).map(([id, yes]) => [
          id,
          yes ? { type: 'approve' as const } : { type: 'deny' as const, reason: 'No.' },
        ])
        return toOutcome(await agent.run(JSON.parse(kept) as RunState, { decisions: Object.fromEntries(given) }))
      },
      async chat({ messages }) {
        const handler = agentHandler(agent, { authenticate: () => ({ id: 'ann' }) })
        try {
          const response = await handler(
            new Request('http://127.0.0.1/ui', {
              method: 'POST',
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify({ id: 'chat', trigger: 'submit-message', messages: toUIMessages(messages) }),
            }),
          )
          const text = await response.text()
          if (!response.ok) throw new Error(text)
          return text
        } finally {
          await handler.close()
        }
      },
    }
    return opened
  },
}

function toOutcome(result: Awaited<ReturnType<Agent['run']>>): Outcome {
  const { text, stopReason, pending } = result
  return {
    text,
    end: stopReason,
    ...(pending && {
      pending: pending.map((call) => ({ id: call.callId, name: call.name, arguments: call.arguments })),
      kept: JSON.stringify(result.state),
    }),
  }
}

/** The messages of `useChat`. */
export function toUIMessages(messages: readonly ClientMessage[]): object[] {
  return messages.map((message, index) => {
    const id = `message_${index}`
    if (message.role === 'call') {
      const { call } = message
      const common = { type: `tool-${call.name}`, toolCallId: call.id, input: call.arguments }
      const part =
        call.result === undefined
          ? { ...common, state: 'approval-responded', approval: { id: 'approval_1', approved: true } }
          : { ...common, state: 'output-available', output: call.result }
      return { id, role: 'assistant', parts: [part] }
    }
    const text = { type: 'text', text: message.text }
    if (!('url' in message)) return { id, role: message.role, parts: [text] }
    return { id, role: 'user', parts: [text, { type: 'file', url: message.url, mediaType: message.mediaType }] }
  })
}
