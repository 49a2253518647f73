import { reply, scriptedModel } from '@capstan/testing'
import { expect, onTestFinished, test } from 'vitest'
import { several } from './skills.examples.js'
import { temporaryFolder } from './temporary-folder.js'

test('skills of several folders are one list', async () => {
  const before = process.cwd()
  const head = (name: string) => `---\nname: ${name}\ndescription: What ${name} does.\n---\n`
  process.chdir(
    temporaryFolder({
      'handbook/letters/SKILL.md': head('letters'),
      'node_modules/@tanstack/ai/skills/core/SKILL.md': head('core'),
      'node_modules/@tanstack/ai/skills/core/chat/SKILL.md': head('core/chat'),
    }),
  )
  onTestFinished(() => process.chdir(before))
  const model = scriptedModel([reply.call('find_skills', { query: 'letters' }), reply.text('Done.')])
  const { found, agent } = await several(model)
  expect(found.findings).toMatchObject([{ skill: 'chat', rule: 'name' }])
  const { toolCalls, state } = await agent.run('Write a letter.')
  expect(toolCalls).toMatchObject([{ content: '- letters: What letters does.' }])
  expect(state.taintedBy).toBe('find_skills')
})
