import { chatModel } from '@capstan/core'
import { startService } from '@capstan/service'
import { agent } from './agent.js'

const service = await startService()
const model = chatModel('planner', service)
const { text, toolCalls } = await agent.run('Find order 7, then cancel order 7.', { model })
for (const { name, status, content } of toolCalls) console.log(name, status, content)
console.log(text)
await service.close()
