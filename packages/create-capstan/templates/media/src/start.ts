// Asks the agent. Without OPENAI_API_KEY the local service replies: it plans by rules, paints from a vocabulary and speaks.
import { startService } from '@capstan/service'
import { agent } from './agent.js'

const service = process.env.OPENAI_API_KEY ? undefined : await startService()
// The chat model and the media tools read the same two variables.
if (service) Object.assign(process.env, { OPENAI_BASE_URL: service.baseURL, OPENAI_API_KEY: service.apiKey })
const input = process.argv[2] ?? 'Draw a red sailboat at sunset, then say "Here is your boat" aloud.'
const { text, toolCalls, artifacts } = await agent.run(input)
for (const { name, status } of toolCalls) console.log(name, status)
console.log(text)
for (const { id, mediaType, size } of artifacts) console.log(`output: ${id} ${mediaType}, ${size} bytes`)
await service?.close()
