import { expect, test } from 'vitest'
import {
  type CaseCall,
  date,
  definitionsOf,
  flag,
  integer,
  number,
  oneOf,
  text,
  wireTool,
} from '../../test/planner-case.js'
import { plan } from './plan.js'

const now = new Date(2026, 10, 21, 12)
const tools = definitionsOf([
  wireTool('create_invoice', 'Create an invoice for a customer', {
    customer: text('Customer'),
    amount: number('Amount in euros'),
    'paid?': flag('Already paid'),
  }),
  wireTool('send_reminder', 'Send a payment reminder for an invoice', {
    invoice_id: text('Invoice number, e.g. INV-2041'),
  }),
  wireTool('add_to_list', 'Add items to a list', {
    list: oneOf('shopping', 'packing'),
    items: { type: 'array', items: { type: 'string' } },
  }),
  wireTool('open_case', 'Open a case', { client: text('Client'), 'court?': text('Court') }),
  wireTool('calculate_tip', 'Calculate the tip of a bill', {
    bill: number('Amount of the bill'),
    tip_percent: number('Tip in percent'),
  }),
  wireTool('restart_service', 'Restart a service', {
    service: text('Name of the service'),
    env: oneOf('staging', 'production'),
  }),
  wireTool('search', 'Search the documentation', { query: text('Query') }),
  wireTool('find_train', 'Find train connections', {
    from: text('Station of departure'),
    to: text('Station of arrival'),
    date: date('Day'),
  }),
  wireTool('cancel_event', 'Cancel a calendar event', { title: text('Title of the event') }),
  wireTool('set_reminder', 'Set a reminder', {
    text: text('What to be reminded of'),
    date: date('Day'),
    time: text('Time as HH:MM'),
  }),
  wireTool('record_vaccination', 'Record a vaccination of a pet', {
    pet: text('Name of the pet'),
    vaccine: oneOf('rabies', 'flu'),
    'date?': date('Day'),
  }),
  wireTool('merge_request', 'Merge a request', {
    request: integer('Number of the request'),
    'method?': oneOf('merge', 'squash'),
  }),
  wireTool('museum_hours', 'Get the opening hours of a museum', {
    museum: text('Name of the museum'),
    day: text('The day of the week.'),
  }),
])

const ask = (request: string) => plan({ messages: [{ role: 'user', text: request }], tools, now })

test.each([
  'Create a quote for Blum AG over 500 euros',
  'Pay INV-2041',
  'Remove milk from the shopping list',
  'Open a case against Miller Ltd',
  'Tip 10 on a bill of 84',
  'Find trains from Bern to Basel and back on 3 December',
  'Find a bus from Bern to Basel on 3 December',
  'Cancel yoga and pottery',
  'No flu vaccination for Rex',
])('asks about "%s"', (request) => {
  const reply = ask(request)
  expect(reply).not.toHaveProperty('calls')
})

test('says which words of a request were not done', () => {
  expect(ask('Open a case against Miller Ltd')).toHaveProperty(
    'text',
    expect.stringContaining('Not done: "Open a case against Miller Ltd".'),
  )
})

test.each<[string, CaseCall[]]>([
  ['Tip 10% on a bill of 84', [['calculate_tip', { bill: 84, tip_percent: 10 }]]],
  ['Open a case for Miller Ltd', [['open_case', { client: 'Miller Ltd' }]]],
  [
    'Restart billing, search and auth in staging',
    ['billing', 'search', 'auth'].map((service) => ['restart_service', { service, env: 'staging' }]),
  ],
  [
    'Remind me at 7am on 1 December to renew my passport and book the ferry',
    [['set_reminder', { text: 'renew my passport and book the ferry', date: '2026-12-01', time: '07:00' }]],
  ],
  [
    'Record the flu vaccination of Minka on 2 November',
    [['record_vaccination', { pet: 'Minka', vaccine: 'flu', date: '2026-11-02' }]],
  ],
  ['Squash and merge request 42', [['merge_request', { request: 42, method: 'squash' }]]],
  [
    'Create an invoice for Blum AG over 500 euros, no, make it 600',
    [['create_invoice', { customer: 'Blum AG', amount: 600 }]],
  ],
  [
    'What are the opening hours of the Louvre Museum on Monday?',
    [['museum_hours', { museum: 'Louvre Museum', day: 'Monday' }]],
  ],
])('%s', (request, calls) => {
  expect(ask(request)).toEqual({
    calls: calls.map(([name, args]) => ({ name, arguments: args })),
  })
})

test('fills a parameter that the request names among more than are tried', () => {
  const fields = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [`field${index}?`, text('Some text')]),
  )
  const form = wireTool('record_form', 'Record a form', { ...fields, 'nickname?': text('Nickname') })
  const reply = plan({
    messages: [{ role: 'user', text: 'Record a form with the nickname Bob' }],
    tools: definitionsOf([form]),
    now,
  })
  expect(reply).toEqual({ calls: [{ name: 'record_form', arguments: { nickname: 'Bob' } }] })
})
