import type { ServerResponse } from 'node:http'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { type Journal, journalHost } from '../../test/run-control/host-with.js'
import { type Line, type SeenRequest, startScriptedServer } from '../../test/scripted-server.js'
import { Agent, type AnyStep, agentTool, chatModel, type RunEvent, type RunState, tool } from '../index.js'
import { memoryHost } from './memory-host.js'

const weather = tool({
  name: 'get_weather',
  description: 'Weather',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, degrees: city === 'Oslo' ? -4 : 3 }),
})
const pay = tool({
  name: 'pay',
  description: 'Pays',
  parameters: z.object({}),
  needsApproval: true,
  execute: () => 'paid',
})

const twoSteps = () =>
  scriptedModel([
    {
      ...reply.calls(
        reply.call('get_weather', { city: 'Oslo' }),
        reply.call('get_weather', { city: 'Rome' }),
      ),
      tokens: { inputTokens: 100, outputTokens: 20, totalTokens: 120 },
    },
    { ...reply.text('Rome is warmer.'), tokens: { inputTokens: 200, outputTokens: 5, totalTokens: 205 } },
  ])
const price = { scripted: { inputTokens: 1, outputTokens: 10 } }

test('a step is a reply with its calls, its usage and its model', async () => {
  const agent = new Agent({ model: twoSteps(), tools: [weather], price })
  const { steps, stepCount, usage, toolCalls } = await agent.run('Which is warmer?')
  expect(stepCount).toBe(2)
  expect(steps).toEqual([
    {
      step: 0,
      text: '',
      toolCalls,
      finishReason: 'tool_calls',
      usage: expect.objectContaining({ requests: 1, totalTokens: 120, toolCalls: 2, cost: 300 }),
      cost: 300,
      model: 'scripted',
      ms: expect.any(Number),
      response: {},
    },
    {
      step: 1,
      text: 'Rome is warmer.',
      toolCalls: [],
      finishReason: 'stop',
      usage: expect.objectContaining({ requests: 1, totalTokens: 205, toolCalls: 0, cost: 250 }),
      cost: 250,
      model: 'scripted',
      ms: expect.any(Number),
      response: {},
    },
  ])
  expect(usage).toMatchObject({ requests: 2, totalTokens: 325, cost: 550 })
})

test('the costs of steps and of their events add up to that of the run, without digits behind the twelfth', async () => {
  const ofTwo = { inputTokens: 3, outputTokens: 1, totalTokens: 4 }
  const prices = { scripted: { inputTokens: 1e-7, outputTokens: 3e-7 }, painter: { images: 0.1 } }
  const inner = new Agent({
    name: 'inner',
    model: scriptedModel([{ ...reply.text('Four.'), tokens: ofTwo }]),
    price: prices,
  })
  const paint = tool({
    name: 'paint',
    description: 'Paints',
    parameters: z.object({}),
    execute: (_args, { spend }) => spend({ images: 3, model: 'painter' }),
  })
  const script = [
    { ...reply.calls(reply.call('inner', { input: 'Add.' }), reply.call('paint', {})), tokens: ofTwo },
    { ...reply.text('It is four.'), tokens: ofTwo },
  ]
  const costs: unknown[] = []
  const agent = new Agent({
    model: scriptedModel(script),
    tools: [agentTool(inner, { description: 'Adds' }), paint],
    price: prices,
    observe: (event) => {
      if (event.type === 'step-end' && !event.parentCallId) costs.push(event.cost)
    },
  })
  const { steps, usage } = await agent.run('Add.')
  expect(steps.map(({ cost }) => cost)).toEqual(costs)
  expect(costs).toEqual([0.3000012, 6e-7])
  expect(usage.cost).toBe(0.3000018)
})

test('a step is the same object each time it is read', async () => {
  const result = await new Agent({ model: twoSteps(), tools: [weather] }).run('Go.')
  expect(result.steps[1]).toBe(result.steps[1])
  expect(JSON.parse(JSON.stringify(result)).steps).toEqual(JSON.parse(JSON.stringify(result.steps)))
})

