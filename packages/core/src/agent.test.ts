import { expect, test } from 'vitest'
import * as z from 'zod'
import { startScriptedServer } from '../test/scripted-server.js'
import {
  Agent,
  CapstanError,
  chatModel,
  jsonSchema,
  type RunEvent,
  type RunState,
  readArtifactBytes,
  tool,
  trimHistory,
  without,
} from './index.js'
import { noUsage } from './usage.js'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: z.object({ city: z.string(), unit: z.enum(['c', 'f']).default('c') }),
  execute: ({ city, unit }) => ({ city, degrees: unit === 'c' ? -3 : 27 }),
})

const callWeather = (city: string) => ({ name: 'get_weather', arguments: { city } })

test('a run asks, answers the calls and asks again until the model answers in words', async () => {
  await using server = await startScriptedServer([{ calls: [callWeather('Oslo')] }, { text: 'It is cold.' }])
  const agent = new Agent({ model: chatModel('m', server), instructions: 'Be brief.', tools: [weather] })
  const result = await agent.run('How is Oslo?')
  expect(result).toMatchObject({ text: 'It is cold.', stopReason: 'done', stepCount: 2 })
  expect(result.toolCalls).toMatchObject([
    {
      name: 'get_weather',
      arguments: { city: 'Oslo' },
      result: { city: 'Oslo', degrees: -3 },
      status: 'ok',
      step: 0,
    },
  ])
  expect(result.usage).toEqual({
    requests: 2,
    unreported: 0,
    inputTokens: 20,
    outputTokens: 10,
    totalTokens: 30,
    toolCalls: 1,
    perTool: { get_weather: 1 },
    repairs: 0,
    images: 0,
    audioSeconds: 0,
    characters: 0,
    cacheable: 0.5,
  })
  expect(result.orThrow()).toBe(result)
})

test('the follow-up holds the assistant message with its calls, then one tool message per call with its id', async () => {
  const cities = [callWeather('Oslo'), callWeather('Rome')]
  await using server = await startScriptedServer([{ calls: cities }, { text: 'Done.' }])
  await new Agent({ model: chatModel('m', server), instructions: 'Be brief.', tools: [weather] }).run('Go.')
  const [first, second] = server.requests
  expect(first?.headers).toMatchObject({
    authorization: `Bearer ${server.apiKey}`,
    'content-type': 'application/json',
  })
  expect(first?.body).toMatchObject({ model: 'm', tool_choice: 'auto' })
  expect(second?.body.messages).toMatchObject([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Go.' },
    { role: 'assistant', tool_calls: [{ id: 'call_1_0' }, { id: 'call_1_1' }] },
    { role: 'tool', tool_call_id: 'call_1_0', content: '{"city":"Oslo","degrees":-3}' },
    { role: 'tool', tool_call_id: 'call_1_1', content: '{"city":"Rome","degrees":-3}' },
  ])
})

test('results are in call order, whatever order the tools finish in', async () => {
  const release: (() => void)[] = []
  const slow = tool({
    name: 'slow',
    description: 'Finishes when the one after it has',
    parameters: z.object({ n: z.number() }),
    execute: ({ n }) => (n === 2 ? n : new Promise<number>((resolve) => release.push(() => resolve(n)))),
  })
  const calls = [0, 1, 2].map((n) => ({ name: 'slow', arguments: { n } }))
  await using server = await startScriptedServer([{ calls }, { text: 'ok' }])
  const finished: string[] = []
  const observe = (event: RunEvent) => {
    if (event.type !== 'tool-end') return
    finished.push(event.content)
    release[Number(event.content) - 1]?.()
  }
  const result = await new Agent({ model: chatModel('m', server), tools: [slow], observe }).run('Go.')
  expect(finished).toEqual(['2', '1', '0'])
  expect(result.messages.filter(({ role }) => role === 'tool').map(({ content }) => content)).toEqual([
    '0',
    '1',
    '2',
  ])
})

