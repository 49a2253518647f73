import { Agent, agentTool, memorySessions, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import * as ai6 from 'ai6'
import { Chat as Chat6 } from 'ai6-react'
import * as ai7 from 'ai7'
import { Chat as Chat7 } from 'ai7-react'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { AgentHandler } from '../../src/agent-handler.js'
import { book, handlerOf, pixel, scripted, toRequest, weather } from '../requests.js'

const house = 'http://house.test'
const headers = { authorization: 'Bearer user-ann' }

/** What the chats of both versions have in common. */
interface AnyChat {
  readonly messages: readonly { role: string; id: string; metadata?: unknown; parts: readonly Part[] }[]
  readonly status: string
  readonly error: Error | undefined
  sendMessage(message: { text: string; files?: readonly File6[] }): Promise<void>
  addToolApprovalResponse(answer: { id: string; approved: boolean; reason?: string }): unknown
  addToolOutput(output: { tool: string; toolCallId: string; output: unknown }): unknown
  resumeStream(): Promise<void>
  regenerate(): Promise<void>
}

interface Named {
  readonly id?: string
  /** Which of several it speaks with. */
  readonly agent?: string
}

type Part = Readonly<Record<string, unknown>> & { readonly type: string }
type File6 = { readonly type: 'file'; readonly mediaType: string; readonly url: string }

const fetchOf = (handler: AgentHandler) =>
  (async (url: RequestInfo | URL, init?: RequestInit) => handler(new Request(url, init))) as typeof fetch

const clients: readonly (readonly [string, (handler: AgentHandler, chat?: Named) => AnyChat])[] = [
  [
    'ai 6',
    (handler, { id = 'chat', agent } = {}) =>
      new Chat6({
        id,
        transport: new ai6.DefaultChatTransport({
          api: `${house}/ui`,
          headers,
          fetch: fetchOf(handler),
          body: { agent },
        }),
        sendAutomaticallyWhen: (state) =>
          ai6.lastAssistantMessageIsCompleteWithApprovalResponses(state) ||
          ai6.lastAssistantMessageIsCompleteWithToolCalls(state),
      }) as unknown as AnyChat,
  ],
  [
    'ai 7',
    (handler, { id = 'chat', agent } = {}) =>
      new Chat7({
        id,
        transport: new ai7.DefaultChatTransport({
          api: `${house}/ui`,
          headers,
          fetch: fetchOf(handler),
          body: { agent },
        }),
        sendAutomaticallyWhen: (state) =>
          ai7.lastAssistantMessageIsCompleteWithApprovalResponses(state) ||
          ai7.lastAssistantMessageIsCompleteWithToolCalls(state),
      }) as unknown as AnyChat,
  ],
]

const matrixScript = () => [
  reply.calls(reply.call('get_weather', { city: 'Oslo' }), reply.call('draw', { what: 'a fjord' })),
  reply.call('book_room', { city: 'Oslo' }),
  reply.text('All is done.'),
]

const bodyChunks = (chat: AnyChat) => chat.messages.at(-1)?.parts ?? []
const partOf = (chat: AnyChat, type: string) => bodyChunks(chat).find((part) => part.type === type)
const wordsOf = (chat: AnyChat) =>
  bodyChunks(chat).flatMap((part) => (part.type === 'text' ? [part.text] : []))
const approvalIdOf = (part: Part | undefined) => (part?.approval as { id: string } | undefined)?.id ?? ''

/** An agent whose tool waits until it may go on. */
function waiting() {
  let go = () => {}
  const gone = new Promise<void>((resolve) => {
    go = resolve
  })
  const wait = tool({ name: 'wait', description: 'Waits', parameters: z.object({}), execute: () => gone })
  const model = scriptedModel([reply.call('wait'), reply.text('Over.')])
  return { agent: new Agent({ name: 'helper', model, tools: [wait] }), go }
}

describe.each(clients)('%s', (_, chatWith) => {
  test('completes a run with two tools, an image and an approval', async () => {
    const handler = handlerOf(scripted(matrixScript()))
    const chat = chatWith(handler)
    await chat.sendMessage({ text: 'Weather, picture, room.' })
    expect(chat.error).toBe(undefined)
    expect(partOf(chat, 'tool-get_weather')).toMatchObject({
      state: 'output-available',
      input: { city: 'Oslo' },
      output: { city: 'Oslo', degrees: 4 },
    })
    const asked = partOf(chat, 'tool-book_room')
    expect(asked).toMatchObject({ state: 'approval-requested', input: { city: 'Oslo' } })
    chat.addToolApprovalResponse({ id: approvalIdOf(asked), approved: true })
    await expect.poll(() => wordsOf(chat)).toEqual(['All is done.'])
    expect(partOf(chat, 'tool-book_room')).toMatchObject({
      state: 'output-available',
      output: 'booked in Oslo',
    })
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
    const picture = partOf(chat, 'file')
    expect(picture).toMatchObject({ mediaType: 'image/png' })
    const shown = await handler(toRequest(String(picture?.url)))
    expect(Buffer.from(await shown.arrayBuffer())).toEqual(pixel)
    expect(bodyChunks(chat).filter(({ type }) => type === 'file')).toHaveLength(1)
  })

  test('the model gets a denial with its reason, and the call is shown as denied', async () => {
    const agent = scripted([reply.call('book_room', { city: 'Oslo' }), reply.text('Then not.')])
    const chat = chatWith(handlerOf(agent))
    await chat.sendMessage({ text: 'A room.' })
    const id = approvalIdOf(partOf(chat, 'tool-book_room'))
    chat.addToolApprovalResponse({ id, approved: false, reason: 'too cold' })
    await expect.poll(() => wordsOf(chat)).toEqual(['Then not.'])
    expect(partOf(chat, 'tool-book_room')).toMatchObject({
      state: 'output-denied',
      approval: { approved: false, reason: 'too cold' },
    })
  })

  test('a page tool gets its result from the page', async () => {
    const position = tool({ name: 'position', description: 'Where the user is', parameters: z.object({}) })
    const model = scriptedModel([reply.call('position'), reply.text('You are in Oslo.')])
    const chat = chatWith(handlerOf(new Agent({ name: 'helper', model, tools: [position] })))
    await chat.sendMessage({ text: 'Where am I?' })
    const toolCallId = partOf(chat, 'tool-position')?.toolCallId
    chat.addToolOutput({ tool: 'position', toolCallId: String(toolCallId), output: { city: 'Oslo' } })
    await expect.poll(() => wordsOf(chat)).toEqual(['You are in Oslo.'])
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: '{"city":"Oslo"}' })
    expect(partOf(chat, 'tool-position')).toMatchObject({ output: { city: 'Oslo' } })
  })

  test('two chats with the same call ids stay apart', async () => {
    const position = tool({ name: 'position', description: 'Where the user is', parameters: z.object({}) })
    const id = { id: 'call_0' }
    const agents = ['one', 'two'].map((name) => {
      const steps = [reply.call('position', {}, id), reply.text(`I am ${name}.`)]
      return new Agent({ name, model: scriptedModel(steps), tools: [position] })
    })
    const handler = handlerOf(agents)
    const chats = agents.map(({ name }) => chatWith(handler, { id: name, agent: name }))
    for (const chat of chats) await chat.sendMessage({ text: 'Where am I?' })
    for (const chat of chats) {
      chat.addToolOutput({ tool: 'position', toolCallId: 'call_0', output: 'Oslo' })
      await expect.poll(() => wordsOf(chat)).toHaveLength(1)
    }
    expect(chats.map(wordsOf)).toEqual([['I am one.'], ['I am two.']])
  })

  test('the model gets the whole conversation if the page stores it', async () => {
    const model = scriptedModel([
      reply.call('get_weather', { city: 'Oslo' }),
      reply.text('Four.'),
      reply.text('Six.'),
    ])
    const chat = chatWith(handlerOf(new Agent({ name: 'helper', model, tools: [weather] })))
    await chat.sendMessage({ text: 'Oslo?' })
    await chat.sendMessage({ text: 'Bergen?' })
    expect(model.requests[2]?.messages).toMatchObject([
      { role: 'user', content: 'Oslo?' },
      {
        role: 'assistant',
        tool_calls: [{ function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } }],
      },
      { role: 'tool', content: '{"city":"Oslo","degrees":4}' },
      { role: 'assistant', content: 'Four.' },
      { role: 'user', content: 'Bergen?' },
    ])
  })

  test('a stored conversation takes only the newest message, also after an approval', async () => {
    const sessions = memorySessions()
    const model = scriptedModel([
      reply.call('book_room', { city: 'Oslo' }),
      reply.text('Booked.'),
      reply.text('Hello again.'),
      reply.text('Hello once more.'),
    ])
    const agent = new Agent({ name: 'helper', model, tools: [book] })
    const chat = chatWith(handlerOf(agent, { sessions }))
    await chat.sendMessage({ text: 'A room.' })
    chat.addToolApprovalResponse({ id: approvalIdOf(partOf(chat, 'tool-book_room')), approved: true })
    await expect.poll(() => wordsOf(chat)).toEqual(['Booked.'])
    const elsewhere = chatWith(handlerOf(agent, { sessions }))
    await elsewhere.sendMessage({ text: 'Hello.' })
    expect(wordsOf(elsewhere)).toEqual(['Hello again.'])
    expect(model.requests[2]?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ])
    await elsewhere.regenerate()
    expect(wordsOf(elsewhere)).toEqual(['Hello once more.'])
    expect(model.requests[3]?.messages).toEqual(model.requests[2]?.messages)
  })

  test('a file of the user becomes an artifact that they may read', async () => {
    const model = scriptedModel([reply.text('A pixel.'), reply.text('Still a pixel.')])
    const handler = handlerOf(new Agent({ name: 'helper', model }))
    const chat = chatWith(handler)
    const url = `data:image/png;base64,${pixel.toString('base64')}`
    await chat.sendMessage({ text: 'What is it?', files: [{ type: 'file', mediaType: 'image/png', url }] })
    const said = String(model.requests[0]?.messages.at(-1)?.content)
    const [, id] = /^What is it\?\n\nAttached: (img_\w+) \(image\/png, 70 bytes\)$/.exec(said) ?? []
    expect((await handler(toRequest(`/artifacts/${id}`))).status).toBe(200)
    expect((await handler(toRequest(`/artifacts/${id}`, { user: 'bob' }))).status).toBe(404)
    await chat.sendMessage({ text: 'Sure?' })
    expect(model.requests[1]?.messages[0]).toMatchObject({ role: 'user', content: said })
  })

  test('a reloaded page resumes from the start of the reply', async () => {
    const { agent, go } = waiting()
    const handler = handlerOf(agent, { onDisconnect: 'finish' })
    const left = chatWith(handler)
    void left.sendMessage({ text: 'Take your time.' })
    await expect.poll(() => partOf(left, 'tool-wait')?.state).toBe('input-available')
    const back = chatWith(handler)
    const resumed = back.resumeStream()
    await expect.poll(() => partOf(back, 'tool-wait')?.state).toBe('input-available')
    go()
    await resumed
    expect(wordsOf(back)).toEqual(['Over.'])
    const late = chatWith(handler)
    await late.resumeStream()
    expect([late.status, late.messages]).toEqual(['ready', []])
  })

  test('text is not repeated after a retry', async () => {
    const steps = [reply.fail('api', { after: 'It is ' }), reply.text('It is four degrees.')]
    const model = scriptedModel(steps, { retries: 1 })
    const chat = chatWith(handlerOf(new Agent({ name: 'helper', model })))
    await chat.sendMessage({ text: 'Oslo?' })
    expect(wordsOf(chat)).toEqual(['It is four degrees.'])
  })

  test('a different reply after a retry is a text of its own', async () => {
    const steps = [reply.fail('api', { after: 'Well, ' }), reply.text('It is four degrees.')]
    const model = scriptedModel(steps, { retries: 1 })
    const chat = chatWith(handlerOf(new Agent({ name: 'helper', model })))
    await chat.sendMessage({ text: 'Oslo?' })
    expect(wordsOf(chat)).toEqual(['Well, ', 'It is four degrees.'])
  })

  test("reports a failure without the server's message", async () => {
    const chat = chatWith(
      handlerOf(scripted([reply.fail('auth', { message: 'The key sk-secret is wrong.' })])),
    )
    await chat.sendMessage({ text: 'Hi.' })
    expect(chat.status).toBe('error')
    expect(chat.error?.message).toBe('The agent failed (auth).')
  })

  test('a nested agent requests approval, and its text stays out of the reply', async () => {
    const inner = new Agent({
      name: 'desk',
      model: scriptedModel([reply.call('book_room', { city: 'Oslo' }), reply.text('Inner words.')]),
      tools: [book],
    })
    const model = scriptedModel([
      reply.call('desk', { input: 'A room.' }),
      reply.text('Your room is booked.'),
    ])
    const agent = new Agent({ name: 'helper', model, tools: [agentTool(inner, { description: 'Books' })] })
    const chat = chatWith(handlerOf(agent))
    await chat.sendMessage({ text: 'A room.' })
    const asked = partOf(chat, 'dynamic-tool')
    expect(asked).toMatchObject({ toolName: 'book_room', state: 'approval-requested' })
    chat.addToolApprovalResponse({ id: approvalIdOf(asked), approved: true })
    await expect.poll(() => wordsOf(chat)).toEqual(['Your room is booked.'])
    expect(partOf(chat, 'dynamic-tool')).toMatchObject({
      state: 'output-available',
      output: 'booked in Oslo',
    })
    expect(partOf(chat, 'tool-desk')).toMatchObject({ state: 'output-available', output: 'Inner words.' })
    expect(partOf(chat, 'data-agent')).toMatchObject({
      data: { agent: 'desk', toolName: 'book_room', status: 'ok' },
    })
  })
})
