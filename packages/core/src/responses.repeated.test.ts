import { describe, expect, test } from 'vitest'
import { type Line, startScriptedServer } from '../test/scripted-server.js'
import { responsesModel } from './responses.js'
import type { ModelDelta, ModelRequest } from './types/model.js'

const request: ModelRequest = {
  ...{ messages: [{ role: 'user', content: 'Hi.' }], tools: [], stream: true },
  ...{ signal: new AbortController().signal, idempotencyKey: 'run/step0/request' },
}

type Event = Readonly<Record<string, unknown>>

/** What a model makes of the events of a stream, or of one body, and what it told meanwhile. */
async function readOf(events: readonly Event[] | Event) {
  const answer: Line = Array.isArray(events)
    ? (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.end(events.map((one) => `data: ${JSON.stringify(one)}\n\n`).join(''))
      }
    : { status: 200, body: events }
  await using server = await startScriptedServer([answer])
  const deltas: ModelDelta[] = []
  const model = responsesModel('m', { ...server, maxRetries: 0 })
  const reply = await model.complete({ ...request, stream: Array.isArray(events) }, (one) => deltas.push(one))
  const told = (type: 'text' | 'reasoning') =>
    deltas.map((one) => (one.type === type && 'text' in one ? one.text : '')).join('')
  const calls = deltas.flatMap((one) => (one.type === 'call' ? [one] : []))
  return { ...reply, told, calls }
}

const added = (item: Event, output_index = 0) => ({ type: 'response.output_item.added', output_index, item })
const done = (item: Event, output_index = 0) => ({ type: 'response.output_item.done', output_index, item })
const piece = (name: string, delta: string, further: Event = {}) => ({
  ...{ type: `response.${name}.delta`, output_index: 0, delta },
  ...further,
})
const whole = (...output: readonly Event[]) => ({
  type: 'response.completed',
  response: { object: 'response', status: 'completed', output },
})
const says = (text: string) => ({
  ...{ id: 'msg_1', type: 'message', role: 'assistant' },
  content: [{ type: 'output_text', text }],
})
const calling = (id: string, city: string) => ({
  ...{ id: `fc_${id}`, type: 'function_call', call_id: id, name: 'f' },
  arguments: JSON.stringify({ city }),
})
const open = { id: 'rs_1', type: 'reasoning', summary: [], content: [] }
const raw = { ...open, content: [{ type: 'reasoning_text', text: 'I look.' }] }
const summary = { ...open, summary: [{ type: 'summary_text', text: 'I look.' }] }
const rawPieces = [piece('reasoning_text', 'I '), piece('reasoning_text', 'look.')] as const
const summaryPieces = [
  piece('reasoning_summary_text', 'I '),
  piece('reasoning_summary_text', 'look.'),
] as const

describe('reasoning counts once', () => {
  test.each([
    ['raw, in pieces and in the item', [added(open), ...rawPieces, done(raw), whole(raw)], raw],
    ['raw, in pieces alone', [added(open), ...rawPieces, whole()], raw],
    ['a summary, in pieces and in the item', [...summaryPieces, done(summary), whole(summary)], summary],
    [
      'one text as raw and as summary',
      [...rawPieces, ...summaryPieces, done({ ...raw, summary: summary.summary }), whole()],
      { ...raw, summary: summary.summary },
    ],
    [
      'each piece as raw and as summary',
      [rawPieces[0], summaryPieces[0], rawPieces[1], summaryPieces[1], done(raw), whole()],
      raw,
    ],
    ['in pieces as raw, in the item as a summary', [...rawPieces, done(summary), whole(summary)], summary],
  ])('%s', async (_name, events, item) => {
    const { message, told } = await readOf(events)
    expect(message.reasoning_content).toBe('I look.')
    expect(told('reasoning')).toBe('I look.')
    const kept = message.response_items as readonly Event[] | undefined
    if (kept) expect(kept[0]).toEqual(item)
  })

  test('a summary of its own comes after the reasoning, as it is told', async () => {
    const both = { ...raw, summary: [{ type: 'summary_text', text: 'I search.' }] }
    const events = [...rawPieces, piece('reasoning_summary_text', 'I search.'), done(both), whole(both)]
    const { message, told } = await readOf(events)
    expect(message.reasoning_content).toBe('I look.\n\nI search.')
    expect(told('reasoning')).toBe('I look.\n\nI search.')
  })

  test('the parts of a summary are told with the break that is between them', async () => {
    const parts = { ...open, summary: ['One.', 'Two.'].map((text) => ({ type: 'summary_text', text })) }
    const pieces = ['One.', 'Two.'].map((text, at) =>
      piece('reasoning_summary_text', text, { summary_index: at }),
    )
    for (const events of [
      [...pieces, done(parts), whole(parts)],
      [done(parts), whole(parts)],
    ]) {
      const { message, told } = await readOf(events)
      expect(message.reasoning_content).toBe('One.\n\nTwo.')
      expect(told('reasoning')).toBe('One.\n\nTwo.')
    }
  })
})

