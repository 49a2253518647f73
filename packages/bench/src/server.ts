// The server that peers are measured against, in a process of its own. Prints its address, then serves until it is ended.
//   POST /{scenario}/v1/chat/completions   one answer of the scenario's conversation
//   POST /tally                            what came since the last tally
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import { type Arguments, callsOf, resultOf, runOf, wordsOf } from './conversation.js'
import { type Scenario, scenarioOf } from './scenarios.js'

export interface Tally {
  requests: number
  /** Calls handed out. */
  calls: number
  /** What was wrong with requests, each once. */
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

/** Where the conversation stands. @throws for a history that is not, message by message, what was said and what was to be done */
function readHistory(messages: Message[], scenario: Scenario): { run: string; step: number } {
  const [user, ...turns] = messages.filter(({ role }) => role !== 'system' && role !== 'developer')
  const run = runOf(wordsIn(user?.content))
  if (user?.role !== 'user' || run === undefined) throw new Error(`no prompt: ${JSON.stringify(user)}`)
  const { calls } = scenario
  const step = turns.length / (1 + calls)
  if (!Number.isInteger(step)) throw new Error(`${turns.length} messages after the prompt`)
  for (let at = 0; at < step; at++) {
    const [said, ...results] = turns.slice(at * (1 + calls), (at + 1) * (1 + calls))
    checkTurn(said, results, callsOf(run, at, scenario))
  }
  return { run, step }
}

function wordsIn(content: unknown): string {
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map((part) => part.text ?? '').join('') : ''
}

function checkTurn(
  said: Message | undefined,
  results: readonly Message[],
  calls: readonly ReturnType<typeof callsOf>[number][],
): void {
  for (const [index, call] of calls.entries()) {
    const echoed = said?.tool_calls?.[index]
    const args = JSON.parse(call.arguments) as Arguments
    const isEchoed =
      said?.role === 'assistant' &&
      echoed?.id === call.id &&
      echoed.function.name === call.name &&
      (echoed.function.arguments === call.arguments ||
        isDeepStrictEqual(JSON.parse(echoed.function.arguments), args))
    if (!isEchoed) throw new Error(`the call ${call.id} came back as ${JSON.stringify(said)}`)
    const result = results.find(({ tool_call_id }) => tool_call_id === call.id)
    if (result?.role !== 'tool') throw new Error(`no result of ${call.id}`)
    if (!isDeepStrictEqual(JSON.parse(wordsIn(result.content)), resultOf(args)))
      throw new Error(`the result of ${call.id} is ${JSON.stringify(result.content)}`)
  }
}

interface Place {
  readonly step: number
  readonly scenario: Scenario
}

/** Each answer has an id of its own: some frameworks take two messages of one id for the same. */
function headOf(run: string, { step }: Place) {
  return { id: `chatcmpl-${run}-${step}`, created: 1_790_000_000, model: 'bench' }
}

const usage = { prompt_tokens: 900, completion_tokens: 60, total_tokens: 960 }

function toWireCalls(run: string, { step, scenario }: Place) {
  const calls = callsOf(run, step, scenario)
  tally.calls += calls.length
  return calls.map(({ id, name, arguments: args }) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  }))
}

function writeCompletion(run: string, place: Place, response: ServerResponse): void {
  const isLast = place.step === place.scenario.steps
  const message = isLast
    ? { role: 'assistant', content: wordsOf(run, place.scenario).join('') }
    : { role: 'assistant', content: null, tool_calls: toWireCalls(run, place) }
  const choices = [{ index: 0, message, finish_reason: isLast ? 'stop' : 'tool_calls' }]
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ ...headOf(run, place), object: 'chat.completion', choices, usage }))
}

function toChunks(run: string, place: Place): string[] {
  const { step, scenario } = place
  const head = { ...headOf(run, place), object: 'chat.completion.chunk' }
  const toChunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  const start = toChunk({ role: 'assistant', content: '' })
  const end = `data: ${JSON.stringify({ ...head, choices: [], usage })}\n\ndata: [DONE]\n\n`
  if (step === scenario.steps)
    return [start, ...wordsOf(run, scenario).map((content) => toChunk({ content })), toChunk({}, 'stop'), end]
  const pieces = toWireCalls(run, place).flatMap(
    ({ id, type, function: { name, arguments: args } }, index) => [
      toChunk({ tool_calls: [{ index, id, type, function: { name, arguments: '' } }] }),
      ...cut(args, scenario.fragments).map((part) =>
        toChunk({ tool_calls: [{ index, function: { arguments: part } }] }),
      ),
    ],
  )
  return [start, ...pieces, toChunk({}, 'tool_calls'), end]
}

/** A text in so many pieces of about one size. */
function cut(text: string, pieces: number): string[] {
  const size = text.length / pieces
  return Array.from({ length: pieces }, (_, at) =>
    text.slice(Math.round(at * size), Math.round((at + 1) * size)),
  )
}

function writeStream(run: string, place: Place, response: ServerResponse): void {
  response.setHeader('content-type', 'text/event-stream')
  const chunks = toChunks(run, place)
  if (place.scenario.each) {
    writeEach(chunks, response)
    return
  }
  const bytes = Buffer.from(chunks.join(''))
  for (let at = 0; at < bytes.length; at += 16_384) response.write(bytes.subarray(at, at + 16_384))
  response.end()
}

/** The next piece only when the one before has gone its way. */
function writeEach(chunks: readonly string[], response: ServerResponse, at = 0): void {
  if (at === chunks.length) {
    response.end()
    return
  }
  response.write(chunks[at])
  setImmediate(writeEach, chunks, response, at + 1)
}
