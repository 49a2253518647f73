import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { Agent, type CapstanError, chatModel, type RunResult, without } from '../../src/index.js'
import { messagesModel } from '../../src/messages.js'
import { responsesModel } from '../../src/responses.js'
import { throughJson } from './soundness.js'

const text = 'A reply that is never finished, of some length.'
const block = { type: 'text', text: '' }
const protocols = {
  chat: { model: chatModel, events: [{ choices: [{ index: 0, delta: { content: text } }] }] },
  responses: {
    model: responsesModel,
    events: [
      { type: 'response.created', response: { id: 'r', status: 'in_progress', output: [] } },
      { type: 'response.output_text.delta', output_index: 0, content_index: 0, item_id: 'm', delta: text },
    ],
  },
  messages: {
    model: messagesModel,
    events: [
      { type: 'message_start', message: { id: 'm', role: 'assistant', content: [], usage: {} } },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    ],
  },
} as const

/** A server that begins its replies and never ends them. */
async function startServer(events: readonly object[]) {
  let reached = () => {}
  const asked = new Promise<void>((resolve) => {
    reached = resolve
  })
  const server = createServer((request, response: ServerResponse) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`)
      reached()
    })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

type Way = 'an abort' | 'limits.seconds' | 'stepTimeoutMs' | 'timeoutMs'
const ways: readonly Way[] = ['an abort', 'limits.seconds', 'stepTimeoutMs', 'timeoutMs']
const cases = Object.entries(protocols).flatMap(([name, protocol]) =>
  ways.flatMap((way) => [true, false].map((streamed) => ({ name, way, streamed, protocol }))),
)

test.each(cases)('a reply of $name that $way cuts off counts, streamed: $streamed', async (one) => {
  const { protocol, way, streamed } = one
  await using server = await startServer(protocol.events)
  const { baseURL } = server
  const timeout = way === 'timeoutMs' ? { timeoutMs: 40 } : {}
  const agent = new Agent({
    model: protocol.model('m', { baseURL, apiKey: 'k', maxRetries: 0, ...timeout }),
    middleware: [without('final-answer')],
    price: { m: { inputTokens: 1, outputTokens: 1 } },
    ...(way === 'stepTimeoutMs' ? { stepTimeoutMs: 40 } : {}),
  })
  const controller = new AbortController()
  const options = {
    signal: controller.signal,
    ...(way === 'limits.seconds' ? { limits: { seconds: 0.06 } } : {}),
  }
  let ended: Promise<RunResult>
  if (streamed) {
    const run = agent.stream('Tell me.', options)
    if (way === 'an abort') run.on('text-delta', () => controller.abort())
    ended = run.result
  } else {
    ended = agent.run('Tell me.', options)
    if (way === 'an abort') server.asked.then(() => controller.abort())
  }
  const { state } = await ended.catch((error: CapstanError) => error)
  expect(state?.usage).toMatchObject({ requests: 1, unreported: 1 })
  const { inputTokens = 0, outputTokens, totalTokens, estimatedTokens, cost } = state?.usage ?? {}
  expect(inputTokens).toBeGreaterThan(0)
  // The others may be cut off before their text comes.
  expect(outputTokens).toBeGreaterThan(streamed && way === 'an abort' ? 8 : 0)
  expect([estimatedTokens, cost]).toEqual([totalTokens, totalTokens])
  expect(throughJson(state)).toEqual(state)
})

test('an attempt that a timeout cuts off counts beside the one that is answered', async () => {
  const fetch = async (_: unknown, { signal }: { signal?: AbortSignal | null } = {}) => {
    if (fetched++ > 0)
      return Response.json({
        choices: [{ message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 },
      })
    return new Promise<Response>((_resolve, reject) =>
      signal?.addEventListener('abort', () => reject(signal.reason)),
    )
  }
  let fetched = 0
  const model = chatModel('m', { baseURL: 'http://localhost/v1', apiKey: '', timeoutMs: 30, fetch })
  const { usage } = await new Agent({ model }).run('Tell me.')
  expect(usage).toMatchObject({ requests: 2, unreported: 1 })
  expect(usage.totalTokens).toBe(9 + (usage.estimatedTokens ?? 0))
  expect(usage.estimatedTokens).toBeGreaterThan(0)
})

test('a child run that is cut off, and the run that it answers, count its request', async () => {
  const { agentTool } = await import('../../src/index.js')
  const { scriptedModel } = await import('../scripted-model.js')
  const controller = new AbortController()
  const hanging = {
    name: 'm',
    complete: async () => {
      controller.abort()
      return new Promise<never>(() => {})
    },
  }
  const child = new Agent({ name: 'child', model: hanging })
  const agent = new Agent({
    model: scriptedModel([[['child', { input: 'Go.' }]]]),
    tools: [agentTool(child)],
  })
  const { usage } = await agent.run('go', { signal: controller.signal })
  expect(usage.requests).toBe(2)
  expect(usage.estimatedTokens).toBeGreaterThan(0)
})

test('a request that was not sent does not count', async () => {
  const controller = new AbortController()
  const prepareStep = () => {
    controller.abort()
    return {}
  }
  const model = { name: 'm', complete: () => expect.unreachable('nothing is sent') }
  const { usage } = await new Agent({ model, prepareStep }).run('go', { signal: controller.signal })
  expect(usage.requests).toBe(0)
})
