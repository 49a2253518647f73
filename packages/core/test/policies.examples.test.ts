import { expect, test } from 'vitest'
import { named } from './call-context.js'
import { careful } from './policies.examples.js'
import { scriptedModel } from './scripted-model.js'

test('the policy of the page denies one tool and asks about another', async () => {
  const tools = ['delete_account', 'book'].map((name) => named(name, () => 'Done.'))
  const model = scriptedModel([[['delete_account'], ['book']], 'Done.'])
  const { stopReason, pending = [], toolCalls } = await careful(model, tools).run('Go.')
  expect(stopReason).toBe('pending')
  expect(pending.map(({ name, reason }) => `${name}: ${reason}`)).toEqual(['book: It changes data.'])
  expect(toolCalls.map(({ status }) => status)).toEqual(['denied'])
})
