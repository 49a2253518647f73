// Six media tools in an agent: one tool returns an id, and the next tool uses it.
import '../local-service.js'
import { Agent } from '@capstan/core'
import { mediaTools } from '@capstan/media'

const agent = new Agent({ model: 'planner', tools: mediaTools() })
const { toolCalls } = await agent.run(
  'Draw a red sailboat at sunset, then add a moon to it, then say "Good night" aloud.',
)
for (const { name, content } of toolCalls) console.log(name, content)
