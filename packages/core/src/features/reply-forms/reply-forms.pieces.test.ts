import { expect, test } from 'vitest'
import { named } from '../../../test/call-context.js'
import { assemble, delta, whole } from '../../../test/chunks.js'
import { type Line, startScriptedServer } from '../../../test/scripted-server.js'
import { Agent, chatModel } from '../../index.js'
import type { RawJson } from '../../model/reply-fields.js'
import type { ModelDelta } from '../../types/model.js'

const toldOf = (deltas: readonly ModelDelta[], type: 'text' | 'reasoning') =>
  deltas.map((one) => (one.type === type ? one.text : '')).join('')
const claude = { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0 }
const text = (text: string) => ({ type: 'text', text })
const thinking = (one: string, further: object = {}) => ({
  type: 'thinking',
  thinking: [text(one)],
  ...further,
})
const image = (url: string) => ({ type: 'image_url', image_url: { url }, index: 0 })
const cited = (url: string, start_index: number) => ({
  type: 'url_citation',
  url_citation: { url, start_index },
})

test.each<[string, string, readonly unknown[], unknown]>([
  [
    'signed reasoning by index, as OpenRouter sends it',
    'reasoning_details',
    [
      { ...claude, text: 'Let' },
      { ...claude, text: ' me.', signature: '' },
      { ...claude, signature: 'Et8B' },
    ],
    [{ ...claude, text: 'Let me.', signature: 'Et8B' }],
  ],
  [
    'the last of two signatures',
    'reasoning_details',
    [
      { ...claude, text: 'Let', signature: 'a' },
      { ...claude, text: ' me.', signature: 'b' },
    ],
    [{ ...claude, text: 'Let me.', signature: 'b' }],
  ],
  [
    'reasoning of two indexes and types, crossed',
    'reasoning_details',
    [
      { type: 'reasoning.summary', index: 0, summary: 'A' },
      { type: 'reasoning.summary', index: 1, summary: 'B' },
      { type: 'reasoning.encrypted', index: 0, data: 'x', id: 'rs_1' },
      { type: 'reasoning.summary', index: 0, summary: 'a', id: null },
      { type: 'reasoning.summary', index: 1, summary: 'b' },
    ],
    [
      { type: 'reasoning.summary', index: 0, summary: 'Aa' },
      { type: 'reasoning.summary', index: 1, summary: 'Bb' },
      { type: 'reasoning.encrypted', index: 0, data: 'x', id: 'rs_1' },
    ],
  ],
  [
    'no two items of one index by their ids',
    'reasoning_details',
    [
      { type: 'reasoning.encrypted', index: 0, data: 'x', id: 'call_1' },
      { type: 'reasoning.encrypted', index: 0, data: 'y', id: 'call_2' },
    ],
    [
      { type: 'reasoning.encrypted', index: 0, data: 'x', id: 'call_1' },
      { type: 'reasoning.encrypted', index: 0, data: 'y', id: 'call_2' },
    ],
  ],
  [
    'blocks without an index up to their signature, as LiteLLM sends them',
    'thinking_blocks',
    [
      { type: 'thinking', thinking: 'Let', signature: null },
      { type: 'thinking', thinking: ' me.' },
      { type: 'thinking', thinking: '', signature: 'Et8B' },
      { type: 'redacted_thinking', data: 'x' },
      { type: 'redacted_thinking', data: 'y' },
      { type: 'thinking', thinking: 'Yes.' },
    ],
    [
      { type: 'thinking', thinking: 'Let me.', signature: 'Et8B' },
      { type: 'redacted_thinking', data: 'x' },
      { type: 'redacted_thinking', data: 'y' },
      { type: 'thinking', thinking: 'Yes.' },
    ],
  ],
  [
    'a run of a tool by its index',
    'executed_tools',
    [
      { index: 0, type: 'search', arguments: '{"q":1}', search_results: { results: [] } },
      { index: 0, type: 'search', arguments: '{"q":1}', output: 'Sun.', search_results: { results: [1] } },
    ],
    [{ index: 0, type: 'search', arguments: '{"q":1}', search_results: { results: [1] }, output: 'Sun.' }],
  ],
  ['no two images', 'images', [image('a'), image('b')], [image('a'), image('b')]],
  [
    'no two citations',
    'annotations',
    [cited('a', 0), cited('a', 9), cited('b', 9)],
    [cited('a', 0), cited('a', 9), cited('b', 9)],
  ],
])('joins %s', (_what, field, pieces, list) => {
  const { message } = assemble(pieces.map((piece) => delta({ [field]: [piece] })))
  expect(message[field]).toEqual(list)
})

