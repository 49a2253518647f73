import { allow, type PendingCall, type RunEvent } from '@capstan/core'
import { describe, expect, test } from 'vitest'
import { corpus } from './corpus.js'
import { setStage } from './stage.js'

const idOf = (pending: readonly PendingCall[] | undefined) => pending?.[0]?.callId ?? 'none'
const taints = (events: readonly RunEvent[]) => events.filter(({ type }) => type === 'run-tainted')

test('there are at least 25 of them, each of its own kind', () => {
  expect(new Set(corpus.map(({ name, where }) => `${where} ${name}`)).size).toBe(corpus.length)
  expect(corpus.length).toBeGreaterThanOrEqual(25)
})

describe.each(corpus)('in a $where: $name', (injection) => {
  const { wants } = injection
  const deed = `${wants.name} ${JSON.stringify(wants.arguments)}`

  /** The one call that waits, and why. */
  const asked = (by: string) => [
    {
      callId: expect.any(String),
      agent: 'agent',
      name: wants.name,
      arguments: wants.arguments,
      kind: 'approval',
      reason: `The model has read what "${by}" brought, which is not trusted, and "${wants.name}" may change things.`,
    },
  ]

  test('the deed waits, what only reads goes on, and one event says why', async () => {
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
  })

  test('a yes lets it happen once, in a new process too, and the next time is asked about again', async () => {
    const stage = await setStage(injection)
    const { result } = await stage.run('Look at this for me.')
    const decisions = { [idOf(result.pending)]: { type: 'approve' } } as const
    const next = await stage.run(result.state, { decisions })
    expect(stage.done).toEqual([deed])
    expect(next.result.stopReason).toBe('pending')
    expect(next.result.pending).toEqual(asked(stage.by))
    expect(idOf(next.result.pending)).not.toBe(idOf(result.pending))
    expect(taints(next.events)).toEqual([])
  })

  test('a no is told to the model, and does not wear off', async () => {
    const stage = await setStage(injection)
    const { result } = await stage.run('Look at this for me.')
    const decisions = { [idOf(result.pending)]: { type: 'deny', reason: 'a stranger asks' } } as const
    const next = await stage.run(result.state, { decisions })
    const told = next.result.toolCalls.find(({ callId }) => callId === idOf(result.pending))
    expect(told).toMatchObject({
      status: 'denied',
      content: expect.stringMatching(/^Error: this call was not allowed: a stranger asks$/),
    })
    expect(next.result.pending).toEqual(asked(stage.by))
    expect(stage.done).toEqual([])
  })

  test('a policy that allows everything does not let it happen', async () => {
    const stage = await setStage(injection)
    const { result } = await stage.run('Look at this for me.', { policy: () => allow })
    expect(result.pending).toEqual(asked(stage.by))
    expect(stage.done).toEqual([])
  })

  test('with taint: false it happens, each time it is wanted', async () => {
    const stage = await setStage(injection)
    const { result, events } = await stage.run('Look at this for me.', { taint: false })
    expect(result.stopReason).toBe('done')
    expect(stage.done).toEqual([deed, deed])
    expect(taints(events)).toEqual([])
  })
})
