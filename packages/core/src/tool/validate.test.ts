import type { StandardSchemaV1 } from '@standard-schema/spec'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { validate } from './validate.js'

const schema = (outcome: unknown): StandardSchemaV1 => ({
  '~standard': { version: 1, vendor: 'other', validate: () => outcome as never },
})

test('the value is what the schema made of it: defaults filled in, transforms done, strangers gone', async () => {
  const parameters = z.object({ n: z.string().transform(Number), unit: z.string().default('c') })
  expect(await validate(parameters, { n: '7', extra: 1 })).toEqual({ ok: true, value: { n: 7, unit: 'c' } })
})

test('each issue is a line with its path and what came', async () => {
  const parameters = z.object({ list: z.array(z.object({ n: z.number() })) })
  expect(await validate(parameters, { list: [{ n: 1 }, {}] })).toEqual({
    ok: false,
    issues: ['list.1.n: Invalid input: expected number, received undefined (given: nothing)'],
  })
})

test('paths may be of segments, numbers and symbols, or not there at all', async () => {
  const issues = [
    { message: 'one', path: [{ key: 'a' }, 0, Symbol('s')] },
    { message: 'two', path: [] },
    { message: 'three' },
  ]
  expect(await validate(schema({ issues }), {})).toEqual({
    ok: false,
    issues: ['a.0.Symbol(s): one (given: nothing)', 'two', 'three'],
  })
})

test('a schema may take its time', async () => {
  const parameters = z.object({ n: z.number().refine(async (n) => n > 1, 'too small') })
  expect(await validate(parameters, { n: 2 })).toEqual({ ok: true, value: { n: 2 } })
  expect(await validate(parameters, { n: 1 })).toEqual({ ok: false, issues: ['n: too small (given: 1)'] })
})

test('a value of undefined is a value', async () => {
  expect(await validate(schema({ value: undefined }), {})).toEqual({ ok: true, value: undefined })
})

test('what a schema throws, the check rejects with', async () => {
  const broken = z.object({}).refine(() => {
    throw new Error('the schema broke')
  })
  await expect(validate(broken, {})).rejects.toThrow('the schema broke')
})
