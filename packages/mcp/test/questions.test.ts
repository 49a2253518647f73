import { fileURLToPath } from 'node:url'
import { Agent, agentTool, cacheTools, type Decision, type RunState } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { inputRequired } from '@modelcontextprotocol/server'
import { expect, onTestFinished, test } from 'vitest'
import { type McpToolsOptions, mcpTools } from '../src/index.js'
import { askCity, citySchema, type SeenCall, serveAsking } from './asking-servers.js'
import { bundled, typescript } from './command.js'
import { isAlive, until } from './until.js'

const stored = (state: RunState): RunState => JSON.parse(JSON.stringify(state))

const echo = () => scriptedModel([({ messages }) => reply.text(`It said: ${messages.at(-1)?.content}`)])

/** An agent that calls `book` and says what it got, and the same one, which only says it. */
const connect = (url: string, options: Partial<McpToolsOptions> = {}) => connectTo({ url, ...options })

async function connectTo(options: McpToolsOptions) {
  const server = await mcpTools(options)
  onTestFinished(() => server.close())
  const calling = () =>
    scriptedModel([
      reply.call('book', { day: 'Monday' }, { id: 'c1' }),
      ({ messages }) => reply.text(`It said: ${messages.at(-1)?.content}`),
    ])
  const { tools } = server
  const agentOf = (model: ReturnType<typeof echo>) => new Agent({ name: 'clerk', model, tools })
  return { tools, begins: agentOf(calling()), resumes: () => agentOf(echo()), calling }
}

const asksOnce = ({ answers, state }: SeenCall) =>
  answers
    ? `${JSON.stringify(answers)} ${state}`
    : inputRequired({ inputRequests: { city: askCity }, requestState: 'sealed' })

const oslo: Decision = { type: 'result', value: { city: 'Oslo' } }

test('a question of a server of 2026 makes the call pending, and its answer makes it again once', async () => {
  const { url, seen } = await serveAsking(asksOnce)
  const { begins, resumes } = await connect(url)
  const first = await begins.run('Book.')
  expect(first.stopReason).toBe('pending')
  const asked = {
    callId: 'c1/question1',
    name: 'book',
    agent: 'clerk',
    arguments: { day: 'Monday' },
    kind: 'input',
    message: 'Which city?',
    schema: citySchema,
  }
  expect(first.pending).toEqual([asked])
  const state = stored(first.state)
  expect(JSON.stringify(state)).toContain('sealed')
  expect(JSON.stringify([state.messages, state.pending])).not.toContain('sealed')

  const decisions = { 'c1/question1': oslo }
  const { text, toolCalls, usage } = await resumes().run(state, { decisions })
  expect(text).toBe('It said: {"city":{"action":"accept","content":{"city":"Oslo"}}} sealed')
  expect(toolCalls).toMatchObject([{ name: 'book', status: 'ok', arguments: { day: 'Monday' } }])
  expect(usage.toolCalls).toBe(1)
  expect(seen).toHaveLength(2)
})

test('a run that waits is told of each question once, and continues with its answer', async () => {
  const { url, seen } = await serveAsking(asksOnce)
  const { begins } = await connect(url)
  const run = begins.stream('Book.', { wait: true })
  const events: unknown[] = []
  for await (const event of run) {
    if (event.type !== 'call-pending') continue
    events.push(event.callId)
    expect(JSON.stringify(event)).not.toContain('sealed')
    await expect(run.decide(event.callId, { type: 'result', value: { city: 3 } })).rejects.toMatchObject({
      code: 'invalid_arguments',
    })
    await run.decide(event.callId, oslo)
  }
  expect((await run.result).text).toContain('"city":"Oslo"')
  expect(events).toEqual(['c1/question1'])
  expect(seen).toHaveLength(2)
})

const wrongAnswers: readonly (readonly [string, Decision, string])[] = [
  ['of another type', { type: 'result', value: { city: 3 } }, 'invalid_arguments'],
  ['too long', { type: 'result', value: { city: 'x'.repeat(21) } }, 'invalid_arguments'],
  ['without a field', { type: 'result', value: {} }, 'invalid_arguments'],
  ['that is an approval', { type: 'approve' }, 'invalid_request'],
  ['without a reason', { type: 'deny' } as never, 'invalid_request'],
]

test.each(wrongAnswers)('an answer %s is refused before anything runs', async (_how, decision, code) => {
  const { url, seen } = await serveAsking(asksOnce)
  const { begins, resumes } = await connect(url)
  const { state } = await begins.run('Book.')
  const decisions = { 'c1/question1': decision }
  await expect(resumes().run(stored(state), { decisions })).rejects.toMatchObject({ code })
  expect(seen).toHaveLength(1)
})

