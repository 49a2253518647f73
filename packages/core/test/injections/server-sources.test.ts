import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { aiSdkModel } from '../../src/ai-sdk.js'
import {
  Agent,
  type AssistantMessage,
  agentTool,
  type ChatModel,
  chatModel,
  guard,
  hosted,
  type Middleware,
  memorySessions,
  type RunEvent,
  taintTracking,
  verdict,
} from '../../src/index.js'
import { messagesModel } from '../../src/messages.js'
import { responsesModel } from '../../src/responses.js'
import { agentOf, because, call, cast, pays, taintsIn, throughJson } from './cast.js'

type Part = Readonly<Record<string, unknown>>

/** A reply of a server, whole and as the events of a stream. */
interface Sent {
  readonly whole: unknown
  readonly events: readonly Part[]
}

const thanks = { role: 'user', content: 'Thank you.' } as const
const toCall = (id: string) => ({
  id,
  type: 'function',
  function: { name: 'pay', arguments: '{"amount":1}' },
})

/** A completion with fields of its message, and beside its choices. */
function completion(fields: Part, beside: Part = {}, calls = false): Sent {
  const message = {
    role: 'assistant',
    content: 'Found.',
    ...fields,
    ...(calls && { tool_calls: [toCall('c1')] }),
  }
  const delta = { ...message, ...(calls && { tool_calls: [{ index: 0, ...toCall('c1') }] }) }
  const finish_reason = calls ? 'tool_calls' : 'stop'
  const { content, ...later } = delta
  const chunk = (part: Part, reason: string | null = null) => ({
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: part, finish_reason: reason }],
  })
  return {
    whole: { object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], ...beside },
    events: [chunk({ role: 'assistant', content }), { ...chunk(later), ...beside }, chunk({}, finish_reason)],
  }
}

function response(items: readonly Part[], calls = false): Sent {
  const call = { type: 'function_call', id: 'fc', call_id: 'c1', name: 'pay', arguments: '{"amount":1}' }
  const output = calls ? [...items, call] : items
  const whole = { object: 'response', status: 'completed', output }
  return { whole, events: [{ type: 'response.completed', response: whole }] }
}

const said = (annotations: readonly Part[]) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Found.', annotations }],
})

function blocks(given: readonly Part[], calls = false): Sent {
  const content = calls
    ? [...given, { type: 'tool_use', id: 'c1', name: 'pay', input: { amount: 1 } }]
    : given
  const stop_reason = calls ? 'tool_use' : 'end_turn'
  const usage = { input_tokens: 1, output_tokens: 1 }
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', usage }
  return {
    whole: { ...message, content, stop_reason },
    events: [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
      ...content.flatMap((block, index) => [
        { type: 'content_block_start', index, content_block: block },
        { type: 'content_block_stop', index },
      ]),
      { type: 'message_delta', delta: { stop_reason }, usage },
      { type: 'message_stop' },
    ],
  }
}

