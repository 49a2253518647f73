import { afterEach, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { named } from '../../test/call-context.js'
import { type Journal, journalHost } from '../../test/run-control/host-with.js'
import { type Said, scriptedModel } from '../../test/scripted-model.js'
import { memoryArtifacts } from '../artifacts/memory-artifacts.js'
import { ToolError } from '../errors.js'
import { Agent } from '../index.js'
import { memoryHost } from '../run/memory-host.js'
import { type Tool, type ToolContext, type ToolSettings, tool } from '../tools/tool.js'
import type { RunEvent } from '../types/event.js'
import { type CacheStore, cacheTools } from './cache-tools.js'
import { readArtifact } from './context/long-results.js'
import { retryTools } from './retry-tools.js'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const minute = 60_000

/** A tool that counts its calls, and returns the count unless a function is given. */
function counting(
  settings: ToolSettings = { effects: 'read' },
  { name = 'f', work }: { name?: string; work?: (args: unknown, ctx: ToolContext) => unknown } = {},
) {
  const calls: unknown[] = []
  const f = named(
    name,
    (args, ctx) => {
      calls.push(args)
      return work ? work(args, ctx) : `result ${calls.length}`
    },
    settings,
  )
  return { f, calls }
}

/** Replies that make one call each. */
const inTurn = (...calls: readonly (readonly [string, object?])[]): readonly Said[] => [
  ...calls.map((call) => [call]),
  'Done.',
]
const twice = inTurn(['f', { a: 1 }], ['f', { a: 1 }])

/** Runs a script with an agent that has one tool. */
function runOf(script: readonly Said[], tools: readonly Tool[], cache = cacheTools({ ttlMs: minute })) {
  const events: RunEvent[] = []
  const agent = new Agent({
    model: scriptedModel(script),
    tools,
    middleware: [cache],
    observe: (event) => void events.push(event),
  })
  return agent.run('Go.').then((result) => ({
    ...result,
    contents: result.toolCalls.map(({ content }) => content.split('\n')[0]),
    hits: events.filter(({ type }) => type === 'middleware'),
  }))
}

test('an equal call of one run gets the result of the first, and its function does not run again', async () => {
  const { f, calls } = counting(undefined, { work: () => ({ degrees: 4 }) })
  const { toolCalls, hits } = await runOf(twice, [f])
  expect(calls).toHaveLength(1)
  const [first, second] = toolCalls
  expect(first).toMatchObject({ status: 'ok', content: '{"degrees":4}', result: { degrees: 4 } })
  expect(second).toMatchObject({ status: 'ok', result: { degrees: 4 } })
  expect(hits).toMatchObject([{ name: 'cache-tools', action: 'cache-hit', callId: second?.callId, step: 1 }])
})

test('the order of the fields of arguments makes no difference, their values do', async () => {
  const { f, calls } = counting()
  const script = inTurn(
    ['f', { a: 1, b: { c: 2, d: [3, 4] } }],
    ['f', { b: { d: [3, 4], c: 2 }, a: 1 }],
    ['f', { a: 1, b: { c: 2, d: [4, 3] } }],
    ['f', { a: '1', b: { c: 2, d: [3, 4] } }],
  )
  expect((await runOf(script, [f])).contents).toEqual(['result 1', 'result 1', 'result 2', 'result 3'])
  expect(calls).toHaveLength(3)
})

test('arguments are compared as the function gets them', async () => {
  const calls: unknown[] = []
  const f = tool({
    name: 'f',
    description: 'D',
    parameters: z.object({ city: z.string().toLowerCase(), days: z.int().default(1) }),
    effects: 'read',
    execute: (args) => calls.push(args),
  })
  await runOf(inTurn(['f', { city: 'Oslo' }], ['f', { city: 'oslo', days: 1 }]), [f as unknown as Tool])
  expect(calls).toEqual([{ city: 'oslo', days: 1 }])
})

test('arguments that JSON would lose are never equal', async () => {
  const calls: unknown[] = []
  const f = tool({
    name: 'f',
    description: 'D',
    parameters: z.object({ a: z.number() }).transform(({ a }) => new Map([['a', a]])),
    effects: 'read',
    execute: (args) => calls.push(args),
  })
  await runOf(inTurn(['f', { a: 1 }], ['f', { a: 2 }]), [f as unknown as Tool])
  expect(calls).toHaveLength(2)
})

test('another tool, and the same tool with another definition, has results of its own', async () => {
  const cache = cacheTools({ ttlMs: minute, key: () => 'all' })
  const { f, calls } = counting()
  const { f: g } = counting(undefined, { name: 'g', work: () => 'of g' })
  expect((await runOf(inTurn(['f', { a: 1 }], ['g', { a: 1 }]), [f, g], cache)).contents).toEqual([
    'result 1',
    'of g',
  ])
  const changed: Tool = {
    ...f,
    definition: { type: 'function', function: { ...f.definition.function, description: 'Changed' } },
  }
  await runOf(inTurn(['f', { a: 1 }]), [changed], cache)
  expect(calls).toHaveLength(2)
})

test('only tools that read are cached, or only those that are named', async () => {
  const { f, calls } = counting({})
  await runOf(twice, [f])
  expect(calls).toHaveLength(2)
  await runOf(twice, [f], cacheTools({ ttlMs: minute, tools: ['f'] }))
  expect(calls).toHaveLength(3)
  const reader = counting()
  await runOf(twice, [reader.f], cacheTools({ ttlMs: minute, tools: ['g'] }))
  expect(reader.calls).toHaveLength(2)
})

test('a result is used until its time is over', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const { f, calls } = counting()
  const cache = cacheTools({ ttlMs: minute, key: () => 'all' })
  const after = async (ms: number) => {
    vi.setSystemTime(Date.now() + ms)
    return (await runOf(inTurn(['f', { a: 1 }]), [f], cache)).contents[0]
  }
  expect(await after(0)).toBe('result 1')
  expect(await after(minute - 1)).toBe('result 1')
  expect(await after(1)).toBe('result 2')
  expect(await after(1)).toBe('result 2')
  expect(calls).toHaveLength(2)
})

