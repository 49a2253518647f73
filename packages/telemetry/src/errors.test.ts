import { Agent, type RunEvent, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { context, diag, propagation } from '@opentelemetry/api'
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { describe, expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { collect } from '../test/collected.js'
import type { TelemetryOptions } from './options.js'
import { telemetry } from './telemetry.js'
import { traceHeaders } from './trace-headers.js'

collect()
const weather = tool({
  name: 'get_weather',
  description: 'Weather',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => city,
})

describe('ignores errors of tracing', () => {
  const broken = () => {
    throw new Error('no disk')
  }
  const real = new NodeTracerProvider().getTracer('real')
  /** Returns a tracer whose spans throw in one of their methods. */
  const spansWithout = (method: string) => ({
    getTracer: () => ({
      startSpan: (...given: Parameters<typeof real.startSpan>) =>
        Object.assign(real.startSpan(...given), { [method]: broken }),
    }),
  })
  const meters = (record: () => void) => ({ getMeter: () => ({ createHistogram: () => ({ record }) }) })
  /** Calls `work` while an API is registered. */
  const during = async (options: Partial<TelemetryOptions>) => {
    const heard: string[] = []
    const observe = ({ type }: RunEvent) => void heard.push(type)
    const model = scriptedModel([reply.call('get_weather', { city: 'Oslo' }), reply.text('ok')])
    const traced = telemetry({ content: true, ...options, observe })
    const { text: said, toolCalls } = await new Agent({ model, tools: [weather] }).run('Go', traced)
    expect([said, toolCalls.map(({ status }) => status)]).toEqual(['ok', ['ok']])
    expect([heard[0], heard.at(-1)]).toEqual(['run-start', 'run-end'])
  }

  test.each(['setAttribute', 'setAttributes', 'addEvent', 'setStatus', 'end', 'isRecording', 'spanContext'])(
    '%s of a span',
    (method) => during({ tracerProvider: spansWithout(method) }),
  )

  test.each<[string, Partial<TelemetryOptions>]>([
    ['getTracer', { tracerProvider: { getTracer: broken } }],
    ['getMeter', { meterProvider: { getMeter: broken } }],
    ['startSpan', { tracerProvider: { getTracer: () => ({ startSpan: broken }) } }],
    ['record', { meterProvider: meters(broken) }],
  ])('%s', (_, options) => during(options))

  test('inject', async () => {
    propagation.disable()
    propagation.setGlobalPropagator({ inject: broken, extract: (one) => one, fields: () => [] })
    onTestFinished(() => propagation.disable())
    await during({})
    expect(traceHeaders()).toEqual({})
  })

  test('context.with', async () => {
    const active = context.active
    const makeActive = context.with
    onTestFinished(() => void Object.assign(context, { active, with: makeActive }))
    Object.assign(context, { with: broken })
    await during({})
    Object.assign(context, { active: broken })
    await during({})
    expect(traceHeaders()).toEqual({})
  })

  test('diag.error', async () => {
    diag.setLogger({ error: broken, warn() {}, info() {}, debug() {}, verbose() {} })
    onTestFinished(() => diag.disable())
    await during({ tracerProvider: spansWithout('end') })
  })
})
