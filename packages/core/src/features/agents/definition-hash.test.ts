import { expect, test } from 'vitest'
import * as z from 'zod'
import { runOf } from '../../../test/run-of.js'
import { scriptedModel } from '../../../test/scripted-model.js'
import { Agent, agentTool } from '../../index.js'
import { toToolset } from '../../tools/tool.js'
import { readArtifact } from '../context/long-results.js'
import { structuredOutput } from '../output/structured-output.js'
import { handoff } from './handoff.js'

// States contain the hash of all definitions, and recordings contain the definitions: a changed text breaks both.
test('built-in tools keep the definitions that states and recordings contain', async () => {
  const model = scriptedModel(['.'])
  const clerk = new Agent({ name: 'clerk', model })
  const agent = new Agent({ name: 'desk', model, tools: [agentTool(clerk), handoff(clerk), readArtifact] })
  expect((await agent.prepare('.')).definitionHash).toBe('f6db9b2f4ee32cd7')
  const { tools } = structuredOutput().forAgent?.({ output: z.object({ city: z.string() }) }) ?? {}
  const run = runOf([])
  const { definitions } = toToolset(typeof tools === 'function' ? tools(run) : [])
  expect(definitions.map(({ function: { name, description } }) => [name, description])).toEqual([
    ['final_answer', 'Call this tool to give your final answer. Do not answer in plain text.'],
  ])
})
