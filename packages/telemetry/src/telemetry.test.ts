import {
  Agent,
  agentTool,
  backgroundCalls,
  handoff,
  memoryHost,
  type RunEvent,
  tool,
  verdict,
} from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { trace } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node'
import { afterEach, expect, test } from 'vitest'
import * as z from 'zod'
import { collect } from '../test/collected.js'
import { telemetry } from './telemetry.js'

const collected = collect()
afterEach(() => collected.reset())

const weather = tool({
  name: 'get_weather',
  description: 'Weather',
  parameters: z.object({ city: z.string() }),
  async execute({ city }) {
    const span = trace.getTracer('test').startSpan(`database ${city}`)
    await Promise.resolve()
    span.end()
    return { city, degrees: 4 }
  },
})

test('records an agent that asks a model and executes tools, each with its inner spans', async () => {
  const model = scriptedModel([
    reply.calls(reply.call('get_weather', { city: 'Oslo' }), reply.call('get_weather', { city: 'Rome' })),
    reply.text('Cold.'),
  ])
  const agent = new Agent({ name: 'forecaster', model, tools: [weather] })
  await agent.run('Weather?', telemetry())
  expect(collected.tree()).toBe(
    [
      'invoke_agent forecaster',
      '  chat scripted',
      '  execute_tool get_weather',
      '    database Oslo',
      '  execute_tool get_weather',
      '    database Rome',
      '  chat scripted',
    ].join('\n'),
  )
  expect(collected.open.size).toBe(0)
})

test('records the function of a background call in a span of its own, and its duration once', async () => {
  const model = scriptedModel([reply.call('draw', {}, { id: 'c1' }), reply.text('Done.')])
  const draw = tool({
    name: 'draw',
    description: 'Draws',
    parameters: z.object({}),
    background: true,
    execute: () => 'a cat',
  })
  const agent = new Agent({ name: 'artist', model, tools: [draw], middleware: [backgroundCalls()] })
  await agent.run('Draw.', telemetry())
  const calls = collected.spans().filter(({ name }) => name === 'execute_tool draw')
  expect(calls.map(({ attributes }) => attributes['gen_ai.tool.call.id'])).toEqual(['c1', 'c1'])
  expect(calls.map(({ attributes }) => attributes['capstan.call.background'])).toEqual([true, undefined])
  expect(calls[1]?.attributes['capstan.call.status']).toBe('ok')
  expect(collected.open.size).toBe(0)
})

test('sets the attributes of the conventions, without content', async () => {
  const model = scriptedModel([
    reply.call('get_weather', { city: 'Oslo' }, { id: 'call_1' }),
    reply.text('It is a secret garden.'),
  ])
  const agent = new Agent({ name: 'forecaster', model, tools: [weather], settings: { temperature: 0.5 } })
  const { state } = await agent.run(
    'Tell me of Timbuktu.',
    telemetry({ attributes: { 'gen_ai.conversation.id': 'c1' } }),
  )
  const [chat, , execute, , invoke] = collected.spans()
  expect(chat?.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'scripted',
    'gen_ai.request.temperature': 0.5,
    'gen_ai.conversation.id': 'c1',
  })
  expect(collected.spans().map(({ name }) => name)).toEqual([
    'chat scripted',
    'database Oslo',
    'execute_tool get_weather',
    'chat scripted',
    'invoke_agent forecaster',
  ])
  expect(execute?.attributes).toMatchObject({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'get_weather',
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.call.id': 'call_1',
    'capstan.call.status': 'ok',
  })
  expect(invoke?.attributes).toMatchObject({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'forecaster',
    'capstan.run.id': state.runId,
    'capstan.stop_reason': 'done',
  })
  const written = JSON.stringify(
    collected
      .spans()
      .filter(({ name }) => !name.startsWith('database'))
      .map(toWritten),
  )
  expect(written).not.toMatch(/Oslo|Timbuktu|garden|degrees/)
})

