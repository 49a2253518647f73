// The official clients of three protocols, with a tool of their own that an agent's model calls.
import Anthropic from '@anthropic-ai/sdk'
import { Agent, type AnyAgent, chatModel, verdict } from '@capstan/core'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { handlerOf, weather } from '../requests.js'
import { type Streamed, type StreamingServer, startStreamingServer } from '../streaming-server.js'

const name = 'open_door'
const parameters = { type: 'object' as const, properties: { door: { type: 'string' } } }
const model = 'helper'

interface Reply {
  readonly text: string
  /** The calls of the whole reply. */
  readonly calls: readonly { readonly id: string; readonly arguments: unknown }[]
}

interface Asked {
  readonly fetch: typeof fetch
  /** Called with each piece of arguments. */
  onPiece(text: string): void
}

type Client = (asked: Asked) => Promise<Reply>

const chat: Client = async ({ fetch, onPiece }) => {
  const client = new OpenAI({ baseURL: 'http://house.test/v1', apiKey: 'user-ann', fetch, maxRetries: 0 })
  const stream = client.chat.completions.stream({
    model,
    messages: [{ role: 'user', content: 'Open.' }],
    tools: [{ type: 'function', function: { name, parameters } }],
  })
  stream.on('tool_calls.function.arguments.delta', ({ arguments_delta }) => onPiece(arguments_delta))
  const { content, tool_calls: calls = [] } = await stream.finalMessage()
  return {
    text: content ?? '',
    calls: calls.map((one) => ({
      id: one.id,
      arguments: 'function' in one && JSON.parse(one.function.arguments),
    })),
  }
}

const responses: Client = async ({ fetch, onPiece }) => {
  const client = new OpenAI({ baseURL: 'http://house.test/v1', apiKey: 'user-ann', fetch, maxRetries: 0 })
  const tools = [{ type: 'function' as const, name, parameters, strict: false }]
  const stream = client.responses.stream({ model, input: 'Open.', tools })
  stream.on('response.function_call_arguments.delta', ({ delta }) => onPiece(delta))
  const { output, output_text: text } = await stream.finalResponse()
  const calls = output.flatMap((item) => (item.type === 'function_call' ? [item] : []))
  return { text, calls: calls.map((one) => ({ id: one.call_id, arguments: JSON.parse(one.arguments) })) }
}

const messages: Client = async ({ fetch, onPiece }) => {
  const client = new Anthropic({
    baseURL: 'http://house.test',
    authToken: 'user-ann',
    apiKey: null,
    fetch,
    maxRetries: 0,
  })
  const stream = client.messages.stream({
    model,
    max_tokens: 1000,
    messages: [{ role: 'user', content: 'Open.' }],
    tools: [{ name, input_schema: parameters }],
  })
  stream.on('inputJson', (text) => onPiece(text))
  const { content } = await stream.finalMessage()
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    calls: content.flatMap((block) =>
      block.type === 'tool_use' ? [{ id: block.id, arguments: block.input }] : [],
    ),
  }
}

const clients: readonly (readonly [string, Client])[] = [
  ['chat completions', chat],
  ['Responses', responses],
  ['Messages', messages],
]

function agentOf(server: StreamingServer): Agent {
  return new Agent({ name: model, model: chatModel('m', server), tools: [weather] })
}

/** Asks an agent through a client. `onPiece` has the pieces so far. */
async function ask(client: Client, agent: AnyAgent, onPiece: (pieces: readonly string[]) => void = () => {}) {
  const handler = handlerOf(agent)
  const pieces: string[] = []
  const reply = await client({
    fetch: async (url, init) => handler(new Request(url, init)),
    onPiece(text) {
      if (text === '') return
      pieces.push(text)
      onPiece(pieces)
    },
  })
  return { pieces, reply }
}

const opened: Streamed = { pieces: [{ id: 'c1', name, text: '{"door": "fro' }, { text: 'nt"}' }] }

describe.each(clients)('over %s', (_protocol, client) => {
  test('a client gets the arguments of a call of its tool while they are written', async () => {
    let goOn = () => {}
    const seen = new Promise<void>((resolve) => {
      goOn = resolve
    })
    await using server = await startStreamingServer([
      { pieces: ['I open it.', { id: 'c1', name, text: '{"door": "fro' }, seen, { text: 'nt"}' }] },
    ])
    // The model's server goes on once the client has the beginning.
    const { pieces, reply } = await ask(client, agentOf(server), goOn)
    expect(pieces).toEqual(['{"door": "fro', 'nt"}'])
    expect(reply).toEqual({ text: 'I open it.', calls: [{ id: 'c1', arguments: { door: 'front' } }] })
  })

  test('calls beside one another, and text behind them, are complete', async () => {
    await using server = await startStreamingServer([
      {
        pieces: [
          { id: 'c1', name, text: '{"door":' },
          { index: 1, id: 'c2', name, text: '{"door":"ba' },
          { text: '"front"}' },
          { index: 1, text: 'ck"}' },
          { index: 2, id: 'c3', name: 'get_weather', text: '{"city":"Oslo"}' },
          'So.',
        ],
      },
    ])
    const { reply } = await ask(client, agentOf(server))
    expect(reply.text).toBe('So.')
    expect(reply.calls).toEqual([
      { id: 'c1', arguments: { door: 'front' } },
      { id: 'c2', arguments: { door: 'back' } },
    ])
  })

  test('a call that a retried reply does not have is an error of the reply', async () => {
    await using server = await startStreamingServer([
      { pieces: [{ id: 'c1', name, text: '{"door":"front"}' }], breaks: true },
      { pieces: ['It is open.'] },
    ])
    await expect(ask(client, agentOf(server))).rejects.toThrow('A call that was already sent')
  })

  test('a call that a rule may deny comes once it is allowed', async () => {
    await using server = await startStreamingServer([opened, { pieces: ['I may not.'] }])
    const policy = () => verdict.deny('No.')
    const agent = new Agent({ name: model, model: chatModel('m', server), policy })
    const { pieces, reply } = await ask(client, agent)
    expect(pieces).toEqual([])
    expect(reply).toEqual({ text: 'I may not.', calls: [] })
  })
})