test.each<[string, readonly unknown[], unknown]>([
  [
    'records by field',
    [
      { google: { thought_signature: 'a' } },
      { google: { thought: true } },
      { google: { thought_signature: 'b' } },
    ],
    { google: { thought_signature: 'b', thought: true } },
  ],
  [
    'lists within records',
    [
      { thinking_blocks: [{ type: 'thinking', thinking: 'Hm' }] },
      { thinking_blocks: [{ type: 'thinking', thinking: '.' }] },
    ],
    { thinking_blocks: [{ type: 'thinking', thinking: 'Hm.' }] },
  ],
])('joins %s, of a message and of a call', (_what, pieces, joined) => {
  const inMessage = assemble(structuredClone(pieces).map((extra) => delta({ extra })))
  expect(inMessage.message.extra).toEqual(joined)
  const call = (extra: unknown) =>
    delta({ tool_calls: [{ index: 0, id: 'a', extra, function: { name: 'f' } }] })
  expect(assemble(pieces.map(call)).message.tool_calls?.[0]?.extra).toEqual(joined)
})

test('keeps the entries of a whole list as they are', () => {
  const details = [
    { ...claude, text: 'a' },
    { ...claude, text: 'b' },
  ]
  const content = [thinking('Hm', { closed: true }), text('a'), text('b')]
  expect(assemble([whole({ content, reasoning_details: details })]).message).toEqual({
    role: 'assistant',
    content,
    reasoning_details: details,
    reasoning_content: 'Hm',
  })
})

test('parts of type thinking are reasoning, streamed and whole', () => {
  const pieces = ['The user', ' asks.'].map((one) => delta({ content: [thinking(one)] }))
  const streamed = assemble([...pieces, delta({ content: '4' }, 'stop')])
  const whole = assemble([
    { choices: [{ message: { content: [thinking('The user asks.'), text('4')] }, finish_reason: 'stop' }] },
  ])
  for (const { message, deltas } of [streamed, whole]) {
    expect(message).toEqual({
      role: 'assistant',
      content: [thinking('The user asks.'), text('4')],
      reasoning_content: 'The user asks.',
    })
    expect(toldOf(deltas, 'reasoning')).toBe('The user asks.')
    expect(toldOf(deltas, 'text')).toBe('4')
  }
})

test('a whole message at the end adds nothing that its deltas had', () => {
  const details = [{ ...claude, text: 'Hm. Yes.', signature: 's' }]
  const message = {
    content: [thinking('Hm. Yes.'), text('It is 4.')],
    reasoning: 'Hm. Yes.',
    reasoning_details: details,
    annotations: [cited('a', 0)],
    audio: { id: 'x', data: 'QUJD' },
    extra: { a: 1 },
  }
  const { message: got, deltas } = assemble([
    delta({ content: [thinking('Hm.')], reasoning: 'Hm.', reasoning_details: [{ ...claude, text: 'Hm.' }] }),
    delta({ content: [thinking(' Yes.')], reasoning: ' Yes.', extra: { a: 1 } }),
    delta({
      reasoning_details: [{ ...claude, text: ' Yes.', signature: 's' }],
      audio: { id: 'x', data: 'QU' },
    }),
    delta({ content: 'It is', annotations: [cited('a', 0)], audio: { data: 'JD' } }),
    delta({ content: ' 4.' }, 'stop'),
    whole(message),
  ])
  expect(got).toEqual({ role: 'assistant', ...message, reasoning_content: 'Hm. Yes.' })
  expect(toldOf(deltas, 'reasoning')).toBe('Hm. Yes.')
  expect(toldOf(deltas, 'text')).toBe('It is 4.')
})

/** A chunk with a piece in `delta`, and with the same piece or all pieces so far in `message`. */
const both = (delta: unknown, message: unknown, finish_reason: string | null = null): RawJson => ({
  choices: [{ index: 0, delta, message, finish_reason }],
})

test.each(['the same piece', 'all so far'])('counts once what is in delta and, as %s, in message', (how) => {
  const pieces = ['ha', 'ha', ' "', '"', ' 4.', ' 4.'].map((one) => ({
    role: 'assistant',
    content: one,
    reasoning_content: one,
    reasoning_details: [{ ...claude, text: one }],
    refusal: null,
    tool_calls: null,
  }))
  const all = (at: number) =>
    pieces
      .slice(0, at + 1)
      .map(({ content }) => content)
      .join('')
  const chunks = pieces.map((piece, at) => {
    const sum = {
      content: all(at),
      reasoning_content: all(at),
      reasoning_details: [{ ...claude, text: all(at) }],
    }
    return both(piece, how === 'all so far' ? { ...piece, ...sum } : { ...piece, refusal: undefined })
  })
  const { message, deltas } = assemble([...chunks, both({}, {}, 'stop')])
  const said = 'haha "" 4. 4.'
  const details = [{ ...claude, text: said }]
  expect(message).toEqual({
    role: 'assistant',
    content: said,
    reasoning_content: said,
    reasoning_details: details,
  })
  expect([toldOf(deltas, 'text'), toldOf(deltas, 'reasoning')]).toEqual([said, said])
})

test('keeps parts of a message beside a text in its delta', () => {
  const content = [text('a'), { type: 'x' }]
  expect(assemble([both({ content: 'a' }, { content }, 'stop')]).message.content).toEqual(content)
})

