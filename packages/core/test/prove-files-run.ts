// Counts the files of core that run between the first byte of a streamed reply and the tool message of its call.
//   node --conditions=development --import=tsx packages/core/test/prove-files-run.ts
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Session } from 'node:inspector/promises'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'

/** A reader follows a tool call through these files. */
const most = 40

const source = fileURLToPath(new URL('../src/', import.meta.url))
const profiler = new Session()
profiler.connect()
await profiler.post('Profiler.enable')
await profiler.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
// Only what is loaded after the start is counted.
const { Agent, chatModel, tool } = await import('@capstan/core')

/** Files of core with a function that ran since the last call, other than the module itself. */
async function filesRun(): Promise<string[]> {
  const { result } = await profiler.post('Profiler.takePreciseCoverage')

  const ran = result.filter(({ url, functions }) => {
    const isOfCore = url.startsWith('file:') && fileURLToPath(url).startsWith(source)
    return isOfCore && functions.slice(1).some(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
  })
  return ran.map(({ url }) => fileURLToPath(url).slice(source.length)).sort()
}

const chunk = (delta: object, reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`

let requests = 0
let beforeFirstByte: string[] = []
let untilToolMessage: string[] = []

const server = createServer(async (request, response) => {
  for await (const _ of request);
  requests += 1
  if (requests === 1) beforeFirstByte = await filesRun()
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  if (requests === 1) {
    const call = {
      index: 0,
      id: 'call_1',
      type: 'function',
      function: { name: 'weather', arguments: '{"city":' },
    }
    response.write(chunk({ role: 'assistant', content: null, tool_calls: [call] }))
    response.write(chunk({ tool_calls: [{ index: 0, function: { arguments: '"Oslo"}' } }] }))
    response.write(chunk({}, 'tool_calls'))
  } else response.write(chunk({ role: 'assistant', content: 'Snow.' }) + chunk({}, 'stop'))
  response.end('data: [DONE]\n\n')
}).listen(0, '127.0.0.1')
await once(server, 'listening')

const weather = tool({
  name: 'weather',
  description: 'Weather of a city',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, degrees: -2 }),
})
const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
const agent = new Agent({ model: chatModel('m', { baseURL, apiKey: 'none' }), tools: [weather] })
const run = agent.stream('Weather in Oslo?')
let toolMessage: Promise<void> | undefined
run.on('message-added', ({ message }) => {
  if (message.role !== 'tool') return
  // The message is appended before anything else gets its turn.
  toolMessage ??= Promise.resolve().then(async () => {
    untilToolMessage = await filesRun()
  })
})
await run.result
await toolMessage
server.close()
console.log(`${beforeFirstByte.length} files run before the request is answered`)
console.log(`${untilToolMessage.length} files run from the first byte to the tool message (at most ${most}):`)
console.log(untilToolMessage.join('\n'))
if (untilToolMessage.length === 0 || untilToolMessage.length > most) process.exit(1)
