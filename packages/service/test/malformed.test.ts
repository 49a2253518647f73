import { afterAll, beforeAll, expect, test } from 'vitest'
import { some } from '../../../scripts/cases.mjs'
import { type Service, startService } from '../src/start-service.js'
import { type MalformedRequest, type Refusal, send } from './malformed-request.js'
import { apiKey, malformedRequests, maxBodyBytes, models } from './malformed-requests.js'

let service: Service
/** For incomplete requests. */
let hurried: Service
const unfinished = /a body that does not come|half a body|a head that does not end/
const lines: string[] = []

beforeAll(async () => {
  const options = { apiKey, maxBodyBytes, models, log: (line: string) => lines.push(line) }
  service = await startService(options)
  hurried = await startService({ ...options, requestTimeoutMs: 300 })
})
afterAll(async () => {
  await service.close()
  await hurried.close()
})

test('there are more than 200 malformed requests', () => {
  expect(malformedRequests.length).toBeGreaterThan(200)
  expect(new Set(malformedRequests.map(({ bytes }) => String(bytes))).size).toBe(malformedRequests.length)
})

test.each(some(malformedRequests, 2))('rejects $what by name', async (request) => {
  const { status, message, param } = await refusalOf(request)
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(500)
  expect(`${param} ${message}`.toLowerCase()).toContain(request.names.toLowerCase())
  expect(message.length).toBeLessThan(600)
})

test('the service still works after all of them, without an internal error', async () => {
  for (const { baseURL } of [service, hurried])
    expect((await fetch(new URL('/healthz', baseURL))).status).toBe(200)
  expect(lines.filter((line) => line.startsWith('internal_error'))).toEqual([])
})

async function refusalOf(request: MalformedRequest): Promise<Refusal> {
  if (!unfinished.test(request.what)) return send(request, service.baseURL)
  for (;;) {
    const refusal = await send(request, hurried.baseURL)
    // On a busy machine the head of a request may also arrive too late: then it is sent again.
    if (request.names !== 'body' || /\bbody\b/.test(refusal.message)) return refusal
  }
}
