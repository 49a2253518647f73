import { Agent, tool, without } from '@capstan/core'
import { afterEach, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { fakeClock } from './fake-clock.js'
import { reply } from './script.js'
import { scriptedModel } from './scripted-model.js'

afterEach(() => {
  vi.useRealTimers()
})

/** Returns a model and an agent whose tool does this work. Its limit is one minute. */
const agentOf = (work: (signal: AbortSignal) => unknown) => {
  const wait = tool({
    name: 'wait',
    description: 'Waits',
    parameters: z.object({}),
    execute: async (_args, { signal }) => {
      await work(signal)
      return 'waited'
    },
  })
  const model = scriptedModel([reply.call('wait'), reply.text('Done.')])
  return {
    model,
    agent: new Agent({
      model,
      tools: [wait],
      limits: { seconds: 60 },
      middleware: [without('final-answer')],
    }),
  }
}

test('a run with a slow tool ends at its time limit, at once', async () => {
  // A timer on the system clock would never fire.
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] })
  const clock = fakeClock()
  const { agent, model } = agentOf(() => clock.advance(61_000))
  const result = await agent.run('Wait', { host: clock.host })
  expect(result).toMatchObject({ stopReason: 'limit', limit: 'seconds' })
  // A fifth of the time is reserved for the final answer.
  expect(result.usage.seconds).toBe(48)
  expect(model.requests).toHaveLength(1)
  expect(clock.waiting).toBe(0)
})

test('a run below its time limit continues', async () => {
  const clock = fakeClock()
  const { agent } = agentOf(() => clock.advance(30_000))
  const result = await agent.run('Wait', { host: clock.host })
  expect(result).toMatchObject({ stopReason: 'done', usage: { seconds: 30 } })
})

test('a tool that never ends is cut off at the time limit of the run', async () => {
  const clock = fakeClock()
  const begun = deferred()
  const { agent } = agentOf(
    (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
        begun.resolve()
      }),
  )
  const run = agent.run('Wait', { host: clock.host })
  await begun.promise
  await clock.advance(47_999)
  expect(clock.waiting).toBe(1)
  await clock.advance(1)
  const result = await run
  expect(result).toMatchObject({ stopReason: 'limit', limit: 'seconds' })
  expect(result.toolCalls).toMatchObject([{ status: 'cut_off' }])
  expect(clock.waiting).toBe(0)
})

test('a model that does not reply is cut off at the time limit, and by stepTimeoutMs', async () => {
  const clock = fakeClock()
  const asked = deferred()
  const model = scriptedModel([
    () => {
      asked.resolve()
      return new Promise<never>(() => {})
    },
  ])
  const run = new Agent({ model, stepTimeoutMs: 5000 }).run('Hi', { host: clock.host })
  const failure = expect(run).rejects.toMatchObject({ code: 'timeout' })
  await asked.promise
  await clock.advance(5000)
  await failure
})

test('the request of a model does not contain the clock', async () => {
  const clock = fakeClock()
  const model = scriptedModel([reply.text('Hi')])
  await new Agent({ model }).run('Hi', { host: clock.host })
  expect(Object.keys(model.requests[0] ?? {})).not.toContain('clock')
})

test('sleeps end when the clock passes them, in the order of their times', async () => {
  const clock = fakeClock({ now: 1000 })
  const seen: [string, number][] = []
  const sleep = (name: string, ms: number) => clock.sleep(ms).then(() => seen.push([name, clock.now]))
  const all = Promise.all([sleep('b', 20), sleep('a', 10).then(() => sleep('c', 15)), sleep('d', 100)])
  await clock.advance(9)
  expect(seen).toEqual([])
  await clock.advance(41)
  expect(seen).toEqual([
    ['a', 1010],
    ['b', 1020],
    ['c', 1025],
  ])
  expect([clock.now, clock.waiting]).toEqual([1050, 1])
  await clock.advance(50)
  await all
})

test('with auto a sleep advances the clock', async () => {
  const clock = fakeClock({ now: 0, auto: true })
  await clock.sleep(60_000)
  await clock.sleep(5)
  expect([clock.now, clock.waiting]).toEqual([60_005, 0])
})

test('with auto an aborted sleep stops the clock', async () => {
  const clock = fakeClock({ auto: true })
  const begun = clock.now
  const { agent } = agentOf((signal) => clock.sleep(61_000, signal))
  const result = await agent.run('Wait', { host: clock.host })
  expect(result).toMatchObject({ limit: 'seconds', usage: { seconds: 48 } })
  await new Promise((resolve) => setTimeout(resolve, 0))
  expect([clock.now - begun, clock.waiting]).toEqual([48_000, 0])
})

test('an abort ends a sleep', async () => {
  const clock = fakeClock()
  const controller = new AbortController()
  const sleep = clock.sleep(10, controller.signal)
  controller.abort(new Error('enough'))
  await expect(sleep).rejects.toThrow('enough')
  expect(clock.waiting).toBe(0)
  await expect(clock.sleep(10, controller.signal)).rejects.toThrow('enough')
})

test('works with fake timers of the test, and never goes backwards', async () => {
  vi.useFakeTimers()
  const clock = fakeClock({ now: 0 })
  const sleep = clock.sleep(10)
  await clock.advance(10)
  await sleep
  await expect(clock.advance(-1)).rejects.toMatchObject({ code: 'invalid_request' })
  expect(clock.now).toBe(10)
})

function deferred() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
