import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { some } from '../../../../scripts/cases.mjs'
import { type CapstanError, chatModel, type ModelRequest } from '../../src/index.js'
import { messagesModel } from '../../src/messages.js'
import { responsesModel } from '../../src/responses.js'
import { chineseControls, chineseRefusals } from './chinese.js'
import { controls } from './controls.js'
import { besideNumbers } from './numbers.js'
import { refusals } from './refusals.js'

/** What the server answers next, and how often it was asked. */
let answer: { readonly status: number; readonly text: string; readonly type: string }
let asked = 0

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    asked += 1
    response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.text)
  })
})
beforeAll(() => new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready)))
afterAll(() => new Promise((closed) => server.close(closed).closeAllConnections()))

const protocols = { chatModel, responsesModel, messagesModel } as const

async function failureOf(
  protocol: keyof typeof protocols,
  stream: boolean,
  options: { readonly maxRetries?: number } = {},
): Promise<CapstanError> {
  asked = 0
  const { port } = server.address() as AddressInfo
  const baseURL = `http://127.0.0.1:${port}/v1`
  const model = protocols[protocol]('m', {
    baseURL,
    apiKey: '',
    ...options,
  })
  const request: ModelRequest = {
    messages: [{ role: 'user', content: 'Hello' }],
    tools: [],
    stream,
    signal: new AbortController().signal,
    idempotencyKey: 'run/step0/request',
  }
  return model.complete(request).then(
    (reply) => expect.fail(`the reply ${JSON.stringify(reply)}`),
    (error) => error as CapstanError,
  )
}

/** How a body can arrive: as it is, with another status, as an event of a stream, and as what another server was told. */
type ToAnswer = (status: number, body: unknown) => typeof answer

const all = [...refusals, ...chineseRefusals, ...besideNumbers]

const textOf = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body))
const json = (status: number, body: unknown) => ({ status, text: textOf(body), type: 'application/json' })
const asItIs: ToAnswer = json
const inAnEvent: ToAnswer = (_status, body) => ({
  status: 200,
  text: `data: ${textOf(Array.isArray(body) ? body[0] : body)}\n\n`,
  type: 'text/event-stream',
})
const fromAProvider: ToAnswer = (_status, body) => {
  const metadata = { raw: textOf(body), provider_name: 'One' }
  return json(400, { error: { message: 'Provider returned error', code: 400, metadata } })
}

const ways: readonly (readonly [string, ToAnswer])[] = [
  ['as it is', asItIs],
  ['in an event', inAnEvent],
  ['from a provider', fromAProvider],
  ['with status 200', (_status, body) => json(200, body)],
  ['with status 413', (_status, body) => json(413, body)],
  ['with status 422', (_status, body) => json(422, body)],
  ['with status 500', (_status, body) => json(500, body)],
]

describe.each(Object.keys(protocols) as (keyof typeof protocols)[])('%s', (protocol) => {
  describe.each(ways)('%s', (_way, toAnswer) => {
    test.for(toAnswer === asItIs && protocol === 'chatModel' ? all : some(all, 25))(
      '%s',
      async ([, status, body, contextTokens, promptTokens]) => {
        for (const stream of [false, true]) {
          answer = toAnswer(status, body)
          const { code, retryable, evidence = {} } = await failureOf(protocol, stream)
          expect({ code, retryable, asked }).toEqual({
            code: 'context_length_exceeded',
            retryable: false,
            asked: 1,
          })
          expect([evidence.contextTokens, evidence.promptTokens]).toEqual([contextTokens, promptTokens])
        }
      },
    )
  })
  const unlike = [...controls, ...chineseControls]
  test.each(protocol === 'chatModel' ? unlike : some(unlike))('%s', async (_what, status, body, code) => {
    for (const stream of [false, true]) {
      answer = asItIs(status, body)
      expect((await failureOf(protocol, stream, { maxRetries: 0 })).code).toBe(code)
      answer = inAnEvent(status, body)
      const error = await failureOf(protocol, stream, { maxRetries: 0 })
      expect(error.code, error.message).not.toBe('context_length_exceeded')
    }
  })
})

const noise = {
  ...{ status: 413, id: 917332211, request_id: '20250912145612331100', created: 1732900123 },
  ...{ retry_after: 500, error_code: 336103, seq: 4000000 },
}
/** Writes the texts of a body in another way. */
const withTexts = (body: object, write: (text: string) => string): object =>
  JSON.parse(JSON.stringify(body), (name, value) => {
    const isText = typeof value === 'string' && !value.startsWith('{')
    return isText && /^(message|status_msg|error|error_msg|detail)$/.test(name) ? write(value) : value
  })
const around: Readonly<Record<string, (body: object) => object>> = {
  'in fields before it': (body) => ({ ...noise, ...body }),
  'in fields behind it': (body) => ({ ...body, ...noise }),
  'of a client': (body) => withTexts(body, (text) => `Error code: 429 - ${text}`),
  'of a status': (body) => withTexts(body, (text) => `HTTP 500 ${text}`),
  'of a code and a time': (body) => withTexts(body, (text) => `[400] [20250902152412] ${text}`),
  'of a request': (body) =>
    withTexts(body, (text) => `${text} (request id: 2025101208593217175902998820017)`),
  'of a trace': (body) => withTexts(body, (text) => `${text} (status 503, trace 73322119)`),
  'of a wait': (body) => withTexts(body, (text) => `${text} Retry in 86400 seconds.`),
}

test.each(Object.entries(around))('numbers %s are not taken for tokens', async (_where, change) => {
  for (const [server, status, body, contextTokens, promptTokens] of some(all, 4)) {
    if (typeof body !== 'object' || Array.isArray(body)) continue
    answer = json(Math.max(status, 400), change(body as object))
    const { code, evidence = {} } = await failureOf('chatModel', false)
    expect([server, code, evidence.contextTokens, evidence.promptTokens]).toEqual([
      ...[server, 'context_length_exceeded', contextTokens, promptTokens],
    ])
  }
})
