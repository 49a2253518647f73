import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  agentTool,
  chatModel,
  fallback,
  handoff,
  memoryHost,
  memorySessions,
  type RunEvent,
  tool,
} from '../../src/index.js'
import { type Journal, journalHost } from '../run-control/host-with.js'
import { type Line, type ScriptedServer, startScriptedServer } from '../scripted-server.js'

const servers: ScriptedServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server[Symbol.asyncDispose]()
})

async function serverOf(...script: Line[]): Promise<ScriptedServer> {
  const server = await startScriptedServer(script)
  servers.push(server)
  return server
}

const written = (city: string) =>
  `<tool_call>\n{"name": "weather", "arguments": {"city": "${city}"}}\n</tool_call>`

function weatherTool() {
  const cities: string[] = []
  const weather = tool({
    name: 'weather',
    description: 'Returns the weather of a city.',
    parameters: z.object({ city: z.string() }),
    effects: 'read',
    execute: ({ city }) => {
      cities.push(city)
      return `Rain in ${city}.`
    },
  })
  return { weather, cities }
}

/** Runs an agent over a server, and returns its result with all of its events. */
async function runOver(
  server: ScriptedServer,
  { textCalls, stream = false, input = 'How is Oslo?' }: Partial<Setup>,
) {
  const { weather, cities } = weatherTool()
  const model = chatModel('m', { ...server, ...(textCalls === undefined ? {} : { textCalls }) })
  const agent = new Agent({ model, tools: [weather] })
  const events: RunEvent[] = []
  const observe = (event: RunEvent) => void events.push(event)
  const running = stream ? agent.stream(input, { observe }) : undefined
  const shown: string[] = []
  if (running) for await (const text of running.textStream) shown.push(text)
  const result = await (running?.result ?? agent.run(input, { observe }))
  return { result, events, cities, shown: shown.join('') }
}

interface Setup {
  readonly textCalls: 'report' | 'run' | false
  readonly stream: boolean
  readonly input: string
}

const ofType = (events: readonly RunEvent[], type: RunEvent['type']) =>
  events.filter((event) => event.type === type)

for (const stream of [false, true]) {
  const how = stream ? 'streamed' : 'in one piece'

  test(`run: a call written as text runs like any other, ${how}`, async () => {
    const server = await serverOf({ text: written('Oslo') }, { text: 'It rains.' })
    const { result, events, cities, shown } = await runOver(server, { textCalls: 'run', stream })
    expect(cities).toEqual(['Oslo'])
    expect(result).toMatchObject({ text: 'It rains.', stopReason: 'done', stepCount: 2 })
    expect(result.warnings).toBeUndefined()
    expect(shown).toBe(stream ? 'It rains.' : '')
    expect(ofType(events, 'text-calls')).toMatchObject([
      { form: 'hermes', names: ['weather'], recovered: true, step: 0 },
    ])
    expect(ofType(events, 'call-delta')).toMatchObject(
      stream ? [{ index: 0, name: 'weather', arguments: '{"city": "Oslo"}' }] : [],
    )
    const call = { id: 'call_0_0', type: 'function' }
    const assistant = { role: 'assistant', content: null, tool_calls: [call] }
    expect(result.messages[1]).toMatchObject({
      ...assistant,
      textForm: { form: 'hermes', text: written('Oslo') },
    })
    const [, sent] = server.requests
    expect(sent?.body.messages.slice(1)).toMatchObject([
      assistant,
      { role: 'tool', tool_call_id: 'call_0_0', content: 'Rain in Oslo.' },
    ])
    expect(JSON.stringify(sent?.body)).not.toContain('textForm')
  })

  test(`report: nothing runs, and the model is told once how calls are made, ${how}`, async () => {
    const server = await serverOf(
      { text: written('Oslo') },
      { calls: [{ name: 'weather', arguments: { city: 'Oslo' } }] },
      { text: 'It rains.' },
    )
    const { result, events, cities, shown } = await runOver(server, { stream })
    expect(cities).toEqual(['Oslo'])
    expect(result).toMatchObject({ text: 'It rains.', stopReason: 'done', stepCount: 3 })
    expect(result.warnings).toBeUndefined()
    expect(result.incomplete).toBeUndefined()
    expect(shown).toBe(stream ? 'It rains.' : '')
    expect(ofType(events, 'text-calls')).toMatchObject([
      { recovered: false, names: ['weather'], hint: expect.stringContaining("textCalls: 'run'") },
    ])
    const [, asked] = server.requests
    expect(asked?.body.messages.slice(1)).toEqual([
      { role: 'assistant', content: written('Oslo') },
      { role: 'user', content: expect.stringContaining('real tool calls') },
    ])
  })

  test(`report: written again, the run ends with these words and says why, ${how}`, async () => {
    const server = await serverOf({ text: written('Oslo') }, { text: written('Bergen') })
    const { result, events, cities, shown } = await runOver(server, { stream })
    expect(cities).toEqual([])
    expect(result).toMatchObject({
      stopReason: 'done',
      incomplete: true,
      text: written('Bergen'),
      stepCount: 2,
    })
    expect(result.warnings).toEqual([expect.stringMatching(/"weather" as text.*textCalls: 'run'/)])
    expect(shown).toBe('')
    expect(ofType(events, 'text-calls')).toHaveLength(2)
  })

  test(`false: it is text, ${how}`, async () => {
    const server = await serverOf({ text: written('Oslo') })
    const { result, events, shown } = await runOver(server, { textCalls: false, stream })
    expect(result).toMatchObject({ text: written('Oslo'), stopReason: 'done', stepCount: 1 })
    expect(result.incomplete).toBeUndefined()
    expect(shown).toBe(stream ? written('Oslo') : '')
    expect(ofType(events, 'text-calls')).toEqual([])
  })

  test(`a call that the user wrote is an echo, and stays text, ${how}`, async () => {
    const server = await serverOf({ text: written('Oslo') })
    const input = `What is this?\n\n${written('Oslo')}`
    const { result, cities, shown } = await runOver(server, { textCalls: 'run', stream, input })
    expect(cities).toEqual([])
    expect(result).toMatchObject({ text: written('Oslo'), stepCount: 1 })
    expect(shown).toBe(stream ? written('Oslo') : '')
  })

  test(`a reply that was cut off at its limit stays text, ${how}`, async () => {
    const server = await serverOf({ text: written('Oslo'), finish: 'length' })
    const { result, cities, shown } = await runOver(server, { textCalls: 'run', stream })
    expect(cities).toEqual([])
    expect(result).toMatchObject({ text: written('Oslo'), stopReason: 'length' })
    expect(shown).toBe(stream ? written('Oslo') : '')
  })
}

