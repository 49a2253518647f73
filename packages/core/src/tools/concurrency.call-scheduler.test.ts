import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { named } from '../../test/call-context.js'
import { createCallScheduler } from './concurrency.js'

const bounded = (concurrency?: number) => named('t', () => 1, concurrency ? { concurrency } : {})
const never = new AbortController().signal
const turns = () => new Promise(setImmediate)

/** Work that starts when a slot is free. The test sets its result and its end. */
function scene() {
  const running = new Map<string, { result(value?: string): void; end(): void }>()
  const started: string[] = []
  const work = (label: string) => () => {
    started.push(label)
    let result: (value?: string) => void = () => {}
    let end: () => void = () => {}
    const answered = new Promise<string>((resolve) => {
      result = (value = label) => resolve(value)
    })
    const settled = new Promise<void>((resolve) => {
      end = resolve
    })
    running.set(label, { result, end })
    return { result: answered, settled }
  }
  const finish = async (label: string) => {
    running.get(label)?.result()
    running.get(label)?.end()
    await turns()
  }
  return { started, running, work, finish }
}

test('limits concurrent calls of a run, and starts them in order', async () => {
  const slots = createCallScheduler(2)
  const { started, work, finish } = scene()
  const free = bounded()
  const all = Promise.all(['a', 'b', 'c', 'd'].map((label) => slots.take({ tool: free }, never, work(label))))
  await turns()
  expect(started).toEqual(['a', 'b'])
  await finish('b')
  expect(started).toEqual(['a', 'b', 'c'])
  for (const label of ['a', 'c', 'd']) await finish(label)
  expect(await all).toEqual(['a', 'b', 'c', 'd'])
})

test('the concurrency of a tool holds over all runs', async () => {
  const { started, work, finish } = scene()
  const single = bounded(1)
  const [one, other] = [createCallScheduler(8), createCallScheduler(8)]
  const all = [one.take({ tool: single }, never, work('a')), other.take({ tool: single }, never, work('b'))]
  const elsewhere = other.take({ tool: bounded(1) }, never, work('another tool'))
  await turns()
  expect(started).toEqual(['a', 'another tool'])
  await finish('a')
  expect(started).toEqual(['a', 'another tool', 'b'])
  await Promise.all([finish('b'), finish('another tool'), ...all, elsewhere])
})

test('a call that waits for its tool holds no slot of the run', async () => {
  const slots = createCallScheduler(2)
  const { started, work, finish } = scene()
  const single = bounded(1)
  const all = ['a', 'b', 'c'].map((label) => slots.take({ tool: single }, never, work(label)))
  all.push(slots.take({ tool: bounded() }, never, work('free')))
  await turns()
  expect(started).toEqual(['a', 'free'])
  for (const label of ['free', 'a', 'b', 'c']) await finish(label)
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'free'])
})

test('a slot is held until the work settles, even after its result', async () => {
  const slots = createCallScheduler(1)
  const { started, running, work, finish } = scene()
  const first = slots.take({ tool: bounded() }, never, work('a'))
  const second = slots.take({ tool: bounded() }, never, work('b'))
  await turns()
  running.get('a')?.result('early')
  expect(await first).toBe('early')
  await turns()
  expect(started).toEqual(['a'])
  running.get('a')?.end()
  await turns()
  expect(started).toEqual(['a', 'b'])
  await finish('b')
  await second
})

test('an abort cancels calls that wait for the run or the tool, not running ones', async () => {
  const slots = createCallScheduler(2)
  const { started, running, work, finish } = scene()
  const single = bounded(1)
  const controller = new AbortController()
  const going = slots.take({ tool: single }, controller.signal, work('going'))
  const forTool = slots.take({ tool: single }, controller.signal, work('for the tool'))
  const other = slots.take({ tool: bounded() }, never, work('other'))
  const forRun = slots.take({ tool: bounded(5) }, controller.signal, work('for the run'))
  const patient = slots.take({ tool: single }, never, work('patient'))
  await turns()
  controller.abort('stop')
  await expect(forTool).rejects.toBe('stop')
  await expect(forRun).rejects.toBe('stop')
  await turns()
  expect(started).toEqual(['going', 'other'])
  running.get('going')?.result('answered')
  expect(await going).toBe('answered')
  await finish('going')
  expect(started).toEqual(['going', 'other', 'patient'])
  await Promise.all([finish('other'), finish('patient'), other, patient])
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
})

test('a call that stops waiting for the run frees the slot of its tool', async () => {
  const slots = createCallScheduler(1)
  const { started, work, finish } = scene()
  const single = bounded(1)
  const controller = new AbortController()
  const going = slots.take({ tool: bounded() }, never, work('going'))
  const leaving = slots.take({ tool: single }, controller.signal, work('leaving'))
  const elsewhere = createCallScheduler(1).take({ tool: single }, never, work('elsewhere'))
  await turns()
  expect(started).toEqual(['going'])
  controller.abort('stop')
  await expect(leaving).rejects.toBe('stop')
  await turns()
  expect(started).toEqual(['going', 'elsewhere'])
  await Promise.all([finish('going'), finish('elsewhere'), going, elsewhere])
})

test('starts nothing after an abort', async () => {
  const start = () => expect.unreachable('there is nothing to start')
  const signal = AbortSignal.abort('early')
  await expect(createCallScheduler(1).take({ tool: bounded() }, signal, start)).rejects.toBe('early')
  await expect(createCallScheduler(1).take({ tool: bounded(1) }, signal, start)).rejects.toBe('early')
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

test('work that fails or throws at its start frees its slot', async () => {
  const slots = createCallScheduler(1)
  const single = bounded(1)
  const broken = new Error('broken')
  const failing = { result: Promise.reject(broken), settled: Promise.resolve() }
  await expect(slots.take({ tool: single }, never, () => failing)).rejects.toBe(broken)
  const cannotStart = () => {
    throw broken
  }
  await expect(slots.take({ tool: single }, never, cannotStart)).rejects.toBe(broken)
  const fine = { result: Promise.resolve('fine'), settled: Promise.resolve() }
  expect(await slots.take({ tool: single }, never, () => fine)).toBe('fine')
})
