import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { startScriptedServer } from '../test/scripted-server.js'
import { type AiSdkLanguageModel, aiSdkModel } from './ai-sdk.js'
import { Agent, chatModel, type ModelDelta, type ModelRequest, tool } from './index.js'
import { outputToolName } from './internal.js'

type Part = Readonly<Record<string, unknown>>
type Turn = readonly Part[] | Error

const usage = {
  inputTokens: { total: 10, noCache: 6, cacheRead: 4, cacheWrite: undefined },
  outputTokens: { total: 5, text: 2, reasoning: 3 },
}
const finish = (unified = 'stop'): Part => ({
  type: 'finish',
  finishReason: { unified, raw: unified },
  usage,
})

interface Scripted extends AiSdkLanguageModel {
  readonly asked: Record<string, never>[]
}

/** A language model whose streams are given as parts. */
function scripted(turns: readonly Turn[], version: 'v2' | 'v3' | 'v4' = 'v3'): Scripted {
  const asked: Record<string, never>[] = []
  const next = (options: never): readonly Part[] => {
    const turn = turns[asked.length] ?? []
    asked.push(options)
    if (turn instanceof Error) throw turn
    return turn
  }
  return {
    specificationVersion: version,
    provider: 'scripted',
    modelId: 'm',
    asked,
    async doGenerate(options) {
      const parts = next(options)
      const end = parts.find(({ type }) => type === 'finish') ?? {}
      return { ...end, content: parts.filter(({ type }) => type !== 'finish'), warnings: [] }
    },
    async doStream(options) {
      const parts = next(options)
      return { stream: streamOf(parts) }
    },
  }
}

function streamOf(parts: readonly Part[]): ReadableStream<Part> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
}

const call = (input: unknown, more: Part = {}): Part => ({
  type: 'tool-call',
  toolCallId: 'c1',
  toolName: 'add',
  input: JSON.stringify(input),
  ...more,
})
const text = (words: string): Part => ({ type: 'text', text: words })

const add = tool({
  name: 'add',
  description: 'Adds',
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
})

function request(given: Partial<ModelRequest> = {}): ModelRequest {
  const { signal } = new AbortController()
  return {
    messages: [{ role: 'user', content: 'Go.' }],
    tools: [],
    stream: true,
    signal,
    idempotencyKey: 'k',
    ...given,
  }
}

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, ...Array(2000).fill(7)])
const noWait = { maxRetries: 0 }

test('a stream without its finish part is truncated, and nothing of it runs', async () => {
  const model = aiSdkModel(scripted([[call({ a: 1, b: 2 })]]), noWait)
  await expect(new Agent({ model, tools: [add] }).stream('1 + 2?').result).rejects.toMatchObject({
    code: 'truncated',
    retryable: true,
    message: expect.stringContaining('its finish part is missing'),
  })
})

test('the beginning of a call is no call', async () => {
  const parts = [
    { type: 'tool-input-start', id: 'c1', toolName: 'add' },
    { type: 'tool-input-delta', id: 'c1', delta: '{"a":1' },
    finish('tool-calls'),
  ]
  const deltas: ModelDelta[] = []
  const model = aiSdkModel(scripted([parts]), noWait)
  await expect(model.complete(request(), (delta) => deltas.push(delta))).rejects.toMatchObject({
    code: 'invalid_response',
  })
  expect(deltas).toEqual([{ type: 'call', index: 0, id: 'c1', name: 'add', arguments: '{"a":1' }])
})

test.each([
  [
    'an error part',
    [text('Hal'), { type: 'error', error: { type: 'overloaded_error', message: 'Busy.' } }],
    'api',
  ],
  ['an Error in an error part', [{ type: 'error', error: new Error('Broken.') }], 'api'],
  ['the finish reason "error"', [text('Hal'), finish('error')], 'api'],
  ['a key that is missing', named('AI_LoadAPIKeyError', 'No key.'), 'auth'],
  ['a prompt that it does not take', named('AI_InvalidPromptError', 'No.'), 'invalid_request'],
  ['a server that is not there', Object.assign(new TypeError('fetch failed')), 'network'],
  ['an overloaded server', apiCall(529, 'Overloaded'), 'api'],
  ['a wrong key', apiCall(401, 'No.'), 'auth'],
  ['too many requests', apiCall(429, 'Slowly.'), 'rate_limit'],
])('%s ends as an error with a code', async (_name, turn, code) => {
  const model = aiSdkModel(scripted([turn]), noWait)
  await expect(model.complete(request())).rejects.toMatchObject({ name: 'CapstanError', code })
})

function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name })
}

function apiCall(statusCode: number, message: string): Error {
  return Object.assign(named('AI_APICallError', message), {
    statusCode,
    responseBody: JSON.stringify({ error: { message } }),
    responseHeaders: { 'retry-after': '0.001' },
    requestBodyValues: { secret: 'conversation' },
    url: 'https://example.com/v1?key=sk-0123456789abcdef0123456789',
  })
}

