import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { runOf, stateOf } from '../../test/run-of.js'
import type { StepContext } from '../types/host.js'
import { noUsage } from '../usage.js'
import { countTime, withinTime } from './time-limit.js'

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
})
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

/** A run of limited time, whose host reads these times. */
const limited = (seconds: number, before: number, ...times: number[]) => {
  const state = stateOf([], { limits: { seconds }, usage: { ...noUsage, seconds: before } })
  return runOf([], state, {
    parts: { host: { ...runOf([]).parts.host, now: async () => times.shift() ?? 0 } },
  })
}

test('where time is not limited no clock is looked at', async () => {
  const never = { ...runOf([]).parts.host, now: async () => expect.unreachable() }
  const run = runOf([], undefined, { parts: { host: never } })
  await countTime(run)
  expect(run.state.usage).not.toHaveProperty('seconds')
})

test('time counts from the first look, on top of what was worked before', async () => {
  const run = limited(60, 7, 5000, 6500, 9000)
  await countTime(run)
  expect(run.usage).toEqual({ ...noUsage, seconds: 7 })
  await countTime(run)
  expect(run.usage).toEqual({ ...noUsage, seconds: 8.5 })
  await countTime(run)
  expect(run.usage).toEqual({ ...noUsage, seconds: 11 })
})

test('work ends a fifth before the time does, the final answer with it', async () => {
  const begin = Date.now()
  const run = limited(100, 10, begin)
  const step = { idempotencyKey: 'k', signal: new AbortController().signal }
  const ended = ({ signal }: StepContext) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve(Date.now() - begin)))
  // Before the first look the time has no beginning.
  expect(await withinTime(run, step, async ({ signal }) => signal.aborted)).toBe(false)
  await countTime(run)
  const ends = [false, true].map((isFinal) => withinTime(run, step, ended, { isFinal }))
  await vi.advanceTimersByTimeAsync(100_000)
  expect(await Promise.all(ends)).toEqual([70_000, 90_000])
})

interface Bounds {
  /** The milliseconds that the run has left. Default: its time is not limited. */
  readonly leftMs?: number
  readonly timeoutMs?: number
}

/** Runs work in a run with some time left. */
function within<T>(
  { leftMs, timeoutMs }: Bounds,
  step: StepContext,
  work: (step: StepContext) => Promise<T>,
) {
  const seconds = 100
  const state = stateOf([], { limits: leftMs === undefined ? {} : { seconds }, usage: noUsage })
  const clock = { startedAt: Date.now() + (leftMs ?? 0) - seconds * 1000, before: 0 }
  return withinTime({ state, clock }, step, work, { timeoutMs, isFinal: true })
}

/** Work that goes on until its signal aborts, and then fails with the reason. */
function started(bounds: Bounds, signal = new AbortController().signal) {
  let reason: unknown
  const step: StepContext = { idempotencyKey: 'run-1/step0/request', signal }
  const work = within(bounds, step, (timed) => {
    expect(timed.idempotencyKey).toBe(step.idempotencyKey)
    return new Promise((_, reject) =>
      timed.signal.addEventListener('abort', () => reject(timed.signal.reason)),
    )
  }).catch((error) => {
    reason = error
  })
  return { reason: () => reason, work }
}

test('work is cut when the time of the run is over', async () => {
  const { reason, work } = started({ leftMs: 500 })
  await vi.advanceTimersByTimeAsync(499)
  expect(reason()).toBeUndefined()
  await vi.advanceTimersByTimeAsync(1)
  expect(reason()).toMatchObject({ code: 'stopped', evidence: { limit: 'seconds' } })
  await work
})

test('time that is over already cuts at once', async () => {
  const { reason, work } = started({ leftMs: -5000 })
  await vi.advanceTimersByTimeAsync(1)
  expect(reason()).toMatchObject({ code: 'stopped' })
  await work
})

test('work is cut when the step takes too long', async () => {
  const { reason, work } = started({ timeoutMs: 300, leftMs: 500 })
  await vi.advanceTimersByTimeAsync(300)
  expect(reason()).toMatchObject({
    code: 'timeout',
    retryable: true,
    message: 'The step took longer than 300 ms (stepTimeoutMs).',
    evidence: { ms: 300 },
  })
  await work
})

test('what comes first counts', async () => {
  const { reason, work } = started({ timeoutMs: 300, leftMs: 200 })
  await vi.advanceTimersByTimeAsync(200)
  expect(reason()).toMatchObject({ code: 'stopped' })
  await work
})

test('an abort of the run cuts as before, and its signal is let go of', async () => {
  const controller = new AbortController()
  const { reason, work } = started({ timeoutMs: 300 }, controller.signal)
  controller.abort('stop')
  await work
  expect(reason()).toBe('stop')
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
})

test('a time that is very long is a time, not none', async () => {
  const { reason, work } = started({ leftMs: 2 ** 40 })
  await vi.advanceTimersByTimeAsync(1000)
  expect(reason()).toBeUndefined()
  await vi.advanceTimersByTimeAsync(2 ** 31)
  expect(reason()).toBeDefined()
  await work
})

test('work that is over in time leaves nothing behind, whether it went well or not', async () => {
  const { signal } = new AbortController()
  const step = { idempotencyKey: 'k', signal }
  const bounds = { timeoutMs: 100, leftMs: 100 }
  expect(await within(bounds, step, async () => 'done')).toBe('done')
  await expect(within(bounds, step, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

test('without bounds the step is worked on as it is', async () => {
  const step = { idempotencyKey: 'k', signal: new AbortController().signal }
  expect(await within({}, step, async (given) => given)).toBe(step)
})
