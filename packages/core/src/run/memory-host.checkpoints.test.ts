import { expect, test } from 'vitest'
import { callsTo, stateOf } from '../../test/run-of.js'
import { memoryArtifacts } from '../artifacts/memory-artifacts.js'
import type { CreateHost, RunHost } from '../types/host.js'
import type { RunState } from '../types/state.js'
import { memoryHost, toCheckpoint, withCheckpoints } from './memory-host.js'

const binding = {
  runId: 'run-1',
  agents: new Map(),
  context: undefined,
  signal: new AbortController().signal,
  emit: undefined,
  artifacts: memoryArtifacts(),
}
const step = (key: string, run: () => Promise<string>) => ({ key, run })

test('without anything to call there is nothing to wait for', () => {
  expect(toCheckpoint([])).toBeUndefined()
  expect(toCheckpoint([undefined, undefined])).toBeUndefined()
  expect(withCheckpoints(memoryHost, stateOf([]), undefined)).toBe(memoryHost)
})

test('all are called, one after another, each waited for', async () => {
  const order: string[] = []
  const save = toCheckpoint([
    async () => {
      order.push('first begins')
      await null
      order.push('first ends')
    },
    undefined,
    () => void order.push('second'),
  ])
  await save?.(stateOf([]))
  expect(order).toEqual(['first begins', 'first ends', 'second'])
})

test('what is handed over does not change when the run goes on', async () => {
  const saved: RunState[] = []
  const state = stateOf(callsTo('f'), { flags: { finalReplies: 1 }, kept: { mine: 1 } })
  const save = toCheckpoint([(given) => void saved.push(given), (given) => void saved.push(given)])
  await save?.(state)
  const before = structuredClone(state)
  state.messages.push({ role: 'user', content: 'more' })
  state.results[0] = { status: 'ok', content: '', ms: 0 }
  state.pending.push({ callId: 'a', name: 'f', arguments: {}, kind: 'result' })
  state.flags.finalReplies = 2
  state.kept.mine = 2
  state.stepCount = 9
  expect(saved).toEqual([before, before])
  expect(saved[0]).not.toBe(saved[1])
  expect(saved[0]?.messages[1]).toBe(state.messages[1])
})

test('the state is saved before each step, each turn of calls and each wait', async () => {
  const order: string[] = []
  const say = (text: string) => async () => {
    order.push(text)
    return text
  }
  const host = withCheckpoints(
    memoryHost,
    stateOf([]),
    say('saved') as never,
  )({
    ...binding,
    decided: say('decided') as never,
  })
  expect(await host.step(step('step0/request', say('asked')))).toBe('asked')
  await host.all([step('step0/call0', say('one')), step('step0/call1', say('other'))])
  const call = { callId: 'a', name: 'f', arguments: {}, kind: 'approval' as const }
  expect(await host.waitFor('step0/decision0', { call })).toBe('decided')
  expect(order).toEqual(['saved', 'asked', 'saved', 'one', 'other', 'saved', 'decided'])
})

test('the state of that moment is saved', async () => {
  const turns: number[] = []
  const state = stateOf([], { stepCount: 1 })
  const host = withCheckpoints(memoryHost, state, ({ stepCount }) => void turns.push(stepCount))(binding)
  await host.step(step('a', async () => ''))
  state.stepCount = 2
  await host.step(step('b', async () => ''))
  expect(turns).toEqual([1, 2])
})

test('where the state cannot be saved, nothing goes on', async () => {
  const fail = async () => {
    throw new Error('the disk is full')
  }
  const host = withCheckpoints(memoryHost, stateOf([]), fail)(binding)
  const never = async () => expect.unreachable()
  await expect(host.step(step('a', never))).rejects.toThrow('the disk is full')
  await expect(host.all([step('a', never)])).rejects.toThrow('the disk is full')
  await expect(host.waitFor('a')).rejects.toThrow('the disk is full')
})

test('the rest is left to the host, and nothing is saved for it', async () => {
  const seen: unknown[] = []
  const inner: CreateHost = (given) => ({
    ...memoryHost(given),
    now: async () => 7,
    id: async (key) => `id of ${key}`,
    sleep: async (...args) => void seen.push(args),
    retries: 'host',
  })
  const never = () => expect.unreachable('nothing is saved here')
  const host: RunHost = withCheckpoints(inner, stateOf([]), never)(binding)
  expect(host.retries).toBe('host')
  expect(await host.now()).toBe(7)
  expect(await host.id('k')).toBe('id of k')
  await host.sleep('k', 3)
  expect(seen).toEqual([['k', 3]])
})
