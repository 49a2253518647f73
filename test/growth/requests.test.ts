import { setImmediate } from 'node:timers/promises'
import { Agent, type ChatModel, tool } from '@capstan/core'
import { agentHandler } from '@capstan/http'
import { type Service, startService } from '@capstan/service'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { expectLinear } from '../../packages/core/test/expect-linear.js'
import { cases, some } from '../../scripts/cases.mjs'
import { many } from './measure.js'

type Fields = Readonly<Record<string, unknown>>
/** The body of a request with `n` items. */
type Make = (n: number) => Fields

const n = cases(10_000, 1000)

const model: ChatModel = {
  name: 'm',
  complete: async () => ({ message: { role: 'assistant', content: 'ok' }, finishReason: 'stop' }),
}
const look = tool({ name: 'look', description: 'Looks', parameters: z.object({}), execute: () => 'ok' })
const agent = new Agent({ name: 'a', model, tools: [look] })

/** Prepares a request of each size, and answers it by a handler that is new each time. */
function toHandler(path: string, make: Make) {
  return (count: number) => {
    const body = JSON.stringify(make(count))
    return async () => {
      const handler = agentHandler(agent, {
        authenticate: () => ({ id: 'ada' }),
        onError: () => {},
        maxBodyBytes: 2 ** 23,
      })
      const headers = { 'content-type': 'application/json' }
      const response = await handler(
        new Request(`http://localhost${path}`, { method: 'POST', headers, body }),
      )
      const text = await response.text()
      await handler.close()
      expect(response.status, text.slice(0, 300)).toBeLessThan(500)
      expect(response.status).not.toBe(413)
    }
  }
}

const user = { role: 'user', content: 'x' }
const keys = (count: number) => Object.fromEntries(many(count, (at) => [`k${at}`, 1]))
const named = (count: number, make: (name: string) => Fields) => many(count, (at) => make(`f${at}`))
const reply = (count: number) => ({
  ...{ role: 'assistant', content: null },
  tool_calls: many(count, (at) => ({
    id: `${at}`,
    type: 'function',
    function: { name: 'f', arguments: '{}' },
  })),
})
const result = (at: number) => ({ role: 'tool', tool_call_id: `${at}`, content: 'x' })

const toChat = (messages: readonly Fields[], further: Fields = {}) => ({ model: 'a', messages, ...further })
const chat: Readonly<Record<string, Make>> = {
  'one reply of calls': (count) => toChat([user, reply(count / 2), ...many(count / 2, result), user]),
  'turns with a call': (count) =>
    toChat(
      many(count / 4, (at) => [
        user,
        { ...reply(1), tool_calls: [{ ...reply(1).tool_calls[0], id: `${at}` }] },
        result(at),
      ])
        .flat()
        .concat(user),
    ),
  'calls of one id': (count) =>
    toChat(
      many(count / 4, () => [user, reply(1), result(0)])
        .flat()
        .concat(user),
    ),
  messages: (count) => toChat(many(count, () => user)),
  replies: (count) => toChat([...many(count, () => ({ role: 'assistant', content: 'a' })), user]),
  parts: (count) => toChat([{ role: 'user', content: many(count, () => ({ type: 'text', text: 'x' })) }]),
  instructions: (count) => toChat([...many(count, () => ({ role: 'system', content: 'x' })), user]),
  tools: (count) =>
    toChat([user], {
      tools: named(count / 2, (name) => ({ type: 'function', function: { name, parameters: {} } })),
    }),
  keys: (count) => toChat([user], keys(count)),
  'keys of a message': (count) => toChat([{ ...user, ...keys(count) }]),
  'a long text': (count) => toChat([{ role: 'user', content: 'Attached: '.repeat(count) }]),
}

const toRuns = (input: unknown) => ({ input })
const runs: Readonly<Record<string, Make>> = {
  'one reply of calls': (count) => toRuns([user, reply(count / 2), ...many(count / 2, result), user]),
  messages: (count) => toRuns(many(count, () => user)),
  parts: (count) => toRuns([{ role: 'user', content: many(count, () => ({ type: 'text', text: 'x' })) }]),
  keys: (count) => ({ input: 'x', ...keys(count) }),
  decisions: (count) => ({ run: 'none', decisions: keys(count) }),
  'a long text': (count) => toRuns('Attached: '.repeat(count)),
}

