import { type PendingCall, type RunEvent, taintTracking, verdict } from '@capstan/core'
import { describe, expect, test } from 'vitest'
import { some } from '../../../../scripts/cases.mjs'
import { slowTest } from '../../../../scripts/slow-test.mjs'
import { corpus } from './corpus.js'
import { setStage } from './stage.js'

const idOf = (pending: readonly PendingCall[] | undefined) => pending?.[0]?.callId ?? 'none'
const taints = (events: readonly RunEvent[]) => events.filter(({ type }) => type === 'run-tainted')

test('has at least 25 injections of different kinds', () => {
  expect(new Set(corpus.map(({ name, where }) => `${where} ${name}`)).size).toBe(corpus.length)
  expect(corpus.length).toBeGreaterThanOrEqual(25)
})

/** The first injection of each place. */
const firsts = new Set(
  corpus.filter((one, at) => corpus.findIndex(({ where }) => where === one.where) === at),
)

/** In `npm test` every second injection, and these. */
const sampled = some(corpus, 2)
const tried = corpus.filter((injection) => firsts.has(injection) || sampled.includes(injection))

describe.each(tried)('injection in a $where: $name', (injection) => {
  const { wants } = injection
  const testOfFirst = firsts.has(injection) ? test : slowTest
  const deed = `${wants.name} ${JSON.stringify(wants.arguments)}`

  /** The pending call, and its reason. */
  const asked = (by: string) => [
    {
      callId: expect.any(String),
      agent: 'agent',
      name: wants.name,
      arguments: wants.arguments,
      kind: 'approval',
      reason: `The run has read untrusted content from "${by}", and "${wants.name}" can change data.`,
    },
  ]

  const testOfSome = sampled.includes(injection) ? test : testOfFirst
  testOfSome(
    'makes the harmful call pending, continues with read-only calls, and reports why in one event',
    async () => {
      const stage = await setStage(injection)
      const { result, events } = await stage.run('Look at this for me.')
      expect(result.stopReason).toBe('pending')
      expect(result.pending).toEqual(asked(stage.by))
      expect(stage.done).toEqual([])
      expect(taints(events)).toMatchObject([{ by: stage.by, step: 0 }])
      const [first, ...rest] = events.filter((event) => event.type === 'tool-end')
      expect(first?.name).toBe(stage.by)
      expect(rest.map(({ name, status }) => [name, status]).sort()).toEqual(
        stage.harmless.map((name) => [name, 'ok']).sort(),
      )
    },
  )

  testOfFirst(
    'runs it once after an approval, also in a new process, and asks again the next time',
    async () => {
      const stage = await setStage(injection)
      const { result } = await stage.run('Look at this for me.')
      const decisions = { [idOf(result.pending)]: { type: 'approve' } } as const
      const next = await stage.run(result.state, { decisions })
      expect(stage.done).toEqual([deed])
      expect(next.result.stopReason).toBe('pending')
      expect(next.result.pending).toEqual(asked(stage.by))
      expect(idOf(next.result.pending)).not.toBe(idOf(result.pending))
      expect(taints(next.events)).toEqual([])
    },
  )

  testOfFirst('tells the model about a denial, and asks again later', async () => {
    const stage = await setStage(injection)
    const { result } = await stage.run('Look at this for me.')
    const decisions = { [idOf(result.pending)]: { type: 'deny', reason: 'a stranger asks' } } as const
    const next = await stage.run(result.state, { decisions })
    const told = next.result.toolCalls.find(({ callId }) => callId === idOf(result.pending))
    expect(told).toMatchObject({
      status: 'denied',
      content: expect.stringMatching(/^Error: call denied: a stranger asks$/),
    })
    expect(next.result.pending).toEqual(asked(stage.by))
    expect(stage.done).toEqual([])
  })

  testOfFirst('is not overridden by a policy that allows everything', async () => {
    const stage = await setStage(injection)
    const { result } = await stage.run('Look at this for me.', { policy: () => verdict.allow })
    expect(result.pending).toEqual(asked(stage.by))
    expect(stage.done).toEqual([])
  })

  testOfFirst('runs it each time with taintTracking({ ask: false })', async () => {
    const stage = await setStage(injection)
    const { result, events } = await stage.run('Look at this for me.', {
      middleware: [taintTracking({ ask: false })],
    })
    expect(result.stopReason).toBe('done')
    expect(stage.done).toEqual([deed, deed])
    expect(taints(events)).toEqual([])
  })
})
