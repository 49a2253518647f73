import { type ChatModel, chatModel, type ModelReply, type ModelRequest } from '@capstan/core'
import { type AiSdkLanguageModel, aiSdkModel } from '@capstan/core/ai-sdk'
import { messagesModel } from '@capstan/core/messages'
import { responsesModel } from '@capstan/core/responses'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectLinear } from '../../packages/core/test/expect-linear.js'
import { cases, isLong, some } from '../../scripts/cases.mjs'
import { type BodyServer, many, startBodyServer } from './measure.js'

let server: BodyServer
beforeAll(async () => {
  server = await startBodyServer()
})
afterAll(() => server[Symbol.asyncDispose]())

type Fields = Readonly<Record<string, unknown>>
/** The events of a stream, or a body, of `n` items. */
type Make = (n: number) => readonly (Fields | string)[] | Fields

const protocols = { chat: chatModel, responses: responsesModel, messages: messagesModel }

const request: ModelRequest = {
  ...{ messages: [{ role: 'user', content: 'Go.' }], tools: [], stream: true },
  ...{ signal: new AbortController().signal, idempotencyKey: 'run/step0/request' },
}

/** Reads a reply, which may be too long, and sends it back. */
async function readAndSend(model: ChatModel, stream: boolean): Promise<void> {
  const ask = (messages: ModelRequest['messages']) =>
    model.complete({ ...request, messages, stream }, () => {}).catch(() => undefined)
  const reply: ModelReply | undefined = await ask(request.messages)
  if (reply) await ask([...request.messages, reply.message, { role: 'user', content: 'And now?' }])
}

const chunk = (delta: Fields, further: Fields = {}) => ({ choices: [{ index: 0, delta, ...further }] })
const chatEnd = (reason = 'stop') => [
  { choices: [{ index: 0, delta: {}, finish_reason: reason }] },
  'data: [DONE]\n\n',
]
const chatBody = (message: Fields, further: Fields = {}) => ({
  ...{
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
  },
  ...further,
})
const called = (at: number, further: Fields = {}) => ({
  ...{ id: `c${at}`, type: 'function', function: { name: 'f', arguments: `{"a":${at}}` } },
  ...further,
})

const chat: Readonly<Record<string, Make>> = {
  'pieces of text': (n) => [...many(n, () => chunk({ content: 'ab ' })), ...chatEnd()],
  'pieces of reasoning under two names': (n) => [
    ...many(n, () => chunk({ reasoning: 'ab ', reasoning_content: 'ab ' })),
    ...chatEnd(),
  ],
  'entries of reasoning details': (n) => [
    ...many(n, (at) =>
      chunk({ reasoning_details: [{ type: 'reasoning.text', text: 'ab ', index: at % 50 }] }),
    ),
    ...chatEnd(),
  ],
  'pieces in delta and message': (n) => [
    ...many(n, () => chunk({ content: 'ab ' }, { message: { content: 'ab ' } })),
    ...chatEnd(),
  ],
  'pieces of one call': (n) => [
    ...many(n, (at) =>
      chunk({ tool_calls: [{ index: 0, ...(at === 0 ? called(0) : { function: { arguments: ' ' } }) }] }),
    ),
    ...chatEnd('tool_calls'),
  ],
  'pieces of one call in delta and message': (n) => [
    ...many(n, (at) => {
      const tool_calls = [{ index: 0, ...(at === 0 ? called(0) : { function: { arguments: ' ' } }) }]
      return chunk({ tool_calls }, { message: { tool_calls } })
    }),
    ...chatEnd('tool_calls'),
  ],
  'pieces of a call without id and index': (n) => [
    chunk({ tool_calls: [called(0)] }),
    ...many(n, () => chunk({ tool_calls: [{ function: { arguments: ' ' } }] })),
    ...chatEnd('tool_calls'),
  ],
  'fields of their own': (n) => [...many(n, (at) => chunk({ [`f${at}`]: 'x' })), ...chatEnd()],
  annotations: (n) => [...many(n, () => chunk({ annotations: [{ url: 'https://a.test' }] })), ...chatEnd()],
  'log probabilities': (n) => [
    ...many(n, () => chunk({ content: 'a' }, { logprobs: { content: [{ token: 'a', logprob: -1 }] } })),
    ...chatEnd(),
  ],
  'pieces of audio': (n) => [
    ...many(n, () => chunk({ audio: { data: 'AAAA', transcript: 'a ' } })),
    ...chatEnd(),
  ],
  'heartbeats and comments': (n) => [
    ...many(n, () => ': ping\n\ndata: {}\n\n'),
    chunk({ content: 'a' }),
    ...chatEnd(),
  ],
  'lines of one event': (n) => [...many(n, () => 'data: \n'), '\n', chunk({ content: 'a' }), ...chatEnd()],
  'tags of reasoning': (n) => [...many(n, () => chunk({ content: '<think>' })), ...chatEnd()],
  'whole: keys': (n) => chatBody(Object.fromEntries(many(n, (at) => [`f${at}`, 'x']))),
  'whole: keys beside': (n) =>
    chatBody({ content: 'a' }, Object.fromEntries(many(n, (at) => [`f${at}`, 'x']))),
  'whole: choices': (n) => ({ choices: many(n, (index) => ({ index, message: { content: 'a' } })) }),
  'whole: annotations': (n) => chatBody({ content: 'a', annotations: many(n, (at) => ({ at })) }),
  'whole: a long text': (n) => chatBody({ content: 'ab '.repeat(n * 5) }),
  'whole: nested': (n) => chatBody({ content: 'a', deep: '['.repeat(0) + nested(Math.min(n, 900)) }),
}

