import { expect, test } from 'vitest'
import { named } from '../test/call-context.js'
import { scriptedModel } from '../test/scripted-model.js'
import { handoff } from './features/agents/handoff.js'
import { Agent } from './index.js'
import type { Middleware } from './run/middleware.js'
import type { ToolDefinition } from './types/message.js'

const tools = [named('open', () => 1), named('secret', () => 1), named('hidden', () => 1)]
const unknown = (name = 'nonsense') => [[name, {}, 'c1']] as const
const hiding: Middleware = {
  name: 'hiding',
  beforeModel: ({ tools: offered }) => ({
    tools: offered.filter((one: ToolDefinition) => one.function.name === 'open'),
  }),
}

test.each([
  ['prepareStep', { prepareStep: () => ({ tools: ['open'] }) }, 'Available tools: open.'],
  ['a middleware', { middleware: [hiding] }, 'Available tools: open.'],
  ['no tools', { prepareStep: () => ({ tools: [] }) }, 'Available tools: none.'],
  ['toolChoice none', { toolChoice: 'none' }, 'Available tools: none.'],
] as const)(
  'an unknown name is answered with the tools of its request alone: %s',
  async (_, options, list) => {
    for (const name of ['nonsense', 'a b!', 'secret']) {
      const agent = new Agent({ model: scriptedModel([unknown(name), 'ok']), tools, ...options })
      const { toolCalls, state } = await agent.run('go')
      expect(toolCalls).toMatchObject([{ status: 'rejected', content: expect.stringContaining(list) }])
      expect(JSON.stringify(state.messages)).not.toMatch(/hidden/)
    }
  },
)

test('tools that stuck detection has withheld are not listed', async () => {
  const again = [['open', { a: 1 }]] as const
  const model = scriptedModel([again, again, again, unknown(), 'ok'])
  const { toolCalls } = await new Agent({ model, tools }).run('go')
  const { content } = toolCalls.at(-1) ?? {}
  expect(content).toContain('unknown tool "nonsense"')
  expect(content).not.toContain('open')
})

test('after a handoff only the tools of the other agent are listed', async () => {
  const other = new Agent({ name: 'other', model: 'x', tools: [named('own', () => 1)] })
  const agent = new Agent({ model: 'x', tools: [...tools, handoff(other)] })
  const model = scriptedModel([[['transfer_to_other']], unknown(), 'ok'])
  const { toolCalls } = await agent.run('go', { model })
  expect(toolCalls.at(-1)?.content).toContain('Available tools: own.')
})

test('all tools are listed where all were offered', async () => {
  const { toolCalls } = await new Agent({ model: scriptedModel([unknown(), 'ok']), tools }).run('go')
  expect(toolCalls[0]?.content).toBe('Error: unknown tool "nonsense". Available tools: open, secret, hidden.')
})
