// The code of docs/tools/frameworks.md that needs packages of others.
import assert from 'node:assert/strict'
import { Agent } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { fromAgentsTools, fromLangchainTools, fromMastraTools } from '@capstan/tools/frameworks'
import { createTool } from '@mastra/core/tools'
import { tool as agentsTool } from '@openai/agents'
import { tool as langchainTool } from 'langchain'
import * as z from 'zod'

const model = scriptedModel([
  reply.calls(
    reply.call('list_ships', { harbour: 'Bergen' }),
    reply.call('book_berth', { harbour: 'Bergen' }),
    reply.call('pay_fee', { amount: 5 }),
    reply.call('pay_fee', { amount: 500 }),
  ),
  reply.text('Done.'),
])

// #region tools
const ships = langchainTool(({ harbour }) => [`2 ships in ${harbour}`, ['Anna', 'Bore']], {
  name: 'list_ships',
  description: 'Lists the ships in a harbour',
  schema: z.object({ harbour: z.string() }),
  responseFormat: 'content_and_artifact',
})
const book_berth = createTool({
  id: 'book-berth',
  description: 'Books a berth in a harbour',
  inputSchema: z.object({ harbour: z.string() }),
  execute: async ({ harbour }, { requestContext }) => `${harbour}, for ${requestContext.get('user')}`,
})
const pay = agentsTool({
  name: 'pay_fee',
  description: 'Pays the fee of a harbour',
  parameters: z.object({ amount: z.number() }),
  needsApproval: async (_run, { amount }) => amount > 100,
  execute: async ({ amount }) => `paid ${amount}`,
})

const agent = new Agent({
  model,
  tools: [...fromLangchainTools([ships]), ...fromMastraTools({ book_berth }), ...fromAgentsTools([pay])],
})
// #endregion
const { toolCalls, pending } = await agent.run('Go', { context: { user: 'ann' } })
assert.deepEqual(
  toolCalls.map(({ content }) => content),
  ['2 ships in Bergen', 'Bergen, for ann', 'paid 5'],
)
assert.deepEqual(
  pending?.map(({ arguments: args }) => args),
  [{ amount: 500 }],
)

const settled = [
  // #region settings
  ...fromLangchainTools([ships], {
    settings: ({ name }) => (name === 'list_ships' ? { effects: 'read', timeoutMs: 10_000 } : {}),
  }),
  // #endregion
]
assert.equal(settled[0]?.settings.effects, 'read')
