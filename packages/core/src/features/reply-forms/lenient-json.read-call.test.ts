import { expect, test } from 'vitest'
import { readCall } from './lenient-json.js'

const nothing = {
  id: '',
  index: '',
  name: '',
  text: '',
  isCustom: false,
  extraFields: {},
  extraFunctionFields: {},
}

test.each([
  [{}, {}],
  [
    { id: 7, index: 0, type: 'function', function: { name: 'f', arguments: '{}' } },
    { id: '7', index: '0', name: 'f', text: '{}' },
  ],
  [{ function: { name: 'f', arguments: { x: 1 } } }, { name: 'f', text: '{"x":1}' }],
  [{ function: { name: 'f', parameters: { x: 1 } } }, { name: 'f', text: '{"x":1}' }],
  [{ function: { name: 'f', arguments: null, input: '{"x":1}' } }, { name: 'f', text: '{"x":1}' }],
  [
    { name: 'f', arguments: '{}' },
    { name: 'f', text: '{}' },
  ],
  [
    { function: { name: 'f' }, args: { x: 1 } },
    { name: 'f', text: '{"x":1}' },
  ],
  [
    { function: { name: 'f', arguments: '{}', parameters: {} }, vendor: 1 },
    { name: 'f', text: '{}', extraFunctionFields: { parameters: {} }, extraFields: { vendor: 1 } },
  ],
  [{ function: null, extra_content: null }, {}],
  [
    { id: 'a', type: 'custom', custom: { name: 'grep', input: 'TODO' } },
    { id: 'a', name: 'grep', text: 'TODO', isCustom: true },
  ],
  [
    { index: 0, custom: { input: 'x' } },
    { index: '0', text: 'x', isCustom: true },
  ],
  [
    { type: 'custom', function: { name: 'f', arguments: '{}' }, custom: 1 },
    { name: 'f', text: '{}', extraFields: { custom: 1 } },
  ],
])('reads %j as %j', (entry, piece) => {
  expect(readCall(entry)).toEqual({ ...nothing, ...piece })
})

test.each(['{"name":"f"}', 5, ['f']])('rejects a function that is %j', (given) => {
  expect(() => readCall({ id: 'a', function: given })).toThrow('sent tool_calls in an unknown format')
})
