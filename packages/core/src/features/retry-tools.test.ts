import { expect, test } from 'vitest'
import { named } from '../../test/call-context.js'
import { type Journal, journalHost } from '../../test/run-control/host-with.js'
import { type Said, scriptedModel } from '../../test/scripted-model.js'
import { CapstanError, ToolError } from '../errors.js'
import { Agent, effectKeys } from '../index.js'
import { memoryHost } from '../run/memory-host.js'
import type { ToolContext, ToolSettings } from '../tools/tool.js'
import type { RunEvent } from '../types/event.js'
import { type RetryToolsOptions, retryTools } from './retry-tools.js'

const down = () => new CapstanError('network', 'The server is down.', { retryable: true })
const thrown = (error: unknown) => () => {
  throw error
}

/** A tool that does these things in turn and repeats the last one, and the contexts that it was called with. */
function inTurn(parts: readonly (() => unknown)[], settings: ToolSettings = { effects: 'read' }, name = 'f') {
  const contexts: ToolContext[] = []
  const f = named(name, (_args, ctx) => parts[Math.min(contexts.push(ctx), parts.length) - 1]?.(), settings)
  return { f, contexts }
}

const once: readonly Said[] = [[['f', {}, 'c1']], 'Done.']

/** Runs one call, and returns its result, the number of attempts and the events about retries. */
async function called(
  parts: readonly (() => unknown)[],
  options: RetryToolsOptions = {},
  settings?: ToolSettings,
) {
  const { f, contexts } = inTurn(parts, settings)
  const events: RunEvent[] = []
  const agent = new Agent({
    model: scriptedModel(once),
    tools: [f],
    middleware: [retryTools({ delayMs: 0, ...options })],
    observe: (event) => void events.push(event),
  })
  const { toolCalls, usage } = await agent.run('Go.')
  const retries = events.filter(({ type }) => type === 'middleware')
  return { result: toolCalls[0], attempts: contexts.length, contexts, events, retries, usage }
}

test('a failed call of a tool that only reads is repeated until it succeeds', async () => {
  const { result, attempts } = await called([thrown(down()), thrown(down()), () => 'here'])
  expect(result).toMatchObject({ status: 'ok', content: 'here' })
  expect(attempts).toBe(3)
})

test('after two further attempts the model reads the last error', async () => {
  const { result, attempts } = await called([thrown(down()), thrown(down()), thrown(new ToolError('gone'))])
  expect(result).toMatchObject({ status: 'error', content: 'Error: gone' })
  expect(attempts).toBe(3)
})

test.each([
  [0, 1],
  [1, 2],
  [5, 6],
])('times: %i makes at most %i attempts', async (times, attempts) => {
  expect((await called([thrown(down())], { times })).attempts).toBe(attempts)
})

test('each attempt has the same idempotency key and call id', async () => {
  const { contexts } = await called([thrown(down()), () => 'here'])
  const [first, second] = contexts.map(({ idempotencyKey, callId }) => ({ idempotencyKey, callId }))
  expect(second).toEqual(first)
})

test('a tool that may change something is not repeated, unless it is named', async () => {
  expect((await called([thrown(down())], {}, {})).attempts).toBe(1)
  expect((await called([thrown(down())], { idempotent: ['g'] }, {})).attempts).toBe(1)
  expect((await called([thrown(down()), () => 'paid'], { idempotent: ['f'] }, {})).attempts).toBe(2)
})

test.each<[string, unknown, number]>([
  ['a CapstanError that is retryable', new CapstanError('rate_limit', 'Wait.', { retryable: true }), 2],
  ['a CapstanError that is not', new CapstanError('invalid_request', 'No.'), 1],
  ['a timeout of ours', new CapstanError('timeout', 'Late.'), 2],
  ['a timeout of AbortSignal', new DOMException('Late.', 'TimeoutError'), 2],
  ['a refused connection', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), 2],
  ['what fetch throws', new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } }), 2],
  ['a ToolError', new ToolError('no such city'), 1],
  ['a mistake of the tool', new TypeError('x is not a function'), 1],
  ['nothing', undefined, 1],
])('%s: %#', async (_what, error, attempts) => {
  expect((await called([thrown(error), () => 'here'])).attempts).toBe(attempts)
})

