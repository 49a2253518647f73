// Counts the files of core that run between the first byte of a streamed reply and the tool message of its call, and
// the functions of core that run in one step of a run. With `list` it names these functions.
//   node --conditions=development --import=tsx packages/core/test/prove-files-run.ts [list]
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type Profiler, Session } from 'node:inspector'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { ChatModel } from '@capstan/core'
import * as z from 'zod'
import { mostOf } from '../../../scripts/limits.mjs'

/**
 * A reader follows a tool call through the files of the loop and of the wire. Those of features that run by default, such
 * as middleware, are not on that path.
 */
const most = {
  path: mostOf('files run for a tool call'),
  features: mostOf('files of features run for a tool call'),
  functions: mostOf('functions run in a step'),
}
const isFeature = (file: string) =>
  /^(features\/(?!reply-forms|resume|streaming|text-calls\/(forms|recover|scan))|artifacts\/)/.test(file)

const source = fileURLToPath(new URL('../src/', import.meta.url))
const profiler = new Session()
profiler.connect()
profiler.post('Profiler.enable')
profiler.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
// Only what is loaded after the start is counted.
const { Agent, chatModel, tool } = await import('@capstan/core')

/** Functions that the loader and the engine add to those that are written. */
const generated = ['__name', '<instance_members_initializer>']

interface Ran {
  readonly files: readonly string[]
  /** Each with its file and its place in it. */
  readonly functions: readonly string[]
}

/** What ran of core since the last call, without the bodies of modules. */
function takeRan(): Ran {
  let result: readonly Profiler.ScriptCoverage[] = []
  // A session of the same thread answers at once.
  profiler.post('Profiler.takePreciseCoverage', (error, taken) => {
    if (error) throw error
    result = taken.result
  })
  const files: string[] = []
  const functions: string[] = []
  for (const script of result) {
    if (!script.url.startsWith('file:') || !fileURLToPath(script.url).startsWith(source)) continue
    const file = fileURLToPath(script.url).slice(source.length)
    // The module itself starts at 0.
    const ran = script.functions.filter(
      ({ functionName, ranges: [range] }) =>
        range && range.startOffset > 0 && range.count > 0 && !generated.includes(functionName),
    )
    if (ran.length > 0) files.push(file)
    for (const { functionName, ranges } of ran)
      functions.push(`${file}: ${functionName || 'a function without a name'} at ${ranges[0]?.startOffset}`)
  }
  return { files: files.sort(), functions }
}

const chunk = (delta: object, reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`

let requests = 0
let beforeFirstByte: readonly string[] = []
let untilToolMessage: readonly string[] = []

const server = createServer(async (request, response) => {
  for await (const _ of request);
  requests += 1
  if (requests === 1) beforeFirstByte = takeRan().files
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
run.on('message-added', ({ message }) => {
  if (message.role === 'tool' && untilToolMessage.length === 0) untilToolMessage = takeRan().files
})
await run.result
server.close()

/** Runs a tool with a model in this process, and counts what runs between two requests in the middle of the run. */
async function functionsOfStep(): Promise<readonly string[]> {
  let asked = 0
  let functions: readonly string[] = []
  const model: ChatModel = {
    name: 'm',
    async complete() {
      asked += 1
      const ran = takeRan()
      if (asked === 4) functions = ran.functions
      const call = {
        id: `call_${asked}`,
        type: 'function' as const,
        function: { name: 'weather', arguments: `{"city":"${asked}"}` },
      }
      return asked < 6
        ? { message: { role: 'assistant', content: null, tool_calls: [call] }, finishReason: 'tool_calls' }
        : { message: { role: 'assistant', content: 'Snow.' }, finishReason: 'stop' }
    },
  }
  await new Agent({ model, tools: [weather] }).run('Weather?')
  return functions
}

console.log(`${beforeFirstByte.length} files run before the request is answered`)
const features = untilToolMessage.filter(isFeature)
const path = untilToolMessage.filter((file) => !isFeature(file))
console.log(`${path.length} files run from the first byte to the tool message (at most ${most.path}):`)
console.log(path.join('\n'))
console.log(`${features.length} files of features (at most ${most.features}): ${features.join(', ')}`)
const functions = await functionsOfStep()
if (process.argv[2] === 'list') console.log(functions.join('\n'))
console.log(`${functions.length} functions run in one step (at most ${most.functions})`)
const isPath = path.length > 0 && path.length <= most.path && features.length <= most.features
if (!isPath || functions.length === 0 || functions.length > most.functions) process.exit(1)
