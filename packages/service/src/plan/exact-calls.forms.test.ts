import { expect, test } from 'vitest'
import {
  definitionsOf,
  flag,
  integer,
  listOf,
  number,
  objectOf,
  oneOf,
  text,
  wireTool,
} from '../../test/planner-case.js'
import type { ChatMessage } from './conversation.js'
import { plan } from './plan.js'

const definitions = definitionsOf([
  wireTool('get_weather', 'Weather in a city', { city: text('City'), 'days?': integer('Days') }),
  wireTool('tag_order', 'Tag an order', {
    order_id: text('Order'),
    'tags?': listOf({ type: 'string' }),
    'urgent?': flag('Urgent'),
  }),
  wireTool('ring_bell', 'Ring the bell', {}),
  wireTool('list_rooms', 'List all rooms', { 'floor?': integer('Floor') }),
  wireTool('set_price', 'Set the price of a product', {
    sku: text('SKU'),
    price: number('Price'),
    'currency?': oneOf('EUR', 'USD'),
  }),
  wireTool('create_order', 'Create an order', {
    customer: objectOf({ name: text('name'), 'email?': text('mail') }),
    items: listOf(objectOf({ sku: text(''), qty: integer('') })),
    'note?': text('Note'),
  }),
  wireTool('sendMessage', 'Send a message', { to: text('Recipient'), body: text('Text') }),
  wireTool('files.read', 'Read a file', { path: text('Path') }),
])

type Call = readonly [name: string, args: object]

const W = (city: string, days?: number): Call => [
  'get_weather',
  days === undefined ? { city } : { city, days },
]
const T = (order_id: string, more = {}): Call => ['tag_order', { order_id, ...more }]
const R: Call = ['ring_bell', {}]
const P = (sku: string, price: number, currency?: string): Call => [
  'set_price',
  currency ? { sku, price, currency } : { sku, price },
]

