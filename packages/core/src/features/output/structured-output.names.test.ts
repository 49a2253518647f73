import { expect, test } from 'vitest'
import { named } from '../../../test/call-context.js'
import { scriptedModel } from '../../../test/scripted-model.js'
import { Agent } from '../../index.js'
import { jsonSchema } from '../../tools/json-schema.js'
import { handoff } from '../agents/handoff.js'

const taken = named('final_answer', () => ({ sum: 'none' }))
const output = jsonSchema({ type: 'object', properties: { sum: { type: 'number' } } })
const message = 'Tool name "final_answer" is reserved'

test('a tool of the run may not have the name of the final answer', async () => {
  const agent = new Agent({ model: scriptedModel([[['final_answer']]]), output })
  await expect(agent.run('Go.', { tools: [taken] })).rejects.toThrow(message)
})

test('a tool of an agent that takes over may not have the name of the final answer', async () => {
  const next = new Agent({ name: 'next', model: scriptedModel([[['final_answer']]]), tools: [taken] })
  const first = new Agent({
    model: scriptedModel([[['transfer_to_next']]]),
    tools: [handoff(next)],
    output,
  })
  await expect(first.run('Go.')).rejects.toThrow(message)
})
