import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  Agent,
  agentTool,
  CapstanError,
  type ChatModel,
  type Middleware,
  type RunState,
  safeRepair,
  tool,
  verdict,
} from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { recordRun } from '@capstan/testing/recording'
import { context, type DiagLogger, diag } from '@opentelemetry/api'
import { afterEach, expect, test } from 'vitest'
import * as z from 'zod'
import { collect } from '../test/collected.js'
import { telemetry } from './telemetry.js'

const collected = collect()
afterEach(() => {
  expect(collected.open.size).toBe(0)
  collected.reset()
})

const parameters = z.object({ city: z.string() })
const weather = tool({
  name: 'get_weather',
  description: 'Weather',
  parameters,
  effects: 'read',
  execute: ({ city }) => city,
})
const deploy = tool({
  name: 'deploy',
  description: 'Deploys',
  parameters: z.object({}),
  needsApproval: true,
  execute: () => 'deployed',
})

/** Returns a promise and a function that resolves it. */
function signalOnce() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

const named = (name: string) => {
  const span = collected.spans().find((one) => one.name === name)
  if (!span) throw new Error(`There is no span "${name}": ${collected.tree()}`)
  return span
}
const eventsOf = (name: string) =>
  named(name).events.map(({ name: event, attributes }) => ({ event, ...attributes }))

test('records the code of a model error, and never its message', async () => {
  const model = scriptedModel([reply.fail('auth', { message: 'The key sk-very-secret is wrong.' })])
  await expect(new Agent({ model }).run('Go', telemetry())).rejects.toThrow(CapstanError)
  expect(collected.tree()).toBe('invoke_agent agent ! auth\n  chat scripted ! auth')
  expect(named('chat scripted').attributes).toMatchObject({ 'error.type': 'auth' })
  expect(named('invoke_agent agent').attributes).toMatchObject({
    'error.type': 'auth',
    'capstan.stop_reason': 'error',
  })
  expect(
    JSON.stringify(collected.spans().map(({ attributes, events, status }) => [attributes, events, status])),
  ).not.toContain('secret')
})

test('records retries of a model request', async () => {
  const model = scriptedModel([reply.fail('rate_limit', { retryable: true }), reply.text('Hi')], {
    retries: 1,
  })
  await new Agent({ model }).run('Go', telemetry())
  expect(eventsOf('chat scripted')).toEqual([
    expect.objectContaining({ event: 'capstan.retry', attempt: 1, 'error.type': 'rate_limit' }),
  ])
  expect(named('chat scripted').status.code).toBe(0)
})

test('records how calls ended: error, rejected, denied', async () => {
  const broken = tool({
    name: 'broken',
    description: 'Breaks',
    parameters: z.object({}),
    execute: () => {
      throw new Error('password hunter2 at db.internal')
    },
  })
  const model = scriptedModel([
    reply.calls(reply.call('broken'), reply.call('get_weather', { town: 1 }), reply.call('deploy')),
    reply.text('ok'),
  ])
  const agent = new Agent({
    model,
    tools: [broken, weather, deploy],
    policy: ({ name }) => (name === 'deploy' ? verdict.deny('no') : verdict.allow),
  })
  await agent.run('Go', telemetry({ meterProvider: collected.meterProvider }))
  expect(named('execute_tool broken')).toMatchObject({
    attributes: { 'error.type': 'error', 'capstan.call.status': 'error' },
    status: { code: 2, message: 'error' },
  })
  expect(named('execute_tool get_weather').attributes).toMatchObject({ 'error.type': 'rejected' })
  expect(named('execute_tool deploy')).toMatchObject({
    attributes: { 'capstan.call.status': 'denied' },
    status: { code: 0 },
  })
  expect(JSON.stringify(collected.spans().map(({ events, attributes }) => [events, attributes]))).not.toMatch(
    /hunter2/,
  )
  const ran = (await collected.metrics()).filter(({ name }) => name === 'gen_ai.execute_tool.duration')
  expect(ran.map(({ attributes }) => attributes['gen_ai.tool.name'])).toEqual(['broken'])
})

test('ends all open spans on abort, without an error', async () => {
  const controller = new AbortController()
  const { promise: started, resolve } = signalOnce()
  const endless = tool({
    name: 'endless',
    description: 'Goes on',
    parameters: z.object({}),
    execute: () => {
      resolve()
      return new Promise<string>(() => {})
    },
  })
  const model = scriptedModel([
    reply.calls(reply.call('endless'), reply.call('get_weather', { city: 'Oslo' })),
    reply.text('never'),
  ])
  const run = new Agent({ model, tools: [endless, weather] }).run('Go', {
    ...telemetry(),
    signal: controller.signal,
  })
  await started
  controller.abort()
  expect((await run).stopReason).toBe('aborted')
  expect(collected.tree()).not.toContain('!')
  expect(named('execute_tool endless').attributes).toMatchObject({ 'capstan.call.status': 'cut_off' })
  expect(named('invoke_agent agent').attributes).toMatchObject({ 'capstan.stop_reason': 'aborted' })
})

