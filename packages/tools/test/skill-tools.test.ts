import { Agent, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { deferred } from '../src/search.js'
import { skills } from '../src/skills.js'
import { temporaryFolder } from './temporary-folder.js'

test('a skill that was read reveals its tools, and allows none', async () => {
  const head = '---\ndescription: Mail.\nallowed-tools: send_mail(to:*)  none\n---\nWrite.'
  const { middleware } = await skills(temporaryFolder({ 'mail/SKILL.md': head }))
  const named = (name: string) =>
    tool({ name, description: name, needsApproval: true, parameters: z.object({}), execute: () => 'Sent.' })
  const model = scriptedModel([reply.call('read_skill', { name: 'mail' }), reply.call('send_mail', {})])
  const agent = new Agent({
    model,
    tools: [deferred([named('send_mail'), named('other')])],
    middleware: [middleware],
  })
  const { pending } = await agent.run('Write.')
  const offered = model.requests.map(({ tools = [] }) => tools.map((one) => one.function.name))
  expect(offered).toEqual([
    ['read_skill', 'find_tools'],
    ['read_skill', 'find_tools', 'send_mail'],
  ])
  expect(pending).toMatchObject([{ name: 'send_mail', kind: 'approval' }])
})
