import { expect, test } from 'vitest'
import { hashOf } from '../run/reachable-agents.js'
import { jsonSchema } from './json-schema.js'
import { tool, toToolset } from './tool.js'

/** A tool whose description may be empty, as earlier versions took it: stored states have its hash. */
const make = (name: string, properties: Record<string, unknown> = {}, description = '') => {
  const parameters = jsonSchema({ type: 'object', properties })
  const made = tool({ name, description: 'D', parameters, execute: () => name })
  return {
    ...made,
    definition: { ...made.definition, function: { ...made.definition.function, description } },
  }
}

test('finds tools by name, in the given order', () => {
  const tools = [make('b'), make('a')]
  const toolset = toToolset(tools)
  expect(toolset.names).toEqual(['b', 'a'])
  expect(toolset.get('a')).toBe(tools[1])
  expect(toolset.definitions).toEqual(tools.map(({ definition }) => definition))
})

test.each(['c', 'A', '', 'constructor', '__proto__', 'toString'])('finds no tool named %j', (name) => {
  expect(toToolset([make('a')]).get(name)).toBeUndefined()
})

test('rejects two tools of the same name, with that name', () => {
  expect(() => toToolset([make('a'), make('b'), make('a', { x: {} })])).toThrow(
    expect.objectContaining({ code: 'invalid_tool', message: expect.stringContaining('"a"') }),
  )
})

test('accepts an empty toolset', () => {
  expect(toToolset([])).toMatchObject({ tools: [], names: [], definitions: [] })
})

test('the hash ignores the order of tools, and changes with anything the model sees', () => {
  const hash = (...tools: ReturnType<typeof make>[]) => hashOf(toToolset(tools))
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

test('the hash of these tools stays the same: stored states contain it', () => {
  expect(hashOf(toToolset([]))).toBe('741638a52e06bfe9')
  expect(hashOf(toToolset([make('a'), make('b', { x: { type: 'string' } })]))).toBe('4862e0515209d3bd')
})
