import { type PlannerCase, spoken } from './planner-case.js'

const open = [
  { id: 'TCK-410', title: 'Printer jams', priority: 'low', age_hours: 4 },
  { id: 'TCK-398', title: 'No network in B2', priority: 'high', age_hours: 31 },
]
const cancelled = spoken('Cancel R-2208', [
  ['cancel_reservation', { reservation_id: 'R-2208' }, { ok: true }],
])
const logged = spoken('Log 40 litres for VAN-3 at 81200 km', [
  ['log_fuel', { vehicle: 'VAN-3', litres: 40, odometer: 81200 }, { ok: true }],
])
const excused = spoken('Excuse Tom Berger on Monday', [
  ['excuse_student', { student: 'Tom Berger', date: '2026-11-23' }, { ok: true }],
])
const balance = spoken('How much rent does TEN-7 still owe?', [
  ['get_rent_balance', { tenant_id: 'TEN-7' }, { outstanding: 420 }],
])

/** Requests in other words than those of the tools, chains, several calls and corrections. Made with the rules. */
export const everydayCorpus: readonly PlannerCase[] = [
  { ask: 'Which shots has P-2291 had?', calls: [['list_vaccinations', { patient_id: 'P-2291' }]] },
  { ask: 'Is P-301 up to date with its jabs?', calls: [['list_vaccinations', { patient_id: 'P-301' }]] },
  { ask: 'Look up the owner called Hartmann', calls: [['find_owner', { query: 'Hartmann' }]] },
  {
    ask: 'Can you find out who Hartmann is among our owners?',
    calls: [['find_owner', { query: 'Hartmann' }]],
  },
  {
    ask: 'We have a new cat, Minka, belonging to OWN-31',
    calls: [['register_animal', { name: 'Minka', species: 'cat', owner_id: 'OWN-31' }]],
  },
  {
    ask: 'P-2291 needs a check-up next Tuesday',
    calls: [['schedule_checkup', { patient_id: 'P-2291', date: '2026-11-24' }]],
  },
  {
    ask: 'Put P-18 down for a check-up on 3 December with Dr. Moss',
    calls: [['schedule_checkup', { patient_id: 'P-18', date: '2026-12-03', vet: 'Dr. Moss' }]],
  },
  {
    ask: 'Have we got anything free from 4 to 7 December?',
    calls: [['check_availability', { arrival: '2026-12-04', departure: '2026-12-07' }]],
  },
  {
    ask: 'Any vacancies from 10 December until 12 December for 3 people?',
    calls: [['check_availability', { arrival: '2026-12-10', departure: '2026-12-12', guests: 3 }]],
  },
  {
    ask: 'I need a double from 1 to 3 December for Mrs Okoye',
    calls: [
      [
        'create_reservation',
        { room_type: 'double', arrival: '2026-12-01', departure: '2026-12-03', guest_name: 'Mrs Okoye' },
      ],
    ],
  },
  { ask: 'Please call off R-1120', calls: [['cancel_reservation', { reservation_id: 'R-1120' }]] },
  {
    ask: 'Drop reservation R-1120 because the flight was cancelled',
    calls: [['cancel_reservation', { reservation_id: 'R-1120', reason: 'the flight was cancelled' }]],
  },
  { ask: 'What do we know about R-1121?', calls: [['get_reservation', { reservation_id: 'R-1121' }]] },
  { ask: 'Show me booking R-1121', calls: [['get_reservation', { reservation_id: 'R-1121' }]] },
  {
    ask: 'Room 214 could do with fresh towels',
    calls: [['order_housekeeping', { room: 214, task: 'towels' }]],
  },
  {
    ask: 'Rooms 101, 102 and 107 need towels',
    calls: [
      ['order_housekeeping', { room: 101, task: 'towels' }],
      ['order_housekeeping', { room: 102, task: 'towels' }],
      ['order_housekeeping', { room: 107, task: 'towels' }],
    ],
  },
  {
    ask: 'Clean 301 and refill the minibar in 305',
    calls: [
      ['order_housekeeping', { room: 301, task: 'clean' }],
      ['order_housekeeping', { room: 305, task: 'minibar' }],
    ],
  },
  {
    ask: 'Raise an urgent ticket: "Mail server down"',
    calls: [['create_ticket', { title: 'Mail server down', priority: 'urgent' }]],
  },
  {
    ask: 'Give TCK-398 to Paul Ikeda',
    calls: [['assign_ticket', { ticket_id: 'TCK-398', technician: 'Paul Ikeda' }]],
  },
  {
    ask: 'TCK-398 is for Paul Ikeda and TCK-410 for Rosa Klein',
    calls: [
      ['assign_ticket', { ticket_id: 'TCK-398', technician: 'Paul Ikeda' }],
      ['assign_ticket', { ticket_id: 'TCK-410', technician: 'Rosa Klein' }],
    ],
  },
  { ask: 'TCK-377 is solved, you can close it', calls: [['close_ticket', { ticket_id: 'TCK-377' }]] },
  { ask: 'What is still open at the help desk?', calls: [['list_tickets', { status: 'open' }]] },
  { ask: 'Which tickets is Rosa Klein working on?', calls: [['list_tickets', { technician: 'Rosa Klein' }]] },
  { ask: 'User "mkoller" has forgotten her password', calls: [['reset_password', { username: 'mkoller' }]] },
  { ask: 'How much does TEN-31 still owe us?', calls: [['get_rent_balance', { tenant_id: 'TEN-31' }]] },
  {
    ask: 'TEN-31 paid 650 euros yesterday',
    calls: [['record_payment', { tenant_id: 'TEN-31', amount: 650, paid_on: '2026-11-20' }]],
  },
  { ask: 'Who lives in Linden House?', calls: [['list_tenants', { building: 'Linden House' }]] },
  {
    ask: 'Remind TEN-12 and TEN-19 to pay',
    calls: [
      ['send_reminder', { tenant_id: 'TEN-12' }],
      ['send_reminder', { tenant_id: 'TEN-19' }],
    ],
  },
  {
    ask: 'What lessons does 7B have on Thursday?',
    calls: [['get_timetable', { class: '7B', day: 'thursday' }]],
  },
  {
    ask: 'Lea Vogt will be off school on 24 November',
    calls: [['excuse_student', { student: 'Lea Vogt', date: '2026-11-24' }]],
  },
  {
    ask: 'Excuse Lea Vogt and Tim Roth on 25 November',
    calls: [
      ['excuse_student', { student: 'Lea Vogt', date: '2026-11-25' }],
      ['excuse_student', { student: 'Tim Roth', date: '2026-11-25' }],
    ],
  },
  {
    ask: 'Do we sell "garden hose" for less than 30?',
    calls: [['find_product', { query: 'garden hose', max_price: 30 }]],
  },
  { ask: 'How many SKU-4471 are left?', calls: [['get_stock', { sku: 'SKU-4471' }]] },
  { ask: 'Do we still have SKU-4471 in the warehouse?', calls: [['get_stock', { sku: 'SKU-4471' }]] },
  {
    ask: 'Give the customer his money back for ORD-90177',
    calls: [['refund_order', { order_id: 'ORD-90177' }]],
  },
  { ask: 'Pay back 20 euros on ORD-90177', calls: [['refund_order', { order_id: 'ORD-90177', amount: 20 }]] },
  { ask: 'Has ORD-90210 shipped yet?', calls: [['get_order', { order_id: 'ORD-90210' }]] },
  {
    ask: 'What has Nadia Petrov bought since 1 October?',
    calls: [['list_orders', { customer: 'Nadia Petrov', since: '2026-10-01' }]],
  },
  {
    ask: 'Reserve four seats in the circle for PF-102',
    calls: [['book_seats', { performance_id: 'PF-102', seats: 4, category: 'circle' }]],
  },
  { ask: 'What is on at the theatre tomorrow?', calls: [['list_performances', { date: '2026-11-22' }]] },
  {
    ask: 'Ahmed Sadik drives VAN-7 until 30 November',
    calls: [['assign_vehicle', { vehicle: 'VAN-7', driver: 'Ahmed Sadik', until: '2026-11-30' }]],
  },
  {
    ask: 'Filled up VAN-7: 52.3 litres, 48200 km on the clock',
    calls: [['log_fuel', { vehicle: 'VAN-7', litres: 52.3, odometer: 48200 }]],
  },
  { ask: 'Where is VAN-7 at the moment?', calls: [['get_vehicle_location', { vehicle: 'VAN-7' }]] },
  {
    ask: 'VAN-7 should go to Bonn, Koblenz and Mainz',
    calls: [['plan_route', { vehicle: 'VAN-7', stops: ['Bonn', 'Koblenz', 'Mainz'] }]],
  },
  {
    ask: 'Show the open tickets and close the oldest one',
    calls: [['list_tickets', { status: 'open' }]],
    results: { list_tickets: { tickets: open } },
    rounds: [[]],
  },
  {
    ask: 'List the open tickets, then assign the one with high priority to Paul Ikeda',
    calls: [['list_tickets', { status: 'open' }]],
    results: { list_tickets: { tickets: open } },
    rounds: [[['assign_ticket', { ticket_id: 'TCK-398', technician: 'Paul Ikeda' }]]],
  },
  {
    ask: 'Open a high ticket "Screen broken" and give it to Rosa Klein',
    calls: [['create_ticket', { title: 'Screen broken', priority: 'high' }]],
    results: { create_ticket: { ticket_id: 'TCK-511' } },
    rounds: [[['assign_ticket', { ticket_id: 'TCK-511', technician: 'Rosa Klein' }]]],
  },
  {
    ask: 'What is playing on 28 November? Take two seats for the first one',
    calls: [['list_performances', { date: '2026-11-28' }]],
    results: {
      list_performances: [
        { performance_id: 'PF-7', title: 'Faust' },
        { performance_id: 'PF-8', title: 'Medea' },
      ],
    },
    rounds: [[['book_seats', { performance_id: 'PF-7', seats: 2 }]]],
  },
  {
    ask: 'Who lives in Elm Court? Send each of them a reminder',
    calls: [['list_tenants', { building: 'Elm Court' }]],
    results: {
      list_tenants: {
        tenants: [
          { id: 'TEN-1', name: 'A' },
          { id: 'TEN-2', name: 'B' },
        ],
      },
    },
    rounds: [
      [
        ['send_reminder', { tenant_id: 'TEN-1' }],
        ['send_reminder', { tenant_id: 'TEN-2' }],
      ],
    ],
  },
  {
    ask: 'Find the orders of Nadia Petrov and refund the latest',
    calls: [['list_orders', { customer: 'Nadia Petrov' }]],
    results: {
      list_orders: {
        orders: [
          { order_id: 'ORD-90001', date: '2026-10-02' },
          { order_id: 'ORD-90044', date: '2026-11-12' },
        ],
      },
    },
    rounds: [[['refund_order', { order_id: 'ORD-90044' }]]],
  },
  {
    ask: 'Check R-3001 and cancel it',
    calls: [
      ['get_reservation', { reservation_id: 'R-3001' }],
      ['cancel_reservation', { reservation_id: 'R-3001' }],
    ],
  },
  {
    ask: 'What does TEN-9 owe? And send the tenant a reminder',
    calls: [
      ['get_rent_balance', { tenant_id: 'TEN-9' }],
      ['send_reminder', { tenant_id: 'TEN-9' }],
    ],
  },
  {
    earlier: cancelled,
    ask: 'Sorry, I meant R-2280',
    calls: [['cancel_reservation', { reservation_id: 'R-2280' }]],
  },
  {
    earlier: logged,
    ask: 'Oops, it was 44 litres, not 40',
    calls: [['log_fuel', { vehicle: 'VAN-3', litres: 44, odometer: 81200 }]],
  },
  {
    earlier: logged,
    ask: 'Wrong vehicle, should have been VAN-8',
    calls: [['log_fuel', { vehicle: 'VAN-8', litres: 40, odometer: 81200 }]],
  },
  {
    earlier: excused,
    ask: 'Make it Tuesday instead',
    calls: [['excuse_student', { student: 'Tom Berger', date: '2026-11-24' }]],
  },
  {
    earlier: excused,
    ask: 'The same for Mia Lang please',
    calls: [['excuse_student', { student: 'Mia Lang', date: '2026-11-23' }]],
  },
  { earlier: balance, ask: 'and TEN-8?', calls: [['get_rent_balance', { tenant_id: 'TEN-8' }]] },
  { ask: 'Cancel invoice 12', calls: [] },
  { ask: 'Thanks, the towels were lovely', calls: [] },
  { ask: 'Is it legal to keep a rabbit in a flat?', calls: [] },
  { ask: 'Refund TCK-398', calls: [] },
  { ask: 'Book two seats', calls: [] },
]
