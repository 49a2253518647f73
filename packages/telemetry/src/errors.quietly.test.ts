import { Agent, type RunEvent, tool } from '@capstan/core'
import { call, scriptedModel, text } from '@capstan/testing'
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

describe('a tracing tool that throws disturbs nothing', () => {
  const broken = () => {
    throw new Error('no disk')
  }
  const real = new NodeTracerProvider().getTracer('real')
  /** Spans of which one method throws. */
  const spansWithout = (method: string) => ({
    getTracer: () => ({
      startSpan: (...given: Parameters<typeof real.startSpan>) =>
        Object.assign(real.startSpan(...given), { [method]: broken }),
    }),
  })
  const meters = (record: () => void) => ({ getMeter: () => ({ createHistogram: () => ({ record }) }) })
  /** With what is registered for the length of a run. */
  const during = async (options: Partial<TelemetryOptions>) => {
    const heard: string[] = []
    const observe = ({ type }: RunEvent) => void heard.push(type)
    const model = scriptedModel([call('get_weather', { city: 'Oslo' }), text('ok')])
    const traced = telemetry({ content: true, ...options, observe })
    const { text: said, toolCalls } = await new Agent({ model, tools: [weather] }).run('Go', traced)
    expect([said, toolCalls.map(({ status }) => status)]).toEqual(['ok', ['ok']])
    expect([heard[0], heard.at(-1)]).toEqual(['run-start', 'run-end'])
  }

  test.each(['setAttribute', 'setAttributes', 'addEvent', 'setStatus', 'end', 'isRecording', 'spanContext'])(
    'in %s of its spans',
    (method) => during({ tracerProvider: spansWithout(method) }),
  )

  test.each<[string, Partial<TelemetryOptions>]>([
    ['when it is asked for a tracer', { tracerProvider: { getTracer: broken } }],
    ['when it is asked for a meter', { meterProvider: { getMeter: broken } }],
    ['when it begins a span', { tracerProvider: { getTracer: () => ({ startSpan: broken }) } }],
    ['when it measures', { meterProvider: meters(broken) }],
  ])('%s', (_, options) => during(options))

  test('when it writes headers', async () => {
    propagation.disable()
    propagation.setGlobalPropagator({ inject: broken, extract: (one) => one, fields: () => [] })
    onTestFinished(() => propagation.disable())
    await during({})
    expect(traceHeaders()).toEqual({})
  })

  test('when it makes a span the active one', async () => {
    const active = context.active
    const makeActive = context.with
    onTestFinished(() => void Object.assign(context, { active, with: makeActive }))
    Object.assign(context, { with: broken })
    await during({})
    Object.assign(context, { active: broken })
    await during({})
    expect(traceHeaders()).toEqual({})
  })

  test('when it writes what went wrong', async () => {
    diag.setLogger({ error: broken, warn() {}, info() {}, debug() {}, verbose() {} })
    onTestFinished(() => diag.disable())
    await during({ tracerProvider: spansWithout('end') })
  })
})
