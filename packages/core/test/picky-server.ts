import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AssistantMessage, Message, ToolDefinition } from '../src/index.js'

export interface PickyRequest {
  readonly messages: readonly Message[]
  readonly tools?: readonly ToolDefinition[]
  readonly stream?: boolean
  readonly [field: string]: unknown
}

/** The status and the message of an error. */
export type Refused = readonly [status: number, message: string]

/** A chat server that refuses requests, and replies with messages that have fields of its own. */
export interface PickyServer extends AsyncDisposable {
  readonly baseURL: string
  readonly apiKey: string
  /** The requests that it took. */
  readonly requests: readonly PickyRequest[]
  /** The messages of its errors. */
  readonly refusals: readonly string[]
}

/** Starts a server that takes what `refuse` does not refuse, and says the message for its number of replies so far. */
export async function startPickyServer(
  refuse: (request: PickyRequest) => Refused | undefined,
  say: (count: number) => Omit<AssistantMessage, 'role'>,
): Promise<PickyServer> {
  const requests: PickyRequest[] = []
  const refusals: string[] = []
  const server = createServer(async (incoming, response) => {
    const pieces: Buffer[] = []
    for await (const piece of incoming) pieces.push(piece as Buffer)
    const body: PickyRequest = JSON.parse(Buffer.concat(pieces).toString())
    const refused = refuse(body)
    if (refused) {
      const [status, message] = refused
      refusals.push(message)
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message, type: 'invalid_request_error' } }))
      return
    }
    requests.push(body)
    const message = { role: 'assistant', ...say(requests.length - 1) }
    response.writeHead(200, { 'content-type': body.stream ? 'text/event-stream' : 'application/json' })
    response.end(body.stream ? toEvents(message) : JSON.stringify(toCompletion(message)))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    apiKey: 'key-of-the-picky-server',
    requests,
    refusals,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

function toCompletion(message: object): object {
  const choice = { index: 0, message, finish_reason: finishOf(message) }
  return { id: 'x', object: 'chat.completion', choices: [choice] }
}

function finishOf(message: object): string {
  return 'tool_calls' in message ? 'tool_calls' : 'stop'
}

/** One event for each field, texts in two. */
function toEvents(message: Readonly<Record<string, unknown>>): string {
  const deltas = Object.entries(message).flatMap(([field, value]) => {
    if (field === 'tool_calls')
      return [{ [field]: (value as object[]).map((call, index) => ({ index, ...call })) }]
    if (typeof value !== 'string' || field === 'role') return [{ [field]: value }]
    const half = Math.ceil(value.length / 2)
    return [{ [field]: value.slice(0, half) }, { [field]: value.slice(half) }]
  })
  const choices = [
    ...deltas.map((delta) => ({ index: 0, delta, finish_reason: null })),
    { index: 0, delta: {}, finish_reason: finishOf(message) },
  ]
  const events = choices.map((choice) => ({ id: 'x', object: 'chat.completion.chunk', choices: [choice] }))
  return `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`
}