test('empty arguments mean an empty object', async () => {
  const now = tool({ name: 'now', description: 'The time', parameters: z.object({}), execute: () => 'noon' })
  await using server = await startScriptedServer([
    { calls: [{ name: 'now', arguments: '' }] },
    { text: 'Noon.' },
  ])
  const { toolCalls } = await new Agent({ model: chatModel('m', server), tools: [now] }).run('Time?')
  expect(toolCalls).toMatchObject([{ name: 'now', status: 'ok', result: 'noon', arguments: {} }])
})

test.each([
  [
    'throws',
    () => {
      throw new Error('the station is closed')
    },
    'Error: the station is closed',
  ],
  ['rejects with a string', () => Promise.reject('no luck'), 'Error: no luck'],
  [
    'returns a BigInt',
    () => ({ total: 10n }),
    'Error: The tool ran, but its result is not JSON: "total" is a BigInt.',
  ],
  [
    'returns a circle',
    () => {
      const a: Record<string, unknown> = {}
      a.self = a
      return a
    },
    /Error: The tool ran, but its result is not JSON: "self" is circular\.$/,
  ],
])('a tool that %s tells the model so, and the run goes on', async (_what, execute, said) => {
  const broken = tool({ name: 'broken', description: 'Breaks', parameters: z.object({}), execute })
  await using server = await startScriptedServer([{ calls: [{ name: 'broken' }] }, { text: 'Sorry.' }])
  const { toolCalls, text } = await new Agent({ model: chatModel('m', server), tools: [broken] }).run('Go.')
  expect(text).toBe('Sorry.')
  expect(toolCalls[0]).toMatchObject({ status: 'error', content: expect.stringMatching(said) })
})

test('a tool that returns nothing is done, and the model is told so', async () => {
  const send = tool({ name: 'send', description: 'Sends', parameters: z.object({}), execute: () => {} })
  await using server = await startScriptedServer([{ calls: [{ name: 'send' }] }, { text: 'Sent.' }])
  const { toolCalls } = await new Agent({ model: chatModel('m', server), tools: [send] }).run('Go.')
  expect(toolCalls[0]).toMatchObject({ status: 'ok', content: 'Done. The tool returned no value.' })
  expect(toolCalls[0]?.result).toBeUndefined()
})

test('a call of no tool, and arguments that do not fit, go back to the model with what it may do instead', async () => {
  const calls = [
    { name: 'get_wether' },
    { name: 'get_weather', arguments: { town: 'Oslo' } },
    callWeather('Rome'),
  ]
  await using server = await startScriptedServer([{ calls }, { text: 'ok' }])
  const { toolCalls } = await new Agent({ model: chatModel('m', server), tools: [weather] }).run('Go.')
  expect(toolCalls.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'ok'])
  expect(toolCalls[0]).toMatchObject({
    dynamic: true,
    content: expect.stringContaining('Available tools: get_weather'),
  })
  expect(toolCalls[1]?.content).toMatch(/the tool did not run: city: .*expected string/)
})

test('the step limit ends a run with a final answer, asked for without calls, and the limit named', async () => {
  const lines = Array.from({ length: 20 }, (_, n) => ({ calls: [callWeather(`City ${n}`)] }))
  await using server = await startScriptedServer([...lines, { text: 'Cold everywhere.' }])
  const agent = new Agent({ model: chatModel('m', server), tools: [weather] })
  const result = await agent.run('Loop.')
  expect(result).toMatchObject({
    stopReason: 'limit',
    limit: 'steps',
    stepCount: 21,
    text: 'Cold everywhere.',
  })
  expect(server.requests).toHaveLength(21)
  expect(server.requests[20]?.body).toMatchObject({
    tools: server.requests[0]?.body.tools,
    tool_choice: 'none',
  })
  expect(() => result.orThrow()).toThrowError(
    expect.objectContaining({ code: 'stopped', state: result.state }),
  )
})

