import { expect, test } from 'vitest'
import { startScriptedServer } from '../test/scripted-server.js'
import { messagesModel } from './messages.js'
import type { ModelDelta, ModelRequest } from './types/model.js'

const request: ModelRequest = {
  ...{ messages: [{ role: 'user', content: 'Hi.' }], tools: [], stream: true },
  ...{ signal: new AbortController().signal, idempotencyKey: 'run/step0/request' },
}

type Event = Readonly<Record<string, unknown>>

const usage = { input_tokens: 100, cache_read_input_tokens: 55_096, output_tokens: 7 }
const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage }
const opens = (content_block: Event, index = 0) => ({ type: 'content_block_start', index, content_block })
const adds = (delta: Event, index = 0) => ({ type: 'content_block_delta', index, delta })
const stops = (index = 0) => ({ type: 'content_block_stop', index })

/** What a model makes of the events of a stream, or of one body, and what it told meanwhile. */
async function readOf(events: readonly Event[], end: Event = {}, isStream = true) {
  const last = { delta: { stop_reason: 'end_turn', ...end }, usage: end.usage ?? { output_tokens: 8 } }
  const all = [
    ...(events[0]?.type === 'message_start' ? [] : [{ type: 'message_start', message }]),
    ...events,
    { type: 'message_delta', ...last },
    { type: 'message_stop' },
  ]
  await using server = await startScriptedServer([
    (_request, response) => {
      if (!isStream) {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ ...message, stop_reason: 'end_turn', content: events, ...end }))
        return
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(all.map((one) => `data: ${JSON.stringify(one)}\n\n`).join(''))
    },
  ])
  const deltas: ModelDelta[] = []
  const model = messagesModel('m', { ...server, maxRetries: 0 })
  const reply = await model.complete({ ...request, stream: isStream }, (one) => deltas.push(one))
  const told = (type: 'text' | 'reasoning') =>
    deltas.map((one) => (one.type === type && 'text' in one ? one.text : '')).join('')
  const calls = deltas.flatMap((one) => (one.type === 'call' ? [one.arguments] : []))
  return { ...reply, told, calls: calls.join('') }
}

const text = (...pieces: readonly string[]) => pieces.map((one) => adds({ type: 'text_delta', text: one }))
const says = (words: string) => ({ type: 'text', text: words })

test.each([
  ['the start of a block and its pieces', [opens(says('Hello.')), ...text('Hel', 'lo.'), stops()], 'Hello.'],
  [
    'a whole message after the pieces',
    [opens(says('')), ...text('Hello.'), { ...message, content: [says('Hello.')] }],
    'Hello.',
  ],
  [
    'the end of a block',
    [opens(says('')), ...text('Hello.'), { ...stops(), content_block: says('Hello.') }],
    'Hello.',
  ],
  // A block that goes on as it began is no repetition.
  ['a start that is the first piece', [opens(says('ha')), ...text('ha', '!'), stops()], 'haha!'],
  ['a start and a part of it', [opens(says('aha')), ...text('a'), stops()], 'ahaa'],
])('text that is in %s counts once', async (_name, events, expected) => {
  const { message: read, told } = await readOf(events)
  expect(read.content).toBe(expected)
  expect(told('text')).toBe(expected)
})

test('thinking, arguments and citations that are in the start of a block and in its pieces count once', async () => {
  const citation = { type: 'web_search_result_location', url: 'https://a.test', title: 'A' }
  const {
    message: read,
    told,
    calls,
    sources,
  } = await readOf(
    [
      opens({ type: 'thinking', thinking: 'I look.', signature: 's' }),
      ...['I ', 'look.'].map((thinking) => adds({ type: 'thinking_delta', thinking })),
      stops(),
      opens({ ...says('Hello.'), citations: [citation] }, 1),
      adds({ type: 'citations_delta', citation }, 1),
      adds({ type: 'citations_delta', citation }, 1),
      stops(1),
      opens({ type: 'tool_use', id: 'c', name: 'f', input: { city: 'Oslo' } }, 2),
      ...['{"city":', '"Oslo"}'].map((partial_json) => adds({ type: 'input_json_delta', partial_json }, 2)),
      stops(2),
    ],
    { stop_reason: 'tool_use' },
  )
  expect([read.reasoning_content, told('reasoning')]).toEqual(['I look.', 'I look.'])
  expect(calls).toBe('{"city":"Oslo"}')
  expect(read.tool_calls).toMatchObject([{ function: { arguments: '{"city":"Oslo"}' } }])
  // The second one is one that the server cites again.
  expect(sources).toHaveLength(2)
})

