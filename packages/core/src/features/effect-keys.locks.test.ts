import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { cases } from '../../../../scripts/cases.mjs'
import { type Said, scriptedModel } from '../../test/scripted-model.js'
import { Agent, agentTool, CapstanError, effectKeys, rateLimit, retryTools } from '../index.js'
import { type AnyTool, type ToolSettings, tool } from '../tools/tool.js'

afterEach(() => {
  vi.useRealTimers()
})

const turns = () => new Promise(setImmediate)

function gate() {
  let open = () => {}
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, passed }
}

/** A tool that writes keys, and a record of which of its functions overlap. */
function writer(name = 'write', settings: ToolSettings = {}) {
  const log: string[] = []
  const open = new Map<string, number>()
  const overlaps: string[] = []
  const gates = new Map<string, ReturnType<typeof gate>>()
  const write = tool({
    name,
    description: 'Writes',
    parameters: z.object({ key: z.string(), label: z.string() }),
    ...settings,
    effects: (args) => (args as { key: string }).key,
    execute: async ({ key, label }) => {
      log.push(label)
      const before = open.get(key) ?? 0
      if (before > 0) overlaps.push(label)
      open.set(key, before + 1)
      await gates.get(label)?.passed
      await turns()
      open.set(key, (open.get(key) ?? 1) - 1)
      return label
    },
  })
  const hold = (label: string) => {
    const one = gate()
    gates.set(label, one)
    return one.open
  }
  return { write: write as unknown as AnyTool, log, overlaps, hold }
}

const writes = (key: string, label: string) => ['write', { key, label }] as const
const agentOf = (script: readonly Said[], tools: readonly AnyTool[], further: object = {}) =>
  new Agent({ model: scriptedModel(script), tools, middleware: [effectKeys()], ...further })
/** A tool whose function runs an agent. */
const running = (name: string, agent: () => Agent<readonly AnyTool[]>, settings: ToolSettings = {}) =>
  tool({
    name,
    description: 'Runs an agent',
    parameters: z.object({ key: z.string().default('') }),
    ...settings,
    execute: async () => (await agent().run('Go.')).text,
  }) as unknown as AnyTool
const byKey = { effects: (args: unknown) => (args as { key: string }).key } as ToolSettings

test('calls with one key run one after another, in two runs of two agents', async () => {
  const { write, log, overlaps, hold } = writer()
  const open = hold('first')
  const first = agentOf([[writes('a', 'first')], 'Done.'], [write]).run('Go.')
  const second = agentOf([[writes('a', 'second'), writes('b', 'other')], 'Done.'], [write]).run('Go.')
  await expect.poll(() => log).toEqual(['first', 'other'])
  open()
  expect((await second).toolCalls).toMatchObject([{ result: 'second' }, { result: 'other' }])
  await first
  expect(overlaps).toEqual([])
})

test('an agent as a tool writes after the call beside it that writes the same key', async () => {
  const { write, overlaps, log } = writer()
  const inner = new Agent({
    name: 'inner',
    model: scriptedModel([[writes('a', 'within')], 'Done.']),
    tools: [write],
    middleware: [effectKeys()],
  })
  const script: Said[] = [[writes('a', 'beside'), ['inner', { input: 'Go.' }], writes('a', 'last')], 'Done.']
  const result = await agentOf(script, [write, agentTool(inner)]).run('Go.')
  expect(result.stopReason).toBe('done')
  expect(log.sort()).toEqual(['beside', 'last', 'within'])
  expect(overlaps).toEqual([])
})

test('a function that holds a key may run agents that write it, one after another', async () => {
  const { write, overlaps, log } = writer()
  const inner = () => agentOf([[writes('a', 'one'), writes('a', 'two')], 'Done.'], [write])
  const both = tool({
    name: 'both',
    description: 'Runs two agents',
    parameters: z.object({ key: z.string() }),
    ...byKey,
    execute: async () => {
      await Promise.all([inner().run('Go.'), inner().run('Go.')])
      return 'both'
    },
  }) as unknown as AnyTool
  const outer = agentOf([[['both', { key: 'a' }], writes('a', 'last')], 'Done.'], [both, write])
  expect((await outer.run('Go.')).toolCalls).toMatchObject([{ result: 'both' }, { result: 'last' }])
  expect(log).toHaveLength(5)
  expect(log.at(-1)).toBe('last')
  expect(overlaps).toEqual([])
})

test('a call that waits for its key holds no slot that the holder of the key needs', async () => {
  const one = writer('write', { concurrency: 1 })
  const inner = () => agentOf([[writes('a', 'within')], 'Done.'], [one.write])
  const edit = running('edit', inner, byKey)
  const script: Said[] = [[['edit', { key: 'a' }], writes('a', 'beside')], 'Done.']
  const other = agentOf([[writes('a', 'other')], 'Done.'], [one.write])
  const results = await Promise.all([agentOf(script, [edit, one.write]).run('Go.'), other.run('Go.')])
  expect(results.map(({ stopReason }) => stopReason)).toEqual(['done', 'done'])
  expect(one.overlaps).toEqual([])
})

