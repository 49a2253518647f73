// One agent with two typed tools, one that needs approval and one that makes an image, used by chat-completions clients.
// The AI SDK and AG-UI have the same in ui-chats.test.ts and ag-ui-client.test.ts.
import { Agent, chatModel, tool } from '@capstan/core'
import { reply } from '@capstan/testing'
import OpenAI from 'openai'
import OpenAI7 from 'openai7'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { AgentHandler } from '../../src/agent-handler.js'
import { handlerOf, pixel, scripted, toRequest } from '../requests.js'

const question = 'How is Oslo? Draw it, and book me a room there.'
const answers = () =>
  scripted([
    reply.calls(reply.call('get_weather', { city: 'Oslo' }), reply.call('draw', { what: 'Oslo' })),
    reply.call('book_room', { city: 'Oslo' }),
    ({ messages }) => reply.text(`Done: ${messages.at(-1)?.content}.`),
  ])

interface Asked {
  readonly fetch: typeof fetch
  readonly stream: boolean
  /** The user's decision on a call that needs approval. */
  readonly said: string
}

/** Sends messages, answers approval requests, and returns the final text. */
type Client = (asked: Asked) => Promise<string>

const baseURL = 'http://house.test/v1'
const apiKey = 'user-ann'
const wish = z.object({ name: z.string(), reason: z.string().optional() })

function throughOpenai(Client: typeof OpenAI): Client {
  return async ({ fetch, stream, said }) => {
    const client = new Client({ baseURL, apiKey, fetch, maxRetries: 0 })
    const request_approval = {
      name: 'request_approval',
      parameters: { type: 'object', properties: {} },
      parse: JSON.parse,
      function: () => said,
    }
    const runner = client.chat.completions.runTools({
      model: 'helper',
      stream: stream as false,
      messages: [{ role: 'user', content: question }],
      tools: [{ type: 'function', function: request_approval } as never],
    })
    return (await runner.finalContent()) ?? ''
  }
}

const capstan: Client = async ({ fetch, stream, said }) => {
  const approve = tool({
    name: 'request_approval',
    description: 'Asks the user for a yes',
    parameters: wish,
    execute: () => said,
  })
  const agent = new Agent({ model: chatModel('helper', { baseURL, apiKey, fetch }), tools: [approve] })
  return (stream ? await agent.stream(question).result : await agent.run(question)).text
}

const clients = {
  'openai 6': throughOpenai(OpenAI),
  'openai 7': throughOpenai(OpenAI7 as unknown as typeof OpenAI),
  'a Capstan agent': capstan,
}

/** A handler's answers, and the artifacts that they name. */
function watched(handler: AgentHandler) {
  const told: Promise<string>[] = []
  const ask = async (input: string | URL | Request, init?: RequestInit) => {
    const response = await handler(new Request(input, init))
    const [copy, body] = response.body?.tee() ?? []
    told.push(new Response(copy).text())
    return new Response(body ?? null, response)
  }
  const pictures = async () => (await Promise.all(told)).join('').match(/img_[a-z2-7]{8,}/g) ?? []
  return { pictures, fetch: ask as typeof fetch }
}

describe.each(Object.entries(clients))('%s', (_, ask) => {
  test.each([false, true])('completes with an approval (streamed: %s)', async (stream) => {
    const handler = handlerOf(answers())
    const { pictures, fetch } = watched(handler)
    expect(await ask({ fetch, stream, said: 'approve' })).toBe('Done: booked in Oslo.')
    const [id] = await pictures()
    const picture = await handler(toRequest(`/artifacts/${id}`))
    expect(Buffer.from(await picture.arrayBuffer())).toEqual(pixel)
  })

  test.each([false, true])('completes with a denial (streamed: %s)', async (stream) => {
    const { fetch } = watched(handlerOf(answers()))
    expect(await ask({ fetch, stream, said: 'too dear' })).toMatch(/^Done: .*too dear/)
  })
})
