import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

type Item = Readonly<Record<string, unknown>>

/** One prepared answer: the items of a response, or a status and a body. */
export type ResponsesLine = readonly Item[] | { readonly status: number; readonly body: unknown }

interface SeenResponsesRequest {
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: {
    readonly input: readonly Item[]
    readonly instructions?: string
    readonly [field: string]: unknown
  }
}

/** A real HTTP server on loopback that answers `/responses` from a script, streamed when asked to. */
export interface ResponsesServer extends AsyncDisposable {
  readonly baseURL: string
  readonly apiKey: string
  readonly requests: readonly SeenResponsesRequest[]
}

export async function startResponsesServer(script: readonly ResponsesLine[]): Promise<ResponsesServer> {
  const requests: SeenResponsesRequest[] = []
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const body = JSON.parse(Buffer.concat(pieces).toString())
    const line = script[requests.length] ?? { status: 400, body: { error: { message: 'over' } } }
    requests.push({ url: request.url ?? '', headers: request.headers, body })
    const isItems = Array.isArray(line)
    const whole = isItems ? toResponse(line as readonly Item[]) : (line as { body: unknown }).body
    if (isItems && body.stream) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(toEvents(line as readonly Item[], whole))
      return
    }
    response.writeHead(isItems ? 200 : (line as { status: number }).status, {
      'content-type': 'application/json',
      'x-request-id': 'req_1',
    })
    response.end(JSON.stringify(whole))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    apiKey: 'test-key-of-the-script',
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

const usage = {
  input_tokens: 20,
  input_tokens_details: { cached_tokens: 8, cache_write_tokens: 4 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 3 },
  total_tokens: 27,
}

function toResponse(output: readonly Item[]): Item {
  return {
    ...{ id: 'resp_1', object: 'response', status: 'completed', model: 'scripted-1', output, usage },
    ...{ instructions: 'the request', tools: [], temperature: 1, service_tier: 'default', error: null },
  }
}

function toEvents(items: readonly Item[], response: unknown): string {
  const events: Item[] = items.map((item, output_index) => ({
    type: 'response.output_item.done',
    output_index,
    item,
  }))
  return [...events, { type: 'response.completed', response }]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('')
}

/** A message item. */
export const says = (text: string, annotations: readonly unknown[] = []): Item => ({
  ...{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed' },
  content: [{ type: 'output_text', text, annotations }],
})

/** A call item. */
export const calls = (name: string, args: unknown, id = 'call_1'): Item => ({
  ...{ id: `fc_${id}`, type: 'function_call', status: 'completed' },
  ...{ call_id: id, name, arguments: JSON.stringify(args) },
})

/** A reasoning item. */
export const thinks = (summary: string, encrypted_content = 'b3BhcXVl'): Item => ({
  ...{ id: 'rs_1', type: 'reasoning', encrypted_content },
  summary: summary === '' ? [] : [{ type: 'summary_text', text: summary }],
})
