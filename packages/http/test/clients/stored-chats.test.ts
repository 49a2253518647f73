// Compares what a page has after it streamed its runs with the stored session as UI messages.

import { Agent, agentTool, type Message, memorySessions, ToolError, tool } from '@capstan/core'
import { reply, type ScriptStep, scriptedModel } from '@capstan/testing'
import * as ai6 from 'ai6'
import { Chat as Chat6 } from 'ai6-react'
import * as ai7 from 'ai7'
import { Chat as Chat7 } from 'ai7-react'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { AgentHandler } from '../../src/agent-handler.js'
import { ownedKey } from '../../src/owned-cache.js'
import { toTurns, toUiMessages } from '../../src/ui/to-ui-messages.js'
import { book, draw, handlerOf, pixel, toRequest, weather } from '../requests.js'

type Part = Readonly<Record<string, unknown>> & { readonly type: string }
type File = { readonly type: 'file'; readonly mediaType: string; readonly url: string }

interface AnyChat {
  messages: { role: string; id: string; metadata?: unknown; parts: Part[] }[]
  readonly status: string
  readonly error: Error | undefined
  sendMessage(message: { text: string; files?: readonly File[] }): Promise<void>
  addToolApprovalResponse(answer: { id: string; approved: boolean; reason?: string }): unknown
  addToolOutput(output: { tool: string; toolCallId: string; output: unknown }): unknown
}

const fetchOf = (handler: AgentHandler) =>
  (async (url: RequestInfo | URL, init?: RequestInit) => handler(new Request(url, init))) as typeof fetch

const headers = { authorization: 'Bearer user-ann' }
const transportOf = (handler: AgentHandler) => ({
  api: 'http://house.test/ui',
  headers,
  fetch: fetchOf(handler),
})

const clients: readonly (readonly [
  string,
  (handler: AgentHandler) => AnyChat,
  typeof ai7.safeValidateUIMessages,
])[] = [
  [
    'ai 6',
    (handler) =>
      new Chat6({
        id: 'chat',
        transport: new ai6.DefaultChatTransport(transportOf(handler)),
        sendAutomaticallyWhen: (state) =>
          ai6.lastAssistantMessageIsCompleteWithApprovalResponses(state) ||
          ai6.lastAssistantMessageIsCompleteWithToolCalls(state),
      }) as unknown as AnyChat,
    ai6.safeValidateUIMessages as unknown as typeof ai7.safeValidateUIMessages,
  ],
  [
    'ai 7',
    (handler) =>
      new Chat7({
        id: 'chat',
        transport: new ai7.DefaultChatTransport(transportOf(handler)),
        sendAutomaticallyWhen: (state) =>
          ai7.lastAssistantMessageIsCompleteWithApprovalResponses(state) ||
          ai7.lastAssistantMessageIsCompleteWithToolCalls(state),
      }) as unknown as AnyChat,
    ai7.safeValidateUIMessages,
  ],
]

/**
 * Returns the parts of a page's messages that a session keeps. Not kept: data parts, which are about the run and not
 * the conversation; the approval of a call that ran, which its result replaces; and the number of a reasoning part.
 */
const keptParts = ({ parts }: AnyChat['messages'][number]) =>
  (JSON.parse(JSON.stringify(parts)) as Part[])
    .filter(({ type }) => !type.startsWith('data-'))
    .map(({ id: _, ...part }) => {
      const { approved } = Object(part.approval)
      if (approved !== true) return part
      const { approval: __, ...rest } = part
      return rest
    })

/** Gives stored messages the ids that the page has for them, as the engine does. */
function withIds(messages: readonly Message[], chat: AnyChat): readonly Message[] {
  const marked = messages.map((message) => ({ ...message }))
  for (const [index, { start, messages: own }] of toTurns(messages).entries())
    for (const [at] of own.entries())
      Object.assign(marked[start + at] ?? {}, { messageId: chat.messages[index]?.id })
  return marked
}