test('arguments that came with the start of a call are told', async () => {
  const call = { type: 'tool_use', id: 'c', name: 'f', input: { city: 'Oslo' } }
  expect((await readOf([opens(call), stops()], { stop_reason: 'tool_use' })).calls).toBe('{"city":"Oslo"}')
})

test.each([true, false])(
  'a reply whose conversation was compacted has all tokens, streamed: %s',
  async (isStream) => {
    const iterations = [
      { type: 'compaction', input_tokens: 100, output_tokens: 83, cache_read_input_tokens: 55_096 },
      { type: 'message', input_tokens: 181, output_tokens: 8, cache_read_input_tokens: 0 },
    ]
    const end = { usage: { ...iterations[1], iterations } }
    const events = isStream ? [opens(says('')), ...text('Hello!'), stops()] : [says('Hello!')]
    const { tokens } = await readOf(events, end, isStream)
    expect(tokens).toEqual({
      ...{ inputTokens: 55_377, outputTokens: 91, totalTokens: 55_468, cachedInputTokens: 55_096 },
    })
  },
)

test('tokens of an adviser are not those of the model', async () => {
  const iterations = [
    { type: 'message', input_tokens: 10, output_tokens: 5 },
    { type: 'advisor_message', input_tokens: 900, output_tokens: 90 },
  ]
  const end = { usage: { input_tokens: 10, output_tokens: 5, iterations } }
  expect((await readOf([says('Hi.')], end, false)).tokens).toMatchObject({ inputTokens: 10, outputTokens: 5 })
})

test.each([true, false])('a refusal keeps its thinking, streamed: %s', async (isStream) => {
  const thinking = { type: 'thinking', thinking: 'A question on bees.', signature: 's' }
  const events = isStream ? [opens(thinking), opens(says('Hi'), 1)] : [thinking, says('Hi')]
  const { message: read, told, finishReason } = await readOf(events, { stop_reason: 'refusal' }, isStream)
  expect(read).toMatchObject({ content: 'Hi', refusal: 'Hi', reasoning_content: 'A question on bees.' })
  expect(read).not.toHaveProperty('message_blocks')
  expect(finishReason).toBe('content_filter')
  expect(told('reasoning')).toBe(isStream ? 'A question on bees.' : '')
})

test('blocks that come with the start of the message and again by themselves count once', async () => {
  const thinking = { type: 'thinking', thinking: 'I look.' }
  const called = { type: 'tool_use', id: 'c', name: 'f', input: { a: 1 } }
  const start = {
    type: 'message_start',
    message: { ...message, content: [thinking, says('Hello.'), called] },
  }
  const again = [
    ...[opens({ type: 'thinking', thinking: '' }), adds({ type: 'thinking_delta', thinking: 'I look.' })],
    ...[opens(says(''), 1), adds({ type: 'text_delta', text: 'Hello.' }, 1)],
    ...[opens(called, 2), adds({ type: 'input_json_delta', partial_json: '{"a":1}' }, 2)],
  ]
  const end = { stop_reason: 'tool_use' }
  for (const events of [[start], [start, ...again]]) {
    const { message, told, calls } = await readOf(events, end)
    expect([message.content, message.reasoning_content]).toEqual(['Hello.', 'I look.'])
    expect(message.tool_calls?.map(({ function: { arguments: text } }) => text)).toEqual(['{"a":1}'])
    expect([told('text'), told('reasoning'), calls]).toEqual(['Hello.', 'I look.', '{"a":1}'])
  }
})

test('blocks after those of the start of the message are blocks of their own', async () => {
  const start = { type: 'message_start', message: { ...message, content: [says('Hel')] } }
  const { message: first } = await readOf([start, opens(says('lo.'), 1)])
  expect(first.content).toBe('Hello.')
  const { message: second } = await readOf([start, opens(says('Hel')), opens(says('lo.'))])
  expect(second.content).toBe('Hello.')
})