test('a call that waits for a slot holds no key that the holder of the slot needs', async () => {
  const { write, overlaps } = writer()
  const inner = () => agentOf([[writes('a', 'within')], 'Done.'], [write])
  const research = running('research', inner)
  const script: Said[] = [[['research'], writes('a', 'beside'), ['research']], 'Done.']
  const result = await agentOf(script, [research, write], { concurrency: 1 }).run('Go.')
  expect(result.toolCalls).toMatchObject([{ status: 'ok' }, { result: 'beside' }, { status: 'ok' }])
  expect(overlaps).toEqual([])
})

test('of calls that hold a key each and wait for the other, one does not run and says why', async () => {
  const { write } = writer()
  const both = [gate(), gate()]
  const crossing = (at: number, wanted: string) =>
    tool({
      name: 'cross',
      description: 'Waits for the other',
      parameters: z.object({ key: z.string() }),
      ...byKey,
      execute: async () => {
        both[at]?.open()
        await both[1 - at]?.passed
        return (await agentOf([[writes(wanted, 'x')], 'Done.'], [write]).run('Go.')).toolCalls[0]?.content
      },
    }) as unknown as AnyTool
  const runs = [
    agentOf([[['cross', { key: 'a' }]], 'Done.'], [crossing(0, 'b')]).run('Go.'),
    agentOf([[['cross', { key: 'b' }]], 'Done.'], [crossing(1, 'a')]).run('Go.'),
  ]
  const contents = (await Promise.all(runs)).map(({ toolCalls }) => toolCalls[0]?.content)
  expect(contents.filter((one) => one === 'x')).toHaveLength(1)
  expect(contents.find((one) => one !== 'x')).toMatch(
    /^Error: Did not run: the key "[ab]" is locked by a call that waits for this one\./,
  )
})

test('an aborted call that waits leaves the key to the next', async () => {
  const { write, log, hold } = writer()
  const open = hold('first')
  const first = agentOf([[writes('a', 'first')], 'Done.'], [write]).run('Go.')
  await expect.poll(() => log).toEqual(['first'])
  const stop = new AbortController()
  const second = agentOf([[writes('a', 'second')], 'Done.'], [write]).run('Go.', { signal: stop.signal })
  const third = agentOf([[writes('a', 'third')], 'Done.'], [write]).run('Go.')
  await turns()
  stop.abort()
  expect((await second).toolCalls).toMatchObject([{ status: 'not_run' }])
  open()
  expect((await third).toolCalls).toMatchObject([{ result: 'third' }])
  await first
  expect(log).toEqual(['first', 'third'])
})

test('a call that waits for approval holds no key', async () => {
  const { write, log } = writer()
  const asks = writer('ask', { needsApproval: true })
  const agent = agentOf([[['ask', { key: 'a', label: 'asked' }, 'c']], 'Done.'], [asks.write])
  const { state } = await agent.run('Go.')
  await agentOf([[writes('a', 'meanwhile')], 'Done.'], [write]).run('Go.')
  expect(log).toEqual(['meanwhile'])
  const result = await agent.run(state, { decisions: { c: { type: 'approve' } } })
  expect(result.toolCalls).toMatchObject([{ result: 'asked' }])
})

test('a function that outlives its deadline keeps its key in other runs, whose calls fail after a second', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const slow = writer('write', { timeoutMs: 50 })
  const open = slow.hold('hung')
  const first = agentOf([[writes('a', 'hung')], 'Done.'], [slow.write]).run('Go.')
  const second = agentOf([[writes('a', 'second')], 'Done.'], [slow.write]).run('Go.')
  await expect.poll(() => slow.log).toEqual(['hung'])
  await vi.advanceTimersByTimeAsync(50)
  await first
  await vi.advanceTimersByTimeAsync(1000)
  expect((await second).toolCalls[0]?.content).toContain(
    'earlier calls timed out and still occupy the key "a" (1)',
  )
  vi.useRealTimers()
  open()
  await turns()
  await turns()
  const third = await agentOf([[writes('a', 'third')], 'Done.'], [slow.write]).run('Go.')
  expect(third.toolCalls).toMatchObject([{ result: 'third' }])
})

