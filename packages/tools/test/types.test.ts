import { Agent, tool } from '@capstan/core'
import { checkTools, reply, scriptedModel } from '@capstan/testing'
import { expect, expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import { type FilePart, fileTools, shellTool } from '../src/files.js'
import { type FoundSkill, type SkillText, skills } from '../src/skills.js'
import { temporaryFolder } from './temporary-folder.js'

test('results of the tools are typed by their names, beside those of others', async () => {
  const folder = temporaryFolder({ 'a/SKILL.md': '---\ndescription: A.\n---\nBody' })
  const { middleware } = await skills(folder)
  const add = tool({
    name: 'add',
    description: 'Adds',
    parameters: z.object({ a: z.number(), b: z.number() }),
    execute: ({ a, b }) => a + b,
  })
  const model = scriptedModel([reply.call('read_skill', { name: 'a' }), reply.text('Done.')])
  const agent = new Agent({ model, tools: [add, ...fileTools(folder)], middleware: [middleware] })
  const { toolCalls } = await agent.run('Read.')
  expect(toolCalls).toHaveLength(1)
  for (const call of toolCalls) {
    if (call.dynamic || call.status !== 'ok') continue
    if (call.name === 'add') expectTypeOf(call.result).toEqualTypeOf<number>()
    if (call.name === 'find_skills') expectTypeOf(call.result).toEqualTypeOf<readonly FoundSkill[]>()
    if (call.name === 'read_skill' && 'text' in call.result) expectTypeOf(call.result).toExtend<SkillText>()
    if (call.name === 'read_file' && 'text' in call.result) expectTypeOf(call.result).toExtend<FilePart>()
  }
})

test('there is nothing to say of the tools', async () => {
  const folder = temporaryFolder({ 'a/SKILL.md': '---\ndescription: A.\n---\nBody' })
  const { middleware } = await skills(folder, { untrusted: true })
  const tools = [...fileTools(folder), shellTool({ cwd: folder }), ...middleware.tools]
  expect(tools.map(({ name }) => name)).toHaveLength(8)
  expect(checkTools(tools).findings).toEqual([])
})
