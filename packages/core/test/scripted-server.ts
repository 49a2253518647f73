import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One prepared answer of a scripted chat server. */
export type Line =
  | { readonly text: string; readonly finish?: string }
  | { readonly calls: readonly ScriptedCall[]; readonly text?: string }
  | { readonly status: number; readonly body: unknown }
  | ((request: SeenRequest, response: ServerResponse) => void)

export interface ScriptedCall {
  readonly name: string
  readonly arguments?: unknown
  readonly id?: string
}

export interface SeenRequest {
  readonly headers: IncomingMessage['headers']
  readonly body: {
    readonly model: string
    readonly messages: readonly {
      role: string
      content?: unknown
      tool_calls?: { id: string }[]
      tool_call_id?: string
    }[]
    readonly tools?: readonly unknown[]
    readonly tool_choice?: unknown
    readonly stream?: boolean
    readonly stream_options?: { readonly include_usage?: boolean }
    readonly [field: string]: unknown
  }
}

/** A real HTTP server on loopback that answers chat completions from a script, streamed when asked to. */
export interface ScriptedServer extends AsyncDisposable {
  readonly baseURL: string
  readonly apiKey: string
  readonly requests: readonly SeenRequest[]
}

export async function startScriptedServer(script: readonly Line[]): Promise<ScriptedServer> {
  const requests: SeenRequest[] = []
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const seen = { headers: request.headers, body: JSON.parse(Buffer.concat(pieces).toString()) }
    const line = script[requests.length] ?? {
      status: 500,
      body: { error: { message: 'the script is over' } },
    }
    requests.push(seen)
    if (typeof line === 'function') line(seen, response)
    else if ('status' in line) send(response, line.status, line.body)
    else if (seen.body.stream) stream(response, line, { turn: requests.length, ...seen.body.stream_options })
    else send(response, 200, toCompletion(line, requests.length))
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

type Reply = Extract<Line, { text?: string }>

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

function toCompletion(line: Reply, turn: number): object {
  const calls = 'calls' in line ? toCalls(line.calls, turn) : undefined
  const message = { role: 'assistant', content: line.text ?? null, ...(calls ? { tool_calls: calls } : {}) }
  const choice = { index: 0, message, finish_reason: finishOf(line) }
  return {
    id: `chatcmpl-${turn}`,
    object: 'chat.completion',
    created: 1,
    model: 'scripted',
    choices: [choice],
    usage,
  }
}

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }

function finishOf(line: Reply): string {
  return 'calls' in line ? 'tool_calls' : (line.finish ?? 'stop')
}

function toCalls(calls: readonly ScriptedCall[], turn: number): ReturnType<typeof toCall>[] {
  return calls.map((call, index) => toCall(call, `call_${turn}_${index}`))
}

function toCall({ name, arguments: given = {}, id }: ScriptedCall, substitute: string) {
  const text = typeof given === 'string' ? given : JSON.stringify(given)
  return { id: id ?? substitute, type: 'function', function: { name, arguments: text } }
}

interface Streaming {
  readonly turn: number
  /** Whether the last chunk counts the tokens. */
  readonly include_usage?: boolean
}

/** Text word by word; arguments in fragments of three characters, as servers do. */
function stream(response: ServerResponse, line: Reply, { turn, include_usage = false }: Streaming): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const write = (delta: object, finish: string | null = null) => {
    const chunk = {
      id: `chatcmpl-${turn}`,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: finish }],
    }
    response.write(`data: ${JSON.stringify(chunk)}\n\n`)
  }
  write({ role: 'assistant', content: '' })
  for (const content of line.text?.match(/\S+\s*/g) ?? []) write({ content })
  for (const [index, call] of ('calls' in line ? toCalls(line.calls, turn) : []).entries()) {
    const { name, arguments: text } = call.function
    write({ tool_calls: [{ index, id: call.id, type: 'function', function: { name, arguments: '' } }] })
    for (const fragment of text.match(/.{1,3}/gs) ?? [])
      write({ tool_calls: [{ index, function: { arguments: fragment } }] })
  }
  write({}, finishOf(line))
  if (include_usage) response.write(`data: ${JSON.stringify({ id: 'x', choices: [], usage })}\n\n`)
  response.end('data: [DONE]\n\n')
}
