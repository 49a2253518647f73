// The server that the peers talk to, in its own process. Prints its address, then serves until it is killed.
//   POST /{scenario}/v1/chat/completions   returns one reply of the scenario's conversation
//   POST /tally                            returns counts and faults since the last tally
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import { type Arguments, callsOf, resultOf, runOf, type Scenario, scenarioOf, textOf } from './scenarios.js'

export interface Tally {
  requests: number
  /** Tool calls sent to peers. */
  calls: number
  /** Distinct faults in requests. */
  faults: string[]
}

interface Message {
  role: string
  content?: unknown
  tool_calls?: { id: string; function: { name: string; arguments: string } }[]
  tool_call_id?: string
}

interface Body {
  messages: Message[]
  stream?: boolean
  tools?: unknown[]
}

let tally: Tally = { requests: 0, calls: 0, faults: [] }

const server = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => answer(request, Buffer.concat(parts).toString(), response))
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', 1024, () =>
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
)

function answer({ url = '' }: IncomingMessage, body: string, response: ServerResponse): void {
  if (url === '/tally') {
    response.end(JSON.stringify(tally))
    tally = { requests: 0, calls: 0, faults: [] }
    return
  }
  try {
    const scenario = scenarioOf(url.split('/')[1] ?? '')
    const { messages, stream = false, tools } = JSON.parse(body) as Body
    tally.requests += 1
    if (tools?.length !== scenario.tools) throw new Error(`${tools?.length} tools, not ${scenario.tools}`)
    if (stream !== scenario.stream) throw new Error(`stream is ${stream}`)
    const { run, step } = readHistory(messages, scenario)
    if (stream) writeStream(run, { step, scenario }, response)
    else writeCompletion(run, { step, scenario }, response)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    if (!tally.faults.includes(message)) tally.faults.push(message)
    response.statusCode = 400
    response.end(JSON.stringify({ error: { message, type: 'invalid_request_error' } }))
  }
}

/** Returns the run and the next step. @throws when a message differs from the reply sent or the result expected */
function readHistory(messages: Message[], scenario: Scenario): { run: string; step: number } {
  const [user, ...rest] = messages.filter(({ role }) => role !== 'system' && role !== 'developer')
  const run = runOf(textIn(user?.content))
  if (user?.role !== 'user' || run === undefined) throw new Error(`no prompt: ${JSON.stringify(user)}`)
  const { calls } = scenario
  const step = rest.length / (1 + calls)
  if (!Number.isInteger(step)) throw new Error(`${rest.length} messages after the prompt`)
  for (let at = 0; at < step; at++) {
    const [reply, ...results] = rest.slice(at * (1 + calls), (at + 1) * (1 + calls))
    checkStep(reply, results, callsOf(run, at, scenario))
  }
  return { run, step }
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map((part) => part.text ?? '').join('') : ''
}

function checkStep(
  reply: Message | undefined,
  results: readonly Message[],
  calls: readonly ReturnType<typeof callsOf>[number][],
): void {
  for (const [index, call] of calls.entries()) {
    const echoed = reply?.tool_calls?.[index]
    const args = JSON.parse(call.arguments) as Arguments
    const isEchoed =
      reply?.role === 'assistant' &&
      echoed?.id === call.id &&
      echoed.function.name === call.name &&
      (echoed.function.arguments === call.arguments ||
        isDeepStrictEqual(JSON.parse(echoed.function.arguments), args))
    if (!isEchoed) throw new Error(`the call ${call.id} came back as ${JSON.stringify(reply)}`)
    const result = results.find(({ tool_call_id }) => tool_call_id === call.id)
    if (result?.role !== 'tool') throw new Error(`no result of ${call.id}`)
    if (!isDeepStrictEqual(JSON.parse(textIn(result.content)), resultOf(args)))
      throw new Error(`the result of ${call.id} is ${JSON.stringify(result.content)}`)
  }
}

interface Progress {
  readonly step: number
  readonly scenario: Scenario
}

/** Each reply has its own id: some frameworks treat two messages with one id as the same. */
function replyHead(run: string, { step }: Progress) {
  return { id: `chatcmpl-${run}-${step}`, created: 1_790_000_000, model: 'bench' }
}

const usage = { prompt_tokens: 900, completion_tokens: 60, total_tokens: 960 }

function toWireCalls(run: string, { step, scenario }: Progress) {
  const calls = callsOf(run, step, scenario)
  tally.calls += calls.length
  return calls.map(({ id, name, arguments: args }) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  }))
}

function writeCompletion(run: string, progress: Progress, response: ServerResponse): void {
  const isLast = progress.step === progress.scenario.steps
  const message = isLast
    ? { role: 'assistant', content: textOf(run, progress.scenario).join('') }
    : { role: 'assistant', content: null, tool_calls: toWireCalls(run, progress) }
  const choices = [{ index: 0, message, finish_reason: isLast ? 'stop' : 'tool_calls' }]
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ ...replyHead(run, progress), object: 'chat.completion', choices, usage }))
}

function toChunks(run: string, progress: Progress): string[] {
  const { step, scenario } = progress
  const head = { ...replyHead(run, progress), object: 'chat.completion.chunk' }
  const toChunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  const start = toChunk({ role: 'assistant', content: '' })
  const end = `data: ${JSON.stringify({ ...head, choices: [], usage })}\n\ndata: [DONE]\n\n`
  if (step === scenario.steps)
    return [start, ...textOf(run, scenario).map((content) => toChunk({ content })), toChunk({}, 'stop'), end]
  const pieces = toWireCalls(run, progress).flatMap(
    ({ id, type, function: { name, arguments: args } }, index) => [
      toChunk({ tool_calls: [{ index, id, type, function: { name, arguments: '' } }] }),
      ...cut(args, scenario.fragments).map((part) =>
        toChunk({ tool_calls: [{ index, function: { arguments: part } }] }),
      ),
    ],
  )
  return [start, ...pieces, toChunk({}, 'tool_calls'), end]
}

/** Splits a text into pieces of about the same size. */
function cut(text: string, pieces: number): string[] {
  const size = text.length / pieces
  return Array.from({ length: pieces }, (_, at) =>
    text.slice(Math.round(at * size), Math.round((at + 1) * size)),
  )
}

function writeStream(run: string, progress: Progress, response: ServerResponse): void {
  response.setHeader('content-type', 'text/event-stream')
  const chunks = toChunks(run, progress)
  if (progress.scenario.each) {
    writeSeparately(chunks, response)
    return
  }
  const bytes = Buffer.from(chunks.join(''))
  for (let at = 0; at < bytes.length; at += 16_384) response.write(bytes.subarray(at, at + 16_384))
  response.end()
}

/** Writes one chunk per turn of the event loop. */
function writeSeparately(chunks: readonly string[], response: ServerResponse, at = 0): void {
  if (at === chunks.length) {
    response.end()
    return
  }
  response.write(chunks[at])
  setImmediate(writeSeparately, chunks, response, at + 1)
}