test('a forced tool is forced once, then the model is free', async () => {
  await using server = await startScriptedServer([{ calls: [callWeather('Oslo')] }, { text: 'ok' }])
  await new Agent({ model: chatModel('m', server), tools: [weather], toolChoice: 'get_weather' }).run('Go.')
  expect(server.requests.map(({ body }) => body.tool_choice)).toEqual([
    { type: 'function', function: { name: 'get_weather' } },
    'auto',
  ])
})

test('tool choice none leaves the tools out', async () => {
  await using server = await startScriptedServer([{ text: 'ok' }])
  await new Agent({ model: chatModel('m', server), tools: [weather], toolChoice: 'none' }).run('Go.')
  expect(server.requests[0]?.body).not.toHaveProperty('tools')
  expect(server.requests[0]?.body).not.toHaveProperty('tool_choice')
})

test('prepareStep can send a follow-up without tools, with other instructions and settings', async () => {
  await using server = await startScriptedServer([{ calls: [callWeather('Oslo')] }, { text: 'ok' }])
  await new Agent({
    model: chatModel('m', server),
    tools: [weather],
    settings: { temperature: 0 },
    prepareStep: ({ step, toolCalls }) =>
      step > 0
        ? { tools: [], instructions: `Sum up ${toolCalls.length} result.`, settings: { top_p: 1 } }
        : undefined,
  }).run('Go.')
  const [first, second] = server.requests
  expect(first?.body).toMatchObject({ temperature: 0, tools: [{ function: { name: 'get_weather' } }] })
  expect(second?.body).toMatchObject({ temperature: 0, top_p: 1 })
  expect(second?.body).not.toHaveProperty('tools')
  expect(second?.body.messages[0]).toEqual({ role: 'system', content: 'Sum up 1 result.' })
})

test('prepareStep cannot write what the agent writes', async () => {
  await using server = await startScriptedServer([])
  const prepareStep = () => ({ settings: { messages: [] } })
  const running = new Agent({ model: chatModel('m', server), prepareStep }).run('Go.')
  await expect(running).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('messages'),
  })
})

test('an abort ends the run with a history that a follow-up run is accepted on', async () => {
  const stop = new AbortController()
  const waiting = tool({
    name: 'wait',
    description: 'Waits for the abort',
    parameters: z.object({}),
    execute: (_args, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
        stop.abort(new Error('enough'))
      }),
  })
  await using server = await startScriptedServer([
    { calls: [{ name: 'wait' }, callWeather('Rome')] },
    { text: 'On.' },
  ])
  const agent = new Agent({ model: chatModel('m', server), tools: [waiting, weather], concurrency: 1 })
  const result = await agent.run('Go.', { signal: stop.signal })
  expect(result).toMatchObject({ stopReason: 'aborted', stepCount: 1 })
  expect(result.toolCalls.map(({ status }) => status)).toEqual(['cut_off', 'not_run'])
  const next = await agent.run([...result.messages, { role: 'user', content: 'Go on.' }])
  expect(next.text).toBe('On.')
  expect(server.requests[1]?.body.messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'tool',
    'user',
  ])
})

test('an abort while the model answers ends the run at once', async () => {
  const stop = new AbortController()
  await using server = await startScriptedServer([() => stop.abort()])
  const result = await new Agent({ model: chatModel('m', server) }).run('Go.', { signal: stop.signal })
  expect(result).toMatchObject({ stopReason: 'aborted', stepCount: 0, text: '' })
})

