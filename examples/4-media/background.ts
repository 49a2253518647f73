// Background calls: a run continues while an image is made. Results that arrive too late are in `undelivered`.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { Agent, backgroundCalls } from '@capstan/core'
import { generateImage } from '@capstan/media'

const agent = new Agent({
  model: 'planner',
  tools: [generateImage({ background: true })],
  middleware: [backgroundCalls()],
})
const run = agent.stream('Draw a cat.', { runId: 'cat' })
run.on('tool-end', ({ artifacts }) => console.log(`a result with ${artifacts.length} pictures`))
const { text, toolCalls, artifacts, undelivered = [] } = await run.result

console.log(text)
for (const call of toolCalls)
  if (!call.dynamic) console.log(call.name, call.status, call.result?.images.length)
for (const { mediaType, width, height } of artifacts) console.log(mediaType, `${width}x${height}`)
for (const late of undelivered) console.log(late)
