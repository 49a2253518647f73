import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { memoryArtifacts } from '../artifacts/memory-artifacts.js'
import type { ChildRunner, HostContext, HostStep, StepContext } from '../types/host.js'
import type { RunState } from '../types/state.js'
import { createState } from './input.js'
import { memoryHost } from './memory-host.js'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

const bound = (given: Partial<HostContext> = {}): HostContext => ({
  runId: 'run-1',
  agents: new Map(),
  context: undefined,
  signal: new AbortController().signal,
  emit: undefined,
  artifacts: memoryArtifacts(),
  ...given,
})

const step = <T>(key: string, run: (context: StepContext) => Promise<T>): HostStep<T> => ({ key, run })

test('a step runs once, with the key of its run and its signal', async () => {
  const seen: StepContext[] = []
  const binding = bound()
  const one = step('step0/call1', async (context) => seen.push(context))
  expect(await memoryHost(binding).step(one)).toBe(1)
  expect(seen).toEqual([{ idempotencyKey: 'run-1/step0/call1', signal: binding.signal }])
  expect(seen[0]?.signal).toBe(binding.signal)
})

test('a step that fails, at once or later, is a rejection', async () => {
  const host = memoryHost(bound())
  const broken = new Error('broken')
  const atOnce = step('a', () => {
    throw broken
  })
  await expect(host.step(atOnce)).rejects.toBe(broken)
  await expect(host.step(step('b', () => Promise.reject(broken)))).rejects.toBe(broken)
})

test('all steps start in order, go on side by side, and are waited for, failures included', async () => {
  const order: string[] = []
  const later = (key: string, turns: number) =>
    step(key, async () => {
      order.push(`${key} starts`)
      for (let turn = 0; turn < turns; turn++) await Promise.resolve()
      order.push(`${key} ends`)
      return key
    })
  const broken = new Error('broken')
  const failing = step('b', () => {
    throw broken
  })
  expect(await memoryHost(bound()).all([later('a', 9), failing, later('c', 1)])).toEqual([
    { ok: true, value: 'a' },
    { ok: false, error: broken },
    { ok: true, value: 'c' },
  ])
  expect(order).toEqual(['a starts', 'c starts', 'c ends', 'a ends'])
  expect(await memoryHost(bound()).all([])).toEqual([])
})

const state = createState('Hello', {
  agent: 'child',
  definitionHash: '',
  runId: 'run-1/step0/call0',
  limits: { steps: 1 },
})
const settle = ({ stopReason }: RunState) => `it is ${stopReason}`

test('a child goes on from its state, under its own run and with what the parent has', async () => {
  const calls: [RunState, HostContext][] = []
  const child: ChildRunner = {
    name: 'child',
    start: () => state,
    async proceed(given, binding) {
      calls.push([given, binding])
      return { ...given, stopReason: 'done' }
    },
  }
  const binding = bound({ agents: new Map([['child', child]]), context: { user: 'Ada' } })
  const value = await memoryHost(binding).step({
    key: 'step0/call0',
    child: { agent: 'child', state, callId: 'c' },
    settle,
  })
  expect(value).toBe('it is done')
  expect(calls).toEqual([[state, { ...binding, runId: 'run-1/step0/call0' }]])
})

test('a child that nobody knows is an error that names it', async () => {
  const unknown = memoryHost(bound()).step({
    key: 'k',
    child: { agent: 'stranger', state, callId: 'c' },
    settle,
  })
  await expect(unknown).rejects.toMatchObject({
    code: 'not_found',
    message: 'This run has no agent "stranger".',
  })
})

test('sleep ends when its time is over, and lets go of the signal', async () => {
  const { signal } = new AbortController()
  const host = memoryHost(bound({ signal }))
  const sleeping = host.sleep('k', 5000)
  await vi.advanceTimersByTimeAsync(4999)
  expect(vi.getTimerCount()).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  await sleeping
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

test('an abort ends a sleep at once, with its reason, and none begins after it', async () => {
  const controller = new AbortController()
  const host = memoryHost(bound({ signal: controller.signal }))
  const sleeping = host.sleep('k', 5000)
  controller.abort('stop')
  await expect(sleeping).rejects.toBe('stop')
  await expect(host.sleep('k', 5000)).rejects.toBe('stop')
})

test('nothing comes from outside, ids are new each time, and retries are left to core', async () => {
  const host = memoryHost(bound())
  vi.setSystemTime(12345)
  expect(await host.waitFor('k')).toBeUndefined()
  expect(await host.now()).toBe(12345)
  expect(await host.id('k')).not.toBe(await host.id('k'))
  expect(host.retries).toBe('core')
})