test('equal calls that run at the same time share nothing', async () => {
  let release = () => {}
  const bothRun = new Promise<void>((resolve) => {
    release = resolve
  })
  const { f, calls } = counting(undefined, {
    work() {
      if (calls.length === 2) release()
      return bothRun
    },
  })
  const { hits } = await runOf([[['f'], ['f']], 'Done.'], [f])
  expect(calls).toHaveLength(2)
  expect(hits).toEqual([])
})

test('runs share nothing unless a key says so', async () => {
  const { f, calls } = counting()
  const cache = cacheTools({ ttlMs: minute })
  await runOf(twice, [f], cache)
  await runOf(twice, [f], cache)
  expect(calls).toHaveLength(2)
})

test('runs share nothing in a store of the application either', async () => {
  const { f, calls } = counting()
  const store = mapStore()
  await runOf(twice, [f], cacheTools({ ttlMs: minute, store }))
  await runOf(twice, [f], cacheTools({ ttlMs: minute, store }))
  expect(calls).toHaveLength(2)
})

interface User {
  readonly user?: string
}

test('a key gives each user a cache, over all runs; without one nothing is cached', async () => {
  const calls: unknown[] = []
  const f = tool({
    name: 'f',
    description: 'D',
    parameters: z.object({}),
    effects: 'read',
    execute: (_args, { context }: ToolContext<User>) => `mail of ${context.user}, ${calls.push(0)}`,
  })
  const cache = cacheTools<User>({ ttlMs: minute, key: (_call, { context }) => context.user })
  const askedBy = async (context: User) => {
    const agent = new Agent({ model: scriptedModel(inTurn(['f'])), tools: [f], middleware: [cache] })
    return (await agent.run('Go.', { context })).toolCalls[0]?.content
  }
  expect(await askedBy({ user: 'ada' })).toBe('mail of ada, 1')
  expect(await askedBy({ user: 'ben' })).toBe('mail of ben, 2')
  expect(await askedBy({ user: 'ada' })).toBe('mail of ada, 1')
  expect(await askedBy({})).toBe('mail of undefined, 3')
  expect(await askedBy({})).toBe('mail of undefined, 4')
})

test('a key that is the id of a run does not open the results of that run', async () => {
  const { f, calls } = counting()
  const store = mapStore()
  const ask = (cache: ReturnType<typeof cacheTools>) =>
    new Agent({ model: scriptedModel(inTurn(['f'])), tools: [f], middleware: [cache] }).run('Go.', {
      runId: 'r',
    })
  await ask(cacheTools({ ttlMs: minute, store }))
  await ask(cacheTools({ ttlMs: minute, store, key: () => 'r' }))
  expect(calls).toHaveLength(2)
})

