// A server of the chat completions interface that answers as scripted, on the loopback address.
import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A completion; a failure; what writes the response; or what depends on the request. */
export type Answer = Completion | Failure | Written | Chosen

export interface Completion {
  /** By default another one for each reply. */
  readonly id?: string
  readonly choices: readonly Choice[]
  readonly usage?: object
}

interface Choice {
  readonly index: number
  readonly finish_reason?: string
  readonly message: {
    readonly role: string
    readonly content: unknown
    readonly tool_calls?: readonly object[]
  }
}

interface Failure {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object | string
}

interface Written {
  /** For servers that break off, never end, or send pieces of their own. */
  write(response: ServerResponse, isStream: boolean, body: Body): void | Promise<void>
}

interface Chosen {
  /** Undefined: none, the client waits. */
  choose(body: Body): Answer | undefined
}

/** What a client sent. */
interface Seen {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Body
  /** Bytes of the body. */
  readonly size: number
  /** Milliseconds since the server was started. */
  readonly at: number
}

export interface Body {
  readonly messages: readonly Sent[]
  readonly stream?: boolean
  readonly tools?: readonly { function: { name: string; description?: string } }[]
}

export interface Sent {
  readonly role: string
  readonly content?: unknown
  readonly tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[]
  readonly tool_call_id?: string
}

export interface Server {
  readonly url: string
  readonly requests: readonly Seen[]
  /** Requests to other paths: what should not have been fetched. */
  readonly others: readonly Seen[]
  /** Whether the last response was closed by the client before it ended. */
  wasLeft(): boolean
  /** Waits until the last response is closed, five seconds at most. */
  closed(): Promise<void>
  close(): void
}

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }

/** The last answer is given again and again. */
export async function startServer(answers: readonly Answer[]): Promise<Server> {
  const requests: Seen[] = []
  const others: Seen[] = []
  const started = performance.now()
  let left = false
  let open = 0
  const changes = new EventEmitter()
  const server = createServer(async (request, response) => {
    open++
    response.on('close', () => {
      left ||= !response.writableFinished
      open--
      changes.emit('close')
    })
    response.on('error', () => undefined)
    const text = await readAll(request)
    const seen = {
      path: request.url ?? '',
      headers: request.headers,
      body: parsed(text),
      size: Buffer.byteLength(text),
      at: performance.now() - started,
    }
    if (!seen.path.endsWith('/chat/completions')) {
      others.push(seen)
      response.writeHead(seen.path.includes('secret') ? 200 : 404, { 'content-type': 'text/plain' })
      response.end('the secret of the intranet')
      return
    }
    const answer = answers[requests.length] ?? answers.at(-1) ?? { status: 500 }
    requests.push(seen)
    await answerWith(answer, response, seen.body, `chatcmpl-${requests.length}`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    requests,
    others,
    wasLeft: () => left,
    async closed() {
      const signal = AbortSignal.timeout(5000)
      while (open > 0 && !signal.aborted) await once(changes, 'close', { signal }).catch(() => undefined)
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function readAll(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts).toString()
}

function parsed(text: string): Body {
  try {
    return JSON.parse(text)
  } catch {
    return { messages: [] }
  }
}

async function answerWith(answer: Answer, response: ServerResponse, body: Body, id: string): Promise<void> {
  const isStream = body.stream === true
  if ('choose' in answer) {
    const chosen = answer.choose(body)
    return chosen && answerWith(chosen, response, body, id)
  }
  if ('write' in answer) return answer.write(response, isStream, body)
  if ('status' in answer) {
    const { status, headers, body: failure = { error: { message: 'Later.' } } } = answer
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof failure === 'string' ? failure : JSON.stringify(failure))
    return
  }
  const common = { id: answer.id ?? id, created: 1, model: 'scripted' }
  if (!isStream) {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ ...common, object: 'chat.completion', usage, ...answer }))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(toEvents({ ...common, ...answer }))
}

/** A completion as server-sent events, in pieces as the service of OpenAI sends them. `isOpen` leaves the end out. */
export function toEvents({ id, choices, usage: own = usage }: Completion, { isOpen = false } = {}): string {
  const chunks: object[] = choices.flatMap(({ index, message: { tool_calls = [], ...message } }) => [
    { choices: [{ index, delta: message, finish_reason: null }] },
    ...tool_calls.flatMap((call, at) =>
      pieces(call as Call).map((piece) => ({
        choices: [{ index, delta: { tool_calls: [{ index: at, ...piece }] }, finish_reason: null }],
      })),
    ),
  ])
  if (!isOpen) {
    for (const { index, finish_reason } of choices)
      if (finish_reason !== undefined) chunks.push({ choices: [{ index, delta: {}, finish_reason }] })
    chunks.push({ choices: [], usage: own })
  }
  const events = chunks.map((chunk) => event({ ...(id && { id }), ...chunk })).join('')
  return isOpen ? events : `${events}data: [DONE]\n\n`
}

interface Call {
  readonly function: { readonly name: string; readonly arguments: unknown }
}

/** The head of a call, then its arguments. */
function pieces(call: Call): object[] {
  const { name, arguments: given } = call.function
  if (typeof given !== 'string' || given === '') return [call]
  return [{ ...call, function: { name, arguments: '' } }, { function: { arguments: given } }]
}

export function event(chunk: object): string {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'scripted' }
  return `data: ${JSON.stringify({ ...head, ...chunk })}\n\n`
}

/** A tool call of a reply. */
export function call(name: string, given: unknown, id: string | undefined = 'call_1'): object {
  return { ...(id !== undefined && { id }), type: 'function', function: { name, arguments: given } }
}

/** A reply with calls. `end: {}` leaves the finish reason out. */
export function calling(
  calls: readonly object[],
  end: { finish_reason?: string } = { finish_reason: 'tool_calls' },
): Completion {
  return {
    choices: [{ index: 0, ...end, message: { role: 'assistant', content: null, tool_calls: calls } }],
  }
}

export function saying(
  content: unknown,
  end: { finish_reason?: string } = { finish_reason: 'stop' },
): Completion {
  return { choices: [{ index: 0, ...end, message: { role: 'assistant', content } }] }
}
