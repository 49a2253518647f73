import type { StandardSchemaV1 } from '@standard-schema/spec'
import { expect, test } from 'vitest'
import * as z from 'zod'
import * as mini from 'zod/mini'
import * as z3 from 'zod/v3'
import { validate } from './validate.js'

const schema = (outcome: unknown): StandardSchemaV1 => ({
  '~standard': { version: 1, vendor: 'other', validate: () => outcome as never },
})

test("returns the schema's output: defaults, transforms, no unknown fields", async () => {
  const parameters = z.object({ n: z.string().transform(Number), unit: z.string().default('c') })
  expect(await validate(parameters, { n: '7', extra: 1 })).toEqual({ value: { n: 7, unit: 'c' } })
})

test('reports each issue as a line with path and value', async () => {
  const parameters = z.object({ list: z.array(z.object({ n: z.number() })) })
  expect(await validate(parameters, { list: [{ n: 1 }, {}] })).toEqual({
    issues: ['list.1.n: Invalid input: expected number, received undefined (given: nothing)'],
  })
})

test('accepts paths of segments, numbers and symbols, and none', async () => {
  const issues = [
    { message: 'one', path: [{ key: 'a' }, 0, Symbol('s')] },
    { message: 'two', path: [] },
    { message: 'three' },
  ]
  expect(await validate(schema({ issues }), {})).toEqual({
    issues: ['a.0.Symbol(s): one (given: nothing)', 'two', 'three'],
  })
})

test('supports an asynchronous schema', async () => {
  const parameters = z.object({ n: z.number().refine(async (n) => n > 1, 'too small') })
  expect(await validate(parameters, { n: 2 })).toEqual({ value: { n: 2 } })
  expect(await validate(parameters, { n: 1 })).toEqual({ issues: ['n: too small (given: 1)'] })
})

test('accepts undefined as a value', async () => {
  expect(await validate(schema({ value: undefined }), {})).toEqual({ value: undefined })
})

test('rejects with the error of a schema', async () => {
  const broken = z.object({}).refine(() => {
    throw new Error('the schema broke')
  })
  await expect(validate(broken, {})).rejects.toThrow('the schema broke')
})

/** Schemas whose refinement or transform counts its calls, waits, and rejects on demand. */
const waiting = (calls: unknown[]) => {
  const wait = async (n: number) => {
    calls.push(n)
    if (n === 13) throw new Error('the stock is away')
    return n > 1
  }
  const refined = z.number().refine(wait, 'too small')
  const tree: z.ZodType = z.object({ n: refined, of: z.lazy(() => z.array(tree)).optional() })
  return {
    'a refinement': z.object({ n: refined }),
    'a refinement of the whole': z.object({ n: z.number() }).refine(({ n }) => wait(n)),
    'a transform': z.object({ n: z.number().transform(wait) }),
    'a preprocess': z.object({ n: z.preprocess((n) => wait(n as number).then(() => n), z.number()) }),
    'a check': z.object({ n: z.number().check(async ({ value }) => void (await wait(value))) }),
    'one in a union': z.union([z.object({ m: z.string() }), z.object({ n: refined })]),
    'one in a record of lists': z
      .object({ n: z.number(), all: z.record(z.string(), z.array(refined)).optional() })
      .extend({ n: refined }),
    'a lazy tree': tree,
    mini: mini.object({ n: mini.number().check(mini.refine((n) => wait(n as number))) }),
    'zod 3': z3.object({ n: z3.number().refine(wait) }),
  } satisfies Record<string, StandardSchemaV1>
}

test.each(Object.keys(waiting([])))('runs an asynchronous refinement once: %s', async (name) => {
  const calls: unknown[] = []
  const made = Object.entries(waiting(calls)).find(([one]) => one === name)?.[1]
  if (!made) throw new Error('no such schema')
  expect(await validate(made, { n: 2 })).toHaveProperty('value')
  expect(calls).toEqual([2])
  await expect(Promise.resolve(validate(made, { n: 13 }))).rejects.toThrow('the stock is away')
  expect(calls).toEqual([2, 13])
  // A dropped promise would be an unhandled rejection by now, which fails the test.
  await new Promise(setImmediate)
})

test('validates schemas without user code synchronously', () => {
  const tree: z.ZodType = z.object({ of: z.lazy(() => z.array(tree)).optional() })
  const plain = [
    z.object({ n: z.coerce.number().min(1).default(3), at: z.iso.datetime().optional() }),
    z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.enum(['b']) })]),
    tree,
    mini.object({ n: mini.optional(mini.number()) }),
    z3.object({ n: z3.number().min(1).optional() }),
  ]
  for (const one of plain) expect(validate(one, { kind: 'a' })).toHaveProperty('value')
})

const inherited = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__']

test.each(inherited)('a field named %s that is left out is absent', async (name) => {
  const fields = [
    z.object({ n: z.int(), [name]: z.string().optional() }),
    z.object({ n: z.int(), [name]: z.unknown().optional() }),
    z.looseObject({ n: z.int(), [name]: z.string().optional() }),
    z.strictObject({ n: z.int(), [name]: z.string().optional() }).refine(async () => true),
    z.object({ n: z.int(), [name]: z.string().nullish() }).and(z.object({})),
    mini.object({ n: mini.number(), [name]: mini.optional(mini.string()) }),
    z3.object({ n: z3.number(), [name]: z3.string().optional() }),
    z.partialRecord(z.enum(['n', name]), z.int()),
  ]
  for (const parameters of fields) {
    expect(await validate(parameters, { n: 1 })).toEqual({ value: { n: 1 } })
    const rows = z.object({ rows: z.array(parameters as z.ZodType) })
    if ('_zod' in parameters)
      expect(await validate(rows, { rows: [{ n: 1 }] })).toEqual({ value: { rows: [{ n: 1 }] } })
  }
  const other: StandardSchemaV1 = {
    '~standard': {
      version: 1,
      vendor: 'other',
      validate: (value) => ({ value: { seen: (value as Record<string, unknown>)[name] === undefined } }),
    },
  }
  expect(await validate(other, { n: 1 })).toEqual({ value: { seen: true } })
})

test('a required field with an inherited name that is left out is an issue', async () => {
  const parameters = z.object({ toString: z.string() })
  expect(await validate(parameters, {})).toEqual({
    issues: ['toString: Invalid input: expected string, received undefined (given: nothing)'],
  })
  expect(await validate(parameters, { toString: 'a' })).toEqual({ value: { toString: 'a' } })
})

test('values that pass through a schema with inherited names are plain objects', async () => {
  const parameters = z.object({ valueOf: z.string().default('x'), any: z.unknown(), at: z.date() })
  const value = { any: { list: [{ a: 1 }] }, at: new Date(0) }
  const checked = await validate(parameters, value)
  expect(checked).toStrictEqual({ value: { valueOf: 'x', ...value } })
})
