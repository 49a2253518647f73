import type { RunState } from '@capstan/core'
import { expect, test } from 'vitest'
import { ParkedRuns } from './parked-runs.js'

const parked = (runId: string, size = 0) => ({
  agent: 'a',
  state: { runId, text: 'x'.repeat(size) } as unknown as RunState,
})

test('a run is found by its calls and by itself, by its owner alone, until it is taken', () => {
  const runs = new ParkedRuns()
  const run = parked('r1')
  runs.park('ann', ['c1', 'c2'], run)
  expect([runs.find('ann', 'c2'), runs.get('ann', 'r1')]).toEqual([run, run])
  expect([runs.find('bob', 'c2'), runs.get('bob', 'r1')]).toEqual([undefined, undefined])
  runs.take(run)
  expect([runs.find('ann', 'c1'), runs.get('ann', 'r1')]).toEqual([undefined, undefined])
})

test("calls of one id are the newest run's; the older one is found by itself", () => {
  const runs = new ParkedRuns()
  const [older, newer] = [parked('r1'), parked('r2')]
  runs.park('ann', ['c'], older)
  runs.park('ann', ['c'], newer)
  expect([runs.find('ann', 'c'), runs.get('ann', 'r1')]).toEqual([newer, older])
  runs.take(older)
  expect(runs.find('ann', 'c')).toBe(newer)
})

test('the oldest give way when they take too much room, the newest never', () => {
  const runs = new ParkedRuns(20_000)
  for (const id of ['r1', 'r2', 'r3']) runs.park('ann', [`c-${id}`], parked(id, 1000))
  expect([runs.get('ann', 'r1'), runs.find('ann', 'c-r1')]).toEqual([undefined, undefined])
  expect(runs.find('ann', 'c-r2')).toBeDefined()
  runs.park('ann', ['c-r4'], parked('r4', 10_000))
  expect(runs.get('ann', 'r4')).toBeDefined()
  expect(runs.get('ann', 'r3')).toBeUndefined()
})

test("what one user parks does not drive out what is another's", () => {
  const runs = new ParkedRuns(80_000)
  runs.park('ann', ['c'], parked('r0', 1000))
  for (let at = 0; at < 100; at++) runs.park('bob', [`c${at}`], parked(`r${at}`, 1000))
  expect(runs.get('ann', 'r0')).toBeDefined()
})
