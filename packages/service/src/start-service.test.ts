import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cases } from '../../../scripts/cases.mjs'
import type { Service } from './start-service.js'
import { startService } from './start-service.js'

let service: Service
const lines: string[] = []

beforeAll(async () => {
  service = await startService({ maxBodyBytes: 10_000, log: (line) => lines.push(line) })
})
afterAll(() => service.close())

const json = { 'content-type': 'application/json' }

function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${service.apiKey}`, ...init.headers }
  return fetch(new URL(path, service.baseURL), { ...init, headers })
}

function post(path: string, body: BodyInit, headers: Record<string, string> = json): Promise<Response> {
  return ask(path, { method: 'POST', body, headers })
}

async function failure(asked: Promise<Response>): Promise<unknown[]> {
  const response = await asked
  const { error } = (await response.json()) as { error: { code: string; type: string; param: string | null } }
  return [response.status, error.code, error.type, error.param]
}

test('a missing or wrong key is a 401 that does not repeat the key', async () => {
  const missing = fetch(`${service.baseURL}/models`)
  expect(await failure(missing)).toEqual([401, 'missing_api_key', 'authentication_error', null])
  const wrong = await ask('/v1/models', { headers: { authorization: 'Bearer sk-secret-of-mine' } })
  expect(wrong.status).toBe(401)
  expect(wrong.headers.get('www-authenticate')).toBe('Bearer')
  const body = await wrong.text()
  expect(body).toContain('invalid_api_key')
  expect(body).not.toContain('sk-secret-of-mine')
})

test('lists the models, each with its kind', async () => {
  const { data } = (await (await ask('/v1/models')).json()) as {
    data: { id: string; kind: string; limit: string }[]
  }
  expect(data.map(({ id, kind }) => `${id} ${kind}`)).toEqual([
    'planner rules',
    'gpt-image-1 procedural',
    'dall-e-2 procedural',
    'gpt-4o-mini-tts real',
    'whisper-1 real',
    'text-embedding-3-small procedural',
    'gpt-4o rules',
    'gpt-4o-mini rules',
    'dall-e-3 procedural',
    'tts-1 real',
    'tts-1-hd real',
    'gpt-4o-transcribe real',
    'gpt-4o-mini-transcribe real',
    'text-embedding-3-large procedural',
    'text-embedding-ada-002 procedural',
  ])
})

test('serves /healthz without a key', async () => {
  const response = await fetch(new URL('/healthz', service.baseURL))
  expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }])
})

test('every response has its own request id', async () => {
  const [one, other] = await Promise.all([ask('/v1/models'), ask('/nowhere')])
  const ids = [one, other].map((response) => response.headers.get('x-request-id'))
  expect(new Set(ids).size).toBe(2)
  expect(ids[0]).toMatch(/^req_[0-9a-f]{32}$/)
})

test('keeps a short plain request id of the client, also in the log', async () => {
  lines.length = 0
  const sent = ['job-7:a.b', 'x'.repeat(200), '<b>']
  const asked = sent.map((id) => ask('/v1/models', { headers: { 'x-request-id': id } }))
  const ids = (await Promise.all(asked)).map((response) => response.headers.get('x-request-id') ?? '')
  expect([ids[0], ids[1]?.slice(0, 4), ids[2]?.slice(0, 4)]).toEqual(['job-7:a.b', 'req_', 'req_'])
  await expect.poll(() => lines.map((line) => line.split(' ').at(-1)).sort()).toEqual(ids.toSorted())
})

test('a slow body is a 408 and ends its connection', async () => {
  const hurried = await startService({ requestTimeoutMs: 300 })
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${hurried.apiKey}\r\n`
  let answer: string
  do {
    const socket = connect(Number(new URL(hurried.baseURL).port), '127.0.0.1')
    socket.write(`${head}content-type: application/json\r\ncontent-length: 100\r\n\r\n{"model"`)
    answer = await text(socket)
    // On a busy machine the head may come too late as well: then it is sent again.
  } while (answer.includes('"request_too_slow"'))
  expect(answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*"body_too_slow"/)
  await hurried.close()
})

