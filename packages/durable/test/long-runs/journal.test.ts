// Runs whose history is shortened, and whose processes die.
import { describe, expect, test } from 'vitest'
import { isLong, some } from '../../../../scripts/cases.mjs'
import { slowTest } from '../../../../scripts/slow-test.mjs'
import type { FaultPoint } from '../../src/testing.js'
import { expectSame, type PageRun, runPages } from './page-runs.js'
import { type Asked, startPageServer } from './page-server.js'

const steps = 20
const window = 10_000

/** Where processes die: at a few points in `npm test`, otherwise at each step and each call. */
const few = /^step(3|5|6|11)\/request$|^step(4|9)\/call0$/
const diesWhen = (when: FaultPoint['when']) => (point: FaultPoint) =>
  point.when === when && (isLong || few.test(point.key))

const given: readonly (readonly [string, Omit<PageRun, 'server'>, characters: number])[] = [
  ['summarizeHistory', { way: 'summarised' }, 2.5],
  ['summarizeHistory, with instructions that are computed', { way: 'computed' }, 4],
  ['contextTokens', { way: 'standard', contextTokens: window }, 2.5],
  ['a window that the server tells', { way: 'standard' }, 4],
  ['a window that the server tells, on a server that counts few tokens', { way: 'standard' }, 6],
]

describe.each(some(given, 4))('a run with %s', (_what, run, characters) => {
  const proves = async (more: Partial<PageRun>) => {
    await using server = await startPageServer({ steps, window, characters })
    const whole = await runPages('whole', { ...run, ...more, server })
    const countOf = (kind: Asked['kind']) => whole.asked.filter((one) => one.kind === kind).length
    expect(countOf('refused')).toBe(run.way === 'standard' && !run.contextTokens ? 1 : 0)
    expect(countOf('summary')).toBeGreaterThan(2)
    for (const when of ['before', 'kept'] as const)
      expectSame(await runPages(`dies ${when}`, { ...run, ...more, server }, diesWhen(when)), whole)
  }
  test('sends the same bytes from other processes, with approvals in between', () =>
    proves({ needsApproval: true }))
  slowTest('sends the same bytes from other processes', () => proves({}))
})
