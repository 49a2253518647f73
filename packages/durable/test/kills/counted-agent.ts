import { Agent, type AnyAgent, type ChatModel, memoryHost, tool } from '@capstan/core'
import * as z from 'zod'

export const turns = 6
export const callsPerTurn = 3

/** An agent whose effects happen in an external service. Its model replies differently to each request. */
export function countedAgent(origin: string, worker = ''): AnyAgent {
  const ask = async (path: string, body: unknown, signal: AbortSignal) => {
    const response = await fetch(`${origin}${path}`, {
      method: 'POST',
      headers: { 'x-worker': worker },
      body: JSON.stringify(body),
      signal,
    })
    return response.text()
  }
  const model: ChatModel = {
    name: 'counted',
    async complete({ messages, idempotencyKey, signal }) {
      await ask('/model', { key: idempotencyKey }, signal)
      const turn = messages.filter(({ role }) => role === 'assistant').length
      if (turn === turns) return { message: { role: 'assistant', content: resultsOf(messages).join(' ') } }
      const calls = Array.from({ length: callsPerTurn }, () => ({
        id: crypto.randomUUID(),
        type: 'function' as const,
        function: { name: 'count', arguments: JSON.stringify({ value: crypto.randomUUID() }) },
      }))
      return { message: { role: 'assistant', content: null, tool_calls: calls } }
    },
  }
  const count = tool({
    name: 'count',
    description: 'Counts',
    parameters: z.object({ value: z.string() }),
    execute: (args, { idempotencyKey, signal }) => ask('/tool', { key: idempotencyKey, args }, signal),
  })
  return new Agent({ name: 'counted', model, tools: [count] }) as unknown as AnyAgent
}

function resultsOf(messages: Parameters<ChatModel['complete']>[0]['messages']): string[] {
  return messages.flatMap((message) => (message.role === 'tool' ? [String(message.content)] : []))
}

/** The same agent without a journal, which starts over each time. The proof must fail for it. */
export function withoutJournal(agent: AnyAgent): AnyAgent {
  return {
    name: agent.name,
    artifacts: agent.artifacts,
    tools: agent.tools,
    agents: agent.agents,
    prepare: (input, options) => agent.prepare(input, options),
    run: (input, options) => agent.run(input, { ...options, host: memoryHost }),
    stream: (input, options) => agent.stream(input, { ...options, host: memoryHost }),
    with: (changes) => withoutJournal(agent.with(changes)),
  }
}