test.each([
  ['a head that never ends', 'GET /healthz HTTP/1.1\r\nhost', 408, 'request_too_slow'],
  ['a gigantic head', `GET /healthz HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431, 'header_too_large'],
  ['what is no HTTP', 'hello?\r\n\r\n', 400, 'invalid_http'],
])('%s gets the usual error format', async (_, sent, status, code) => {
  const hurried = await startService(status === 408 ? { requestTimeoutMs: 50 } : {})
  const socket = connect(Number(new URL(hurried.baseURL).port), '127.0.0.1')
  socket.write(sent)
  const [head = '', body = '{}'] = (await text(socket)).split('\r\n\r\n')
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(JSON.parse(body)).toMatchObject({ error: { code, param: 'headers' } })
  await hurried.close()
})

test('closes connections beyond the limit until one ends', async () => {
  const small = await startService({ maxConnections: 1 })
  const port = Number(new URL(small.baseURL).port)
  const first = connect(port, '127.0.0.1')
  first.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(first, 'data')
  expect(await text(connect(port, '127.0.0.1'))).toBe('')
  first.destroy()
  await expect
    .poll(() =>
      fetch(new URL('/healthz', small.baseURL)).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    .toBe(true)
  await small.close()
})

test('one connection serves many requests', async () => {
  const { hostname, port } = new URL(service.baseURL)
  const socket = connect(Number(port), hostname)
  const ask = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'
  for (let count = 0; count < 3; count++) {
    socket.write(ask)
    expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1\.1 200[\s\S]*keep-alive/i)
  }
  socket.destroy()
})

test('an unknown path gets the list of endpoints', async () => {
  const { error } = (await (await post('/v1/chat/completion', '{}')).json()) as { error: { message: string } }
  expect(error.message).toContain('POST /v1/chat/completions')
  expect(await failure(ask('/v1/'))).toEqual([404, 'not_found', 'invalid_request_error', 'path'])
})

test('a wrong method is a 405 with the right one', async () => {
  const response = await ask('/v1/chat/completions')
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  expect((await ask('/v1/models', { method: 'OPTIONS' })).status).toBe(405)
})

test('a wrong content type is a 415 with the right one', async () => {
  const plain = await post('/v1/chat/completions', '{}', { 'content-type': 'text/plain' })
  expect([plain.status, await plain.text()]).toEqual([415, expect.stringContaining('application/json')])
  expect(await failure(post('/v1/images/edits', '{}'))).toMatchObject({ 0: 415, 1: 'unsupported_media_type' })
})

test.each(['{"model": ', '[1]', 'null', '"text"', Buffer.from([0x7b, 0xff, 0x7d])])(
  'the body %s is invalid_json',
  async (body) => {
    expect(await failure(post('/v1/chat/completions', body))).toMatchObject({ 0: 400, 1: 'invalid_json' })
  },
)

test('a malformed form is invalid_multipart', async () => {
  const headers = { 'content-type': 'multipart/form-data; boundary=x' }
  expect(await failure(post('/v1/images/edits', 'no form at all', headers))).toMatchObject({
    0: 400,
    1: 'invalid_multipart',
  })
  expect(
    await failure(post('/v1/images/edits', 'x', { 'content-type': 'multipart/form-data' })),
  ).toMatchObject({ 0: 400, 1: 'invalid_multipart' })
})

test('a field named like an object member is a plain field', async () => {
  const body = '{"__proto__": {"model": "planner"}, "constructor": 1}'
  expect(await failure(post('/v1/chat/completions', body))).toMatchObject({ 0: 400, 1: 'missing_model' })
})

test('a body over the limit is a 413 before it is complete', async () => {
  const agent = new Agent({ keepAlive: false })
  for (const headers of [{ 'content-length': 1_000_000 }, { 'transfer-encoding': 'chunked' }]) {
    const request = httpRequest(new URL(`${service.baseURL}/chat/completions`), {
      agent,
      method: 'POST',
      headers: { ...json, authorization: `Bearer ${service.apiKey}`, ...headers },
    })
    request.write('x'.repeat(20_000))
    const [response] = await once(request, 'response')
    expect([response.statusCode, await text(response)]).toEqual([413, expect.stringContaining('10000 bytes')])
    request.destroy()
  }
})

test('a missing image is a 404 without a key', async () => {
  const response = fetch(new URL('/files/nothing.png', service.baseURL))
  expect(await failure(response)).toMatchObject({ 0: 404, 1: 'not_found' })
})

test('logs a line per request, without content and secret addresses', async () => {
  lines.length = 0
  await (await ask('/v1/models?secret=1')).text()
  await (await fetch(new URL('/files/secret.png', service.baseURL))).text()
  await expect.poll(() => lines).toHaveLength(2)
  expect(lines.join('\n')).toMatch(/^GET \/v1\/models 200 \d+ms req_\w+\nGET \/files\/\* 404 \d+ms req_\w+$/)
})

test.each([
  [{ port: 70_000 }, 'port'],
  [{ apiKey: '' }, 'apiKey'],
  [{ apiKey: 'two words' }, 'apiKey'],
  [{ maxBodyBytes: 0 }, 'maxBodyBytes'],
  [{ host: '' }, 'host'],
  [{ apiKey: false, host: '0.0.0.0' } as const, 'apiKey'],
  [{ cors: ['https://app.example/path'] }, 'cors'],
  [{ workers: 0 }, 'workers'],
  [{ queue: -1 }, 'queue'],
  [{ contextTokens: 0 }, 'contextTokens'],
  [{ requestTimeoutMs: 0.5 }, 'requestTimeoutMs'],
  [{ upstream: { url: 'models.example' } }, 'upstream.url'],
  [{ upstream: { url: 'http://a.example', apiKey: 'a b' } }, 'upstream.apiKey'],
])('rejects the options %j by name', async (options, name) => {
  await expect(startService(options)).rejects.toThrow(new RegExp(`^${name} must `))
})

test('reports a port in use', async () => {
  const port = Number(new URL(service.baseURL).port)
  await expect(startService({ port })).rejects.toThrow(`Port ${port} is in use`)
})

test('returns a callable address, also for a wildcard host', async () => {
  const everywhere = await startService({ host: '0.0.0.0', apiKey: 'k' })
  expect(everywhere.baseURL).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/)
  const response = await fetch(`${everywhere.baseURL}/models`, { headers: { authorization: 'Bearer k' } })
  expect(response.status).toBe(200)
  await Promise.all([everywhere.close(), everywhere.close()])
})

test('disconnected clients are not errors, and later requests work', async () => {
  lines.length = 0
  const body = JSON.stringify({ model: 'gpt-image-1', prompt: 'a cat', size: '64x64', n: 3 })
  const count = cases(20, 6)
  const { hostname, port } = new URL(service.baseURL)
  const head = `POST /v1/images/generations HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${service.apiKey}\r\n`
  const request = `${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  const gone = Array.from({ length: count }, async (_, index) => {
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    await new Promise((sent) => socket.write(request, sent))
    if (index % 2) await once(socket, 'data')
    socket.resetAndDestroy()
  })
  await Promise.all(gone)
  expect((await ask('/v1/models')).status).toBe(200)
  await expect.poll(() => lines).toHaveLength(count + 1)
  expect(lines.filter((line) => line.includes('internal_error'))).toEqual([])
})

test('closing waits for a response only up to the time limit', async () => {
  const closing = await startService({ closeTimeoutMs: 0 })
  const headers = { authorization: `Bearer ${closing.apiKey}`, ...json }
  const body = JSON.stringify({ model: 'gpt-image-1', prompt: 'a red sailboat', size: '1024x1024', n: 10 })
  const asked = fetch(`${closing.baseURL}/images/generations`, { method: 'POST', headers, body })
  const outcome = expect(asked).rejects.toThrow()
  await fetch(new URL('/healthz', closing.baseURL))
  await closing.close()
  await outcome
})

test('closing ends idle and incomplete connections', async () => {
  const closing = await startService()
  const port = Number(new URL(closing.baseURL).port)
  const idle = connect(port, '127.0.0.1')
  const half = connect(port, '127.0.0.1')
  await Promise.all([once(idle, 'connect'), once(half, 'connect')])
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${closing.apiKey}\r\n`
  half.write(`${head}content-type: application/json\r\ncontent-length: 100\r\n\r\n{"model"`)
  const ended = [idle, half].map(
    (socket) =>
      new Promise((resolve) =>
        socket
          .on('error', () => {})
          .once('close', resolve)
          .resume(),
      ),
  )
  await closing.close()
  await Promise.all(ended)
  await expect(fetch(`${closing.baseURL}/models`)).rejects.toThrow()
})

test('the process ends by itself after 100 requests and a close', async () => {
  const script = `
    import { startService } from './src/index.ts'
    const service = await startService()
    const headers = { authorization: 'Bearer ' + service.apiKey, 'content-type': 'application/json' }
    const body = JSON.stringify({ model: 'planner', stream: true, messages: [{ role: 'user', content: 'Hello' }] })
    const picture = JSON.stringify({ model: 'gpt-image-1', prompt: 'a cat', size: '16x16' })
    const painted = await fetch(service.baseURL + '/images/generations', { method: 'POST', headers, body: picture })
    if (!painted.ok) throw new Error('no picture')
    const ask = () => fetch(service.baseURL + '/chat/completions', { method: 'POST', headers, body }).then((r) => r.text())
    const answers = await Promise.all(Array.from({ length: 100 }, ask))
    await service.close()
    console.log(answers.filter((text) => text.endsWith('data: [DONE]\\n\\n')).length)
  `
  const cwd = new URL('..', import.meta.url)
  const args = ['--conditions', 'development', '--import', 'tsx', '--input-type', 'module', '--eval', script]
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  expect([printed.trim(), code]).toEqual(['100', 0])
})
