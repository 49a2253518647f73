import { Agent, type IncomingMessage, request } from 'node:http'
import * as z from 'zod'
import type { BenchTool, Peer, Setup } from '../peer.js'

interface Call {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
}

interface Reply {
  role: string
  content?: string | null
  tool_calls?: Call[]
}

interface Chunk {
  choices: { delta?: Delta }[]
}

interface Delta {
  content?: string
  tool_calls?: { index: number; id?: string; function?: { name?: string; arguments?: string } }[]
}

type Send = (body: Buffer) => Promise<Reply>

const end = Buffer.from(']}')

/** A lower bound for the cost: serialises nothing twice, has no retries and no abort. */
export const peer: Peer = {
  prepare(setup) {
    const head = Buffer.from(toHead(setup))
    const byName = new Map(setup.tools.map((tool) => [tool.name, tool]))
    const send = connect(setup)
    return async (prompt) => {
      const parts = [head, toBytes({ role: 'user', content: prompt })]
      for (let step = 0; step < setup.maxSteps; step++) {
        const reply = await send(Buffer.concat([...parts, end]))
        if (!reply.tool_calls?.length) return reply.content ?? ''
        parts.push(
          toBytes(reply),
          ...(await Promise.all(reply.tool_calls.map((call) => runCall(call, byName)))),
        )
      }
      throw new Error('too many steps')
    }
  },
}

/** Returns the body up to the first message. Each later message starts with a comma; `end` closes the body. */
function toHead({ model, stream, instructions, tools }: Setup): string {
  const functions = tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters: z.toJSONSchema(parameters, { io: 'input' }) },
  }))
  const messages = [{ role: 'system', content: instructions }]
  return JSON.stringify({ model, stream, tools: functions, messages }).slice(0, -end.length)
}

function toBytes(message: object): Buffer {
  return Buffer.from(`,${JSON.stringify(message)}`)
}

async function runCall(
  { id, function: called }: Call,
  tools: ReadonlyMap<string, BenchTool>,
): Promise<Buffer> {
  const tool = tools.get(called.name)
  if (!tool) throw new Error(`no tool ${called.name}`)
  const args = tool.parameters.parse(JSON.parse(called.arguments))
  return toBytes({ role: 'tool', tool_call_id: id, content: JSON.stringify(await tool.execute(args)) })
}

function connect({ baseURL, stream }: Setup): Send {
  const { hostname, port, pathname } = new URL(`${baseURL}/chat/completions`)
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 1024 })
  const read = stream ? readStream : readCompletion
  return (body) =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': body.length }
      const sent = request({ agent, hostname, port, path: pathname, method: 'POST', headers }, (response) => {
        response.setEncoding('utf8').on('error', reject)
        if (response.statusCode === 200) read(response, resolve)
        else readText(response, (text) => reject(new Error(`${response.statusCode}: ${text}`)))
      })
      sent.on('error', reject).end(body)
    })
}

function readCompletion(response: IncomingMessage, resolve: (reply: Reply) => void): void {
  readText(response, (text) => resolve(JSON.parse(text).choices[0].message))
}

function readText(response: IncomingMessage, use: (text: string) => void): void {
  let text = ''
  response.on('data', (part: string) => {
    text += part
  })
  response.on('end', () => use(text))
}

function readStream(response: IncomingMessage, resolve: (reply: Reply) => void): void {
  const reply: Reply = { role: 'assistant', content: '' }
  let rest = ''
  response.on('data', (part: string) => {
    const text = rest + part
    let from = 0
    for (let to = text.indexOf('\n'); to !== -1; to = text.indexOf('\n', from)) {
      if (text.startsWith('data: {', from)) {
        const { choices } = JSON.parse(text.slice(from + 6, to)) as Chunk
        if (choices[0]?.delta) add(choices[0].delta, reply)
      }
      from = to + 1
    }
    rest = text.slice(from)
  })
  response.on('end', () => resolve(reply))
}

function add({ content, tool_calls }: Delta, reply: Reply): void {
  if (content) reply.content += content
  if (!tool_calls) return
  for (const { index, id = '', function: called } of tool_calls) {
    reply.tool_calls ??= []
    reply.tool_calls[index] ??= { id, type: 'function', function: { name: '', arguments: '' } }
    const call = reply.tool_calls[index].function
    if (called?.name) call.name = called.name
    if (called?.arguments) call.arguments += called.arguments
  }
}
