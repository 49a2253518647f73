import { Agent, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { afterEach, expect, test } from 'vitest'
import * as z from 'zod'
import { collect } from '../test/collected.js'
import type { ContentKind } from './options.js'
import { telemetry } from './telemetry.js'
import { promptContent } from './traced-model.js'

const collected = collect()
afterEach(() => collected.reset())

const lookUp = tool({
  name: 'look_up',
  description: 'Looks up',
  parameters: z.object({ word: z.string(), password: z.string() }),
  execute: ({ word }) => ({ meaning: `meaning of ${word}`, api_key: 'sk-1234567890' }),
})

async function attributesWith(content: boolean | readonly ContentKind[], secrets: readonly string[] = []) {
  const model = scriptedModel([
    reply.call('look_up', { word: 'capstan', password: 'hunter2' }),
    reply.text('A winch.'),
  ])
  const agent = new Agent({ model, instructions: 'Be kind.', tools: [lookUp] })
  await agent.run('What is a capstan, ask Mallory.', telemetry({ content, secrets }))
  return collected.spans().map(({ name, attributes }) => ({ name, ...attributes }) as Record<string, unknown>)
}

const parsed = (value: unknown) => JSON.parse(String(value))

test('records content as the conventions define it, on request', async () => {
  const [first, execute, last] = await attributesWith(true)
  expect(parsed(first?.['gen_ai.system_instructions'])).toEqual([{ type: 'text', content: 'Be kind.' }])
  expect(parsed(first?.['gen_ai.tool.definitions'])).toEqual([expect.objectContaining({ name: 'look_up' })])
  expect(parsed(last?.['gen_ai.input.messages'])).toEqual([
    { role: 'user', parts: [{ type: 'text', content: 'What is a capstan, ask Mallory.' }] },
    {
      role: 'assistant',
      parts: [
        expect.objectContaining({
          type: 'tool_call',
          name: 'look_up',
          arguments: { word: 'capstan', password: '[redacted]' },
        }),
      ],
    },
    {
      role: 'tool',
      parts: [
        expect.objectContaining({
          type: 'tool_call_response',
          response: { meaning: 'meaning of capstan', api_key: '[redacted]' },
        }),
      ],
    },
  ])
  expect(parsed(last?.['gen_ai.output.messages'])).toEqual([
    { role: 'assistant', parts: [{ type: 'text', content: 'A winch.' }], finish_reason: 'stop' },
  ])
  expect(parsed(execute?.['gen_ai.tool.call.arguments'])).toEqual({ word: 'capstan', password: '[redacted]' })
  expect(parsed(execute?.['gen_ai.tool.call.result'])).toMatchObject({ meaning: 'meaning of capstan' })
})

test('removes secrets, by name and by the option', async () => {
  const written = JSON.stringify(await attributesWith(true, ['Mallory']))
  expect(written).toContain('[redacted]')
  expect(written).not.toMatch(/hunter2|sk-1234567890|Mallory/)
})

test.each<[ContentKind, RegExp, RegExp]>([
  ['prompts', /ask Mallory/, /hunter2|meaning of|A winch/],
  ['outputs', /A winch/, /ask Mallory|"arguments|word\\|meaning of/],
  ['arguments', /word/, /ask Mallory|A winch|meaning of/],
  ['results', /meaning of/, /ask Mallory|A winch/],
])('records only the requested content: %s', async (kind, said, unsaid) => {
  const written = JSON.stringify(await attributesWith([kind]))
  expect(written).toMatch(said)
  expect(written).not.toMatch(unsaid)
})

test('records the type and size of an image, never its bytes', () => {
  const url = `data:image/png;base64,${Buffer.alloc(300, 7).toString('base64')}`
  const parts = [
    { type: 'text', text: 'Look' },
    { type: 'image_url', image_url: { url } },
    { type: 'image_url', image_url: { url: 'https://host/cat.png?signature=abc' } },
    { type: 'input_audio', input_audio: { data: 'AAAA' } },
  ]
  const content = promptContent([{ role: 'user', content: parts }], [], new Set(['prompts']))
  expect(content['gen_ai.input.messages']).toEqual([
    {
      role: 'user',
      parts: [
        { type: 'text', content: 'Look' },
        { type: 'file', modality: 'image', mime_type: 'image/png', bytes: 300 },
        { type: 'uri', modality: 'image', uri: 'https://host/cat.png' },
        { type: 'input_audio' },
      ],
    },
  ])
})

test('records artifacts as id, type and size, with and without content', async () => {
  const draw = tool({
    name: 'draw',
    description: 'Draws',
    parameters: z.object({}),
    execute: (_, { artifacts }) =>
      artifacts.put(new Uint8Array([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]), {
        kind: 'image',
        mediaType: 'image/png',
      }),
  })
  await new Agent({ model: scriptedModel([reply.call('draw'), reply.text('ok')]), tools: [draw] }).run(
    'Draw',
    telemetry(),
  )
  const span = collected.spans().find(({ name }) => name === 'execute_tool draw')
  expect(span?.events).toEqual([
    expect.objectContaining({
      name: 'capstan.artifact',
      attributes: { id: expect.stringMatching(/^img_/), mime_type: 'image/png', bytes: 7 },
    }),
  ])
})