test.each(['runs', true, null])('textCalls: %j is an error that names the values', (value) => {
  const options = { textCalls: value as never }
  expect(() => chatModel('m', options)).toThrow(/textCalls is .*Use 'report', 'run' or false/)
})

test('an echo of a result stays text, also when the result quotes it within JSON', async () => {
  const page = tool({
    name: 'page',
    description: 'Reads a page.',
    parameters: z.object({}),
    effects: 'read',
    execute: () => ({ html: `To ask for the weather, models write ${written('Oslo')}` }),
  })
  const { weather, cities } = weatherTool()
  const server = await serverOf({ calls: [{ name: 'page' }] }, { text: written('Oslo') })
  const model = chatModel('m', { ...server, textCalls: 'run' })
  const result = await new Agent({ model, tools: [page, weather] }).run('Read the page.')
  expect(cities).toEqual([])
  expect(result).toMatchObject({ text: written('Oslo'), stepCount: 2 })
})

test('several calls, and a text form for a server that rejects the messages of calls', async () => {
  const both = `${written('Oslo')}\n${written('Bergen')}`
  const rejects: Line = { status: 400, body: { error: { message: 'roles must alternate user/assistant' } } }
  const server = await serverOf(
    { text: both },
    rejects,
    { text: written('Tromsø') },
    { text: 'It rains everywhere.' },
  )
  const { result, cities } = await runOver(server, { textCalls: 'run' })
  expect(cities).toEqual(['Oslo', 'Bergen', 'Tromsø'])
  expect(result).toMatchObject({ text: 'It rains everywhere.', stepCount: 3 })
  const [, second, third, fourth] = server.requests
  const responses = (...texts: string[]) =>
    texts.map((text) => `<tool_response>\n${text}\n</tool_response>`).join('\n')
  const inWords = [
    { role: 'user', content: 'How is Oslo?' },
    { role: 'assistant', content: both },
    { role: 'user', content: responses('Rain in Oslo.', 'Rain in Bergen.') },
  ]
  expect(third?.body.messages).toEqual(inWords)
  expect(third?.headers['idempotency-key']).not.toBe(second?.headers['idempotency-key'])
  expect(third?.body.tools).toEqual(second?.body.tools)
  // The model remembers it: there is no second rejection.
  expect(fourth?.body.messages).toEqual([
    ...inWords,
    { role: 'assistant', content: written('Tromsø') },
    { role: 'user', content: responses('Rain in Tromsø.') },
  ])
})