const forms: readonly (readonly [request: string, calls: readonly Call[]])[] = [
  [
    'Call get_weather with {"city":"Oslo"} and then call tag_order with {"order_id":"A-1"}',
    [W('Oslo'), T('A-1')],
  ],
  [
    'Call get_weather with {"city":"Oslo"}, then call tag_order with {"order_id":"A-1"}',
    [W('Oslo'), T('A-1')],
  ],
  ['Call get_weather with {"city":"Oslo"} then tag_order with {"order_id":"A-1"}', [W('Oslo'), T('A-1')]],
  [
    'Call get_weather with {"city":"Oslo"}. Then call tag_order with {"order_id":"A-1"}.',
    [W('Oslo'), T('A-1')],
  ],
  ['Call get_weather with {"city":"Oslo"}; call tag_order with {"order_id":"A-1"}', [W('Oslo'), T('A-1')]],
  [
    'Call get_weather with {"city":"Oslo"}; tag_order with {"order_id":"A-1"}; ring_bell',
    [W('Oslo'), T('A-1'), R],
  ],
  ['1. get_weather(city: "Oslo")\n2. tag_order(order_id: "A-1")\n3. ring_bell()', [W('Oslo'), T('A-1'), R]],
  [
    '1) Call get_weather with {"city":"Oslo"}\n2) Call set_price with {"sku":"S-1","price":9.5}',
    [W('Oslo'), P('S-1', 9.5)],
  ],
  [
    '- get_weather city=Oslo days=2\n- set_price sku=S-1 price=9.50 currency=EUR',
    [W('Oslo', 2), P('S-1', 9.5, 'EUR')],
  ],
  [
    'First call get_weather with {"city":"Oslo"}, then set_price(sku: "S-1", price: 3), and finally ring_bell',
    [W('Oslo'), P('S-1', 3), R],
  ],
  [
    'First, get_weather(city: "Oslo"). Second, get_weather(city: "Rome"). Third, ring_bell().',
    [W('Oslo'), W('Rome'), R],
  ],
  ['get_weather city=Oslo and then set_price sku=S-1 price=3', [W('Oslo'), P('S-1', 3)]],
  ['get_weather city=Oslo then set_price sku=S-1 price=3', [W('Oslo'), P('S-1', 3)]],
  ['get_weather city=Oslo; set_price sku=S-1 price=3', [W('Oslo'), P('S-1', 3)]],
  ['get_weather city=Oslo, set_price sku=S-1 price=3', [W('Oslo'), P('S-1', 3)]],
  ['get_weather city=Oslo\nset_price sku=S-1 price=3', [W('Oslo'), P('S-1', 3)]],
  ['get_weather city=Oslo and set_price sku=S-1 price=3', [W('Oslo'), P('S-1', 3)]],
  ['get_weather city=Oslo & set_price sku=S-1 price=3', [W('Oslo'), P('S-1', 3)]],
  ['get_weather(city="Oslo") && ring_bell()', [W('Oslo'), R]],
  ['get_weather(city="Oslo") -> ring_bell()', [W('Oslo'), R]],
  ['get_weather(city="Oslo") | ring_bell()', [W('Oslo'), R]],
  [
    'get_weather(city: Oslo); get_weather(city: Rome); get_weather(city: New York)',
    [W('Oslo'), W('Rome'), W('New York')],
  ],
  ['[get_weather(city="Oslo"), get_weather(city="Rome")]', [W('Oslo'), W('Rome')]],
  ['```\nget_weather(city="Oslo")\n```', [W('Oslo')]],
  ['Run ring_bell, then run ring_bell again', [R, R]],
  ['Call ring_bell', [R]],
  ['Call ring_bell.', [R]],
  ['ring_bell()', [R]],
  ['ring_bell', [R]],
  ['Call ring_bell with no arguments', [R]],
  ['Call ring_bell with {}', [R]],
  ['Call ring_bell and then call get_weather with {"city":"Oslo"}', [R, W('Oslo')]],
  ['Call list_rooms', [['list_rooms', {}]]],
  ['Call list_rooms with floor=3 and then ring_bell()', [['list_rooms', { floor: 3 }], R]],
  ['Call `get_weather` with `{"city": "Oslo"}` and then call `ring_bell` with `{}`', [W('Oslo'), R]],
  [
    'Call get_weather with:\n{\n  "city": "Oslo",\n  "days": 3\n}\nand then call tag_order with:\n{\n  "order_id": "A-1",\n  "tags": ["a", "b"]\n}',
    [W('Oslo', 3), T('A-1', { tags: ['a', 'b'] })],
  ],
  [
    'Call get_weather with the arguments {"city":"Oslo"} and afterwards tag_order with the arguments {"order_id":"A-1"}',
    [W('Oslo'), T('A-1')],
  ],
  ['Use the tool get_weather with city: "Oslo", days: 2', [W('Oslo', 2)]],
  ['Call get_weather with city "Oslo" and days 2', [W('Oslo', 2)]],
  ['Call get_weather with city: Oslo', [W('Oslo')]],
  ['Call get_weather, city: Oslo, days: 3', [W('Oslo', 3)]],
  ['get_weather: city=Oslo', [W('Oslo')]],
  ['get_weather: {"city":"Oslo"}', [W('Oslo')]],
  ['get_weather {"city":"Oslo"} tag_order {"order_id":"A-1"}', [W('Oslo'), T('A-1')]],
  ['get_weather("Oslo")', [W('Oslo')]],
  ['Please could you call get_weather with {"city":"Oslo"} for me?', [W('Oslo')]],
  ['Call get_weather with {"city":"Oslo"}, please', [W('Oslo')]],
  ['Can you call get_weather(city="Oslo") and then ring_bell() please?', [W('Oslo'), R]],
  ['I want you to call get_weather with {"city":"Oslo"} and then, when done, ring_bell()', [W('Oslo'), R]],
  ['call get_weather with {"city":"Oslo"} followed by ring_bell()', [W('Oslo'), R]],
  [
    'call get_weather with {"city":"Oslo"}, and after that call tag_order(order_id="A-1", urgent=True)',
    [W('Oslo'), T('A-1', { urgent: true })],
  ],
  ['tag_order order_id=A-1 tags=["x","y"] urgent=false', [T('A-1', { tags: ['x', 'y'], urgent: false })]],
  ['tag_order order_id=A-1 tags=x,y', [T('A-1', { tags: ['x', 'y'] })]],
  [
    'create_order(customer: {"name": "Ann", "email": "a@b.co"}, items: [{"sku": "S", "qty": 2}])',
    [['create_order', { customer: { name: 'Ann', email: 'a@b.co' }, items: [{ sku: 'S', qty: 2 }] }]],
  ],
  [
    'create_order(customer: {name: "Ann"}, items: [{sku: "S", qty: 2}], note: "then call me; and ring_bell() too")',
    [
      [
        'create_order',
        {
          customer: { name: 'Ann' },
          items: [{ sku: 'S', qty: 2 }],
          note: 'then call me; and ring_bell() too',
        },
      ],
    ],
  ],
  [
    'sendMessage to=Ann body="Call ring_bell() and then go"',
    [['sendMessage', { to: 'Ann', body: 'Call ring_bell() and then go' }]],
  ],
  [
    'Call sendMessage with {"to":"Ann","body":"It\'s fine, then"} and then call sendMessage with {"to":"Bob","body":"Me too"}',
    [
      ['sendMessage', { to: 'Ann', body: "It's fine, then" }],
      ['sendMessage', { to: 'Bob', body: 'Me too' }],
    ],
  ],
  ["sendMessage(to: Ann, body: It's fine)", [['sendMessage', { to: 'Ann', body: "It's fine" }]]],
  [
    'files.read(path: "/tmp/a.txt") then files.read(path: "/tmp/b.txt")',
    [
      ['files.read', { path: '/tmp/a.txt' }],
      ['files.read', { path: '/tmp/b.txt' }],
    ],
  ],
  ['files.read path=/tmp/a.txt', [['files.read', { path: '/tmp/a.txt' }]]],
  ['set_price sku=S-1 price=1e3', [P('S-1', 1000)]],
  ['set_price(sku: "S-1", price: -3.5)', [P('S-1', -3.5)]],
  ['Step 1: get_weather(city: "Oslo")\nStep 2: ring_bell()', [W('Oslo'), R]],
  ['Do these in order: get_weather(city: "Oslo"), ring_bell()', [W('Oslo'), R]],
  ['Call both get_weather(city: "Oslo") and ring_bell()', [W('Oslo'), R]],
  ['Make two calls: get_weather(city: "Oslo") and get_weather(city: "Rome")', [W('Oslo'), W('Rome')]],
  ['Call get_weather with {"city":"Oslo"} and get_weather with {"city":"Rome"}', [W('Oslo'), W('Rome')]],
  ['Call get_weather twice: get_weather(city: "Oslo") and get_weather(city: "Rome")', [W('Oslo'), W('Rome')]],
  ['call GET_WEATHER with {"city":"Oslo"}', [W('Oslo')]],
  [
    'Call get_weather with {"city":"Oslo"} next call ring_bell next call list_rooms',
    [W('Oslo'), R, ['list_rooms', {}]],
  ],
  ['a) ring_bell()\nb) list_rooms(floor: 2)', [R, ['list_rooms', { floor: 2 }]]],
  ['Call get_weather with {"city":"Oslo",}', [W('Oslo')]],
  [
    "Call get_weather with {'city': 'Oslo', 'days': 3} and then call tag_order with {'order_id': 'A-1', 'urgent': True}",
    [W('Oslo', 3), T('A-1', { urgent: true })],
  ],
  ['Call get_weather with {“city”: “Oslo”}', [W('Oslo')]],
  ['get_weather(city: “New York”, days: 2)', [W('New York', 2)]],
  ["get_weather city='New York' days=2 then tag_order order_id='A-1'", [W('New York', 2), T('A-1')]],
  ['get_weather city = Oslo days = 2', [W('Oslo', 2)]],
  ['get_weather --city=Oslo --days=2', [W('Oslo', 2)]],
  ['Call the get_weather tool with {"city":"Oslo"} and then the ring_bell tool', [W('Oslo'), R]],
  [
    'Call the function get_weather with arguments city="Oslo", days=3 and then the function set_price with arguments sku="S-1", price=4',
    [W('Oslo', 3), P('S-1', 4)],
  ],
  [
    'Invoke get_weather with city=Oslo and days=3, and then invoke set_price with sku=S-1 and price=4',
    [W('Oslo', 3), P('S-1', 4)],
  ],
  ['Execute get_weather(city="Oslo", days=3); then; ring_bell()', [W('Oslo', 3), R]],
  ['Don\'t call get_weather(city="Oslo")', []],
  ['Call get_weather with {"city":"Oslo"} and with {"city":"Rome"}', [W('Oslo'), W('Rome')]],
  ['Set_price sku=S-1 price=3', [P('S-1', 3)]],
  ['Do not call get_weather(city: "Oslo"), but call ring_bell()', [R]],
  [
    'get_weather city="Oslo", then get_weather city="Rome", then get_weather city="Bonn"',
    [W('Oslo'), W('Rome'), W('Bonn')],
  ],
]

