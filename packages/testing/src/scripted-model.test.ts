import { Agent, agentTool, type ModelDelta, type ModelRequest, tool } from '@capstan/core'
import { messageOf } from '@capstan/core/internal'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { reply } from './script.js'
import { scriptedModel } from './scripted-model.js'

const weather = tool({
  name: 'get_weather',
  description: 'The weather in a city',
  parameters: z.object({ city: z.string() }),
  effects: 'read',
  execute: ({ city }) => `${city}: sunny`,
})
const draw = tool({
  name: 'draw',
  description: 'Draws a picture',
  parameters: z.object({ prompt: z.string() }),
  execute: ({ prompt }) => `a picture of ${prompt}`,
})

const request = (over: Partial<ModelRequest> = {}): ModelRequest => ({
  messages: [{ role: 'user', content: 'Hello' }],
  tools: [],
  stream: false,
  signal: new AbortController().signal,
  idempotencyKey: 'k',
  ...over,
})

test('an agent runs a script: calls, several at once, text', async () => {
  const model = scriptedModel([
    reply.call('get_weather', { city: 'Oslo' }),
    reply.calls(reply.call('draw', { prompt: 'sun' }), reply.call('draw', { prompt: 'sea' }, { id: 'mine' })),
    reply.text('Here they are.'),
  ])
  const { text: said, toolCalls } = await new Agent({ model, tools: [weather, draw] }).run('Draw Oslo')
  expect(said).toBe('Here they are.')
  expect(toolCalls.map(({ callId, content }) => [callId, content])).toEqual([
    ['call_1_1', 'Oslo: sunny'],
    ['call_2_1', 'a picture of sun'],
    ['mine', 'a picture of sea'],
  ])
  model.assertUsedUp()
})

test('string arguments are sent unchanged', async () => {
  const model = scriptedModel([reply.call('draw', '{"prompt": "a'), reply.text('I give up.')])
  const { toolCalls } = await new Agent({ model, tools: [draw] }).run('Draw')
  expect(toolCalls).toMatchObject([{ status: 'rejected' }])
})

test('a step may be a function of the request, or a complete model reply', async () => {
  const model = scriptedModel([
    ({ tools }) => reply.call(tools[0]?.function.name ?? '', { prompt: 'a' }),
    async () => ({ message: { role: 'assistant', content: 'No.', refusal: 'I will not.' } }),
  ])
  const { stopReason } = await new Agent({ model, tools: [draw] }).run('Draw')
  expect(stopReason).toBe('refusal')
})

test('reports the tokens of the step, or 10 and 5', async () => {
  const model = scriptedModel([
    reply.call('draw', { prompt: 'a' }, { tokens: { inputTokens: 100 } }),
    reply.text('Cut', { finishReason: 'length' }),
  ])
  const { usage, stopReason } = await new Agent({ model, tools: [draw] }).run('Draw')
  expect(usage).toMatchObject({ inputTokens: 110, outputTokens: 10, totalTokens: 120 })
  expect(stopReason).toBe('length')
})

test('reports the cached tokens and the reasoning of the step', async () => {
  const tokens = { inputTokens: 100, cachedInputTokens: 90, cacheWriteTokens: 5, reasoningTokens: 2 }
  const { usage } = await new Agent({ model: scriptedModel([reply.text('Hi', { tokens })]) }).run('Hi')
  expect(usage).toMatchObject({ ...tokens, outputTokens: 5, totalTokens: 105 })
})