test('a failure that may be temporary is retried after the wait that the server asks for', async () => {
  const model = scripted([apiCall(529, 'Overloaded'), [text('Hi.'), finish()]])
  const deltas: ModelDelta[] = []
  const { message } = await aiSdkModel(model).complete(request(), (delta) => deltas.push(delta))
  expect(message.content).toBe('Hi.')
  expect(deltas[0]).toMatchObject({ type: 'retry', attempt: 1, delayMs: 1, code: 'api' })
})

test('an error shows no key and nothing of the request', async () => {
  const broken = apiCall(400, 'Invalid key sk-0123456789abcdef0123456789')
  const error = await aiSdkModel(scripted([broken]), noWait)
    .complete(request())
    .catch((thrown) => thrown)
  const shown = JSON.stringify([error.message, error.evidence, String(error.cause), error.stack])
  expect(shown).not.toContain('sk-0123456789')
  expect(shown).not.toContain('conversation')
})

test('an abort ends a stream that stays open, and cancels it', async () => {
  let isCancelled = () => {}
  const cancelled = new Promise<void>((resolve) => {
    isCancelled = resolve
  })
  const controller = new AbortController()
  const reason = new Error('Enough.')
  const model: AiSdkLanguageModel = {
    ...scripted([]),
    async doStream() {
      return { stream: new ReadableStream({ cancel: () => isCancelled() }) }
    },
  }
  const reply = aiSdkModel(model).complete(request({ signal: controller.signal }))
  controller.abort(reason)
  await expect(reply).rejects.toBe(reason)
  await cancelled
})

test('a stream that sends nothing more is a timeout', async () => {
  const model: AiSdkLanguageModel = {
    ...scripted([]),
    doStream: async () => ({ stream: new ReadableStream() }),
  }
  const made = aiSdkModel(model, { ...noWait, timeoutMs: { firstByte: 20, total: 1000 } })
  await expect(made.complete(request())).rejects.toMatchObject({
    code: 'timeout',
    evidence: { phase: 'firstByte' },
  })
})

test('settings have the names of the specification, and others are refused', async () => {
  const model = scripted([[text('Hi.'), finish()]])
  const settings = {
    max_tokens: 9,
    top_p: 0.5,
    stop: 'END',
    providerOptions: { scripted: { fast: true } },
    response_format: { type: 'json_schema', json_schema: { name: 'o', schema: { type: 'object' } } },
  }
  await aiSdkModel(model).complete(request({ settings, stream: false }))
  expect(model.asked[0]).toMatchObject({
    maxOutputTokens: 9,
    topP: 0.5,
    stopSequences: ['END'],
    providerOptions: { scripted: { fast: true } },
    responseFormat: { type: 'json', name: 'o', schema: { type: 'object' } },
  })
  const unknown = aiSdkModel(model).complete(request({ settings: { parallel_tool_calls: false } }))
  await expect(unknown).rejects.toMatchObject({
    code: 'unsupported',
    evidence: { setting: 'parallel_tool_calls' },
  })
})

test.each([
  ['v2', 'aGk='],
  ['v3', 'aGk='],
  ['v4', { type: 'data', data: 'aGk=' }],
] as const)('files go to specification %s in its form', async (version, data) => {
  const model = scripted([[text('Hi.'), finish()]], version)
  const content = [
    { type: 'text', text: 'See.' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
    { type: 'input_audio', input_audio: { data: 'aGk=', format: 'mp3' } },
    { type: 'file', file: { file_data: 'data:application/pdf;base64,aGk=', filename: 'a.pdf' } },
  ]
  await aiSdkModel(model).complete(request({ messages: [{ role: 'user', content }] }))
  expect(model.asked[0]?.prompt).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'See.' },
        { type: 'file', mediaType: 'image/png', data },
        { type: 'file', mediaType: 'audio/mpeg', data },
        { type: 'file', mediaType: 'application/pdf', data, filename: 'a.pdf' },
      ],
    },
  ])
})

test('a model that sees gets an attached picture', async () => {
  const model = scripted([[text('A boat.'), finish()]])
  const agent = new Agent({ model: aiSdkModel(model, { vision: true }) })
  await agent.run('What is it?', { attachments: [png] })
  expect(model.asked[0]?.prompt).toMatchObject([
    { content: [{ type: 'text' }, { type: 'file', mediaType: 'image/png' }] },
  ])
})

test('a picture in a reply becomes an artifact, and its bytes stay out of the history', async () => {
  const turn = [text('Here.'), { type: 'file', mediaType: 'image/png', data: png }, finish()]
  const result = await new Agent({ model: aiSdkModel(scripted([turn])) }).run('Draw.')
  expect(result.artifacts).toMatchObject([{ kind: 'image', mediaType: 'image/png' }])
  expect(JSON.stringify(result.messages).length).toBeLessThan(1000)
})

