// Servers of the three protocols that refuse a history which the real ones refuse.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as z from 'zod'
import { chatReply, messagesReply, type Reply, responsesReply } from './replies.js'

export type Protocol = 'chat' | 'responses' | 'messages'

/** A server on loopback that answers with the next reply, or with 400 and the reason. */
export interface StrictServer extends AsyncDisposable {
  readonly baseURL: string
  readonly apiKey: string
  readonly requests: readonly Body[]
}

// biome-ignore lint/suspicious/noExplicitAny: the bodies of three protocols
type Body = any

export async function startStrictServer(
  protocol: Protocol,
  replies: readonly Reply[],
): Promise<StrictServer> {
  const requests: Body[] = []
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const body = JSON.parse(Buffer.concat(pieces).toString())
    requests.push(body)
    const flaw = request.url?.endsWith(paths[protocol]) ? findFlaw(protocol, body) : `no ${request.url}`
    const reply = replies[requests.length - 1] ?? { text: 'Yes.' }
    response.statusCode = flaw === undefined ? 200 : 400
    response.setHeader('content-type', 'application/json')
    const error = { type: 'invalid_request_error', message: flaw }
    const turn = requests.length
    response.end(
      JSON.stringify(flaw === undefined ? writers[protocol](reply, turn) : { type: 'error', error }),
    )
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    apiKey: 'k',
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

const paths = { chat: '/chat/completions', responses: '/responses', messages: '/messages' }
const writers = { chat: chatReply, responses: responsesReply, messages: messagesReply }

function findFlaw(protocol: Protocol, body: Body): string | undefined {
  const parsed = bodies[protocol].safeParse(body)
  if (!parsed.success) return z.prettifyError(parsed.error)
  if (JSON.stringify(body).includes('\\ud83d"')) return 'lone surrogate'
  return { chat: chatFlaw, responses: responsesFlaw, messages: messagesFlaw }[protocol](body)
}

const filled = z.string().min(1)
const toolId = z.string().regex(/^[a-zA-Z0-9_-]+$/)
const dataUrl = z.string().regex(/^(data:image\/png;base64,[A-Za-z0-9+/=]+|https:.*)$/)
const schema = z.looseObject({ type: z.literal('object') })

const chatBody = z.strictObject({
  model: filled,
  messages: z.array(
    z.discriminatedUnion('role', [
      z.strictObject({ role: z.literal('system'), content: z.string() }),
      z.strictObject({ role: z.literal('developer'), content: z.string() }),
      z.strictObject({
        role: z.literal('user'),
        content: z.union([
          z.string(),
          z.array(
            z.discriminatedUnion('type', [
              z.strictObject({ type: z.literal('text'), text: z.string() }),
              z.strictObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: dataUrl }) }),
            ]),
          ),
        ]),
      }),
      z.strictObject({
        role: z.literal('assistant'),
        content: z.string().nullable().optional(),
        refusal: z.string().nullable().optional(),
        // Only its own server sends it.
        reasoning_content: z.string().optional(),
        tool_calls: z
          .array(
            z.strictObject({
              id: filled,
              type: z.literal('function'),
              function: z.strictObject({ name: toolId, arguments: z.string().refine(isJson) }),
            }),
          )
          .min(1)
          .optional(),
      }),
      z.strictObject({ role: z.literal('tool'), tool_call_id: filled, content: z.string() }),
    ]),
  ),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        function: z.looseObject({ name: toolId, parameters: schema }),
      }),
    )
    .optional(),
  tool_choice: z.string().optional(),
})

/** Calls are followed by their results, and results follow their calls. */
function chatFlaw({ messages }: Body): string | undefined {
  let open = new Set<string>()
  const seen = new Set<string>()
  for (const [at, { role, content, tool_calls: calls = [], tool_call_id: id }] of messages.entries()) {
    if (role === 'tool') {
      if (!open.delete(id)) return `messages.${at}: no call "${id}" before this result`
      continue
    }
    if (open.size > 0) return `messages.${at}: calls without a result: ${[...open]}`
    if (role === 'assistant' && calls.length === 0 && typeof content !== 'string')
      return `messages.${at}: content is null without calls`
    for (const call of calls) if (seen.has(call.id)) return `messages.${at}: call id "${call.id}" twice`
    for (const call of calls) seen.add(call.id)
    open = new Set(calls.map((call: Body) => call.id))
  }
  return open.size > 0 ? `calls without a result at the end: ${[...open]}` : undefined
}

const inputPart = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('input_text'), text: z.string() }),
  z.strictObject({ type: z.literal('input_image'), image_url: dataUrl, detail: z.string().optional() }),
])
const outputPart = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('output_text'),
    text: z.string(),
    annotations: z.array(z.looseObject({})).optional(),
    logprobs: z.array(z.unknown()).optional(),
  }),
  z.strictObject({ type: z.literal('refusal'), refusal: z.string() }),
])
const itemFacts = { id: filled.optional(), status: z.string().optional() }