/** A list of as many levels as JSON.stringify takes. */
function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels)
}

/** At most 4,096 of these are in a reply: more of them are an error. */
const chatItems: Readonly<Record<string, Make>> = {
  calls: (n) => [
    ...many(n, (at) => chunk({ tool_calls: [{ index: at, ...called(at) }] })),
    ...chatEnd('tool_calls'),
  ],
  'calls without id and index': (n) => [
    ...many(n, (at) => chunk({ tool_calls: [{ function: { name: 'f', arguments: `{"a":${at}}` } }] })),
    ...chatEnd('tool_calls'),
  ],
  'calls, again in a message': (n) => [
    ...many(n, (at) => chunk({ tool_calls: [{ index: at, ...called(at) }] })),
    {
      choices: [
        {
          index: 0,
          message: { tool_calls: many(n, (at) => called(at, { id: `d${at}` })) },
          finish_reason: 'tool_calls',
        },
      ],
    },
    'data: [DONE]\n\n',
  ],
  parts: (n) => [
    ...many(n, (at) =>
      chunk({ content: [{ type: 'image_url', image_url: { url: `https://a.test/${at}` } }] }),
    ),
    ...chatEnd(),
  ],
  'parts, again in a message': (n) => {
    const content = many(n, (at) => ({ type: 'image_url', image_url: { url: `https://a.test/${at}` } }))
    return [
      chunk({ content }),
      { choices: [{ index: 0, message: { content }, finish_reason: 'stop' }] },
      'data: [DONE]\n\n',
    ]
  },
  'whole: calls': (n) => chatBody({ content: null, tool_calls: many(n, (at) => called(at)) }),
  'whole: calls of one id': (n) =>
    chatBody({ content: null, tool_calls: many(n, (at) => called(at, { id: 'c' })) }),
  'whole: calls as parts': (n) =>
    chatBody({ content: many(n, (at) => ({ type: 'tool_use', name: 'f', id: `${at}`, input: { at } })) }),
  'whole: calls as calls and as parts': (n) =>
    chatBody({
      content: many(n, (at) => ({ type: 'tool_use', name: 'f', id: `p${at}`, input: { a: at } })),
      tool_calls: many(n, (at) => called(at)),
    }),
  'whole: parts': (n) => chatBody({ content: many(n, () => ({ type: 'text', text: 'a' })) }),
}

const piece = (name: string, further: Fields) => ({
  type: `response.${name}.delta`,
  output_index: 0,
  delta: 'ab ',
  ...further,
})
const completed = (...output: readonly Fields[]) => ({
  type: 'response.completed',
  response: { object: 'response', status: 'completed', output },
})
const says = (at: number) => ({
  ...{ type: 'message', id: `m${at}`, role: 'assistant' },
  content: [{ type: 'output_text', text: 'a' }],
})
const calling = (at: number, id = `c${at}`) => ({
  ...{ type: 'function_call', id: `f${id}`, call_id: id, name: 'f', arguments: `{"a":${at}}` },
})

