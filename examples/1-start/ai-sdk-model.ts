// A model from an AI SDK provider package. Here it uses the local service.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { Agent, tool } from '@capstan/core'
import { aiSdkModel } from '@capstan/core/ai-sdk'
import * as z from 'zod'

const { OPENAI_BASE_URL: baseURL = '', OPENAI_API_KEY: apiKey = '' } = process.env
const provider = createOpenAICompatible({ name: 'local', baseURL, apiKey, includeUsage: true })

const add = tool({
  name: 'add',
  description: 'Adds two numbers',
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
})

const agent = new Agent({ model: aiSdkModel(provider('planner')), tools: [add] })
const { text, steps } = await agent.run('Add 19 and 23.')
console.log(text)
console.log(steps.map((step) => step.finishReason).join(', '))
