import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import { Agent, agentTool } from './index.js'
import { memoryHost } from './run/memory-host.js'
import { jsonSchema } from './tools/json-schema.js'
import { tool } from './tools/tool.js'
import type { CreateHost } from './types/host.js'

const parameters = jsonSchema({ type: 'object', properties: {} })
const ping = tool({ name: 'ping', description: 'Ping', parameters, execute: () => 'pong' })

test('a host says who runs the steps of agents within the run, at any depth', async () => {
  const seen: string[] = []
  const noting: CreateHost = (binding) => {
    const inner = memoryHost(binding)
    const note = (key: string, callId = '') => seen.push(`${binding.runId}/${key} ${callId}`.trim())
    return {
      ...inner,
      all: (steps) => {
        for (const step of steps) note(step.key, 'run' in step ? step.options?.callId : step.child.callId)
        return inner.all(steps)
      },
    }
  }
  const leaf = new Agent({
    name: 'leaf',
    model: scriptedModel([reply.call('ping', {}, { id: 'c3' }), reply.text('ok')]),
    tools: [ping],
  })
  const middle = new Agent({
    name: 'middle',
    model: scriptedModel([reply.call('leaf', { input: '?' }, { id: 'c2' }), reply.text('ok')]),
    tools: [agentTool(leaf)],
  })
  const top = new Agent({
    name: 'top',
    model: scriptedModel([reply.call('middle', { input: '?' }, { id: 'c1' }), reply.text('ok')]),
    tools: [agentTool(middle)],
  })
  await top.run('Go', { runId: 'r', host: (binding) => noting({ ...binding, hostWithin: noting }) })
  expect(seen).toEqual([
    'r/step0/call0 c1',
    'r/step0/child0 c1',
    'r/step0/child0/step0/call0 c2',
    'r/step0/child0/step0/child0 c2',
    'r/step0/child0/step0/child0/step0/call0 c3',
  ])
})
