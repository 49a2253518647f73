import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, startService } from '../src/start-service.js'
import { send } from './malformed-request.js'
import { apiKey, malformedRequests, maxBodyBytes } from './malformed-requests.js'

let service: Service
const lines: string[] = []

beforeAll(async () => {
  // Enough for what is sent at once, also on a busy machine; some of them never send all.
  const limits = { maxBodyBytes, requestTimeoutMs: 2000 }
  service = await startService({ apiKey, ...limits, log: (line) => lines.push(line) })
})
afterAll(() => service.close())

test('there are more than two hundred of them', () => {
  expect(malformedRequests.length).toBeGreaterThan(200)
  expect(new Set(malformedRequests.map(({ bytes }) => String(bytes))).size).toBe(malformedRequests.length)
})

test.each(malformedRequests)('$what is refused by name', async (request) => {
  const { status, message, param } = await send(request, service.baseURL)
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(500)
  expect(`${param} ${message}`.toLowerCase()).toContain(request.names.toLowerCase())
  expect(message.length).toBeLessThan(600)
})

test('after all of them the service is as well as before, and met no fault of its own', async () => {
  const response = await fetch(new URL('/healthz', service.baseURL))
  expect(response.status).toBe(200)
  expect(lines.filter((line) => line.startsWith('internal_error'))).toEqual([])
})
