import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a greedy server answers: text, calls, or a failure after it has charged. */
export type Answer =
  | { readonly text: string }
  | { readonly calls: readonly (readonly [name: string, args: object])[] }
  | { readonly status: number }
  | { readonly cut: true }

export interface Asked {
  readonly max_tokens?: number
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[]
  readonly tools?: readonly unknown[]
  readonly [field: string]: unknown
}

/** A model server that charges for as many tokens as a request allows, at once, whether its reply arrives or not. */
export interface GreedyServer extends AsyncDisposable {
  readonly baseURL: string
  readonly requests: readonly Asked[]
  /** The tokens that it has charged for: of input a quarter of the bytes, of output all that the request allows. */
  readonly charged: number
}

interface GreedyOptions {
  /** Returns the answer to a request, by its number from 0. Default: text. */
  answer?(asked: Asked, number: number): Answer
  /** Milliseconds before it answers. Default 0. */
  readonly delayMs?: number
}

export async function startGreedyServer({
  answer = () => ({ text: 'Yes.' }),
  delayMs = 0,
}: GreedyOptions = {}): Promise<GreedyServer> {
  const requests: Asked[] = []
  let charged = 0
  const server = createServer(async (request, response) => {
    request.on('error', () => {})
    let text = ''
    try {
      for await (const piece of request) text += piece
    } catch {
      // Its client has died before the request was whole.
      return
    }
    const asked: Asked = JSON.parse(text)
    const given = answer(asked, requests.push(asked) - 1)
    const usage = toUsage(text, asked)
    if (!('status' in given && given.status < 500)) charged += usage.total_tokens
    if (delayMs > 0) await new Promise((passed) => setTimeout(passed, delayMs))
    send(response, given, usage)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    get charged() {
      return charged
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

function toUsage(body: string, { max_tokens: most = 100_000 }: Asked) {
  const prompt = Math.ceil(Buffer.byteLength(body) / 4)
  return { prompt_tokens: prompt, completion_tokens: most, total_tokens: prompt + most }
}

function send(response: ServerResponse, given: Answer, usage: ReturnType<typeof toUsage>): void {
  if ('cut' in given) {
    response.destroy()
    return
  }
  response.setHeader('content-type', 'application/json')
  if ('status' in given) {
    response.statusCode = given.status
    response.end(JSON.stringify({ error: { message: 'No.' } }))
    return
  }
  const message =
    'text' in given
      ? { role: 'assistant', content: given.text }
      : {
          role: 'assistant',
          content: null,
          tool_calls: given.calls.map(([name, args], at) => ({
            id: `call_${Math.random()}_${at}`,
            type: 'function',
            function: { name, arguments: JSON.stringify(args) },
          })),
        }
  const finish_reason = 'text' in given ? 'stop' : 'tool_calls'
  response.end(
    JSON.stringify({
      id: 'r',
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason }],
      usage,
    }),
  )
}