describe('the expected request of a step', () => {
  test('passes if the request matches', async () => {
    const model = scriptedModel([
      reply.call('draw', { prompt: 'a' }, { asked: 'Draw' }),
      reply.text('Done', {
        asked: {
          text: /picture of a$/,
          role: 'tool',
          instructions: 'Be brief.',
          tools: ['get_weather', 'draw'],
          toolChoice: 'auto',
          settings: { temperature: expect.any(Number) },
          messages: [
            { role: 'system' },
            { content: 'Draw' },
            { tool_calls: [{ function: { name: 'draw' } }] },
            { tool_call_id: 'call_1_1' },
          ],
        },
      }),
    ])
    const agent = new Agent({
      model,
      tools: [weather, draw],
      instructions: 'Be brief.',
      settings: { temperature: 0 },
    })
    expect((await agent.run('Draw')).text).toBe('Done')
    model.assertUsedUp()
  })

  test('otherwise the request fails with the difference', async () => {
    const model = scriptedModel([
      reply.text('Hi', { asked: { text: 'Hello', tools: ['draw'], instructions: /brief/ } }),
    ])
    const agent = new Agent({ model, tools: [weather] })
    const failure: unknown = await agent.run('Good day').catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'conflict', retryable: false })
    expect(messageOf(failure)).toMatchInlineSnapshot(`
      "Step 1 of the script (text "Hi") expected a different request:
      - expected
      + seen
      @ instructions
        {
      -   "instructions": /brief/
      -   "text": "Hello"
      +   "text": "Good day"
          "tools": [
      -     "draw"
      +     "get_weather"
          ]
        }"
    `)
  })

  test('works for several calls', async () => {
    const model = scriptedModel([{ ...reply.calls(reply.call('draw')), asked: 'Paint' }])
    await expect(model.complete(request())).rejects.toThrow('-   "text": "Paint"\n+   "text": "Hello"')
  })
})

describe('a script that does not match its run', () => {
  test('lists unused steps', async () => {
    const model = scriptedModel([
      reply.text('Hi'),
      reply.call('draw', { prompt: 'a' }),
      reply.calls(reply.call('f'), reply.call('g', '{')),
      reply.fail('quota'),
      () => reply.text(''),
      { message: { role: 'assistant', content: 'x' } },
    ])
    await model.complete(request())
    expect(() => model.assertUsedUp()).toThrow(
      [
        '5 of the 6 steps of the script were not used:',
        '  2. call draw({"prompt":"a"})',
        '  3. call f() + g({)',
        '  4. fail quota',
        '  5. a function of the request',
        '  6. a reply x',
      ].join('\n'),
    )
  })

  test('a request after the last step fails and is described', async () => {
    const model = scriptedModel([reply.call('draw', { prompt: 'a' })])
    const failure = await new Agent({ model, tools: [draw] }).run('Draw').catch((error: Error) => error)
    expect(failure).toMatchObject({
      code: 'conflict',
      message: [
        'The script of the model "scripted" ended after step 1, but this is request 2. Add a step, or find out why the request was sent:',
        '  user: Draw',
        '  assistant: draw({"prompt":"a"})',
        '  tool: a picture of a',
        '  tools offered: draw',
      ].join('\n'),
    })
  })

  test('a failure that the run survived is reported', async () => {
    const model = scriptedModel([reply.call('draw', { prompt: 'a' })])
    const result = await new Agent({ model, tools: [draw], limits: { steps: 2 } }).run('Draw', {
      limits: { steps: 1 },
    })
    expect(result.stopReason).toBe('limit')
    expect(() => model.assertUsedUp()).toThrow('this is request 2')
  })

  test('a failed assertion in a step is reported', async () => {
    const inner = scriptedModel([
      () => {
        throw new Error('expected 1 to be 2')
      },
    ])
    const helper = agentTool(new Agent({ name: 'helper', model: inner }), { description: 'Helps' })
    const model = scriptedModel([reply.call('helper', { input: 'x' }), reply.text('It failed.')])
    expect((await new Agent({ model, tools: [helper] }).run('Ask')).text).toBe('It failed.')
    expect(() => inner.assertUsedUp()).toThrow('Step 1 of the script failed: expected 1 to be 2')
    model.assertUsedUp()
  })
})