test('errors are not cached', async () => {
  let attempts = 0
  const work = () => {
    attempts += 1
    if (attempts === 1) throw new ToolError('busy')
    return 'here'
  }
  const { f } = counting(undefined, { work })
  const script = inTurn(['f', {}], ['f', {}], ['f', {}])
  expect((await runOf(script, [f])).contents).toEqual(['Error: busy', 'here', 'here'])
  expect(attempts).toBe(2)
})

test('results with artifacts are not cached', async () => {
  const { f, calls } = counting(undefined, {
    work: (_args, { artifacts }) =>
      artifacts.put(new Uint8Array([calls.length]), { kind: 'file', mediaType: 'application/x-test' }),
  })
  const { artifacts } = await runOf(twice, [f])
  expect(calls).toHaveLength(2)
  expect(artifacts).toHaveLength(2)
})

test('a text of an artifact is not cached: another run may not have it', async () => {
  const store = memoryArtifacts()
  const { id } = await store.put(new TextEncoder().encode('Secret.'), {
    kind: 'text',
    mediaType: 'text/plain',
  })
  const cache = cacheTools({ ttlMs: minute, key: () => 'all' })
  const readBy = async (artifacts = memoryArtifacts()) => {
    const model = scriptedModel(inTurn(['read_artifact', { artifact: id }]))
    const agent = new Agent({ model, tools: [readArtifact], middleware: [cache], artifacts })
    return (await agent.run('Go.')).toolCalls[0]
  }
  expect(await readBy(store)).toMatchObject({ status: 'ok' })
  expect(await readBy()).toMatchObject({ status: 'error' })
})

test('a long result is shortened again, and its run has the whole text', async () => {
  const { f, calls } = counting({ effects: 'read', maxResultBytes: 256 }, { work: () => 'x'.repeat(2000) })
  const cache = cacheTools({ ttlMs: minute, key: () => 'all' })
  await runOf(inTurn(['f']), [f], cache)
  const { toolCalls, state } = await runOf(inTurn(['f']), [f], cache)
  expect(calls).toHaveLength(1)
  expect(toolCalls[0]?.content).toContain('read_artifact')
  expect(state.kept['long-results']).toBe(true)
})

test('the cached result of an untrusted tool taints a run', async () => {
  const { f, calls } = counting({ effects: 'read', untrusted: true })
  const cache = cacheTools({ ttlMs: minute, key: () => 'all' })
  await runOf(inTurn(['f']), [f], cache)
  const { state } = await runOf(inTurn(['f']), [f], cache)
  expect(calls).toHaveLength(1)
  expect(state.taintedBy).toBe('f')
})

test('a result that another middleware marked as untrusted stays marked', async () => {
  const { f, calls } = counting()
  const mark = {
    name: 'mark',
    wrapTool: async (_call: unknown, next: () => Promise<object>) => ({
      ...(await next()),
      taintedBy: 'a page',
    }),
  }
  const cache = cacheTools({ ttlMs: minute, key: () => 'all' })
  const run = () =>
    new Agent({
      model: scriptedModel(inTurn(['f'])),
      tools: [f],
      middleware: [cache, mark as unknown as typeof cache],
    }).run('Go.')
  await run()
  expect((await run()).state.taintedBy).toBe('a page')
  expect(calls).toHaveLength(1)
})

test('a hit spends nothing', async () => {
  const { f } = counting(undefined, { work: (_args, { spend }) => spend({ images: 1 }) })
  const { usage } = await runOf(twice, [f])
  expect(usage).toMatchObject({ images: 1, toolCalls: 2 })
})

test('calls are judged before the cache answers them', async () => {
  const { f, calls } = counting({ effects: 'read', needsApproval: true })
  const cache = cacheTools({ ttlMs: minute, key: () => 'all' })
  const agent = () => new Agent({ model: scriptedModel(inTurn(['f'])), tools: [f], middleware: [cache] })
  const { state, pending } = await agent().run('Go.')
  const approve = { [pending?.[0]?.callId ?? '']: { type: 'approve' } as const }
  await new Agent({ model: scriptedModel(['Done.']), tools: [f], middleware: [cache] }).run(state, {
    decisions: approve,
  })
  expect(calls).toHaveLength(1)
  expect((await agent().run('Go.')).stopReason).toBe('pending')
})

