import type { RunState } from '@capstan/core'
import { expect, test } from 'vitest'
import { PendingRuns } from './pending-runs.js'

const pendingRun = (runId: string, callIds: readonly string[], size = 0) => ({
  agent: 'a',
  state: {
    runId,
    text: 'x'.repeat(size),
    pending: callIds.map((callId) => ({ callId })),
  } as unknown as RunState,
})

test('finds a run by call id and run id, for its owner only, until it is claimed', () => {
  const runs = new PendingRuns()
  const run = pendingRun('r1', ['c1', 'c2'])
  runs.add('ann', run)
  expect([runs.find('ann', 'c2'), runs.get('ann', 'r1')]).toEqual([run, run])
  expect([runs.find('bob', 'c2'), runs.get('bob', 'r1')]).toEqual([undefined, undefined])
  expect([runs.claim('bob', run), runs.claim('ann', run), runs.claim('ann', run)]).toEqual([
    false,
    true,
    false,
  ])
  expect([runs.find('ann', 'c1'), runs.get('ann', 'r1')]).toEqual([undefined, undefined])
})

test('a reused call id finds the newest run; the older one is found by run id', () => {
  const runs = new PendingRuns()
  const [older, newer] = [pendingRun('r1', ['c']), pendingRun('r2', ['c'])]
  runs.add('ann', older)
  runs.add('ann', newer)
  expect([runs.find('ann', 'c'), runs.get('ann', 'r1')]).toEqual([newer, older])
  runs.claim('ann', older)
  expect(runs.find('ann', 'c')).toBe(newer)
})

test('evicts the oldest runs beyond the limit, never the newest', () => {
  const runs = new PendingRuns(36_000)
  for (const id of ['r1', 'r2', 'r3']) runs.add('ann', pendingRun(id, [`c-${id}`], 1000))
  expect([runs.get('ann', 'r1'), runs.find('ann', 'c-r1')]).toEqual([undefined, undefined])
  expect(runs.find('ann', 'c-r2')).toBeDefined()
  runs.add('ann', pendingRun('r4', ['c-r4'], 10_000))
  expect(runs.get('ann', 'r4')).toBeDefined()
  expect(runs.get('ann', 'r3')).toBeUndefined()
})

test('pending runs of one user do not evict those of another', () => {
  const runs = new PendingRuns(80_000)
  runs.add('ann', pendingRun('r0', ['c'], 1000))
  for (let at = 0; at < 100; at++) runs.add('bob', pendingRun(`r${at}`, [`c${at}`], 1000))
  expect(runs.get('ann', 'r0')).toBeDefined()
})
