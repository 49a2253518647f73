import { expect, test } from 'vitest'
import { parseTools } from './chat-tools.js'

const weather = { type: 'function', function: { name: 'get_weather' } }

test.each<[string, unknown, string]>([
  ['no list', {}, 'tools'],
  ['another type', [{ type: 'search' }], 'tools[0].type'],
  ['no function', [{ type: 'function' }], 'tools[0].function'],
  ['a bad name', [{ type: 'function', function: { name: 'get weather' } }], 'tools[0].function.name'],
  ['a name given twice', [weather, weather], 'tools[1].function.name'],
  [
    'no object schema',
    [{ type: 'function', function: { name: 'x', parameters: { type: 'string' } } }],
    'tools[0].function.parameters',
  ],
  [
    'properties that are no object',
    [{ type: 'function', function: { name: 'x', parameters: { type: 'object', properties: [] } } }],
    'tools[0].function.parameters.properties',
  ],
])('rejects tools with %s and names the place', (_, tools, param) => {
  expect(() => parseTools(tools)).toThrow(
    expect.objectContaining({ status: 400, code: 'invalid_tools', param }),
  )
})

test('"strict" is accepted, and must be true or false', () => {
  const strict = (value: unknown) => [{ type: 'function', function: { name: 'x', strict: value } }]
  expect(parseTools(strict(true))).toHaveLength(1)
  expect(parseTools(strict(null))).toHaveLength(1)
  expect(() => parseTools(strict('yes'))).toThrow(
    expect.objectContaining({ param: 'tools[0].function.strict' }),
  )
})

test('a tool without description or parameters gets empty ones', () => {
  const parameters = { type: 'object', properties: {} }
  expect(parseTools([weather])).toEqual([{ name: 'get_weather', description: '', parameters }])
  expect(parseTools(null)).toEqual([])
})

test('rejects too many tools', () => {
  const many = (count: number, description = '') =>
    Array.from({ length: count }, (_, index) => ({
      type: 'function',
      function: { name: `tool_${index}`, description },
    }))
  expect(parseTools(many(128))).toHaveLength(128)
  expect(() => parseTools(many(129))).toThrow('tools must contain at most 128 tools')
  expect(() => parseTools(many(10, 'a'.repeat(25_000)))).toThrow('at most 250000 characters')
})