describe('failures', () => {
  test.each([
    ['rate_limit', true, 429],
    ['api', true, 500],
    ['network', true, undefined],
    ['truncated', true, undefined],
    ['auth', false, 401],
    ['quota', false, 402],
    ['invalid_request', false, 400],
  ] as const)('%s is like that of a server', async (code, retryable, status) => {
    const failure = await scriptedModel([reply.fail(code, { retryAfterMs: 7 })])
      .complete(request())
      .catch((error: Error) => error)
    expect(failure).toMatchObject({ code, retryable, retryAfterMs: 7 })
    expect(failure).toHaveProperty('message', expect.stringContaining(code))
    expect((failure as { status?: number }).status).toBe(status)
  })

  test('with retries the next step replies at once, and the sink is told', async () => {
    const model = scriptedModel(
      [reply.fail('rate_limit', { retryAfterMs: 3000 }), reply.fail('api'), reply.text('Hi')],
      {
        retries: 2,
      },
    )
    const heard: ModelDelta[] = []
    const answer = await model.complete(request(), (delta) => heard.push(delta))
    expect(answer.message.content).toBe('Hi')
    expect(heard).toMatchObject([
      { type: 'retry', attempt: 1, delayMs: 3000, code: 'rate_limit' },
      { type: 'retry', attempt: 2, delayMs: 0, code: 'api' },
    ])
    model.assertUsedUp()
  })

  test.each([
    ['a failure that does not pass', reply.fail('auth'), {}],
    ['a host that repeats steps itself', reply.fail('api'), { retries: false }],
  ])('%s is not retried', async (_name, step, over) => {
    const model = scriptedModel([step, reply.text('Hi')], { retries: 2 })
    await expect(model.complete(request(over))).rejects.toThrow()
    expect(model.requests).toHaveLength(1)
  })
})

describe('streamed', () => {
  test('text arrives word by word, arguments in fragments, and they add up to the reply', async () => {
    const model = scriptedModel([reply.call('draw', { prompt: 'a 😀 cat' }), reply.text('Here  it\nis.')])
    const run = new Agent({ model, tools: [draw] }).stream('Draw')
    const parts: string[] = []
    for await (const event of run) {
      if (event.type === 'call-delta') parts.push(event.arguments)
      if (event.type === 'text-delta') parts.push(event.text)
    }
    expect(parts).toEqual(['{"prompt', '":"a 😀 c', 'at"}', 'Here  ', 'it\n', 'is.'])
    expect((await run.result).text).toBe('Here  it\nis.')
  })

  test('text before a failure is streamed, and the reply starts again', async () => {
    const model = scriptedModel([reply.fail('truncated', { after: 'Half an' }), reply.text('Whole')], {
      retries: 1,
    })
    const heard: string[] = []
    await model.complete(request({ stream: true }), (delta) =>
      heard.push(delta.type === 'text' ? delta.text : delta.type),
    )
    // After a reply is cut off, the complete reply is requested again, as chatModel does.
    expect(heard).toEqual(['Half ', 'an', 'retry'])
    expect(model.requests.map(({ stream }) => stream)).toEqual([true, false])
  })

  test('an abort ends it between two words', async () => {
    const model = scriptedModel([reply.text('one two three')])
    const controller = new AbortController()
    const heard: ModelDelta[] = []
    const answer = model.complete(request({ stream: true, signal: controller.signal }), (delta) => {
      heard.push(delta)
      controller.abort(new Error('enough'))
    })
    await expect(answer).rejects.toThrow('enough')
    expect(heard).toHaveLength(1)
  })
})

test('requests are copies that later changes do not affect', async () => {
  const model = scriptedModel([reply.text('Hi')])
  const messages = [{ role: 'user' as const, content: [{ type: 'text', text: 'a' }] }]
  await model.complete(request({ messages }))
  Object.assign(messages[0]?.content[0] ?? {}, { text: 'b' })
  expect(model.requests[0]?.messages[0]?.content).toEqual([{ type: 'text', text: 'a' }])
})