test('on decides on the error itself and knows the call', async () => {
  const error = new ToolError('busy')
  const seen: unknown[] = []
  const on: RetryToolsOptions['on'] = (thrown, { callId, name }) => seen.push([thrown, callId, name]) > 0
  const { attempts, result } = await called([thrown(error), () => 'here'], { on })
  expect(attempts).toBe(2)
  expect(result?.status).toBe('ok')
  expect(seen).toEqual([[error, 'c1', 'f']])
})

test('calls with invalid arguments are not repeated: their function did not run', async () => {
  const model = scriptedModel([[['f', '{']], 'Done.'])
  const { f, contexts } = inTurn([() => 'here'])
  const agent = new Agent({ model, tools: [f], middleware: [retryTools({ delayMs: 0, on: () => true })] })
  expect((await agent.run('Go.')).toolCalls[0]?.status).toBe('rejected')
  expect(contexts).toEqual([])
})

test('the deadline of a tool is that of one attempt', async () => {
  const { result, attempts } = await called(
    [() => new Promise(() => {}), () => 'here'],
    {},
    { effects: 'read', timeoutMs: 5 },
  )
  expect(result).toMatchObject({ status: 'ok', content: 'here' })
  expect(attempts).toBe(2)
})

test('each retry is an event with the text that the model would have read, without credentials', async () => {
  const failing = thrown(
    new CapstanError('network', 'No route with sk-proj-abcdefghij0123456789ABCDEF.', { retryable: true }),
  )
  const { retries } = await called([failing, failing, () => 'here'], { delayMs: 1 })
  expect(retries).toMatchObject([
    { name: 'retry-tools', action: 'retry', callId: 'c1', step: 0, data: { attempt: 1, delayMs: 1 } },
    { name: 'retry-tools', action: 'retry', callId: 'c1', step: 0, data: { attempt: 2, delayMs: 2 } },
  ])
  expect(JSON.stringify(retries)).toContain('No route with')
  expect(JSON.stringify(retries)).not.toContain('abcdefghij')
})

test('a call starts and ends once, and its end has no error of an earlier attempt', async () => {
  const { events } = await called([thrown(down()), () => 'here'])
  expect(events.filter(({ type }) => type === 'tool-start')).toHaveLength(1)
  const ends = events.filter((event) => event.type === 'tool-end')
  expect(ends).toHaveLength(1)
  expect(ends[0]?.status).toBe('ok')
  expect(ends[0]?.error).toBeUndefined()
})

test('the spending of all attempts counts', async () => {
  const paying =
    (end: () => unknown) =>
    ({ spend }: ToolContext) => {
      spend({ images: 1 })
      return end()
    }
  const ends = [paying(thrown(down())), paying(() => 'here')]
  let attempt = 0
  const f = named('f', (_args, ctx) => ends[attempt++]?.(ctx), { effects: 'read' })
  const agent = new Agent({
    model: scriptedModel(once),
    tools: [f],
    middleware: [retryTools({ delayMs: 0 })],
  })
  const { usage, toolCalls } = await agent.run('Go.')
  expect(usage.images).toBe(2)
  expect(usage.toolCalls).toBe(1)
  expect(toolCalls[0]?.status).toBe('ok')
})

test('a limit of the run is not retried, whatever on returns', async () => {
  let attempts = 0
  const f = named(
    'f',
    (_args, { spend }) => {
      attempts += 1
      spend({ images: 2 })
    },
    { effects: 'read' },
  )
  const agent = new Agent({
    model: scriptedModel(once),
    tools: [f],
    limits: { images: 1 },
    middleware: [retryTools({ delayMs: 0, on: () => true })],
  })
  expect(await agent.run('Go.')).toMatchObject({ stopReason: 'limit', limit: 'images' })
  expect(attempts).toBe(1)
})

