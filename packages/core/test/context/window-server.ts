import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ChatModel, chatModel } from '../../src/index.js'
import { strictConversation } from '../run-control/strict-conversation.js'

interface WireMessage {
  readonly role: string
  readonly content?: unknown
  readonly tool_calls?: readonly unknown[]
}

interface WireBody {
  readonly messages: readonly WireMessage[]
  readonly tools?: readonly unknown[]
  readonly stream?: boolean
}

interface WindowOptions {
  /** Prompts with more tokens are refused. Default: none is. */
  readonly window?: number
  /** Characters of a token. Default 4. */
  readonly characters?: number
  /** Whether a refusal tells the window and the tokens. Default true. */
  readonly tells?: boolean
  /** The replies with calls, before the last one. */
  readonly steps: number
  /** Calls of each reply. Default 1. */
  readonly calls?: number
  readonly name?: string
}

/** A request that was answered. */
interface Answered {
  readonly body: WireBody
  readonly tokens: number
  readonly isSummary: boolean
}

export interface WindowServer extends AsyncDisposable {
  readonly answered: readonly Answered[]
  readonly refused: readonly number[]
  /** What no strict server would take. */
  readonly faults: readonly string[]
  /** The share of the tokens of the prompts that extended an earlier one. */
  readonly cached: () => number
  model(options?: { readonly contextTokens?: number }): ChatModel
}

/** Facts in a text, such as `fact-12=Oslo`. */
export const factsIn = (text: string): string[] => [...new Set(text.match(/fact-\d+=\w+/g))]

/**
 * A real HTTP server that counts the tokens of its prompts, refuses those that are too long for its window, and calls a
 * tool until it has said all of its replies. Its summaries are the facts of the text.
 */
export async function startWindowServer({
  window = Number.POSITIVE_INFINITY,
  characters = 4,
  tells = true,
  steps,
  calls = 1,
  name = 'look',
}: WindowOptions): Promise<WindowServer> {
  const answered: Answered[] = []
  const refused: number[] = []
  const faults: string[] = []
  const texts: string[] = []
  let [all, known] = [0, 0]
  let step = 0
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const body: WireBody = JSON.parse(Buffer.concat(pieces).toString())
    faults.push(...strictConversation(body.messages as never))
    const text = textOf(body)
    const tokens = Math.ceil(text.length / characters)
    const send = (status: number, value: object) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(value))
    }
    if (tokens > window) {
      refused.push(tokens)
      const numbers = tells
        ? `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`
        : 'Your input exceeds the context window of this model. Please adjust your input and try again.'
      return send(400, {
        error: { message: numbers, type: 'invalid_request_error', code: 'context_length_exceeded' },
      })
    }
    const isSummary = !body.tools
    if (!isSummary) {
      all += text.length
      known += Math.max(0, ...texts.map((one) => sharedStart(one, text)))
      texts.push(text)
    }
    answered.push({ body, tokens, isSummary })
    const usage = { prompt_tokens: tokens, completion_tokens: 10, total_tokens: tokens + 10 }
    if (isSummary) {
      const content = factsIn(JSON.stringify(body.messages)).join(' ') || 'Nothing.'
      return send(200, {
        choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }],
        usage,
      })
    }
    const now = step++
    const tool_calls = Array.from({ length: calls }, (_, at) => ({
      ...{ id: `call_${now}_${at}`, type: 'function' },
      function: { name, arguments: JSON.stringify({ page: now * calls + at }) },
    }))
    const message =
      now < steps
        ? { role: 'assistant', content: null, tool_calls }
        : { role: 'assistant', content: 'That is all.' }
    send(200, { choices: [{ message, finish_reason: now < steps ? 'tool_calls' : 'stop' }], usage })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return {
    ...{ answered, refused, faults },
    cached: () => known / all,
    model: (options) => chatModel('m', { baseURL, apiKey: 'key-of-the-window', maxRetries: 0, ...options }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

function textOf({ messages, tools = [] }: WireBody): string {
  const said = messages.map(({ role, content, tool_calls = [] }) =>
    JSON.stringify([role, content, tool_calls]),
  )
  return [JSON.stringify(tools), ...said].join('\n')
}

function sharedStart(one: string, other: string): number {
  let [low, high] = [0, Math.min(one.length, other.length)]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (one.slice(0, middle) === other.slice(0, middle)) low = middle
    else high = middle - 1
  }
  return low
}
