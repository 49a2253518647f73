import type { Field } from './fields-corpus.js'
import type { PlannerCase } from './planner-case.js'
import { date, flag, integer, listOf, number, oneOf, text, wireTool } from './planner-case.js'

// Written before the planner was changed for the first set, and measured once after it: 65 of 75 right, 1 wrong.
// Before that change 60 were right.

const none = (...asks: string[]): PlannerCase[] => asks.map((ask) => ({ ask, calls: [] }))

export const moreFields: Readonly<Record<string, Field>> = {
  gym: {
    tools: [
      wireTool('check_membership', 'Check the status of a membership', {
        member_id: text('Member number, e.g. GM-210'),
      }),
      wireTool('book_course', 'Book a place in a course', {
        member_id: text('Member number, e.g. GM-210'),
        course: oneOf('pilates', 'spinning', 'boxing'),
        date: date('Day'),
      }),
      wireTool('freeze_membership', 'Freeze a membership for a number of weeks', {
        member_id: text('Member number, e.g. GM-210'),
        weeks: integer('Weeks'),
        'reason?': text('Reason'),
      }),
      wireTool('log_workout', 'Log a workout', {
        activity: text('Activity'),
        minutes: integer('Length in minutes'),
        'distance_km?': number('Distance in kilometres'),
      }),
    ],
    cases: [
      {
        ask: 'Is the membership of GM-330 still active?',
        calls: [['check_membership', { member_id: 'GM-330' }]],
      },
      {
        ask: 'Put GM-331 down for spinning on Friday',
        calls: [['book_course', { member_id: 'GM-331', course: 'spinning', date: '2026-11-27' }]],
      },
      {
        ask: 'Freeze GM-332 for 6 weeks because of an injury',
        calls: [['freeze_membership', { member_id: 'GM-332', weeks: 6, reason: 'an injury' }]],
      },
      { ask: 'Log 40 minutes of rowing', calls: [['log_workout', { activity: 'rowing', minutes: 40 }]] },
      ...none('Cancel the membership of GM-333', 'Book a sauna for GM-334', 'Hire a trainer for Friday'),
    ],
  },
  hotel: {
    tools: [
      wireTool('find_free_rooms', 'Find free rooms for a period', {
        arrival: date('Arrival'),
        departure: date('Departure'),
        'guests?': integer('Number of guests'),
        'sea_view?': flag('Only rooms with a view of the sea'),
      }),
      wireTool('check_out', 'Check a guest out of a room', {
        room: integer('Room number'),
        'late?': flag('Late check-out'),
      }),
      wireTool('room_service', 'Order a dish to a room', {
        room: integer('Room number'),
        dish: text('Dish'),
        'quantity?': integer('How many'),
      }),
      wireTool('request_cleaning', 'Ask housekeeping to clean a room', {
        room: integer('Room number'),
        'note?': text('Note for the staff'),
      }),
    ],
    cases: [
      {
        ask: 'Which rooms with a sea view are free from 5 to 9 March for two guests?',
        calls: [
          ['find_free_rooms', { arrival: '2027-03-05', departure: '2027-03-09', guests: 2, sea_view: true }],
        ],
      },
      { ask: 'Check room 214 out', calls: [['check_out', { room: 214 }]] },
      {
        ask: 'Room 305 would like 2 club sandwiches',
        calls: [['room_service', { room: 305, dish: 'club sandwiches', quantity: 2 }]],
      },
      { ask: 'Have room 118 cleaned, please', calls: [['request_cleaning', { room: 118 }]] },
      {
        ask: 'Clean rooms 201 and 202',
        calls: [
          ['request_cleaning', { room: 201 }],
          ['request_cleaning', { room: 202 }],
        ],
      },
      ...none('Move room 305 to 306', 'Wake room 118 at 7', 'Is the pool open?'),
    ],
  },
  workshop: {
    tools: [
      wireTool('get_repair_status', 'Tell how far the repair of a car is', {
        plate: text('Number plate, e.g. HH-AB 123'),
      }),
      wireTool('order_part', 'Order a spare part', {
        part: text('Name of the part'),
        quantity: integer('How many'),
        'express?': flag('Express delivery'),
      }),
      wireTool('book_inspection', 'Book an inspection', {
        plate: text('Number plate, e.g. HH-AB 123'),
        date: date('Day'),
        'courtesy_car?': flag('Whether the customer needs a courtesy car'),
      }),
      wireTool('write_estimate', 'Write a cost estimate', {
        plate: text('Number plate, e.g. HH-AB 123'),
        amount: number('Amount in euros'),
        work: text('What is to be done'),
      }),
    ],
    cases: [
      { ask: 'Is KI-TR 88 ready yet?', calls: [['get_repair_status', { plate: 'KI-TR 88' }]] },
      {
        ask: 'Order 4 brake discs by express',
        calls: [['order_part', { part: 'brake discs', quantity: 4, express: true }]],
      },
      {
        ask: 'Book an inspection for KI-TR 90 on Thursday with a courtesy car',
        calls: [['book_inspection', { plate: 'KI-TR 90', date: '2026-11-26', courtesy_car: true }]],
      },
      ...none('Wash KI-TR 88', 'Sell KI-TR 90 for 4000 euros', 'Order brake discs'),
    ],
  },
  insurance: {
    tools: [
      wireTool('get_claim', 'Get the details of a claim', {
        claim_number: text('Claim number, e.g. CL-7781'),
      }),
      wireTool('file_claim', 'File a claim', {
        policy: text('Policy number, e.g. POL-302'),
        date: date('Day of the damage'),
        description: text('What happened'),
        'estimated_cost?': number('Estimated cost in euros'),
      }),
      wireTool('change_address', 'Change the address of a policy holder', {
        policy: text('Policy number, e.g. POL-302'),
        address: text('New address'),
      }),
    ],
    cases: [
      { ask: 'Has claim CL-8002 been settled already?', calls: [['get_claim', { claim_number: 'CL-8002' }]] },
      {
        ask: 'File a claim on POL-410 for yesterday: a tree fell on the garage',
        calls: [
          ['file_claim', { policy: 'POL-410', date: '2026-11-20', description: 'a tree fell on the garage' }],
        ],
      },
      {
        ask: 'Change the address on POL-411 to 12 Orchard Lane, Leeds',
        calls: [['change_address', { policy: 'POL-411', address: '12 Orchard Lane, Leeds' }]],
      },
      ...none('Cancel POL-411', 'Reject claim CL-8003', 'What does POL-412 cost a month?'),
    ],
  },
  city: {
    tools: [
      wireTool('report_pothole', 'Report a pothole', {
        street: text('Street'),
        'house_number?': text('Nearest house number'),
        'size?': oneOf('small', 'large'),
      }),
      wireTool('get_waste_dates', 'Tell when waste is collected', {
        street: text('Street'),
        'kind?': oneOf('paper', 'glass', 'organic', 'residual'),
      }),
      wireTool('book_passport_appointment', 'Book an appointment for a passport', {
        name: text('Full name'),
        date: date('Day'),
        time: text('HH:MM'),
        'for_child?': flag('Whether the passport is for a child'),
      }),
    ],
    cases: [
      {
        ask: 'There is a large pothole in Mill Road',
        calls: [['report_pothole', { street: 'Mill Road', size: 'large' }]],
      },
      {
        ask: 'When is paper collected in Station Street?',
        calls: [['get_waste_dates', { street: 'Station Street', kind: 'paper' }]],
      },
      {
        ask: 'Book a passport appointment for Elif Kaya on 30 November at 9:20',
        calls: [['book_passport_appointment', { name: 'Elif Kaya', date: '2026-11-30', time: '09:20' }]],
      },
      ...none(
        'Plant a tree in Mill Road',
        'Report a broken street lamp in Mill Road',
        'When is the mayor elected?',
      ),
    ],
  },
  pharmacy: {
    tools: [
      wireTool('check_stock', 'Check how many packs of a medicine are in stock', {
        medicine: text('Name of the medicine'),
      }),
      wireTool('order_medicine', 'Order packs of a medicine from the wholesaler', {
        medicine: text('Name of the medicine'),
        packs: integer('Number of packs'),
      }),
      wireTool('check_interaction', 'Check whether two medicines interact', {
        first: text('First medicine'),
        second: text('Second medicine'),
      }),
    ],
    cases: [
      { ask: 'Do we still have paracetamol?', calls: [['check_stock', { medicine: 'paracetamol' }]] },
      {
        ask: 'Order 20 packs of amoxicillin',
        calls: [['order_medicine', { medicine: 'amoxicillin', packs: 20 }]],
      },
      {
        ask: 'Do aspirin and warfarin interact?',
        calls: [['check_interaction', { first: 'aspirin', second: 'warfarin' }]],
      },
      ...none('Return 5 packs of amoxicillin', 'Is paracetamol safe for dogs?'),
    ],
  },
  theatre: {
    tools: [
      wireTool('find_shows', 'Find performances', {
        'title?': text('Title of the play'),
        'date?': date('Day'),
        'genre?': oneOf('comedy', 'drama', 'opera'),
      }),
      wireTool('book_tickets', 'Book tickets for a performance', {
        title: text('Title of the play'),
        date: date('Day'),
        tickets: integer('Number of tickets'),
        'category?': oneOf('stalls', 'balcony', 'box'),
        'wheelchair?': flag('Whether a wheelchair place is needed'),
      }),
      wireTool('refund_tickets', 'Refund a booking', { booking: text('Booking number, e.g. T-9001') }),
    ],
    cases: [
      {
        ask: 'What operas are on this Friday?',
        calls: [['find_shows', { date: '2026-11-27', genre: 'opera' }]],
      },
      {
        ask: 'Book 3 balcony tickets for "Hamlet" on 12 December',
        calls: [['book_tickets', { title: 'Hamlet', date: '2026-12-12', tickets: 3, category: 'balcony' }]],
      },
      { ask: 'I want my money back for T-9120', calls: [['refund_tickets', { booking: 'T-9120' }]] },
      {
        ask: 'Refund T-9121 and T-9122',
        calls: [
          ['refund_tickets', { booking: 'T-9121' }],
          ['refund_tickets', { booking: 'T-9122' }],
        ],
      },
      ...none('Exchange T-9123 for Saturday', 'Who plays Hamlet?', 'Book "Hamlet" on 12 December'),
    ],
  },
  energy: {
    tools: [
      wireTool('submit_reading', 'Submit a meter reading', {
        meter: text('Meter number, e.g. MTR-5501'),
        value: number('Reading in kWh'),
        'date?': date('Day of the reading'),
      }),
      wireTool('get_consumption', 'Show the consumption of a customer in a year', {
        customer: text('Customer number, e.g. C-300'),
        year: integer('Year'),
      }),
      wireTool('change_tariff', 'Change the tariff of a customer', {
        customer: text('Customer number, e.g. C-300'),
        tariff: oneOf('basic', 'green', 'night'),
      }),
    ],
    cases: [
      {
        ask: 'Meter MTR-5602 reads 18240 kWh',
        calls: [['submit_reading', { meter: 'MTR-5602', value: 18240 }]],
      },
      {
        ask: 'How much did C-344 use in 2025?',
        calls: [['get_consumption', { customer: 'C-344', year: 2025 }]],
      },
      {
        ask: 'Switch C-345 to the green tariff',
        calls: [['change_tariff', { customer: 'C-345', tariff: 'green' }]],
      },
      ...none('Cut off C-346', 'Send an invoice to C-347', 'Install a meter at C-348'),
    ],
  },
  shelter: {
    tools: [
      wireTool('list_animals', 'List animals that can be adopted', {
        'species?': oneOf('dog', 'cat', 'rabbit'),
        'max_age?': integer('Highest age in years'),
        'good_with_kids?': flag('Only animals that get on with children'),
      }),
      wireTool('record_weight', 'Record the weight of an animal', {
        animal_id: text('Id of the animal, e.g. A-77'),
        kilograms: number('Weight in kilograms'),
      }),
      wireTool('register_adoption', 'Register the adoption of an animal', {
        animal_id: text('Id of the animal, e.g. A-77'),
        adopter: text('Full name of the adopter'),
      }),
    ],
    cases: [
      {
        ask: 'Which cats under 3 years are good with kids?',
        calls: [['list_animals', { species: 'cat', max_age: 3, good_with_kids: true }]],
      },
      { ask: 'A-91 weighs 12.3 kg', calls: [['record_weight', { animal_id: 'A-91', kilograms: 12.3 }]] },
      {
        ask: 'Hanna Berg is adopting A-92',
        calls: [['register_adoption', { animal_id: 'A-92', adopter: 'Hanna Berg' }]],
      },
      ...none('Neuter A-93', 'Walk A-94 at 5 pm', 'How much does a rabbit eat?'),
    ],
  },
  mail: {
    tools: [
      wireTool('send_email', 'Send an email', {
        to: { type: 'string', format: 'email', description: 'Address of the recipient' },
        subject: text('Subject'),
        body: text('Text'),
        'urgent?': flag('Mark as urgent'),
      }),
      wireTool('search_emails', 'Search the mailbox', {
        'sender?': text('Name of the sender'),
        'keywords?': text('Words in the email'),
        'unread?': flag('Only unread emails'),
        'since?': date('Not before this day'),
      }),
      wireTool('label_email', 'Put a label on an email', {
        email_id: text('Id of the email, e.g. ML-5'),
        label: oneOf('work', 'private', 'invoice'),
      }),
    ],
    cases: [
      {
        ask: 'Send an email to ida@example.org with the subject "Keys" and the text "They are under the mat."',
        calls: [['send_email', { to: 'ida@example.org', subject: 'Keys', body: 'They are under the mat.' }]],
      },
      {
        ask: 'Show unread emails from Mona Falk since Monday',
        calls: [['search_emails', { sender: 'Mona Falk', unread: true, since: '2026-11-16' }]],
      },
      { ask: 'Label ML-14 as invoice', calls: [['label_email', { email_id: 'ML-14', label: 'invoice' }]] },
      {
        ask: 'Label ML-15 as work and order me a taxi',
        calls: [['label_email', { email_id: 'ML-15', label: 'work' }]],
      },
      ...none('Delete ML-16', 'Send an email to Ida', 'Forward ML-17 to ida@example.org'),
    ],
  },
  questions: {
    tools: [
      wireTool('geometry.cylinder_volume', 'Calculate the volume of a cylinder.', {
        radius: number('Radius of the base in cm.'),
        height: number('Height in cm.'),
      }),
      wireTool('speed.average', 'Calculate the average speed of a journey.', {
        distance_km: number('Distance in kilometers.'),
        time_hours: number('Time in hours.'),
      }),
      wireTool('movies.details', 'Get details of a movie.', {
        title: text('Title of the movie.'),
        'year?': integer('Year of release.'),
      }),
      wireTool('prime_factors', 'Find the prime factors of a number.', { number: integer('The number.') }),
      wireTool('team.standings', 'Get the standings of a sports league.', {
        league: text('Name of the league.'),
        'season?': integer('Year of the season.'),
      }),
      wireTool('stats.standard_deviation', 'Compute the standard deviation of numbers.', {
        values: listOf({ type: 'number' }, 'The numbers.'),
      }),
      wireTool('currency.rate', 'Get the exchange rate of two currencies.', {
        base: { type: 'string', description: 'Currency code, ISO 4217.' },
        target: { type: 'string', description: 'Currency code, ISO 4217.' },
      }),
    ],
    cases: [
      {
        ask: 'What is the volume of a cylinder with a radius of 4 cm and a height of 11 cm?',
        calls: [['geometry.cylinder_volume', { radius: 4, height: 11 }]],
      },
      {
        ask: 'Calculate the average speed of a journey of 270 km in 3 hours.',
        calls: [['speed.average', { distance_km: 270, time_hours: 3 }]],
      },
      {
        ask: 'Tell me about the movie "Arrival" from 2016.',
        calls: [['movies.details', { title: 'Arrival', year: 2016 }]],
      },
      {
        ask: 'What are the prime factors of 360 and 77?',
        calls: [
          ['prime_factors', { number: 360 }],
          ['prime_factors', { number: 77 }],
        ],
      },
      {
        ask: 'Get the standings of the Bundesliga in 2023.',
        calls: [['team.standings', { league: 'Bundesliga', season: 2023 }]],
      },
      {
        ask: 'What is the standard deviation of 3, 5, 9 and 12?',
        calls: [['stats.standard_deviation', { values: [3, 5, 9, 12] }]],
      },
      {
        ask: 'What is the exchange rate from Norwegian kroner to US dollars?',
        calls: [['currency.rate', { base: 'NOK', target: 'USD' }]],
      },
      ...none(
        'What is the surface of a sphere with a radius of 3 cm?',
        'Who directed the movie with the most prizes?',
        'How fast is a cheetah?',
        'Convert 20 dollars to euros',
      ),
    ],
  },
}
