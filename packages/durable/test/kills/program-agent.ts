import { codeMode } from '@capstan/code'
import { Agent, type AnyAgent, type ChatModel, tool } from '@capstan/core'
import * as z from 'zod'

/** A program with calls that need no approval, calls whose arguments come from a page, and concurrent calls. */
const code = `const page = await tools.page({ input: 'a' })
const known = await tools.note({ input: 'read a' })
for (const word of ['x', 'y']) await tools.note({ input: word })
await tools.note({ input: page.text })
if (page.text.length > 3) await tools.send({ input: 'go' })
await Promise.all([tools.note({ input: known.text }), tools.note({ input: page.text + '!' })])
return known.text`

/** An agent whose program calls an external service. Three of its calls need approval because of their labels. */
export function programAgent(origin: string): AnyAgent {
  const ask = async (body: object, signal: AbortSignal) => {
    const response = await fetch(origin, { method: 'POST', body: JSON.stringify(body), signal })
    return { text: await response.text() }
  }
  const model: ChatModel = {
    name: 'coder',
    async complete({ messages, idempotencyKey, signal }) {
      await ask({ key: idempotencyKey, input: 'model' }, signal)
      if (messages.some(({ role }) => role === 'assistant'))
        return { message: { role: 'assistant', content: 'Done.' } }
      const call = { name: 'run_program', arguments: JSON.stringify({ code }) }
      const tool_calls = [{ id: 'program', type: 'function' as const, function: call }]
      return { message: { role: 'assistant', content: null, tool_calls } }
    },
  }
  const make = (name: string, options: object = {}) =>
    tool({
      ...options,
      name,
      description: 'Takes effect outside.',
      parameters: z.object({ input: z.string() }),
      execute: ({ input }, { idempotencyKey: key, signal }) => ask({ key, input }, signal),
    })
  const tools = [make('page', { effects: 'read', untrusted: true }), make('note'), make('send')]
  const middleware = [codeMode({ taint: 'values' })]
  return new Agent({ name: 'coder', model, tools, middleware }) as unknown as AnyAgent
}
