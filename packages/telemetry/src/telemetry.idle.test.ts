import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Agent, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import * as otel from '@opentelemetry/api'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { metricsIn } from '../test/collected.js'
import { telemetry } from './telemetry.js'
import { traceHeaders } from './trace-headers.js'

// No tracer provider is registered here.
const echo = tool({ name: 'echo', description: 'Echo', parameters: z.object({}), execute: () => 'echo' })
const toModel = () => scriptedModel([reply.call('echo'), reply.text('ok')])

test('does nothing without a provider', async () => {
  const model = toModel()
  const result = await new Agent({ model, tools: [echo] }).run('Go', telemetry({ content: true }))
  expect(result.text).toBe('ok')
  expect(model.requests.map(({ headers }) => headers)).toEqual([undefined, undefined])
  expect(traceHeaders()).toEqual({})
})

test('records metrics without a tracer provider', async () => {
  const { meterProvider, metrics } = metricsIn()
  await new Agent({ model: toModel(), tools: [echo] }).run('Go', telemetry({ meterProvider }))
  expect((await metrics()).map(({ name, count }) => [name, count])).toEqual([
    ['gen_ai.client.inference.duration', 2],
    ['gen_ai.client.inference.operation.input_tokens', 2],
    ['gen_ai.client.inference.operation.output_tokens', 2],
    ['gen_ai.invoke_agent.duration', 1],
    ['gen_ai.execute_tool.duration', 1],
  ])
})

test('does nothing without the API', () => {
  const script = fileURLToPath(new URL('../test/without-api.ts', import.meta.url))
  const args = ['--conditions=development', '--import=tsx', script]
  const said = execFileSync(process.execPath, args, {
    encoding: 'utf8',
    cwd: fileURLToPath(new URL('..', import.meta.url)),
  })
  expect(said.trim()).toBe('not installed, ok, run-start, {}')
})

test('a given API takes the place of the installed one', async () => {
  const asked: string[] = []
  const getTracer = (name: string) => {
    asked.push(name)
    return otel.trace.getTracer(name)
  }
  const inject = (_context: unknown, headers: Record<string, string>) => {
    headers.traceparent = 'given'
  }
  const api = {
    ...otel,
    trace: { getTracer },
    propagation: { inject, deleteBaggage: (context: unknown) => context },
  }
  await new Agent({ model: scriptedModel([reply.text('ok')]) }).run('Go', telemetry({ api }))
  expect(asked).toEqual(['@capstan/telemetry'])
  expect(traceHeaders(api)).toEqual({ traceparent: 'given' })
  expect(traceHeaders()).toEqual({})
})
