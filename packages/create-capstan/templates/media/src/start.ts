// Asks the agent. The local service paints from a vocabulary, and speaks.
import { agent } from './agent.js'
import { openModelServer } from './model-server.js'

// The chat model and the media tools read the same two variables.
const server = await openModelServer()
const input = process.argv[2] ?? 'Draw a red sailboat at sunset, then say "Here is your boat" aloud.'
const { text, toolCalls, artifacts } = await agent.run(input)
for (const { name, status } of toolCalls) console.log(name, status)
console.log(text)
for (const { id, mediaType, size } of artifacts) console.log(`output: ${id} ${mediaType}, ${size} bytes`)
await server.close()