const breaks = tool({
  name: 'breaks',
  description: 'Fails',
  parameters: z.object({}),
  execute: () => {
    throw new ToolError('The printer is on fire.')
  },
})
const position = tool({ name: 'position', description: 'Where the user is', parameters: z.object({}) })

function conversation(steps: readonly ScriptStep[]) {
  const sessions = memorySessions()
  const agent = new Agent({
    name: 'helper',
    model: scriptedModel(steps),
    tools: [weather, book, draw, breaks, position],
  })
  return { sessions, handler: handlerOf(agent, { sessions }) }
}

const stored = async (sessions: ReturnType<typeof memorySessions>) =>
  (await sessions.load(ownedKey('ann', 'chat'))).messages

const lastText = (chat: AnyChat) => chat.messages.at(-1)?.parts.findLast(({ type }) => type === 'text')?.text

async function answer(chat: AnyChat, name: string, approved: boolean, reason?: string) {
  const asked = chat.messages.at(-1)?.parts.findLast(({ type }) => type === `tool-${name}`)
  const { id } = Object(asked?.approval)
  chat.addToolApprovalResponse({ id, approved, ...(reason === undefined ? {} : { reason }) })
}

describe.each(clients)('%s', (_, chatWith, validate) => {
  test('a conversation with reasoning, files, several steps, and calls of every outcome', async () => {
    const thought = (text: string, message: object) => ({
      message: { role: 'assistant' as const, content: null, reasoning_content: text, ...message },
    })
    const { sessions, handler } = conversation([
      thought('Look outside.', {
        content: 'I look.',
        ...callsOf(['get_weather', { city: 'Oslo' }], ['draw', { what: 'a fjord' }]),
      }),
      reply.calls(reply.call('breaks'), reply.call('get_weather', { city: 7 })),
      reply.call('get_weather', '{"city": "Oslo"'),
      reply.call('book_room', { city: 'Oslo' }),
      thought('All there.', { content: 'Booked.' }),
      reply.calls(reply.call('book_room', { city: 'Rome' }), reply.call('get_weather', { city: 'Rome' })),
      reply.call('draw', { what: 'a fjord' }),
      reply.text('Then not.'),
      reply.call('position'),
      reply.text('You are in Oslo.'),
    ])
    const chat = chatWith(handler)
    const url = `data:image/png;base64,${pixel.toString('base64')}`
    await chat.sendMessage({ text: 'Plan my day.', files: [{ type: 'file', mediaType: 'image/png', url }] })
    await answer(chat, 'book_room', true)
    await expect.poll(() => lastText(chat)).toBe('Booked.')
    await chat.sendMessage({ text: 'Rome?' })
    await answer(chat, 'book_room', false, 'too hot')
    await expect.poll(() => lastText(chat)).toBe('Then not.')
    await chat.sendMessage({ text: 'Where am I?' })
    const { toolCallId } = Object(
      chat.messages.at(-1)?.parts.findLast(({ type }) => type === 'tool-position'),
    )
    chat.addToolOutput({ tool: 'position', toolCallId, output: { city: 'Oslo' } })
    await expect.poll(() => lastText(chat)).toBe('You are in Oslo.')
    await expect.poll(() => chat.status).toBe('ready')

    const shown = toUiMessages(withIds(await stored(sessions), chat), { id: 'chat' })
    expect(shown.map(({ id, role }) => [id, role])).toEqual(chat.messages.map(({ id, role }) => [id, role]))
    const [own, ...replies] = chat.messages.map(keptParts)
    const [file, text] = shown[0]?.parts ?? []
    expect([file, text]).toEqual([
      // The page has the bytes, the session the artifact.
      { ...own?.[0], url: expect.stringMatching(/^\/artifacts\/img_\w+$/) },
      own?.[1],
    ])
    const sent = await handler(toRequest(String(Object(file).url)))
    expect(Buffer.from(await sent.arrayBuffer())).toEqual(pixel)
    expect(shown.slice(1).map(keptParts)).toEqual(replies)
    expect(shown.flatMap(({ parts }) => parts.map((part) => Object(part).state ?? part.type))).toEqual([
      ...['file', 'text'],
      ...['step-start', 'done', 'done', 'output-available', 'output-available', 'file'],
      ...['step-start', 'output-error', 'output-error'],
      ...['step-start', 'output-error'],
      ...['step-start', 'output-available'],
      ...['step-start', 'done', 'done'],
      'text',
      ...['step-start', 'output-denied', 'output-available'],
      ...['step-start', 'output-available', 'file'],
      ...['step-start', 'done'],
      'text',
      ...['step-start', 'output-available'],
      ...['step-start', 'done'],
    ])
    expect(await validate({ messages: JSON.parse(JSON.stringify(shown)) })).toMatchObject({ success: true })
  })

  test('a chat whose calls wait, one of them of a nested agent', async () => {
    const make = () => {
      const desk = new Agent({
        name: 'desk',
        model: scriptedModel([reply.call('book_room', { city: 'Rome' })]),
        tools: [book],
      })
      const steps = [
        reply.calls(
          reply.call('get_weather', { city: 'Oslo' }),
          reply.call('book_room', { city: 'Oslo' }),
          reply.call('position'),
          reply.call('desk', { input: 'A room.' }),
        ),
      ]
      const tools = [weather, book, position, agentTool(desk, { description: 'Books' })]
      return new Agent({ name: 'helper', model: scriptedModel(steps), tools })
    }
    const chat = chatWith(handlerOf(make()))
    await chat.sendMessage({ text: 'A room.' })
    const { runId } = Object(chat.messages[1]?.metadata)
    const { state, pending = [] } = await make().run('A room.')
    const results = Object.values(state.results).map(({ content, status }) => ({
      role: 'tool' as const,
      tool_call_id: 'call_1_1',
      content,
      status,
    }))
    const shown = toUiMessages(withIds([...state.messages, ...results], chat), {
      id: 'chat',
      pending: pending.map((call) => ({ ...call, approvalId: `${runId}:${call.callId}` })),
    })
    const isKept = ({ type }: Part) => !/^data-(time|agent)$/.test(type)
    expect(shown.map(({ parts }) => parts)).toEqual(
      chat.messages.map(({ parts }) => JSON.parse(JSON.stringify(parts.filter(isKept)))),
    )
    expect(shown[1]).toMatchObject({ id: chat.messages[1]?.id, metadata: { runId } })
    expect(await validate({ messages: JSON.parse(JSON.stringify(shown)) })).toMatchObject({ success: true })
  })

  test('a refusal is text, and a tool may answer for the model', async () => {
    const sessions = memorySessions()
    const direct = tool({
      name: 'direct',
      description: 'Answers',
      parameters: z.object({}),
      returnDirect: true,
      execute: () => 'Straight from the tool.',
    })
    const model = scriptedModel([
      { message: { role: 'assistant', content: null, refusal: 'I will not.' } },
      { message: { role: 'assistant', content: 'Let me see.', ...callsOf(['direct', {}]) } },
    ])
    const chat = chatWith(handlerOf(new Agent({ name: 'helper', model, tools: [direct] }), { sessions }))
    await chat.sendMessage({ text: 'Do harm.' })
    await chat.sendMessage({ text: 'Then help.' })
    const shown = toUiMessages(await stored(sessions), { id: 'chat' }).map(keptParts)
    const [, refused, , direct_] = chat.messages.map(keptParts)
    expect(shown[1]).toEqual(refused)
    // The answer is a message of its own in the session, and so a step.
    expect(shown[3]?.filter(({ type }) => type !== 'step-start')).toEqual(
      direct_?.filter(({ type }) => type !== 'step-start'),
    )
  })
})

function callsOf(...calls: readonly (readonly [name: string, args: object])[]) {
  const tool_calls = calls.map(([name, args], at) => ({
    id: `call_0_${at + 1}`,
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(args) },
  }))
  return { tool_calls }
}
