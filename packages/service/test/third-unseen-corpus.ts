import type { Field } from './fields-corpus.js'
import {
  all,
  date,
  either,
  flag,
  integer,
  listOf,
  none,
  number,
  objectOf,
  one,
  oneOf,
  partly,
  text,
  wireTool,
} from './planner-case.js'

// Everyday requests in ten fields, written by an author who had not seen the planner or another corpus. Right, asked and
// wrong at first sight: 81, 24 and 8 of 113.

export const thirdRequests: Readonly<Record<string, Field>> = {
  home: {
    tools: [
      wireTool('set_thermostat', 'Set the target temperature of the heating or cooling', {
        temperature: number('Target temperature in degrees Celsius'),
        'room?': text('Room; the whole house if omitted'),
        'mode?': oneOf('heat', 'cool', 'auto'),
        'hold?': flag('Keep this temperature until it is changed by hand'),
      }),
      wireTool('control_lights', 'Switch the lights of a room on or off', {
        room: text('Room, e.g. kitchen'),
        state: oneOf('on', 'off'),
        'brightness?': { type: 'integer', minimum: 0, maximum: 100, description: 'Brightness in percent' },
        'color?': oneOf('warm', 'cool', 'red', 'blue'),
      }),
      wireTool('start_vacuum', 'Send the vacuum robot to clean rooms', {
        rooms: listOf({ type: 'string' }, 'Rooms to clean'),
        'suction?': oneOf('quiet', 'normal', 'max'),
        'mop?': flag('Also mop the floor'),
      }),
      wireTool('set_lock', 'Lock or unlock a door', {
        door: oneOf('front', 'back', 'garage'),
        locked: flag('True to lock, false to unlock'),
      }),
      wireTool('water_garden', 'Water a zone of the garden', {
        zone: oneOf('lawn', 'beds', 'greenhouse'),
        minutes: integer('Duration in minutes'),
      }),
    ],
    cases: [
      one('Set the thermostat in the nursery to 19.5 degrees', 'set_thermostat', {
        temperature: 19.5,
        room: 'nursery',
      }),
      all(
        'Dim the dining room lights to 30 percent and lock the back door',
        ['control_lights', { room: 'dining room', state: 'on', brightness: 30 }],
        ['set_lock', { door: 'back', locked: true }],
      ),
      one('Vacuum the hallway and the study, and mop too', 'start_vacuum', {
        rooms: ['hallway', 'study'],
        mop: true,
      }),
      one('Water the lawn for a quarter of an hour', 'water_garden', { zone: 'lawn', minutes: 15 }),
      partly('Turn off the porch light and feed the goldfish', 'goldfish', [
        'control_lights',
        { room: 'porch', state: 'off' },
      ]),
      one('Unlock the garage, no wait, the front door', 'set_lock', { door: 'front', locked: false }),
      one('Make it 22 degrees in here, cooling mode, and hold it there', 'set_thermostat', {
        temperature: 22,
        mode: 'cool',
        hold: true,
      }),
      one('Lights on in the attic, red', 'control_lights', { room: 'attic', state: 'on', color: 'red' }),
      ...none(
        "Don't water the beds today",
        'Open the blinds in the bedroom',
        'Vacuum every room except the kitchen',
      ),
    ],
  },
  travel: {
    tools: [
      wireTool('search_flights', 'Search for flights between two cities', {
        from: text('City of departure'),
        to: text('City of arrival'),
        depart: date('Date of the outbound flight'),
        'return?': date('Date of the return flight'),
        'passengers?': integer('Number of passengers'),
        'cabin?': oneOf('economy', 'premium', 'business'),
        'nonstop?': flag('Only direct flights'),
      }),
      wireTool('book_hotel', 'Book a hotel room in a city', {
        city: text('City'),
        check_in: date('First night'),
        nights: integer('Number of nights'),
        'guests?': integer('Number of guests'),
        'breakfast?': flag('Whether breakfast is included'),
        'room_type?': oneOf('single', 'double', 'suite'),
      }),
      wireTool('rent_car', 'Rent a car', {
        city: text('City where the car is picked up'),
        pickup: date('Day of the pick-up'),
        days: integer('Number of days'),
        'category?': oneOf('compact', 'suv', 'van'),
        driver: objectOf({ name: text('Full name of the driver'), 'age?': integer('Age in years') }),
      }),
      wireTool('check_visa', 'Check whether a traveller needs a visa', {
        nationality: text('Nationality as an ISO 3166 code of two letters, e.g. DE'),
        destination: text('Destination as an ISO 3166 code of two letters, e.g. US'),
      }),
    ],
    cases: [
      one('Find me a nonstop flight from Lisbon to Warsaw on 4 December', 'search_flights', {
        from: 'Lisbon',
        to: 'Warsaw',
        depart: '2026-12-04',
        nonstop: true,
      }),
      one(
        'I need two business class tickets from Porto to Geneva, leaving December 10 and returning December 14',
        'search_flights',
        {
          from: 'Porto',
          to: 'Geneva',
          depart: '2026-12-10',
          return: '2026-12-14',
          passengers: 2,
          cabin: 'business',
        },
      ),
      one('Book a double room in Ghent for three nights from 12 December, with breakfast', 'book_hotel', {
        city: 'Ghent',
        check_in: '2026-12-12',
        nights: 3,
        breakfast: true,
        room_type: 'double',
      }),
      either(
        'Book a hotel in Bruges for next weekend',
        [],
        [['book_hotel', { city: 'Bruges', check_in: '2026-11-28', nights: 2 }]],
        [['book_hotel', { city: 'Bruges', check_in: '2026-11-27', nights: 2 }]],
      ),
      one('Does a Brazilian need a visa for Japan?', 'check_visa', { nationality: 'BR', destination: 'JP' }),
      one('Rent an SUV in Tromsø for 5 days from 2 January, the driver is Ingrid Dahl, 34', 'rent_car', {
        city: 'Tromsø',
        pickup: '2027-01-02',
        days: 5,
        category: 'suv',
        driver: { name: 'Ingrid Dahl', age: 34 },
      }),
      partly(
        'Book a suite in Vienna from December 1 to December 4 for 2 guests and order flowers for my wife',
        'flowers',
        ['book_hotel', { city: 'Vienna', check_in: '2026-12-01', nights: 3, guests: 2, room_type: 'suite' }],
      ),
      all(
        'Rent a van in Lyon tomorrow for 2 days for Paul Mercier and find a flight from Lyon to Nice on 24 November',
        [
          'rent_car',
          { city: 'Lyon', pickup: '2026-11-22', days: 2, category: 'van', driver: { name: 'Paul Mercier' } },
        ],
        ['search_flights', { from: 'Lyon', to: 'Nice', depart: '2026-11-24' }],
      ),
      ...none('Flights from Oslo to Bergen on Friday, but not in economy', 'Cancel my hotel in Ghent'),
    ],
  },
  money: {
    tools: [
      wireTool('transfer_money', 'Send money to a person or company', {
        to: text('Name of the recipient'),
        amount: number('Amount'),
        currency: oneOf('EUR', 'USD', 'GBP', 'CHF', 'JPY'),
        'reference?': text('Reference that the recipient sees'),
        'when?': date('Day of the transfer; today if omitted'),
        'instant?': flag('Whether the money arrives within seconds'),
      }),
      wireTool('convert_currency', 'Convert an amount from one currency to another', {
        amount: number('Amount to convert'),
        from: text('ISO 4217 code of the source currency'),
        to: text('ISO 4217 code of the target currency'),
      }),
      wireTool('set_budget', 'Set the spending limit of a category', {
        category: oneOf('groceries', 'rent', 'leisure', 'transport'),
        limit: number('Limit in euros'),
        'period?': oneOf('weekly', 'monthly'),
      }),
      wireTool('list_transactions', 'List the transactions of an account', {
        'account?': oneOf('checking', 'savings'),
        'min_amount?': number('Smallest amount'),
        'max_amount?': number('Largest amount'),
        'since?': date('First day'),
        'until?': date('Last day'),
      }),
      wireTool('split_bill', 'Split a restaurant bill', {
        total: number('Total of the bill'),
        people: integer('Number of people'),
        'tip_percent?': number('Tip in percent'),
      }),
    ],
    cases: [
      one("Send 45 pounds to Priya Nair with the reference 'cinema tickets'", 'transfer_money', {
        to: 'Priya Nair',
        amount: 45,
        currency: 'GBP',
        reference: 'cinema tickets',
      }),
      one('Convert 250 Swiss francs to yen', 'convert_currency', { amount: 250, from: 'CHF', to: 'JPY' }),
      one('Transfer €1,250.50 to Landlord GmbH on 1 December', 'transfer_money', {
        to: 'Landlord GmbH',
        amount: 1250.5,
        currency: 'EUR',
        when: '2026-12-01',
      }),
      one('How much is $80 in euros?', 'convert_currency', { amount: 80, from: 'USD', to: 'EUR' }),
      all(
        'Set a monthly budget of 300 for groceries and 60 for leisure',
        ['set_budget', { category: 'groceries', limit: 300, period: 'monthly' }],
        ['set_budget', { category: 'leisure', limit: 60, period: 'monthly' }],
      ),
      one('Show savings transactions between 50 and 200 since 1 October', 'list_transactions', {
        account: 'savings',
        min_amount: 50,
        max_amount: 200,
        since: '2026-10-01',
      }),
      one('Split 96.40 between four of us with a 12 percent tip', 'split_bill', {
        total: 96.4,
        people: 4,
        tip_percent: 12,
      }),
      all(
        'Send 30 euros to Lea and 15 to Max',
        ['transfer_money', { to: 'Lea', amount: 30, currency: 'EUR' }],
        ['transfer_money', { to: 'Max', amount: 15, currency: 'EUR' }],
      ),
      one('Send 100 dollars to Nina, sorry, 120', 'transfer_money', {
        to: 'Nina',
        amount: 120,
        currency: 'USD',
      }),
      partly('Send Omar 75 euros instantly and open a savings account for him', 'account', [
        'transfer_money',
        { to: 'Omar', amount: 75, currency: 'EUR', instant: true },
      ]),
      ...none('Pay Tom 20', 'Send -20 euros to Lea'),
    ],
  },
  calendar: {
    tools: [
      wireTool('create_event', 'Create a calendar event', {
        title: text('Title of the event'),
        date: date('Day'),
        time: text('Start as HH:MM, 24 hours'),
        'duration_minutes?': integer('Duration in minutes'),
        'attendees?': listOf({ type: 'string' }, 'Names of the people to invite'),
        'online?': flag('Whether a video link is added'),
      }),
      wireTool('move_event', 'Move a calendar event to another time', {
        title: text('Title of the event'),
        new_date: date('New day'),
        new_time: text('New start as HH:MM, 24 hours'),
      }),
      wireTool('cancel_event', 'Cancel a calendar event', {
        title: text('Title of the event'),
        'date?': date('Day of the event'),
        'notify_attendees?': flag('Whether the attendees are told. Default true'),
      }),
      wireTool('find_slot', 'Find a time that is free for all participants', {
        participants: listOf({ type: 'string' }, 'Names'),
        duration_minutes: integer('Length of the meeting in minutes'),
        'latest?': date('Last day that is possible'),
      }),
      wireTool('set_reminder', 'Set a reminder', {
        text: text('What to be reminded of'),
        date: date('Day'),
        time: text('Time as HH:MM, 24 hours'),
      }),
    ],
    cases: [
      one('Create an event "Budget review" on 25 November at 14:30 for 45 minutes', 'create_event', {
        title: 'Budget review',
        date: '2026-11-25',
        time: '14:30',
        duration_minutes: 45,
      }),
      either(
        'Move the dentist appointment to Thursday at 9',
        [['move_event', { title: 'dentist appointment', new_date: '2026-11-26', new_time: '09:00' }]],
        [['move_event', { title: 'dentist', new_date: '2026-11-26', new_time: '09:00' }]],
      ),
      one('Cancel the standup on Monday without notifying the attendees', 'cancel_event', {
        title: 'standup',
        date: '2026-11-23',
        notify_attendees: false,
      }),
      either(
        'Find an hour with Ana, Ben and Chloé before 30 November',
        [
          [
            'find_slot',
            { participants: ['Ana', 'Ben', 'Chloé'], duration_minutes: 60, latest: '2026-11-30' },
          ],
        ],
        [
          [
            'find_slot',
            { participants: ['Ana', 'Ben', 'Chloé'], duration_minutes: 60, latest: '2026-11-29' },
          ],
        ],
      ),
      one('Remind me to call the plumber tomorrow at 8 in the evening', 'set_reminder', {
        text: 'call the plumber',
        date: '2026-11-22',
        time: '20:00',
      }),
      all(
        'Cancel yoga and pottery',
        ['cancel_event', { title: 'yoga' }],
        ['cancel_event', { title: 'pottery' }],
      ),
      one('Remind me at 7am on 1 December to renew my passport and book the ferry', 'set_reminder', {
        text: 'renew my passport and book the ferry',
        date: '2026-12-01',
        time: '07:00',
      }),
      one('Put "Don\'t forget the cake" in my calendar for 28 November at 10:00', 'create_event', {
        title: "Don't forget the cake",
        date: '2026-11-28',
        time: '10:00',
      }),
      one('Move the retro from 3pm to 4pm tomorrow', 'move_event', {
        title: 'retro',
        new_date: '2026-11-22',
        new_time: '16:00',
      }),
      ...none('Schedule lunch with Greta', 'Never remind me about the gym again'),
    ],
  },
  office: {
    tools: [
      wireTool('send_email', 'Send an email', {
        to: listOf({ type: 'string', format: 'email' }, 'Addresses of the recipients'),
        body: text('Text of the email'),
        'subject?': text('Subject'),
        'priority?': oneOf('low', 'normal', 'high'),
      }),
      wireTool('create_task', 'Create a task on the team board', {
        title: text('What is to be done'),
        'assignee?': text('Person who does it'),
        'due?': date('Last day'),
        'priority?': oneOf('low', 'normal', 'high'),
      }),
      wireTool('print_document', 'Print a file on the office printer', {
        file: text('Name of the file'),
        'copies?': integer('Number of copies'),
        'double_sided?': flag('Print on both sides'),
        'color?': flag('Print in colour instead of black and white'),
        'pages?': objectOf({ from: integer('First page'), to: integer('Last page') }),
      }),
      wireTool('book_room', 'Book a meeting room', {
        room: oneOf('Aspen', 'Birch', 'Cedar'),
        date: date('Day'),
        start: text('Start as HH:MM'),
        end: text('End as HH:MM'),
        'catering?': flag('Whether coffee and snacks are served'),
      }),
      wireTool('log_hours', 'Log working hours on a project', {
        project: text('Name of the project'),
        hours: number('Hours worked'),
        'date?': date('Day of the work'),
        'billable?': flag('Whether the customer pays for them'),
      }),
    ],
    cases: [
      one('Print report.pdf, 3 copies, double-sided, black and white', 'print_document', {
        file: 'report.pdf',
        copies: 3,
        double_sided: true,
        color: false,
      }),
      one('Print pages 4 to 9 of contract.docx in colour', 'print_document', {
        file: 'contract.docx',
        color: true,
        pages: { from: 4, to: 9 },
      }),
      one('Email ana@corp.example and joe@corp.example: the meeting is moved to Friday', 'send_email', {
        to: ['ana@corp.example', 'joe@corp.example'],
        body: 'the meeting is moved to Friday',
      }),
      one('Log 2.5 hours on Orion as non-billable', 'log_hours', {
        project: 'Orion',
        hours: 2.5,
        billable: false,
      }),
      one('Book Cedar on 26 November from 10 to 11:30 with catering', 'book_room', {
        room: 'Cedar',
        date: '2026-11-26',
        start: '10:00',
        end: '11:30',
        catering: true,
      }),
      one('Create a high priority task for Milan: update the price list, due 30 November', 'create_task', {
        title: 'update the price list',
        assignee: 'Milan',
        due: '2026-11-30',
        priority: 'high',
      }),
      partly('Log three hours on Atlas yesterday and order more toner', 'toner', [
        'log_hours',
        { project: 'Atlas', hours: 3, date: '2026-11-20' },
      ]),
      all(
        "Create the tasks 'buy stamps' and 'call the bank' for Friday",
        ['create_task', { title: 'buy stamps', due: '2026-11-27' }],
        ['create_task', { title: 'call the bank', due: '2026-11-27' }],
      ),
      one('Send an email to hr@corp.example saying "I will be late, do not wait"', 'send_email', {
        to: ['hr@corp.example'],
        body: 'I will be late, do not wait',
      }),
      ...none('Book Birch for Monday at 2pm', "Don't print it in colour"),
    ],
  },
  shop: {
    tools: [
      wireTool('search_products', 'Search the products of the shop', {
        query: text('What to search for'),
        'min_price?': number('Lowest price in euros'),
        'max_price?': number('Highest price in euros'),
        'in_stock?': flag('Only products that are in stock'),
        'sort?': oneOf('price', 'rating', 'newest'),
      }),
      wireTool('add_to_cart', 'Put a product into the shopping cart', {
        product: text('Name of the product'),
        'quantity?': { type: 'integer', default: 1, description: 'How many' },
        'size?': oneOf('XS', 'S', 'M', 'L', 'XL'),
        'color?': text('Colour'),
      }),
      wireTool('apply_coupon', 'Apply a coupon code to the cart', { code: text('The code') }),
      wireTool('track_order', 'Show where an order is', { order_id: text('Number of the order') }),
      wireTool('return_item', 'Return an item of an order', {
        order_id: text('Number of the order'),
        item: text('Item that goes back'),
        reason: oneOf('damaged', 'wrong size', 'not as described', 'other'),
        'refund?': oneOf('card', 'voucher'),
      }),
    ],
    cases: [
      either('Show me waterproof hiking boots under 120 euros, sorted by rating', [
        ['search_products', { query: 'waterproof hiking boots', max_price: 120, sort: 'rating' }],
      ]),
      either(
        'Add two linen shirts in size M to the cart, blue please',
        [['add_to_cart', { product: 'linen shirts', quantity: 2, size: 'M', color: 'blue' }]],
        [['add_to_cart', { product: 'linen shirt', quantity: 2, size: 'M', color: 'blue' }]],
      ),
      one('Where is order 88-1432?', 'track_order', { order_id: '88-1432' }),
      one('Return the kettle from order 5521, it arrived damaged, refund to my card', 'return_item', {
        order_id: '5521',
        item: 'kettle',
        reason: 'damaged',
        refund: 'card',
      }),
      all(
        'Apply the code WINTER15 and track order A-77',
        ['apply_coupon', { code: 'WINTER15' }],
        ['track_order', { order_id: 'A-77' }],
      ),
      either(
        'Add three notebooks and a stapler to my cart',
        [
          ['add_to_cart', { product: 'notebooks', quantity: 3 }],
          ['add_to_cart', { product: 'stapler' }],
        ],
        [
          ['add_to_cart', { product: 'notebooks', quantity: 3 }],
          ['add_to_cart', { product: 'stapler', quantity: 1 }],
        ],
        [
          ['add_to_cart', { product: 'notebook', quantity: 3 }],
          ['add_to_cart', { product: 'stapler', quantity: 1 }],
        ],
      ),
      either(
        'Add 4 mugs to the cart, no, make it 6',
        [['add_to_cart', { product: 'mugs', quantity: 6 }]],
        [['add_to_cart', { product: 'mug', quantity: 6 }]],
      ),
      one('Find tents between 100 and 250 euros that are in stock', 'search_products', {
        query: 'tents',
        min_price: 100,
        max_price: 250,
        in_stock: true,
      }),
      partly('Find a desk lamp and send me a paint catalogue', 'catalogue', [
        'search_products',
        { query: 'desk lamp' },
      ]),
      ...none('When does your store in Antwerp close?', 'Return the jacket from order 912'),
    ],
  },
  health: {
    tools: [
      wireTool('log_meal', 'Log a meal', {
        food: text('What was eaten'),
        'calories?': integer('Calories'),
        'meal?': oneOf('breakfast', 'lunch', 'dinner', 'snack'),
      }),
      wireTool('log_weight', 'Log the body weight', {
        kilograms: number('Weight in kilograms'),
        'date?': date('Day of the measurement'),
      }),
      wireTool('book_doctor', 'Book an appointment with a doctor', {
        specialty: oneOf('dermatologist', 'dentist', 'cardiologist', 'general practitioner'),
        date: date('Day'),
        'time?': text('Time as HH:MM'),
        'reason?': text('Reason for the visit'),
      }),
      wireTool('remind_medication', 'Set a daily reminder to take a medicine', {
        medicine: text('Name of the medicine'),
        'dose_mg?': number('Dose in milligrams'),
        times: listOf({ type: 'string' }, 'Times as HH:MM'),
        'with_food?': flag('Whether it is taken with food'),
      }),
      wireTool('log_workout', 'Log a workout', {
        activity: oneOf('running', 'cycling', 'swimming', 'yoga'),
        minutes: integer('Duration in minutes'),
        'distance_km?': number('Distance in kilometres'),
      }),
    ],
    cases: [
      one('I went running, 8.4 km in 47 minutes', 'log_workout', {
        activity: 'running',
        minutes: 47,
        distance_km: 8.4,
      }),
      either(
        'Log my weight: 71.3 kilos this morning',
        [['log_weight', { kilograms: 71.3 }]],
        [['log_weight', { kilograms: 71.3, date: '2026-11-21' }]],
      ),
      one('Remind me to take 200 mg of ibuprofen at 8:00 and 20:00 with food', 'remind_medication', {
        medicine: 'ibuprofen',
        dose_mg: 200,
        times: ['08:00', '20:00'],
        with_food: true,
      }),
      either(
        'Book a dermatologist on 2 December at 9:15 because of a rash',
        [
          [
            'book_doctor',
            { specialty: 'dermatologist', date: '2026-12-02', time: '09:15', reason: 'a rash' },
          ],
        ],
        [
          [
            'book_doctor',
            { specialty: 'dermatologist', date: '2026-12-02', time: '09:15', reason: 'because of a rash' },
          ],
        ],
      ),
      one('Had porridge for breakfast, about 350 calories', 'log_meal', {
        food: 'porridge',
        calories: 350,
        meal: 'breakfast',
      }),
      all(
        'Log 30 minutes of yoga and 45 minutes of swimming',
        ['log_workout', { activity: 'yoga', minutes: 30 }],
        ['log_workout', { activity: 'swimming', minutes: 45 }],
      ),
      either(
        'I weigh 158 pounds',
        [],
        [['log_weight', { kilograms: 71.67 }]],
        [['log_weight', { kilograms: 71.7 }]],
        [['log_weight', { kilograms: 72 }]],
      ),
      ...none(
        'Book a surgeon for tomorrow',
        'What helps against a headache?',
        'Book the dentist',
        'Log a 20 km bike ride',
        'I did not swim for 30 minutes today',
      ),
    ],
  },
  operations: {
    tools: [
      wireTool('deploy', 'Deploy a service to an environment', {
        service: text('Name of the service'),
        environment: oneOf('dev', 'staging', 'production'),
        'version?': text('Version, e.g. v1.2.3'),
        'dry_run?': flag('Only show what would change'),
      }),
      wireTool('restart_service', 'Restart a service', {
        service: text('Name of the service'),
        'environment?': oneOf('dev', 'staging', 'production'),
      }),
      wireTool('scale_service', 'Change the number of replicas of a service', {
        service: text('Name of the service'),
        replicas: integer('Number of replicas'),
      }),
      wireTool('get_logs', 'Show the logs of a service', {
        service: text('Name of the service'),
        'level?': oneOf('debug', 'info', 'warning', 'error'),
        'lines?': integer('Number of lines'),
        'since_minutes?': integer('Only lines of the last minutes'),
      }),
      wireTool('create_incident', 'Open an incident', {
        title: text('Short title'),
        severity: oneOf('sev1', 'sev2', 'sev3'),
        'assignee?': text('Person on call'),
      }),
    ],
    cases: [
      one('Deploy checkout v2.14.0 to staging as a dry run', 'deploy', {
        service: 'checkout',
        environment: 'staging',
        version: 'v2.14.0',
        dry_run: true,
      }),
      all(
        'Scale the api to 8 replicas and show the last 200 error lines of the worker',
        ['scale_service', { service: 'api', replicas: 8 }],
        ['get_logs', { service: 'worker', level: 'error', lines: 200 }],
      ),
      one('Restart gateway in production', 'restart_service', {
        service: 'gateway',
        environment: 'production',
      }),
      one('Open a sev2 incident "Login page returns 502" and assign it to Karim', 'create_incident', {
        title: 'Login page returns 502',
        severity: 'sev2',
        assignee: 'Karim',
      }),
      one('Show me the warnings of auth from the last half hour', 'get_logs', {
        service: 'auth',
        level: 'warning',
        since_minutes: 30,
      }),
      all(
        'Deploy web and mobile to production, version 3.0.1',
        ['deploy', { service: 'web', environment: 'production', version: '3.0.1' }],
        ['deploy', { service: 'mobile', environment: 'production', version: '3.0.1' }],
      ),
      partly('Restart the scheduler in dev and rotate its API key', 'key', [
        'restart_service',
        { service: 'scheduler', environment: 'dev' },
      ]),
      ...none(
        'Deploy search to qa',
        'Roll billing back to the version before',
        'Scale the worker up',
        'Restart the cache but not in production',
        'Delete the logs of auth',
      ),
    ],
  },
  media: {
    tools: [
      wireTool('play_music', 'Play music', {
        'artist?': text('Artist'),
        'song?': text('Title of the song'),
        'playlist?': text('Name of a playlist'),
        'shuffle?': flag('Play in random order'),
        'speaker?': oneOf('kitchen', 'bedroom', 'office'),
      }),
      wireTool('set_volume', 'Set the volume', {
        level: integer('From 0 to 100'),
        'speaker?': oneOf('kitchen', 'bedroom', 'office'),
      }),
      wireTool('generate_image', 'Generate images from a description', {
        prompt: text('What the image shows'),
        'style?': oneOf('photo', 'watercolor', 'comic'),
        'count?': integer('Number of images'),
      }),
      wireTool('search_movies', 'Search for movies', {
        'genre?': oneOf('comedy', 'thriller', 'drama', 'horror'),
        'actor?': text('Name of an actor'),
        'year_from?': integer('First year'),
        'year_to?': integer('Last year'),
        'language?': text('Language as an ISO 639-1 code, e.g. en'),
      }),
      wireTool('translate_text', 'Translate a text', {
        text: text('Text to translate'),
        target_language: text('Language as an ISO 639-1 code, e.g. en'),
      }),
    ],
    cases: [
      one('Play "So What" by Miles Davis on the kitchen speaker', 'play_music', {
        artist: 'Miles Davis',
        song: 'So What',
        speaker: 'kitchen',
      }),
      one('Turn the volume up to 60 in the bedroom', 'set_volume', { level: 60, speaker: 'bedroom' }),
      either('Generate two watercolor images of a lighthouse in a storm', [
        ['generate_image', { prompt: 'a lighthouse in a storm', style: 'watercolor', count: 2 }],
      ]),
      one('Find comedies from 1990 to 1999 with Jim Carrey', 'search_movies', {
        genre: 'comedy',
        actor: 'Jim Carrey',
        year_from: 1990,
        year_to: 1999,
      }),
      one('Translate "Where is the station?" into Italian', 'translate_text', {
        text: 'Where is the station?',
        target_language: 'it',
      }),
      partly('Play my Focus playlist shuffled and make me a coffee', 'coffee', [
        'play_music',
        { playlist: 'Focus', shuffle: true },
      ]),
      one('Set the volume to 20, no, 25', 'set_volume', { level: 25 }),
      one('Find French thrillers since 2015', 'search_movies', {
        genre: 'thriller',
        year_from: 2015,
        language: 'fr',
      }),
      one('Translate "play something by Queen" into German', 'translate_text', {
        text: 'play something by Queen',
        target_language: 'de',
      }),
      ...none('Stop playing jazz', 'Record the next episode of Dark'),
    ],
  },
  maps: {
    tools: [
      wireTool('get_directions', 'Get directions between two places', {
        origin: text('Start'),
        destination: text('Destination'),
        'mode?': oneOf('driving', 'walking', 'cycling', 'transit'),
        'avoid?': listOf(oneOf('tolls', 'highways', 'ferries'), 'What the route avoids'),
      }),
      wireTool('find_places', 'Find places near a location', {
        kind: text('Kind of place, e.g. cafe'),
        near: text('Location'),
        'radius_km?': number('Radius in kilometres'),
        'open_now?': flag('Only places that are open now'),
        'min_rating?': number('Lowest rating, from 1 to 5'),
      }),
      wireTool('get_forecast', 'Get the weather forecast of a city', {
        city: text('City'),
        'days?': integer('Number of days'),
        'units?': oneOf('celsius', 'fahrenheit'),
      }),
      wireTool('share_location', 'Share your position with a contact', {
        contact: text('Name of the contact'),
        'minutes?': integer('For how many minutes'),
      }),
      wireTool('save_place', 'Save a place under a name', {
        name: text('Name'),
        coordinates: objectOf({ latitude: number('Latitude'), longitude: number('Longitude') }),
      }),
    ],
    cases: [
      one('Directions from Utrecht to Delft by bike, avoiding ferries', 'get_directions', {
        origin: 'Utrecht',
        destination: 'Delft',
        mode: 'cycling',
        avoid: ['ferries'],
      }),
      one('Find a pharmacy within 2 km of Plaza Mayor that is open now', 'find_places', {
        kind: 'pharmacy',
        near: 'Plaza Mayor',
        radius_km: 2,
        open_now: true,
      }),
      one('Share my location with Marta for an hour', 'share_location', { contact: 'Marta', minutes: 60 }),
      one('Save the place "Cabin" at 61.2181, -149.9003', 'save_place', {
        name: 'Cabin',
        coordinates: { latitude: 61.2181, longitude: -149.9003 },
      }),
      one("What's the forecast for Reykjavik for the next 5 days in fahrenheit?", 'get_forecast', {
        city: 'Reykjavik',
        days: 5,
        units: 'fahrenheit',
      }),
      partly(
        'Show me how to drive from Turin to Milan without tolls or highways and call my mother',
        'mother',
        [
          'get_directions',
          { origin: 'Turin', destination: 'Milan', mode: 'driving', avoid: ['tolls', 'highways'] },
        ],
      ),
      all(
        'Forecast for Perth and Darwin',
        ['get_forecast', { city: 'Perth' }],
        ['get_forecast', { city: 'Darwin' }],
      ),
      one('Find restaurants rated at least 4.5 near Old Town', 'find_places', {
        kind: 'restaurants',
        near: 'Old Town',
        min_rating: 4.5,
      }),
      ...none(
        'How do I get to the harbour?',
        'Share my location',
        'Is it far?',
        'Do not share my location with Marta',
      ),
    ],
  },
}
