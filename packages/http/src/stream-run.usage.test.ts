import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, chatModel } from '@capstan/core'
import { expect, test } from 'vitest'
import { eventsIn, handlerOf, toRequest } from '../test/requests.js'
import { AgUiStream } from './ag-ui/stream.js'
import { clientState } from './runs/record.js'
import { UiStream } from './ui/stream.js'

test('a streamed run reports its tokens and its cost, and so does a streamed chat answer', async () => {
  await using server = await startModelServer()
  const model = chatModel('m', { ...server, maxRetries: 0 })
  const price = { m: { inputTokens: 1, outputTokens: 2 } }
  const handler = handlerOf(new Agent({ name: 'helper', model, price }))

  const run = await handler(toRequest('/runs', { body: { input: 'Hello' } }))
  const end = eventsIn(await run.text()).find(({ event }) => event === 'run-end')
  const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15, cost: 20 }
  expect(JSON.parse(end?.data ?? '{}')).toMatchObject({ usage })

  const messages = [{ role: 'user', content: 'Hello' }]
  const body = { model: 'helper', messages, stream: true, stream_options: { include_usage: true } }
  const chat = await handler(toRequest('/v1/chat/completions', { body }))
  const chunks = eventsIn(await chat.text()).flatMap(({ data }) =>
    data === '[DONE]' ? [] : [JSON.parse(data)],
  )
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 15 } })
})

test('cached tokens and reasoning are shown in the form of OpenAI, the AI SDK and AG-UI', async () => {
  await using server = await startModelServer({
    prompt_tokens_details: { cached_tokens: 8, cache_write_tokens: 1 },
    completion_tokens_details: { reasoning_tokens: 3 },
  })
  const agent = new Agent({ name: 'helper', model: chatModel('m', { ...server, maxRetries: 0 }) })
  const handler = handlerOf(agent)
  const messages = [{ role: 'user', content: 'Hello' }]
  const chat = { model: 'helper', messages, stream: true, stream_options: { include_usage: true } }
  const chunks = await handler(toRequest('/v1/chat/completions', { body: chat }))
  const last = eventsIn(await chunks.text()).flatMap(({ data }) =>
    data === '[DONE]' ? [] : [JSON.parse(data)],
  )
  expect(last.at(-1)?.usage).toEqual({
    prompt_tokens: 10,
    completion_tokens: 5,
    total_tokens: 15,
    prompt_tokens_details: { cached_tokens: 8, cache_write_tokens: 1 },
    completion_tokens_details: { reasoning_tokens: 3 },
  })

  const result = await agent.run('Hello')
  const parts = { cachedInputTokens: 8, cacheWriteTokens: 1, reasoningTokens: 3 }
  expect(result.usage).toMatchObject(parts)
  const before = clientState(undefined)
  const urls = { artifactUrl: (id: string) => id }
  const ui = new UiStream({ ...urls, messageId: 'm', runId: 'r', before, decisions: {} }).end(result).at(-1)
  expect(ui).toMatchObject({ messageMetadata: { usage: parts } })
  const agUi = new AgUiStream({ ...urls, threadId: 't', runId: 'r', ownId: 'm', before, decisions: {} })
    .end(result)
    .at(-1)
  const inAgUi = { cachedInputTokens: 8, cacheWriteInputTokens: 1, reasoningTokens: 3 }
  expect(agUi).toMatchObject({ usage: [inAgUi] })
})

test('a result says which limits its last reply has exceeded', async () => {
  await using server = await startModelServer()
  const model = chatModel('m', { ...server, maxRetries: 0 })
  const agent = new Agent({ name: 'helper', model, limits: { tokens: 12 } })
  const run = await handlerOf(agent)(toRequest('/runs', { body: { input: 'Hello' } }))
  const end = eventsIn(await run.text()).find(({ event }) => event === 'result')
  expect(JSON.parse(end?.data ?? '{}')).toMatchObject({ stopReason: 'done', exceeded: ['tokens'] })

  const result = await agent.run('Hello')
  const before = clientState(undefined)
  const urls = { artifactUrl: (id: string) => id }
  const ui = new UiStream({ ...urls, messageId: 'm', runId: 'r', before, decisions: {} }).end(result).at(-1)
  expect(ui).toMatchObject({ messageMetadata: { exceeded: ['tokens'] } })
  const agUi = new AgUiStream({ ...urls, threadId: 't', runId: 'r', ownId: 'm', before, decisions: {} })
    .end(result)
    .at(-1)
  expect(agUi).toMatchObject({ result: { exceeded: ['tokens'] } })
})

/** Starts a model server that reports usage if a streaming request asks for it, and in every complete reply. */
async function startModelServer(details: object = {}) {
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request) text += piece
    const body = JSON.parse(text)
    const chunks = [{ choices: [{ index: 0, delta: { content: 'Hi.' }, finish_reason: 'stop' }] }]
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, ...details }
    if (!body.stream) {
      const message = { role: 'assistant', content: 'Hi.' }
      response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }], usage }))
      return
    }
    const counted = body.stream_options?.include_usage ? [{ choices: [], usage }] : []
    for (const chunk of [...chunks, ...counted]) response.write(`data: ${JSON.stringify(chunk)}\n\n`)
    response.end('data: [DONE]\n\n')
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    apiKey: '',
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