test('sources and the calls of hosted tools are in the reply, and go back', async () => {
  const turn = [
    { ...call({ q: 'x' }), toolName: 'web_search', providerExecuted: true },
    { type: 'tool-result', toolCallId: 'c1', toolName: 'web_search', result: [{ url: 'https://a.example' }] },
    { type: 'source', sourceType: 'url', id: 's1', url: 'https://a.example', title: 'A' },
    text('Found.'),
    finish(),
  ]
  const model = scripted([turn, [text('Yes.'), finish()]])
  const { message, hostedCalls, sources } = await aiSdkModel(model).complete(request())
  expect(hostedCalls).toMatchObject([
    { type: 'web_search', status: 'called' },
    { type: 'web_search', status: 'completed', details: { result: [{ url: 'https://a.example' }] } },
  ])
  expect(sources).toEqual([{ url: 'https://a.example', title: 'A' }])
  await aiSdkModel(model).complete(request({ messages: [message] }))
  expect(model.asked[1]?.prompt).toMatchObject([
    {
      content: [
        { type: 'tool-call', toolName: 'web_search', providerExecuted: true },
        { type: 'tool-result', output: { type: 'json', value: [{ url: 'https://a.example' }] } },
        { type: 'text', text: 'Found.' },
      ],
    },
  ])
})

test('metadata goes back to its own provider and model alone, and not with a text that was changed', async () => {
  const signed = { google: { thoughtSignature: 'x' } }
  const turn = [{ ...text('Hi.'), providerMetadata: signed }, finish()]
  const { message } = await aiSdkModel(scripted([turn])).complete(request())
  const sentTo = async (model: Scripted, content = message.content) => {
    await aiSdkModel(model).complete(request({ messages: [{ ...message, content }] }))
    return model.asked[0]?.prompt
  }
  const reply = [[text('Yes.'), finish()]]
  expect(await sentTo(scripted(reply))).toEqual([
    { role: 'assistant', content: [{ type: 'text', text: 'Hi.', providerOptions: signed }] },
  ])
  const plain = [{ role: 'assistant', content: [{ type: 'text', text: 'Hi.' }] }]
  expect(await sentTo({ ...scripted(reply), modelId: 'other' })).toEqual(plain)
  expect(await sentTo(scripted(reply), 'Hello.')).toEqual([
    { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] },
  ])
})

test('a conversation goes on over chat completions, in the common form', async () => {
  const reasoning = { type: 'reasoning', text: 'Hm.', providerMetadata: { a: { signature: 's' } } }
  const model = aiSdkModel(
    scripted([
      [reasoning, call({ a: 1, b: 2 }), finish('tool-calls')],
      [text('Three.'), finish()],
    ]),
  )
  const first = await new Agent({ model, tools: [add] }).run('1 + 2?')
  const server = await startScriptedServer([{ text: 'Still three.' }])
  onTestFinished(() => server[Symbol.asyncDispose]())
  const messages = [...first.messages, { role: 'user' as const, content: 'Sure?' }]
  await new Agent({ model: chatModel('m', server), tools: [add] }).run(messages)
  expect(server.requests[0]?.body.messages[1]).toEqual({
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":1,"b":2}' } }],
  })
})

test('counts of version 2 are numbers', async () => {
  const counts = {
    inputTokens: 7,
    outputTokens: 3,
    totalTokens: 10,
    cachedInputTokens: 2,
    reasoningTokens: 1,
  }
  const model = scripted([[text('Hi.'), { type: 'finish', finishReason: 'stop', usage: counts }]], 'v2')
  const { tokens, finishReason } = await aiSdkModel(model).complete(request())
  expect(tokens).toEqual(counts)
  expect(finishReason).toBe('stop')
})

test('structured output works by a tool, or by the provider', async () => {
  const output = z.object({ sum: z.number() })
  const name = outputToolName
  const byTool = scripted([[{ ...call({ sum: 3 }), toolName: name }, finish('tool-calls')]])
  expect((await new Agent({ model: aiSdkModel(byTool), output }).run('1 + 2?')).output).toEqual({ sum: 3 })
  expect(byTool.asked[0]).toMatchObject({ tools: [{ name }] })
  const byFormat = scripted([[text('{"sum":3}'), finish()]])
  const model = aiSdkModel(byFormat, { structuredOutput: true })
  expect((await new Agent({ model, output }).run('1 + 2?')).output).toEqual({ sum: 3 })
  expect(byFormat.asked[0]?.responseFormat).toMatchObject({ type: 'json' })
})

test.each([
  ['a name', 'gpt-5', 'not a string'],
  [
    'a model of another specification',
    { ...scripted([]), specificationVersion: 'v1' },
    'a model with specification v1',
  ],
  ['a model of ours', chatModel('m', { apiKey: '' }), 'not an object'],
])('%s is refused at once', (_name, model, found) => {
  expect(() => aiSdkModel(model as never)).toThrow(found)
})

test('an unknown option names the closest one', () => {
  expect(() => aiSdkModel(scripted([]), { maxRetry: 1 } as never)).toThrow('maxRetries')
})