test('a state of plain JSON goes on where it stopped, and nothing that was answered runs again', async () => {
  let ran = 0
  const count = tool({ name: 'count', description: 'Counts', parameters: z.object({}), execute: () => ++ran })
  await using server = await startScriptedServer([{ calls: [{ name: 'count' }] }, { text: 'One.' }])
  const agent = new Agent({
    model: chatModel('m', server),
    tools: [count],
    middleware: [without('final-answer')],
  })
  const stopped = await agent.run('Count.', { limits: { steps: 1 } })
  expect(stopped).toMatchObject({ stopReason: 'limit', stepCount: 1 })
  const state = JSON.parse(JSON.stringify(stopped.state)) as RunState
  const result = await agent.run(state, { limits: { steps: 2 } })
  expect(result).toMatchObject({ stopReason: 'done', text: 'One.', stepCount: 2 })
  expect(ran).toBe(1)
})

test('a state that ends in open calls goes on at answering them, except those already answered', async () => {
  const ran: number[] = []
  const note = tool({
    name: 'note',
    description: 'Notes',
    parameters: z.object({ n: z.number() }),
    execute: ({ n }) => ran.push(n),
  })
  await using server = await startScriptedServer([{ text: 'ok' }])
  const call = (n: number) => ({
    id: `c${n}`,
    type: 'function' as const,
    function: { name: 'note', arguments: `{"n":${n}}` },
  })
  const state: RunState = {
    schema: 1,
    runId: 'r',
    agent: 'agent',
    definitionHash: 'of other tools',
    stepCount: 1,
    messages: [
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: null, tool_calls: [call(0), call(1)] },
    ],
    results: { 0: { status: 'ok', content: 'noted before', ms: 1 } },
    pending: [],
    usage: { ...noUsage, requests: 1 },
    limits: { steps: 20 },
    flags: {},
    kept: {},
  }
  const result = await new Agent({ model: chatModel('m', server), tools: [note] }).run(state, {
    allowChangedTools: true,
  })
  expect(ran).toEqual([1])
  expect(result.messages.slice(2, 4)).toEqual([
    { role: 'tool', tool_call_id: 'c0', content: 'noted before' },
    { role: 'tool', tool_call_id: 'c1', content: '1' },
  ])
})

test('an error of the server carries its words, its code and what the run had so far', async () => {
  const body = { error: { message: 'No model "m" here.', code: 'model_not_found' } }
  await using server = await startScriptedServer([{ calls: [callWeather('Oslo')] }, { status: 404, body }])
  const agent = new Agent({ model: chatModel('m', server), tools: [weather] })
  const error = await agent.run('Go.').catch((thrown) => thrown)
  expect(error).toBeInstanceOf(CapstanError)
  expect(error).toMatchObject({ code: 'not_found', status: 404, retryable: false })
  expect(error.message).toContain('No model "m" here.')
  expect(error.state.messages).toHaveLength(3)
})

test('further tools may be given for one run', async () => {
  const plain = jsonSchema({ type: 'object', properties: { n: { type: 'number' } }, required: ['n'] })
  const double = tool({
    name: 'double',
    description: 'Doubles',
    parameters: plain,
    execute: ({ n }) => Number(n) * 2,
  })
  await using server = await startScriptedServer([
    { calls: [{ name: 'double', arguments: { n: 4 } }] },
    { text: '8' },
  ])
  const agent = new Agent({ model: chatModel('m', server), tools: [weather] })
  const { toolCalls } = await agent.run('Go.', { tools: [double] })
  expect(toolCalls).toMatchObject([{ dynamic: true, name: 'double', result: 8 }])
  await expect(agent.run('Go.', { tools: [weather] })).rejects.toMatchObject({ code: 'invalid_tool' })
})

test('attachments become artifacts, and references in the message', async () => {
  const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3])
  await using server = await startScriptedServer([{ text: 'Seen.' }])
  const agent = new Agent({ model: chatModel('m', server) })
  await agent.run('Look.', { attachments: [png, new Blob(['hi'], { type: 'text/plain' })] })
  const [image, text] = await agent.artifacts.list()
  expect(image).toMatchObject({ kind: 'image', mediaType: 'image/png', size: 11 })
  expect(await readArtifactBytes(agent.artifacts, image?.id ?? '')).toEqual(png)
  const line = `Attached: ${image?.id} (image/png, 11 bytes), ${text?.id} (text/plain, 2 bytes)`
  expect(server.requests[0]?.body.messages).toEqual([{ role: 'user', content: `Look.\n\n${line}` }])
})

