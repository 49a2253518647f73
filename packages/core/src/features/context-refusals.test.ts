import { describe, expect, expectTypeOf, test } from 'vitest'
import { type AiSdkLanguageModel, type AiSdkModelOptions, aiSdkModel } from '../ai-sdk.js'
import { CapstanError } from '../errors.js'
import { type ChatModel, type ChatModelOptions, chatModel, fallback, type ModelRequest } from '../index.js'
import { messagesModel } from '../messages.js'
import { responsesModel } from '../responses.js'

const request: ModelRequest = {
  messages: [{ role: 'user', content: 'Hello' }],
  tools: [],
  stream: false,
  signal: new AbortController().signal,
  idempotencyKey: 'run/step0/request',
}

const completion = (content: string, promptTokens: number) => ({
  id: 'c',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  usage: { prompt_tokens: promptTokens, completion_tokens: 1, total_tokens: promptTokens + 1 },
})
const tooLong = (window: number) => ({
  error: {
    message: `This model's maximum context length is ${window} tokens. However, your messages resulted in 9000 tokens.`,
    code: 'context_length_exceeded',
  },
})

/** Options for a model whose server returns these bodies in turn, as errors with status 400. */
function serverOf(...bodies: readonly object[]): ChatModelOptions & { readonly asked: () => number } {
  let asked = 0
  return {
    baseURL: 'http://model.test/v1',
    apiKey: '',
    fetch: async () => {
      const body = bodies[asked++] ?? {}
      return Response.json(body, { status: 'error' in body ? 400 : 200 })
    },
    asked: () => asked,
  }
}

const failureOf = (model: ChatModel, given: Partial<ModelRequest> = {}) =>
  model.complete({ ...request, ...given }).then(
    (reply) => expect.fail(`the reply ${JSON.stringify(reply)}`),
    (error) => error as CapstanError,
  )

test('a refusal is the error at once, with what the server said', async () => {
  const server = serverOf(tooLong(8192), completion('Hi.', 10))
  const { asked, ...options } = server
  expect(await failureOf(chatModel('m', options))).toMatchObject({
    code: 'context_length_exceeded',
    message:
      "The model server returned 400: This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    retryable: false,
    status: 400,
    help: expect.stringContaining('errors/context_length_exceeded'),
    evidence: {
      contextTokens: 8192,
      promptTokens: 9000,
      status: 400,
      body: expect.stringContaining('maximum context length'),
    },
  })
  expect(asked()).toBe(1)
})

test('a refusal without numbers has none in its evidence', async () => {
  const { asked: _, ...options } = serverOf({ error: 'prompt too long; exceeded max context length' })
  const { evidence } = await failureOf(chatModel('m', options))
  expect(evidence).toMatchObject({ contextTokens: undefined, promptTokens: undefined, status: 400 })
})

test.each(['Prompt processing timeout reached', 'Prompt cache size exceeded'])(
  'a sick server may be asked again: %s',
  async (message) => {
    const fetch = async () => Response.json({ error: { message } }, { status: 500 })
    const model = chatModel('m', { baseURL: 'http://model.test/v1', apiKey: '', maxRetries: 0, fetch })
    expect(await failureOf(model)).toMatchObject({ code: 'api', retryable: true })
  },
)

const makers = [
  ['chatModel', chatModel],
  ['responsesModel', responsesModel],
  ['messagesModel', messagesModel],
] as const

describe.each(makers)('an event of %s with its message at the top level', (_name, make) => {
  const failureTo = (body: object) => {
    const fetch = async () => new Response(`data: ${JSON.stringify(body)}\n\n`)
    const model = make('m', { baseURL: 'http://model.test/v1', apiKey: '', maxRetries: 0, fetch })
    return failureOf(model, { stream: true })
  }

  test.each(['invalid_request_error', 'BadRequestError', 'exceed_context_size'])(
    'is a refusal: %s',
    async (type) => {
      expect(
        await failureTo({ message: 'prompt is too long: 9000 tokens > 8192 maximum', type }),
      ).toMatchObject({
        code: 'context_length_exceeded',
        retryable: false,
        evidence: { contextTokens: 8192, promptTokens: 9000 },
      })
    },
  )

  test.each([
    ['invalid_request_error', 'The field foo is unknown.', 'invalid_request'],
    ['server_error', 'The server is sick.', 'api'],
    ['rate_limit_error', 'Slow down.', 'rate_limit'],
  ])('keeps its own code: %s', async (type, message, code) => {
    expect(await failureTo({ message, type })).toMatchObject({
      code,
      message: `The model server returned 200 with an error: ${message}`,
    })
  })
})