test('a repeated call that succeeds is cached', async () => {
  let attempts = 0
  const work = () => {
    attempts += 1
    if (attempts === 1) throw new ToolError('busy')
    return 'here'
  }
  const { f } = counting(undefined, { work })
  const middleware = [cacheTools({ ttlMs: minute }), retryTools({ delayMs: 0, on: () => true })]
  const { toolCalls } = await new Agent({ model: scriptedModel(twice), tools: [f], middleware }).run('Go.')
  expect(toolCalls.map(({ content }) => content.split('\n')[0])).toEqual(['here', 'here'])
  expect(attempts).toBe(2)
})

function mapStore(entries = new Map<string, string>()): CacheStore {
  return { get: async (key) => entries.get(key), set: async (key, value) => entries.set(key, value) }
}

test('a store of the application gets keys without arguments, and the time to live', async () => {
  const { f } = counting()
  const stored: unknown[] = []
  const store = mapStore()
  const noting: CacheStore = {
    ...store,
    set(key, value, ttlMs) {
      stored.push([key, ttlMs])
      return store.set(key, value, ttlMs)
    },
  }
  const { hits } = await runOf(twice, [f], cacheTools({ ttlMs: minute, store: noting }))
  expect(stored).toEqual([[expect.stringMatching(/^[0-9a-f]{64}$/), minute]])
  expect(hits).toHaveLength(1)
})

test.each<[string, Partial<CacheStore>]>([
  ['rejects', { get: () => Promise.reject(new Error('lost')), set: () => Promise.reject(new Error('lost')) }],
  [
    'throws',
    {
      get() {
        throw new Error('lost')
      },
      set() {
        throw new Error('lost')
      },
    },
  ],
])('a store that %s is a warning, and the function runs', async (_how, store) => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const { f, calls } = counting()
  const cache = cacheTools({ ttlMs: minute, store: { ...mapStore(), ...store } })
  expect((await runOf(twice, [f], cache)).contents).toEqual(['result 1', 'result 2'])
  expect(calls).toHaveLength(2)
  expect(warn.mock.calls.map(([error]) => (error as Error).message)).toEqual(['lost', 'lost', 'lost', 'lost'])
})

test.each(['', 'no JSON', 'null', '[]', '{}', '{"at":"x","content":"y"}', '{"at":1}', '{"content":"y"}'])(
  'what is no entry is no result: %j',
  async (text) => {
    const { f, calls } = counting()
    const store = { ...mapStore(), get: async () => text }
    expect(
      (await runOf(inTurn(['f']), [f], cacheTools({ ttlMs: Number.POSITIVE_INFINITY, store }))).contents,
    ).toEqual(['result 1'])
    expect(calls).toHaveLength(1)
  },
)

test('an abort ends the wait for a store', async () => {
  const abort = new AbortController()
  const { f, calls } = counting()
  const get = () => {
    abort.abort()
    return new Promise<never>(() => {})
  }
  const cache = cacheTools({ ttlMs: minute, store: { ...mapStore(), get } })
  const agent = new Agent({ model: scriptedModel(twice), tools: [f], middleware: [cache] })
  const { stopReason, toolCalls } = await agent.run('Go.', { signal: abort.signal })
  expect(stopReason).toBe('aborted')
  expect(toolCalls[0]?.status).toBe('not_run')
  expect(calls).toEqual([])
})

test('the default store keeps the 1000 results that were used last', async () => {
  const { f, calls } = counting()
  const cache = cacheTools({ ttlMs: minute, key: () => 'all' })
  const ask = (...numbers: number[]) =>
    runOf([numbers.map((a, at) => ['f', { a }, `c${at}`] as const), 'Done.'], [f], cache)
  // The calls of one reply may be stored in any order.
  await ask(1)
  await ask(0, ...Array.from({ length: 998 }, (_, a) => a + 2))
  await ask(0)
  expect(calls).toHaveLength(1000)
  await ask(1000)
  await ask(0)
  expect(calls).toHaveLength(1001)
  await ask(1)
  expect(calls).toHaveLength(1002)
})

test('a repeated run takes hits from the journal too, even when the cache is gone', async () => {
  const journal: Journal = new Map()
  const { f, calls } = counting()
  const run = () =>
    new Agent({
      model: scriptedModel(twice),
      tools: [f],
      middleware: [cacheTools({ ttlMs: minute })],
    }).run('Go.', { runId: 'r', host: journalHost(journal, memoryHost) })
  const first = await run()
  const second = await run()
  expect(calls).toHaveLength(1)
  expect(second.toolCalls).toEqual(first.toolCalls)
  expect(second.state).toEqual(first.state)
})