const responses: Readonly<Record<string, Make>> = {
  'pieces of text': (n) => [...many(n, () => piece('output_text', {})), completed()],
  'parts of text': (n) => [
    ...many(n, (content_index) => piece('output_text', { content_index })),
    completed(),
  ],
  'pieces of arguments': (n) => [...many(n, () => piece('function_call_arguments', {})), completed()],
  'pieces and their ends': (n) => [
    ...many(n, () => [
      piece('output_text', {}),
      { type: 'response.output_text.done', output_index: 0, text: 'ab ' },
    ]).flat(),
    completed(),
  ],
  'a long text and empty ends': (n) => [
    ...many(n, () => piece('output_text', {})),
    ...many(n, () => ({ type: 'response.output_text.done', output_index: 0, text: '' })),
    completed(),
  ],
  'reasoning and its summary in turn': (n) => [
    ...many(n, () => [piece('reasoning_text', {}), piece('reasoning_summary_text', {})]).flat(),
    completed(),
  ],
  'beginnings of one item': (n) => [
    ...many(n, (at) => ({
      type: 'response.output_item.added',
      output_index: 0,
      item: { type: 'x', [`f${at}`]: 1 },
    })),
    completed(),
  ],
  'beginnings of one item, without index and id': (n) => [
    ...many(n, () => ({ type: 'response.output_item.added', item: { type: 'message' } })),
    completed(),
  ],
  'ends of one item, after a long text': (n) => [
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: { ...says(0), content: many(n, () => ({ type: 'output_text', text: 'a' })) },
    },
    ...many(n, (at) => ({
      type: 'response.output_item.done',
      output_index: 0,
      item: { type: 'message', [`f${at}`]: 1 },
    })),
    completed(),
  ],
  'states of the response': (n) => [
    ...many(n, () => ({ type: 'response.in_progress', response: {} })),
    completed(says(0)),
  ],
  'whole: parts': (n) =>
    completed({ ...says(0), content: many(n, () => ({ type: 'output_text', text: 'a' })) }).response,
  'whole: annotations': (n) =>
    completed({
      ...says(0),
      content: [{ type: 'output_text', text: 'a', annotations: many(n, () => ({ url: 'https://a.test' })) }],
    }).response,
  'whole: summaries': (n) =>
    completed({
      type: 'reasoning',
      id: 'r',
      summary: many(n, (at) => ({ type: 'summary_text', text: `${at}` })),
    }).response,
  'whole: keys': (n) => ({
    ...completed(says(0)).response,
    ...Object.fromEntries(many(n, (at) => [`f${at}`, 'x'])),
  }),
}

const responseItems: Readonly<Record<string, Make>> = {
  'items by index': (n) => [
    ...many(n, (output_index) => piece('output_text', { output_index })),
    completed(),
  ],
  'items by falling index': (n) => [
    ...many(n, (at) => piece('output_text', { output_index: n - at })),
    completed(),
  ],
  'calls, again with other ids': (n) => [
    ...many(n, (at) => ({ type: 'response.output_item.done', output_index: at, item: calling(at) })),
    completed(...many(n, (at) => calling(at, `d${at}`))),
  ],
  'items, again in the response': (n) => [
    ...many(n, (at) => ({ type: 'response.output_item.done', output_index: at, item: says(at) })),
    completed(...many(n, says)),
  ],
  'whole: messages': (n) => completed(...many(n, says)).response,
  'whole: calls': (n) => completed(...many(n, (at) => calling(at))).response,
  'whole: reasoning': (n) =>
    completed(...many(n, (at) => ({ type: 'reasoning', id: `r${at}`, encrypted_content: 'x', summary: [] })))
      .response,
  'whole: hosted calls': (n) =>
    completed(...many(n, (at) => ({ type: 'web_search_call', id: `w${at}`, status: 'completed' }))).response,
}