test('deny declines the question, and the call is made again', async () => {
  const { url, seen } = await serveAsking(asksOnce)
  const { begins, resumes } = await connect(url)
  const { state } = await begins.run('Book.')
  const decisions = { 'c1/question1': { type: 'deny', reason: 'No.' } } as const
  const { text } = await resumes().run(stored(state), { decisions })
  expect(text).toBe('It said: {"city":{"action":"decline"}} sealed')
  expect(seen).toHaveLength(2)
})

test('several questions are asked one after the other, then further rounds', async () => {
  const askDay = inputRequired.elicitUrl({ message: 'Sign in.', url: 'https://example.com/login' })
  const { url, seen } = await serveAsking((_call, round) =>
    round === 1
      ? inputRequired({ inputRequests: { city: askCity, login: askDay }, requestState: 'one' })
      : round === 2
        ? inputRequired({ inputRequests: { city: askCity } })
        : 'Booked.',
  )
  const { begins, resumes } = await connect(url)
  let { state, pending, text } = await begins.run('Book.')
  const asked: unknown[] = []
  for (let round = 0; pending && round < 5; round++) {
    const [call] = pending
    asked.push([call?.callId, call?.url])
    const opened: Decision = { type: 'result', value: null }
    const decisions = { [call?.callId ?? '']: call?.url ? opened : oslo }
    ;({ state, pending, text } = await resumes().run(stored(state), { decisions }))
  }
  expect(asked).toEqual([
    ['c1/question1', undefined],
    ['c1/question2', 'https://example.com/login'],
    ['c1/question3', undefined],
  ])
  expect(text).toBe('It said: Booked.')
  expect(seen.map(({ answers, state: given }) => [answers && Object.keys(answers), given])).toEqual([
    [undefined, undefined],
    [['city', 'login'], 'one'],
    [['city'], undefined],
  ])
})

test('a run that waits answers several rounds', async () => {
  const { url, seen } = await serveAsking((_call, round) =>
    round < 4 ? inputRequired({ inputRequests: { city: askCity }, requestState: `${round}` }) : 'Booked.',
  )
  const { begins } = await connect(url)
  const run = begins.stream('Book.', { wait: true })
  const asked: string[] = []
  run.on('call-pending', ({ callId }) => {
    asked.push(callId)
    void run.decide(callId, oslo)
  })
  expect((await run.result).text).toBe('It said: Booked.')
  expect(asked).toEqual(['c1/question1', 'c1/question2', 'c1/question3'])
  expect(seen.map(({ state }) => state)).toEqual([undefined, '1', '2', '3'])
})

test('a server may ask ten times', async () => {
  const { url, seen } = await serveAsking(() => inputRequired({ inputRequests: { city: askCity } }))
  const { begins } = await connect(url)
  const run = begins.stream('Book.', { wait: true })
  run.on('call-pending', ({ callId }) => void run.decide(callId, oslo))
  expect((await run.result).text).toMatch(/It said: Error: .*asked for input more than 10 times/)
  expect(seen).toHaveLength(11)
})

test('an unattended run declines questions', async () => {
  const { url } = await serveAsking(asksOnce)
  const { begins } = await connect(url)
  const { text } = await begins.run('Book.', { unattended: true })
  expect(text).toBe('It said: {"city":{"action":"decline"}} sealed')
})

test('a direct call of a tool declines questions', async () => {
  const { url } = await serveAsking(asksOnce)
  const { tools } = await connect(url)
  expect(await tools[0]?.call({})).toBe('{"city":{"action":"decline"}} sealed')
})

const refused = [
  ['a model', { requests: { a: inputRequired.createMessage({ messages: [], maxTokens: 9 }) } }, /sampling/],
  ['folders', { requests: { a: inputRequired.listRoots() } }, /roots/],
  ['a page that is no address', { requests: { a: url('javascript:alert(1)') } }, /web URL/],
  ['with too long a state', { state: 'x'.repeat(65_537), requests: { a: askCity } }, /requestState/],
  ['too much at once', { requests: many(21) }, /more than 20/],
] as const

test.each(refused)(
  'a server that asks for %s gets nothing, and the model reads why',
  async (_what, given, why) => {
    const { requests, state } = { state: undefined, ...given }
    const { url: at, seen } = await serveAsking(() =>
      inputRequired({ inputRequests: requests, ...(state && { requestState: state }) }),
    )
    const { begins } = await connect(at)
    const { text, stopReason } = await begins.run('Book.')
    expect([stopReason, text]).toEqual(['done', expect.stringMatching(why)])
    expect(seen).toHaveLength(1)
  },
)

