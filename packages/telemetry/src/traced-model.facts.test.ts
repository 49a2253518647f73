import { Agent, type ChatModel } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { afterEach, expect, test } from 'vitest'
import { collect } from '../test/collected.js'
import { telemetry } from './telemetry.js'

const collected = collect()
afterEach(() => collected.reset())

test('a traced model tells what the model is', async () => {
  const facts = { structuredOutput: true, hostedTools: true, vision: true, contextTokens: 8192 }
  let seen: ChatModel | undefined
  const agent = new Agent({
    model: { ...scriptedModel([reply.text('Hi.')]), ...facts },
    middleware: [
      {
        name: 'look',
        beforeModel({ model }) {
          seen = model
        },
      },
    ],
  })
  await agent.run('Hello.', telemetry())
  expect(seen).toMatchObject(facts)
})
