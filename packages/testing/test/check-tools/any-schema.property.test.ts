import { tool } from '@capstan/core'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../../../../scripts/cases.mjs'
import { checkTools, toReportText } from '../../src/check-tools/check-tools.js'

// `checkTools` returns a report for every schema that `tool()` accepts.

const keywords =
  'type properties required items prefixItems anyOf oneOf allOf not if enum const $ref format pattern description default additionalProperties'
const fields =
  'type typeName effect checks check error shape element in out options innerType schema getter valueType items left right coerce defaultValue format pattern _zod _def def'
const values = [
  'object',
  'array',
  'string',
  'pipe',
  'lazy',
  'default',
  'union',
  'tuple',
  'ZodObject',
  'ZodEffects',
]

function anything(names: string) {
  return fc.letrec<{ value: unknown; inside: Record<string, unknown> }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom(...values, '#', '#/properties/a', '#/%', null, true, 7, '(', '^(?=a)'),
      fc.string(),
      fc.array(tie('value'), { maxLength: 3 }),
      tie('inside'),
    ),
    inside: fc.dictionary(
      fc.constantFrom(...names.split(' '), 'a', '__proto__', 'constructor'),
      tie('value'),
      {
        maxKeys: 6,
      },
    ),
  })).inside
}

function toolOver(schema: object, inside: object) {
  const standard: StandardSchemaV1.Props & { jsonSchema: unknown } = {
    version: 1,
    vendor: 'other',
    validate: (value) => ({ value }),
    jsonSchema: { input: () => ({ ...schema, type: 'object' }) },
  }
  const parameters = { ...inside, '~standard': standard } as StandardSchemaV1
  return tool({ name: 'move_lamps', description: 'Moves the lamps of a house.', parameters })
}

test('accepts any JSON Schema, also an invalid one', () => {
  fc.assert(
    fc.property(anything(keywords), (schema) => {
      const report = checkTools([toolOver(schema, {})])
      expect(toReportText(report)).toContain('tokens')
    }),
    { seed: 1, numRuns: cases(2000) },
  )
})

test('accepts any inner structure of a schema that looks like zod', () => {
  fc.assert(
    fc.property(anything(fields), anything(keywords), (def, schema) => {
      const report = checkTools([toolOver(schema, { _def: { type: 'object', ...def } })])
      expect(report.tokens).toBeGreaterThan(0)
    }),
    { seed: 2, numRuns: cases(2000) },
  )
})
