// Asks the agent.
import { agent } from './agent.js'
import { openModelServer } from './model-server.js'

const server = await openModelServer()
const { text, toolCalls } = await agent.run(process.argv[2] ?? 'Find the book "Emma".')
for (const { name, status, content } of toolCalls) console.log(name, status, content)
console.log(text)
await server.close()
