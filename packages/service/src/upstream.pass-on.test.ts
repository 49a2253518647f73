import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { type Service, startService } from './start-service.js'
import type { Upstream } from './upstream.js'

const key = 'their-secret-key'
const ends: (() => Promise<unknown>)[] = []

afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()))
})

type Handler = (request: IncomingMessage, response: ServerResponse) => void

async function serve(handler: Handler): Promise<string> {
  const server: Server = createServer(handler)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  ends.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function start(upstream: Upstream, log?: (line: string) => void): Promise<Service> {
  const service = await startService({ upstream, apiKey: 'our-secret-key', log })
  ends.push(service.close)
  return service
}

function chat({ baseURL, apiKey }: Service, body: object, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', cookie: 'a=b' }
  return fetch(`${baseURL}/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
    ...init,
  })
}

test('forwards a chat unchanged, with the upstream key only', async () => {
  const seen: { url?: string | undefined; headers: unknown; body: string }[] = []
  const url = await serve(async (request, response) => {
    const { url, headers } = request
    seen.push({ url, headers, body: (await buffer(request)).toString() })
    response.writeHead(200, {
      'content-type': 'application/json',
      'set-cookie': 'c=d',
      'openai-version': '1',
    })
    response.end('{"id":"theirs",  "choices":[]}')
  })
  const service = await start({ url: `${url}/v1/`, apiKey: key })
  const response = await chat(service, { model: 'theirs', messages: 'not looked at' })
  expect([response.status, await response.text()]).toEqual([200, '{"id":"theirs",  "choices":[]}'])
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'x-capstan-engine': 'upstream; remote',
    'openai-version': '1',
  })
  expect(response.headers.get('set-cookie')).toBeNull()
  expect(seen).toMatchObject([
    {
      url: '/v1/chat/completions',
      headers: { authorization: `Bearer ${key}` },
      body: '{"model":"theirs","messages":"not looked at"}',
    },
  ])
  expect(seen[0]?.headers).not.toHaveProperty('cookie')
  expect(JSON.stringify(seen)).not.toContain('our-secret-key')
})

test('forwards a stream chunk by chunk', async () => {
  let next = (): void => {}
  const url = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: {"a":1}\n\n')
    next = () => response.end('data: [DONE]\n\n')
  })
  const response = await chat(await start({ url }), { stream: true })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const reader = response.body?.getReader()
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: {"a":1}\n\n')
  next()
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: [DONE]\n\n')
})

test('forwards an error with its Retry-After', async () => {
  const url = await serve((_, response) => {
    response
      .writeHead(429, { 'content-type': 'application/json', 'retry-after': '7' })
      .end('{"detail":"slow"}')
  })
  const response = await chat(await start({ url }), {})
  const { status, headers } = response
  expect([status, headers.get('retry-after'), await response.text()]).toEqual([429, '7', '{"detail":"slow"}'])
})

test('forwards a disconnect of the client', async () => {
  let began: () => void
  let ended: () => void
  const [begun, closed] = [new Promise<void>((go) => (began = go)), new Promise<void>((go) => (ended = go))]
  const url = await serve((_, response) => {
    response.on('close', () => ended())
    began()
  })
  const stop = new AbortController()
  const asked = chat(await start({ url }), {}, { signal: stop.signal }).catch(() => 'gone')
  await begun
  stop.abort()
  await closed
  expect(await asked).toBe('gone')
})

test('removes the upstream key from responses, also when split', async () => {
  const lines: string[] = []
  const url = await serve(async (_, response) => {
    response.writeHead(401, { 'content-type': 'text/plain', 'openai-key': key })
    response.write(`wrong key ${key}, or ${key.slice(0, 5)}`)
    await new Promise((resolve) => setImmediate(resolve))
    response.end(`${key.slice(5)}. Their own words stay.`)
  })
  const response = await chat(await start({ url, apiKey: key }, (line) => lines.push(line)), {})
  expect([response.status, await response.text()]).toEqual([
    401,
    'wrong key ***, or ***. Their own words stay.',
  ])
  expect(JSON.stringify([[...response.headers], lines])).not.toContain(key)
})

test('an unreachable or redirecting server is a 502', async () => {
  const gone = await serve(() => {})
  await ends.pop()?.()
  const elsewhere = await serve((_, response) => {
    response.writeHead(302, { location: 'http://elsewhere.example' }).end()
  })
  for (const url of [gone, elsewhere]) {
    const response = await chat(await start({ url }), {})
    expect([response.status, await response.json()]).toMatchObject([
      502,
      { error: { code: 'upstream_failed' } },
    ])
  }
})

test('forwards chat only, and lists the models of both servers', async () => {
  const url = await serve((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(request.url === '/v1/models' ? '{"data":[{"id":"theirs"},7,{"name":"no id"}]}' : '{}')
  })
  const service = await start({ url })
  const headers = { authorization: `Bearer ${service.apiKey}` }
  const { data } = (await (await fetch(`${service.baseURL}/models`, { headers })).json()) as {
    data: { id: string }[]
  }
  const names = data.map(({ id }) => id)
  expect(names).toEqual(expect.arrayContaining(['gpt-image-1', 'gpt-4o-mini-tts', 'theirs']))
  expect(names).not.toContain('planner')
  const body = JSON.stringify({ model: 'gpt-image-1', prompt: '' })
  const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body }
  expect((await fetch(`${service.baseURL}/images/generations`, init)).status).toBe(400)
})

test('forwards images only, forms included', async () => {
  const there = await startService({ apiKey: key })
  ends.push(there.close)
  const service = await start({ url: there.baseURL, apiKey: key, endpoints: ['images'] })
  const body = new FormData()
  body.append('model', 'dall-e-2')
  body.append('image', new Blob(['no picture']), 'a.png')
  const headers = { authorization: `Bearer ${service.apiKey}` }
  const response = await fetch(`${service.baseURL}/images/variations`, { method: 'POST', headers, body })
  expect([response.status, await response.json()]).toMatchObject([400, { error: { param: 'image' } }])
  expect(response.headers.get('x-capstan-engine')).toBe('upstream; remote')
  const messages = [{ role: 'user', content: 'Hello' }]
  const here = await chat(service, { model: 'planner', messages })
  expect([here.status, here.headers.get('x-capstan-engine')]).toEqual([200, 'planner; rules'])
})

test('forwards responses and messages where they are listed, with the headers of their protocol', async () => {
  const seen: unknown[][] = []
  const url = await serve((request, response) => {
    const { 'x-api-key': given, 'anthropic-version': version, authorization } = request.headers
    seen.push([request.url, authorization, given, version])
    response.writeHead(200, { 'content-type': 'application/json', 'anthropic-organization-id': 'o' })
    response.end('{}')
  })
  const service = await start({ url, apiKey: key, endpoints: ['responses', 'messages'] })
  const post = (path: string, headers: Record<string, string>) =>
    fetch(service.baseURL + path, {
      method: 'POST',
      body: '{}',
      headers: { 'x-api-key': service.apiKey, ...headers },
    })
  await post('/responses', {})
  const response = await post('/messages/count_tokens', { 'anthropic-version': '2023-06-01' })
  expect(response.headers.get('anthropic-organization-id')).toBe('o')
  expect(seen).toEqual([
    ['/v1/responses', `Bearer ${key}`, undefined, undefined],
    ['/v1/messages/count_tokens', `Bearer ${key}`, key, '2023-06-01'],
  ])
  expect(
    (await chat(service, { model: 'planner', messages: [{ role: 'user', content: 'Hi' }] })).status,
  ).toBe(200)
})
