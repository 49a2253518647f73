import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromUtf8 } from '../bytes.js'
import {
  type AssistantMessage,
  type Content,
  type Message,
  type ToolCall,
  type ToolDefinition,
  textOf,
} from '../types/message.js'
import type { ModelRequest } from '../types/model.js'
import { asksForUsage, type ServerForm, toRequestBody as toBytes, toShortId } from './request-body.js'

const toRequestBody = (model: string, asked: ModelRequest) =>
  fromUtf8(toBytes(model, asked, { withoutUsage: true }))

const request = (given: Partial<ModelRequest> = {}): ModelRequest => ({
  messages: [{ role: 'user', content: 'Hé "you"' }],
  tools: [],
  stream: false,
  signal: new AbortController().signal,
  idempotencyKey: 'run-1/step0/request',
  ...given,
})
const f: ToolDefinition = {
  type: 'function',
  function: { name: 'f', description: '', parameters: { type: 'object', properties: {}, required: [] } },
}

test('a plain request holds the model and the messages, and nothing else', () => {
  expect(toRequestBody('m "1"', request())).toBe(
    '{"model":"m \\"1\\"","messages":[{"role":"user","content":"Hé \\"you\\""}]}',
  )
})

test('tools, their choice, streaming and settings follow, each where there is one', () => {
  const settings = { temperature: 0, stop: ['x'], top_p: undefined, user: null }
  const body = toRequestBody('m', request({ messages: [], tools: [f], stream: true, settings }))
  expect(body).toBe(
    '{"model":"m","messages":[],"tools":[{"type":"function","function":{"name":"f","description":"","parameters":{"type":"object","properties":{},"required":[]}}}],"tool_choice":"auto","stream":true,"temperature":0,"stop":["x"],"user":null}',
  )
})

test.each<[boolean, unknown, boolean, unknown]>([
  [true, undefined, true, { include_usage: true }],
  [true, { include_obfuscation: false }, true, { include_obfuscation: false, include_usage: true }],
  [true, { include_usage: false }, false, { include_usage: false }],
  [true, undefined, false, undefined],
  [true, null, false, null],
  [false, undefined, false, undefined],
  [false, { include_usage: true }, false, undefined],
])('stream: %j with the stream_options %j and usage: %j sends %j', (stream, given, withUsage, sent) => {
  const asked = request({ stream, settings: { stream_options: given, seed: 1 } })
  const { stream_options, seed } = JSON.parse(
    fromUtf8(toBytes('m', asked, withUsage ? {} : { withoutUsage: true })),
  )
  expect([stream_options, seed]).toEqual([sent, 1])
})

test('the usage of a stream is left open unless its settings say something', () => {
  const isOpen = (stream: boolean, options?: unknown) =>
    asksForUsage(request({ stream, settings: { stream_options: options } }), {})
  expect([isOpen(true), isOpen(true, {}), isOpen(true, { include_obfuscation: false })]).toEqual([
    true,
    true,
    true,
  ])
  for (const options of [{ include_usage: false }, { include_usage: true }, null, 'yes'])
    expect(isOpen(true, options)).toBe(false)
  expect([isOpen(false), isOpen(false, {})]).toEqual([false, false])
  expect(asksForUsage(request({ stream: true }), {})).toBe(true)
})

test('a forced tool is said in the form of the wire, and no choice without tools', () => {
  const toolChoice = { type: 'function', function: { name: 'f' } } as const
  expect(toRequestBody('m', request({ tools: [f], toolChoice }))).toContain(
    '"tool_choice":{"type":"function","function":{"name":"f"}}',
  )
  expect(toRequestBody('m', request({ toolChoice }))).not.toContain('tool')
})

test('a message is written once, however many requests it is in, and the tools too', () => {
  let written = 0
  const counting = <T extends object>(value: T): T =>
    Object.defineProperty({ ...value }, 'toJSON', {
      value() {
        written++
        return value
      },
    })
  const history = ['a', 'b', 'c', 'd'].map((content) => counting<Message>({ role: 'user', content }))
  const tools = [counting(f)]
  const contentsOf = (messages: readonly Message[]) =>
    JSON.parse(toRequestBody('m', request({ messages, tools }))).messages.map((one: Message) => one.content)
  const [a, b, c, d] = history as [Message, Message, Message, Message]
  // Grown, shortened in the middle, grown again, and as it was before.
  for (const messages of [[a], [a, b], [a, b, c], [a, c], [a, c, d], [a, b, c, d].toSpliced(1, 1)])
    expect(contentsOf(messages)).toEqual(messages.map(({ content }) => content))
  expect(written).toBe(history.length + 1)
})