test('the usage of a step contains that of the agent that answered a call', async () => {
  const inner = new Agent({ name: 'inner', model: scriptedModel([reply.text('Four.')]) })
  const agent = new Agent({
    model: scriptedModel([reply.call('inner', { input: 'Two and two?' }), reply.text('It is four.')]),
    tools: [agentTool(inner, { description: 'Adds' })],
  })
  const { steps } = await agent.run('Add.')
  expect(steps.map((step) => [step.text, step.usage.requests, step.toolCalls.length])).toEqual([
    ['', 2, 1],
    ['It is four.', 1, 0],
  ])
})

test('the event of the end of a step has the step, which is not sent with it', async () => {
  const agent = new Agent({ model: twoSteps(), tools: [weather] })
  const run = agent.stream('Which is warmer?')
  const ended: AnyStep[] = []
  run.on('step-end', (event) => {
    ended.push(event.result)
    expect(Object.keys(event).sort()).toEqual(['runId', 'seq', 'step', 'type', 'usage'])
  })
  const { steps } = await run.result
  expect(ended).toEqual(steps)
  expect(ended[0]).toBe(steps[0])
})

test('the step of a child run stays on its event', async () => {
  const inner = new Agent({ name: 'inner', model: scriptedModel([reply.text('Four.')]) })
  const agent = new Agent({
    model: scriptedModel([reply.call('inner', { input: 'Two and two?' }), reply.text('It is four.')]),
    tools: [agentTool(inner, { description: 'Adds' })],
  })
  const ended: [string | undefined, string][] = []
  const observe = (event: RunEvent) => {
    if (event.type === 'step-end') ended.push([event.parentCallId, event.result.text])
  }
  await agent.run('Add.', { observe })
  expect(ended).toEqual([
    ['call_1_1', 'Four.'],
    [undefined, ''],
    [undefined, 'It is four.'],
  ])
})

test('onStep of the agent and of the run get each step of their run once, without those of child runs', async () => {
  const seen: string[] = []
  const inner = new Agent({
    name: 'inner',
    model: scriptedModel([reply.text('Four.')]),
    onStep: (step) => seen.push(`inner ${step.step} ${step.text}`),
  })
  const agent = new Agent({
    model: scriptedModel([reply.call('inner', { input: 'Two and two?' }), reply.text('It is four.')]),
    tools: [agentTool(inner, { description: 'Adds' })],
    onStep: (step) => seen.push(`agent ${step.step} ${step.toolCalls.length}`),
  })
  await agent.run('Add.', { onStep: (step) => seen.push(`run ${step.step} ${step.finishReason}`) })
  expect(seen).toEqual(['inner 0 Four.', 'run 0 tool_calls', 'agent 0 1', 'run 1 stop', 'agent 1 0'])
})

test('an error of onStep is a process warning, also one of its promise', async () => {
  const warnings: string[] = []
  const warned = new Promise<void>((done) => {
    const listener = ({ message }: Error) => {
      if (/^It broke/.test(message)) warnings.push(message)
      if (warnings.length < 2) return
      process.off('warning', listener)
      done()
    }
    process.on('warning', listener)
  })
  const agent = new Agent({
    model: scriptedModel([reply.text('Done.')]),
    onStep: async () => Promise.reject(new Error('It broke later.')),
  })
  const result = await agent.run('Go.', {
    onStep() {
      throw new Error('It broke.')
    },
  })
  await warned
  expect(result.stopReason).toBe('done')
  expect(warnings).toEqual(['It broke.', 'It broke later.'])
})