const citation = { type: 'url_citation', url_citation: { url: 'https://a.example', title: 'A' } }
const cited = { type: 'char_location', cited_text: 'A', document_title: 'A' }
const searched = [
  { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
  { type: 'web_search_tool_result', tool_use_id: 's1', content: [] },
  { type: 'text', text: 'Found.' },
]

const replies: readonly (readonly [string, string, string, (calls: boolean) => Sent])[] = [
  ['chat', 'annotations', 'sources', (calls) => completion({ annotations: [citation] }, {}, calls)],
  ['chat', 'citations', 'sources', (calls) => completion({}, { citations: ['https://a.example'] }, calls)],
  ['chat', 'search results', 'sources', (calls) => completion({}, { search_results: [{ url: 'x' }] }, calls)],
  [
    'chat',
    'executed tools',
    'sources',
    (calls) => completion({ executed_tools: [{ type: 'search' }] }, {}, calls),
  ],
  [
    'chat',
    'a context',
    'sources',
    (calls) => completion({ context: { citations: [{ url: 'x' }] } }, {}, calls),
  ],
  [
    'responses',
    'a hosted call',
    'web_search_call',
    (calls) => response([{ type: 'web_search_call', id: 'w', status: 'completed' }, said([])], calls),
  ],
  [
    'responses',
    'a cited file',
    'sources',
    (calls) => response([said([{ type: 'file_citation', file_id: 'f', index: 0 }])], calls),
  ],
  ['messages', 'a hosted call', 'web_search', (calls) => blocks(searched, calls)],
  // The call may be in an earlier reply.
  ['messages', 'the result of a hosted call', 'sources', (calls) => blocks(searched.slice(1), calls)],
  [
    'messages',
    'citations',
    'sources',
    (calls) => blocks([{ type: 'text', text: 'Found.', citations: [cited] }], calls),
  ],
]

const models = { chat: chatModel, responses: responsesModel, messages: messagesModel }

/** A model whose server sends this reply. */
async function serving(
  protocol: string,
  { whole, events }: Sent,
): Promise<AsyncDisposable & { model: ChatModel }> {
  const server = createServer((request, answer) => {
    let body = ''
    request.on('data', (bytes) => {
      body += bytes
    })
    request.on('end', () => {
      const isStream = JSON.parse(body).stream === true
      answer.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json')
      const lines = events.map(
        (event) => `${event.type ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`,
      )
      answer.end(isStream ? lines.join('') : JSON.stringify(whole))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const options = { baseURL, apiKey: 'k', maxRetries: 0 } as object
  return {
    model: models[protocol as keyof typeof models]('m', options),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** What a run of a model ends with, and the sources that taint it. */
async function ending(model: ChatModel, isStreamed: boolean, tools = [cast().pay]) {
  const events: RunEvent[] = []
  const agent = new Agent({ model, tools, observe: (event) => void events.push(event) })
  const result = isStreamed ? await agent.stream('Search.').result : await agent.run('Search.')
  return { result, taints: taintsIn(events) }
}

describe.each(['whole', 'streamed'])('a reply that is %s', (how) => {
  test.each(replies)(
    'over %s with %s taints its own calls and each run over its messages',
    async (protocol, _, by, toSent) => {
      await using calling = await serving(protocol, toSent(true))
      const { result, taints } = await ending(calling.model, how === 'streamed')
      expect([result.pending?.[0]?.reason, taints]).toEqual([because(by), [by]])

      await using saying = await serving(protocol, toSent(false))
      const { result: first } = await ending(saying.model, how === 'streamed')
      expect(first).toMatchObject({ stopReason: 'done', text: 'Found.', state: { taintedBy: by } })
      const { pay, paid } = cast()
      const later = agentOf(['', [pays(1)]], [pay])
      const { pending } = await later.run([...throughJson(first.messages), thanks])
      expect([pending?.[0]?.reason, paid]).toEqual([because(by), []])
    },
  )

  test.each(['chat', 'responses', 'messages'])('over %s without any taints nothing', async (protocol) => {
    const text = { type: 'text', text: 'Found.' }
    const call = { type: 'tool_use', id: 'c1', name: 'pay', input: { search: [1], citations: [2] } }
    const plain = {
      chat: completion({ annotations: [] }, { citations: [] }),
      responses: response([said([])]),
      messages: blocks([text, call]),
    }
    await using serves = await serving(protocol, plain[protocol as 'chat'])
    const { result, taints } = await ending(serves.model, how === 'streamed')
    expect([result.state.taintedBy, taints]).toEqual([undefined, []])
    expect(JSON.stringify(result.messages)).not.toContain('taintedBy')
  })
})

test.each<[string, Part]>([
  [
    'web_search',
    { type: 'tool-call', toolCallId: 's', toolName: 'web_search', input: '{}', providerExecuted: true },
  ],
  ['sources', { type: 'source', sourceType: 'url', id: 's', url: 'https://a.example' }],
])('a reply of an AI SDK provider with %s taints', async (by, part) => {
  const end = { finishReason: 'stop', usage: { inputTokens: 1, outputTokens: 1 }, warnings: [] }
  const model = aiSdkModel({
    specificationVersion: 'v2',
    provider: 'p',
    modelId: 'm',
    supportedUrls: {},
    doGenerate: async () => ({ content: [part, { type: 'text', text: 'Found.' }], ...end }),
    doStream: async () => {
      throw new Error('Not streamed.')
    },
  } as never)
  const { result, taints } = await ending(model, false)
  expect([result.messages.at(-1)?.taintedBy, taints]).toEqual([by, [by]])
})

const pay: AssistantMessage = { role: 'assistant', content: null, tool_calls: [toCall('c1') as never] }

describe('a marked reply', () => {
  const model: ChatModel = {
    name: 'm',
    hostedTools: true,
    complete: async () => ({
      message: { role: 'assistant', content: 'Found.' },
      hostedCalls: [{ type: 'web_search_call', details: {} }],
    }),
  }

  test('taints the next run of its session, also of an agent without hosted tools', async () => {
    const session = { store: memorySessions(), id: 'ann' }
    await new Agent({ model, tools: [hosted({ type: 'web_search' })] }).run('Search.', { session })
    const { pay, paid } = cast()
    const { pending } = await agentOf(['', [pays(1)]], [pay]).run('Pay.', { session })
    expect([pending?.[0]?.reason, paid]).toEqual([because('web_search_call'), []])
  })

  test.each<[string, Middleware]>([
    ['a guard', guard({ reply: (text) => verdict.replace(`${text}!`) })],
    ['a middleware', { name: 'mine', wrapModel: async (_, next) => ({ ...(await next()), message: pay }) }],
    [
      'a middleware that asks twice',
      { name: 'mine', wrapModel: async (_, next) => [await next(), await next()][1] as never },
    ],
  ])('that %s rewrites stays marked', async (_, one) => {
    const { pay: tool, paid } = cast()
    let asked = 0
    const twice: ChatModel = {
      ...model,
      complete: async (request) => {
        const found = await model.complete(request)
        return asked++ === 0 ? { ...found, message: { ...pay, content: 'Found.' } } : { message: pay }
      },
    }
    const { pending } = await new Agent({ model: twice, tools: [tool], middleware: [one] }).run('Search.')
    expect([pending?.[0]?.reason, paid]).toEqual([because('web_search_call'), []])
  })

  test('of an agent that answered a call taints later runs over its result', async () => {
    const seeker = new Agent({ name: 'seeker', model, tools: [hosted({ type: 'web_search' })] })
    const { pay: tool, paid } = cast()
    const asks = [call('seeker', { input: 'Search.' })]
    const agent = agentOf([asks, 'Found.', [pays(1)]], [agentTool(seeker), tool])
    const first = await agent.run('Search.')
    expect(first.state.taintedBy).toBe('web_search_call')
    const { pending } = await agent.run([...throughJson(first.messages), thanks])
    expect([pending?.[0]?.reason, paid]).toEqual([because('seeker'), []])
  })

  test('is recorded without a question for `ask: false`', async () => {
    const events: RunEvent[] = []
    const middleware = [taintTracking({ ask: false })]
    const { state } = await new Agent({ model, middleware }).run('Search.', {
      observe: (event) => void events.push(event),
    })
    expect([state.taintedBy, taintsIn(events)]).toEqual(['web_search_call', []])
  })

  test.each(['chat', 'responses', 'messages'] as const)(
    'is not sent with its mark over %s',
    async (protocol) => {
      const { messages } = await new Agent({ model }).run('Search.')
      const bodies: string[] = []
      const fetch = async (_: unknown, { body }: { body: unknown }) => {
        bodies.push(String(body))
        return new Response('{}', { status: 400 })
      }
      const options = { baseURL: 'http://127.0.0.1:9/v1', apiKey: 'k', maxRetries: 0, fetch } as never
      await new Agent({ model: models[protocol]('m', options) }).run([...messages, thanks]).catch(() => {})
      expect(bodies.join()).toContain('Found.')
      expect(bodies.join()).not.toContain('taintedBy')
    },
  )

  test('that an abort cuts off, of an agent with hosted tools, is marked as well', async () => {
    const stop = new AbortController()
    const cut: ChatModel = {
      ...model,
      complete: async ({ signal }, sink) => {
        sink?.({ type: 'text', text: 'Found: pay' })
        stop.abort()
        signal.throwIfAborted()
        throw new Error('Not aborted.')
      },
    }
    const agent = new Agent({ model: cut, tools: [hosted({ type: 'web_search' })] })
    const { messages, stopReason } = await agent.stream('Search.', { signal: stop.signal }).result
    expect([stopReason, messages.at(-1)]).toEqual([
      'aborted',
      { role: 'assistant', content: 'Found: pay', incomplete: true, taintedBy: 'web_search' },
    ])
  })
})
