import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, startService } from '../start-service.js'

let open: Service
let shut: Service
const page = 'https://app.example'

beforeAll(async () => {
  ;[open, shut] = await Promise.all([startService({ apiKey: false, cors: [page] }), startService()])
})
afterAll(() => Promise.all([open.close(), shut.close()]))

async function ask({ baseURL }: Service, headers: Record<string, string>, method = 'GET') {
  const asked = httpRequest(`${baseURL}/models`, { headers, method }).end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  const { error } =
    response.statusCode === 204 ? {} : ((await json(response)) as { error?: { code: string } })
  return { status: response.statusCode, code: error?.code, headers: response.headers }
}

test('a service without a key accepts clients on this machine', async () => {
  expect(open.apiKey).toBe('none')
  const { port } = new URL(open.baseURL)
  for (const host of ['127.0.0.1', 'localhost', `LOCALHOST:${port}`, '[::1]:80', '127.1.2.3']) {
    expect(await ask(open, { host })).toMatchObject({ status: 200 })
  }
})

test('without a key rejects other host names, which a page could map to this machine', async () => {
  for (const host of ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example']) {
    expect(await ask(open, { host })).toMatchObject({ status: 403, code: 'forbidden_host' })
  }
})

test('without a key accepts pages of the given origins only', async () => {
  expect(await ask(open, { origin: 'https://evil.example' })).toMatchObject({
    status: 403,
    code: 'forbidden_origin',
  })
  expect(await ask(open, { origin: 'null' })).toMatchObject({ status: 403 })
  expect(await ask(open, { origin: page })).toMatchObject({ status: 200 })
})

test('a page of a given origin can read responses and send preflights', async () => {
  const asked = {
    origin: page,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'x-mine',
  }
  const preflight = await ask(open, asked, 'OPTIONS')
  expect(preflight.status).toBe(204)
  expect(preflight.headers).toMatchObject({
    'access-control-allow-origin': page,
    'access-control-allow-methods': 'GET, POST',
    'access-control-allow-headers': 'x-mine',
    vary: 'origin',
  })
  const { headers } = await ask(open, { origin: page })
  expect(headers['access-control-allow-origin']).toBe(page)
  expect(String(headers['access-control-expose-headers']).split(', ')).toContain('x-capstan-not-understood')
})

test('no page has access by default', async () => {
  const authorization = `Bearer ${shut.apiKey}`
  const { status, headers } = await ask(shut, { origin: page, authorization })
  expect([status, headers['access-control-allow-origin']]).toEqual([200, undefined])
  const asked = { origin: page, 'access-control-request-method': 'POST' }
  expect(await ask(shut, asked, 'OPTIONS')).toMatchObject({ status: 405 })
})
