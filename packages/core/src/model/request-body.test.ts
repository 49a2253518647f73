import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromUtf8 } from '../bytes.js'
import type { Message, ToolDefinition } from '../types/message.js'
import type { ModelRequest } from '../types/model.js'
import { asksForUsage, toRequestBody as toBytes } from './request-body.js'

const toRequestBody = (model: string, asked: ModelRequest) =>
  fromUtf8(toBytes(model, asked, { withoutUsage: true }))

const request = (given: Partial<ModelRequest> = {}): ModelRequest => ({
  messages: [{ role: 'user', content: 'Hé "you"' }],
  tools: [],
  stream: false,
  signal: new AbortController().signal,
  idempotencyKey: 'run-1/t0/model',
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