test('nests an agent in the call that it answers', async () => {
  const inner = new Agent({
    name: 'scout',
    model: scriptedModel([reply.call('get_weather', { city: 'Bergen' }), reply.text('Rain.')], {
      name: 'small',
    }),
    tools: [weather],
  })
  const model = scriptedModel([
    reply.calls(reply.call('scout', { input: 'Bergen?' }), reply.call('get_weather', { city: 'Oslo' })),
    reply.text('Rain and cold.'),
  ])
  const agent = new Agent({ name: 'chief', model, tools: [agentTool(inner), weather] })
  await agent.run('Weather?', telemetry())
  expect(collected.tree()).toBe(
    [
      'invoke_agent chief',
      '  chat scripted',
      '  execute_tool scout',
      '    invoke_agent scout',
      '      chat small',
      '      execute_tool get_weather',
      '        database Bergen',
      '      chat small',
      '  execute_tool get_weather',
      '    database Oslo',
      '  chat scripted',
    ].join('\n'),
  )
  expect(collected.open.size).toBe(0)
})

test('keeps concurrent child agents apart', async () => {
  const leaf = (name: string) =>
    new Agent({
      name,
      model: scriptedModel([reply.call('get_weather', { city: name }), reply.text('ok')], {
        name: `model-of-${name}`,
      }),
      tools: [weather],
    })
  const branch = (name: string) =>
    new Agent({
      name,
      model: scriptedModel([
        reply.calls(reply.call(`${name}_a`, { input: '?' }), reply.call(`${name}_b`, { input: '?' })),
        reply.text('ok'),
      ]),
      tools: [agentTool(leaf(`${name}_a`)), agentTool(leaf(`${name}_b`))],
    })
  const model = scriptedModel([
    reply.calls(reply.call('one', { input: '?' }), reply.call('two', { input: '?' })),
    reply.text('done'),
  ])
  const root = new Agent({ name: 'root', model, tools: [agentTool(branch('one')), agentTool(branch('two'))] })
  await root.run('Go', telemetry())
  const lines = collected
    .tree()
    .split('\n')
    .map((line) => line.trim())
  const depths = collected
    .tree()
    .split('\n')
    .map((line) => line.search(/\S/) / 2)
  for (const leafName of ['one_a', 'one_b', 'two_a', 'two_b']) {
    const at = lines.indexOf(`invoke_agent ${leafName}`)
    expect(lines.slice(at, at + 5)).toEqual([
      `invoke_agent ${leafName}`,
      `chat model-of-${leafName}`,
      'execute_tool get_weather',
      `database ${leafName}`,
      `chat model-of-${leafName}`,
    ])
    expect(depths[at]).toBe(4)
    const branchAt = lines.slice(0, at).findLastIndex((line) => /^invoke_agent (one|two)$/.test(line))
    expect(lines[branchAt]).toBe(`invoke_agent ${leafName.slice(0, 3)}`)
  }
  expect(collected.open.size).toBe(0)
})

test('gives an agent after a handoff its own span', async () => {
  const billing = new Agent({
    name: 'billing',
    model: scriptedModel([reply.call('get_weather', { city: 'Paris' }), reply.text('Paid.')], {
      name: 'second',
    }),
    tools: [weather],
  })
  const front = new Agent({
    name: 'front',
    model: scriptedModel([reply.call('transfer_to_billing')], { name: 'first' }),
    tools: [handoff(billing)],
  })
  await front.run('My bill?', telemetry())
  expect(collected.tree()).toBe(
    [
      'invoke_agent front',
      '  chat first',
      '  execute_tool transfer_to_billing',
      '  invoke_agent billing',
      '    chat second',
      '    execute_tool get_weather',
      '      database Paris',
      '    chat second',
    ].join('\n'),
  )
})

