// Tools of the AI SDK in an agent, and a tool of Capstan in the AI SDK.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { Agent, tool } from '@capstan/core'
import { fromAiSdkTools, toAiSdkTools } from '@capstan/tools/frameworks'
import * as ai from 'ai'
import * as z from 'zod'

const theirs = {
  get_tide: ai.tool({
    description: 'The next high tide of a harbour',
    inputSchema: z.object({ harbour: z.string() }),
    execute: async ({ harbour }) => ({ harbour, high: '16:37' }),
  }),
  close_harbour: ai.tool({
    description: 'Closes a harbour to ships',
    inputSchema: z.object({ harbour: z.string() }),
    needsApproval: true,
    execute: async ({ harbour }) => `${harbour} is closed.`,
  }),
}

const agent = new Agent({ model: 'planner', tools: fromAiSdkTools(theirs) })
const { toolCalls, pending, state } = await agent.run(
  'Get the tide of the harbour "Bergen", then close the harbour "Bergen".',
)
for (const call of toolCalls)
  if (!call.dynamic && call.name === 'get_tide' && call.status === 'ok') console.log(call.result.high)

for (const { callId, name } of pending ?? []) {
  console.log(`${name} waits for an approval`)
  const { text } = await agent.run(state, { decisions: { [callId]: { type: 'approve' } } })
  console.log(text)
}

// And the reverse: a Capstan tool in the AI SDK.
const add = tool({
  name: 'add',
  description: 'Adds two numbers',
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
})
const { OPENAI_BASE_URL: baseURL = '', OPENAI_API_KEY: apiKey = '' } = process.env
const provider = createOpenAICompatible({ name: 'local', baseURL, apiKey })
const { text } = await ai.generateText({
  model: provider('planner'),
  tools: toAiSdkTools([add]),
  prompt: 'Add 19 and 23.',
  stopWhen: ai.stepCountIs(3),
})
console.log(text)
