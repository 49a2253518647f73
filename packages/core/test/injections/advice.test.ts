import { expect, test } from 'vitest'
import { taintTracking, tool } from '../../src/index.js'
import { agentOf, cast, pays, read } from './cast.js'

const lines = [[read], [pays(5)], 'Done.']

test('an approval, `effects: read` and `taintTracking({ ask: false })` each allow a call after untrusted text', async () => {
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

test('the reason of a pending call is for people and models: it names the source, and no option', async () => {
  const why = 'The run has read untrusted content from "page", and "pay" can change data.'
  const { pending } = await agentOf(lines, cast().all).run('Go')
  expect(pending?.[0]?.reason).toBe(why)
  const { toolCalls } = await agentOf(lines, cast().all).run('Go', { unattended: true })
  expect(toolCalls[1]?.content).toBe(`Error: call denied: ${why} This run cannot request approvals.`)
})
