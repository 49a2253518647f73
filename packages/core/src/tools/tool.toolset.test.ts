import { expect, test } from 'vitest'
import { jsonSchema } from './json-schema.js'
import { tool, toToolset } from './tool.js'

const make = (name: string, properties: Record<string, unknown> = {}, description = '') =>
  tool({ name, description, parameters: jsonSchema({ type: 'object', properties }), execute: () => name })

test('tools are found by their names, in the order given', () => {
  const tools = [make('b'), make('a')]
  const toolset = toToolset(tools)
  expect(toolset.names).toEqual(['b', 'a'])
  expect(toolset.get('a')).toBe(tools[1])
  expect(toolset.definitions).toEqual(tools.map(({ definition }) => definition))
})

test.each(['c', 'A', '', 'constructor', '__proto__', 'toString'])('no tool is named %j', (name) => {
  expect(toToolset([make('a')]).get(name)).toBeUndefined()
})

test('two tools of one name are refused, and the message says which', () => {
  expect(() => toToolset([make('a'), make('b'), make('a', { x: {} })])).toThrow(
    expect.objectContaining({ code: 'invalid_tool', message: expect.stringContaining('"a"') }),
  )
})

test('an empty toolset is a toolset', () => {
  expect(toToolset([])).toMatchObject({ tools: [], names: [], definitions: [] })
})

test('the hash is the same for the same tools in any order, and another when anything the model sees changes', () => {
  const hash = (...tools: ReturnType<typeof make>[]) => toToolset(tools).hash
  expect(hash(make('a'), make('b'))).toBe(hash(make('a'), make('b')))
  expect(hash(make('b'), make('a'))).toBe(hash(make('a'), make('b')))
  const hashes = [
    hash(),
    hash(make('a')),
    hash(make('b')),
    hash(make('a'), make('b')),
    hash(make('a', { x: { type: 'string' } })),
    hash(make('a', { x: { type: 'number' } })),
    hash(make('a', {}, 'a description')),
  ]
  expect(new Set(hashes).size).toBe(hashes.length)
  for (const one of hashes) expect(one).toMatch(/^[0-9a-f]{16}$/)
})

test('the hash of these tools stays what it is: states of earlier runs hold it', () => {
  expect(toToolset([]).hash).toBe('741638a52e06bfe9')
  expect(toToolset([make('a'), make('b', { x: { type: 'string' } })]).hash).toBe('4862e0515209d3bd')
})
