import { expect, test } from 'vitest'
import type { CreateHost, RunEvent, RunState } from '../../src/index.js'
import { taintTracking } from '../../src/index.js'
import { memoryHost } from '../../src/run/memory-host.js'
import { agentOf, because, cast, pays, read, taintsIn, throughJson } from './cast.js'

test('a new process needs an approval from any later state', async () => {
  const { all, paid } = cast()
  const lines = [[read], [pays(1)]]
  const kept: RunState[] = []
  await agentOf(lines, all, { onCheckpoint: (state) => void kept.push(throughJson(state)) }).run('Go.')
  const after = kept.filter(({ messages }) => messages.some(({ role }) => role === 'tool'))
  expect(after.length).toBeGreaterThanOrEqual(3)
  for (const state of after) {
    const { pending } = await agentOf(lines, all).run(throughJson(state))
    expect(pending).toMatchObject([{ reason: because('page') }])
  }
  expect(paid).toEqual([])
})

test('a limit and a resume keep the taint', async () => {
  const { all, paid } = cast()
  const lines = [[read], 'So far.', [pays(1)]]
  const limited = await agentOf(lines, all, { limits: { steps: 1 } }).run('Go.')
  expect(limited.stopReason).toBe('limit')
  const { pending } = await agentOf(lines, all).run(throughJson(limited.state), { limits: { steps: 9 } })
  expect([pending?.[0]?.reason, paid]).toEqual([because('page'), []])
})

test('the next run over the same conversation is tainted from its start', async () => {
  const { all, paid } = cast()
  const lines = [[read], 'It was a page.', [pays(1)]]
  const first = await agentOf(lines, all).run('Read it.')
  expect(first.stopReason).toBe('done')
  const events: RunEvent[] = []
  const { pending } = await agentOf(lines, all).run(
    throughJson([...first.messages, { role: 'user' as const, content: 'Thank you.' }]),
    { observe: (event) => events.push(event) },
  )
  expect(events.slice(0, 2)).toMatchObject([{ type: 'run-start' }, { type: 'run-tainted', by: 'page' }])
  expect(taintsIn(events)).toEqual(['page'])
  expect([pending?.[0]?.reason, paid]).toEqual([because('page'), []])
})

test('a conversation that ends in a call needs an approval for that call', async () => {
  const { all, paid } = cast()
  const lines = [[read], [pays(1)]]
  const { messages } = await agentOf(lines, all).run('Read it.')
  const { pending } = await agentOf(lines, all).run(throughJson(messages))
  expect([pending?.[0]?.reason, paid]).toEqual([because('page'), []])
})

test('a conversation is not tainted without untrusted text, nor with taint off', async () => {
  const { all, paid } = cast()
  const { messages } = await agentOf([[pays(1)], 'Paid.'], all).run('Pay.')
  const thanks = { role: 'user', content: 'Once more.' } as const
  await agentOf(['', '', [pays(2)]], all).run([...messages, thanks])
  const lines = [[read], 'It was a page.', [pays(3)]]
  const tainted = await agentOf(lines, all).run('Read it.')
  await agentOf(lines, all, { middleware: [taintTracking({ ask: false })] }).run([
    ...tainted.messages,
    thanks,
  ])
  expect(paid).toEqual([{ amount: 1 }, { amount: 2 }, { amount: 3 }])
})

test('a run aborted within a step keeps the taint of its results', async () => {
  const { all, paid } = cast()
  const stop = new AbortController()
  const dying: CreateHost = (binding) => {
    const host = memoryHost(binding)
    return {
      ...host,
      waitFor: async () => {
        stop.abort()
        throw new Error('The host is gone.')
      },
    }
  }
  const lines = [[read, { name: 'button', arguments: {} }], [pays(1)]]
  const { state, stopReason } = await agentOf(lines, all).run('Go.', { host: dying, signal: stop.signal })
  expect(stopReason).toBe('aborted')
  const { pending } = await agentOf(lines, all).run(throughJson(state))
  expect([pending?.[0]?.reason, paid]).toEqual([because('page'), []])
})