const toResponses = (input: unknown, further: Fields = {}) => ({ model: 'a', input, ...further })
const callItem = (at: number) => ({ type: 'function_call', call_id: `${at}`, name: 'f', arguments: '{}' })
const outputItem = (at: number) => ({ type: 'function_call_output', call_id: `${at}`, output: 'x' })
const responses: Readonly<Record<string, Make>> = {
  'calls without anything': (count) => toResponses(many(count, () => ({ type: 'function_call' }))),
  'calls and their results': (count) =>
    toResponses([user, ...many(count / 3, (at) => [callItem(at), outputItem(at)]).flat(), user]),
  'one reply of calls': (count) =>
    toResponses([user, ...many(count / 3, callItem), ...many(count / 3, outputItem), user]),
  replies: (count) => toResponses([...many(count, () => ({ role: 'assistant', content: 'a' })), user]),
  messages: (count) => toResponses(many(count, () => user)),
  reasoning: (count) => toResponses([...many(count, () => ({ type: 'reasoning', summary: [] })), user]),
  parts: (count) =>
    toResponses([{ role: 'user', content: many(count, () => ({ type: 'input_text', text: 'x' })) }]),
  tools: (count) => toResponses('x', { tools: named(count, (name) => ({ type: 'function', name })) }),
  keys: (count) => toResponses('x', keys(count)),
  'a long text': (count) => toResponses('Attached: '.repeat(count)),
}

const toMessages = (messages: readonly Fields[], further: Fields = {}) => ({
  model: 'a',
  max_tokens: 5,
  messages,
  ...further,
})
const use = (at: number) => ({ type: 'tool_use', id: `${at}`, name: 'f', input: {} })
const useResult = (at: number) => ({ type: 'tool_result', tool_use_id: `${at}`, content: 'x' })
const messages: Readonly<Record<string, Make>> = {
  'one reply of calls': (count) =>
    toMessages([
      user,
      { role: 'assistant', content: many(count / 2, use) },
      { role: 'user', content: many(count / 2, useResult) },
    ]),
  'turns with a call': (count) =>
    toMessages([
      user,
      ...many(count / 4, (at) => [
        { role: 'assistant', content: [use(at)] },
        { role: 'user', content: [useResult(at)] },
      ]).flat(),
    ]),
  'text blocks': (count) =>
    toMessages([{ role: 'user', content: many(count, () => ({ type: 'text', text: 'a' })) }]),
  messages: (count) => toMessages(many(count, () => user)),
  'parts of a result': (count) =>
    toMessages([
      user,
      { role: 'assistant', content: [use(0)] },
      {
        role: 'user',
        content: [{ ...useResult(0), content: many(count, () => ({ type: 'text', text: 'a' })) }],
      },
    ]),
  instructions: (count) => toMessages([user], { system: many(count, () => ({ type: 'text', text: 'a' })) }),
  tools: (count) => toMessages([user], { tools: named(count, (name) => ({ name, input_schema: {} })) }),
  keys: (count) => toMessages([user], keys(count)),
}

const toUi = (...parts: readonly (readonly [role: string, parts: readonly Fields[]])[]) => ({
  id: 'c',
  messages: parts.map(([role, list], at) => ({ id: `${at}`, role, parts: list })),
})
const uiText = [{ type: 'text', text: 'x' }]
const uiCall = (at: number) => ({ type: 'tool-f', toolCallId: `${at}`, state: 'output-available', output: 1 })
const ui: Readonly<Record<string, Make>> = {
  'calls with results': (count) =>
    toUi(['user', uiText], ['assistant', many(count / 2, uiCall)], ['user', uiText]),
  'steps with a call': (count) =>
    toUi(
      ['user', uiText],
      ['assistant', many(count / 3, (at) => [{ type: 'step-start' }, uiCall(at)]).flat()],
      ['user', uiText],
    ),
  'text parts': (count) => toUi(['user', many(count, () => ({ type: 'text', text: 'x' }))]),
  messages: (count) => toUi(...many(count / 2, () => ['user', uiText] as const)),
  keys: (count) => ({ ...toUi(['user', uiText]), ...keys(count) }),
}

const agUi = (list: readonly Fields[], further: Fields = {}) => ({
  ...{ threadId: 't', runId: 'r', tools: [], context: [], ...further },
  messages: list.map((one, at) => ({ id: `m${at}`, ...one })),
})
const agUiResult = (at: number) => ({ role: 'tool', toolCallId: `${at}`, content: 'x' })
const agUiReply = (count: number) => {
  const { content: _, tool_calls: toolCalls, ...rest } = reply(count)
  return { ...rest, toolCalls }
}
const agUiRoute: Readonly<Record<string, Make>> = {
  'results of no call': (count) => agUi([user, ...many(count, agUiResult), user]),
  'one reply of calls': (count) => agUi([user, agUiReply(count / 2), ...many(count / 2, agUiResult), user]),
  messages: (count) => agUi(many(count, () => user)),
  tools: (count) =>
    agUi([user], { tools: named(count, (name) => ({ name, description: 'd', parameters: {} })) }),
  context: (count) => agUi([user], { context: many(count, () => ({ description: 'a', value: 'b' })) }),
  keys: (count) => agUi([user], { forwardedProps: keys(count) }),
}

