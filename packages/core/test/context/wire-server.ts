import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseMessages } from '../../../service/src/endpoints/chat-messages.js'
import { parseConversation } from '../../../service/src/endpoints/messages-content.js'
import { parseInput } from '../../../service/src/endpoints/responses-input.js'
import { type ChatModel, chatModel } from '../../src/index.js'
import { messagesModel } from '../../src/messages.js'
import { responsesModel } from '../../src/responses.js'
import { strictConversation } from '../run-control/strict-conversation.js'

const protocols = { chatModel, responsesModel, messagesModel } as const
export type Protocol = keyof typeof protocols
export const protocolNames = Object.keys(protocols) as readonly Protocol[]

/** A request that was answered. */
export interface Asked {
  /** The name of the model. */
  readonly model: string
  /** Its number among the answered requests of this model that have tools, from 0. */
  readonly turn: number
  /** The tools, instructions and messages as one text. Files are left out. */
  readonly prompt: string
  readonly tokens: number
  readonly cached: number
  /** Whether it has no tools. */
  readonly isSummary: boolean
  readonly body: Body
}

/** A reply: text, calls, or both. A number is the status of an error. */
export type Said =
  | number
  | {
      readonly text?: string
      readonly calls?: readonly { readonly name: string; readonly arguments: object }[]
    }

type Body = Readonly<Record<string, unknown>>

interface WireOptions {
  readonly say: (asked: Asked) => Said | Promise<Said>
  /** Prompts with more tokens are refused. Default: none is. */
  readonly window?: number
  /** Characters of a token. Default 4. */
  readonly characters?: number
  /** Whether a refusal tells the window and the tokens. Default true. */
  readonly tells?: boolean
  /** Counts the tokens of a picture by its bytes. Default 1000. */
  readonly countPicture?: (bytes: Buffer) => number
}

export interface WireServer extends AsyncDisposable {
  readonly answered: readonly Asked[]
  /** The tokens of refused prompts. */
  readonly refused: readonly number[]
  /** What no strict server of its protocol takes. */
  readonly faults: string[]
  model(
    protocol: Protocol,
    options?: { readonly contextTokens?: number; readonly name?: string; readonly vision?: boolean },
  ): ChatModel
}

/**
 * Starts a server of three protocols on loopback. It counts the tokens of prompts and those that extend an earlier one,
 * refuses prompts that are too long, and finds faults in conversations as the strictest servers do.
 */
