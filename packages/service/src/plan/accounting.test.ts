import { expect, test } from 'vitest'
import { date, definitionsOf, flag, integer, number, oneOf, text, wireTool } from '../../test/planner-case.js'
import { plan } from './plan.js'

const tools = definitionsOf([
  wireTool('rent_car', 'Rent a car at a location', {
    location: text('Pick-up location'),
    days: integer('Number of days'),
    'type?': oneOf('small', 'suv', 'van'),
  }),
  wireTool('close_ticket', 'Close a ticket', { ticket_id: integer('Number of the ticket') }),
  wireTool('lock_door', 'Lock a door', { door: oneOf('front', 'back') }),
  wireTool('transfer_money', 'Transfer money to a person', {
    recipient: text('Name of the recipient'),
    amount: number('Amount in euros'),
  }),
  wireTool('future_value', 'Compute the future value of a deposit', {
    deposit: number('The deposit'),
    rate: number('Yearly interest rate'),
    years: integer('Years'),
  }),
  wireTool('find_hotel', 'Find a hotel', {
    city: { type: 'string', description: 'City' },
    'include_breakfast?': flag('Include breakfast'),
  }),
  wireTool('circle_area', 'Area of a circle', { radius: number('Radius of the circle') }),
  wireTool('get_order', 'Get the status of an order', { order_id: text('Order, e.g. ORD-90011') }),
  wireTool('send_letter', 'Send a letter to a customer', {
    customer: text('Name of the customer'),
    body: text('Text of the letter'),
  }),
  wireTool('remind_tenant', 'Send a payment reminder to a tenant', { tenant: text('e.g. TEN-55') }),
  wireTool('find_books', 'Find books', { author: text('Author'), 'year?': integer('Year of publication') }),
  wireTool('get_visa_rules', 'Tell whether a traveller needs a visa', {
    nationality: text('Country code of the passport, ISO 3166'),
    destination: text('Country code of the destination, ISO 3166'),
  }),
  wireTool('team_ranking', 'Get the ranking of a team in a league', {
    team: text('Name of the team'),
    league: text('Name of the league'),
  }),
  wireTool('play_songs', 'Play songs of an artist', {
    artist: text('The artist'),
    duration: integer('Length in minutes'),
  }),
  wireTool('record_yield', 'Record the milk yield of a cow', {
    cow: integer('Number of the cow'),
    litres: number('Litres of milk'),
  }),
  wireTool('get_weather', 'Weather of a city', { city: text('City'), 'day?': date('Day') }),
  wireTool('label_email', 'Label an email', {
    email_id: text('Id of the email, e.g. ML-5'),
    label: oneOf('work', 'invoice'),
  }),
  wireTool('correct_balance', 'Correct the balance of the till', { amount: number('Amount in euros') }),
  wireTool('get_gdp', 'Get the GDP of a country', { country: text('Country'), year: integer('Year') }),
  wireTool('divide', 'Divides a number by another', {
    dividend: number('Dividend'),
    divisor: number('Divisor'),
  }),
  wireTool('rectangle_area', 'Area of a rectangle', { length: number('Length'), width: number('Width') }),
])

function answerTo(request: string) {
  const answer = plan({ messages: [{ role: 'user', text: request }], tools, now: new Date(2026, 10, 21) })
  return 'calls' in answer ? answer.calls.map(({ name, arguments: args }) => [name, args]) : answer.text
}

test.each([
  ['Rent a van in Bristol for 3 days with a child seat', 'child'],
  ['Reopen ticket 12', 'reopen'],
  ['Unlock the front door', 'unlock'],
  ['Transfer $30 to Nina', '30'],
  ['Future value of a deposit of 100 at a rate of 4% for 5 years', '4'],
  ['What is the area of three circles?', '3'],
  ['Close ticket 12 and frame it', 'frame'],
  ['Divide 50 by 4 and round it', 'round'],
  ['Transfer €30 to my sister', 'recipient'],
  ["Transfer €30 to Nina's boss", 'Nina'],
  ['Find books by the author of Beloved', 'Beloved'],
  ['Transfer €30k to Nina', 'amount'],
  ['Transfer €30m to Nina', 'amount'],
  ['Close ticket 12 every Monday', 'every Monday'],
  ['Rent a car in Bristol for 3 days, no van', 'no'],
  ['Cow 17 gave 24 litres. I think it was 26', 'I think it was 26'],
  ['Rent a car in Bristol for 3 days. My wife only drives vans', 'My wife only drives vans'],
  ['Is the front door locked?', 'Is the front door locked'],
  ['Cow 17 gave 24 litres and is lame', 'lame'],
  ['Record 24 litres of spoiled milk for cow 17', 'spoiled'],
  ['What is the weather in Graz next week?', 'week'],
  ['Paint cow 17 with 3 litres', 'paint'],
  ['Close ticket 12 if nobody answered', 'if'],
  ['Close ticket 12 unless it is new', 'unless'],
  ['Lock every door except the back one', 'except'],
  ['You must not lock the front door', 'not'],
  ['Lock the front or the back door', 'front'],
  ['Why did ticket 12 close?', 'Why did ticket 12 close'],
  ['How long is ORD-90210?', 'How long'],
  ['Find books by Iris Murdoch since 1978', '1978'],
  ['Record 24 litres of milk and 3 cheeses for cow 17', '3'],
  ['What is the width of a rectangle with a length of 4 and an area of 20?', '20'],
])('"%s" asks about "%s"', (request, word) => {
  expect(answerTo(request)).toContain(`"${word}"`)
})

