import { expect, test } from 'vitest'
import * as z from 'zod'
import * as z3 from 'zod/v3'
import { jsonSchema } from '../../tools/json-schema.js'
import { toParameters } from '../../tools/to-json-schema.js'
import { validate } from '../../tools/validate.js'
import { zod3 } from '../../zod3.js'
import { toOutputSchema } from './structured-output.js'

const shown = (form: ReturnType<typeof toOutputSchema>) => toParameters(form.schema, 'final_answer')

test('an object’s schema is its own form', () => {
  const schema = z.object({ result: z.string() })
  const form = toOutputSchema(schema, 'f')
  expect(form.schema).toBe(schema)
  expect(form.unwrap({ result: 'a' })).toEqual({ result: 'a' })
})

test('any other stands in an object, whatever wrote it', () => {
  for (const schema of [
    z.array(z.string()),
    zod3(z3.z.array(z3.z.string())),
    jsonSchema({ type: 'array', items: { type: 'string' } }),
  ])
    expect(shown(toOutputSchema(schema, 'f'))).toEqual({
      type: 'object',
      properties: { result: { type: 'array', items: { type: 'string' } } },
      required: ['result'],
      additionalProperties: false,
    })
})

type Tree = string | Tree[]
const tree: z.ZodType<Tree> = z.lazy(() => z.union([z.string(), z.array(tree)]))

test('references lead where they led', async () => {
  const parts = z.object({
    get parts(): z.ZodArray<typeof parts> {
      return z.array(parts)
    },
  })
  for (const [schema, good, bad] of [
    [tree, ['a', ['b']], ['a', [1]]],
    [z.array(tree), [['a'], 'b'], [[1]]],
    [z.array(parts), [{ parts: [{ parts: [] }] }], [{ parts: [{}] }]],
    [jsonSchema({ type: 'array', items: { anyOf: [{ type: 'null' }, { $ref: '#' }] } }), [null, [[]]], [[1]]],
    [
      jsonSchema({
        $ref: '#/$defs/a',
        $defs: { a: { type: 'array', items: { $ref: '#/$defs/b' } }, b: { type: 'string' } },
      }),
      ['x'],
      [1],
    ],
  ] as const) {
    const told = jsonSchema(shown(toOutputSchema(schema, 'f')))
    expect(await validate(told, { result: good })).toHaveProperty('value')
    expect(await validate(told, { result: bad })).toHaveProperty('issues')
  }
})

test('an answer counts with the object around it or without', async () => {
  const form = toOutputSchema(z.union([z.object({ kind: z.string() }), z.number()]), 'f')
  for (const given of [{ result: { kind: 'a' } }, { kind: 'a' }]) {
    const checked = await validate(form.schema, given)
    expect(!checked.issues && form.unwrap(checked.value)).toEqual({ kind: 'a' })
  }
  expect(await validate(form.schema, { kin: 'a' })).toEqual({
    issues: ['result: required: put the answer here (given: nothing)'],
  })
})

test('a schema that changes what it takes does so once', async () => {
  const form = toOutputSchema(
    z.string().transform((text) => ({ result: text.length })),
    'f',
  )
  const checked = await validate(form.schema, { result: 'four' })
  expect(!checked.issues && form.unwrap(checked.value)).toEqual({ result: 4 })
})
