import { expect, test } from 'vitest'
import { Agent, type AnyTool, jsonSchema, type RunEvent, type RunOptions, tool } from '../../src/index.js'
import { eventTree } from './event-tree.js'
import { call, calls } from './scenario.js'
import { type Line, startStrictServer } from './strict-server.js'
import { toolbox } from './toolbox.js'

const count = tool({
  name: 'count',
  description: 'Reports its progress',
  parameters: jsonSchema({ type: 'object' }),
  async *execute() {
    yield 1
    yield 2
    return 'counted'
  },
})

async function treeOf(script: readonly Line[], options: RunOptions = {}): Promise<string> {
  await using server = await startStrictServer(script)
  const tools: readonly AnyTool[] = [...toolbox().tools, count]
  const agent = new Agent({ model: server.model, tools })
  const events: RunEvent[] = []
  const run = agent.stream('Go.', { ...options, wait: true })
  run.on('call-pending', ({ callId }) => void run.decide(callId, { type: 'approve' }))
  for await (const event of run) events.push(event)
  return eventTree(events)
}

test('the events of a run without calls', async () => {
  expect(await treeOf([{ text: 'All is well today.' }])).toMatchInlineSnapshot(`
    "run-start
      step-start
        text-delta
        message-added: assistant
      step-end
    run-end: done"
  `)
})

test('the events of two parallel calls', async () => {
  const script = [calls(call('search', { q: 'a' }), call('count')), { text: 'Done.' }]
  expect(await treeOf(script)).toMatchInlineSnapshot(`
    "run-start
      step-start
        call-delta search
        call-delta count
        message-added: assistant
        call-ready search
        call-ready count
        tool-start search
        tool-start count
        tool-end search: ok
          tool-progress count
          tool-progress count
        tool-end count: ok
        message-added: tool
        message-added: tool
      step-end
      step-start
        text-delta
        message-added: assistant
      step-end
    run-end: done"
  `)
})

test('the events of a call that is approved while the run waits', async () => {
  const script = [calls(call('save'), call('send', { to: 'Ada' })), { text: 'Done.' }]
  expect(await treeOf(script)).toMatchInlineSnapshot(`
    "run-start
      step-start
        call-delta save
        call-delta send
        message-added: assistant
        call-ready save
        call-ready send
        tool-start save
        tool-end save: ok
        call-pending send
        tool-start send
        tool-end send: ok
        message-added: tool
        message-added: tool
      step-end
      step-start
        text-delta
        message-added: assistant
      step-end
    run-end: done"
  `)
})

test('the events of a run that a limit ends with a final answer', async () => {
  const script = [calls(call('search', { q: 'a' })), { text: 'So far.' }]
  expect(await treeOf(script, { limits: { steps: 1 } })).toMatchInlineSnapshot(`
    "run-start
      step-start
        call-delta search
        message-added: assistant
        call-ready search
        tool-start search
        tool-end search: ok
        message-added: tool
      step-end
      limit-reached: steps
      step-start
        text-delta
        message-added: assistant
      step-end
    run-end: limit"
  `)
})
