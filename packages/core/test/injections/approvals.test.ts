import { expect, test } from 'vitest'
import {
  askOncePerTool,
  type Policy,
  type PolicyView,
  type RunEvent,
  tool,
  verdict,
} from '../../src/index.js'
import { agentOf, because, call, cast, pays, read, taintsIn, throughJson } from './cast.js'

const lines = [[read], [pays(1)], [pays(2)]]

test('neither a policy nor the tool can allow a call that taint tracking holds', async () => {
  const { page, pay, paid } = cast()
  const willing = tool({
    ...pay.definition.function,
    parameters: pay.parameters,
    needsApproval: () => false,
    execute: () => paid.push(1),
  })
  for (const policy of [() => verdict.allow, [() => verdict.allow, () => verdict.allow]]) {
    const { pending } = await agentOf(lines, [page, willing], { policy }).run('Go.')
    expect(pending).toMatchObject([{ kind: 'approval', reason: because('page') }])
  }
  expect(paid).toEqual([])
})

test('a policy sees the taint and may deny because of it', async () => {
  const { all } = cast()
  const views: PolicyView[] = []
  const policy: Policy = (_, view) => {
    views.push(view)
    return view.taintedBy === undefined ? verdict.allow : verdict.deny(`after ${view.taintedBy}`)
  }
  const { stopReason, toolCalls } = await agentOf([[read], [pays(1)]], all, { policy }).run('Go.')
  expect([stopReason, toolCalls[1]?.status]).toEqual(['done', 'denied'])
  expect(views.map(({ taintedBy }) => taintedBy)).toEqual([undefined, 'page'])
})

test('an approval holds for one call: the next call needs another', async () => {
  const { all, paid } = cast()
  const options = { policy: askOncePerTool() }
  const { state } = await agentOf(lines, all, options).run('Go.')
  const decisions = { c1_0: { type: 'approve' } } as const
  const { pending, state: later } = await agentOf(lines, all, options).run(throughJson(state), { decisions })
  expect(later.approved).toEqual(['pay'])
  expect(paid).toEqual([{ amount: 1 }])
  expect(pending).toMatchObject([{ callId: 'c2_0', reason: because('page') }])
})

test('a call that the caller answers is pending with the reason', async () => {
  const { all } = cast()
  const { pending } = await agentOf([[call('button')]], all).run('Go.')
  expect(pending?.[0]).toEqual({
    callId: 'c0_0',
    agent: 'agent',
    name: 'button',
    arguments: {},
    kind: 'result',
  })
  const tainted = await agentOf([[read], [call('button')]], all).run('Go.')
  expect(tainted.pending).toMatchObject([{ kind: 'result', reason: because('page', 'button') }])
})

test('a waiting streamed run requests each approval in place', async () => {
  const { all, paid } = cast()
  const run = agentOf(lines, all).stream('Go.', { wait: true })
  const asked: string[] = []
  run.on('call-pending', ({ callId, reason = '' }) => {
    asked.push(reason)
    const no = { type: 'deny', reason: 'no' } as const
    queueMicrotask(() => void run.decide(callId, asked.length === 1 ? { type: 'approve' } : no))
  })
  const events: RunEvent[] = []
  for await (const event of run) events.push(event)
  expect(asked).toEqual([because('page'), because('page')])
  expect(taintsIn(events)).toEqual(['page'])
  expect([(await run.result).stopReason, paid]).toEqual(['done', [{ amount: 1 }]])
})
