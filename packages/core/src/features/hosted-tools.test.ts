import { expect, expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import {
  Agent,
  type ChatModel,
  chatModel,
  fallback,
  hosted,
  type ModelReply,
  type ModelRequest,
  tool,
} from '../index.js'

interface Scripted extends ChatModel {
  readonly asked: ModelRequest[]
}

/** A model whose server has its own tools. */
function searching(replies: readonly Partial<ModelReply>[]): Scripted {
  const asked: ModelRequest[] = []
  return {
    name: 'searching',
    hostedTools: true,
    asked,
    async complete(request) {
      asked.push(request)
      return { message: { role: 'assistant', content: 'Found.' }, ...replies[asked.length - 1] }
    },
  }
}

const search = hosted({ type: 'web_search', max_uses: 2 })
const found = {
  hostedCalls: [{ type: 'web_search_call', id: 'ws_1', status: 'completed', details: { query: 'x' } }],
  sources: [{ url: 'https://a.example', title: 'A', start: 0, end: 5 }],
}

const save = tool({
  name: 'save',
  description: 'Saves',
  parameters: z.object({ text: z.string() }),
  execute: ({ text }) => text,
})
const saveCall = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c1', type: 'function', function: { name: 'save', arguments: '{"text":"x"}' } }],
} as const

test('a hosted tool is sent as it is, beside the tools of the agent', async () => {
  const model = searching([found])
  await new Agent({ model, tools: [search, save] }).run('Search.')
  expect(model.asked[0]).toMatchObject({ hostedTools: [{ type: 'web_search', max_uses: 2 }] })
  expect(model.asked[0]?.tools.map((one) => one.function.name)).toEqual(['save'])
})

test('what it did is an event and on the step, what the reply cites on the result', async () => {
  const run = new Agent({ model: searching([found]), tools: [search] }).stream('Search.')
  const events: unknown[] = []
  for await (const event of run) if (event.type === 'middleware') events.push(event)
  const result = await run.result
  expect(events).toMatchObject([{ name: 'hosted-tools', action: 'web_search_call', data: { id: 'ws_1' } }])
  expect(result.sources).toEqual(found.sources)
  expect(result.steps[0]?.response.hosted).toMatchObject({ calls: found.hostedCalls })
  expect(JSON.parse(JSON.stringify(result.state))).toEqual(result.state)
})

test('a call in the reply that has the results needs an approval, unless it only reads', async () => {
  const model = searching([{ ...found, message: saveCall }, {}])
  const result = await new Agent({ model, tools: [search, save] }).run('Search and save.')
  expect(result).toMatchObject({ stopReason: 'pending', pending: [{ name: 'save' }] })
  expect(result.pending?.[0]?.reason).toContain('untrusted content from "web_search_call"')
})

test('a call in a later reply needs an approval, as after an untrusted tool', async () => {
  const model = searching([found, { message: saveCall }])
  const agent = new Agent({ model, tools: [search, save] })
  const first = await agent.run('Search.')
  expect(first.state.taintedBy).toBe('web_search_call')
  const next = await agent.run([...first.messages, { role: 'user', content: 'Save it.' }], {
    taintedBy: 'web_search_call',
  })
  expect(next.stopReason).toBe('pending')
})

test('a model without hosted tools is refused before it is asked', async () => {
  const model = chatModel('m', { baseURL: 'http://127.0.0.1:9', apiKey: '' })
  const refused = {
    code: 'unsupported',
    message: expect.stringContaining('"m" cannot run hosted tools (web_search)'),
  }
  await expect(new Agent({ model, tools: [search] }).run('Search.')).rejects.toMatchObject(refused)
  const either = fallback([searching([found]), model])
  await expect(new Agent({ model: either, tools: [search] }).run('Search.')).rejects.toMatchObject({
    code: 'unsupported',
  })
})

test('two hosted tools are sent in one list, and stay in the last request of a run, where nothing may be called', async () => {
  const model = searching([{ message: { ...saveCall } }, {}])
  const code = hosted({ type: 'code_interpreter', container: { type: 'auto' } })
  const agent = new Agent({ model, tools: [search, code, save], limits: { steps: 1 } })
  await agent.run('Search.')
  const types = ['web_search', 'code_interpreter']
  expect(model.asked.map(({ hostedTools }) => hostedTools?.map(({ type }) => type))).toEqual([types, types])
  expect(model.asked.map(({ toolChoice }) => toolChoice)).toEqual(['auto', 'none'])
})

test('an agent lists its own tools only', () => {
  const agent = new Agent({ model: searching([]), tools: [search, save] })
  expect(agent.tools.map((one) => one.name)).toEqual(['save'])
})

test.each([[undefined], [{}], [{ type: '' }], [{ type: 'function', name: 'f' }]])(
  'refuses the definition %j',
  (given) => {
    expect(() => hosted(given as never)).toThrow('needs a type that the server supports')
  },
)

test('calls of the result are typed by the tools of the agent', async () => {
  const result = await new Agent({ model: searching([found]), tools: [search, save] }).run('Search.')
  for (const call of result.toolCalls)
    if (!call.dynamic && call.status === 'ok') {
      expectTypeOf(call.name).toEqualTypeOf<'save'>()
      expectTypeOf(call.result).toEqualTypeOf<string>()
    }
})
