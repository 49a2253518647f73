import type { RunState } from '@capstan/core'
import { expect, test } from 'vitest'
import { ParkedRuns } from './pending-runs.js'

const parked = (runId: string, callIds: readonly string[], size = 0) => ({
  agent: 'a',
  state: {
    runId,
    text: 'x'.repeat(size),
    pending: callIds.map((callId) => ({ callId })),
  } as unknown as RunState,
})

test('a run is found by its calls and by itself, by its owner alone, until it is taken', () => {
  const runs = new ParkedRuns()
  const run = parked('r1', ['c1', 'c2'])
  runs.park('ann', run)
  expect([runs.find('ann', 'c2'), runs.get('ann', 'r1')]).toEqual([run, run])
  expect([runs.find('bob', 'c2'), runs.get('bob', 'r1')]).toEqual([undefined, undefined])
  expect([runs.take('bob', run), runs.take('ann', run), runs.take('ann', run)]).toEqual([false, true, false])
  expect([runs.find('ann', 'c1'), runs.get('ann', 'r1')]).toEqual([undefined, undefined])
})

test("calls of one id are the newest run's; the older one is found by itself", () => {
  const runs = new ParkedRuns()
  const [older, newer] = [parked('r1', ['c']), parked('r2', ['c'])]
  runs.park('ann', older)
  runs.park('ann', newer)
  expect([runs.find('ann', 'c'), runs.get('ann', 'r1')]).toEqual([newer, older])
  runs.take('ann', older)
  expect(runs.find('ann', 'c')).toBe(newer)
})

test('the oldest give way when they take too much room, the newest never', () => {
  const runs = new ParkedRuns(36_000)
  for (const id of ['r1', 'r2', 'r3']) runs.park('ann', parked(id, [`c-${id}`], 1000))
  expect([runs.get('ann', 'r1'), runs.find('ann', 'c-r1')]).toEqual([undefined, undefined])
  expect(runs.find('ann', 'c-r2')).toBeDefined()
  runs.park('ann', parked('r4', ['c-r4'], 10_000))
  expect(runs.get('ann', 'r4')).toBeDefined()
  expect(runs.get('ann', 'r3')).toBeUndefined()
})

test("what one user parks does not drive out what is another's", () => {
  const runs = new ParkedRuns(80_000)
  runs.park('ann', parked('r0', ['c'], 1000))
  for (let at = 0; at < 100; at++) runs.park('bob', parked(`r${at}`, [`c${at}`], 1000))
  expect(runs.get('ann', 'r0')).toBeDefined()
})