test('an abort ends the wait, and nothing is called again', async () => {
  const abort = new AbortController()
  const { f, contexts } = inTurn([thrown(down())])
  const agent = new Agent({
    model: scriptedModel(once),
    tools: [f],
    middleware: [retryTools({ delayMs: 2 ** 30 })],
    observe: ({ type }) => void (type === 'middleware' && abort.abort()),
  })
  const { stopReason, toolCalls } = await agent.run('Go.', { signal: abort.signal })
  expect(stopReason).toBe('aborted')
  expect(toolCalls[0]?.status).toBe('cut_off')
  expect(contexts).toHaveLength(1)
})

test('a call that waits for its next attempt holds no slot', async () => {
  const abort = new AbortController()
  const failing = inTurn([thrown(down())])
  const other = inTurn([() => abort.abort()], { effects: 'read' }, 'g')
  const agent = new Agent({
    model: scriptedModel([[['f'], ['g']]]),
    tools: [failing.f, other.f],
    concurrency: 1,
    middleware: [retryTools({ delayMs: 2 ** 30 })],
  })
  await agent.run('Go.', { signal: abort.signal })
  expect([failing.contexts.length, other.contexts.length]).toEqual([1, 1])
})

test('an abort in an attempt is not retried', async () => {
  const abort = new AbortController()
  const { f, contexts } = inTurn([
    () => {
      abort.abort()
      throw down()
    },
  ])
  const agent = new Agent({
    model: scriptedModel(once),
    tools: [f],
    middleware: [retryTools({ delayMs: 0, on: () => true })],
  })
  expect((await agent.run('Go.', { signal: abort.signal })).stopReason).toBe('aborted')
  expect(contexts).toHaveLength(1)
})

test('calls of one key keep their order while one of them is retried', async () => {
  const log: string[] = []
  const write = named(
    'f',
    (args) => {
      const { text } = args as { text: string }
      log.push(text)
      if (log.length === 1) throw down()
    },
    { effects: () => 'file' },
  )
  const model = scriptedModel([
    [
      ['f', { text: 'first' }],
      ['f', { text: 'second' }],
    ],
    'Done.',
  ])
  const middleware = [effectKeys(), retryTools({ delayMs: 1, idempotent: ['f'] })]
  await new Agent({ model, tools: [write], middleware }).run('Go.')
  expect(log).toEqual(['first', 'first', 'second'])
})

test('a repeated run takes the results from the journal and calls nothing again', async () => {
  const journal: Journal = new Map()
  const { f, contexts } = inTurn([thrown(down()), () => ({ degrees: 4 })])
  const run = () =>
    new Agent({
      model: scriptedModel(once),
      tools: [f],
      middleware: [retryTools({ delayMs: 0 })],
    }).run('Go.', { runId: 'r', host: journalHost(journal, memoryHost) })
  const first = await run()
  const second = await run()
  expect(contexts).toHaveLength(2)
  expect(second.toolCalls).toEqual(first.toolCalls)
  expect(second.state).toEqual(first.state)
})

test('an abort while a further attempt waits for its slot does not say that the call did not run', async () => {
  const stop = new AbortController()
  const { f, contexts } = inTurn([thrown(down())])
  const other = named('other', async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve))
    stop.abort()
  })
  const agent = new Agent({
    model: scriptedModel([
      [
        ['f', {}],
        ['other', {}],
      ],
    ]),
    tools: [f, other],
    concurrency: 1,
    middleware: [retryTools({ delayMs: 0 })],
  })
  const { toolCalls } = await agent.run('Go.', { signal: stop.signal })
  expect(contexts).toHaveLength(1)
  expect(toolCalls.map(({ status }) => status)).toEqual(['cut_off', 'cut_off'])
})
