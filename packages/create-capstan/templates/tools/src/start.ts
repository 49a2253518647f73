// Asks the agent. Without OPENAI_API_KEY the local service replies: it plans by rules, and is not a language model.
import { chatModel } from '@capstan/core'
import { startService } from '@capstan/service'
import { agent } from './agent.js'

const service = process.env.OPENAI_API_KEY ? undefined : await startService()
const { text, toolCalls } = await agent.run(process.argv[2] ?? 'Find order 7, then cancel order 7.', {
  ...(service && { model: chatModel('planner', service) }),
})
for (const { name, status, content } of toolCalls) console.log(name, status, content)
console.log(text)
await service?.close()
