import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, type CapstanError, chatModel } from '@capstan/core'
import { messagesModel } from '@capstan/core/messages'
import { responsesModel } from '@capstan/core/responses'
import { describe, expect, onTestFinished, test } from 'vitest'
import { toNodeListener } from '../src/node-listener.js'
import { handlerOf } from './requests.js'

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

/** A model server that refuses every prompt, as llama.cpp and vLLM do. Returns its address, and how often it was asked. */
async function startSmallServer(status: number) {
  let asked = 0
  const baseURL = await listen((request, response) => {
    asked += 1
    const message =
      "This model's maximum context length is 4096 tokens. However, your messages resulted in 5000 tokens."
    response.writeHead(status, { 'content-type': 'application/json' })
    request.resume().on('end', () => response.end(JSON.stringify({ error: { message } })))
  })
  return { baseURL, asked: () => asked }
}

const protocols = { chatModel, responsesModel, messagesModel } as const
const paths = {
  chatModel: 'chat/completions',
  responsesModel: 'responses',
  messagesModel: 'messages',
} as const
const message = { role: 'user', content: 'Hi' }
const bodies = {
  chatModel: { messages: [message] },
  responsesModel: { input: 'Hi' },
  messagesModel: { messages: [message], max_tokens: 100 },
} as const

describe.each(Object.keys(protocols) as (keyof typeof protocols)[])('over %s', (protocol) => {
  test.each([400, 500])(
    'a prompt that the server of the agent refuses with %d is refused, and sent once',
    async (status) => {
      const small = await startSmallServer(status)
      const own = chatModel('small', { baseURL: small.baseURL, apiKey: 'key-of-the-server' })
      const handler = handlerOf(new Agent({ name: 'helper', model: own }))
      const baseURL = await listen(toNodeListener(handler))
      const headers = { authorization: 'Bearer user-Ada' }
      const response = await fetch(`${baseURL}/${paths[protocol]}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'helper', ...bodies[protocol] }),
      })
      expect(response.status).toBe(400)
      const { error } = await response.json()
      expect(error.type).toBe('invalid_request_error')
      if (protocol !== 'messagesModel') expect(error.code).toBe('context_length_exceeded')
      expect(small.asked()).toBe(1)
      // Agents whose model it is get the code as well, and do not retry.
      const model = protocols[protocol]('helper', { baseURL, apiKey: '', headers })
      for (const how of ['run', 'stream'] as const) {
        const agent = new Agent({ model, onContextLost: 'stop' })
        const failed: CapstanError = await (how === 'run'
          ? agent.run('Hi')
          : agent.stream('Hi').result
        ).catch((thrown) => thrown)
        expect([how, failed.code, failed.retryable]).toEqual([how, 'context_length_exceeded', false])
      }
      expect(small.asked()).toBe(3)
      await handler.close()
    },
  )
})
