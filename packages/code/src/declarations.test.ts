import type { ToolDefinition } from '@capstan/core'
import { expect, test } from 'vitest'
import { declarationsOf, linesOf } from './declarations.js'

function declared(parameters: Record<string, unknown>, output?: Record<string, unknown>) {
  const definition: ToolDefinition = {
    type: 'function',
    function: { name: 'find', description: 'Finds things. In a store.', parameters },
  }
  return { definition, output }
}

const typeOf = (schema: Record<string, unknown>) =>
  declarationsOf([declared({ type: 'object', properties: { a: schema }, required: ['a'] })]).replace(
    /^.*\nfind\(args: \{ a: (.*) \}\): Promise<unknown>$/s,
    '$1',
  )

test.each([
  [{ type: 'string' }, 'string'],
  [{ type: 'integer' }, 'number'],
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ enum: ['a', 'b', 1, null] }, '"a" | "b" | 1 | null'],
  [{ const: 'x' }, '"x"'],
  [{ type: 'array', items: { type: 'number' } }, 'number[]'],
  [{ type: 'array', items: { type: ['string', 'number'] } }, '(string | number)[]'],
  [{ type: 'array' }, 'unknown[]'],
  [{ type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] }, '[string, number]'],
  [{ type: 'object' }, 'Record<string, unknown>'],
  [{ type: 'object', additionalProperties: { type: 'number' } }, 'Record<string, number>'],
  [{ type: 'object', properties: {}, additionalProperties: false }, '{}'],
  [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, 'string | number'],
  [
    { allOf: [{ type: 'object', properties: { x: { type: 'string' } } }, { type: 'object' }] },
    '{ x?: string } & Record<string, unknown>',
  ],
  [{}, 'unknown'],
  [{ $ref: '#/nowhere' }, 'unknown'],
  [{ type: 'object', properties: { 'a-b': { type: 'string' } }, required: ['a-b'] }, '{ "a-b": string }'],
])('%j', (schema, type) => {
  expect(typeOf(schema)).toBe(type)
})

test('a reference is written out, and one to itself is unknown', () => {
  const node = {
    type: 'object',
    properties: { next: { $ref: '#/$defs/node' }, id: { type: 'string' } },
    required: ['id'],
  }
  const schema = {
    type: 'object',
    properties: { root: { $ref: '#/$defs/node' } },
    required: ['root'],
    $defs: { node },
  }
  expect(declarationsOf([declared(schema)])).toContain('{ root: { next?: unknown, id: string } }')
})

test('descriptions of properties are comments, which cannot be closed', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'string', description: 'A */ city\n of  Norway' } },
  }
  expect(declarationsOf([declared(schema, { type: 'number' })])).toBe(
    '/** Finds things. In a store. */\nfind(args?: {\n    /** A * / city of Norway */ a?: string\n  }): Promise<number>',
  )
})

test('a tool without arguments takes none', () => {
  expect(declarationsOf([declared({ type: 'object', properties: {} })])).toContain('find(): Promise<unknown>')
})

test('a tool that takes any names, or one of several objects, has arguments', () => {
  const numbers = { type: 'object', additionalProperties: { type: 'number' } }
  expect(declarationsOf([declared(numbers)])).toContain('find(args?: Record<string, number>)')
  expect(declarationsOf([declared({ type: 'object', additionalProperties: true })])).toContain(
    'find(args?: Record<string, unknown>)',
  )
  const field = (name: string) => ({ properties: { [name]: { type: 'string' } }, required: [name] })
  expect(
    declarationsOf([declared({ type: 'object', properties: {}, oneOf: [field('a'), field('b')] })]),
  ).toContain('find(args: { a: string } | { b: string })')
})

test('a large schema ends as unknown', () => {
  let schema: Record<string, unknown> = { type: 'string' }
  for (let depth = 0; depth < 2000; depth++) schema = { type: 'object', properties: { a: schema } }
  expect(declarationsOf([declared(schema)]).length).toBeLessThan(1000)
  const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`field${at}`, { type: 'string' }]))
  expect(declarationsOf([declared({ type: 'object', properties: wide })])).toContain('field4999?: unknown')
})

test('a line has the name and the first sentence', () => {
  expect(linesOf([declared({})])).toBe('find: Finds things.')
})
