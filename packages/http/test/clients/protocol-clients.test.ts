// One agent with two typed tools, one that needs approval and one that makes an image, used by clients of the Responses
// and Messages protocols. Each client offers the tool `request_approval`, and answers its calls.
import Anthropic from '@anthropic-ai/sdk'
import { reply } from '@capstan/testing'
import { generateText as generateText6, jsonSchema, stepCountIs, streamText as streamText6 } from 'ai6'
import { createAnthropic as createAnthropic6 } from 'ai6-anthropic'
import { createOpenAI as createOpenAI6 } from 'ai6-openai'
import { generateText as generateText7, streamText as streamText7 } from 'ai7'
import { createAnthropic as createAnthropic7 } from 'ai7-anthropic'
import { createOpenAI as createOpenAI7 } from 'ai7-openai'
import OpenAI from 'openai'
import OpenAI7 from 'openai7'
import { describe, expect, test } from 'vitest'
import { handlerOf, pixel, scripted, toRequest } from '../requests.js'

const question = 'How is Oslo? Draw it, and book me a room there.'
const answers = () =>
  scripted([
    reply.calls(reply.call('get_weather', { city: 'Oslo' }), reply.call('draw', { what: 'Oslo' })),
    reply.call('book_room', { city: 'Oslo' }),
    ({ messages }) => reply.text(`Done: ${messages.at(-1)?.content}.`),
    reply.text('You are welcome.'),
  ])

interface Asked {
  readonly fetch: typeof fetch
  readonly stream: boolean
  /** The user's decision on a call that needs approval. */
  readonly said: string
}

/** Sends a question and another one, answers approval requests, and returns the two final texts. */
type Client = (asked: Asked) => Promise<readonly string[]>

const baseURL = 'http://house.test/v1'
const apiKey = 'user-ann'
const model = 'helper'
const parameters = {
  type: 'object' as const,
  properties: { name: { type: 'string' } },
  additionalProperties: true,
}
const description = 'Asks the user for a yes'
const name = 'request_approval'

type ResponseItems = OpenAI.Responses.ResponseInputItem[]

function throughResponses(Client: typeof OpenAI): Client {
  return async ({ fetch, stream, said }) => {
    const { responses } = new Client({ baseURL, apiKey, fetch, maxRetries: 0 })
    const tools = [{ type: 'function' as const, name, description, parameters, strict: false }]
    const input: ResponseItems = []
    const ask = async (content: string): Promise<string> => {
      input.push({ role: 'user', content })
      for (;;) {
        const asked = { model, input, tools }
        const { output, output_text: text } = stream
          ? await responses.stream(asked).finalResponse()
          : await responses.create(asked)
        input.push(...(output as ResponseItems))
        const calls = output.flatMap((item) => (item.type === 'function_call' ? [item] : []))
        if (calls.length === 0) return text
        for (const { call_id } of calls) input.push({ type: 'function_call_output', call_id, output: said })
      }
    }
    return [await ask(question), await ask('Thank you.')]
  }
}

const throughMessages: Client = async ({ fetch, stream, said }) => {
  const client = new Anthropic({
    baseURL: 'http://house.test',
    authToken: apiKey,
    apiKey: null,
    fetch,
    maxRetries: 0,
  })
  const tools = [{ name, description, input_schema: parameters }]
  const messages: Anthropic.MessageParam[] = []
  const ask = async (content: string): Promise<string> => {
    messages.push({ role: 'user', content })
    for (;;) {
      const asked = { model, max_tokens: 1000, messages, tools }
      const message = stream
        ? await client.messages.stream(asked).finalMessage()
        : await client.messages.create(asked)
      messages.push({ role: 'assistant', content: message.content })
      const calls = message.content.filter((block) => block.type === 'tool_use')
      expect(message.stop_reason).toBe(calls.length > 0 ? 'tool_use' : 'end_turn')
      if (calls.length === 0)
        return message.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
      const results = calls.map(({ id }) => ({
        type: 'tool_result' as const,
        tool_use_id: id,
        content: said,
      }))
      messages.push({ role: 'user', content: results })
    }
  }
  return [await ask(question), await ask('Thank you.')]
}

const sdk6 = { generateText: generateText6, streamText: streamText6 }
// The types of the two differ in details that are not used here.
const sdk7 = { generateText: generateText7, streamText: streamText7 } as unknown as typeof sdk6
type Model = Parameters<typeof generateText6>[0]['model']
type Messages = NonNullable<Parameters<typeof generateText6>[0]['messages']>

function throughAiSdk(
  { generateText, streamText }: typeof sdk6,
  modelOf: (fetch: typeof globalThis.fetch) => unknown,
): Client {
  return async ({ fetch, stream, said }) => {
    const tools = {
      [name]: { description, inputSchema: jsonSchema(parameters), execute: async () => said },
    }
    const settings = {
      model: modelOf(fetch) as Model,
      tools,
      stopWhen: stepCountIs(4),
      maxRetries: 0,
      maxOutputTokens: 1000,
    }
    const messages: Messages = []
    const ask = async (content: string): Promise<string> => {
      messages.push({ role: 'user', content })
      if (!stream) {
        const { text, response } = await generateText({ ...settings, messages })
        messages.push(...response.messages)
        return text
      }
      const result = streamText({ ...settings, messages })
      const text = await result.text
      messages.push(...(await result.response).messages)
      return text
    }
    return [await ask(question), await ask('Thank you.')]
  }
}

const clients = {
  'openai 6': throughResponses(OpenAI),
  'openai 7': throughResponses(OpenAI7 as unknown as typeof OpenAI),
  '@anthropic-ai/sdk': throughMessages,
  'ai 6 with @ai-sdk/openai': throughAiSdk(sdk6, (fetch) => createOpenAI6({ baseURL, apiKey, fetch })(model)),
  'ai 6 with @ai-sdk/anthropic': throughAiSdk(sdk6, (fetch) =>
    createAnthropic6({ baseURL, authToken: apiKey, fetch })(model),
  ),
  'ai 7 with @ai-sdk/openai': throughAiSdk(sdk7, (fetch) => createOpenAI7({ baseURL, apiKey, fetch })(model)),
  'ai 7 with @ai-sdk/anthropic': throughAiSdk(sdk7, (fetch) =>
    createAnthropic7({ baseURL, authToken: apiKey, fetch })(model),
  ),
}

describe.each(Object.entries(clients))('%s', (_, ask) => {
  test.each([false, true])('completes with an approval (streamed: %s)', async (stream) => {
    const handler = handlerOf(answers())
    const told: Promise<string>[] = []
    const watched = async (input: string | URL | Request, init?: RequestInit) => {
      const response = await handler(new Request(input, init))
      told.push(response.clone().text())
      return response
    }
    const texts = await ask({ fetch: watched as typeof fetch, stream, said: 'approve' })
    expect(texts).toEqual(['Done: booked in Oslo.', 'You are welcome.'])
    const [id] = (await Promise.all(told)).join('').match(/img_[a-z2-7]{8,}/g) ?? []
    const picture = await handler(toRequest(`/artifacts/${id}`))
    expect(Buffer.from(await picture.arrayBuffer())).toEqual(pixel)
  })

  test.each([false, true])('completes with a denial (streamed: %s)', async (stream) => {
    const handler = handlerOf(answers())
    const fetch = ((...given) => handler(new Request(...given))) as typeof globalThis.fetch
    const [first] = await ask({ fetch, stream, said: 'too dear' })
    expect(first).toMatch(/^Done: .*too dear/)
  })
})