test('writes nothing to spans that an abort has ended, and counts the durations of their work', async () => {
  const told: unknown[] = []
  const tell = (...args: readonly unknown[]) => void told.push(args)
  const logger: DiagLogger = { error: tell, warn: tell, info: () => {}, debug: () => {}, verbose: () => {} }
  diag.setLogger(logger, { suppressOverrideMessage: true })
  const controller = new AbortController()
  const late = signalOnce()
  const slow = {
    name: 'slow',
    async complete(_request, sink) {
      sink?.({ type: 'text', text: 'Be' })
      controller.abort()
      await late.promise
      sink?.({ type: 'retry', attempt: 1, delayMs: 0, code: 'network', message: 'again' })
      sink?.({ type: 'text', text: 'gun.' })
      throw new CapstanError('network', 'gone')
    },
  } satisfies ChatModel
  const options = telemetry({ meterProvider: collected.meterProvider, content: ['prompts', 'outputs'] })
  const run = new Agent({ model: slow }).stream('go', { ...options, signal: controller.signal })
  const { usage } = await run.result
  late.resolve()
  await new Promise((resolve) => setImmediate(resolve))
  diag.disable()
  expect(told).toEqual([])
  expect(named('chat slow').attributes['capstan.aborted']).toBe(true)
  expect(named('invoke_agent agent').attributes['capstan.usage.estimated_tokens']).toBe(usage.totalTokens)
  const points = await collected.metrics()
  expect(points).toContainEqual(
    expect.objectContaining({
      name: 'gen_ai.client.inference.duration',
      count: 1,
      attributes: expect.objectContaining({ 'gen_ai.request.model': 'slow' }),
    }),
  )
})

test('ends the span of a model that ignores an abort', async () => {
  const controller = new AbortController()
  const { promise: asked, resolve } = signalOnce()
  const deaf = {
    name: 'deaf',
    complete: () => {
      resolve()
      return new Promise<never>(() => {})
    },
  }
  const run = new Agent({ model: deaf }).run('Go', { ...telemetry(), signal: controller.signal })
  await asked
  controller.abort()
  await run
  expect(named('chat deaf')).toMatchObject({ attributes: { 'capstan.aborted': true }, status: { code: 0 } })
})

test('leaves no span open when the reader leaves a stream', async () => {
  const model = scriptedModel([
    reply.calls(reply.call('get_weather', { city: 'Oslo' })),
    reply.text('One two three four'),
  ])
  const run = new Agent({ model, tools: [weather] }).stream('Go', telemetry())
  for await (const event of run) if (event.type === 'text-delta') break
  await run.result
  expect(named('invoke_agent agent').attributes).toMatchObject({ 'capstan.stop_reason': 'aborted' })
})

test('records the time of the first chunk', async () => {
  const model = scriptedModel([reply.text('One two three')])
  const run = new Agent({ model }).stream('Go', telemetry({ meterProvider: collected.meterProvider }))
  await run.result
  expect(named('chat scripted').attributes).toMatchObject({
    'gen_ai.request.stream': true,
    'gen_ai.response.time_to_first_chunk': expect.any(Number),
  })
  const [first] = (await collected.metrics()).filter(({ name }) => name.endsWith('time_to_first_chunk'))
  expect(first).toMatchObject({ unit: 's', count: 1 })
})

test('records a pending call, and traces the resumed run separately', async () => {
  const agent = new Agent({
    name: 'ops',
    model: scriptedModel([reply.call('deploy', {}, { id: 'call_1' }), reply.text('Done.')]),
    tools: [deploy],
  })
  const { state, stopReason } = await agent.run('Deploy', telemetry())
  expect(stopReason).toBe('pending')
  expect(collected.tree()).toBe('invoke_agent ops\n  chat scripted\n  execute_tool deploy')
  expect(named('execute_tool deploy').attributes).toMatchObject({ 'capstan.call.status': 'pending' })
  expect(eventsOf('invoke_agent ops')).toEqual([
    expect.objectContaining({
      event: 'capstan.call_pending',
      kind: 'approval',
      'gen_ai.tool.name': 'deploy',
    }),
  ])
  collected.reset()
  const stored: RunState = JSON.parse(JSON.stringify(state))
  await agent.run(stored, { ...telemetry(), decisions: { call_1: { type: 'approve' } } })
  expect(collected.tree()).toBe('invoke_agent ops\n  execute_tool deploy\n  chat scripted')
  expect(named('execute_tool deploy').attributes).toMatchObject({ 'capstan.call.status': 'ok' })
})

