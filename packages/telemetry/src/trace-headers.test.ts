import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, chatModel } from '@capstan/core'
import { openaiModel } from '@capstan/core/openai'
import { context, propagation, trace } from '@opentelemetry/api'
import OpenAI from 'openai'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { collect } from '../test/collected.js'
import { telemetry } from './telemetry.js'
import { traceHeaders } from './trace-headers.js'

const collected = collect()
const seen: IncomingHttpHeaders[] = []
const server = createServer((request, response) => {
  seen.push(request.headers)
  request.resume()
  const message = { role: 'assistant', content: 'Hi' }
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ model: 'm-2026', choices: [{ index: 0, finish_reason: 'stop', message }] }))
})
let baseURL = ''

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
})
afterAll(() => new Promise((resolve) => server.close(resolve)))
afterEach(() => {
  collected.reset()
  seen.length = 0
})

const idsOf = (name: string) => {
  const found = collected
    .spans()
    .find((span) => span.name === name)
    ?.spanContext()
  return `00-${found?.traceId}-${found?.spanId}-01`
}

test.each([
  ['chatModel', () => chatModel('m', { baseURL, apiKey: 'k' })],
  ['chatModel over fetch', () => chatModel('m', { baseURL, apiKey: 'k', fetch })],
  ['openaiModel', () => openaiModel(new OpenAI({ baseURL, apiKey: 'k' }), 'm')],
])('a request of %s carries the trace of its span, without baggage', async (_, toModel) => {
  const baggage = propagation.createBaggage({ user: { value: 'alice' } })
  await context.with(propagation.setBaggage(context.active(), baggage), async () => {
    await new Agent({ model: toModel() }).run('Hello', telemetry())
  })
  expect(seen).toHaveLength(1)
  expect(seen[0]).toMatchObject({ traceparent: idsOf('chat m'), authorization: 'Bearer k' })
  expect(seen[0]).not.toHaveProperty('baggage')
})

test('sends no headers with propagate: false', async () => {
  await new Agent({ model: chatModel('m', { baseURL, apiKey: 'k' }) }).run(
    'Hello',
    telemetry({ propagate: false }),
  )
  expect(seen[0]).not.toHaveProperty('traceparent')
  expect(collected.spans()).toHaveLength(2)
})

test('traceHeaders returns the headers of the active span', () => {
  expect(traceHeaders()).toEqual({})
  trace.getTracer('test').startActiveSpan('work', (span) => {
    const { traceId, spanId } = span.spanContext()
    expect(traceHeaders()).toEqual({ traceparent: `00-${traceId}-${spanId}-01` })
    span.end()
  })
})
