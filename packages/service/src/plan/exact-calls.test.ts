import { expect, test } from 'vitest'
import { definitionsOf, flag, integer, listOf, text, wireTool } from '../../test/planner-case.js'
import { toRequestParts } from './exact-calls.js'
import { plan } from './plan.js'
import { toPlannerTool } from './planner-tool.js'

const definitions = definitionsOf([
  wireTool('get_weather', 'Weather in a city', { city: text('City'), 'days?': integer('Days') }),
  wireTool('tag_order', 'Tag an order', {
    order_id: text('Order'),
    'tags?': listOf({ type: 'string' }),
    'urgent?': flag('Urgent'),
  }),
  wireTool('ring_bell', 'Ring the bell', {}),
])
const tools = definitions.map(toPlannerTool)

function parts(request: string) {
  return toRequestParts(request, tools).map((part) =>
    typeof part === 'string' ? part.trim() : [part.tool.name, part.arguments],
  )
}

test.each([
  ['Call get_weather with {"city": "Oslo", "days": 3}', { city: 'Oslo', days: 3 }],
  ['call `get_weather` with {"city": "Oslo {east}"}', { city: 'Oslo {east}' }],
  ['get_weather(city: "New York", days: 2)', { city: 'New York', days: 2 }],
  ['get_weather({"city": "Oslo"})', { city: 'Oslo' }],
  ["get_weather(city='Oslo')", { city: 'Oslo' }],
  ['get_weather city=Oslo', { city: 'Oslo' }],
  ['get_weather city=New York days=3', { city: 'New York', days: 3 }],
  ['Please run get_weather with city="Oslo", days=3.', { city: 'Oslo', days: 3 }],
  ["Use get_weather with {city: 'Oslo'}", { city: 'Oslo' }],
])('reads %s as a call', (request, args) => {
  expect(parts(request)).toEqual([['get_weather', args]])
})

test('keeps a text of digits when the parameter is a text', () => {
  expect(parts('tag_order order_id=0042 urgent=true')).toEqual([
    ['tag_order', { order_id: '0042', urgent: true }],
  ])
  expect(parts('tag_order(order_id: 0042, tags: ["a, b", "c"])')).toEqual([
    ['tag_order', { order_id: '0042', tags: ['a, b', 'c'] }],
  ])
})

test('reads several calls in a row, and words between them', () => {
  expect(parts('get_weather(city: "Oslo"), get_weather(city: "Rome") and then call ring_bell')).toEqual([
    ['get_weather', { city: 'Oslo' }],
    ['get_weather', { city: 'Rome' }],
    ['ring_bell', {}],
  ])
  expect(parts('get_weather city=Oslo, then ring the bell')).toEqual([
    ['get_weather', { city: 'Oslo' }],
    ', then ring the bell',
  ])
})

test('a name without arguments is no call of a tool that needs some', () => {
  expect(parts('Call get_weather')).toEqual(['Call get_weather'])
})

test('"then" waits for words, and not for a call that is written out', () => {
  const ask = (text: string) => plan({ messages: [{ role: 'user', text }], tools: definitions })
  const oslo = { name: 'get_weather', arguments: { city: 'Oslo' } }
  const tag = { name: 'tag_order', arguments: { order_id: 'A-1' } }
  expect(ask('get_weather(city: "Oslo") then tag_order(order_id: "A-1")')).toEqual({ calls: [oslo, tag] })
  expect(ask('Ring the bell, then tag_order(order_id: "A-1")')).toEqual({
    calls: [{ name: 'ring_bell', arguments: {} }],
  })
})

test('sends JSON as it is written, also against the schema', () => {
  const request = 'Call get_weather with {"town": 7}'
  expect(plan({ messages: [{ role: 'user', text: request }], tools: definitions })).toEqual({
    calls: [{ name: 'get_weather', arguments: { town: 7 } }],
  })
})