test('an attachment that is not there is said before anything is sent', async () => {
  await using server = await startScriptedServer([])
  const agent = new Agent({ model: chatModel('m', server) })
  const gone = agent.run('Look.', { attachments: [{ path: '/no/such/file.png' }] })
  await expect(gone).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('/no/such/file.png'),
  })
  expect(server.requests).toHaveLength(0)
})

test('context reaches tools, instructions and prepareStep, and is never sent', async () => {
  const seen: unknown[] = []
  const who = tool({
    name: 'who',
    description: 'Who asks',
    parameters: z.object({}),
    execute: (_args, { context }: { context: { user: string } }) => `user ${context.user.length}`,
  })
  await using server = await startScriptedServer([{ calls: [{ name: 'who' }] }, { text: 'ok' }])
  const agent = new Agent({
    model: chatModel('m', server),
    tools: [who],
    instructions: ({ user }) => `The user's name has ${user.length} letters.`,
    prepareStep: ({ context }) => {
      seen.push(context)
    },
  })
  await agent.run('Go.', { context: { user: 'Astrid-Secret' } })
  expect(seen).toEqual([{ user: 'Astrid-Secret' }, { user: 'Astrid-Secret' }])
  expect(JSON.stringify(server.requests)).not.toContain('Astrid-Secret')
})

test.each([
  [
    'two tools of one name',
    () => new Agent({ model: 'm', tools: [weather, weather] }),
    'invalid_tool',
    /Duplicate tool name "get_weather"/,
  ],
  [
    'a setting that the agent writes',
    () => new Agent({ model: 'm', settings: { stream: true } }),
    'invalid_request',
    /settings.stream/,
  ],
  [
    'a tool choice of no tool',
    () => new Agent({ model: 'm', toolChoice: 'draw', tools: [weather] }),
    'unknown_tool',
    /Nearest: get_weather/,
  ],
  [
    'a base URL that is none',
    () => chatModel('m', { baseURL: 'localhost:4100' }),
    'invalid_request',
    /is not an http\(s\) URL/,
  ],
])('%s is refused when it is written', (_what, define, code, message) => {
  expect(define).toThrowError(expect.objectContaining({ code, message: expect.stringMatching(message) }))
})

test.each([
  ['', 'Empty input'],
  [[], 'Empty input'],
] as const)('input %j is refused before anything is sent', async (input, message) => {
  const agent = new Agent({ model: 'm' })
  await expect(agent.run(input)).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining(message),
  })
})

test('an observer that throws is warned of and does not disturb the run', async () => {
  const warned = new Promise<Error>((resolve) => process.once('warning', resolve))
  await using server = await startScriptedServer([{ text: 'Fine.' }])
  const observe = (event: RunEvent) => {
    if (event.type === 'run-start') throw new Error('observer broke')
  }
  const { text } = await new Agent({ model: chatModel('m', server), observe }).run('Go.')
  expect(text).toBe('Fine.')
  expect((await warned).message).toBe('observer broke')
})

test('a message of the role developer is sent as it is, and stays at the start of a shortened history', async () => {
  await using server = await startScriptedServer([{ text: 'Yes.' }])
  const agent = new Agent({ model: chatModel('m', server), middleware: [trimHistory({ maxMessages: 2 })] })
  const developer = { role: 'developer', content: 'Be brief.' } as const
  const result = await agent.run([
    developer,
    { role: 'user', content: 'One.' },
    { role: 'assistant', content: 'Two.' },
    { role: 'user', content: 'Three?' },
  ])
  expect(server.requests[0]?.body.messages).toEqual([developer, { role: 'user', content: 'Three?' }])
  expect(result.messages[0]).toEqual(developer)
})