test('a step that waits is in the pending result, and complete in the result that finishes it', async () => {
  const model = scriptedModel([
    reply.text('Before.'),
    {
      ...reply.calls(reply.call('get_weather', { city: 'Oslo' }), reply.call('pay')),
      tokens: { inputTokens: 7, outputTokens: 1, totalTokens: 8 },
    },
    reply.text('Paid.'),
  ])
  const agent = new Agent({ model, tools: [weather, pay] })
  const first = await agent.run('Hello.')
  const waiting = await agent.run([...first.messages, { role: 'user', content: 'Pay.' }])
  expect(
    waiting.steps.map(({ step, toolCalls, usage }) => [
      step,
      toolCalls.map(({ name }) => name),
      usage.totalTokens,
    ]),
  ).toEqual([[0, ['get_weather'], 8]])
  const state: RunState = JSON.parse(JSON.stringify(waiting.state))
  const ended: AnyStep[] = []
  const paid = await agent.run(state, {
    decisions: { call_2_2: { type: 'approve' } },
    onStep: (step) => ended.push(step),
  })
  expect(paid.steps.map(({ step, text: said }) => [step, said])).toEqual([
    [0, ''],
    [1, 'Paid.'],
  ])
  expect(paid.steps[0]).toMatchObject({
    model: 'scripted',
    ms: waiting.steps[0]?.ms,
    usage: { requests: 1, totalTokens: 8, toolCalls: 2 },
    toolCalls: [{ name: 'get_weather' }, { name: 'pay', result: 'paid' }],
  })
  expect(ended).toEqual(paid.steps)
  expect(JSON.parse(JSON.stringify(paid.state))).not.toHaveProperty('reply')
})

test('a state without the facts of its reply is resumed, and its step has the rest', async () => {
  const model = scriptedModel([reply.call('pay'), reply.text('Paid.')])
  const agent = new Agent({ model, tools: [pay] })
  const { state } = await agent.run('Pay.')
  const { reply: _, ...older }: RunState = JSON.parse(JSON.stringify(state))
  const paid = await agent.run(older, { decisions: { call_1_1: { type: 'approve' } } })
  expect(paid.steps).toMatchObject([
    {
      step: 0,
      model: 'scripted',
      ms: 0,
      usage: { requests: 0, toolCalls: 1 },
      toolCalls: [{ result: 'paid' }],
    },
    { step: 1, text: 'Paid.' },
  ])
})

test('a reply that an abort cut off is counted, and in no step', async () => {
  const cutOff: Line = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`data: {"choices":[{"index":0,"delta":{"content":"Half"},"finish_reason":null}]}\n\n`)
  }
  await using server = await startScriptedServer([cutOff])
  const run = new Agent({ model: chatModel('m', server) }).stream('Go.')
  run.on('text-delta', () => run.abort('enough'))
  expect(await run.result).toMatchObject({ text: 'Half', stepCount: 1, steps: [], abortReason: 'enough' })
})

const completion =
  (more: object, message: object = { content: 'Hi.' }, choice: object = {}): Line =>
  (_request: SeenRequest, response: ServerResponse) => {
    response.writeHead(200, {
      'content-type': 'application/json',
      'X-Request-Id': 'req_1',
      'x-ratelimit-remaining-tokens': '149984',
      'set-cookie': 'session=secret',
      authorization: 'Bearer secret',
      'x-other': 'no',
    })
    const body = {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model: 'm-2026-01-01',
      choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop', ...choice }],
      usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
      ...more,
    }
    response.end(JSON.stringify(body))
  }

const headers = { 'x-request-id': 'req_1', 'x-ratelimit-remaining-tokens': '149984' }

test('a response has its id, its model, its fingerprint, headers of interest and unknown fields', async () => {
  const more = { system_fingerprint: 'fp_1', service_tier: 'default', timings: { prompt_ms: 12 } }
  await using server = await startScriptedServer([completion(more)])
  const [step] = (await new Agent({ model: chatModel('m', server) }).run('Hello.')).steps
  expect(step).toMatchObject({ model: 'm', finishReason: 'stop' })
  expect(step?.response).toEqual({
    id: 'chatcmpl-1',
    model: 'm-2026-01-01',
    systemFingerprint: 'fp_1',
    headers,
    service_tier: 'default',
    timings: { prompt_ms: 12 },
  })
})

