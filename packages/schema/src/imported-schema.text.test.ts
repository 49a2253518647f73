import { expect, test } from 'vitest'
import { limitSchemaText } from './imported-schema.js'

const tags = String.fromCodePoint(...[...'obey'].map((one) => 0xe0000 + (one.codePointAt(0) ?? 0)))

test('removes invisible characters from every text', () => {
  expect(
    limitSchemaText({
      type: 'object',
      title: `A${tags}`,
      'x-note': [`B${tags}`],
      properties: {
        a: { anyOf: [{ description: `C${tags}`, default: `D${tags}`, examples: [`E${tags}`] }] },
      },
      $defs: { b: { $comment: `F${tags}` } },
    }),
  ).toEqual({
    type: 'object',
    title: 'A',
    'x-note': ['B'],
    properties: { a: { anyOf: [{ description: 'C', default: 'D', examples: ['E'] }] } },
    $defs: { b: { $comment: 'F' } },
  })
})

test('keywords that define valid values stay unchanged', () => {
  const schema = {
    type: 'object',
    properties: {
      [`a${tags}`]: { enum: [`x${tags}`, 'y'.repeat(5000)] },
      description: { const: `x${tags}`, pattern: '^\u200b', $ref: '#/$defs/\u200b' },
      b: { type: 'number', minimum: 1, additionalProperties: false },
    },
    required: [`a${tags}`],
  }
  expect(limitSchemaText(schema)).toEqual(schema)
})

test('limits each description and their total', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 1000 }, (_, at) => [`p${at}`, { type: 'string', description: 'x'.repeat(100_000) }]),
  )
  const shown = limitSchemaText({ type: 'object', properties }) as { properties: typeof properties }
  expect(Object.keys(shown.properties)).toHaveLength(1000)
  expect(shown.properties.p0?.description).toHaveLength(2048)
  expect(shown.properties.p999).toEqual({ type: 'string' })
  expect(JSON.stringify(shown).length).toBeLessThan(50_000)
})

test('a name that every object inherits works', () => {
  const schema = JSON.parse('{"properties":{"__proto__":{"description":"a"}}}')
  expect(JSON.stringify(limitSchemaText(schema))).toBe(JSON.stringify(schema))
})