test("nests a run in the caller's span", async () => {
  const agent = new Agent({ model: scriptedModel([reply.text('Hi')]) })
  await trace.getTracer('test').startActiveSpan('request', async (span) => {
    await agent.run('Hello', telemetry())
    span.end()
  })
  expect(collected.tree()).toBe('request\n  invoke_agent agent\n    chat scripted')
})

test('nests a run that a tool starts in the tool call', async () => {
  const inner = new Agent({ name: 'inner', model: scriptedModel([reply.text('Deep')]) })
  const dig = tool({
    name: 'dig',
    description: 'Digs',
    parameters: z.object({}),
    execute: async () => (await inner.run('Dig', telemetry())).text,
  })
  await new Agent({
    name: 'outer',
    model: scriptedModel([reply.call('dig'), reply.text('ok')]),
    tools: [dig],
  }).run('Go', telemetry())
  expect(collected.tree()).toContain('  execute_tool dig\n    invoke_agent inner\n      chat scripted')
})

test('nests prepareStep in the agent and a policy in the call', async () => {
  const note = (name: string) => trace.getTracer('test').startSpan(name).end()
  const agent = new Agent({
    model: scriptedModel([reply.call('get_weather', { city: 'Oslo' }), reply.text('ok')]),
    tools: [weather],
    prepareStep: () => note('prepare'),
    policy: () => {
      note('policy')
      return verdict.allow
    },
  })
  await agent.run('Go', telemetry())
  expect(collected.tree()).toMatch(
    /^invoke_agent agent\n {2}prepare\n {2}chat scripted\n {2}execute_tool get_weather\n {4}policy/,
  )
})

test('keeps 200 concurrent runs apart', async () => {
  const options = telemetry()
  await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const city = `city-${index}`
      const model = scriptedModel(
        [
          reply.calls(reply.call('get_weather', { city }), reply.call('get_weather', { city })),
          reply.text('ok'),
        ],
        {
          name: `model-${index}`,
        },
      )
      await new Agent({ name: `agent-${index}`, model, tools: [weather] }).run('Go', options)
    }),
  )
  const idOf = (span: ReadableSpan) => span.spanContext().traceId
  const ids = new Set(collected.spans().map(idOf))
  const byTrace = new Map([...ids].map((id) => [id, collected.spans().filter((span) => idOf(span) === id)]))
  expect(byTrace.size).toBe(200)
  for (const spans of byTrace.values()) {
    const index = /^invoke_agent agent-(\d+)$/.exec(spans.at(-1)?.name ?? '')?.[1]
    expect(spans.map(({ name }) => name).sort()).toEqual(
      [
        `chat model-${index}`,
        `chat model-${index}`,
        `database city-${index}`,
        `database city-${index}`,
        'execute_tool get_weather',
        'execute_tool get_weather',
        `invoke_agent agent-${index}`,
      ].sort(),
    )
  }
  expect(collected.open.size).toBe(0)
})

test("keeps the run's own host, observer and model", async () => {
  const events: RunEvent['type'][] = []
  const keys: string[] = []
  const agent = new Agent({ model: scriptedModel([reply.text('never')]), tools: [weather] })
  const options = telemetry({
    model: scriptedModel([reply.call('get_weather', { city: 'Oslo' }), reply.text('Given.')], {
      name: 'given',
    }),
    observe: ({ type }) => events.push(type),
    host(binding) {
      const inner = memoryHost(binding)
      return {
        ...inner,
        step(step) {
          keys.push(step.key)
          return inner.step(step)
        },
      }
    },
  })
  const result = await agent.run('Go', options)
  expect(result.text).toBe('Given.')
  expect(keys).toEqual(['step0/request', 'step1/request'])
  expect(events).toContain('tool-end')
  expect(collected.tree()).toContain('chat given')
})

function toWritten({
  name,
  attributes,
  events,
  status,
}: {
  name: string
  attributes: object
  events: object
  status: object
}) {
  return { name, attributes, events, status }
}