describe('an empty reply', () => {
  const empty = (promptTokens: number) => completion('', promptTokens)
  const modelOf = (contextTokens: number | undefined, ...bodies: readonly object[]) => {
    const { asked: _, ...options } = serverOf(...bodies)
    return chatModel('m', { ...options, ...(contextTokens ? { contextTokens } : {}) })
  }

  test('to a prompt that fills the window counts as a refusal', async () => {
    expect(await failureOf(modelOf(1000, empty(990)))).toMatchObject({
      code: 'context_length_exceeded',
      retryable: false,
      evidence: { contextTokens: 1000, promptTokens: 990 },
    })
  })

  test('fills a window that an earlier refusal told', async () => {
    const model = modelOf(undefined, tooLong(2000), empty(1980))
    await failureOf(model)
    expect(await failureOf(model)).toMatchObject({ evidence: { contextTokens: 2000, promptTokens: 1980 } })
  })

  test('is judged by the option, whatever a refusal told', async () => {
    const model = modelOf(4000, tooLong(2000), empty(1980))
    await failureOf(model)
    expect((await model.complete(request)).message.content).toBe('')
  })

  test.each([
    ['with room in the window', 1000, completion('', 989)],
    ['without a known window', undefined, completion('', 990)],
    ['that is not empty', 1000, completion('Hi.', 1000)],
  ])('stays a reply %s', async (_what, contextTokens, body) => {
    expect(await modelOf(contextTokens, body).complete(request)).toHaveProperty('message')
  })
})

describe('a reply that the window cut off', () => {
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'It snows and' }],
    stop_reason: 'model_context_window_exceeded',
    usage: { input_tokens: 199_000, output_tokens: 1000 },
  }
  const events = [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'It snows and' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: message.stop_reason }, usage: { output_tokens: 1000 } },
    { type: 'message_stop' },
  ]

  test.each([
    ['whole', false, JSON.stringify(message)],
    ['streamed', true, events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')],
  ])('is not used: %s', async (_how, stream, body) => {
    const model = messagesModel('m', { apiKey: '', fetch: async () => new Response(body) })
    expect(await failureOf(model, { stream })).toMatchObject({
      code: 'context_length_exceeded',
      retryable: false,
      evidence: { promptTokens: 199_000 },
    })
  })
})

describe('contextTokens', () => {
  test.each([chatModel, responsesModel, messagesModel])('is told by the model of %o', (make) => {
    const options = { apiKey: '' }
    expect(make('m', { ...options, contextTokens: 512 }).contextTokens).toBe(512)
    expect(make('m', options).contextTokens).toBeUndefined()
  })

  test.each([511, 0, 1000.5, Number.POSITIVE_INFINITY, '8192', null])('cannot be %j', (contextTokens) => {
    const given = { apiKey: '', contextTokens: contextTokens as number }
    for (const make of [chatModel, responsesModel, messagesModel])
      expect(() => make('m', given)).toThrow('contextTokens is')
  })

  test('of a fallback is the smallest known', () => {
    const known = (contextTokens?: number): ChatModel => ({
      name: 'm',
      complete: () => Promise.reject(new CapstanError('api', 'No reply.')),
      ...(contextTokens ? { contextTokens } : {}),
    })
    expect(fallback([known(), known(9000), known(8000)]).contextTokens).toBe(8000)
    expect(fallback([known(), known()]).contextTokens).toBeUndefined()
  })
})

describe('aiSdkModel', () => {
  const ofProvider = (doGenerate: () => Promise<unknown>): AiSdkLanguageModel => ({
    specificationVersion: 'v3',
    provider: 'google',
    modelId: 'gemini',
    doGenerate,
    doStream: () => Promise.reject(new Error('It does not stream.')),
  })

  test('gives the refusal of its provider the code', async () => {
    const responseBody = JSON.stringify({
      error: {
        code: 400,
        message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      },
    })
    const refusal = Object.assign(new Error('Bad Request'), { statusCode: 400, responseBody })
    const model = aiSdkModel(ofProvider(() => Promise.reject(refusal)))
    expect(await failureOf(model)).toMatchObject({
      code: 'context_length_exceeded',
      evidence: { contextTokens: 1_048_576, promptTokens: 1_200_000 },
    })
  })

  test('does not use a reply that the window cut off', async () => {
    const reply = {
      content: [{ type: 'text', text: 'It snows and' }],
      finishReason: { unified: 'length', raw: 'model_context_window_exceeded' },
      usage: { inputTokens: { total: 199_000 }, outputTokens: { total: 1000 } },
    }
    expect(await failureOf(aiSdkModel(ofProvider(async () => reply)))).toMatchObject({
      code: 'context_length_exceeded',
      evidence: { promptTokens: 199_000 },
    })
  })

  test('tells its contextTokens', () => {
    const one = ofProvider(() => Promise.reject(new Error('No reply.')))
    expect(aiSdkModel(one, { contextTokens: 1000 }).contextTokens).toBe(1000)
    expect(() => aiSdkModel(one, { contextTokens: 100 })).toThrow('contextTokens is 100')
  })
})

test('contextTokens is a number, or left out', () => {
  expectTypeOf<ChatModel['contextTokens']>().toEqualTypeOf<number | undefined>()
  expectTypeOf<ChatModelOptions['contextTokens']>().toEqualTypeOf<number | undefined>()
  expectTypeOf<AiSdkModelOptions['contextTokens']>().toEqualTypeOf<number | undefined>()
})