test.each([
  ['Rent a van in Bristol for 3 days', [['rent_car', { location: 'Bristol', days: 3, type: 'van' }]]],
  ['"Close ticket 12"', [['close_ticket', { ticket_id: 12 }]]],
  ['Transfer €30 to Nina', [['transfer_money', { recipient: 'Nina', amount: 30 }]]],
  ['Find a hotel in Graz with breakfast', [['find_hotel', { city: 'Graz', include_breakfast: true }]]],
  ['Has ORD-90210 shipped yet?', [['get_order', { order_id: 'ORD-90210' }]]],
  ['Is ORD-90210 ready yet?', [['get_order', { order_id: 'ORD-90210' }]]],
  [
    'Write to the customer Ann Lee, text "Please call."',
    [['send_letter', { customer: 'Ann Lee', body: 'Please call.' }]],
  ],
  [
    'Remind TEN-12 and TEN-19 to pay',
    [
      ['remind_tenant', { tenant: 'TEN-12' }],
      ['remind_tenant', { tenant: 'TEN-19' }],
    ],
  ],
  ['Find books by Iris Murdoch from 1978', [['find_books', { author: 'Iris Murdoch', year: 1978 }]]],
  [
    'Do I need a visa for Brazil with a German passport?',
    [['get_visa_rules', { nationality: 'DE', destination: 'BR' }]],
  ],
  [
    'What is the ranking of Porto in the Primeira Liga?',
    [['team_ranking', { team: 'Porto', league: 'Primeira Liga' }]],
  ],
  [
    'Play songs of Adele and Coldplay for 20 minutes and 35 minutes respectively',
    [
      ['play_songs', { artist: 'Adele', duration: 20 }],
      ['play_songs', { artist: 'Coldplay', duration: 35 }],
    ],
  ],
  ['Label ML-14 as invoice', [['label_email', { email_id: 'ML-14', label: 'invoice' }]]],
  ['Correct the balance by -€5.20', [['correct_balance', { amount: -5.2 }]]],
  [
    'What is the area of a rectangle that is 9 m long and 4 m wide?',
    [['rectangle_area', { length: 9, width: 4 }]],
  ],
])('"%s" is called', (request, calls) => {
  expect(answerTo(request)).toEqual(calls)
})

test.each([
  ['Close ticket 12. No, make that 13', [['close_ticket', { ticket_id: 13 }]]],
  ['GDP of Norway in 2020', [['get_gdp', { country: 'Norway', year: 2020 }]]],
  ['Transfer €30 to Nina, no, to Paul', [['transfer_money', { recipient: 'Paul', amount: 30 }]]],
  [
    'Lock the front and the back door',
    [
      ['lock_door', { door: 'front' }],
      ['lock_door', { door: 'back' }],
    ],
  ],
  [
    'What is the weather in Graz and in Linz?',
    [
      ['get_weather', { city: 'Graz' }],
      ['get_weather', { city: 'Linz' }],
    ],
  ],
])('"%s" is called completely', (request, calls) => {
  expect(answerTo(request)).toEqual(calls)
})

const changes = definitionsOf([
  wireTool('adjust_stock', 'Change the stock of an article', {
    sku: text('Article, e.g. AB-100'),
    change: integer('Change in pieces, negative to remove'),
  }),
  wireTool('shift_alarm', 'Move an alarm', {
    room: oneOf('kitchen', 'bedroom'),
    offset_minutes: integer('Minutes, negative for earlier'),
  }),
  wireTool('raise_salary', 'Raise the salary of an employee', {
    employee: text('Name of the employee'),
    percent: number('By how many percent'),
  }),
  wireTool('set_price', 'Set the price of a product', {
    product: oneOf('tea', 'coffee'),
    price: number('New price in euros'),
  }),
  wireTool('apply_discount', 'Give a discount on an order', {
    order: text('Order, e.g. ORD-77'),
    rate: number('Discount as a fraction between 0 and 1'),
  }),
  wireTool('find_rooms', 'Find hotel rooms in a city', {
    city: text('City'),
    'breakfast?': flag('Include breakfast'),
  }),
  wireTool('cancel_order', 'Cancel an order', {
    order: text('Order, e.g. ORD-77'),
    'refund?': flag('Whether to refund the price'),
    'notify_customer?': flag('Notify the customer'),
  }),
  wireTool('queue_song', 'Add a song to the playlist', { title: text('Title'), artist: text('Artist') }),
  wireTool('treat_hive', 'Treat a hive against mites', {
    hive: text('Hive, e.g. H-04'),
    agent: oneOf('thymol', 'oxalic_acid'),
  }),
])

