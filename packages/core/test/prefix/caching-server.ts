import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A reply: text, or calls. */
export type Said = string | readonly { readonly name: string; readonly arguments: unknown }[]

/** A server on loopback that speaks three protocols, and caches each prompt by its start. */
export interface CachingServer extends AsyncDisposable {
  readonly baseURL: string
  readonly apiKey: string
  /** The share of all tokens that were in the cache. */
  readonly cached: () => number
  readonly choices: readonly unknown[]
}

type Body = Readonly<Record<string, unknown>>

/**
 * Starts a server that says what `say` returns for the number of a request. It counts four characters as a token, tools
 * first, then instructions and messages. What a prompt has in front in common with an earlier one is cached.
 */
export async function startCachingServer(
  say: (turn: number, body: Body) => Said | number,
): Promise<CachingServer> {
  const prompts: string[] = []
  const choices: unknown[] = []
  const sum = { tokens: 0, cached: 0 }
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const body = JSON.parse(Buffer.concat(pieces).toString())
    const said = say(choices.length, body)
    choices.push(body.tool_choice)
    response.setHeader('content-type', 'application/json')
    if (typeof said === 'number') {
      response.statusCode = said
      response.end(JSON.stringify({ error: { message: 'tool_choice is refused' } }))
      return
    }
    const prompt = promptOf(body)
    const tokens = Math.ceil(prompt.length / 4)
    const cached = Math.floor(Math.max(0, ...prompts.map((one) => sameStart(one, prompt))) / 4)
    prompts.push(prompt)
    sum.tokens += tokens
    sum.cached += cached
    response.end(JSON.stringify(toReply(request.url ?? '', said, { turn: choices.length, tokens, cached })))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    apiKey: 'test-key-of-the-cache',
    cached: () => sum.cached / sum.tokens,
    choices,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/** The prompt of a request of any protocol, without the marks for a cache. */
function promptOf({ tools = [], system, instructions, messages, input }: Body): string {
  const list = JSON.stringify(messages ?? input, withoutMarks).slice(0, -1)
  return (
    JSON.stringify(tools, withoutMarks) + JSON.stringify(system ?? instructions ?? '', withoutMarks) + list
  )
}

function withoutMarks(key: string, value: unknown): unknown {
  return key === 'cache_control' ? undefined : value
}

function sameStart(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  return at
}

interface Counts {
  readonly turn: number
  readonly tokens: number
  readonly cached: number
}

function toReply(path: string, said: Said, { turn, tokens, cached }: Counts): Body {
  const text = typeof said === 'string' ? said : ''
  const calls =
    typeof said === 'string' ? [] : said.map((call, at) => ({ ...call, id: `call_${turn}_${at}` }))
  if (path.endsWith('/messages')) {
    const blocks = calls.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input }))
    return {
      ...{ id: `msg_${turn}`, type: 'message', role: 'assistant', model: 'm', stop_sequence: null },
      content: calls.length > 0 ? blocks : text === '' ? [] : [{ type: 'text', text }],
      stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
      usage: { input_tokens: tokens - cached, cache_read_input_tokens: cached, output_tokens: 5 },
    }
  }
  if (path.endsWith('/responses')) {
    const content = [{ type: 'output_text', text, annotations: [] }]
    const items = calls.map(({ id, name, arguments: given }) => {
      return { type: 'function_call', id: `fc_${id}`, call_id: id, name, arguments: JSON.stringify(given) }
    })
    const message = { type: 'message', id: `msg_${turn}`, role: 'assistant', status: 'completed', content }
    const usage = {
      ...{ input_tokens: tokens, output_tokens: 5, total_tokens: tokens + 5 },
      input_tokens_details: { cached_tokens: cached },
    }
    const output = calls.length > 0 ? items : text === '' ? [] : [message]
    return { id: `resp_${turn}`, object: 'response', status: 'completed', model: 'm', output, usage }
  }
  const tool_calls = calls.map(({ id, name, arguments: given }) => {
    return { id, type: 'function', function: { name, arguments: JSON.stringify(given) } }
  })
  const message = { role: 'assistant', content: text || null, ...(calls.length > 0 ? { tool_calls } : {}) }
  return {
    ...{ id: `chatcmpl-${turn}`, object: 'chat.completion', created: 1, model: 'm' },
    choices: [{ index: 0, message, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }],
    usage: {
      ...{ prompt_tokens: tokens, completion_tokens: 5, total_tokens: tokens + 5 },
      prompt_tokens_details: { cached_tokens: cached },
    },
  }
}