test('no half of a surrogate pair is sent, in messages as in tools', () => {
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":"\ud83d"}' } } as const
  const messages: Message[] = [
    { role: 'user', content: 'half \ud83d, whole \u{1f30c}, and a plain \\ud83d' },
    { role: 'assistant', content: null, tool_calls: [call] },
  ]
  const tools = [{ ...f, function: { ...f.function, description: '\udfff' } }]
  const sent = JSON.parse(toRequestBody('m', request({ messages, tools })))
  expect(sent.messages[0].content).toBe('half \ufffd, whole \u{1f30c}, and a plain \\ud83d')
  expect(sent.messages[1].tool_calls[0].function.arguments).toBe('{"x":"\ufffd"}')
  expect(sent.tools[0].function.description).toBe('\ufffd')
})

test('what is sent is the request, whatever is in it', () => {
  const content = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.array(fc.record({ type: fc.string(), text: fc.string() })),
  )
  const settings = fc.dictionary(fc.string({ unit: fc.constantFrom('a', '"', '_', 'é') }), fc.jsonValue())
  const property = fc.property(fc.string(), fc.array(content), settings, (model, contents, given) => {
    const messages = contents.map((one): Message => ({ role: 'user', content: one }))
    const body = toRequestBody(model, request({ messages, settings: given }))
    expect(JSON.parse(body)).toEqual(JSON.parse(JSON.stringify({ model, messages, ...given })))
  })
  fc.assert(property)
})

test.each<[string, unknown, string]>([
  ['BigInt', { seed: 5n }, 'BigInt'],
  ['a circle', circle(), 'circular'],
  ['a function', { seed: () => 5 }, 'a function is not JSON'],
  ['a symbol', { seed: Symbol('5') }, 'a symbol is not JSON'],
])('a setting that JSON cannot hold is an error that names it: %s', (_what, settings, why) => {
  expect(() => toRequestBody('m', request({ settings: settings as Record<string, unknown> }))).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      evidence: { setting: 'seed' },
      message: expect.stringMatching(new RegExp(`^settings.seed cannot be sent: .*${why}`, 's')),
    }),
  )
})

test('half of a surrogate pair in a setting or the model is made whole', () => {
  const body = toRequestBody(
    'm\ud83d',
    request({ messages: [], settings: { stop: ['\ud83d'], user: '\udc00' } }),
  )
  expect(body).toBe('{"model":"m\ufffd","messages":[],"stop":["\ufffd"],"user":"\ufffd"}')
})

function circle(): object {
  const seed: Record<string, unknown> = {}
  seed.self = seed
  return { seed }
}

const sentBy = (form: ServerForm, message: Message, further: Partial<ModelRequest> = {}) =>
  JSON.parse(fromUtf8(toBytes('m', request({ messages: [message], ...further }), form)))
const call = {
  id: 'call_1',
  type: 'function',
  signature: 'abc',
  function: { name: 'f', arguments: '{}', strict: true },
} as ToolCall
const said: AssistantMessage = {
  reasoning_content: 'Hm.',
  role: 'assistant',
  content: null,
  tool_calls: [call],
  server: 'here m',
  incomplete: true,
  taintedBy: 'web',
}
const { server: _by, incomplete: _is, taintedBy: _it, ...own } = said
const plainCall = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }

test.each<[string, object, ServerForm, object]>([
  ['its own server', {}, { server: 'here m' }, own],
  ['another one', {}, { server: 'there m' }, { role: 'assistant', content: null, tool_calls: [plainCall] }],
  ['any server without a mark', { server: undefined }, { server: 'there m' }, own],
  [
    'a server that refuses the field of unmarked ones',
    {},
    { server: 'here m', withoutFields: ['reasoning_content'] },
    own,
  ],
  [
    'a server that refuses its own field',
    {},
    { server: 'here m', withoutOwnFields: ['reasoning_content', 'signature', 'strict'] },
    { role: 'assistant', content: null, tool_calls: [plainCall] },
  ],
  ['a server that wants reasoning, and gets its own', {}, { server: 'here m', withReasoning: true }, own],
  [
    'a server that wants reasoning',
    {},
    { server: 'there m', withReasoning: true },
    { role: 'assistant', content: null, tool_calls: [plainCall], reasoning_content: '' },
  ],
])('a reply is sent to %s in its form', (_server, changes, form, expected) => {
  expect(sentBy(form, { ...said, ...changes }).messages).toEqual([expected])
})

test.each<[string, Content, object, Content]>([
  [
    'text and unknown parts',
    [
      { type: 'thinking', thinking: [] },
      { type: 'text', text: 'Hi.' },
    ],
    {},
    'Hi.',
  ],
  ['text of an unknown kind', [{ type: 'output_text', text: 'Hi.', annotations: [] }], {}, 'Hi.'],
  ['a refusal', '', { refusal: 'No.' }, 'No.'],
  ['nothing', null, {}, ''],
  ['words', 'Hi.', { refusal: null, audio: { id: 'a' } }, 'Hi.'],
])('the content of a reply with %s is text for another server', (_what, content, further, expected) => {
  const message: AssistantMessage = { role: 'assistant', content, ...further, server: 'here m' }
  expect(sentBy({ server: 'there m' }, message).messages).toEqual([{ role: 'assistant', content: expected }])
})

