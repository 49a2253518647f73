import { memoryArtifacts } from '@capstan/core'
import { startService } from '@capstan/service'
import { reply, scriptedModel } from '@capstan/testing'
import '@capstan/testing/vitest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { agent } from '../src/agent.js'

// The images are painted for real, by the local service. Only the replies of the model are written here.
let service: Awaited<ReturnType<typeof startService>>
beforeAll(async () => {
  service = await startService()
  Object.assign(process.env, { OPENAI_BASE_URL: service.baseURL, OPENAI_API_KEY: service.apiKey })
})
afterAll(() => service.close())

test('draws what it is asked for', async () => {
  const model = scriptedModel([
    reply.call('generate_image', { prompt: 'a red sailboat', size: '256x256' }),
    reply.text('Here it is.'),
  ])
  const result = await agent.run('Draw a red sailboat.', { model, artifacts: memoryArtifacts() })
  expect(result).toHaveCalledTools(['generate_image'])
  expect(result).toHaveProducedImage({ width: 256 })
})