const responsesBody = z.strictObject({
  model: filled,
  store: z.literal(false),
  include: z.array(z.string()).optional(),
  instructions: z.string().optional(),
  stream: z.boolean().optional(),
  input: z.union([
    filled,
    z.array(
      z.union([
        z.strictObject({
          type: z.literal('message').optional(),
          role: z.enum(['user', 'system', 'developer']),
          content: z.union([z.string(), z.array(inputPart).min(1)]),
        }),
        z.strictObject({
          type: z.literal('message').optional(),
          role: z.literal('assistant'),
          content: z.union([z.string(), z.array(outputPart).min(1)]),
          phase: z.string().optional(),
          ...itemFacts,
        }),
        z.strictObject({
          type: z.literal('function_call'),
          call_id: filled.max(64),
          name: toolId,
          arguments: z.string().refine(isJson),
          ...itemFacts,
        }),
        z.strictObject({
          type: z.literal('function_call_output'),
          call_id: filled.max(64),
          output: z.union([z.string(), z.array(inputPart)]),
          ...itemFacts,
        }),
        z.strictObject({
          type: z.literal('reasoning'),
          summary: z.array(z.strictObject({ type: z.literal('summary_text'), text: z.string() })),
          encrypted_content: filled,
          ...itemFacts,
        }),
      ]),
    ),
  ]),
  tools: z
    .array(
      z.looseObject({
        type: z.literal('function'),
        name: toolId,
        parameters: schema,
        strict: z.boolean().nullable().optional(),
      }),
    )
    .optional(),
  tool_choice: z.string().optional(),
})

/** Each call has one output after it, and reasoning is followed by what it led to. */
function responsesFlaw({ input }: Body): string | undefined {
  if (typeof input === 'string') return undefined
  const open = new Set<string>()
  const seen = new Set<string>()
  for (const [at, item] of input.entries()) {
    if (item.type === 'function_call') {
      if (seen.has(item.call_id)) return `input.${at}: call_id "${item.call_id}" twice`
      seen.add(item.call_id)
      open.add(item.call_id)
    }
    if (item.type === 'function_call_output' && !open.delete(item.call_id))
      return `input.${at}: no call "${item.call_id}" before this output`
    const next = input[at + 1]
    if (item.type === 'reasoning' && (!next || next.role === 'user' || next.type === 'function_call_output'))
      return `input.${at}: reasoning without its following item`
  }
  return open.size > 0 ? `calls without an output: ${[...open]}` : undefined
}

const cache = z.strictObject({ type: z.literal('ephemeral'), ttl: z.string().optional() }).optional()
const textBlock = z.strictObject({
  type: z.literal('text'),
  text: z.string().regex(/\S/),
  cache_control: cache,
  citations: z.array(z.looseObject({})).nullable().optional(),
})
const imageBlock = z.strictObject({
  type: z.literal('image'),
  source: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('base64'), media_type: z.literal('image/png'), data: filled }),
    z.strictObject({ type: z.literal('url'), url: filled }),
  ]),
  cache_control: cache,
})

const messagesBody = z.strictObject({
  model: filled,
  max_tokens: z.number().int().positive(),
  stream: z.boolean().optional(),
  system: z.union([filled, z.array(textBlock).min(1)]).optional(),
  messages: z.array(
    z.discriminatedUnion('role', [
      z.strictObject({
        role: z.literal('user'),
        content: z.union([
          filled,
          z
            .array(
              z.discriminatedUnion('type', [
                textBlock,
                imageBlock,
                z.strictObject({
                  type: z.literal('tool_result'),
                  tool_use_id: toolId,
                  content: z.union([z.string(), z.array(z.union([textBlock, imageBlock]))]).optional(),
                  is_error: z.boolean().optional(),
                  cache_control: cache,
                }),
              ]),
            )
            .min(1),
        ]),
      }),
      z.strictObject({
        role: z.literal('assistant'),
        content: z.union([
          z.string().regex(/\S/),
          z
            .array(
              z.discriminatedUnion('type', [
                textBlock,
                z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: filled }),
                z.strictObject({ type: z.literal('redacted_thinking'), data: filled }),
                z.strictObject({
                  type: z.literal('tool_use'),
                  id: toolId,
                  name: toolId,
                  input: z.record(z.string(), z.unknown()),
                  cache_control: cache,
                }),
              ]),
            )
            .min(1),
        ]),
      }),
    ]),
  ),
  tools: z
    .array(
      z.strictObject({
        name: toolId,
        description: z.string().optional(),
        input_schema: schema,
        cache_control: cache,
        type: z.literal('custom').optional(),
      }),
    )
    .optional(),
  tool_choice: z.looseObject({ type: filled }).optional(),
})

/** The user begins, roles alternate, and each use of a tool has its result at once in the next message. */
function messagesFlaw({ messages }: Body): string | undefined {
  let open: string[] = []
  const seen = new Set<string>()
  for (const [at, { role, content }] of messages.entries()) {
    if (role !== (at % 2 === 0 ? 'user' : 'assistant')) return `messages.${at}: roles do not alternate`
    const blocks: Body[] = typeof content === 'string' ? [] : content
    const results = blocks.filter(({ type }) => type === 'tool_result').map((one) => one.tool_use_id)
    const first = blocks.slice(0, results.length).every(({ type }) => type === 'tool_result')
    if (!first) return `messages.${at}: results of tools do not come first`
    if (results.toSorted().join() !== open.toSorted().join())
      return `messages.${at}: tool_use ids ${open} need their results at once, found ${results}`
    open = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id)
    for (const id of open) if (seen.has(id)) return `messages.${at}: tool_use id "${id}" twice`
    for (const id of open) seen.add(id)
  }
  if (open.length > 0) return `tool_use without a result: ${open}`
  return messages.at(-1)?.role === 'assistant' ? 'the last message is of the assistant' : undefined
}

const bodies = { chat: chatBody, responses: responsesBody, messages: messagesBody }

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
