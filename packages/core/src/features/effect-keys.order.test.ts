import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { named } from '../../test/call-context.js'
import { createKeyScheduler } from './effect-keys.js'

const turns = () => new Promise(setImmediate)
const never = new AbortController().signal
/** Each call writes a different key, so only their order in the step matters. */
const tool = named('t', () => 1, { effects: String })

/** Joins the calls of a step. `run` records in `reached` which calls have started their attempts. */
function line(...names: readonly string[]) {
  const { join } = createKeyScheduler(8)
  const step = {}
  const reached: string[] = []
  const places = names.map((name) => ({ name, turn: join?.(tool, step) }))
  const run = async (index: number, signal = never) => {
    const { name = '', turn } = places[index] ?? {}
    const running = turn?.run({ arguments: name, signal }, async () => void reached.push(name))
    running?.catch(() => {})
    await turns()
    return running
  }
  const pass = async (index: number) => {
    places[index]?.turn?.pass()
    await turns()
  }
  return { reached, run, pass }
}

test('the first call does not wait, the others wait until all before them have begun', async () => {
  const { reached, run } = line('a', 'b', 'c')
  void run(2)
  void run(1)
  await turns()
  expect(reached).toEqual([])
  await run(0)
  await turns()
  expect(reached).toEqual(['a', 'b', 'c'])
})

test('a call that will not run lets the others continue, and a second pass has no effect', async () => {
  const { reached, run, pass } = line('a', 'b', 'c')
  void run(1)
  void run(2)
  await pass(0)
  await pass(0)
  await turns()
  expect(reached).toEqual(['b', 'c'])
})

test('an abort rejects the wait with its reason and keeps the place for later calls', async () => {
  const { reached, run, pass } = line('a', 'b', 'c')
  const controller = new AbortController()
  const waiting = run(1, controller.signal)
  controller.abort('stop')
  await expect(waiting).rejects.toBe('stop')
  void run(2)
  await pass(0)
  expect(reached).toEqual([])
  await pass(1)
  expect(reached).toEqual(['c'])
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
})

test('each step has its own order, and calls without a key have none', async () => {
  const { join } = createKeyScheduler(8)
  join?.(tool, {})
  const running = join?.(tool, {})?.run({ arguments: 'a', signal: never }, async () => 'ran')
  expect(await running).toBe('ran')
  expect(
    join?.(
      named('u', () => 1, { effects: 'read' }),
      {},
    ),
  ).toBeUndefined()
})
