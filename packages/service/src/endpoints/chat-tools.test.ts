import { expect, test } from 'vitest'
import { parseChoice, parseTools } from './chat-tools.js'

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
])('tools with %s are refused by their place', (_, tools, param) => {
  expect(() => parseTools(tools)).toThrow(
    expect.objectContaining({ status: 400, code: 'invalid_tools', param }),
  )
})

test('a tool without description or parameters has empty ones', () => {
  const parameters = { type: 'object', properties: {} }
  expect(parseTools([weather])).toEqual([{ name: 'get_weather', description: '', parameters }])
  expect(parseTools(null)).toEqual([])
})

test('a choice is "auto" unless it says otherwise', () => {
  const tools = parseTools([weather])
  const given = [undefined, null, 'auto', 'none', 'required', weather]
  expect(given.map((choice) => parseChoice(choice, tools))).toEqual([
    'auto',
    'auto',
    'auto',
    'none',
    'required',
    { name: 'get_weather' },
  ])
})

test('a choice of a tool that is not offered is refused with those that are', () => {
  const choice = { type: 'function', function: { name: 'fly' } }
  expect(() => parseChoice(choice, parseTools([weather]))).toThrow(
    'names "fly", which is not among the tools: get_weather',
  )
  for (const wrong of ['always', 7, {}, { type: 'function' }]) {
    expect(() => parseChoice(wrong, parseTools([weather]))).toThrow('must be "auto", "none", "required"')
  }
  expect(() => parseChoice('required', [])).toThrow('"required" needs "tools"')
})
