import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../../../../scripts/cases.mjs'
import { fillFormat } from '../typed/fill-schema.js'
import type { ChatMessage } from './conversation.js'
import { plan } from './plan.js'

const keywords = fc.constantFrom(
  'type',
  'enum',
  'const',
  'properties',
  'required',
  'items',
  'anyOf',
  'allOf',
  'oneOf',
  '$ref',
  'description',
  'format',
  'default',
  'minimum',
  'maximum',
  'minItems',
  'additionalProperties',
  'nullable',
  '$defs',
  'title',
)
const values = fc.oneof(
  fc.constantFrom<unknown>(
    'object',
    'array',
    'string',
    'number',
    'integer',
    'boolean',
    'null',
    '#',
    '#/$defs/a',
    'date',
    'email',
    'Name of the city',
    'km',
    'EUR',
    '',
    '(',
    '__proto__',
    null,
    true,
    false,
    0,
    -1,
    1.5,
    [],
    {},
  ),
  fc.array(fc.constantFrom<unknown>('a', 'red', 'from', 1, null, {}, [], true), { maxLength: 3 }),
)
const names = fc.constantFrom(
  'city',
  'from',
  'to_unit',
  'max_price',
  '',
  '__proto__',
  'constructor',
  'items',
  'days',
  '(x',
)
const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4 },
    fc.dictionary(keywords, values, { maxKeys: 4 }),
    fc.record({
      type: fc.constant('object'),
      properties: fc.dictionary(names, tie('schema'), { maxKeys: 3 }),
    }),
    fc.record({ type: fc.constant('array'), items: tie('schema') }),
    fc.record({ anyOf: fc.array(tie('schema'), { maxLength: 2 }) }),
    values,
  ),
}))
const words =
  'convert 5 miles to km in Oslo and Rome from Friday for 3 days under $5 with "it" red ( : the second one'
const requests = fc
  .array(fc.constantFrom(...words.split(' ')), { maxLength: 12 })
  .map((list) => list.join(' '))

test('plans with any schema, with JSON arguments', () => {
  fc.assert(
    fc.property(
      fc.dictionary(names, schema, { maxKeys: 4 }),
      requests,
      fc.boolean(),
      (properties, text, isForced) => {
        const parameters = { type: 'object', properties, required: Object.keys(properties) }
        const tools = [{ name: 'convert', description: 'Convert something', parameters }]
        const messages: ChatMessage[] = [{ role: 'user', text }]
        const answer = plan({ messages, tools, choice: isForced ? 'required' : 'auto' })
        return typeof JSON.stringify(answer) === 'string'
      },
    ),
    { numRuns: cases(500) },
  )
})

test('fills or refuses any response format', () => {
  fc.assert(
    fc.property(schema, requests, (form, text) => {
      const isObject = typeof form === 'object' && form !== null && !Array.isArray(form)
      const asked = isObject ? (form as Record<string, unknown>) : {}
      const filled = fillFormat({ name: 'form', description: '', schema: asked }, [{ role: 'user', text }])
      return 'flaw' in filled || JSON.stringify(filled.value) !== undefined
    }),
    { numRuns: cases(500) },
  )
  expect(fillFormat({ name: 'form', description: '', schema: {} }, [])).toBeDefined()
})
