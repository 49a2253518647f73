import { expect, test } from 'vitest'
import { definitionsOf, flag, integer, number, oneOf, text, wireTool } from '../../test/planner-case.js'
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
])('"%s" asks about "%s"', (request, word) => {
  expect(answerTo(request)).toContain(`"${word}"`)
})

test.each([
  ['Rent a van in Bristol for 3 days', [['rent_car', { location: 'Bristol', days: 3, type: 'van' }]]],
  ['"Close ticket 12"', [['close_ticket', { ticket_id: 12 }]]],
  ['Transfer €30 to Nina', [['transfer_money', { recipient: 'Nina', amount: 30 }]]],
  ['Find a hotel in Graz with breakfast', [['find_hotel', { city: 'Graz', include_breakfast: true }]]],
])('"%s" is called', (request, calls) => {
  expect(answerTo(request)).toEqual(calls)
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