test.each(forms)('makes all calls of %j at once', (request, calls) => {
  const messages: ChatMessage[] = [{ role: 'user', text: request }]
  const answer = plan({ messages, tools: definitions })
  const made = 'calls' in answer ? answer.calls : []
  expect(made.map((call) => [call.name, call.arguments])).toEqual(calls)
  // With their results nothing is left to do.
  const asked = made.map((call, index) => ({
    ...call,
    id: `c${index}`,
    arguments: JSON.stringify(call.arguments),
  }))
  const results = asked.map(({ id }): ChatMessage => ({ role: 'tool', callId: id, text: '"ok"' }))
  const next = plan({
    messages: [...messages, { role: 'assistant', text: '', calls: asked }, ...results],
    tools: definitions,
  })
  expect(next).toHaveProperty('text')
})

test('makes written calls one by one, in their order, when only one may be made at once', () => {
  const messages: ChatMessage[] = [{ role: 'user', text: 'ring_bell() and then get_weather(city: "Oslo")' }]
  expect(plan({ messages, tools: definitions, parallel: false })).toEqual({
    calls: [{ name: 'ring_bell', arguments: {} }],
  })
  messages.push({ role: 'assistant', text: '', calls: [{ id: 'c', name: 'ring_bell', arguments: '{}' }] })
  messages.push({ role: 'tool', callId: 'c', text: '"ok"' })
  expect(plan({ messages, tools: definitions, parallel: false })).toEqual({
    calls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }],
  })
})
