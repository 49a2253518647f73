import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import {
  Agent,
  type AssistantMessage,
  type ChatModel,
  chatModel,
  fallback,
  jsonSchema,
  type Message,
  tool,
} from '../../src/index.js'
import { callsOf } from '../../src/internal.js'
import { openaiModel } from '../../src/openai.js'
import { type PickyRequest, type PickyServer, type Refused, startPickyServer } from '../picky-server.js'

const look = tool({
  name: 'look',
  description: 'Looks',
  parameters: jsonSchema({ type: 'object', properties: { at: { type: 'integer' } }, required: ['at'] }),
  execute: ({ at }: { at: number }) => `seen ${at}`,
})

/** What one server puts into its replies: fields of the message, of calls, and of their functions. */
const ownFields = (count: number) => ({
  reasoning_content: `Thought ${count}: "é" \u{1f30c}\n`,
  reasoning_details: [{ type: 'reasoning.encrypted', data: `ab${count}==`, index: 0, format: null }],
  annotations: [],
})
const ownCallFields = (count: number) => ({
  extra_content: { google: { thought_signature: `sig+/${count}` } },
})

const turns = 5

/** Four calls, then words; with the fields of the server, if it has some. */
const replies =
  (prefix: string, { own }: { readonly own: boolean }, last: () => boolean) =>
  (count: number): Omit<AssistantMessage, 'role'> => {
    const fields = own ? ownFields(count) : {}
    if (last()) return { ...fields, content: 'Done.' }
    const call = { name: 'look', arguments: JSON.stringify({ at: count }) }
    return {
      ...fields,
      content: null,
      tool_calls: [
        { ...(own ? ownCallFields(count) : {}), id: `${prefix}_${count}`, type: 'function', function: call },
      ],
    }
  }

const allowed = new Set(['role', 'content', 'tool_calls', 'tool_call_id'])
const allowedInCalls = new Set(['id', 'type', 'function'])

/** Refuses what a strict server refuses, in the words of Groq. */
function refuseUnknownFields({ messages }: PickyRequest): Refused | undefined {
  for (const [at, message] of messages.entries()) {
    const calls = 'tool_calls' in message ? (message.tool_calls ?? []) : []
    const unknown =
      Object.keys(message).find((name) => !allowed.has(name)) ??
      calls.flatMap((call) => Object.keys(call)).find((name) => !allowedInCalls.has(name))
    if (unknown !== undefined)
      return [
        400,
        `'messages.${at}' : for 'role:${message.role}' the following must be satisfied[('messages.${at}' : property '${unknown}' is unsupported)]`,
      ]
  }
  return undefined
}

/** Refuses a reply of its own that comes back without the fields that it had. */
function refuseLostFields({ messages }: PickyRequest): Refused | undefined {
  for (const message of messages) {
    const [call] = message.role === 'assistant' ? (message.tool_calls ?? []) : []
    if (!call?.id.startsWith('own_')) continue
    const count = Number(call.id.slice('own_'.length))
    const { role: _, content: __, tool_calls: ___, ...fields } = message as AssistantMessage
    const { id: ____, type: _____, function: ______, ...callFields } = call
    const [sent, had] = [
      [fields, callFields],
      [ownFields(count), ownCallFields(count)],
    ].map((pair) => JSON.stringify(pair))
    if (sent !== had) return [400, `This is not what I said: ${sent}, not ${had}.`]
  }
  return undefined
}

interface Pair extends AsyncDisposable {
  readonly own: PickyServer
  readonly strict: PickyServer
}

/** Two servers that take turns: each is overloaded at every second request of a run. */
async function startPair(first: 'own' | 'strict'): Promise<Pair> {
  const before = { own: 0, strict: 0 }
  const overloaded = (name: 'own' | 'strict'): Refused | undefined => {
    before[name] += 1
    return name === first && before[name] % 2 === 0 ? [503, 'overloaded'] : undefined
  }
  const servers: { own?: PickyServer; strict?: PickyServer } = {}
  const isLast = () => (servers.own?.requests.length ?? 0) + (servers.strict?.requests.length ?? 0) === turns
  const own = await startPickyServer(
    (request) => overloaded('own') ?? refuseLostFields(request),
    replies('own', { own: true }, isLast),
  )
  const strict = await startPickyServer(
    (request) => overloaded('strict') ?? refuseUnknownFields(request),
    replies('strict', { own: false }, isLast),
  )
  Object.assign(servers, { own, strict })
  return {
    own,
    strict,
    async [Symbol.asyncDispose]() {
      await Promise.all([own[Symbol.asyncDispose](), strict[Symbol.asyncDispose]()])
    },
  }
}