test('the key of the model is not in kept headers', async () => {
  const echo: Line = (request, response) => {
    response.writeHead(200, { 'x-request-id': `for ${request.headers.authorization}` })
    response.end(
      JSON.stringify({
        object: 'chat.completion',
        choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
      }),
    )
  }
  await using server = await startScriptedServer([echo])
  const [step] = (await new Agent({ model: chatModel('m', server) }).run('Hello.')).steps
  expect(step?.response.headers).toEqual({ 'x-request-id': 'for Bearer [redacted]' })
})

test('a response has the probabilities of its tokens and the reasoning', async () => {
  const logprobs = { content: [{ token: 'Hi', logprob: -0.1, bytes: null, top_logprobs: [] }] }
  await using server = await startScriptedServer([
    completion({}, { content: 'Hi.', reasoning_content: 'A greeting.' }, { logprobs }),
    completion({}, { content: 'Yes.', reasoning: 'Short.' }),
    completion({}, { content: 'No.' }),
  ])
  const agent = new Agent({ model: chatModel('m', server), settings: { logprobs: true } })
  const first = await agent.run('Hello.')
  expect(first.steps[0]).toMatchObject({ reasoning: 'A greeting.', response: { logprobs } })
  expect(first.reasoning).toBe('A greeting.')
  const second = await agent.run([...first.messages, { role: 'user', content: 'Sure?' }])
  expect([second.reasoning, second.steps[0]?.reasoning]).toEqual(['Short.', 'Short.'])
  const third = await agent.run([...second.messages, { role: 'user', content: 'Again.' }])
  expect([third.reasoning, third.steps[0]?.reasoning]).toEqual([undefined, undefined])
})

test('a streamed response has what its first and its last piece have', async () => {
  const line: Line = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', ...headers })
    const same = {
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm-1',
      system_fingerprint: 'fp_1',
    }
    const chunk = (delta: object, more: object = {}, finish_reason: string | null = null) =>
      `data: ${JSON.stringify({ ...same, choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`
    response.write(chunk({ role: 'assistant', content: '' }, { x_groq: { id: 'req_9' } }))
    response.write(chunk({ reasoning_content: 'Hm.' }) + chunk({ content: 'Hi.' }))
    response.end(`${chunk({}, { timings: { predicted_ms: 5 } }, 'stop')}data: [DONE]\n\n`)
  }
  await using server = await startScriptedServer([line])
  const result = await new Agent({ model: chatModel('m', server) }).stream('Hello.').result
  expect(result.steps).toMatchObject([{ text: 'Hi.', reasoning: 'Hm.', finishReason: 'stop' }])
  expect(result.steps[0]?.response).toEqual({
    id: 'chatcmpl-1',
    model: 'm-1',
    systemFingerprint: 'fp_1',
    headers,
    x_groq: { id: 'req_9' },
    timings: { predicted_ms: 5 },
  })
})

test('a run that is repeated over its journal has the same steps', async () => {
  const journal: Journal = new Map()
  const host = journalHost(journal, memoryHost)
  const run = async (line: readonly Line[]) => {
    await using server = await startScriptedServer(line)
    const agent = new Agent({
      model: chatModel('m', { ...server, baseURL: server.baseURL }),
      tools: [weather],
    })
    return (await agent.run('Hello.', { runId: 'r', host })).steps
  }
  const message = {
    content: null,
    tool_calls: [
      { id: 'a', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } },
    ],
  }
  const first = await run([
    completion({ service_tier: 'flex' }, message, { finish_reason: 'tool_calls' }),
    completion({}),
  ])
  expect(first).toHaveLength(2)
  expect(first[0]?.response).toMatchObject({ service_tier: 'flex', headers })
  expect(await run([])).toEqual(first)
})
