import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'
import { type ChatModel, chatModel } from '../../src/index.js'
import type { Message } from '../../src/types/message.js'
import { type MayBreak, PrefixWatch } from '../prefix/watch.js'
import type { ScriptedCall, SeenRequest } from '../scripted-server.js'
import { strictConversation } from './strict-conversation.js'

/** One answer of the model. */
export type Line = Said | { readonly status: number; readonly error: object } | 'never'

export interface Said {
  readonly text?: string
  readonly calls?: readonly ScriptedCall[]
  readonly refusal?: string
  readonly finish?: string
  /** Input and output tokens; `null`: not told. Default 10 and 5. */
  readonly tokens?: readonly [number, number] | null
}

/** The lines one after another, or a function of the request. */
export type Script = readonly Line[] | ((request: SeenRequest, n: number) => Line)

export interface StrictServer extends AsyncDisposable {
  /** The model that it serves, asked without retries. */
  readonly model: ChatModel
  readonly requests: readonly SeenRequest[]
  /** What was wrong with requests that were refused for it. */
  readonly faults: readonly string[]
}

/**
 * A real HTTP server that answers from a script, and 400 whatever no strict server would take. Each request has the one
 * before it in front, but for what `mayBreak` says.
 */
export async function startStrictServer(script: Script, mayBreak?: MayBreak): Promise<StrictServer> {
  const requests: SeenRequest[] = []
  const faults: string[] = []
  const watch = new PrefixWatch(mayBreak)
  const breaks: string[] = []
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const seen: SeenRequest = { headers: request.headers, body: JSON.parse(Buffer.concat(pieces).toString()) }
    const n = requests.push(seen) - 1
    const found = faultsOf(seen)
    faults.push(...found)
    if (found.length > 0) return fail(response, 400, { message: found.join('; ') })
    breaks.push(...watch.asked(seen.body))
    const line = typeof script === 'function' ? script(seen, n) : (script[n] ?? over)
    if (line === 'never') return
    if ('status' in line) return fail(response, line.status, line.error)
    watch.replied(seen.body, toMessage(line, n))
    if (seen.body.stream) stream(response, line, n)
    else
      send(response, 200, {
        choices: [{ message: toMessage(line, n), finish_reason: finishOf(line) }],
        ...usageOf(line),
      })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return {
    model: chatModel('m', { baseURL, apiKey: 'test-key-of-the-script', maxRetries: 0 }),
    requests,
    faults,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
      expect(breaks).toEqual([])
    },
  }
}

export const over: Line = { status: 400, error: { message: 'the script is over' } }

function faultsOf({ body: { messages, tools, tool_choice } }: SeenRequest): string[] {
  const faults = strictConversation(messages as readonly Message[])
  if (tools?.length === 0) faults.push('tools is an empty list')
  if (!tools && tool_choice !== undefined) faults.push('tool_choice comes without tools')
  return faults
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

function fail(response: ServerResponse, status: number, error: object): void {
  send(response, status, { error })
}

function toMessage({ text, refusal, ...line }: Said, n: number) {
  const calls = toCalls(line, n)
  return {
    role: 'assistant' as const,
    content: text ?? null,
    ...(refusal ? { refusal } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
}

/** Ids tell the request and the place in it: `call_0_1` is the second call of the first answer. */
function toCalls({ calls = [] }: Said, n: number): { index: number; id: string; [field: string]: unknown }[] {
  return calls.map(({ name, arguments: given = {}, id = undefined }, index) => {
    const text = typeof given === 'string' ? given : JSON.stringify(given)
    return { index, id: id ?? `call_${n}_${index}`, type: 'function', function: { name, arguments: text } }
  })
}

function finishOf({ calls, finish }: Said): string {
  return finish ?? (calls ? 'tool_calls' : 'stop')
}

function usageOf({ tokens = [10, 5] }: Said): object {
  if (tokens === null) return {}
  const [prompt_tokens, completion_tokens] = tokens
  return { usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens } }
}

/** Text word by word, each call as a whole. */
function stream(response: ServerResponse, line: Said, n: number): void {
  const deltas: object[] = [{ role: 'assistant', content: '' }]
  for (const content of line.text?.match(/\S+\s*/g) ?? []) deltas.push({ content })
  if (line.refusal) deltas.push({ refusal: line.refusal })
  for (const call of toCalls(line, n)) deltas.push({ tool_calls: [call] })
  const chunks = deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] }))
  const last = { choices: [{ index: 0, delta: {}, finish_reason: finishOf(line) }], ...usageOf(line) }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const chunk of [...chunks, last]) response.write(`data: ${JSON.stringify(chunk)}\n\n`)
  response.end('data: [DONE]\n\n')
}
