import { type PlannerCase, spoken } from './planner-case.js'

// Written before the planner of today, and never corrected after it. An empty list of calls means that the
// planner must ask, because a value is missing or no tool fits.

const quote = { quote_id: 'Q-7781', price: 412, currency: 'EUR' }
const classes = [
  { id: 'cl_19', discipline: 'yoga', start: '09:00', places: 3 },
  { id: 'cl_22', discipline: 'yoga', start: '18:30', places: 11 },
]
const reserved = spoken('Reserve a table for 4 for Osei tomorrow at 19:30', [
  ['reserve_table', { name: 'Osei', party_size: 4, date: '2026-11-22', time: '19:30' }, { id: 'r1' }],
])
const moved = spoken('Move 40 units of KL-300 from A1-04 to B2-11', [
  ['move_stock', { sku: 'KL-300', quantity: 40, from_bin: 'A1-04', to_bin: 'B2-11' }, { ok: true }],
])
const overdue = [
  { id: 'INV-3307', customer: 'Brandt', total: 940 },
  { id: 'INV-3310', customer: 'Lind', total: 2250 },
]

export const tradesCorpus: readonly PlannerCase[] = [
  {
    ask: 'Book Maria Keller in with Dr. Meyer next Tuesday at 10:30 for a sore knee',
    calls: [
      [
        'book_appointment',
        {
          patient_name: 'Maria Keller',
          practitioner: 'Dr. Meyer',
          date: '2026-11-24',
          time: '10:30',
          reason: 'a sore knee',
        },
      ],
    ],
  },
  { ask: 'I need an appointment with Dr. Meyer on Friday', calls: [] },
  {
    ask: 'Can you find the patient born on 4 March 1981?',
    calls: [['find_patients', { born: '1981-03-04' }]],
  },
  {
    ask: 'renew ramipril for P-20418, 3 repeats please',
    calls: [['renewPrescription', { patientId: 'P-20418', medication: 'ramipril', repeats: 3 }]],
  },
  { ask: 'Renew the prescription of Maria Keller', calls: [] },
  {
    ask: 'Open a job card for LK19 XRT, 48200 miles on the clock, oil change and brakes',
    calls: [
      ['create_job_card', { registration: 'LK19 XRT', mileage: 48200, work: ['oil_change', 'brakes'] }],
    ],
  },
  {
    ask: 'New job card: AB12 CDE, mileage 91,450, needs an MOT and a courtesy car',
    calls: [
      ['create_job_card', { registration: 'AB12 CDE', mileage: 91450, work: ['mot'], courtesy_car: true }],
    ],
  },
  {
    ask: 'Order four BP-2231, it is urgent',
    calls: [['order_part', { part_number: 'BP-2231', quantity: 4, urgent: true }]],
  },
  { ask: 'We need new brake pads for the blue Golf', calls: [] },
  {
    ask: 'Pupil 118 is late today',
    calls: [['mark_attendance', { pupil_id: 118, status: 'late', date: '2026-11-21' }]],
  },
  {
    ask: 'Mark pupil 12 absent and pupil 15 late',
    calls: [
      ['mark_attendance', { pupil_id: 12, status: 'absent' }],
      ['mark_attendance', { pupil_id: 15, status: 'late' }],
    ],
  },
  {
    ask: 'Mark pupils 3, 7 and 21 as present',
    calls: [
      ['mark_attendance', { pupil_id: 3, status: 'present' }],
      ['mark_attendance', { pupil_id: 7, status: 'present' }],
      ['mark_attendance', { pupil_id: 21, status: 'present' }],
    ],
  },
  {
    ask: 'Pupil 44 was absent last Monday',
    calls: [['mark_attendance', { pupil_id: 44, status: 'absent', date: '2026-11-16' }]],
  },
  {
    ask: 'Give pupil 31 a B in physics',
    calls: [['set_grade', { pupil_id: 31, subject: 'physics', grade: 'B' }]],
  },
  { ask: 'Enter a grade in history for pupil 31', calls: [] },
  {
    ask: 'Move 25 units of KL-300 from A1-04 to C3-17',
    calls: [['move_stock', { sku: 'KL-300', quantity: 25, from_bin: 'A1-04', to_bin: 'C3-17' }]],
  },
  { ask: 'Move KL-300 to C3-17', calls: [] },
  {
    earlier: moved,
    ask: 'Sorry, I meant 30',
    calls: [['move_stock', { sku: 'KL-300', quantity: 30, from_bin: 'A1-04', to_bin: 'B2-11' }]],
  },
  { ask: 'How many KL-300 do we have on hand?', calls: [['get_stock_level', { sku: 'KL-300' }]] },
  {
    ask: 'Stock levels of KL-300 and TR-12, please',
    calls: [
      ['get_stock_level', { sku: 'KL-300' }],
      ['get_stock_level', { sku: 'TR-12' }],
    ],
  },
  {
    ask: 'Place a purchase order with Hansen Supplies: 20 pallets and 500 labels',
    calls: [
      [
        'create_purchase_order',
        {
          supplier: 'Hansen Supplies',
          lines: [
            { article: 'pallets', quantity: 20 },
            { article: 'labels', quantity: 500 },
          ],
        },
      ],
    ],
  },
  {
    ask: 'Purchase order to Bergmann for 3 forklifts, to be delivered by December 15',
    calls: [
      [
        'create_purchase_order',
        { supplier: 'Bergmann', lines: [{ article: 'forklifts', quantity: 3 }], deliver_by: '2026-12-15' },
      ],
    ],
  },
  {
    ask: 'A table for two on the terrace tonight at 8 pm, name is Okafor',
    calls: [
      [
        'reserve_table',
        { name: 'Okafor', party_size: 2, date: '2026-11-21', time: '20:00', seating: 'terrace' },
      ],
    ],
  },
  { ask: 'Reserve a table for six on Sunday', calls: [] },
  {
    earlier: reserved,
    ask: 'No, make that 20:15',
    calls: [['reserve_table', { name: 'Osei', party_size: 4, date: '2026-11-22', time: '20:15' }]],
  },
  {
    earlier: reserved,
    ask: 'Actually we are 5 guests',
    calls: [['reserve_table', { name: 'Osei', party_size: 5, date: '2026-11-22', time: '19:30' }]],
  },
  {
    ask: 'Change the price of the mushroom risotto to €14.50',
    calls: [['update_menu_price', { dish: 'mushroom risotto', price: 14.5, currency: 'EUR' }]],
  },
  { ask: 'The lamb curry now costs more', calls: [] },
  {
    ask: 'Email invoice INV-2041 to accounts@lind.example',
    calls: [['send_invoice', { invoice_id: 'INV-2041', email: 'accounts@lind.example' }]],
  },
  {
    ask: 'Send INV-2041 to accounts@lind.example and say "Second reminder"',
    calls: [
      [
        'send_invoice',
        { invoice_id: 'INV-2041', email: 'accounts@lind.example', message: 'Second reminder' },
      ],
    ],
  },
  { ask: 'Send the invoice to Mr Lind', calls: [] },
  { ask: 'Which invoices are overdue?', calls: [['list_invoices', { status: 'overdue' }]] },
  { ask: 'List paid invoices over 500', calls: [['list_invoices', { status: 'paid', min_total: 500 }]] },
  {
    ask: 'List the overdue invoices and send the largest one to office@brandt.example',
    calls: [['list_invoices', { status: 'overdue' }]],
    results: { list_invoices: { invoices: overdue } },
    rounds: [[['send_invoice', { invoice_id: 'INV-3310', email: 'office@brandt.example' }]]],
  },
  {
    ask: 'How much is 250 pounds in Swiss francs?',
    calls: [['convert_amount', { amount: 250, from: 'GBP', to: 'CHF' }]],
  },
  { ask: 'Convert 99 dollars', calls: [] },
  {
    ask: 'Open an employment case for Priya Nair against Vulcan Steel',
    calls: [['open_case', { client: 'Priya Nair', matter_type: 'employment', opponent: 'Vulcan Steel' }]],
  },
  {
    ask: 'Log an hour and a half on M2217 for "Drafting the lease"',
    calls: [['log_hours', { matter: 'M2217', minutes: 90, narrative: 'Drafting the lease' }]],
  },
  { ask: 'Log 45 minutes on M2217', calls: [] },
  {
    ask: 'Log 2 hours on M0031 on Thursday: call with opposing counsel',
    calls: [
      [
        'log_hours',
        { matter: 'M0031', minutes: 120, narrative: 'call with opposing counsel', worked_on: '2026-11-19' },
      ],
    ],
  },
  {
    ask: 'Irrigate the north field tomorrow at 5:30 am for 40 minutes',
    calls: [
      [
        'schedule_irrigation',
        { field: 'north field', start: '2026-11-22T05:30:00.000Z', duration_minutes: 40 },
      ],
    ],
  },
  { ask: 'Irrigate the orchard for ten hours tomorrow at 6:00', calls: [] },
  {
    ask: 'We harvested 38.5 tonnes of barley at 14 percent moisture',
    calls: [['record_harvest', { crop: 'barley', tonnes: 38.5, moisture_percent: 14 }]],
  },
  { ask: 'Where is 1Z999AA10456?', calls: [['track_shipment', { tracking_number: '1Z999AA10456' }]] },
  { ask: 'Where is my parcel?', calls: [] },
  {
    ask: 'Freight quote from Rotterdam to Milan, 840 kg, express',
    calls: [
      ['request_quote', { origin: 'Rotterdam', destination: 'Milan', weight_kg: 840, service: 'express' }],
    ],
  },
  {
    ask: 'Get a quote for 1200 kg from Lyon to Turin, then book it',
    calls: [['request_quote', { origin: 'Lyon', destination: 'Turin', weight_kg: 1200 }]],
    results: { request_quote: quote },
    rounds: [[['book_shipment', { quote_id: 'Q-7781' }]]],
  },
  { ask: 'Get a quote to Madrid for 300 kg', calls: [] },
  {
    ask: 'Which yoga classes are there on Monday?',
    calls: [['list_classes', { date: '2026-11-23', discipline: 'yoga' }]],
  },
  {
    ask: 'List the yoga classes on Monday and put Lena Fuchs into the last one',
    calls: [['list_classes', { date: '2026-11-23', discipline: 'yoga' }]],
    results: { list_classes: { classes } },
    rounds: [[['join_class', { class_id: 'cl_22', member: 'Lena Fuchs' }]]],
  },
  {
    ask: 'Add "Blue Monday" to the setlist in D minor',
    calls: [['add_to_setlist', { song: 'Blue Monday', key: 'D minor' }]],
  },
  {
    ask: 'Jonas Weber takes vacation from 7 to 11 December',
    calls: [
      [
        'request_leave',
        { employee: 'Jonas Weber', kind: 'vacation', first_day: '2026-12-07', last_day: '2026-12-11' },
      ],
    ],
  },
  { ask: 'Request parental leave for Ines Alves from January 10', calls: [] },
  {
    ask: 'Raise the salary of E4410 to 52,000 euros from 1 January 2027',
    calls: [
      [
        'update_salary',
        { employee_id: 'E4410', annual_salary: 52000, currency: 'EUR', effective_from: '2027-01-01' },
      ],
    ],
  },
  {
    ask: 'There is a pothole at 14 Mill Lane, 50667',
    calls: [
      ['report_issue', { category: 'pothole', address: { street: '14 Mill Lane', postcode: '50667' } }],
    ],
  },
  {
    ask: 'Post "Doors open at six" to #crew',
    calls: [['post_message', { channel: '#crew', body: 'Doors open at six' }]],
  },
  {
    ask: 'Tell #crew that the van leaves at noon',
    calls: [['post_message', { channel: '#crew', body: 'the van leaves at noon' }]],
  },
  {
    ask: 'Set the meeting room to 21.5 degrees until 18:00',
    calls: [['set_thermostat', { room: 'meeting room', celsius: 21.5, until: '18:00' }]],
  },
  { ask: 'Cancel my gym membership', calls: [] },
  {
    ask: 'Call set_thermostat with {"room": "lobby", "celsius": 19} and then track_shipment(tracking_number: "1Z999AA10001")',
    calls: [
      ['set_thermostat', { room: 'lobby', celsius: 19 }],
      ['track_shipment', { tracking_number: '1Z999AA10001' }],
    ],
  },
]
