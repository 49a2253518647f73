import { Agent, agentTool, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { handlerOf, toRequest } from '../test/requests.js'

const circle: unknown[] = []
circle.push(circle)

/** Takes arguments that JSON cannot represent, and reports them as progress. */
const count = tool({
  name: 'count',
  description: 'Counts',
  parameters: z.object({ to: z.coerce.bigint() }),
  execute: async function* () {
    yield 10n
    yield circle
    yield new Uint8Array(2)
    yield {
      toJSON() {
        throw new Error('not me')
      },
    }
    return 'counted'
  },
})
const counting = () => [reply.call('count', { to: 3 }), reply.text('Done.')]
const user = { role: 'user', content: 'Count.' }

const outer = () => {
  const inner = new Agent({ name: 'inner', model: scriptedModel(counting()), tools: [count] })
  const ask = agentTool(inner, { name: 'ask', description: 'Asks' })
  return new Agent({
    name: 'helper',
    model: scriptedModel([reply.call('ask', { input: 'Go.' }), reply.text('Done.')]),
    tools: [ask],
  })
}
const single = () => new Agent({ name: 'helper', model: scriptedModel(counting()), tools: [count] })

const bodies: [string, object][] = [
  ['/runs', { input: 'Count.' }],
  ['/v1/chat/completions', { model: 'helper', messages: [user], stream: true }],
  ['/ui', { id: 'x', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Count.' }] }] }],
  [
    '/ag-ui',
    { threadId: 't', runId: 'r', state: {}, tools: [], context: [], messages: [{ id: 'm', ...user }] },
  ],
]

test.each(
  bodies.flatMap(([path, body]) => [
    [path, 'a tool', body, single] as const,
    [path, 'the tool of an agent within', body, outer] as const,
  ]),
)('%s tells a run to its end when %s reports what JSON cannot hold', async (path, _what, body, agent) => {
  const response = await handlerOf(agent())(toRequest(path, { body }))
  expect(response.status).toBe(200)
  const said = await response.text()
  expect(said).toContain('Done.')
  expect(said).not.toMatch(/RUN_ERROR|"type":"error"|event: error/)
})
