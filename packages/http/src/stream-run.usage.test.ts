import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, chatModel } from '@capstan/core'
import { expect, test } from 'vitest'
import { eventsIn, handlerOf, toRequest } from '../test/requests.js'

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

/** A model server that reports usage if the request asks for it. */
async function startModelServer() {
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request) text += piece
    const body = JSON.parse(text)
    const chunks = [{ choices: [{ index: 0, delta: { content: 'Hi.' }, finish_reason: 'stop' }] }]
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
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