test("keeps a pending call of a child agent in the child's span", async () => {
  const inner = new Agent({
    name: 'inner',
    model: scriptedModel([reply.call('deploy', {}, { id: 'in_1' }), reply.text('Deployed.')], {
      name: 'small',
    }),
    tools: [deploy],
  })
  const agent = new Agent({
    name: 'outer',
    model: scriptedModel([reply.call('inner', { input: 'Deploy' }, { id: 'out_1' }), reply.text('Done.')]),
    tools: [agentTool(inner)],
  })
  const { state, pending } = await agent.run('Go', telemetry())
  expect(pending?.map(({ callId }) => callId)).toEqual(['out_1/in_1'])
  expect(collected.tree()).toBe(
    [
      'invoke_agent outer',
      '  chat scripted',
      '  execute_tool inner',
      '    invoke_agent inner',
      '      chat small',
      '      execute_tool deploy',
    ].join('\n'),
  )
  expect(named('execute_tool inner').attributes).toMatchObject({ 'capstan.call.status': 'paused' })
  collected.reset()
  await agent.run(state, { ...telemetry(), decisions: { 'out_1/in_1': { type: 'approve' } } })
  expect(collected.tree()).toBe(
    [
      'invoke_agent outer',
      '  invoke_agent inner',
      '    execute_tool deploy',
      '    chat small',
      '  chat scripted',
    ].join('\n'),
  )
})

test('records a model error of a child agent on the child and its call only', async () => {
  const inner = new Agent({ name: 'inner', model: scriptedModel([reply.fail('quota')], { name: 'small' }) })
  const model = scriptedModel([reply.call('inner', { input: '?' }), reply.text('Never mind.')])
  await new Agent({ name: 'outer', model, tools: [agentTool(inner)] }).run('Go', telemetry())
  expect(collected.tree()).toBe(
    [
      'invoke_agent outer',
      '  chat scripted',
      '  execute_tool inner ! error',
      '    invoke_agent inner ! quota',
      '      chat small ! quota',
      '  chat scripted',
    ].join('\n'),
  )
})

test('records limits, repaired arguments and untrusted results as events', async () => {
  const feed = tool({
    name: 'feed',
    description: 'Feed',
    parameters,
    untrusted: true,
    execute: () => 'words',
  })
  const model = scriptedModel([
    reply.call('feed', { city: null }),
    reply.call('feed', "{'city': 'Oslo'}"),
    reply.call('get_weather', { city: 'Rome' }),
    reply.text('ok'),
  ])
  const agent = new Agent({ model, tools: [feed, weather], repair: safeRepair, limits: { steps: 3 } })
  await agent.run('Go', telemetry())
  const events = collected
    .spans()
    .flatMap((span) => span.events.map(({ name, attributes }) => ({ name, ...attributes })))
  expect(events).toContainEqual({ name: 'capstan.limit_reached', limit: 'steps' })
  expect(events).toContainEqual({ name: 'capstan.tainted', 'gen_ai.tool.name': 'feed' })
  expect(events).toContainEqual(expect.objectContaining({ name: 'capstan.repair', count: 1 }))
})

test('records what middlewares report, without its data', async () => {
  const model = scriptedModel([reply.call('get_weather', { city: 'Rome' }), reply.text('ok')])
  const teller: Middleware = {
    name: 'teller',
    beforeTool({ callId }, run) {
      run.emit({ name: 'teller', action: 'look', callId, data: 'secret words' })
    },
    beforeModel(_, run) {
      run.emit({ name: 'teller', action: 'ask' })
    },
  }
  await new Agent({ model, tools: [weather], middleware: [teller] }).run('Go', telemetry())
  const events = collected
    .spans()
    .flatMap((span) => span.events.map(({ name, attributes }) => ({ name, ...attributes })))
  const told = { name: 'capstan.middleware', 'capstan.middleware.name': 'teller' }
  expect(events).toEqual([
    { ...told, action: 'ask' },
    { ...told, action: 'look', 'gen_ai.tool.call.id': expect.any(String) },
    { ...told, action: 'ask' },
  ])
})

