// A model server on node:http: one scripted call, then a text, both streamed by hand. An agent uses it.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Agent, chatModel, tool } from '@capstan/core'
import * as z from 'zod'

const server = createServer(async (request, response) => {
  const { messages } = JSON.parse(await text(request))
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const last = messages.at(-1)
  if (last.role === 'tool') sendText(response, ['In the box: ', last.content])
  else sendCall(response, 'open_box', ['{"num', 'ber":', ' 3}'])
  response.end('data: [DONE]\n\n')
}).listen(0, '127.0.0.1')
await once(server, 'listening')

/** One chunk: a part of the message, and in the last one the reason why it ends. */
function send(response: ServerResponse, delta: object, finish_reason: string | null = null): void {
  const chunk = { object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] }
  response.write(`data: ${JSON.stringify(chunk)}\n\n`)
}

function sendText(response: ServerResponse, parts: readonly string[]): void {
  for (const content of parts) send(response, { content })
  send(response, {}, 'stop')
}

/** The first chunk has the id and the name; all of them have the index of the call. */
function sendCall(response: ServerResponse, name: string, parts: readonly string[]): void {
  const head = { index: 0, id: 'call_1', type: 'function', function: { name, arguments: '' } }
  send(response, { tool_calls: [head] })
  for (const part of parts) send(response, { tool_calls: [{ index: 0, function: { arguments: part } }] })
  send(response, {}, 'tool_calls')
}

const openBox = tool({
  name: 'open_box',
  description: 'Opens a box',
  parameters: z.object({ number: z.int().describe('Number of the box') }),
  effects: 'read',
  execute: ({ number }) => `${number} keys`,
})
const { port } = server.address() as AddressInfo
const model = chatModel('scripted', { baseURL: `http://127.0.0.1:${port}`, apiKey: '' })
const run = new Agent({ model, tools: [openBox] }).stream('What is in box 3?')
for await (const event of run) {
  if (event.type === 'call-delta') console.log('call', event.name, event.arguments)
  if (event.type === 'tool-start') console.log('starts with', event.arguments)
  if (event.type === 'tool-end') console.log('returns', event.content)
  if (event.type === 'text-delta') console.log('text', event.text)
}
console.log((await run.result).stopReason)
server.close()
