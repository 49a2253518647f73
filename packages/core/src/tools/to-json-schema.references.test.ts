import { Validator } from '@cfworker/json-schema'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { expect, test } from 'vitest'
import * as z from 'zod'
import * as z3 from 'zod/v3'
import { zod3 } from '../zod3.js'
import { toParameters } from './to-json-schema.js'

const shown = (schema: StandardSchemaV1) => toParameters(zod3(schema), 'a_tool')

interface Tree {
  name: string
  children: Tree[]
}
const tree4: z.ZodType<Tree> = z.object({ name: z.string(), children: z.lazy(() => z.array(tree4)) })
const tree3: z3.ZodType<Tree> = z3.z.object({
  name: z3.z.string(),
  children: z3.z.lazy(() => z3.z.array(tree3)),
})

test.each([
  ['zod 4, the root', tree4, (tree: Tree) => tree],
  ['zod 4, within', z.object({ tree: tree4 }), (tree: Tree) => ({ tree })],
  ['zod 3, the root', tree3, (tree: Tree) => tree],
  ['zod 3, within', z3.z.object({ tree: tree3 }), (tree: Tree) => ({ tree })],
])('keeps the references of a recursive schema: %s', (_which, schema, toArguments) => {
  const validator = new Validator(shown(schema), '7')
  const deep = (name: unknown) => ({
    name: 'a',
    children: [{ name: 'b', children: [{ name, children: [] }] }],
  })
  expect(validator.validate(toArguments(deep('c') as Tree)).valid).toBe(true)
  expect(validator.validate(toArguments(deep(1) as Tree)).valid).toBe(false)
})

test('inlines a named root and keeps references to it', () => {
  const chain: z.ZodType = z
    .object({ name: z.string(), next: z.lazy(() => chain.optional()) })
    .meta({ id: 'Chain', title: 'A chain' })
  const parameters = shown(chain)
  expect(parameters).toMatchObject({ type: 'object', title: 'A chain', required: ['name'] })
  expect(parameters).not.toHaveProperty('definitions')
  const validator = new Validator(parameters, '7')
  expect(validator.validate({ name: 'a', next: { name: 'b' } }).valid).toBe(true)
  expect(validator.validate({ name: 'a', next: { name: 1 } }).valid).toBe(false)
})

test('keeps other definitions next to a named root', () => {
  const place = z.object({ city: z.string() }).meta({ id: 'Place' })
  const trip = z.object({ from: place, to: place }).meta({ id: 'Trip' })
  const validator = new Validator(shown(trip), '7')
  expect(validator.validate({ from: { city: 'a' }, to: { city: 'b' } }).valid).toBe(true)
  expect(validator.validate({ from: { city: 'a' }, to: { city: 1 } }).valid).toBe(false)
})
