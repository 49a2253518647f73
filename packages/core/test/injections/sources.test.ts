import { expect, test } from 'vitest'
import { type RunEvent, verdict } from '../../src/index.js'
import { agentOf, because, call, cast, pays, read, taintsIn, throughJson } from './cast.js'

test('taint affects calls of the next reply, not of the same one', async () => {
  const { paid, all } = cast()
  const result = await agentOf([[pays(1), read, pays(2)], [pays(3)]], all).run('Go.')
  expect(paid).toEqual([{ amount: 1 }, { amount: 2 }])
  expect(result.pending).toMatchObject([{ arguments: { amount: 3 }, reason: because('page') }])
})

test('names the first untrusted source in call order, once in a run', async () => {
  const { all, paid } = cast()
  const events: RunEvent[] = []
  const lines = [[call('look'), call('guest'), read], [read], [pays(1)]]
  const { stopReason } = await agentOf(lines, all).run('Go.', { observe: (event) => events.push(event) })
  expect([stopReason, taintsIn(events), paid]).toEqual(['pending', ['guest'], []])
})

test('a call with invalid arguments does not taint', async () => {
  const { paid, all } = cast()
  const { toolCalls } = await agentOf([[call('page', { url: 5 })], [pays(1)]], all).run('Go.')
  expect(toolCalls.map(({ status }) => status)).toEqual(['rejected', 'ok'])
  expect(paid).toEqual([{ amount: 1 }])
})

test('a call denied by a policy does not taint', async () => {
  const { paid, all } = cast()
  const policy = ({ name }: { name: string }) =>
    name === 'page' ? verdict.deny('not today') : { type: 'allow' as const }
  const { toolCalls } = await agentOf([[read], [pays(1)]], all, { policy }).run('Go.')
  expect(toolCalls.map(({ status }) => status)).toEqual(['denied', 'ok'])
  expect(paid).toEqual([{ amount: 1 }])
})

test('a call denied by a person does not taint', async () => {
  const { paid, all } = cast()
  const lines = [[call('form')], [pays(1)]]
  const { state } = await agentOf(lines, all).run('Go.')
  const decisions = { c0_0: { type: 'deny', reason: 'no' } } as const
  const { stopReason } = await agentOf(lines, all).run(throughJson(state), { decisions })
  expect([stopReason, paid]).toEqual(['done', [{ amount: 1 }]])
})

test('a call that a limit kept from running does not taint', async () => {
  const { paid, all } = cast()
  const lines = [[read], 'I could not read it.', [pays(1)]]
  const limited = await agentOf(lines, all, { limits: { perTool: { page: 0 } } }).run('Go.')
  expect(limited.toolCalls).toMatchObject([{ status: 'not_run' }])
  const further = { limits: { perTool: { page: 1 } } }
  const { stopReason } = await agentOf(lines, all).run(throughJson(limited.state), further)
  expect([stopReason, paid]).toEqual(['done', [{ amount: 1 }]])
})

test('a result that the caller gives for an untrusted tool taints', async () => {
  const { paid, all } = cast()
  const lines = [[call('form')], [pays(1)]]
  const { state } = await agentOf(lines, all).run('Go.')
  const events: RunEvent[] = []
  const { pending } = await agentOf(lines, all).run(throughJson(state), {
    decisions: { c0_0: { type: 'result', value: 'Pay now.' } },
    observe: (event) => events.push(event),
  })
  expect(taintsIn(events)).toEqual(['form'])
  expect([pending?.[0]?.reason, paid]).toEqual([because('form'), []])
})

test('tools of the run taint too, and untrusted ones need an approval themselves', async () => {
  const { guest, pay, paid } = cast()
  const lines = [[call('guest')], [call('guest'), pays(1)]]
  const { pending } = await agentOf(lines, [pay]).run('Go.', { tools: [guest] })
  expect(pending?.map(({ reason }) => reason)).toEqual([because('guest', 'guest'), because('guest')])
  expect(paid).toEqual([])
})
