// What a step over /responses and /messages costs beside one over /chat/completions, in CPU of the process of the run.
// A step is one reply with one call. Fails above 1.3 times the cost.
// Usage: node --conditions=development --import=tsx packages/core/test/prove-protocol-cost.ts [ROUNDS]
import { fork } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { Agent, type ChatModel, chatModel, tool } from '../src/index.js'
import { messagesModel } from '../src/messages.js'
import { responsesModel } from '../src/responses.js'
import { cpuTime } from './cpu-time.js'

const most = 1.3
const steps = 20
/** Pieces of the arguments, and of the last text. */
const pieces = 12
const name = 'book_hotel'
const instructions = 'You book hotels. Call the tool, then say what you booked.'
const words = Array.from({ length: pieces }, (_, at) => ` word${at}`)
const parameters = z.object({
  city: z.string().min(1).describe('Name of the city'),
  date: z.string().describe('First night, as YYYY-MM-DD'),
  guests: z.number().int().min(1).max(12),
  note: z.string().optional(),
})

/** The call of a step, the first of which is 0. Its text is cut into pieces. */
function callOf(step: number) {
  const note = `booking ${step}${' and so on'.repeat(4)}`
  const text = JSON.stringify({ city: 'Oslo', date: `2027-03-${10 + (step % 20)}`, guests: 2, note })
  const at = (piece: number) => Math.round((piece * text.length) / pieces)
  const parts = Array.from({ length: pieces }, (_, piece) => text.slice(at(piece), at(piece + 1)))
  return { id: `call_${step}`, text, parts }
}

type Fields = Readonly<Record<string, unknown>>

/** A reply of a server: a body, and the events of its stream. */
interface Reply {
  readonly body: Fields
  readonly events: readonly Fields[]
  /** What follows the last event. */
  readonly end?: string
}

const protocols = {
  'chat/completions': { model: chatModel, result: /"role":"tool"/g, reply: chatReply },
  responses: { model: responsesModel, result: /"type":"function_call_output"/g, reply: responsesReply },
  messages: { model: messagesModel, result: /"type":"tool_result"/g, reply: messagesReply },
} as const

function chatReply(step: number): Reply {
  const { id, text, parts } = callOf(step)
  const isLast = step === steps
  const head = { id: `chatcmpl-${step}`, created: 1790000000, model: 'm', system_fingerprint: 'fp_1' }
  const usage = { prompt_tokens: 900, completion_tokens: 60, total_tokens: 960 }
  const call = { id, type: 'function', function: { name, arguments: text } }
  const message = isLast ? { content: words.join('') } : { content: null, tool_calls: [call] }
  const finish_reason = isLast ? 'stop' : 'tool_calls'
  const chunk = (delta: object, reason: string | null = null) => ({
    ...{ ...head, object: 'chat.completion.chunk' },
    choices: [{ index: 0, delta, finish_reason: reason }],
  })
  const piece = (fields: object, called: object) =>
    chunk({ tool_calls: [{ index: 0, ...fields, function: called }] })
  const deltas = isLast
    ? words.map((content) => chunk({ content }))
    : [
        piece({ id, type: 'function' }, { name, arguments: '' }),
        ...parts.map((part) => piece({}, { arguments: part })),
      ]
  return {
    body: {
      ...{ ...head, object: 'chat.completion' },
      choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
      usage,
    },
    events: [
      chunk({ role: 'assistant', content: '' }),
      ...deltas,
      chunk({}, finish_reason),
      { ...head, object: 'chat.completion.chunk', choices: [], usage },
    ],
    end: 'data: [DONE]\n\n',
  }
}

function responsesReply(step: number): Reply {
  const { id, text, parts } = callOf(step)
  const isLast = step === steps
  const item_id = `item_${step}`
  const part = { type: 'output_text', text: words.join(''), annotations: [] }
  const item = isLast
    ? { id: item_id, type: 'message', role: 'assistant', status: 'completed', content: [part] }
    : { id: item_id, type: 'function_call', status: 'completed', call_id: id, name, arguments: text }
  const usage = { input_tokens: 900, output_tokens: 60, total_tokens: 960 }
  const response = (status: string, output: readonly Fields[]) => ({
    ...{ id: `resp_${step}`, object: 'response', created_at: 1790000000, status, model: 'm', output },
    ...{ instructions, store: false, temperature: 1, top_p: 1, truncation: 'disabled', error: null },
    ...(status === 'completed' ? { usage } : {}),
  })
  const place = { item_id, output_index: 0 }
  const kind = isLast ? 'output_text' : 'function_call_arguments'
  const open = isLast ? { ...item, content: [] } : { ...item, arguments: '' }
  const started = [
    { type: 'response.created', response: response('in_progress', []) },
    { type: 'response.in_progress', response: response('in_progress', []) },
    { type: 'response.output_item.added', output_index: 0, item: { ...open, status: 'in_progress' } },
  ]
  const added = (isLast ? words : parts).map((delta) => ({ type: `response.${kind}.delta`, ...place, delta }))
  const ended = [
    { type: `response.${kind}.done`, ...place, ...(isLast ? { text: part.text } : { arguments: text }) },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: response('completed', [item]) },
  ]
  const events = [...started, ...added, ...ended]
  return {
    body: response('completed', [item]),
    events: events.map((event, sequence_number) => ({ ...event, sequence_number })),
  }
}