function url(address: string) {
  return inputRequired.elicitUrl({ message: 'Open it.', url: address })
}

function many(count: number) {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`q${at}`, askCity]))
}

test('an approval with other arguments holds for the call after the question', async () => {
  const { url: at } = await serveAsking(asksOnce)
  const { begins, resumes } = await connect(at, { settings: () => ({ needsApproval: true }) })
  const first = await begins.run('Book.')
  expect(first.pending).toMatchObject([{ callId: 'c1', kind: 'approval' }])
  const edited = { c1: { type: 'approve', arguments: { day: 'Friday' } } } as const
  const second = await resumes().run(stored(first.state), { decisions: edited })
  expect(second.pending).toMatchObject([{ callId: 'c1/question1', kind: 'input' }])
  const decisions = { 'c1/question1': oslo }
  const { toolCalls } = await resumes().run(stored(second.state), { decisions })
  expect(toolCalls).toMatchObject([{ status: 'ok', approved: true, arguments: { day: 'Friday' } }])
})

test('an agent behind a tool asks through its parents', async () => {
  const { url: at } = await serveAsking(asksOnce)
  const { begins, resumes } = await connect(at)
  const chief = (child: Agent, isFirst: boolean) =>
    new Agent({
      name: 'chief',
      model: isFirst ? scriptedModel([reply.call('clerk', { input: 'Book.' }, { id: 'p1' })]) : echo(),
      tools: [agentTool(child)],
    })
  const first = await chief(begins, true).run('Go.')
  expect(first.pending).toMatchObject([{ callId: 'p1/c1/question1', agent: 'clerk', kind: 'input' }])
  const decisions = { 'p1/c1/question1': oslo }
  const { text } = await chief(resumes(), false).run(stored(first.state), { decisions })
  expect(text).toMatch(/^It said: It said: \{"city":\{"action":"accept"/)
})

test('a question is not kept by cacheTools, and a result is', async () => {
  const { url: at, seen } = await serveAsking(asksOnce)
  const { tools } = await connect(at, { settings: () => ({ effects: 'read' }) })
  const model = scriptedModel([
    reply.call('book', {}, { id: 'c1' }),
    reply.call('book', {}, { id: 'c2' }),
    reply.text('Done.'),
  ])
  const agent = new Agent({ model, tools, middleware: [cacheTools({ ttlMs: 60_000 })] })
  const run = agent.stream('Book.', { wait: true })
  run.on('call-pending', ({ callId }) => void run.decide(callId, oslo))
  const { toolCalls } = await run.result
  expect(toolCalls.map(({ status }) => status)).toEqual(['ok', 'ok'])
  expect(seen).toHaveLength(2)
})

test('a server that is killed while its question waits is started again for the answer', async () => {
  const program = fileURLToPath(new URL('./asking-server.ts', import.meta.url))
  const options = { command: process.execPath, args: [...typescript, program], env: bundled() }
  const { begins, resumes } = await connectTo(options)
  const { state } = await begins.run('Book.')
  const [, pid] = /"requestState":"(\d+)"/.exec(JSON.stringify(state)) ?? []
  process.kill(Number(pid), 'SIGKILL')
  // The client learns of it by itself.
  await until(() => !isAlive(Number(pid)))
  const { text } = await resumes().run(stored(state), { decisions: { 'c1/question1': oslo } })
  expect(text).toMatch(new RegExp(`^It said: (?!${pid})\\d+ ${pid}$`))
})

test('null in the optional fields of a question counts as absent', async () => {
  const { url: at, seen } = await serveAsking(asksOnce)
  const nulls = async (input: string | URL | Request, init?: RequestInit) => {
    const response = await fetch(input, init)
    if (!String(init?.body).includes('tools/call')) return response
    const text = (await response.text())
      .replace('"message":"Which city?"', '"message":"Which city?","mode":null,"_meta":null')
      .replace('"minLength":2', '"minLength":2,"title":null,"description":null,"default":null')
      .replace('"requestState":"sealed"', '"requestState":null')
    return new Response(text || null, response)
  }
  const { begins, resumes } = await connect(at, { fetch: nulls } as never)
  const { state, pending } = await begins.run('Book.')
  expect(pending).toMatchObject([{ message: 'Which city?', schema: citySchema }])
  const { text } = await resumes().run(stored(state), { decisions: { 'c1/question1': oslo } })
  expect(text).toContain('"city":"Oslo"')
  expect(seen[1]?.state).toBeUndefined()
})