test.each([
  ['Increase the stock of AB-120 by 5', ['adjust_stock', { sku: 'AB-120', change: 5 }]],
  ['The stock of AB-120 is 3 pieces less', ['adjust_stock', { sku: 'AB-120', change: -3 }]],
  ['Move the kitchen alarm 10 minutes earlier', ['shift_alarm', { room: 'kitchen', offset_minutes: -10 }]],
  ['Shift the alarm in the bedroom back by 15 minutes', undefined],
  ['Raise the salary of Ann Lee by 3 percent', ['raise_salary', { employee: 'Ann Lee', percent: 3 }]],
  ["Ann Lee's salary should be 3 percent lower", undefined],
  ['Lower the price of tea to 4 euros', ['set_price', { product: 'tea', price: 4 }]],
  ['Tea should be 2 euros cheaper', undefined],
  ['Give ORD-78 a discount of 15%', ['apply_discount', { order: 'ORD-78', rate: 0.15 }]],
  ['Give ORD-78 a discount of 15', undefined],
  ['Find rooms in Graz. Include breakfast.', ['find_rooms', { city: 'Graz', breakfast: true }]],
  [
    "Cancel ORD-78. Don't notify the customer.",
    ['cancel_order', { order: 'ORD-78', notify_customer: false }],
  ],
  [
    'We have to call off ORD-78 and we want our money back.',
    ['cancel_order', { order: 'ORD-78', refund: true }],
  ],
  ['What if I cancel ORD-78 and cancel ORD-79?', undefined],
  ['Suppose we cancel ORD-78', undefined],
  ["Let's say I treat H-08 with thymol", undefined],
  ['Should I treat H-08 with thymol?', undefined],
  ['Treat H-08 with thymol', ['treat_hive', { hive: 'H-08', agent: 'thymol' }]],
] as const)('"%s" changes what it says, or nothing', (request, call) => {
  const answer = plan({ messages: [{ role: 'user', text: request }], tools: changes })
  const calls = 'calls' in answer ? answer.calls : []
  expect(calls.map(({ name, arguments: args }) => [name, args])).toEqual(call ? [call] : [])
})

test('splits parts with the same prepositions, each a request of its own', () => {
  const callsOf = (request: string) => {
    const answer = plan({ messages: [{ role: 'user', text: request }], tools: changes })
    return 'calls' in answer ? answer.calls.map(({ arguments: args }) => args) : []
  }
  const hurt = { title: 'Hurt', artist: 'Johnny Cash' }
  const jolene = { title: 'Jolene', artist: 'Dolly Parton' }
  const both = 'Hurt by Johnny Cash and Jolene by Dolly Parton'
  expect(callsOf(`Add ${both} to the playlist`)).toEqual([hurt, jolene])
  expect(callsOf('Add Pride and Joy by Stevie Ray Vaughan to the playlist')).toEqual([
    { title: 'Pride and Joy', artist: 'Stevie Ray Vaughan' },
  ])
})

test('names what an unmet condition left undone', () => {
  const stock = definitionsOf([
    wireTool('check_stock', 'Check the stock of an article', { sku: text('Article, e.g. AB-100') }),
    wireTool('reorder_article', 'Reorder an article', {
      sku: text('Article, e.g. AB-100'),
      quantity: integer('How many'),
    }),
  ])
  const request = 'Check AB-120, and if we have less than 20, reorder 100'
  const calls = [{ id: 'a', name: 'check_stock', arguments: '{"sku":"AB-120"}' }]
  const answer = plan({
    messages: [
      { role: 'user', text: request },
      { role: 'assistant', text: '', calls },
      { role: 'tool', callId: 'a', text: '{"left":31}' },
    ],
    tools: stock,
  })
  expect(answer).toEqual({
    text: 'check_stock (sku AB-120): left 31.\n"reorder 100" was not done: its condition is not met.',
  })
})

test('names each part of a request that is not done', () => {
  const [request, result] = ["Lock the front door and order a pizza. Don't wake the cat", '"ok"']
  const calls = [{ id: 'a', name: 'lock_door', arguments: '{"door":"front"}' }]
  const answer = plan({
    messages: [
      { role: 'user', text: request },
      { role: 'assistant', text: '', calls },
      { role: 'tool', callId: 'a', text: result },
    ],
    tools,
  })
  expect(answer).toEqual({
    text: [
      'lock_door (door front): ok.',
      'Not done: "order a pizza". None of the tools fits it.',
      'Not taken into account: "Don\'t wake the cat".',
    ].join('\n'),
  })
})