test('a rejection of other requests is an error as before', async () => {
  const rejects: Line = { status: 400, body: { error: { message: 'no' } } }
  const server = await serverOf({ calls: [{ name: 'weather', arguments: { city: 'Oslo' } }] }, rejects)
  await expect(runOver(server, { textCalls: 'run' })).rejects.toMatchObject({ code: 'invalid_request' })
  expect(server.requests).toHaveLength(2)
})

test('after a fallback the other server gets the calls in the form of the interface', async () => {
  const { weather, cities } = weatherTool()
  const first = await serverOf({ text: written('Oslo') })
  const second = await serverOf({ text: 'It rains.' })
  const model = fallback([
    chatModel('a', { ...first, textCalls: 'run', maxRetries: 0 }),
    chatModel('b', { ...second }),
  ])
  const result = await new Agent({ model, tools: [weather] }).run('How is Oslo?')
  expect(cities).toEqual(['Oslo'])
  expect(result.text).toBe('It rains.')
  expect(second.requests[0]?.body.messages.slice(1)).toEqual([
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'call_0_0', type: 'function', function: { name: 'weather', arguments: '{"city": "Oslo"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_0_0', content: 'Rain in Oslo.' },
  ])
})

test('after a handoff the model of the other agent is told, too', async () => {
  const { weather } = weatherTool()
  const server = await serverOf(
    { text: written('Oslo') },
    { calls: [{ name: 'transfer_to_second' }] },
    { text: written('Oslo') },
    { text: 'It rains.' },
  )
  const model = chatModel('m', { ...server })
  const second = new Agent({ name: 'second', model, tools: [weather] })
  const first = new Agent({ name: 'first', model, tools: [weather, handoff(second)] })
  const result = await first.run('How is Oslo?')
  expect(result).toMatchObject({ text: 'It rains.', stopReason: 'done' })
  expect(result.warnings).toBeUndefined()
  expect(result.state.kept['text-calls']).toEqual(['first', 'second'])
})

test('a child agent recovers its own calls', async () => {
  const { weather, cities } = weatherTool()
  const inner = await serverOf({ text: written('Oslo') }, { text: 'It rains.' })
  const outer = await serverOf(
    { calls: [{ name: 'scout', arguments: { input: 'Oslo?' } }] },
    { text: 'Rain.' },
  )
  const scout = new Agent({
    name: 'scout',
    model: chatModel('m', { ...inner, textCalls: 'run' }),
    tools: [weather],
  })
  const events: RunEvent[] = []
  const agent = new Agent({
    model: chatModel('m', { ...outer }),
    tools: [agentTool(scout, { description: 'Asks a scout.' })],
  })
  const result = await agent.run('How is Oslo?', { observe: (event) => void events.push(event) })
  expect(cities).toEqual(['Oslo'])
  expect(result.text).toBe('Rain.')
  expect(ofType(events, 'text-calls')).toMatchObject([{ recovered: true, parentCallId: 'call_1_0' }])
})

test('a run with an output schema is told how calls are made, and not that its answer is wrong', async () => {
  const { weather, cities } = weatherTool()
  const server = await serverOf(
    { text: written('Oslo') },
    { calls: [{ name: 'weather', arguments: { city: 'Oslo' } }] },
    { text: '{"rain": true}' },
  )
  const output = z.object({ rain: z.boolean() })
  const agent = new Agent({ model: chatModel('m', { ...server }), tools: [weather], output })
  const result = await agent.run('How is Oslo?')
  expect(cities).toEqual(['Oslo'])
  expect(result.output).toEqual({ rain: true })
  expect(result.messages.filter(({ role }) => role === 'user')).toHaveLength(2)
  expect(server.requests[1]?.body.tool_choice).toBe('auto')
})

test('a reply in the format that the server was asked for is the output, also if it looks like a call', async () => {
  const { weather, cities } = weatherTool()
  const text = '{"name": "weather", "arguments": {"city": "Oslo"}}'
  const server = await serverOf({ text })
  const model = chatModel('m', { ...server, textCalls: 'run', dialect: 'openai' })
  const output = z.object({ name: z.string(), arguments: z.object({ city: z.string() }) })
  const result = await new Agent({ model, tools: [weather], output }).run('Plan a call.')
  expect(cities).toEqual([])
  expect(result.output).toEqual(JSON.parse(text))
})