test('a refused part keeps its text, and a refused refusal is the content', () => {
  const content = [
    { type: 'thinking', thinking: [] },
    { type: 'output_text', text: 'Hi.', annotations: [] },
  ]
  const form = { withoutFields: ['output_text', 'refusal', 'thinking'] }
  expect(sentBy(form, { role: 'assistant', content }).messages[0].content).toEqual([
    { type: 'text', text: 'Hi.' },
  ])
  const refused = { role: 'assistant', content: '', refusal: 'No.' } as const
  expect(sentBy(form, refused).messages).toEqual([{ role: 'assistant', content: 'No.' }])
  const silent = { role: 'assistant', content: content.slice(0, 1) } as const
  expect(sentBy(form, silent).messages).toEqual([{ role: 'assistant', content: '' }])
})

test('of a reply with any fields, another server gets the common ones alone', () => {
  const fields = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 })
  const part = fc.record({
    type: fc.string(),
    text: fc.option(fc.string(), { nil: undefined }),
    x: fc.jsonValue(),
  })
  const content = fc.oneof(fc.constant(null), fc.string(), fc.array(part))
  const property = fc.property(fields, fields, fields, content, (inReply, inCall, inFunction, content) => {
    const calls = [{ ...inCall, ...plainCall, function: { ...inFunction, ...plainCall.function } }]
    const reply = {
      ...inReply,
      role: 'assistant',
      content,
      tool_calls: calls,
      server: 'here m',
    } as AssistantMessage
    const [sent] = sentBy({ server: 'there m' }, { ...reply, refusal: null }).messages
    expect(sent).toEqual({
      role: 'assistant',
      content: content === null ? null : textOf(content as Content).toWellFormed(),
      tool_calls: [plainCall],
    })
  })
  fc.assert(property)
})

test("fields of a user's message are the user's", () => {
  const message = {
    role: 'user',
    content: [{ type: 'image_url', image_url: {} }],
    name: 'Ann',
    server: 'x',
  } as Message
  const { server: _, ...sent } = message as unknown as Record<string, unknown>
  expect(sentBy({ server: 'there m', withoutFields: ['name', 'image_url'] }, message).messages).toEqual([
    sent,
  ])
})

test('a message is written once for each form, though two servers take turns', () => {
  let written = 0
  const message = (content: string): Message =>
    Object.defineProperty({ role: 'user', content } as Message, 'toJSON', {
      value() {
        written++
        return { role: 'user', content }
      },
    })
  const history: Message[] = [message('a')]
  const forms = [{ server: 'here m' }, { server: 'there m' }]
  for (let count = 1; count <= 4; count++) {
    for (const form of forms) toBytes('m', request({ messages: [...history] }), form)
    history.push(message(String(count)))
  }
  expect(written).toBe(4 * forms.length)
})

test('strict is left out of tools, and auto of the choice, where a server refuses them', () => {
  const tools = [{ ...f, function: { ...f.function, strict: true } }]
  const form = { withoutStrict: true, withoutToolChoice: true } as const
  const sent = sentBy(form, { role: 'user', content: 'Hi.' }, { tools })
  expect(sent.tools).toEqual([f])
  expect(sent).not.toHaveProperty('tool_choice')
  const forced = sentBy(form, { role: 'user', content: 'Hi.' }, { tools, toolChoice: 'required' })
  expect(forced.tool_choice).toBe('required')
})

test('short ids are nine letters and digits, the same for the same id, and others for others', () => {
  const ids = Array.from({ length: 100_000 }, (_, at) => `call_${at}_${at % 7}`)
  const short = ids.map(toShortId)
  expect(short.every((id) => /^[a-zA-Z0-9]{9}$/.test(id))).toBe(true)
  expect(new Set(short).size).toBe(ids.length)
  const some = short.slice(-1000)
  expect(ids.slice(-1000).map(toShortId)).toEqual(some)
  expect(some.map(toShortId)).toEqual(some)
  expect(toShortId('')).toHaveLength(9)
})

test('short ids are those of the calls and of their results', () => {
  const messages: Message[] = [said, { role: 'tool', tool_call_id: 'call_1', content: 'x' }]
  const sent = JSON.parse(fromUtf8(toBytes('m', request({ messages }), { shortIds: true }))).messages
  expect(sent[0].tool_calls[0].id).toBe(toShortId('call_1'))
  expect(sent[1].tool_call_id).toBe(toShortId('call_1'))
})
