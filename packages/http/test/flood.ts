// Many readers at once over real sockets, and many that hang up in the middle: node --expose-gc --conditions=development --import=tsx packages/http/test/flood.ts [SECONDS]
import { createServer, request, Agent as Sockets } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent, type ModelReply, type ModelRequest, type ModelSink, tool } from '@capstan/core'
import * as z from 'zod'
import { agentHandler } from '../src/agent-handler.js'
import { toNodeListener } from '../src/node-listener.js'

const seconds = Number(process.argv[2] ?? 20)
const [readers, leavers] = [500, 1000]
let going = 0

/** Streams 40 words with a pause after each 10, and calls a tool once. */
const model = {
  name: 'flood',
  async complete({ messages, signal, stream }: ModelRequest, sink?: ModelSink): Promise<ModelReply> {
    going += 1
    try {
      if (messages.at(-1)?.role === 'user') {
        const call = {
          id: `call_${messages.length}`,
          type: 'function',
          function: { name: 'look', arguments: '{"at":"it"}' },
        } as const
        return { message: { role: 'assistant', content: null, tool_calls: [call] } }
      }
      const words = Array.from({ length: 40 }, (_, at) => `word${at} `)
      for (const [at, text] of words.entries()) {
        if (stream) sink?.({ type: 'text', text })
        if (at % 10 === 9) await pause(20, undefined, { signal })
      }
      return { message: { role: 'assistant', content: words.join('') } }
    } finally {
      going -= 1
    }
  },
}
const look = tool({
  name: 'look',
  description: 'Looks',
  parameters: z.object({ at: z.string() }),
  execute: ({ at }) => at,
})
const handler = agentHandler(new Agent({ model, tools: [look] }), {
  authenticate: false,
  maxRuns: 2000,
  keepRunsMs: 100,
})
const server = createServer(toNodeListener(handler)).listen(0, '127.0.0.1')
await new Promise((ready) => server.once('listening', ready))
const { port } = server.address() as { port: number }
const sockets = new Sockets({ keepAlive: true, maxSockets: readers })

let [whole, lost, events] = [0, 0, 0]

/** One run, read to its end, or left after so many bytes. */
function read(leaveAfter = Number.POSITIVE_INFINITY): Promise<string> {
  return new Promise((resolve, reject) => {
    const agent = leaveAfter === Number.POSITIVE_INFINITY ? sockets : false
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        path: '/runs',
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/json' },
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part) => {
          text += part
          if (text.length > leaveAfter) sent.destroy()
        })
        response
          .on('end', () => resolve(text))
          .on('error', () => resolve(text))
          .on('close', () => resolve(text))
      },
    )
    sent.on('error', (error) => (leaveAfter === Number.POSITIVE_INFINITY ? reject(error) : resolve('')))
    sent.end('{"input":"Go."}')
  })
}

async function keepReading(until: number): Promise<void> {
  while (Date.now() < until) {
    const text = await read()
    const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
    const isWhole =
      ids.every((id, at) => id === at) && ids.length > 50 && text.includes('"stopReason":"done"')
    events += ids.length
    if (isWhole) whole += 1
    else lost += 1
  }
}

const megabytes = () => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 2 ** 20
}
const active = () =>
  process.getActiveResourcesInfo().filter((name) => name !== 'TTYWrap' && name !== 'PipeWrap')

await Promise.all(Array.from({ length: 50 }, () => keepReading(Date.now() + 1000)))
await pause(500)
const before = megabytes()
await Promise.all(Array.from({ length: readers }, () => keepReading(Date.now() + seconds * 1000)))
await pause(1000)
const after = megabytes()
console.log(
  `${readers} readers for ${seconds} s: ${whole} runs whole, ${lost} not, ${events} events; heap ${before.toFixed(0)} MB before, ${after.toFixed(0)} MB after`,
)

sockets.destroy()
await pause(200)
const quiet = active()
for (let at = 0; at < leavers; at += 100)
  await Promise.all(Array.from({ length: 100 }, (_, k) => read(200 + ((at + k) % 40) * 60)))
await pause(1000)
const left = active()
console.log(
  `${leavers} clients hung up: ${going} models asked, ${left.length} sockets, timers and listeners (${quiet.length} before: ${quiet.join(', ')})`,
)
await handler.close()
server.close()
if (lost > 0 || whole === 0 || after > before + 20 || going > 0 || left.length > quiet.length) {
  console.error('this is not as it should be', left)
  process.exit(1)
}
