import type OpenAI from 'openai'
import { expect, test } from 'vitest'
import { localService } from '../../test/local-service.js'
import { parseForm } from './chat-request.js'

const { client } = localService()

type Message = OpenAI.ChatCompletionMessageParam

const booking = {
  type: 'object',
  properties: {
    guest: { type: 'string', description: 'Name of the guest' },
    nights: { type: 'integer', minimum: 1 },
    room: { enum: ['single', 'double'] },
    email: { type: ['string', 'null'], format: 'email' },
    wishes: { type: 'array', items: { type: 'string', enum: ['sea view', 'balcony', 'cot'] } },
    arrival: { type: 'object', properties: { date: { type: 'string', format: 'date' } }, required: ['date'] },
  },
  required: ['guest', 'nights', 'room', 'email', 'wishes', 'arrival'],
  additionalProperties: false,
}

async function ask(content: string, schema: object, earlier: Message[] = []) {
  const { choices } = await client.chat.completions.create({
    model: 'planner',
    messages: [...earlier, { role: 'user', content }],
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'booking', strict: true, schema: { ...schema } },
    },
  })
  const [choice] = choices
  return { value: JSON.parse(choice?.message.content ?? 'null'), refusal: choice?.message.refusal }
}

test('fills a format from the request: names, numbers, choices, lists, objects, null for missing values', async () => {
  const request = 'Ada Lovelace stays 3 nights in a double room with sea view and balcony from 2027-05-01'
  expect((await ask(request, booking)).value).toEqual({
    guest: 'Ada Lovelace',
    nights: 3,
    room: 'double',
    email: null,
    wishes: ['sea view', 'balcony'],
    arrival: { date: '2027-05-01' },
  })
})

test('earlier messages fill the remaining fields', async () => {
  const earlier: Message[] = [
    { role: 'user', content: 'I am Grace Hopper and stay from 2027-05-01' },
    { role: 'assistant', content: 'Which room?' },
  ]
  const { value } = await ask('A single room for 2 nights', booking, earlier)
  expect(value).toMatchObject({ guest: 'Grace Hopper', nights: 2, room: 'single' })
})

test('refuses a format without values, names the missing ones and invents none', async () => {
  const { value, refusal } = await ask('Hello', booking)
  expect(value).toBeNull()
  expect(refusal).toMatch(/invents nothing: the answer must have "(?:nights|room|guest)"/)
})

test('tool results fill fields of the same name, also nested ones', async () => {
  const call = {
    id: 'a',
    type: 'function',
    function: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
  } as const
  const messages: Message[] = [
    { role: 'user', content: 'Weather in Oslo?' },
    { role: 'assistant', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'a', content: '{"now":{"temperature":-3,"wind_speed":7}}' },
  ]
  const schema = {
    type: 'object',
    properties: {
      city: { type: 'string' },
      temperature: { $ref: '#/$defs/degrees' },
      windSpeed: { anyOf: [{ type: 'number' }, { type: 'null' }] },
      summary: { type: 'string' },
    },
    required: ['city', 'temperature', 'windSpeed', 'summary'],
    $defs: { degrees: { type: 'number' } },
  }
  const { choices } = await client.chat.completions.create({
    model: 'planner',
    messages,
    response_format: { type: 'json_schema', json_schema: { name: 'report', schema } },
  })
  expect(JSON.parse(choices[0]?.message.content ?? '')).toEqual({
    city: 'Oslo',
    temperature: -3,
    windSpeed: 7,
    summary: 'get_weather (city Oslo): now temperature -3, wind speed 7.',
  })
})

test('a json_object reply has the keys that the request names, else the text', async () => {
  const json = async (content: string) => {
    const { choices } = await client.chat.completions.create({
      model: 'planner',
      messages: [{ role: 'user', content }],
      response_format: { type: 'json_object' },
    })
    return JSON.parse(choices[0]?.message.content ?? '')
  }
  expect(await json('Hello')).toEqual({ answer: expect.stringContaining('not a language model') })
  expect(await json('Write to ann@example.com. Answer in JSON with the keys email and phone.')).toMatchObject(
    {
      email: 'ann@example.com',
      phone: null,
    },
  )
})

test('streams a refusal as a refusal', async () => {
  const stream = await client.chat.completions.create({
    model: 'planner',
    messages: [{ role: 'user', content: 'Hello' }],
    stream: true,
    response_format: { type: 'json_schema', json_schema: { name: 'booking', schema: booking } },
  })
  let refusal = ''
  for await (const { choices } of stream) refusal += choices[0]?.delta.refusal ?? ''
  expect(refusal).toContain('invents nothing')
})

test.each([
  ['response_format.type', { type: 'yaml' }],
  ['response_format.type', 'json'],
  ['response_format.json_schema', { type: 'json_schema' }],
  ['response_format.json_schema.name', { type: 'json_schema', json_schema: { name: '', schema: {} } }],
  ['response_format.json_schema.schema', { type: 'json_schema', json_schema: { name: 'x' } }],
  [
    'response_format.json_schema.schema',
    { type: 'json_schema', json_schema: { name: 'x', schema: { not: {} } } },
  ],
  [
    'response_format.json_schema.schema',
    { type: 'json_schema', json_schema: { name: 'x', schema: { items: { pattern: '(a+)+$' } } } },
  ],
  [
    'response_format.json_schema.strict',
    { type: 'json_schema', json_schema: { name: 'x', schema: {}, strict: 1 } },
  ],
])('rejects %s that cannot be enforced', (param, format) => {
  expect(() => parseForm(format)).toThrow(expect.objectContaining({ status: 400, param }))
})