export async function startWireServer({
  say,
  window = Number.POSITIVE_INFINITY,
  characters = 4,
  tells = true,
  countPicture = () => 1000,
}: WireOptions): Promise<WireServer> {
  const answered: Asked[] = []
  const refused: number[] = []
  const faults: string[] = []
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const body: Body = JSON.parse(Buffer.concat(pieces).toString())
    const path = request.url ?? ''
    faults.push(...faultsOf(path, body))
    const { prompt, pictures } = promptOf(body)
    const ofPictures = pictures.reduce((sum, bytes) => sum + countPicture(bytes), 0)
    const tokens = Math.ceil(lengthOf(body) / characters + ofPictures)
    const fail = (status: number, error: object) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ type: 'error', error }))
    }
    if (tokens > window) {
      refused.push(tokens)
      return fail(400, { type: 'invalid_request_error', message: refusal(path, tells, tokens, window) })
    }
    const model = String(body.model)
    const isSummary = !body.tools
    const before = answered.filter((one) => one.model === model && !one.isSummary)
    const shared = Math.max(0, ...before.slice(-3).map((one) => sharedStart(one.prompt, prompt)))
    const asked: Asked = {
      ...{ model, prompt, tokens, isSummary, body, turn: before.length },
      cached: isSummary ? 0 : Math.floor((tokens * shared) / prompt.length),
    }
    const said = await say(asked)
    if (typeof said === 'number') return fail(said, { type: 'api_error', message: 'Out of order.' })
    answered.push(asked)
    reply(response, path, { said, asked, number: answered.length })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return {
    ...{ answered, refused, faults },
    model: (protocol, { name = 'm', ...options } = {}) =>
      protocols[protocol](name, { baseURL, apiKey: 'key-of-the-wire', maxRetries: 0, ...options }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/** Refusals in the words of OpenAI's chat and Responses, and of Anthropic. */
function refusal(path: string, tells: boolean, tokens: number, window: number): string {
  if (!tells)
    return 'Your input exceeds the context window of this model. Please adjust your input and try again.'
  return path.endsWith('/messages')
    ? `prompt is too long: ${tokens} tokens > ${window} maximum`
    : `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`
}

/** A prompt without the marks for a cache, and its pictures: their bytes are no tokens. */
function promptOf({ tools = [], system, instructions, messages, input }: Body) {
  const pictures: Buffer[] = []
  const toText = (value: unknown) =>
    JSON.stringify(value, (key, field) => {
      if (key === 'cache_control') return undefined
      const isData = typeof field === 'string' && (field.startsWith('data:') || key === 'data')
      if (isData) pictures.push(Buffer.from(field.slice(field.indexOf(',') + 1), 'base64'))
      return isData ? `${field.slice(0, 8)}${field.length}` : field
    })
  const prompt = `${toText(tools)}${toText(system ?? instructions ?? '')}${toText(messages ?? input)}`
  return { prompt, pictures }
}

/** The characters of a prompt as templates write it: texts, and some for each message. Tools are JSON. */
function lengthOf({ tools = [], system, instructions, messages, input }: Body): number {
  const all = [system ?? instructions ?? '', ...((messages ?? input) as readonly unknown[])]
  return JSON.stringify(tools).length + all.reduce<number>((sum, one) => sum + 16 + textLength(one), 0)
}

function textLength(value: unknown, name = ''): number {
  if (typeof value === 'string')
    return /^(type|role|media_type|data|.*id)$/.test(name) || value.startsWith('data:') ? 0 : value.length
  if (name === 'input' && !Array.isArray(value)) return JSON.stringify(value).length
  if (typeof value !== 'object' || value === null) return 0
  return Object.entries(value).reduce((sum, [key, field]) => sum + textLength(field, key), 0)
}

/** Whether a prompt extends another one. A note may be added to the last message of the user. */
export function isExtending(before: Asked | undefined, { prompt }: Asked): boolean {
  return before === undefined || prompt.startsWith(before.prompt.replace(/["\]}]+$/, ''))
}

function sharedStart(one: string, other: string): number {
  let [low, high] = [0, Math.min(one.length, other.length)]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (one.startsWith(other.slice(low, middle), low)) low = middle
    else high = middle - 1
  }
  return low
}

function faultsOf(path: string, body: Body): readonly string[] {
  const faults: string[] = []
  try {
    if (path.endsWith('/messages'))
      faults.push(...turnFaults(body.messages as never), ...parsed(parseConversation(body.messages)))
    else if (path.endsWith('/responses'))
      faults.push(...itemFaults(body.input as never), ...parsed(parseInput(body.input, () => undefined)))
    else faults.push(...strictConversation(body.messages as never), ...parsed(parseMessages(body.messages)))
  } catch (error) {
    faults.push(String(error))
  }
  const { tools, tool_choice: choice } = body
  if (Array.isArray(tools) && tools.length === 0) faults.push('tools is empty')
  if (!tools && choice !== undefined) faults.push('tool_choice comes without tools')
  return faults.map((fault) => `${path}: ${fault}`)
}

/** The fewest messages of a request: it must ask for something. */
function parsed(messages: readonly { readonly role: string }[]): readonly string[] {
  const { role } = messages.at(-1) ?? {}
  return [
    ...(role === 'assistant' ? ['it ends in a reply'] : []),
    ...(messages.some((one) => one.role === 'user') ? [] : ['it has no message of the user']),
  ]
}

/** Each call has its output before the next message, and an id of its own. */
function itemFaults(
  items: readonly { readonly type: string; readonly call_id: string }[],
): readonly string[] {
  const [ids, open] = [new Set<string>(), new Set<string>()]
  const faults = items.flatMap(({ type, call_id: id }, at) => {
    if (type === 'function_call_output') return open.delete(id) ? [] : [`input[${at}] answers no open call`]
    if (type !== 'function_call') return open.size > 0 ? [`input[${at}] comes while calls are open`] : []
    const isTaken = ids.has(id)
    ids.add(id)
    open.add(id)
    return isTaken ? [`input[${at}] has the id of another call`] : []
  })
  return open.size > 0 ? [...faults, 'input ends while calls are open'] : faults
}

/** Turns begin with the user's, and alternate. */
function turnFaults(
  messages: readonly { readonly role: string; readonly content: unknown }[],
): readonly string[] {
  return messages.flatMap(({ role, content }, at) => [
    ...(role === (at % 2 === 0 ? 'user' : 'assistant') ? [] : [`messages[${at}] has the role ${role}`]),
    ...(content === '' || (Array.isArray(content) && content.length === 0)
      ? [`messages[${at}] is empty`]
      : []),
  ])
}

interface Answer {
  readonly said: Exclude<Said, number>
  readonly asked: Asked
  readonly number: number
}

function reply(response: ServerResponse, path: string, answer: Answer): void {
  const [whole, events] = path.endsWith('/messages')
    ? asMessage(answer)
    : path.endsWith('/responses')
      ? asResponse(answer)
      : asCompletion(answer)
  const isStream = Boolean(answer.asked.body.stream)
  response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
  if (!isStream) return void response.end(JSON.stringify(whole))
  const lines = events.map(
    (event) => `${event.type ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`,
  )
  response.end(`${lines.join('')}${path.endsWith('/completions') ? 'data: [DONE]\n\n' : ''}`)
}

type Event = Readonly<Record<string, unknown>>

/** A whole reply, and the same as events. */
type Forms = readonly [whole: object, events: readonly Event[]]

function callsIn({ said, number }: Answer) {
  return (said.calls ?? []).map((call, at) => ({ ...call, id: `call_${number}_${at}` }))
}

function asMessage(answer: Answer): Forms {
  const { said, asked, number } = answer
  const calls = callsIn(answer).map(({ id, name, arguments: input }) => ({
    type: 'tool_use',
    id,
    name,
    input,
  }))
  const content: readonly Event[] = [...(said.text ? [{ type: 'text', text: said.text }] : []), ...calls]
  const usage = {
    input_tokens: asked.tokens - asked.cached,
    cache_read_input_tokens: asked.cached,
    output_tokens: 5,
  }
  const head = { id: `msg_${number}`, type: 'message', role: 'assistant', model: asked.model }
  const stop_reason = calls.length > 0 ? 'tool_use' : 'end_turn'
  const whole = { ...head, content, stop_reason, stop_sequence: null, usage }
  const blocks = content.flatMap((block, index) => {
    const { type, text, input } = block
    const start = type === 'text' ? { ...block, text: '' } : { ...block, input: {} }
    const delta =
      type === 'text'
        ? { type: 'text_delta', text }
        : { type: 'input_json_delta', partial_json: JSON.stringify(input) }
    return [
      { type: 'content_block_start', index, content_block: start },
      { type: 'content_block_delta', index, delta },
      { type: 'content_block_stop', index },
    ]
  })
  return [
    whole,
    [
      { type: 'message_start', message: { ...head, content: [], stop_reason: null, usage } },
      ...blocks,
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ],
  ]
}

function asResponse(answer: Answer): Forms {
  const { said, asked, number } = answer
  const { model, tokens, cached } = asked
  const items = callsIn(answer).map(({ id, name, arguments: given }) => ({
    ...{ type: 'function_call', id: `fc_${id}`, call_id: id, name },
    arguments: JSON.stringify(given),
  }))
  const content = [{ type: 'output_text', text: said.text, annotations: [] }]
  const message = { type: 'message', id: `msg_${number}`, role: 'assistant', status: 'completed', content }
  const output: readonly Event[] = [...(said.text ? [message] : []), ...items]
  const usage = {
    ...{ input_tokens: tokens, output_tokens: 5, total_tokens: tokens + 5 },
    input_tokens_details: { cached_tokens: cached },
  }
  const whole = { id: `resp_${number}`, object: 'response', status: 'completed', model, output, usage }
  const done = output.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item }))
  return [whole, [...done, { type: 'response.completed', response: whole }]]
}

function asCompletion(answer: Answer): Forms {
  const { said, asked, number } = answer
  const { model, tokens, cached } = asked
  const tool_calls = callsIn(answer).map(({ id, name, arguments: given }, index) => ({
    ...{ index, id, type: 'function' },
    function: { name, arguments: JSON.stringify(given) },
  }))
  const message = {
    ...{ role: 'assistant', content: said.text ?? null },
    ...(tool_calls.length > 0 ? { tool_calls } : {}),
  }
  const usage = {
    ...{ prompt_tokens: tokens, completion_tokens: 5, total_tokens: tokens + 5 },
    prompt_tokens_details: { cached_tokens: cached },
  }
  const finish_reason = tool_calls.length > 0 ? 'tool_calls' : 'stop'
  const head = { id: `chatcmpl-${number}`, created: 1, model }
  const chunk = { ...head, object: 'chat.completion.chunk' }
  return [
    { ...head, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage },
    [
      { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
      { ...chunk, choices: [], usage },
    ],
  ]
}
