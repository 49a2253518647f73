import { Agent } from '@capstan/core'
import { expect, test } from 'vitest'
import { mediaTools } from './media-tools.js'

// States contain the hash of the definitions: with a new text, stored runs could not be resumed.
test('tools keep the definitions that states and recordings contain', async () => {
  const tools = mediaTools({ client: { baseURL: 'http://127.0.0.1:9/v1', apiKey: 'key' } })
  const agent = new Agent({ model: 'any', tools })
  expect((await agent.prepare('.')).definitionHash).toBe('b2b4ab21fc48d28d')
})
