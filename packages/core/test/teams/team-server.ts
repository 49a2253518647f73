import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'
import { type ChatModel, chatModel, type Message } from '../../src/index.js'
import { type MayBreak, PrefixWatch } from '../prefix/watch.js'
import { strictConversation } from '../run-control/strict-conversation.js'
import type { SeenRequest } from '../scripted-server.js'

/** One answer of a model: words, calls as `[name, arguments]`, a failure, or what gives one of these. */
type TeamLine =
  | string
  | readonly (readonly [name: string, args?: unknown])[]
  | { readonly status: number }
  | ((request: SeenRequest) => TeamLine | Promise<TeamLine>)

/** The lines of each model, by its name. */
export type TeamScript = Readonly<Record<string, readonly TeamLine[]>>

/** A real HTTP server that plays several models, each by its own lines, and takes only what a strict server takes. */
export interface TeamServer extends AsyncDisposable {
  model(name: string): ChatModel
  readonly requests: readonly SeenRequest[]
  /** The requests that one model got. */
  of(model: string): readonly SeenRequest[]
}

/** Ids tell the model, its answer and the place in it: `lead_0_1` is the second call of the first answer of `lead`. */
export async function startTeamServer(script: TeamScript, mayBreak?: MayBreak): Promise<TeamServer> {
  const requests: SeenRequest[] = []
  const faults: string[] = []
  const watch = new PrefixWatch(mayBreak)
  const breaks: string[] = []
  const of = (model: string) => requests.filter(({ body }) => body.model === model)
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const seen: SeenRequest = { headers: request.headers, body: JSON.parse(Buffer.concat(pieces).toString()) }
    requests.push(seen)
    const found = strictConversation(seen.body.messages as readonly Message[])
    faults.push(...found)
    breaks.push(...watch.asked(seen.body))
    const { model } = seen.body
    const n = of(model).length - 1
    const line =
      found.length > 0 ? { status: 400 } : await spoken(script[model]?.[n] ?? { status: 400 }, seen)
    if (typeof line === 'object' && 'status' in line) return fail(response, line.status, found.join('; '))
    const message = toMessage(line, `${model}_${n}`)
    watch.replied(seen.body, message)
    reply(response, seen, message)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return {
    model: (name) => chatModel(name, { baseURL, apiKey: 'test-key-of-the-team', maxRetries: 0 }),
    requests,
    of,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
      expect(faults).toEqual([])
      expect(breaks).toEqual([])
    },
  }
}

type Said = Exclude<TeamLine, (request: SeenRequest) => unknown>

async function spoken(line: TeamLine, request: SeenRequest): Promise<Said> {
  return typeof line === 'function' ? spoken(await line(request), request) : line
}

function toMessage(line: Exclude<Said, { status: number }>, id: string) {
  if (typeof line === 'string') return { role: 'assistant', content: line }
  const calls = line.map(([name, args = {}], index) => ({
    index,
    id: `${id}_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }))
  return { role: 'assistant', content: null, tool_calls: calls }
}

function fail(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error: { message: message || 'the script is over' } }))
}

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }

/** The message as a whole, or as a stream of one piece. */
function reply(response: ServerResponse, { body }: SeenRequest, message: ReturnType<typeof toMessage>): void {
  const finish_reason = 'tool_calls' in message ? 'tool_calls' : 'stop'
  if (!body.stream) {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason }], usage }))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const chunk = { choices: [{ index: 0, delta: message, finish_reason }], usage }
  response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)
}
