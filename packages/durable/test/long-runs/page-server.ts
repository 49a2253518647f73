import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

interface Body {
  readonly messages: readonly {
    readonly content?: unknown
    readonly tool_calls?: readonly { readonly function: { readonly arguments: string } }[]
  }[]
  readonly tools?: readonly unknown[]
}

/** A request as it was received. */
export interface Asked {
  /** The step of the run that sent the request. */
  readonly step: number
  readonly kind: 'reply' | 'summary' | 'refused'
  readonly digest: string
  readonly text: string
  readonly tokens: number
}

interface PageServerOptions {
  /** The replies with a call, before the last one. */
  readonly steps: number
  /** Prompts with more tokens are rejected. */
  readonly window: number
  /** The number of characters per token. */
  readonly characters: number
  /** Called with each request before the response is sent. Never resolves if there must be no response. */
  readonly before?: (asked: Asked) => Promise<void>
}

export interface PageServer extends AsyncDisposable {
  readonly origin: string
  /** All requests, by the id of the run that sent them. */
  of(runId: string): readonly Asked[]
}

/**
 * A model server without a memory: it turns the page after the one that was read last. It counts the tokens of prompts,
 * refuses those that are too long, and remembers what it was asked. Its summaries are the facts of the text.
 */
export async function startPageServer({
  steps,
  window,
  characters,
  before = async () => {},
}: PageServerOptions): Promise<PageServer> {
  const runs = new Map<string, Asked[]>()
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as Body
    const text = JSON.stringify(body)
    const tokens = Math.ceil(text.length / characters)
    const [, runId = '', step] =
      /^(.*?)\/step(\d+)\//.exec(decodeURIComponent(String(request.headers['idempotency-key']))) ?? []
    const kind = tokens > window ? 'refused' : body.tools ? 'reply' : 'summary'
    const digest = createHash('sha256').update(text).digest('hex')
    const asked: Asked = { step: Number(step), kind, digest, text, tokens }
    runs.set(runId, [...(runs.get(runId) ?? []), asked])
    await before(asked)
    const [status, answer] =
      kind === 'refused' ? refusal(tokens, window) : [200, replyTo(body, tokens, steps)]
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}/v1`,
    of: (runId) => runs.get(runId) ?? [],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

function refusal(tokens: number, window: number): readonly [number, object] {
  const message = `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`
  return [400, { error: { message, type: 'invalid_request_error', code: 'context_length_exceeded' } }]
}

function replyTo({ messages, tools }: Body, tokens: number, steps: number): object {
  const calls = messages.flatMap(({ tool_calls = [] }) => tool_calls)
  const last = calls.at(-1)?.function.arguments
  const page = last === undefined ? 0 : JSON.parse(last).page + 1
  const facts = [...new Set(JSON.stringify(messages).match(/fact-\d+=\w+/g))].join(' ')
  const message =
    !tools || page === steps
      ? { role: 'assistant', content: facts || 'Nothing.' }
      : {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: `call_${page}`,
              type: 'function',
              function: { name: 'read_page', arguments: JSON.stringify({ page }) },
            },
          ],
        }
  const finish_reason = 'tool_calls' in message ? 'tool_calls' : 'stop'
  const usage = { prompt_tokens: tokens, completion_tokens: 10, total_tokens: tokens + 10 }
  return { choices: [{ message, finish_reason }], usage }
}