test.each([
  '{"name": "weather", "arguments": {"city": "Oslo"}}',
  '<tool_call>{"name": "weather", "arguments": {"city": "Oslo"}}',
])('a call of which the output schema takes a part only is no output: %s', async (text) => {
  const { weather } = weatherTool()
  const server = await serverOf({ text }, { text: '{"name": "Ada"}' })
  const model = chatModel('m', { ...server })
  const output = z.object({ name: z.string() })
  const result = await new Agent({ model, tools: [weather], output }).run('Who was it?')
  expect(result.output).toEqual({ name: 'Ada' })
  expect(server.requests[1]?.body.messages.at(-1)?.content).toContain('real tool calls')
})

test('a run with an output schema whose model only writes calls ends as stuck, with the warning', async () => {
  const { weather } = weatherTool()
  const server = await serverOf(...Array.from({ length: 6 }, () => ({ text: written('Oslo') })))
  const output = z.object({ rain: z.boolean() })
  const agent = new Agent({ model: chatModel('m', { ...server }), tools: [weather], output })
  const result = await agent.run('How is Oslo?')
  expect(result.stopReason).toBe('stuck')
  expect(result.warnings).toHaveLength(1)
})

test.each(['report', 'run'] as const)('a host with a journal repeats a run: %s', async (textCalls) => {
  const { weather, cities } = weatherTool()
  const server = await serverOf({ text: written('Oslo') }, { text: written('Bergen') }, { text: 'It rains.' })
  const agent = new Agent({ model: chatModel('m', { ...server, textCalls }), tools: [weather] })
  const journal: Journal = new Map()
  const options = { runId: 'r', host: journalHost(journal, memoryHost) }
  const { state } = await agent.run('How is Oslo?', options)
  const [asked, ran] = [server.requests.length, cities.length]
  expect((await agent.run('How is Oslo?', options)).state).toEqual(state)
  expect([server.requests.length, cities.length]).toEqual([asked, ran])
})

test('a session keeps the words, and a later run sends the calls', async () => {
  const { weather } = weatherTool()
  const server = await serverOf({ text: written('Oslo') }, { text: 'It rains.' }, { text: 'Yes.' })
  const agent = new Agent({ model: chatModel('m', { ...server, textCalls: 'run' }), tools: [weather] })
  const session = { id: 's', store: memorySessions() }
  await agent.run('How is Oslo?', { session })
  const result = await agent.run('Still?', { session })
  expect(result.messages[1]).toMatchObject({ textForm: { form: 'hermes', text: written('Oslo') } })
  expect(server.requests[2]?.body.messages[1]).toMatchObject({ tool_calls: [{ id: 'call_0_0' }] })
})

test('a state with a call that waits resumes, and runs the call', async () => {
  const ran: string[] = []
  const send = tool({
    name: 'send',
    description: 'Sends a letter.',
    parameters: z.object({ to: z.string() }),
    needsApproval: true,
    execute: ({ to }) => {
      ran.push(to)
      return 'Sent.'
    },
  })
  const text = '{"name": "send", "arguments": {"to": "Ada"}}'
  const server = await serverOf({ text }, { text: 'Done.' })
  const agent = new Agent({ model: chatModel('m', { ...server, textCalls: 'run' }), tools: [send] })
  const waiting = await agent.run('Write to Ada.')
  expect(waiting).toMatchObject({ stopReason: 'pending', pending: [{ callId: 'call_0_0', name: 'send' }] })
  const state = JSON.parse(JSON.stringify(waiting.state))
  const result = await agent.run(state, { decisions: { call_0_0: { type: 'approve' } } })
  expect(ran).toEqual(['Ada'])
  expect(result.text).toBe('Done.')
})

test('an error within a streamed reply is thrown, and the reply is not begun again', async () => {
  const server = await serverOf({ text: written('Oslo') }, (_request, response) => {
    const chunk = { id: 'x', choices: [{ index: 0, delta: { content: 'It ra' }, finish_reason: null }] }
    const error = { error: { message: 'Unknown field.', code: 400 } }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`data: ${JSON.stringify(chunk)}\n\ndata: ${JSON.stringify(error)}\n\n`)
  })
  const ended = runOver(server, { textCalls: 'run', stream: true })
  await expect(ended).rejects.toMatchObject({ code: 'invalid_request', status: 400 })
  expect(server.requests).toHaveLength(2)
})
