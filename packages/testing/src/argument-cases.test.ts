import { type Schema, Validator } from '@cfworker/json-schema'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { cases } from '../../../scripts/cases.mjs'
import { anyParameters } from '../../core/test/any-parameters.js'
import { argumentCases } from './argument-cases.js'

test('valid and boundary cases fit their schema, invalid ones do not, and all are distinct', () => {
  fc.assert(
    fc.property(anyParameters, (given) => {
      const schema: Schema = { ...given }
      const cases = argumentCases(schema)
      const validator = new Validator(structuredClone(schema), '2020-12')
      for (const { kind, arguments: args } of cases) {
        const fits = validator.validate(args).valid
        expect(fits, JSON.stringify(args)).toBe(kind !== 'invalid')
      }
      const texts = cases.map((one) => JSON.stringify(one.arguments))
      expect(new Set(texts).size).toBe(texts.length)
      expect(argumentCases(schema)).toEqual(cases)
    }),
    { numRuns: cases(100) },
  )
})

test('nearly every schema has cases of each kind', () => {
  const sampled = fc.sample(anyParameters, { numRuns: 100, seed: 7 })
  const without = sampled.filter((schema) => {
    const kinds = new Set(argumentCases({ ...schema }).map(({ kind }) => kind))
    return !kinds.has('valid') || !kinds.has('invalid')
  })
  expect(without.length).toBeLessThan(sampled.length / 10)
})

test('boundary and invalid cases follow the limits of the schema', () => {
  const schema = z.toJSONSchema(
    z.object({
      city: z.string().min(2).max(5),
      unit: z.enum(['c', 'f']).optional(),
      days: z.int().min(1).max(14),
      tags: z.array(z.string()).max(2).default([]),
    }),
    { io: 'input' },
  )
  const cases = argumentCases(schema)
  const abouts = (kind: string) => cases.filter((one) => one.kind === kind).map(({ about }) => about)
  expect(abouts('valid')).toEqual(
    expect.arrayContaining([
      'what is required',
      'all fields',
      'unit: one of the list',
      'days: another number',
    ]),
  )
  expect(abouts('boundary')).toEqual(
    expect.arrayContaining([
      'city: the shortest text',
      'city: the longest text',
      'days: the highest number',
      'unit: left out',
      'tags: the longest list',
    ]),
  )
  expect(abouts('invalid')).toEqual(
    expect.arrayContaining([
      'city: shorter than 2',
      'city: longer than 5',
      'city: left out',
      'days: less than 1',
      'days: more than 14',
      'tags: more than 2',
      'a list instead of an object',
    ]),
  )
})

test('covers each choice of a union', () => {
  const shape = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('circle'), radius: z.number() }),
    z.object({ kind: z.literal('square'), side: z.number() }),
  ])
  const cases = argumentCases(z.toJSONSchema(z.object({ shape, label: z.string().nullable() })))
  const valid = cases.filter(({ kind }) => kind !== 'invalid').map((one) => JSON.stringify(one.arguments))
  for (const part of ['"circle"', '"square"', '"label":null'])
    expect(
      valid.some((text) => text.includes(part)),
      part,
    ).toBe(true)
})

test('a schema without an example uses the given ones', () => {
  const schema = {
    type: 'object',
    properties: { id: { type: 'string', pattern: '^ord-[0-9]{6}$' } },
    required: ['id'],
  }
  expect(argumentCases(schema).filter(({ kind }) => kind !== 'invalid')).toEqual([])
  const cases = argumentCases(schema, [{ id: 'ord-000001' }])
  expect(cases[0]).toEqual({ kind: 'valid', arguments: { id: 'ord-000001' }, about: 'an example' })
  expect(cases).toContainEqual({ kind: 'invalid', arguments: { id: '¿?' }, about: 'id: no such text' })
})

test('a recursive schema has cases', () => {
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' }, inner: { $ref: '#' } },
    required: ['name'],
  }
  const kinds = argumentCases(schema).map(({ kind }) => kind)
  expect(new Set(kinds)).toEqual(new Set(['valid', 'boundary', 'invalid']))
})
