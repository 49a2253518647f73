import { expect, test } from 'vitest'
import { taintTracking, tool } from '../../src/index.js'
import { agentOf, cast, pays, read } from './cast.js'

const lines = [[read], [pays(5)], 'Done.']

test('the reason of a call that waits after untrusted text names what allows it', async () => {
  const { pending } = await agentOf(lines, cast().all).run('Go')
  expect(pending?.[0]?.reason).toMatch(
    /Approve it, or set effects: 'read' or taintTracking\(\{ ask: false \}\)\.$/,
  )
})

test('each of these allows it', async () => {
  const approved = cast()
  const agent = agentOf(lines, approved.all)
  const { state, pending } = await agent.run('Go')
  const decisions = { [pending?.[0]?.callId ?? '']: { type: 'approve' } } as const
  expect((await agent.run(state, { decisions })).stopReason).toBe('done')

  const marked = cast()
  const { definition, execute, parameters } = marked.pay
  const { description } = definition.function
  const pay = tool({
    name: 'pay',
    description,
    parameters,
    effects: 'read',
    execute: (args) => execute?.(args as never, undefined as never),
  })
  const tools = marked.all.map((one) => (one.name === 'pay' ? pay : one))
  expect((await agentOf(lines, tools).run('Go')).stopReason).toBe('done')

  const unasked = cast()
  const middleware = [taintTracking({ ask: false })]
  expect((await agentOf(lines, unasked.all, { middleware }).run('Go')).stopReason).toBe('done')
  expect([approved.paid, marked.paid, unasked.paid]).toEqual([
    [{ amount: 5 }],
    [{ amount: 5 }],
    [{ amount: 5 }],
  ])
})

test('a run that cannot request approvals tells the model the same', async () => {
  const { toolCalls } = await agentOf(lines, cast().all).run('Go', { unattended: true })
  expect(toolCalls[1]?.content).toMatch(
    /"pay" may change things\. Approve it, or set effects: 'read' or taintTracking.* This run cannot request approvals\.$/,
  )
})