const routes = {
  '/runs': runs,
  '/v1/chat/completions': chat,
  '/v1/responses': responses,
  '/v1/messages': messages,
  '/ui': ui,
  '/ag-ui': agUiRoute,
}

describe.each(Object.entries(routes))('the cost of a request to %s grows with its length', (path, all) => {
  test.each(some(Object.entries(all), 12))('%s', async (_name, make) => {
    await expectLinear(toHandler(path, make), n)
  })
})

/** A model whose reply comes in pieces of each kind, as fast as they are read: a run keeps the last 10,000 events. */
const telling = (count: number): ChatModel => ({
  name: 'm',
  async complete(_request, sink) {
    for (const [at, text] of many(count, () => 'ab ').entries()) {
      if (at % 100 === 0) await setImmediate()
      sink?.({ type: 'text', text })
      sink?.({ type: 'reasoning', text })
      sink?.({ type: 'call', index: 0, name: 'f', arguments: ' ' })
    }
    const said = 'ab '.repeat(count)
    return { message: { role: 'assistant', content: said, reasoning_content: said }, finishReason: 'stop' }
  },
})

/** A model that calls a tool as often in one reply, and then says something. */
const callingOften = (count: number): ChatModel => ({
  name: 'm',
  async complete({ messages: given }, sink) {
    if (given.at(-1)?.role === 'tool')
      return { message: { role: 'assistant', content: 'ok' }, finishReason: 'stop' }
    const tool_calls = many(count, (at) => ({
      ...{ id: `c${at}`, type: 'function' as const },
      function: { name: 'look', arguments: '{}' },
    }))
    for (const [index, call] of tool_calls.entries()) sink?.({ type: 'call', index, ...call.function })
    return { message: { role: 'assistant', content: null, tool_calls }, finishReason: 'tool_calls' }
  },
})

const asked: Readonly<Record<keyof typeof routes, Fields>> = {
  '/runs': { input: 'x' },
  '/v1/chat/completions': { model: 'a', stream: true, messages: [user] },
  '/v1/responses': { model: 'a', stream: true, input: 'x' },
  '/v1/messages': { model: 'a', stream: true, max_tokens: 5, messages: [user] },
  '/ui': { id: 'c', messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'x' }] }] },
  '/ag-ui': { threadId: 't', runId: 'r', tools: [], context: [], messages: [{ id: '1', ...user }] },
}

const streams = Object.entries(asked).flatMap(([path, request]) => [
  { path, request, what: 'pieces', make: telling, n: cases(4000, 1000) },
  { path, request, what: 'calls', make: callingOften, n: cases(1000, 100) },
])

test.each(some(streams, 7))(
  'the cost of a stream of $what over $path grows with its length',
  async ({ path, request, make, n }) => {
    await expectLinear((count) => {
      const body = JSON.stringify(request)
      const teller = new Agent({
        name: 'a',
        model: make(count),
        tools: [look],
        limits: { toolCalls: 100_000 },
      })
      return async () => {
        const handler = agentHandler(teller, { authenticate: () => ({ id: 'ada' }), onError: () => {} })
        const headers = { 'content-type': 'application/json' }
        const response = await handler(
          new Request(`http://localhost${path}`, { method: 'POST', headers, body }),
        )
        const text = await response.text()
        await handler.close()
        expect(response.status, text.slice(0, 300)).toBe(200)
        expect(text.slice(-300)).not.toContain('no longer kept')
      }
    }, n)
  },
)

let service: Service
beforeAll(async () => {
  service = await startService({ workers: 1 })
})
afterAll(() => service.close())

const serviceRoutes = {
  '/chat/completions': chat,
  '/responses': responses,
  '/messages': messages,
  '/embeddings': {
    inputs: (count) => ({ model: 'a', input: many(count / 2, () => 'x') }),
    'a long text': (count) => ({ model: 'a', input: 'word '.repeat(count) }),
  } as Readonly<Record<string, Make>>,
}

describe.each(Object.entries(serviceRoutes))(
  'the cost of a request to %s of the service grows with its length',
  (path, all) => {
    test.each(some(Object.entries(all), 12))('%s', async (_name, make) => {
      await expectLinear((count) => {
        const body = JSON.stringify({
          ...make(count),
          model: path === '/embeddings' ? 'text-embedding-3-small' : 'planner',
        })
        return async () => {
          const headers = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
          const response = await fetch(`${service.baseURL}${path}`, { method: 'POST', headers, body })
          expect(response.status, (await response.text()).slice(0, 300)).toBeLessThan(500)
        }
      }, n)
    })
  },
)
