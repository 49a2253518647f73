import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'

interface Asked {
  readonly model: string
  readonly stream?: boolean
  readonly messages: readonly { readonly role: string }[]
}

interface Reply {
  readonly content?: string
  readonly tool_calls?: readonly object[]
  readonly [unknown: string]: unknown
}

/** A model server with one attack per model, and one model that waits for `release` and then continues. */
export async function startHostileModels() {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })

  const attacks: Readonly<Record<string, (asked: Asked, response: ServerResponse) => Promise<void>>> = {
    nested: async (asked, response) =>
      reply(asked, response, { content: 'hi', unknown: nested, list: [nested] }),
    endless: async ({ stream }, response) => {
      const head = '{"choices":[{"index":0,"message":{"role":"assistant","content":"'
      const pieces = function* () {
        if (!stream) yield head
        for (;;) yield stream ? toChunk({ content: 'x'.repeat(4096) }) : 'x'.repeat(4096)
      }
      response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' })
      await pipeline(Readable.from(pieces()), response)
    },
    counting: async (asked, response) => {
      const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'count', arguments: '{}' } }
      const isCounted = asked.messages.at(-1)?.role === 'tool'
      reply(asked, response, isCounted ? { content: 'Done.' } : { tool_calls: [call] })
    },
    failing: async (_asked, response) => {
      response.writeHead(500, { 'content-type': 'application/json' })
      response.end('{"error":{"message":"the model is away"}}')
    },
    polite: async (_asked, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(toChunk({ content: 'Before, ' }))
      await released
      response.end(`${toChunk({ content: 'and after.' })}${toChunk({}, 'stop')}data: [DONE]\n\n`)
    },
  }

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const asked = (await json(request)) as Asked
    await attacks[asked.model]?.(asked, response)
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { baseURL: `http://127.0.0.1:${port}/v1`, release, close }
}

/** 40 kB of brackets, as no `JSON.stringify` writes them. */
const nested = { mark: 'NESTED' }
const brackets = `${'['.repeat(20_000)}${']'.repeat(20_000)}`

function toText(value: object): string {
  return JSON.stringify(value).replaceAll(JSON.stringify(nested), brackets)
}

function toChunk(delta: Reply, finish: string | null = null): string {
  return `data: ${toText({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
}

function reply({ stream }: Asked, response: ServerResponse, said: Reply): void {
  const finish = said.tool_calls ? 'tool_calls' : 'stop'
  response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' })
  if (stream) return void response.end(`${toChunk({ role: 'assistant', ...said }, finish)}data: [DONE]\n\n`)
  const message = { role: 'assistant', content: null, ...said }
  response.end(toText({ choices: [{ index: 0, message, finish_reason: finish }], more: nested }))
}
