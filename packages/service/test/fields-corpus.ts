import type { PlannerCase } from './planner-case.js'
import { date, flag, integer, listOf, number, oneOf, text, wireTool } from './planner-case.js'

// Written before the planner was asked any of them: 147 of 182 right then, 13 wrong. Each field offers its own tools.

export interface Field {
  readonly tools: readonly object[]
  readonly cases: readonly PlannerCase[]
}

const none = (...asks: string[]): PlannerCase[] => asks.map((ask) => ({ ask, calls: [] }))

export const fields: Readonly<Record<string, Field>> = {
  home: {
    tools: [
      wireTool('set_light', 'Turn a lamp on or off', {
        room: oneOf('kitchen', 'bedroom', 'hall', 'living room'),
        on: flag('True to switch it on'),
        'brightness?': integer('Brightness from 0 to 100 percent'),
      }),
      wireTool('set_thermostat', 'Set the target temperature of the heating', {
        temperature: number('Degrees Celsius'),
        'room?': oneOf('kitchen', 'bedroom', 'hall', 'living room'),
      }),
      wireTool('lock_door', 'Lock a door of the house', { door: oneOf('front', 'back', 'garage') }),
      wireTool('add_shopping_item', 'Add an item to the shopping list', {
        item: text('What to buy'),
        'quantity?': integer('How many'),
      }),
      wireTool('start_vacuum', 'Start the robot vacuum cleaner', {
        'rooms?': listOf(oneOf('kitchen', 'bedroom', 'hall', 'living room'), 'Rooms to clean'),
      }),
    ],
    cases: [
      { ask: 'Turn off the light in the bedroom', calls: [['set_light', { room: 'bedroom', on: false }]] },
      {
        ask: 'Switch the kitchen lamp on at 40 percent brightness',
        calls: [['set_light', { room: 'kitchen', on: true, brightness: 40 }]],
      },
      {
        ask: 'Make it 21 degrees in the living room',
        calls: [['set_thermostat', { temperature: 21, room: 'living room' }]],
      },
      { ask: 'Is the back door locked yet?', calls: [] },
      { ask: 'Please lock the garage door now', calls: [['lock_door', { door: 'garage' }]] },
      {
        ask: 'We are out of oat milk, put 2 on the shopping list',
        calls: [['add_shopping_item', { item: 'oat milk', quantity: 2 }]],
      },
      {
        ask: 'Add washing powder to the shopping list',
        calls: [['add_shopping_item', { item: 'washing powder' }]],
      },
      { ask: 'Vacuum the hall and the kitchen', calls: [['start_vacuum', { rooms: ['hall', 'kitchen'] }]] },
      {
        ask: 'Lock the front door and turn off the hall light',
        calls: [
          ['lock_door', { door: 'front' }],
          ['set_light', { room: 'hall', on: false }],
        ],
      },
      {
        ask: 'Switch on the hall lamp and reserve a table for 4',
        calls: [['set_light', { room: 'hall', on: true }]],
      },
      ...none(
        'Unlock the back door',
        'Open the garage',
        'Dim the garden lights',
        'How warm is it in the kitchen?',
      ),
    ],
  },
  shop: {
    tools: [
      wireTool('get_order_status', 'Look up the delivery status of an order', {
        order_id: text('Order id, e.g. ORD-10023'),
      }),
      wireTool('cancel_order', 'Cancel an order that has not been shipped', {
        order_id: text('Order id, e.g. ORD-10023'),
        'reason?': text('Why it is cancelled'),
      }),
      wireTool('search_products', 'Search the product catalogue', {
        query: text('Search words'),
        'max_price?': number('Highest price in euros'),
        'in_stock?': flag('Only products in stock'),
      }),
      wireTool('create_return', 'Register the return of an item', {
        order_id: text('Order id, e.g. ORD-10023'),
        reason: oneOf('damaged', 'wrong size', 'not as described', 'no longer needed'),
      }),
      wireTool('apply_voucher', 'Apply a voucher code to the cart', { code: text('Voucher code') }),
    ],
    cases: [
      { ask: 'Has ORD-55810 been delivered yet?', calls: [['get_order_status', { order_id: 'ORD-55810' }]] },
      { ask: 'Where is my order ORD-70001?', calls: [['get_order_status', { order_id: 'ORD-70001' }]] },
      {
        ask: 'I still have not received ORD-31007, where is it?',
        calls: [['get_order_status', { order_id: 'ORD-31007' }]],
      },
      {
        ask: 'Please cancel order ORD-20202 because I ordered it twice',
        calls: [['cancel_order', { order_id: 'ORD-20202', reason: 'I ordered it twice' }]],
      },
      { ask: 'Cancel ORD-20203', calls: [['cancel_order', { order_id: 'ORD-20203' }]] },
      {
        ask: 'Find waterproof hiking boots under 120 euros',
        calls: [['search_products', { query: 'waterproof hiking boots', max_price: 120 }]],
      },
      {
        ask: 'Show me desk lamps that are in stock',
        calls: [['search_products', { query: 'desk lamps', in_stock: true }]],
      },
      {
        ask: 'The jacket from ORD-40404 arrived damaged, I want to return it',
        calls: [['create_return', { order_id: 'ORD-40404', reason: 'damaged' }]],
      },
      {
        ask: 'Return ORD-40405, wrong size',
        calls: [['create_return', { order_id: 'ORD-40405', reason: 'wrong size' }]],
      },
      { ask: 'Use the voucher SPRING25', calls: [['apply_voucher', { code: 'SPRING25' }]] },
      {
        ask: 'Check the status of ORD-11111 and ORD-22222',
        calls: [
          ['get_order_status', { order_id: 'ORD-11111' }],
          ['get_order_status', { order_id: 'ORD-22222' }],
        ],
      },
      ...none(
        'Change the address of ORD-10010 to Elm Road 4',
        'Cancel my order',
        'Gift wrap ORD-10011, please',
        'Do you sell on Sundays?',
      ),
    ],
  },
  clinic: {
    tools: [
      wireTool('book_appointment', 'Book an appointment with a doctor', {
        patient: text('Full name of the patient'),
        doctor: text('Surname of the doctor'),
        date: date('Day'),
        time: text('Start as HH:MM'),
      }),
      wireTool('get_vaccinations', 'List the vaccinations of a patient and which are due', {
        patient_id: text('Patient id, e.g. P-104'),
      }),
      wireTool('record_temperature', 'Record the body temperature of a patient', {
        patient_id: text('Patient id, e.g. P-104'),
        celsius: number('Temperature in degrees Celsius'),
      }),
      wireTool('order_lab_test', 'Order a laboratory test', {
        patient_id: text('Patient id, e.g. P-104'),
        test: oneOf('blood count', 'glucose', 'cholesterol', 'urine'),
        'urgent?': flag('Whether the result is urgent'),
      }),
      wireTool('renew_prescription', 'Renew a prescription', {
        patient_id: text('Patient id, e.g. P-104'),
        medicine: text('Name of the medicine'),
      }),
    ],
    cases: [
      {
        ask: 'Book Amira Hassan with Dr Klein on Tuesday at 10:15',
        calls: [
          [
            'book_appointment',
            { patient: 'Amira Hassan', doctor: 'Klein', date: '2026-11-24', time: '10:15' },
          ],
        ],
      },
      { ask: 'Is P-212 up to date with the jabs?', calls: [['get_vaccinations', { patient_id: 'P-212' }]] },
      {
        ask: 'Which vaccinations are due for P-330?',
        calls: [['get_vaccinations', { patient_id: 'P-330' }]],
      },
      {
        ask: 'P-118 has a temperature of 38.4',
        calls: [['record_temperature', { patient_id: 'P-118', celsius: 38.4 }]],
      },
      {
        ask: 'Order an urgent glucose test for P-119',
        calls: [['order_lab_test', { patient_id: 'P-119', test: 'glucose', urgent: true }]],
      },
      {
        ask: 'P-120 needs a blood count',
        calls: [['order_lab_test', { patient_id: 'P-120', test: 'blood count' }]],
      },
      {
        ask: 'Renew the prescription for ibuprofen for P-121',
        calls: [['renew_prescription', { patient_id: 'P-121', medicine: 'ibuprofen' }]],
      },
      {
        ask: 'Order a cholesterol test for P-122 and renew her metformin prescription',
        calls: [
          ['order_lab_test', { patient_id: 'P-122', test: 'cholesterol' }],
          ['renew_prescription', { patient_id: 'P-122', medicine: 'metformin' }],
        ],
      },
      ...none(
        'Discharge P-123',
        'Book an appointment for Amira Hassan',
        'P-124 feels dizzy',
        'What does a blood count cost?',
      ),
    ],
  },
  school: {
    tools: [
      wireTool('message_parents', 'Write an email to the parents of a class', {
        class: text('Class, e.g. 4b'),
        subject: text('Subject'),
        body: text('Text of the email'),
      }),
      wireTool('mark_absent', 'Mark a pupil as absent', {
        pupil: text('Full name of the pupil'),
        date: date('Day'),
        'excused?': flag('Whether the absence is excused'),
      }),
      wireTool('get_timetable', 'Get the timetable of a class', {
        class: text('Class, e.g. 4b'),
        'weekday?': oneOf('Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'),
      }),
      wireTool('enter_grade', 'Enter a grade for a pupil', {
        pupil: text('Full name of the pupil'),
        subject: oneOf('maths', 'biology', 'history', 'art'),
        grade: { type: 'integer', minimum: 1, maximum: 6, description: 'Grade from 1 to 6' },
      }),
    ],
    cases: [
      {
        ask: 'Write to the parents of 2c, subject "Trip", text "We leave at nine."',
        calls: [['message_parents', { class: '2c', subject: 'Trip', body: 'We leave at nine.' }]],
      },
      {
        ask: 'Email the parents of 4b with the subject "Lost key" and the text "Please look for it at home."',
        calls: [
          ['message_parents', { class: '4b', subject: 'Lost key', body: 'Please look for it at home.' }],
        ],
      },
      {
        ask: 'Jonas Weber is absent today',
        calls: [['mark_absent', { pupil: 'Jonas Weber', date: '2026-11-21' }]],
      },
      {
        ask: 'Mark Lea Brandt as absent on Monday, excused',
        calls: [['mark_absent', { pupil: 'Lea Brandt', date: '2026-11-23', excused: true }]],
      },
      {
        ask: 'What lessons does 3a have on Thursday?',
        calls: [['get_timetable', { class: '3a', weekday: 'Thursday' }]],
      },
      { ask: 'Show the timetable for 1d', calls: [['get_timetable', { class: '1d' }]] },
      {
        ask: 'Give Tom Fischer a 2 in biology',
        calls: [['enter_grade', { pupil: 'Tom Fischer', subject: 'biology', grade: 2 }]],
      },
      {
        ask: 'Enter a 1 in art for Mia Vogel and a 3 in history for Paul Roth',
        calls: [
          ['enter_grade', { pupil: 'Mia Vogel', subject: 'art', grade: 1 }],
          ['enter_grade', { pupil: 'Paul Roth', subject: 'history', grade: 3 }],
        ],
      },
      ...none(
        'Who teaches 3a?',
        'Expel Tom Fischer',
        'Write to the parents',
        'Print the timetable of 3a on A3',
      ),
    ],
  },
  bank: {
    tools: [
      wireTool('transfer', 'Transfer money to another account', {
        to: text('Name of the recipient'),
        amount: number('Amount'),
        currency: { type: 'string', description: 'ISO 4217 currency code' },
        'reference?': text('Payment reference'),
      }),
      wireTool('get_balance', 'Get the balance of an account', {
        account: oneOf('checking', 'savings', 'business'),
      }),
      wireTool('block_card', 'Block a bank card', {
        last_four: { type: 'string', pattern: '^\\d{4}$', description: 'Last four digits of the card' },
        reason: oneOf('lost', 'stolen', 'damaged'),
      }),
      wireTool('convert_currency', 'Convert an amount between currencies', {
        amount: number('Amount'),
        from: { type: 'string', description: 'Currency code to convert from' },
        to: { type: 'string', description: 'Currency code to convert to' },
      }),
      wireTool('list_transactions', 'List the transactions of an account in a period', {
        account: oneOf('checking', 'savings', 'business'),
        'from_date?': date('First day'),
        'to_date?': date('Last day'),
      }),
    ],
    cases: [
      {
        ask: 'Send $250 to Maria Lopez',
        calls: [['transfer', { to: 'Maria Lopez', amount: 250, currency: 'USD' }]],
      },
      {
        ask: 'Transfer 80 euros to Ben Okoro with the reference "rent May"',
        calls: [['transfer', { to: 'Ben Okoro', amount: 80, currency: 'EUR', reference: 'rent May' }]],
      },
      {
        ask: 'Pay Sofia Rossi forty Swiss francs',
        calls: [['transfer', { to: 'Sofia Rossi', amount: 40, currency: 'CHF' }]],
      },
      { ask: 'How much is left in my savings account?', calls: [['get_balance', { account: 'savings' }]] },
      {
        ask: "What's the balance on the business account right now?",
        calls: [['get_balance', { account: 'business' }]],
      },
      {
        ask: 'My card ending in 4417 was stolen, block it',
        calls: [['block_card', { last_four: '4417', reason: 'stolen' }]],
      },
      {
        ask: 'Convert 300 Japanese yen to British pounds',
        calls: [['convert_currency', { amount: 300, from: 'JPY', to: 'GBP' }]],
      },
      {
        ask: 'How many dollars are €99?',
        calls: [['convert_currency', { amount: 99, from: 'EUR', to: 'USD' }]],
      },
      {
        ask: 'List the transactions on checking from 1 October to 31 October 2026',
        calls: [
          ['list_transactions', { account: 'checking', from_date: '2026-10-01', to_date: '2026-10-31' }],
        ],
      },
      {
        ask: '"Show the balance of my checking account."',
        calls: [['get_balance', { account: 'checking' }]],
      },
      ...none(
        'Close my savings account',
        'Transfer money to Ben Okoro',
        'Unblock the card 4417',
        'Invest 500 euros in gold',
        'Is my savings account insured?',
      ),
    ],
  },
  travel: {
    tools: [
      wireTool('search_flights', 'Search for flights between two cities', {
        origin: text('City of departure'),
        destination: text('City of arrival'),
        departure_date: date('Day of departure'),
        'return_date?': date('Day of the return flight'),
        'passengers?': integer('Number of passengers'),
        'cabin?': oneOf('economy', 'business', 'first'),
      }),
      wireTool('search_hotels', 'Search for hotels in a city', {
        city: text('City'),
        check_in: date('Arrival'),
        nights: integer('Number of nights'),
        'stars?': { type: 'integer', minimum: 1, maximum: 5, description: 'Least number of stars' },
        'pets_allowed?': flag('Only hotels that allow pets'),
      }),
      wireTool('get_visa_rules', 'Tell whether a traveller needs a visa', {
        nationality: { type: 'string', description: 'ISO 3166 alpha-2 country code of the passport' },
        destination: { type: 'string', description: 'Country code of the destination (ISO 3166 alpha-2)' },
      }),
      wireTool('get_weather', 'Weather forecast for a city', { city: text('City'), 'date?': date('Day') }),
    ],
    cases: [
      {
        ask: 'Find flights from Lisbon to Oslo on 3 December',
        calls: [['search_flights', { origin: 'Lisbon', destination: 'Oslo', departure_date: '2026-12-03' }]],
      },
      {
        ask: 'I need a business class flight from Berlin to New York on 12 January 2027 for 2 passengers',
        calls: [
          [
            'search_flights',
            {
              origin: 'Berlin',
              destination: 'New York',
              departure_date: '2027-01-12',
              passengers: 2,
              cabin: 'business',
            },
          ],
        ],
      },
      {
        ask: 'Fly from Rome to Athens tomorrow and back on Friday',
        calls: [
          [
            'search_flights',
            {
              origin: 'Rome',
              destination: 'Athens',
              departure_date: '2026-11-22',
              return_date: '2026-11-27',
            },
          ],
        ],
      },
      {
        ask: 'Hotels in Porto from 10 December for three nights that allow pets',
        calls: [['search_hotels', { city: 'Porto', check_in: '2026-12-10', nights: 3, pets_allowed: true }]],
      },
      {
        ask: 'Find a hotel with 4 stars in Vienna for 2 nights from 2026-12-20',
        calls: [['search_hotels', { city: 'Vienna', check_in: '2026-12-20', nights: 2, stars: 4 }]],
      },
      {
        ask: 'Do I need a visa for Brazil with a German passport?',
        calls: [['get_visa_rules', { nationality: 'DE', destination: 'BR' }]],
      },
      {
        ask: 'Will it rain in Bergen tomorrow?',
        calls: [['get_weather', { city: 'Bergen', date: '2026-11-22' }]],
      },
      {
        ask: "What's the weather like in Cairo and in Nairobi?",
        calls: [
          ['get_weather', { city: 'Cairo' }],
          ['get_weather', { city: 'Nairobi' }],
        ],
      },
      ...none(
        'Cancel my flight to Oslo',
        'Find me a flight to Oslo',
        'Rent a car in Porto for 3 days',
        'How far is it from Rome to Athens?',
      ),
    ],
  },
  devops: {
    tools: [
      wireTool('restart_service', 'Restart a service', {
        service: text('Name of the service'),
        environment: oneOf('staging', 'production'),
      }),
      wireTool('get_logs', 'Fetch the log lines of a service', {
        service: text('Name of the service'),
        'lines?': integer('Number of lines'),
        'level?': oneOf('info', 'warning', 'error'),
      }),
      wireTool('deploy', 'Deploy a version of a service', {
        service: text('Name of the service'),
        version: text('Version, e.g. 1.4.2'),
        environment: oneOf('staging', 'production'),
      }),
      wireTool('scale_service', 'Set the number of replicas of a service', {
        service: text('Name of the service'),
        replicas: integer('Number of replicas'),
      }),
      wireTool('create_incident', 'Open an incident', {
        title: text('Short title'),
        severity: oneOf('low', 'medium', 'high', 'critical'),
      }),
    ],
    cases: [
      {
        ask: 'Restart the billing service in staging',
        calls: [['restart_service', { service: 'billing', environment: 'staging' }]],
      },
      {
        ask: 'Show the last 200 error lines of checkout',
        calls: [['get_logs', { service: 'checkout', lines: 200, level: 'error' }]],
      },
      { ask: 'Get the logs of the search service', calls: [['get_logs', { service: 'search' }]] },
      {
        ask: 'Deploy version 2.3.1 of gateway to production',
        calls: [['deploy', { service: 'gateway', version: '2.3.1', environment: 'production' }]],
      },
      {
        ask: 'Scale the worker service to 6 replicas',
        calls: [['scale_service', { service: 'worker', replicas: 6 }]],
      },
      {
        ask: 'Open a critical incident titled "Payments are failing"',
        calls: [['create_incident', { title: 'Payments are failing', severity: 'critical' }]],
      },
      {
        ask: 'Deploy 1.9.0 of mailer to staging, then show me the logs of mailer',
        calls: [['deploy', { service: 'mailer', version: '1.9.0', environment: 'staging' }]],
      },
      ...none(
        'Roll back the gateway',
        'Delete the staging database',
        'Restart the billing service',
        'Who is on call tonight?',
        'Stop the worker service in production',
      ),
    ],
  },
  library: {
    tools: [
      wireTool('find_book', 'Find books in the catalogue', {
        'title?': text('Title'),
        'author?': text('Author'),
        'year?': integer('Year of publication'),
      }),
      wireTool('reserve_book', 'Reserve a book for a member', {
        isbn: { type: 'string', pattern: '^97[89]\\d{10}$', description: 'ISBN' },
        member_id: text('Member id, e.g. M-204'),
      }),
      wireTool('renew_loan', 'Renew a loan', {
        loan_id: text('Loan id, e.g. L-88'),
        'weeks?': integer('By how many weeks'),
      }),
      wireTool('get_fines', 'Show the unpaid fines of a member', {
        member_id: text('Member id, e.g. M-204'),
      }),
    ],
    cases: [
      { ask: 'Find books by Chinua Achebe', calls: [['find_book', { author: 'Chinua Achebe' }]] },
      { ask: 'Do you have "The Dispossessed"?', calls: [['find_book', { title: 'The Dispossessed' }]] },
      {
        ask: 'Find books by Ursula Le Guin from 1974',
        calls: [['find_book', { author: 'Ursula Le Guin', year: 1974 }]],
      },
      {
        ask: 'Reserve 9780140449136 for M-318',
        calls: [['reserve_book', { isbn: '9780140449136', member_id: 'M-318' }]],
      },
      { ask: 'Renew L-501 by 2 weeks', calls: [['renew_loan', { loan_id: 'L-501', weeks: 2 }]] },
      { ask: 'Does M-77 still owe us anything?', calls: [['get_fines', { member_id: 'M-77' }]] },
      { ask: 'What fines has M-78 not paid yet?', calls: [['get_fines', { member_id: 'M-78' }]] },
      ...none(
        'Waive the fines of M-79',
        'Renew my loan',
        'Buy a new copy of "Dune"',
        'When does the library open?',
      ),
    ],
  },
  calendar: {
    tools: [
      wireTool('create_event', 'Create a calendar event', {
        title: text('Title of the event'),
        date: date('Day'),
        start_time: text('Start, HH:MM'),
        'duration_minutes?': integer('Length in minutes'),
        'attendees?': listOf(text('Name')),
      }),
      wireTool('list_events', 'List the events of a day', { date: date('Day') }),
      wireTool('delete_event', 'Delete an event', { event_id: text('Id of the event, e.g. EV-12') }),
      wireTool('move_event', 'Move an event to another day or time', {
        event_id: text('Id of the event, e.g. EV-12'),
        date: date('New day'),
        'start_time?': text('New start, HH:MM'),
      }),
      wireTool('set_reminder', 'Set a reminder', {
        text: text('What to be reminded of'),
        date: date('Day'),
        'time?': text('Time, HH:MM'),
      }),
    ],
    cases: [
      {
        ask: 'Create an event "Budget review" on Monday at 14:00',
        calls: [['create_event', { title: 'Budget review', date: '2026-11-23', start_time: '14:00' }]],
      },
      {
        ask: 'Schedule "Design sync" with Ana and Luis on 2 December at 9:30 for 45 minutes',
        calls: [
          [
            'create_event',
            {
              title: 'Design sync',
              date: '2026-12-02',
              start_time: '09:30',
              duration_minutes: 45,
              attendees: ['Ana', 'Luis'],
            },
          ],
        ],
      },
      { ask: 'What do I have on Wednesday?', calls: [['list_events', { date: '2026-11-25' }]] },
      { ask: 'Is there anything on my calendar tomorrow?', calls: [['list_events', { date: '2026-11-22' }]] },
      { ask: 'Delete EV-31', calls: [['delete_event', { event_id: 'EV-31' }]] },
      {
        ask: 'Push EV-32 to Friday at 16:00',
        calls: [['move_event', { event_id: 'EV-32', date: '2026-11-27', start_time: '16:00' }]],
      },
      {
        ask: 'Remind me to call the plumber on Tuesday',
        calls: [['set_reminder', { text: 'call the plumber', date: '2026-11-24' }]],
      },
      {
        ask: 'Remind me on Thursday at 8 am to water the plants',
        calls: [['set_reminder', { text: 'water the plants', date: '2026-11-26', time: '08:00' }]],
      },
      ...none(
        'Share my calendar with Ana',
        'Create an event on Monday',
        'Snooze the reminder',
        'Am I free in spring?',
      ),
    ],
  },
  logistics: {
    tools: [
      wireTool('track_shipment', 'Track a shipment', {
        shipment_id: { type: 'string', pattern: '^SH\\d{6}$', description: 'Shipment id' },
      }),
      wireTool('create_pickup', 'Order the pickup of parcels', {
        address: text('Street and town'),
        date: date('Day of the pickup'),
        parcels: integer('Number of parcels'),
        'fragile?': flag('Whether the content is fragile'),
      }),
      wireTool('quote_freight', 'Quote the price of a freight', {
        from_country: { type: 'string', description: 'Country code, ISO 3166 alpha-2' },
        to_country: { type: 'string', description: 'Country code, ISO 3166 alpha-2' },
        weight_kg: number('Weight in kilograms'),
        'express?': flag('Express delivery'),
      }),
      wireTool('report_damage', 'Report damage to a shipment', {
        shipment_id: { type: 'string', pattern: '^SH\\d{6}$', description: 'Shipment id' },
        description: text('What is damaged'),
      }),
    ],
    cases: [
      {
        ask: 'Has SH104455 left the depot already?',
        calls: [['track_shipment', { shipment_id: 'SH104455' }]],
      },
      { ask: 'Track SH200300 please', calls: [['track_shipment', { shipment_id: 'SH200300' }]] },
      {
        ask: 'Pick up 5 fragile parcels at Harbour Street 9, Bremen on Monday',
        calls: [
          [
            'create_pickup',
            { address: 'Harbour Street 9, Bremen', date: '2026-11-23', parcels: 5, fragile: true },
          ],
        ],
      },
      {
        ask: 'What does it cost to send 120 kg from Germany to Italy?',
        calls: [['quote_freight', { from_country: 'DE', to_country: 'IT', weight_kg: 120 }]],
      },
      {
        ask: 'Quote an express freight of 2 tonnes from Poland to the United Kingdom',
        calls: [['quote_freight', { from_country: 'PL', to_country: 'GB', weight_kg: 2000, express: true }]],
      },
      {
        ask: 'Report damage to SH900900: one pallet is wet',
        calls: [['report_damage', { shipment_id: 'SH900900', description: 'one pallet is wet' }]],
      },
      ...none(
        'Insure SH104455',
        'Reroute SH104456 to Hamburg',
        'Order a pickup for Monday',
        'How many trucks are free?',
      ),
    ],
  },
  kitchen: {
    tools: [
      wireTool('find_recipes', 'Find recipes', {
        ingredients: listOf(text('Ingredient'), 'Ingredients to use'),
        'max_minutes?': integer('Longest preparation time in minutes'),
        'vegetarian?': flag('Only vegetarian recipes'),
      }),
      wireTool('set_timer', 'Set a kitchen timer', {
        minutes: number('Minutes'),
        'label?': text('Name of the timer'),
      }),
      wireTool('convert_units', 'Convert a kitchen quantity', {
        amount: number('Amount'),
        from: oneOf('g', 'oz', 'ml', 'cup'),
        to: oneOf('g', 'oz', 'ml', 'cup'),
      }),
      wireTool('log_meal', 'Log a meal', {
        food: text('What was eaten'),
        meal: oneOf('breakfast', 'lunch', 'dinner', 'snack'),
        'calories?': integer('Calories'),
      }),
    ],
    cases: [
      {
        ask: 'Find vegetarian recipes with chickpeas and spinach under 30 minutes',
        calls: [
          ['find_recipes', { ingredients: ['chickpeas', 'spinach'], max_minutes: 30, vegetarian: true }],
        ],
      },
      { ask: 'What can I cook with lentils?', calls: [['find_recipes', { ingredients: ['lentils'] }]] },
      { ask: 'Set a timer for a quarter of an hour', calls: [['set_timer', { minutes: 15 }]] },
      { ask: 'Timer for 8 minutes called eggs', calls: [['set_timer', { minutes: 8, label: 'eggs' }]] },
      { ask: 'How many ml are 2 cups?', calls: [['convert_units', { amount: 2, from: 'cup', to: 'ml' }]] },
      {
        ask: 'Log porridge for breakfast with 320 calories',
        calls: [['log_meal', { food: 'porridge', meal: 'breakfast', calories: 320 }]],
      },
      ...none(
        'Preheat the oven to 200 degrees',
        'How many calories are in an avocado?',
        'Set a timer',
        'Stop the timer',
      ),
    ],
  },
  tenancy: {
    tools: [
      wireTool('remind_payment', 'Remind a tenant to pay the rent', {
        tenant_id: text('Tenant id, e.g. TEN-12'),
        'channel?': oneOf('email', 'sms', 'letter'),
      }),
      wireTool('report_repair', 'Report a repair in a flat', {
        flat: text('Flat, e.g. B-204'),
        problem: text('What is broken'),
        'urgent?': flag('Whether it is urgent'),
      }),
      wireTool('list_vacancies', 'List flats that are free', {
        'max_rent?': number('Highest monthly rent in euros'),
        'min_rooms?': integer('Least number of rooms'),
      }),
      wireTool('schedule_viewing', 'Arrange a viewing of a flat', {
        flat: text('Flat, e.g. B-204'),
        visitor: text('Name of the visitor'),
        date: date('Day'),
        time: text('HH:MM'),
      }),
    ],
    cases: [
      {
        ask: 'Remind TEN-31 and TEN-44 to pay',
        calls: [
          ['remind_payment', { tenant_id: 'TEN-31' }],
          ['remind_payment', { tenant_id: 'TEN-44' }],
        ],
      },
      {
        ask: 'Remind TEN-50 by letter that the rent is overdue',
        calls: [['remind_payment', { tenant_id: 'TEN-50', channel: 'letter' }]],
      },
      {
        ask: 'The tap in C-310 is dripping',
        calls: [['report_repair', { flat: 'C-310', problem: 'The tap is dripping' }]],
      },
      {
        ask: 'Report a repair in A-101: no hot water, urgent',
        calls: [['report_repair', { flat: 'A-101', problem: 'no hot water', urgent: true }]],
      },
      {
        ask: 'Which flats with at least 3 rooms are free for under 1200 euros?',
        calls: [['list_vacancies', { max_rent: 1200, min_rooms: 3 }]],
      },
      {
        ask: 'Arrange a viewing of B-207 for Oscar Lindqvist on Thursday at 17:00',
        calls: [
          [
            'schedule_viewing',
            { flat: 'B-207', visitor: 'Oscar Lindqvist', date: '2026-11-26', time: '17:00' },
          ],
        ],
      },
      ...none(
        'Evict TEN-31',
        'Raise the rent of TEN-44 by 5%',
        'Arrange a viewing of B-208',
        'Can TEN-50 keep a dog?',
      ),
    ],
  },
  recycling: {
    tools: [
      wireTool('get_scrap_price', 'Price that we pay for scrap of a material', {
        material: oneOf('copper', 'aluminium', 'steel', 'brass'),
      }),
      wireTool('register_delivery', 'Register a delivery of scrap', {
        customer: text('Name of the customer'),
        material: oneOf('copper', 'aluminium', 'steel', 'brass'),
        kilograms: number('Weight in kilograms'),
      }),
      wireTool('list_containers', 'List containers by fill level', {
        'min_level?': integer('Least fill level in percent'),
      }),
      wireTool('order_emptying', 'Order the emptying of a container', {
        container: text('Container, e.g. K-12'),
        date: date('Day'),
      }),
    ],
    cases: [
      { ask: 'What do we pay for brass?', calls: [['get_scrap_price', { material: 'brass' }]] },
      {
        ask: 'How much is copper worth at the moment?',
        calls: [['get_scrap_price', { material: 'copper' }]],
      },
      {
        ask: 'Hofmann delivered 340 kg of steel',
        calls: [['register_delivery', { customer: 'Hofmann', material: 'steel', kilograms: 340 }]],
      },
      {
        ask: 'Register 1.5 tonnes of aluminium from Metall Nord',
        calls: [['register_delivery', { customer: 'Metall Nord', material: 'aluminium', kilograms: 1500 }]],
      },
      { ask: 'Which containers are more than 80% full?', calls: [['list_containers', { min_level: 80 }]] },
      {
        ask: 'K-19 is full, have it emptied on Tuesday',
        calls: [['order_emptying', { container: 'K-19', date: '2026-11-24' }]],
      },
      ...none('What do we pay for zinc?', 'Sell 200 kg of copper to Hofmann', 'Paint container K-19'),
    ],
  },
  music: {
    tools: [
      wireTool('play_song', 'Play a song', { title: text('Title of the song'), 'artist?': text('Artist') }),
      wireTool('create_playlist', 'Create a playlist', {
        name: text('Name of the playlist'),
        'public?': flag('Whether everyone can see it'),
      }),
      wireTool('set_volume', 'Set the volume', {
        level: { type: 'integer', minimum: 0, maximum: 100, description: 'Volume in percent' },
      }),
      wireTool('find_concerts', 'Find concerts of an artist', {
        artist: text('Artist'),
        'city?': text('City'),
        'year?': integer('Year'),
      }),
    ],
    cases: [
      {
        ask: 'Play "Graceland" by Paul Simon',
        calls: [['play_song', { title: 'Graceland', artist: 'Paul Simon' }]],
      },
      { ask: 'Play Dancing Queen', calls: [['play_song', { title: 'Dancing Queen' }]] },
      {
        ask: 'Create a public playlist called Morning Run',
        calls: [['create_playlist', { name: 'Morning Run', public: true }]],
      },
      { ask: 'Turn the volume down to 15', calls: [['set_volume', { level: 15 }]] },
      {
        ask: 'Does Radiohead play in Lyon in 2027?',
        calls: [['find_concerts', { artist: 'Radiohead', city: 'Lyon', year: 2027 }]],
      },
      { ask: 'Find concerts of Rosalía', calls: [['find_concerts', { artist: 'Rosalía' }]] },
      ...none('Buy two tickets for Radiohead', 'Pause the music', 'Who wrote Yesterday?'),
    ],
  },
  farm: {
    tools: [
      wireTool('record_yield', 'Record the milk yield of a cow', {
        cow: integer('Number of the cow'),
        litres: number('Litres of milk'),
        'date?': date('Day'),
      }),
      wireTool('irrigate', 'Irrigate a field', {
        field: text('Name of the field'),
        minutes: integer('How long'),
      }),
      wireTool('get_soil_moisture', 'Measure the soil moisture of a field', {
        field: text('Name of the field'),
      }),
      wireTool('order_feed', 'Order feed', {
        product: oneOf('hay', 'silage', 'grain'),
        tonnes: number('Amount in tonnes'),
        'deliver_by?': date('Latest day of delivery'),
      }),
    ],
    cases: [
      { ask: 'Cow 17 gave 24.5 litres this morning', calls: [['record_yield', { cow: 17, litres: 24.5 }]] },
      {
        ask: 'Irrigate the field "Long Acre" for 40 minutes',
        calls: [['irrigate', { field: 'Long Acre', minutes: 40 }]],
      },
      {
        ask: 'How dry is the soil in Mill Meadow?',
        calls: [['get_soil_moisture', { field: 'Mill Meadow' }]],
      },
      {
        ask: 'Order 3 tonnes of hay by 1 December',
        calls: [['order_feed', { product: 'hay', tonnes: 3, deliver_by: '2026-12-01' }]],
      },
      {
        ask: 'Order 2 tonnes of grain and 4 tonnes of silage',
        calls: [
          ['order_feed', { product: 'grain', tonnes: 2 }],
          ['order_feed', { product: 'silage', tonnes: 4 }],
        ],
      },
      ...none('Sell cow 17', 'Plough Long Acre', 'Irrigate Mill Meadow', 'Order 500 litres of diesel'),
    ],
  },
  office: {
    tools: [
      wireTool('request_leave', 'Request leave for an employee', {
        employee: text('Name of the employee'),
        start: date('First day'),
        end: date('Last day'),
        'type?': oneOf('vacation', 'sick', 'parental'),
      }),
      wireTool('submit_expense', 'Submit an expense', {
        amount: number('Amount in euros'),
        category: oneOf('travel', 'meals', 'office'),
        'note?': text('Note'),
      }),
      wireTool('book_room', 'Book a meeting room', {
        room: text('Name of the room'),
        date: date('Day'),
        start: text('HH:MM'),
        end: text('HH:MM'),
        'projector?': flag('Whether a projector is needed'),
      }),
      wireTool('find_employee', 'Find an employee by name or department', {
        'name?': text('Name'),
        'department?': oneOf('sales', 'finance', 'engineering', 'legal'),
      }),
    ],
    cases: [
      {
        ask: 'Request vacation for Priya Nair from 14 to 18 December',
        calls: [
          [
            'request_leave',
            { employee: 'Priya Nair', start: '2026-12-14', end: '2026-12-18', type: 'vacation' },
          ],
        ],
      },
      {
        ask: 'Submit an expense of 48.90 euros for travel',
        calls: [['submit_expense', { amount: 48.9, category: 'travel' }]],
      },
      {
        ask: 'I spent €23 on meals, please submit that',
        calls: [['submit_expense', { amount: 23, category: 'meals' }]],
      },
      {
        ask: 'Book the room Everest on Monday from 10:00 to 11:30 with a projector',
        calls: [
          [
            'book_room',
            { room: 'Everest', date: '2026-11-23', start: '10:00', end: '11:30', projector: true },
          ],
        ],
      },
      { ask: 'Who works in legal?', calls: [['find_employee', { department: 'legal' }]] },
      { ask: 'Find Marek Nowak', calls: [['find_employee', { name: 'Marek Nowak' }]] },
      ...none(
        'Submit an expense of $48 for travel',
        'Promote Priya Nair',
        'Order lunch for the meeting on Monday',
        'Book the room Everest',
      ),
    ],
  },
}