const models: Readonly<Record<string, (name: string, server: PickyServer) => ChatModel>> = {
  chatModel: (name, server) => chatModel(name, { ...server, maxRetries: 0 }),
  openaiModel: (name, server) => openaiModel(new OpenAI({ ...server }), name, { maxRetries: 0 }),
}
const both = ['chatModel', 'openaiModel'].flatMap((kind) => [
  ['own', 'strict', kind, false] as const,
  ['own', 'strict', kind, true] as const,
  ['strict', 'own', kind, false] as const,
  ['strict', 'own', kind, true] as const,
])

test.each(both)(
  'five turns of a server with fields of its own and a strict one: fallback([%s, %s]) of %s, streamed: %s',
  async (first, second, kind, isStreamed) => {
    await using pair = await startPair(first)
    const create = models[kind] as (name: string, server: PickyServer) => ChatModel
    const model = fallback([create('a', pair[first]), create('b', pair[second])])
    const agent = new Agent({ model, tools: [look] })
    const { text, stepCount, toolCalls, state } = await (isStreamed
      ? agent.stream('Look.').result
      : agent.run('Look.'))
    expect(text).toBe('Done.')
    expect(stepCount).toBe(turns)
    expect(toolCalls.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok'])
    expect([pair.own.requests.length, pair.strict.requests.length].sort()).toEqual([2, 3])
    expect([...pair.own.refusals, ...pair.strict.refusals].filter((why) => why !== 'overloaded')).toEqual([])
    const server = state.messages.flatMap((message) => (message.role === 'assistant' ? [message.server] : []))
    const mark = `${pair.own.baseURL.slice('http://'.length)} ${first === 'own' ? 'a' : 'b'}`
    expect(new Set(server)).toEqual(new Set([mark, undefined]))
  },
)

/** The first reply in the newest request of a server. */
function firstReply({ requests }: PickyServer): Message | undefined {
  return requests.at(-1)?.messages.find(({ role }) => role === 'assistant')
}

const startOwnServer = () =>
  startPickyServer(
    refuseLostFields,
    replies('own', { own: true }, () => false),
  )

describe('a conversation over several runs', () => {
  /** The messages of a run with the first server, as JSON keeps them. */
  async function begin(pair: PickyServer): Promise<Message[]> {
    const agent = new Agent({ model: chatModel('a', pair), tools: [look], limits: { steps: 1 } })
    const { messages } = await agent.run('Look.')
    return JSON.parse(JSON.stringify([...messages, { role: 'user', content: 'Go on.' }]))
  }
  const startStrict = () =>
    startPickyServer(
      refuseUnknownFields,
      replies('strict', { own: false }, () => true),
    )

  test('keeps the fields for their server, through any number of copies', async () => {
    await using own = await startOwnServer()
    await using strict = await startStrict()
    const messages = await begin(own)
    expect((await new Agent({ model: chatModel('b', strict), tools: [look] }).run(messages)).text).toBe(
      'Done.',
    )
    const next = new Agent({ model: chatModel('a', own), tools: [look], limits: { steps: 1 } })
    await next.run(messages)
    expect(firstReply(own)).toMatchObject(ownFields(0))
    expect([...own.refusals, ...strict.refusals]).toEqual([])
  })

  test('goes back to a server that wants its reasoning in every reply, those of others included', async () => {
    const wantsReasoning = ({ messages }: PickyRequest): Refused | undefined => {
      const lacking = messages.some((one) => one.role === 'assistant' && one.reasoning_content === undefined)
      return lacking
        ? [400, 'The `reasoning_content` in the thinking mode must be passed back to the API.']
        : undefined
    }
    await using own = await startPickyServer(
      wantsReasoning,
      replies('own', { own: true }, () => false),
    )
    await using strict = await startStrict()
    const { messages } = await new Agent({ model: chatModel('b', strict), tools: [look] }).run(
      await begin(own),
    )
    const next = new Agent({ model: chatModel('a', own), tools: [look], limits: { steps: 1 } })
    expect((await next.run([...messages, { role: 'user', content: 'Go on.' }])).toolCalls).toHaveLength(1)
    expect(own.refusals).toHaveLength(1)
    const said = own.requests.at(-1)?.messages.filter(({ role }) => role === 'assistant') ?? []
    expect(said.map((message) => (message as AssistantMessage).reasoning_content)).toEqual(
      expect.arrayContaining([ownFields(0).reasoning_content, '']),
    )
  })

  test('sends them to no other model of the same server', async () => {
    await using own = await startPickyServer(
      () => undefined,
      replies('own', { own: true }, () => false),
    )
    const messages = await begin(own)
    await new Agent({ model: chatModel('b', own), tools: [look], limits: { steps: 1 } }).run(messages)
    expect(Object.keys(firstReply(own) ?? {})).toEqual(['role', 'content', 'tool_calls'])
  })

  test('without marks, as older ones are, asks once more without the field and remembers it', async () => {
    await using own = await startOwnServer()
    await using strict = await startStrict()
    const unmarked = (await begin(own)).map(
      ({ server: _, ...message }: AssistantMessage | (Message & { server?: string })) => message as Message,
    )
    const agent = new Agent({ model: chatModel('b', strict), tools: [look] })
    expect((await agent.run(unmarked)).text).toBe('Done.')
    expect(strict.refusals).toHaveLength(4)
    expect((await agent.run(unmarked)).text).toBe('Done.')
    expect(strict.refusals).toHaveLength(4)
  })

  test('takes no harm from marks that a client wrote', async () => {
    await using strict = await startStrict()
    const agent = new Agent({ model: chatModel('b', strict) })
    for (const server of ['x', '', { toString: 1 }, null, 5]) {
      const messages = ['user', 'assistant', 'user'].map(
        (role) => ({ role, content: 'Hi.', server }) as unknown as Message,
      )
      expect((await agent.run(messages)).text).toBe('Done.')
    }
    expect(strict.refusals).toEqual([])
  })
})

describe('call ids', () => {
  const idOf = (message: Message) =>
    message.role === 'tool' ? [message.tool_call_id] : callsOf(message).map(({ id }) => id)

  /** Refuses all ids but those of nine letters and digits, in the words of Mistral. */
  function refuseLongIds({ messages }: PickyRequest): Refused | undefined {
    const wrong = messages.flatMap(idOf).find((id) => !/^[a-zA-Z0-9]{9}$/.test(id))
    if (wrong === undefined) return undefined
    return [400, `Tool call id was ${wrong} but must be a-z, A-Z, 0-9, with a length of 9.`]
  }

  test.each([false, true])(
    'have the form that a server wants, and stay as they are in the state: streamed %s',
    async (isStreamed) => {
      const call = (id: string) => ({
        id,
        type: 'function' as const,
        function: { name: 'look', arguments: '{"at":1}' },
      })
      const calls = [[call('call_PTLP8xhu3uwZk4l3nlnrrJha'), call('VvvODy9mT')], [call('call/2')]]
      await using server = await startPickyServer(refuseLongIds, (count) =>
        calls[count] ? { content: null, tool_calls: calls[count] } : { content: 'Done.' },
      )
      const agent = new Agent({ model: chatModel('m', server), tools: [look] })
      const { text, messages } = await (isStreamed ? agent.stream('Look.').result : agent.run('Look.'))
      expect(text).toBe('Done.')
      const ids = ['call_PTLP8xhu3uwZk4l3nlnrrJha', 'VvvODy9mT']
      expect(messages.flatMap(idOf)).toEqual([...ids, ...ids, 'call/2', 'call/2'])
      const sent = (server.requests.at(-1)?.messages ?? []).flatMap(idOf)
      expect(sent.slice(0, 2)).toEqual(sent.slice(2, 4))
      expect(sent[1]).toBe('VvvODy9mT')
      expect(new Set(sent).size).toBe(3)
      expect(server.refusals).toHaveLength(1)
      await agent.run([...messages, { role: 'user', content: 'Again.' }])
      expect(server.refusals).toHaveLength(1)
    },
  )
})

test('the mark of a message has no secret of the address', async () => {
  await using server = await startOwnServer()
  const token = 'abcdef1234567890abcdef'
  const baseURL = `${server.baseURL}/${token}?api-version=1&code=secretcode`
  for (const model of [
    chatModel('m', { baseURL, apiKey: 'key-1234567890' }),
    openaiModel(new OpenAI({ baseURL: `${server.baseURL}/${token}`, apiKey: 'key-1234567890' }), 'm'),
  ]) {
    const { state } = await new Agent({ model, tools: [look], limits: { steps: 1 } }).run('Look.')
    const [reply] = state.messages.filter(({ role }) => role === 'assistant') as AssistantMessage[]
    const { host } = new URL(server.baseURL)
    expect(reply?.server).toBe(`${host}/v1/[redacted] m`)
  }
})
