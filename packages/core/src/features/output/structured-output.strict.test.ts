import { expect, test } from 'vitest'
import * as z from 'zod'
import { startScriptedServer } from '../../../test/scripted-server.js'
import { Agent, chatModel, jsonSchema } from '../../index.js'
import { isStrict } from './structured-output.js'

/** Returns the response format that a run with this output requests. */
async function formatOf(output: z.ZodType | ReturnType<typeof jsonSchema>) {
  await using server = await startScriptedServer(Array(4).fill({ text: '{}' }))
  await new Agent({ model: chatModel('m', { ...server, dialect: 'openai', maxRetries: 0 }), output }).run(
    'Go.',
  )
  return server.requests[0]?.body.response_format as {
    readonly json_schema: { strict?: boolean; schema: object }
  }
}

const closed = {
  type: 'object',
  properties: { n: { type: 'number' } },
  required: ['n'],
  additionalProperties: false,
}

test.each<[string, z.ZodType]>([
  ['an object', z.object({ city: z.string(), degrees: z.number().nullable() })],
  ['a closed object', z.strictObject({ n: z.number() })],
  [
    'lists and objects within',
    z.object({ all: z.array(z.object({ day: z.iso.date(), kind: z.enum(['a', 'b']) })) }),
  ],
  ['limits', z.object({ n: z.int().min(0).max(9), all: z.array(z.string()).min(1).max(5) })],
  ['a choice', z.object({ one: z.union([z.string(), z.object({ n: z.literal(1) })]) })],
  [
    'a choice by a field',
    z.object({
      one: z.discriminatedUnion('k', [z.object({ k: z.literal('a') }), z.object({ k: z.literal('b') })]),
    }),
  ],
  [
    'a recursive list',
    z.object({
      get children() {
        return z.array(z.object({ name: z.string() }))
      },
    }),
  ],
  ['a root that is a list', z.array(z.object({ n: z.number() }))],
])('says strict for %s, with all properties required and no others', async (_what, output) => {
  const { json_schema } = await formatOf(output)
  expect(json_schema.strict).toBe(true)
  JSON.stringify(json_schema.schema, (_key, part) => {
    if (part?.type !== 'object') return part
    expect(part.additionalProperties).toBe(false)
    expect(part.required).toEqual(Object.keys(part.properties))
    return part
  })
})

test.each<[string, z.ZodType | ReturnType<typeof jsonSchema>]>([
  ['an optional property', z.object({ city: z.string().optional() })],
  ['a default', z.object({ city: z.string().default('Oslo') })],
  ['an optional property within', z.object({ all: z.array(z.object({ n: z.number().optional() })) })],
  ['an object that keeps other fields', z.looseObject({ city: z.string() })],
  ['a record', z.object({ by: z.record(z.string(), z.number()) })],
  ['any value', z.object({ value: z.any() })],
  ['a tuple', z.object({ at: z.tuple([z.number(), z.number()]) })],
  ['an intersection', jsonSchema({ ...closed, properties: { n: { allOf: [{ type: 'number' }] } } })],
  ['the length of a text', z.object({ city: z.string().min(1) })],
  ['the format of an address', z.object({ page: z.url() })],
  ['a pattern with lookahead', z.object({ word: z.string().regex(/^(?!x)/) })],
  [
    'an open object of JSON Schema',
    jsonSchema({ type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }),
  ],
  ['eleven levels', Array.from({ length: 11 }).reduce<z.ZodType>((inner) => z.object({ inner }), z.string())],
])('does not say strict for %s, and sends the schema as it is', async (_what, output) => {
  const { json_schema } = await formatOf(output)
  expect(json_schema).not.toHaveProperty('strict')
})

test('a schema of JSON Schema is sent as it is, with strict where it fits', async () => {
  const { json_schema } = await formatOf(jsonSchema(closed))
  expect(json_schema).toEqual({ name: 'final_answer', strict: true, schema: closed })
})

test('references name definitions and have nothing beside them', () => {
  const list = (node: object) => ({
    ...closed,
    properties: { n: { $ref: '#/$defs/node' } },
    $defs: { node: { ...closed, properties: { n: node } } },
  })
  expect(isStrict(list({ anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] }))).toBe(true)
  expect(isStrict(list({ $ref: '#' }))).toBe(true)
  expect(isStrict(list({ $ref: '#/$defs/node', description: 'The next.' }))).toBe(false)
  expect(isStrict(list({ $ref: 'https://a.test/schema' }))).toBe(false)
  expect(isStrict(list({ $ref: '#/properties/n' }))).toBe(false)
})