test('each attempt of a repeated call has its key to itself', async () => {
  const { write, overlaps } = writer()
  let attempts = 0
  const failing = tool({
    name: 'failing',
    description: 'Fails once',
    parameters: z.object({ key: z.string() }),
    ...byKey,
    execute: async () => {
      attempts += 1
      if (attempts === 1) throw new CapstanError('network', 'once', { retryable: true })
      return 'second attempt'
    },
  }) as unknown as AnyTool
  const repeats = { middleware: [effectKeys(), retryTools({ idempotent: ['failing'], delayMs: 1 })] }
  const [one, other] = await Promise.all([
    agentOf([[['failing', { key: 'a' }]], 'Done.'], [failing], repeats as object).run('Go.'),
    agentOf([[writes('a', 'x')], 'Done.'], [write]).run('Go.'),
  ])
  expect([one.toolCalls, other.toolCalls]).toMatchObject([[{ result: 'second attempt' }], [{ result: 'x' }]])
  expect(overlaps).toEqual([])
})

test('a function that has ended lends its key to nothing that it left behind', async () => {
  const { write, overlaps, hold, log } = writer()
  const left = gate()
  let later: Promise<unknown> | undefined
  const leaving = tool({
    name: 'leave',
    description: 'Starts a run and does not wait for it',
    parameters: z.object({ key: z.string() }),
    ...byKey,
    execute: () => {
      later = left.passed.then(() => agentOf([[writes('a', 'late')], 'Done.'], [write]).run('Go.'))
      return 'left'
    },
  }) as unknown as AnyTool
  await agentOf([[['leave', { key: 'a' }]], 'Done.'], [leaving]).run('Go.')
  const open = hold('holds')
  const holding = agentOf([[writes('a', 'holds')], 'Done.'], [write]).run('Go.')
  await expect.poll(() => log).toEqual(['holds'])
  left.open()
  await turns()
  await turns()
  expect(log).toEqual(['holds'])
  open()
  await Promise.all([holding, later])
  expect(overlaps).toEqual([])
})

test('a call that waits for its rate is within the call that made it', async () => {
  const { write, overlaps } = writer()
  const inner = () => agentOf([[writes('a', 'within')], 'Done.'], [write])
  const rate = rateLimit({ calls: 1, intervalMs: 20 })
  const limited = running('limited', inner, { rate })
  const outer = running('outer', () => agentOf([[['limited'], ['limited']], 'Done.'], [limited]), byKey)
  const runs = [
    agentOf([[['outer', { key: 'a' }]], 'Done.'], [outer]).run('Go.'),
    agentOf([[['limited'], ['limited']], 'Done.'], [limited]).run('Go.'),
  ]
  for (const { stopReason } of await Promise.all(runs)) expect(stopReason).toBe('done')
  expect(overlaps).toEqual([])
})

test('runs with any keys, limits and runs within them end, and no two writes of a key overlap', async () => {
  const key = fc.constantFrom('a', 'b')
  const plan = fc.letrec<{ call: Planned }>((tie) => ({
    call: fc.record({
      key: fc.option(key),
      inner: fc.oneof(
        { depthSize: 'small', maxDepth: 2 },
        fc.constant([]),
        fc.array(tie('call'), { maxLength: 2 }),
      ),
    }),
  })).call
  const runs = fc.array(
    fc.record({
      calls: fc.array(plan, { minLength: 1, maxLength: 3 }),
      concurrency: fc.integer({ min: 1, max: 2 }),
    }),
    {
      maxLength: 3,
    },
  )
  await fc.assert(
    fc.asyncProperty(runs, async (planned) => {
      const scope = crypto.randomUUID()
      const held = new Map<string, number>()
      const one = perform(scope, held)
      const ended = await Promise.all(planned.map(({ calls, concurrency }) => one(calls, concurrency, [])))
      for (const { stopReason } of ended) expect(stopReason).toBe('done')
      expect([...held.values()].every((count) => count === 0)).toBe(true)
    }),
    { numRuns: cases(300) },
  )
})

interface Planned {
  readonly key: string | null
  readonly inner: readonly Planned[]
}

/**
 * Runs planned calls, and records in `held` when two functions have the same key although neither is within the other.
 */
function perform(scope: string, held: Map<string, number>) {
  const run = (
    calls: readonly Planned[],
    concurrency: number,
    outer: readonly string[],
  ): Promise<{ stopReason: string }> => {
    const tools = calls.map((planned, at) =>
      tool({
        name: `t${at}`,
        description: 'One planned call',
        parameters: z.object({}),
        ...(planned.key === null ? {} : { effects: () => `${scope} ${planned.key}` }),
        execute: async () => {
          const { key, inner } = planned
          const isNew = key !== null && !outer.includes(key)
          if (isNew) {
            // Throwing would only make the call fail.
            if (held.get(key)) held.set('overlaps', 1)
            held.set(key, 1)
          }
          await turns()
          const within = key === null ? outer : [...outer, key]
          if (inner.length > 0) await run(inner, concurrency, within)
          if (isNew) held.set(key, 0)
          return 'ok'
        },
      }),
    ) as unknown as AnyTool[]
    const made = calls.map((_, at) => [`t${at}`] as const)
    return agentOf(made.length > 0 ? [made, 'Done.'] : ['Done.'], tools, { concurrency }).run('Go.')
  }
  return run
}