const opens = (content_block: Fields, index = 0) => ({ type: 'content_block_start', index, content_block })
const adds = (delta: Fields, index = 0) => ({ type: 'content_block_delta', index, delta })
const streamed = (...events: readonly Fields[]) => [
  { type: 'message_start', message: { id: 'm', role: 'assistant', content: [], usage: {} } },
  ...events,
  { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
  { type: 'message_stop' },
]
const wholeMessage = (...content: readonly Fields[]) => ({
  id: 'm',
  type: 'message',
  role: 'assistant',
  content,
  stop_reason: 'end_turn',
})
const text = { type: 'text', text: '' }

const messages: Readonly<Record<string, Make>> = {
  'pieces of text': (n) => streamed(opens(text), ...many(n, () => adds({ type: 'text_delta', text: 'ab ' }))),
  'pieces that repeat the start': (n) =>
    streamed(
      opens({ type: 'text', text: 'ab '.repeat(n) }),
      ...many(n, () => adds({ type: 'text_delta', text: 'ab ' })),
    ),
  'pieces of thinking': (n) =>
    streamed(
      opens({ type: 'thinking', thinking: '' }),
      ...many(n, () => adds({ type: 'thinking_delta', thinking: 'ab ' })),
    ),
  'pieces of arguments': (n) =>
    streamed(
      opens({ type: 'tool_use', id: 'c', name: 'f', input: {} }),
      ...many(n, () => adds({ type: 'input_json_delta', partial_json: ' ' })),
    ),
  citations: (n) =>
    streamed(
      opens(text),
      adds({ type: 'text_delta', text: 'a' }),
      ...many(n, (a) => adds({ type: 'citations_delta', citation: { a } })),
    ),
  'citations again': (n) =>
    streamed(
      opens({ type: 'text', text: 'a', citations: many(n, (a) => ({ a })) }),
      ...many(n, (a) => adds({ type: 'citations_delta', citation: { a } })),
    ),
  'fields of a block': (n) =>
    streamed(opens({ type: 'x' }), ...many(n, (at) => adds({ type: 'y', [`f${at}`]: 'z' }))),
  'pieces of a field': (n) =>
    streamed(opens({ type: 'x' }), ...many(n, () => adds({ type: 'y', z: 'zzzz' }))),
  'starts of one call': (n) =>
    streamed(...many(n, () => opens({ type: 'tool_use', id: 'c', name: 'f', input: {} }))),
  'starts of the message': (n) =>
    streamed(...many(n, (at) => ({ type: 'message_start', message: { id: 'm', [`f${at}`]: 1 } }))),
  'whole: citations': (n) => wholeMessage({ type: 'text', text: 'a', citations: many(n, (a) => ({ a })) }),
  'whole: results of a search': (n) =>
    wholeMessage(
      { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
      {
        type: 'web_search_tool_result',
        tool_use_id: 's',
        content: many(n, (at) => ({ type: 'web_search_result', url: `https://a.test/${at}` })),
      },
    ),
  'whole: iterations': (n) => ({
    ...wholeMessage({ type: 'text', text: 'a' }),
    usage: { input_tokens: 1, iterations: many(n, () => ({ type: 'compaction', input_tokens: 1 })) },
  }),
}

const messageBlocks: Readonly<Record<string, Make>> = {
  'blocks of text': (n) =>
    streamed(...many(n, (at) => [opens(text, at), adds({ type: 'text_delta', text: 'a' }, at)]).flat()),
  'hosted calls': (n) =>
    streamed(
      ...many(n, (at) => opens({ type: 'server_tool_use', id: `s${at}`, name: 'web_search', input: {} }, at)),
    ),
  calls: (n) =>
    streamed(...many(n, (at) => opens({ type: 'tool_use', id: `c${at}`, name: 'f', input: {} }, at))),
  'whole: text': (n) => wholeMessage(...many(n, () => ({ type: 'text', text: 'a' }))),
  'whole: thinking': (n) =>
    wholeMessage(...many(n, () => ({ type: 'thinking', thinking: 'a', signature: 's' }))),
  'whole: calls between thinking': (n) =>
    wholeMessage(
      ...many(n, (at) =>
        at % 2
          ? { type: 'thinking', thinking: 'a' }
          : { type: 'tool_use', id: `c${at}`, name: 'f', input: {} },
      ),
    ),
  'whole: hosted calls and results': (n) =>
    wholeMessage(
      ...many(n / 2, (at) => [
        { type: 'server_tool_use', id: `s${at}`, name: 'web_search', input: {} },
        { type: 'web_search_tool_result', tool_use_id: `s${at}`, content: [] },
      ]).flat(),
    ),
}

/** All kinds of a table, or some of them with the first, which once took the square. */
const sampled = <Kind>(table: Readonly<Record<string, Kind>>) => some(Object.entries(table), 8)

/** Each kind with its size: what a reply has without limit, and what it has 4,096 of at most. */
const kinds = [
  ['chat', chat, cases(10_000, 1000)],
  ['chat', chatItems, 1000],
  // Of more, the garbage collection decides.
  ['responses', responses, cases(2500, 1000)],
  ['responses', responseItems, 1000],
  ['messages', messages, cases(10_000, 1000)],
  ['messages', messageBlocks, 1000],
] as const

describe.each(kinds)('%s', (protocol, all, n) => {
  test.each(sampled(all))('the cost of reading %s grows with their number', async (_name, make) => {
    await expectLinear((count) => {
      const body = make(count)
      const baseURL = server.serve(body)
      const model = protocols[protocol]('m', { baseURL, apiKey: '', maxRetries: 0 })
      return () => readAndSend(model, Array.isArray(body))
    }, n)
  })
})

const overLimit = [
  ['chat', chatItems, /calls|parts/],
  ['responses', responseItems, /items|calls/],
  ['messages', messageBlocks, /blocks/],
] as const

describe.each(overLimit)('%s', (protocol, all, what) => {
  test.each(sampled(all))('a reply of more than 4,096 is an error: %s', async (_name, make) => {
    const body = make(4098)
    const model = protocols[protocol]('m', { baseURL: server.serve(body), apiKey: '', maxRetries: 0 })
    const reply = model.complete({ ...request, stream: Array.isArray(body) })
    await expect(reply).rejects.toMatchObject({ code: 'invalid_response' })
    await expect(reply).rejects.toThrow(what)
  })
})

/** The parts of a stream of an AI SDK provider. */
const aiSdk: Readonly<Record<string, (n: number) => readonly Fields[]>> = {
  'pieces of text': (n) => many(n, () => ({ type: 'text-delta', id: '1', delta: 'ab ' })),
  'pieces of arguments': (n) => [
    { type: 'tool-input-start', id: '1', toolName: 'f' },
    ...many(n, () => ({ type: 'tool-input-delta', id: '1', delta: ' ' })),
  ],
  sources: (n) => many(n, (at) => ({ type: 'source', url: `https://a.test/${at}` })),
}
const aiSdkBlocks: typeof aiSdk = {
  'texts with citations': (n) =>
    many(n, (at) => [
      { type: 'text-start', id: `${at}` },
      { type: 'text-delta', id: `${at}`, delta: 'a' },
      {
        type: 'text-end',
        id: `${at}`,
        citations: [{ source: { url: 'https://a.test' }, startIndex: 0, endIndex: 1 }],
      },
    ]).flat(),
  calls: (n) => many(n, (at) => ({ type: 'tool-call', toolCallId: `${at}`, toolName: 'f', input: '{}' })),
  'results of the provider': (n) =>
    many(n, (at) => ({ type: 'tool-result', toolCallId: `${at}`, toolName: 'f', result: {} })),
  files: (n) => many(n, () => ({ type: 'file', mediaType: 'image/png', data: 'AAAA' })),
}

function aiSdkModelOf(parts: readonly Fields[]): ChatModel {
  const finish = { type: 'finish', finishReason: 'stop', usage: {} }
  const all = [...parts, finish]
  const provider: AiSdkLanguageModel = {
    ...{ specificationVersion: 'v3', provider: 'p', modelId: 'm' },
    doGenerate: () => Promise.resolve({ content: parts, ...finish }),
    // One part at a time: the queue of a stream takes the square of what waits in it.
    doStream: () => {
      const rest = all.values()
      const pull = (controller: ReadableStreamDefaultController) => {
        const { value, done } = rest.next()
        if (done) controller.close()
        else controller.enqueue(value)
      }
      return Promise.resolve({ stream: new ReadableStream({ pull }) })
    },
  }
  return aiSdkModel(provider, { maxRetries: 0 })
}

describe.each([
  [aiSdk, cases(10_000, 1000)],
  [aiSdkBlocks, 1000],
] as const)('a provider of the AI SDK', (all, n) => {
  test.each(sampled(all))('the cost of reading %s grows with their number', async (_name, make) => {
    await expectLinear((count) => {
      const model = aiSdkModelOf(make(count))
      return () => readAndSend(model, true)
    }, n)
  })
})

test.each(sampled(aiSdkBlocks))(
  'a reply of an AI SDK provider with more than 4,096 %s is an error',
  async (_name, make) => {
    const model = aiSdkModelOf(make(4097))
    for (const stream of isLong ? [true, false] : [true]) {
      const reply = model.complete({ ...request, stream })
      await expect(reply).rejects.toMatchObject({ code: 'invalid_response' })
    }
  },
)
