import { expect, test, vi } from 'vitest'
import { named } from '../../test/call-context.js'
import { createKeyScheduler } from './effect-keys.js'

const never = new AbortController().signal
const turns = () => new Promise(setImmediate)

/** Calls to a tool whose functions run until the test ends them. */
function scene(concurrency = 8, tool = named('t', () => 1)) {
  const slots = createKeyScheduler(concurrency)
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const take = (label: string, key?: string, answered = false) =>
    slots.take({ tool, key }, never, () => {
      started.push(label)
      const settled = new Promise<void>((resolve) => ends.set(label, resolve))
      return { result: answered ? Promise.resolve(label) : settled.then(() => label), settled }
    })
  const end = async (label: string) => {
    ends.get(label)?.()
    await turns()
  }
  return { take, started, end }
}

test('calls of one key run sequentially, in the order of arrival', async () => {
  const { take, started, end } = scene()
  const all = ['a', 'b', 'c'].map((label) => take(label, 'file'))
  await turns()
  expect(started).toEqual(['a'])
  await end('a')
  expect(started).toEqual(['a', 'b'])
  await end('b')
  await end('c')
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c'])
})

test('calls of other keys and without a key run in parallel', async () => {
  const { take, started, end } = scene()
  const all = [take('a', 'x'), take('b', 'x'), take('c', 'y'), take('d'), take('e', '')]
  await turns()
  expect(started).toEqual(['a', 'c', 'd', 'e'])
  for (const label of ['a', 'b', 'c', 'd', 'e']) await end(label)
  await Promise.all(all)
})

test('a call that waits for its key holds no slot', async () => {
  const { take, started, end } = scene(2)
  const all = [take('a', 'x'), take('b', 'x'), take('c', 'x'), take('free')]
  await turns()
  expect(started).toEqual(['a', 'free'])
  for (const label of ['a', 'b', 'c', 'free']) await end(label)
  await Promise.all(all)
})

test('a key stays taken until the function settles, even after its result', async () => {
  const { take, started, end } = scene()
  expect(await Promise.race([take('late', 'x', true), turns()])).toBe('late')
  const next = take('next', 'x')
  await turns()
  expect(started).toEqual(['late'])
  await end('late')
  expect(started).toEqual(['late', 'next'])
  const another = take('another', 'x')
  await turns()
  expect(started).toEqual(['late', 'next'])
  await end('next')
  await end('another')
  await Promise.all([next, another])
})

test('a key still serializes calls after it was free', async () => {
  const { take, started, end } = scene()
  for (let round = 0; round < 5; round++) {
    const calls = [take(`a${round}`, 'x'), take(`b${round}`, 'x')]
    await turns()
    expect(started).toEqual([`a${round}`])
    await end(`a${round}`)
    calls.push(take(`c${round}`, 'x'))
    await turns()
    expect(started).toEqual([`a${round}`, `b${round}`])
    await end(`b${round}`)
    await end(`c${round}`)
    await Promise.all(calls)
    started.length = 0
  }
})

test('calls of one key run sequentially in all runs', async () => {
  const { take, started, end } = scene()
  const other = scene()
  const all = [take('a', 'x'), other.take('b', 'x'), take('c', 'y'), other.take('d')]
  await turns()
  expect([...started, ...other.started]).toEqual(['a', 'c', 'd'])
  await end('a')
  expect(other.started).toEqual(['d', 'b'])
  await other.end('b')
  await end('c')
  await other.end('d')
  await Promise.all(all)
})

test('of two calls that wait for each other, the one that asks as it starts is told', async () => {
  const tool = named('t', () => 1)
  const take = (key: string, run: () => Promise<string>) =>
    createKeyScheduler(8).take({ tool, key }, never, () => {
      const result = run()
      return { result, settled: result.then(vi.fn(), vi.fn()) }
    })
  let end = () => {}
  const first = take('x', () => new Promise((resolve) => (end = () => resolve('first'))))
  // Requests the other key before its own function has returned a promise.
  const asking = take('x', () => take('y', async () => 'never').catch(({ message }) => message))
  const waiting = take('y', () => take('x', async () => 'written'))
  await turns()
  end()
  const told = expect.stringMatching(/^Did not run: the key "y" is locked by a call that waits for this one/)
  expect(await Promise.all([first, asking, waiting])).toEqual(['first', told, 'written'])
})