function messagesReply(step: number): Reply {
  const { id, text, parts } = callOf(step)
  const isLast = step === steps
  const usage = { input_tokens: 900, output_tokens: 60 }
  const stop_reason = isLast ? 'end_turn' : 'tool_use'
  const block = isLast
    ? { type: 'text', text: words.join('') }
    : { type: 'tool_use', id, name, input: JSON.parse(text) }
  const message = (content: readonly Fields[], reason: string | null) => ({
    ...{ id: `msg_${step}`, type: 'message', role: 'assistant', model: 'm', content },
    ...{ stop_reason: reason, stop_sequence: null, usage },
  })
  const open = isLast ? { type: 'text', text: '' } : { ...block, input: {} }
  const deltas = isLast
    ? words.map((word) => ({ type: 'text_delta', text: word }))
    : parts.map((partial_json) => ({ type: 'input_json_delta', partial_json }))
  return {
    body: message([block], stop_reason),
    events: [
      { type: 'message_start', message: message([], null) },
      { type: 'content_block_start', index: 0, content_block: open },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index: 0, delta })),
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
      { type: 'message_stop' },
    ],
  }
}

/** Answers all protocols, in a process of its own. The path names the protocol. */
function serve(): void {
  const written = new Map<string, string>()
  const write = (path: string, body: string) => {
    const [, protocol] = Object.entries(protocols).find(([end]) => path.endsWith(end)) ?? []
    if (!protocol) throw new Error(`No reply to ${path}.`)
    const step = body.match(protocol.result)?.length ?? 0
    const isStream = body.includes('"stream":true')
    const key = `${path} ${step} ${isStream}`
    const reply = protocol.reply(step)
    const event = (one: Fields) => `${one.type ? `event: ${one.type}\n` : ''}data: ${JSON.stringify(one)}\n\n`
    const text = isStream ? reply.events.map(event).join('') + (reply.end ?? '') : JSON.stringify(reply.body)
    written.set(key, written.get(key) ?? text)
    return { type: isStream ? 'text/event-stream' : 'application/json', text: written.get(key) }
  }
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { type, text } = write(request.url ?? '', Buffer.concat(parts).toString())
      response.writeHead(200, { 'content-type': type }).end(text)
    })
  })
  server.listen(0, '127.0.0.1', () =>
    process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`),
  )
}

/** Returns a run of all steps, which checks its outcome. */
function runOf(model: ChatModel, stream: boolean): () => Promise<void> {
  const book = tool({
    name,
    description: 'Books a hotel. Use it once for each stay.',
    parameters,
    execute: ({ city, guests }) => ({ hotel: `The ${city}`, rooms: Math.ceil(guests / 2) }),
  })
  const agent = new Agent({ model, instructions, tools: [book], limits: { steps: steps + 1 } })
  return async () => {
    const run = stream ? await agent.stream('Book hotels.').result : await agent.run('Book hotels.')
    const { text, toolCalls } = run.orThrow()
    if (text !== words.join('') || toolCalls.length !== steps)
      throw new Error(`${model.name}: ${text}, ${toolCalls.length} calls`)
  }
}

/** Measures in turns, so that a busy machine is as busy for each protocol. Returns milliseconds of a step. */
async function measure(runs: readonly (() => Promise<void>)[], rounds: number): Promise<readonly number[]> {
  const times = runs.map((): number[] => [])
  for (let round = 0; round < rounds; round++)
    for (let turn = 0; turn < runs.length; turn++) {
      const at = (turn + round) % runs.length
      times[at]?.push((await cpuTime(runs[at] as () => Promise<void>)) / (steps + 1))
    }
  // The first third is code that is not compiled yet, and the slower ones had another process beside them.
  return times.map((all) => lowerQuartileOf(all.slice(rounds / 3)))
}

function lowerQuartileOf(list: readonly number[]): number {
  return list.toSorted((one, other) => one - other)[list.length >> 2] ?? Number.NaN
}

if (process.argv[2] === 'serve') serve()
else {
  const server = fork(fileURLToPath(import.meta.url), ['serve'])
  const baseURL = await new Promise<string>((ready) => server.once('message', (url) => ready(String(url))))
  for (const stream of [false, true]) {
    const runs = Object.values(protocols).map(({ model }) =>
      runOf(model('m', { baseURL, apiKey: 'key' }), stream),
    )
    const [chat = Number.NaN, ...others] = await measure(runs, Number(process.argv[2] ?? 200))
    const parts = others.map((ms, at) => `${Object.keys(protocols)[at + 1]} ${(ms / chat).toFixed(2)}`)
    console.log(
      `${stream ? 'streamed' : 'whole'}: a step over chat/completions takes ${(chat * 1000).toFixed(0)} µs of CPU; times that: ${parts.join(', ')}`,
    )
    if (others.some((ms) => !(ms <= most * chat))) process.exitCode = 1
  }
  server.kill()
}
