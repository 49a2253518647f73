import { expect, test } from 'vitest'
import { named } from '../../test/call-context.js'
import { callsTo, runOf, stateOf } from '../../test/run-of.js'
import type { EventBody } from '../types/event.js'
import type { RunHost } from '../types/host.js'
import type { Decision, PendingCall } from '../types/state.js'
import type { ContextParts } from './run-context.js'
import { applyDecisions } from './run-tools.js'

const ran: unknown[] = []
const send = named('send', (args) => {
  ran.push(args)
  return 'sent'
})
const waiting = (index: number): PendingCall => ({
  callId: `call_${index}`,
  name: 'send',
  arguments: {},
  kind: 'approval',
})

/** Decides on three calls of the fourth turn, of which the second and the third wait. */
async function decided(
  { decisions = {}, ...changes }: Partial<ContextParts> & { decisions?: Record<string, Decision> },
  fromOutside: Record<string, Decision> = {},
) {
  ran.length = 0
  const events: EventBody[] = []
  const keys: unknown[] = []
  const inner = runOf([send]).parts.host
  const host: RunHost = {
    ...inner,
    step: (step) => {
      keys.push(step.key)
      return inner.step(step)
    },
    all: (steps) => Promise.all(steps.map(async (step) => ({ ok: true, value: await host.step(step) }))),
    waitFor: async (key, options) => {
      keys.push(key)
      return fromOutside[options?.call?.callId ?? ''] as never
    },
  }
  const known = { status: 'ok', content: 'known', ms: 0 } as const
  const state = stateOf(callsTo('send', 'send', 'send'), {
    stepCount: 4,
    results: { 0: known },
    pending: [waiting(1), waiting(2)],
    decisions,
  })
  const emit = (event: EventBody) => void events.push(event)
  await applyDecisions(runOf([send], state, { parts: { host, emit, ...changes } }))
  const { results, pending } = state
  return { results, pending, events, keys }
}

test('what nobody decides goes on waiting, and is told first', async () => {
  const { results, pending, events, keys } = await decided({})
  expect(Object.keys(results)).toEqual(['0'])
  expect(pending).toEqual([waiting(1), waiting(2)])
  expect(events).toEqual([
    { type: 'call-pending', step: 3, ...waiting(1) },
    { type: 'call-pending', step: 3, ...waiting(2) },
  ])
  expect(keys).toEqual(['step3/decision1', 'step3/decision2'])
  expect(ran).toEqual([])
})

test('what the caller has decided is not told as waiting, and not asked for', async () => {
  const decisions: Record<string, Decision> = {
    call_1: { type: 'deny', reason: 'no' },
    call_2: { type: 'approve', arguments: { edited: true } },
  }
  const { results, pending, events, keys } = await decided({ decisions })
  expect(pending).toEqual([])
  expect(results).toMatchObject({
    0: { content: 'known' },
    1: { status: 'denied' },
    2: { status: 'ok', content: 'sent', approved: true, arguments: { edited: true } },
  })
  expect(ran).toEqual([{ edited: true }])
  expect(keys).toEqual(['step3/decided2'])
  expect(events.map(({ type }) => type)).toEqual(['tool-end', 'tool-start', 'tool-end'])
  expect(events[0]).toMatchObject({ callId: 'call_1', status: 'denied', step: 3 })
})

test('decisions may come from outside, for some of the calls', async () => {
  const { results, pending } = await decided({}, { call_2: { type: 'result', value: 7 } })
  expect(results[2]).toMatchObject({ status: 'ok', content: '7', result: 7 })
  expect(pending).toEqual([waiting(1)])
})

test('a decision from outside is checked as one of the caller is', async () => {
  await expect(decided({}, { call_1: { type: 'deny' } as Decision })).rejects.toThrow('needs a reason')
})

test('after an abort no call runs, whatever is decided', async () => {
  const decisions: Record<string, Decision> = { call_1: { type: 'approve' } }
  const { results, pending } = await decided({ decisions, signal: AbortSignal.abort() })
  expect(pending).toEqual([])
  expect(results).toMatchObject({ 1: { status: 'not_run' }, 2: { status: 'not_run' } })
  expect(ran).toEqual([])
})