describe.each([
  ['with all of them', (items: readonly Event[]) => whole(...items)],
  ['without any', () => whole()],
])('items stay apart, and count once, when the response ends %s', (_name, toEnd) => {
  test.each([
    ['under one index', { output_index: 0 }, {}],
    ['without index and id', { output_index: undefined }, { id: undefined }],
  ])('%s', async (_where, index, id) => {
    const texts = ['Hello, ', 'you.']
    const items = [
      ...texts.map((text) => ({ ...says(text), id: `msg_${text}`, ...id })),
      ...['Oslo', 'Bergen'].map((city) => ({ ...calling(`call_${city}`, city), ...id })),
    ]
    const events = items.flatMap((item, at) => [
      { ...added(at < 2 ? { ...item, content: [] } : { ...item, arguments: '' }), ...index },
      ...(at < 2 ? [piece('output_text', texts[at] ?? '', { item_id: item.id, ...index })] : []),
      { ...done(item), ...index },
    ])
    const { message, told, calls } = await readOf([...events, toEnd(items)])
    expect(message.content).toBe('Hello, you.')
    expect(told('text')).toBe('Hello, you.')
    expect(message.tool_calls?.map((one) => one.id)).toEqual(['call_Oslo', 'call_Bergen'])
    const argumentsOf = (at: number) => calls.flatMap((one) => (one.index === at ? [one.arguments] : []))
    expect([0, 1, 2].map((at) => argumentsOf(at).join(''))).toEqual([
      '{"city":"Oslo"}',
      '{"city":"Bergen"}',
      '',
    ])
  })
})

test.each([
  ['in pieces, in their last event, in the item and in the response', [says('Hello.')]],
  ['though the item has other white space', [says(' Hello. ')]],
  ['though the response leaves the item out', []],
])('text counts once %s', async (_name, output) => {
  const events = [piece('output_text', 'Hel'), piece('output_text', 'lo.')]
  const end = { type: 'response.output_text.done', output_index: 0, text: 'Hello.' }
  const { message, told } = await readOf([
    ...events,
    end,
    ...output.map((one) => done(one)),
    whole(...output),
  ])
  expect(String(message.content).trim()).toBe('Hello.')
  expect(told('text')).toBe('Hello.')
})

test('a call counts once with other ids and other white space in the response', async () => {
  const args = { ...calling('a', 'Oslo'), arguments: '{ "city": "Oslo" }' }
  const pieces = ['{"city":', '"Oslo"}'].map((one) => piece('function_call_arguments', one))
  const events = [
    added({ ...args, arguments: '' }),
    ...pieces,
    done(args),
    whole({ ...args, call_id: 'b', id: 'fc_b' }),
  ]
  const { message, calls } = await readOf(events)
  expect(message.tool_calls).toHaveLength(1)
  expect(calls.map((one) => one.arguments).join('')).toBe('{"city":"Oslo"}')
})

test('items that all have the index 0 stay apart', async () => {
  const [oslo, rome] = [calling('a', 'Oslo'), calling('b', 'Rome')]
  const events = [open, oslo, rome].flatMap((item) => [added({ ...item, arguments: '' }), done(item)])
  const late = [added(oslo), added(rome), piece('function_call_arguments', 'x', { item_id: 'fc_a' })]
  for (const some of [events, [...late, done(oslo), done(rome)]]) {
    const { message } = await readOf([...some, whole()])
    const args = message.tool_calls?.map((call) => call.function.arguments)
    expect(args).toEqual(['{"city":"Oslo"}', '{"city":"Rome"}'])
  }
})

test('a body whose status is not known is a reply when it has items', async () => {
  const body = { object: 'response', status: 'complete', output: [says('4')] }
  expect((await readOf(body)).message.content).toBe('4')
  const prediction = readOf({ status: 'succeeded', output: ['https://a.test/1.png'] })
  await expect(prediction).rejects.toThrow(/replied without an output: it sent the status "succeeded"/)
})

test('sources that come only by themselves are kept, each once', async () => {
  const annotation = {
    type: 'url_citation',
    url: 'https://a.example',
    title: 'A',
    start_index: 0,
    end_index: 2,
  }
  const second = { ...annotation, url: 'https://b.example' }
  const source = (one: Event) => ({
    ...{ type: 'response.output_text.annotation.added', output_index: 0, content_index: 0 },
    annotation: one,
  })
  const events = [
    piece('output_text', 'Hi.', { content_index: 0 }),
    ...[source(annotation), source(annotation), source(second)],
  ]
  const cited = {
    ...says('Hi.'),
    content: [{ type: 'output_text', text: 'Hi.', annotations: [annotation, second] }],
  }
  const expected = [{ url: 'https://a.example' }, { url: 'https://b.example' }]
  for (const rest of [[whole()], [whole(cited)], [done(cited), whole()], [done(cited), whole(cited)]]) {
    const { sources, message } = await readOf([...events, ...rest])
    expect(message.content).toBe('Hi.')
    expect(sources).toHaveLength(2)
    expect(sources).toMatchObject(expected)
  }
})
