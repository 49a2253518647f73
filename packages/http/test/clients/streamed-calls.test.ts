import { HttpAgent } from '@ag-ui/client'
import { Agent, type AnyAgent, chatModel, tool } from '@capstan/core'
import * as ai6 from 'ai6'
import { Chat as Chat6 } from 'ai6-react'
import * as ai7 from 'ai7'
import { Chat as Chat7 } from 'ai7-react'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { AgentHandler } from '../../src/agent-handler.js'
import { handlerOf, weather } from '../requests.js'
import { type Streamed, type StreamingServer, startStreamingServer } from '../streaming-server.js'

const headers = { authorization: 'Bearer user-ann' }
const fetchOf = (handler: AgentHandler) =>
  (async (url: RequestInfo | URL, init?: RequestInit) => handler(new Request(url, init))) as typeof fetch

const position = tool({ name: 'position', description: 'Where', parameters: z.object({ of: z.string() }) })

function agentOf(server: StreamingServer): AnyAgent {
  return new Agent({ name: 'helper', model: chatModel('m', server), tools: [weather, position] })
}

/** A promise, and the function that resolves it. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

const broken: Streamed = {
  pieces: [{ id: 'c1', name: 'get_weather', text: '{"city":"Ro' }],
  breaks: true,
}
const again: Streamed = { pieces: [{ id: 'c2', name: 'get_weather', text: '{"city":' }, { text: '"Oslo"}' }] }
const done: Streamed = { pieces: ['Four degrees.'] }

interface AnyChat {
  readonly messages: readonly { readonly parts: readonly Part[] }[]
  sendMessage(message: { text: string }): Promise<void>
}
type Part = Readonly<Record<string, unknown>> & { readonly type: string }

const chats: readonly (readonly [string, (handler: AgentHandler) => AnyChat])[] = [
  [
    'ai 6',
    (handler) =>
      new Chat6({
        transport: new ai6.DefaultChatTransport({
          api: 'http://house.test/ui',
          headers,
          fetch: fetchOf(handler),
        }),
        sendAutomaticallyWhen: ai6.lastAssistantMessageIsCompleteWithToolCalls,
      }) as unknown as AnyChat,
  ],
  [
    'ai 7',
    (handler) =>
      new Chat7({
        transport: new ai7.DefaultChatTransport({
          api: 'http://house.test/ui',
          headers,
          fetch: fetchOf(handler),
        }),
        sendAutomaticallyWhen: ai7.lastAssistantMessageIsCompleteWithToolCalls,
      }) as unknown as AnyChat,
  ],
]

const callsOf = (chat: AnyChat) =>
  chat.messages.flatMap(({ parts }) => parts.filter(({ type }) => type.startsWith('tool-')))

describe.each(chats)('a chat of %s', (_name, chatWith) => {
  test('shows the input of a call while it is written', async () => {
    const { open, opened } = gate()
    await using server = await startStreamingServer([
      { pieces: [{ id: 'c1', name: 'get_weather', text: '{"city":"Os' }, opened, { text: 'lo"}' }] },
      done,
    ])
    const chat = chatWith(handlerOf(agentOf(server)))
    const sent = chat.sendMessage({ text: 'Weather?' })
    await expect
      .poll(() => callsOf(chat))
      .toMatchObject([
        { type: 'tool-get_weather', toolCallId: 'c1', state: 'input-streaming', input: { city: 'Os' } },
      ])
    open()
    await sent
    expect(callsOf(chat)).toMatchObject([{ state: 'output-available', input: { city: 'Oslo' } }])
  })

  test('shows a call that a retried reply does not have as an error, and does not send it back', async () => {
    await using server = await startStreamingServer([broken, again, done, { pieces: ['Bye.'] }])
    const chat = chatWith(handlerOf(agentOf(server)))
    await chat.sendMessage({ text: 'Weather?' })
    expect(callsOf(chat)).toMatchObject([
      { toolCallId: 'c1', state: 'output-error', errorText: expect.stringContaining('did not run') },
      { toolCallId: 'c2', state: 'output-available', input: { city: 'Oslo' } },
    ])
    await chat.sendMessage({ text: 'Thanks.' })
    expect(server.bodies).toHaveLength(4)
    expect(JSON.stringify(server.bodies[3]?.messages)).not.toMatch(/c1|Ro/)
  })

  test('sends nothing by itself after a reply without the calls that it had begun', async () => {
    await using server = await startStreamingServer([broken, done])
    const chat = chatWith(handlerOf(agentOf(server)))
    await chat.sendMessage({ text: 'Weather?' })
    expect(callsOf(chat)).toMatchObject([{ toolCallId: 'c1', state: 'output-error' }])
    expect(
      chat.messages
        .at(-1)
        ?.parts.map(({ text }) => text)
        .filter(Boolean),
    ).toEqual(['Four degrees.'])
    expect(server.bodies).toHaveLength(2)
  })
})

function agUi(handler: AgentHandler) {
  const agent = new HttpAgent({ url: 'http://house.test/ag-ui', headers, fetch: fetchOf(handler) })
  const heard: { readonly type: string; readonly delta?: unknown; readonly toolCallId?: unknown }[] = []
  const say = (content: string) => {
    agent.addMessage({ id: crypto.randomUUID(), role: 'user', content })
    return agent.runAgent({}, { onEvent: ({ event }) => void heard.push({ ...event }) })
  }
  return { agent, heard, say }
}

test('an AG-UI client gets the arguments of a call in pieces, while they are written', async () => {
  const { open, opened } = gate()
  await using server = await startStreamingServer([
    { pieces: [{ id: 'c1', name: 'get_weather', text: '{"city":"Os' }, opened, { text: 'lo"}' }] },
    done,
  ])
  const { agent, heard, say } = agUi(handlerOf(agentOf(server)))
  const said = say('Weather?')
  await expect.poll(() => heard.at(-1)).toMatchObject({ type: 'TOOL_CALL_ARGS', delta: '{"city":"Os' })
  open()
  await said
  const pieces = heard.filter(({ type }) => type === 'TOOL_CALL_ARGS')
  expect(pieces.map(({ delta }) => delta)).toEqual(['{"city":"Os', 'lo"}'])
  expect(agent.messages).toMatchObject([
    { role: 'user' },
    { role: 'assistant', toolCalls: [{ id: 'c1', function: { arguments: '{"city":"Oslo"}' } }] },
    { role: 'tool', toolCallId: 'c1' },
    { role: 'assistant', content: 'Four degrees.' },
  ])
})

test('an AG-UI client has a result in place of a call that was not made, and the model gets neither', async () => {
  await using server = await startStreamingServer([broken, again, done, { pieces: ['Bye.'] }])
  const { agent, heard, say } = agUi(handlerOf(agentOf(server)))
  await say('Weather?')
  expect(heard.filter(({ toolCallId }) => toolCallId === 'c1').map(({ type }) => type)).toEqual([
    'TOOL_CALL_START',
    'TOOL_CALL_ARGS',
    'TOOL_CALL_END',
    'TOOL_CALL_RESULT',
  ])
  expect(agent.messages.filter(({ role }) => role === 'tool')).toHaveLength(2)
  await say('Thanks.')
  expect(agent.messages.at(-1)).toMatchObject({ content: 'Bye.' })
  expect(JSON.stringify(server.bodies[3]?.messages)).not.toMatch(/c1|Ro/)
  expect(JSON.stringify(server.bodies[3]?.messages)).toContain('c2')
})