test('records cached tokens and reasoning that a server reports, and no others', async () => {
  const tokens = { inputTokens: 100, cachedInputTokens: 80, cacheWriteTokens: 10, reasoningTokens: 3 }
  const inner = new Agent({
    name: 'inner',
    model: scriptedModel([reply.text('Deep', { tokens })], { name: 'small' }),
  })
  const model = scriptedModel([
    reply.call('inner', { input: '?' }),
    reply.text('ok', { tokens: { cachedInputTokens: 0 } }),
  ])
  await new Agent({ name: 'outer', model, tools: [agentTool(inner)] }).run('Go', telemetry())
  const attributes = {
    'gen_ai.usage.cache_read.input_tokens': 80,
    'gen_ai.usage.cache_write.input_tokens': 10,
    'gen_ai.usage.cache_creation.input_tokens': 10,
    'gen_ai.usage.reasoning.output_tokens': 3,
  }
  expect(named('chat small').attributes).toMatchObject(attributes)
  expect(named('invoke_agent inner').attributes).toMatchObject(attributes)
  expect(named('invoke_agent outer').attributes).toMatchObject(attributes)
  const [first, second] = collected.spans().filter(({ name }) => name === 'chat scripted')
  const cached = 'gen_ai.usage.cache_read.input_tokens'
  expect([first?.attributes[cached], second?.attributes[cached]]).toEqual([undefined, 0])
})

test('adds tokens to the reply, its agent and the agents around it', async () => {
  const tokens = (inputTokens: number, outputTokens: number) => ({
    tokens: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens },
  })
  const inner = new Agent({
    name: 'inner',
    model: scriptedModel([reply.text('Deep', tokens(100, 10))], { name: 'small' }),
  })
  const model = scriptedModel([reply.call('inner', { input: '?' }), reply.text('ok', tokens(20, 2))])
  await new Agent({ name: 'outer', model, tools: [agentTool(inner)] }).run(
    'Go',
    telemetry({ meterProvider: collected.meterProvider }),
  )
  const usage = (name: string) => [
    named(name).attributes['gen_ai.usage.input_tokens'],
    named(name).attributes['gen_ai.usage.output_tokens'],
  ]
  expect(usage('chat small')).toEqual([100, 10])
  expect(usage('invoke_agent inner')).toEqual([100, 10])
  const whole = usage('invoke_agent outer') as number[]
  expect(whole[0]).toBeGreaterThanOrEqual(120)
  const points = (await collected.metrics()).filter(
    ({ attributes }) => attributes['gen_ai.request.model'] === 'small',
  )
  expect(points.map(({ name, unit, sum }) => (unit === 's' ? name : [name, sum])).sort()).toEqual(
    [
      'gen_ai.client.inference.duration',
      ['gen_ai.client.inference.operation.input_tokens', 100],
      ['gen_ai.client.inference.operation.output_tokens', 10],
    ].sort(),
  )
})

test('records and traces a run at the same time', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-'))
  const file = join(folder, 'run.jsonl')
  const model = scriptedModel([reply.call('get_weather', { city: 'Oslo' }), reply.text('ok')])
  const record = recordRun(file)
  await new Agent({ model, tools: [weather] }).run('Go', { ...record, ...telemetry(record) })
  expect(readFileSync(file, 'utf8').trim().split('\n').length).toBeGreaterThan(4)
  expect(readFileSync(file, 'utf8')).not.toContain('traceparent')
  expect(collected.tree()).toContain('execute_tool get_weather')
  rmSync(folder, { recursive: true })
})

test('leaves no span open with two concurrent runs of one id', async () => {
  const options = { ...telemetry(), runId: 'same' }
  const model = () => scriptedModel([reply.call('get_weather', { city: 'Oslo' }), reply.text('ok')])
  const run = async () => (await new Agent({ model: model(), tools: [weather] }).run('Go', options)).text
  expect(await Promise.all([run(), run()])).toEqual(['ok', 'ok'])
})

test('ignores errors of a span processor', async () => {
  const { NodeTracerProvider } = await import('@opentelemetry/sdk-trace-node')
  const broken = () => {
    throw new Error('no disk')
  }
  const tracerProvider = new NodeTracerProvider({
    spanProcessors: [
      { onStart: broken, onEnd: broken, forceFlush: async () => {}, shutdown: async () => {} },
    ],
  })
  const model = scriptedModel([reply.call('get_weather', { city: 'Oslo' }), reply.text('ok')])
  const { text: said } = await new Agent({ model, tools: [weather] }).run('Go', telemetry({ tracerProvider }))
  expect(said).toBe('ok')
  expect(context.active()).toBeDefined()
})
