import OpenAI6 from 'openai'
import OpenAI7 from 'openai7'
import { afterAll, describe, expect, test } from 'vitest'
import { startService } from '../../src/start-service.js'

// The Responses protocol, with what programs for the real service write.

// Strict: the fields that clients send are known.
const service = await startService({ strict: true })
afterAll(() => service.close())

// The types of the two differ in details that are not used here.
const clients = [
  ['openai 6', OpenAI6],
  ['openai 7', OpenAI7 as unknown as typeof OpenAI6],
] as const

const parameters = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const weather = {
  type: 'function' as const,
  name: 'get_weather',
  description: 'The weather in a city.',
  parameters,
  strict: true,
}
const model = 'gpt-4o'
const question = 'What is the weather in Paris and in Rome?'

describe.each(clients)('%s', (_, OpenAI) => {
  const client = () => new OpenAI({ baseURL: service.baseURL, apiKey: service.apiKey, maxRetries: 0 })

  test('creates a response, and another with the results of its calls', async () => {
    const { responses } = client()
    const asked = await responses.create({ model, input: question, tools: [weather] })
    expect(asked).toMatchObject({
      object: 'response',
      status: 'completed',
      model,
      output_text: '',
      output: [
        { type: 'function_call', name: 'get_weather', arguments: '{"city":"Paris"}', status: 'completed' },
        { type: 'function_call', name: 'get_weather', arguments: '{"city":"Rome"}', status: 'completed' },
      ],
      usage: { input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
      tools: [weather],
      store: false,
    })
    const results = asked.output.flatMap((item) =>
      item.type === 'function_call'
        ? [{ type: 'function_call_output' as const, call_id: item.call_id, output: '21 degrees' }]
        : [],
    )
    // The types of items of replies and of requests differ in details.
    const input = [{ role: 'user', content: question }, ...asked.output, ...results] as never
    const answered = await responses.create({ model, input, tools: [weather], instructions: 'Be brief.' })
    expect(answered.output_text).toContain('21 degrees')
    expect(answered.instructions).toBe('Be brief.')
  })

  test('streams events in the order of the real service', async () => {
    const { responses } = client()
    const types = async (input: string) => {
      const stream = await responses.create({ model, input, tools: [weather], stream: true })
      const events: { type: string; sequence_number: number }[] = []
      for await (const event of stream) events.push(event)
      expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
      return events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1])
    }
    const call = [
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
    ]
    expect(await types(question)).toEqual([
      'response.created',
      'response.in_progress',
      ...call,
      ...call,
      'response.completed',
    ])
    expect(await types('Hello')).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
  })

  test('the helper `stream` has the response that `create` returns', async () => {
    const { responses } = client()
    for (const input of [question, 'Hello']) {
      const asked = { model, input, tools: [weather] }
      const streamed = await responses.stream(asked).finalResponse()
      const whole = await responses.create(asked)
      const bare = ({ output, usage, id, status }: typeof whole) =>
        JSON.parse(JSON.stringify({ output, usage, id, status }))
      expect(bare(streamed as typeof whole)).toMatchObject(bare(whole))
    }
  })

  test('a refused format, a cut reply and a forced call', async () => {
    const { responses } = client()
    const schema = { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] }
    const format = { type: 'json_schema', name: 'offer', schema } as const
    const filled = await responses.create({ model, input: 'The price is 12.', text: { format } })
    expect(JSON.parse(filled.output_text)).toEqual({ price: 12 })
    const refused = { model, input: 'Hello', text: { format } }
    const content = [{ type: 'refusal', refusal: expect.stringContaining('invents nothing') }]
    expect((await responses.create(refused)).output).toMatchObject([{ type: 'message', content }])
    expect((await responses.stream(refused).finalResponse()).output).toMatchObject([{ content }])
    const cut = { model, input: 'Hello', max_output_tokens: 16 }
    const incomplete = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
    expect(await responses.create(cut)).toMatchObject(incomplete)
    expect(await responses.stream(cut).finalResponse()).toMatchObject(incomplete)
    const forced = await responses.create({
      model,
      input: 'Hello in Oslo',
      tools: [weather],
      tool_choice: { type: 'function', name: 'get_weather' },
    })
    expect(forced.output).toMatchObject([{ type: 'function_call', name: 'get_weather' }])
  })

  test('stores nothing, and says so', async () => {
    const { responses } = client()
    const { id } = await responses.create({ model, input: 'Hello', store: true })
    await expect(responses.create({ model, input: 'And?', previous_response_id: id })).rejects.toMatchObject({
      status: 400,
      code: 'previous_response_not_found',
      param: 'previous_response_id',
    })
    await expect(responses.retrieve(id)).rejects.toMatchObject({ status: 404, code: 'not_found' })
  })
})
