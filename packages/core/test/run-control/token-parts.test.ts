import { expect, test } from 'vitest'
import * as z from 'zod'
import { readState } from '../../src/features/resume/resume.js'
import {
  Agent,
  agentTool,
  chatModel,
  type Middleware,
  memorySessions,
  type RunState,
  tool,
} from '../../src/index.js'
import { messagesModel } from '../../src/messages.js'
import { responsesModel } from '../../src/responses.js'
import { type Line, startScriptedServer } from '../scripted-server.js'

const usage = {
  prompt_tokens: 10_000,
  completion_tokens: 100,
  total_tokens: 10_100,
  prompt_tokens_details: { cached_tokens: 9900, cache_write_tokens: 50 },
  completion_tokens_details: { reasoning_tokens: 80 },
}
/** What one reply adds to the usage of a run. */
const once = { cachedInputTokens: 9900, cacheWriteTokens: 50, reasoningTokens: 80 }
const times = (n: number) => ({
  cachedInputTokens: n * 9900,
  cacheWriteTokens: n * 50,
  reasoningTokens: n * 80,
})
const price = { m: { inputTokens: 10, cachedInputTokens: 1, outputTokens: 40 } }
const cost = 9900 * 1 + 100 * 10 + 100 * 40

const replying = (message: object, finish_reason = 'stop', counted: object = usage): Line => ({
  status: 200,
  body: {
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
    usage: counted,
  },
})
const saying = (content: string, counted?: object) => replying({ content }, 'stop', counted)
const calling = (name: string, args: object = {}) => {
  const called = { id: 'call_1', type: 'function', function: { name, arguments: JSON.stringify(args) } }
  return replying({ content: null, tool_calls: [called] }, 'tool_calls')
}
const look = tool({ name: 'look', description: 'Looks', parameters: z.object({}), execute: () => 'a gate' })

test('cached tokens cost their own price, and the counts of all replies are summed', async () => {
  await using server = await startScriptedServer([calling('look'), saying('A gate.')])
  const agent = new Agent({ model: chatModel('m', server), tools: [look], price })
  const result = await agent.run('What is there?')
  expect(result.usage).toMatchObject({ inputTokens: 20_000, outputTokens: 200, ...times(2), cost: 2 * cost })
})

test('a streamed reply reports them as well, and a server that does not report them leaves none', async () => {
  const chunk = (choices: readonly object[], counted?: object) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices, usage: counted ?? null })}\n\n`
  const streamed =
    (counted: object): Line =>
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(chunk([{ index: 0, delta: { content: 'Hi.' }, finish_reason: 'stop' }]))
      response.end(`${chunk([], counted)}data: [DONE]\n\n`)
    }
  const plain = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
  await using server = await startScriptedServer([streamed(usage), streamed(plain)])
  const agent = new Agent({ model: chatModel('m', server) })
  expect((await agent.stream('Hi').result).usage).toMatchObject(once)
  expect(Object.keys((await agent.stream('Hi').result).usage)).not.toContain('cachedInputTokens')
})

test('counts of a child run, of a side request and of a session count for their run', async () => {
  await using server = await startScriptedServer([
    saying('Aside.'),
    calling('helper', { input: 'Look.' }),
    saying('From inside.'),
    saying('Done.'),
  ])
  const model = chatModel('m', server)
  let asked = false
  const aside: Middleware = {
    name: 'aside',
    async beforeModel(call) {
      if (!asked) await call.ask([{ role: 'user', content: 'Aside?' }])
      asked = true
    },
  }
  const helper = new Agent({ name: 'helper', model })
  const agent = new Agent({ model, tools: [agentTool(helper)], middleware: [aside], price })
  const session = { store: memorySessions(), id: 'ada' }
  const result = await agent.run('Go.', { session })
  expect(result.text).toBe('Done.')
  expect(result.usage).toMatchObject({ requests: 4, ...times(4), cost: 4 * cost })
})

test('a state keeps the counts, a resumed run adds to them, and a state without them reads as before', async () => {
  await using server = await startScriptedServer([
    calling('look'),
    saying('A gate.'),
    saying('Still a gate.'),
  ])
  const agent = new Agent({ model: chatModel('m', server), tools: [look], price })
  const first = await agent.run('What is there?', { limits: { steps: 1 } })
  expect(first).toMatchObject({ stopReason: 'limit', usage: times(2) })
  const state = JSON.parse(JSON.stringify(first.state)) as RunState
  expect(readState(state).usage).toMatchObject(times(2))
  const resumed = await agent.run(state, { limits: { steps: 5 } })
  expect(resumed.usage).toMatchObject({ ...times(3), cost: 3 * cost })
  const { cachedInputTokens: _c, cacheWriteTokens: _w, reasoningTokens: _r, ...before } = state.usage
  expect(readState({ ...state, usage: before }).usage).toEqual(before)
})

const raised = {
  chat: replying({ content: 'Hi.' }, 'stop', {
    prompt_tokens: 7,
    completion_tokens: 16,
    total_tokens: 23,
    prompt_tokens_details: { cached_tokens: 161 },
    completion_tokens_details: { reasoning_tokens: 19 },
  }),
  responses: {
    status: 200,
    body: {
      object: 'response',
      status: 'completed',
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }] }],
      usage: {
        input_tokens: 7,
        output_tokens: 16,
        total_tokens: 23,
        input_tokens_details: { cached_tokens: 161 },
        output_tokens_details: { reasoning_tokens: 19 },
      },
    },
  },
  messages: {
    status: 200,
    body: {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'Hi.' }],
      stop_reason: 'end_turn',
      usage: {
        input_tokens: 0,
        cache_read_input_tokens: 161,
        output_tokens: 16,
        output_tokens_details: { thinking_tokens: 19 },
      },
    },
  },
}
const models = { chat: chatModel, responses: responsesModel, messages: messagesModel }

test.each(['chat', 'responses', 'messages'] as const)(
  'a part that is greater than its whole raises the whole, with one warning: %s',
  async (protocol) => {
    await using server = await startScriptedServer([raised[protocol], raised[protocol]])
    const agent = new Agent({ model: models[protocol]('m', server) })
    const first = await agent.run('Hi')
    const counts = { inputTokens: 161, cachedInputTokens: 161, outputTokens: 19, reasoningTokens: 19 }
    expect(first.usage).toMatchObject({ ...counts, totalTokens: 180 })
    const { warnings } = await agent.run([...first.messages, { role: 'user', content: 'Hi' }])
    expect(warnings).toEqual([expect.stringContaining('"m" reported more cached or reasoning tokens')])
  },
)

test('tokens that a server reports as read and as written count as read', async () => {
  const counted = { ...usage, prompt_tokens_details: { cached_tokens: 9900, cache_write_tokens: 9900 } }
  await using server = await startScriptedServer([saying('Hi.', counted)])
  const { usage: used, warnings } = await new Agent({ model: chatModel('m', server) }).run('Hi')
  expect(used).toMatchObject({ inputTokens: 10_000, cachedInputTokens: 9900, cacheWriteTokens: 100 })
  expect(warnings).toBeUndefined()
})
