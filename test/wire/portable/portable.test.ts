// A conversation over one protocol goes on over another: 60 histories, from each protocol to each, and each of the
// servers refuses what a real one refuses.
import { Agent, type AnyAgent, type ChatModel, chatModel, showImages, tool, verdict } from '@capstan/core'
import { messagesModel } from '@capstan/core/messages'
import { responsesModel } from '@capstan/core/responses'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { type History, histories } from './histories.js'
import { type Protocol, type StrictServer, startStrictServer } from './strict-servers.js'

const png = Uint8Array.from(
  atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='),
  (sign) => sign.charCodeAt(0),
)

const tools = [
  tool({
    name: 'get_weather',
    description: 'Weather in a city',
    parameters: z.object({ city: z.string() }),
    effects: 'read',
    execute: ({ city }) => ({ city, sky: '☀️ clear' }),
  }),
  tool({
    name: 'list_cities',
    description: 'All cities',
    parameters: z.object({}),
    effects: 'read',
    execute: () => ['Oslo', 'Rome'],
  }),
  tool({
    name: 'say_nothing',
    description: 'Says nothing',
    parameters: z.object({}),
    effects: 'read',
    execute: () => '',
  }),
  tool({
    name: 'fail',
    description: 'Fails',
    parameters: z.object({}),
    effects: 'read',
    execute: () => {
      throw new Error('No such station.')
    },
  }),
  tool({
    name: 'draw',
    description: 'Draws',
    parameters: z.object({ prompt: z.string() }),
    show: true,
    execute: (_args, { artifacts }) => artifacts.put(png, { kind: 'image', mediaType: 'image/png' }),
  }),
  tool({
    name: 'erase',
    description: 'Erases',
    parameters: z.object({ what: z.string() }),
    execute: () => 'erased',
  }),
] as const

function agentOver(model: ChatModel, { name }: History): AnyAgent {
  return new Agent({
    model,
    tools,
    instructions: 'Be brief.',
    middleware: [showImages()],
    policy: (call) => {
      if (call.name !== 'erase') return verdict.allow
      return name.includes('pending') ? verdict.ask('It is final.') : verdict.deny('Never.')
    },
  })
}

const models: Record<Protocol, (server: StrictServer) => ChatModel> = {
  chat: (server) => chatModel('m', { ...server, maxRetries: 0 }),
  responses: (server) => responsesModel('m', { ...server, maxRetries: 0 }),
  messages: (server) => messagesModel('m', { ...server, maxRetries: 0 }),
}
const protocols = ['chat', 'responses', 'messages'] as const
const opaque = /"(encrypted_content|response_items|message_blocks|signature|reasoning_content|saidBy)":/

describe.each(protocols.flatMap((from) => protocols.map((to) => [from, to] as const)))(
  '%s to %s',
  (from, to) => {
    test.each(histories.map((history) => [history.name, history] as const))('%s', async (_name, history) => {
      await using first = await startStrictServer(from, history.replies)
      await using second = await startStrictServer(to, [{ text: 'Yes.' }])
      const start = await agentOver(models[from](first), history).run(history.input ?? 'Go.')
      const messages = [...start.messages, { role: 'user' as const, content: 'And now?' }]
      const end = await agentOver(models[to](second), history).run(messages)
      expect(end).toMatchObject({ text: 'Yes.', stopReason: 'done' })
      expect(second.requests).toHaveLength(1)
      // Opaque fields stay with the protocol, and so with the server, that made them.
      expect(JSON.stringify(second.requests)).not.toMatch(opaque)
    })
  },
)

test.each(protocols)('%s gets its own reasoning back from the same server, unchanged', async (protocol) => {
  const replies = [
    { reasoning: 'First.', calls: [{ name: 'get_weather', arguments: '{"city":"Oslo"}' }] },
    { reasoning: 'Then.', text: 'Clear.' },
  ]
  await using server = await startStrictServer(protocol, replies)
  const agent = agentOver(models[protocol](server), { name: '', replies })
  const { messages } = await agent.run('Go.')
  await agent.run([...messages, { role: 'user', content: 'And now?' }])
  const last = JSON.stringify(server.requests.at(-1))
  const own = {
    chat: ['"reasoning_content":"First."', '"reasoning_content":"Then."'],
    responses: ['"encrypted_content":"gAAAAA1"', '"encrypted_content":"gAAAAA2"'],
    messages: ['"signature":"c2ln1"', '"signature":"c2ln2"'],
  }
  for (const text of own[protocol]) expect(last).toContain(text)
})