const callPieces = [
  { index: 0, id: 'c1', type: 'function', function: { name: 'f', arguments: null } },
  { index: 0, id: null, type: null, function: { name: null, arguments: '{"x":' } },
  { index: 1, id: 'c2', function: { name: 'g', arguments: '{}' } },
  { index: 0, id: null, type: null, function: { name: null, arguments: '{}' } },
  { index: 0, id: null, type: null, function: { name: null, arguments: '}' } },
]

test.each<[string, (piece: object) => RawJson]>([
  ['delta and message of one chunk', (piece) => both({ tool_calls: [piece] }, { tool_calls: [piece] })],
  [
    'delta and message of one chunk, written in another way',
    (piece) => both({ tool_calls: [piece] }, { tool_calls: [{ ...piece, type: 'function', extra: null }] }),
  ],
  ['message alone', (piece) => whole({ tool_calls: [piece] })],
  ['delta alone', (piece) => delta({ tool_calls: [piece] })],
])('joins the pieces of two calls in %s', (_where, toChunk) => {
  const { message, deltas } = assemble([...callPieces.map(toChunk), delta({}, 'tool_calls')])
  expect(message.tool_calls?.map(({ id, function: { name, arguments: text } }) => [id, name, text])).toEqual([
    ['c1', 'f', '{"x":{}}'],
    ['c2', 'g', '{}'],
  ])
  const told = deltas.map((one) => (one.type === 'call' && one.index === 0 ? one.arguments : '')).join('')
  expect(told).toBe('{"x":{}}')
})

test('joins the pieces of an old function_call in delta and message', () => {
  const pieces = [{ name: 'f', arguments: '' }, { arguments: '{"x":' }, { name: null, arguments: '1}' }]
  const { message } = assemble([
    ...pieces.map((function_call) => both({ function_call }, { function_call })),
    delta({}, 'function_call'),
  ])
  expect(message.tool_calls?.map(({ function: called }) => called)).toEqual([
    { name: 'f', arguments: '{"x":1}' },
  ])
})

test.each([
  ['reasoning', 'reasoning_content'],
  ['reasoning_content', 'reasoning'],
])('tells reasoning in %s and in %s once', (one, other) => {
  const pieces = ['Hm.', ' Yes.', ' Yes.'].map((text) => delta({ [one]: text, [other]: text }))
  const { message, deltas } = assemble([...pieces, whole({ content: '4', [other]: 'Hm. Yes. Yes.' })])
  expect(message).toMatchObject({ [one]: 'Hm. Yes. Yes.', [other]: 'Hm. Yes. Yes.' })
  expect(toldOf(deltas, 'reasoning')).toBe('Hm. Yes. Yes.')
})

test('reads no more than 4,096 calls and content parts of a reply', () => {
  const calls = (count: number) => ({
    tool_calls: Array.from({ length: count }, (_, n) => ({
      id: `c${n}`,
      function: { name: 'f', arguments: '{}' },
    })),
  })
  const parts = (count: number) => ({ content: Array.from({ length: count }, (_, n) => ({ type: 'x', n })) })
  const tooMany = (what: string) =>
    expect.objectContaining({
      code: 'invalid_response',
      message: expect.stringContaining(`more than 4096 ${what}`),
    })
  expect(assemble([whole(calls(4096))]).message.tool_calls).toHaveLength(4096)
  for (const of of [whole, delta]) {
    expect(() => assemble([of(calls(4097))])).toThrow(tooMany('tool calls'))
    expect(() => assemble([of(parts(4097))])).toThrow(tooMany('content parts'))
  }
})

test('sends reasoning that came in pieces back as one value, and parts of it without a field of our own', async () => {
  const call = { index: 0, id: 'c1', function: { name: 'f', arguments: '{}' } }
  const chunks = [
    delta({ content: [thinking('The user')], reasoning_details: [{ ...claude, text: 'The user' }] }),
    delta({
      content: [thinking(' asks.')],
      reasoning_details: [{ ...claude, text: ' asks.', signature: 's' }],
    }),
    delta({ tool_calls: [call] }, 'tool_calls'),
  ]
  const streamed: Line = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(
      [...chunks.map((one) => JSON.stringify(one)), '[DONE]'].map((one) => `data: ${one}\n\n`).join(''),
    )
  }
  await using server = await startScriptedServer([streamed, { text: 'Done.' }, { text: 'Yes.' }])
  const agent = new Agent({ model: chatModel('m', server), tools: [named('f', () => 'done')] })
  const { messages, steps } = await agent.stream('Go.').result
  expect(steps[0]?.reasoning).toBe('The user asks.')
  const sent = server.requests[1]?.body.messages[1]
  expect(sent).toEqual({
    role: 'assistant',
    content: [thinking('The user asks.')],
    reasoning_details: [{ ...claude, text: 'The user asks.', signature: 's' }],
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
  })
  await new Agent({ model: chatModel('other', server) }).run([
    ...messages,
    { role: 'user', content: 'Again.' },
  ])
  expect(server.requests[2]?.body.messages[1]).toMatchObject({ content: '' })
  expect(JSON.stringify(server.requests[2]?.body.messages)).not.toContain('The user asks.')
})
