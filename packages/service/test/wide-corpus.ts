import { type PlannerCase, spoken } from './planner-case.js'

// Written before its rules, for the tools of `wide-tools.ts`. The docs have its first score.

const image = (id: string) => ({ images: [{ artifact: id, mediaType: 'image/png' }] })
const lighthouse = spoken('Draw a lighthouse', [
  ['generate_image', { prompt: 'a lighthouse' }, image('img_lighthouse1')],
])

const units: readonly PlannerCase[] = [
  {
    ask: 'Convert 20 C to F',
    calls: [['convert_temperature', { value: 20, from: 'celsius', to: 'fahrenheit' }]],
  },
  {
    ask: 'What is 98.6 degrees Fahrenheit in Celsius?',
    calls: [['convert_temperature', { value: 98.6, from: 'fahrenheit', to: 'celsius' }]],
  },
  {
    ask: 'How hot is -40°C in °F?',
    calls: [['convert_temperature', { value: -40, from: 'celsius', to: 'fahrenheit' }]],
  },
  { ask: '5 miles in km', calls: [['convert_length', { value: 5, from_unit: 'mi', to_unit: 'km' }]] },
  {
    ask: 'How many feet are 3 metres?',
    calls: [['convert_length', { value: 3, from_unit: 'm', to_unit: 'ft' }]],
  },
  {
    ask: 'Convert 12 inches to centimetres and 300 kelvin to celsius',
    calls: [
      ['convert_length', { value: 12, from_unit: 'in', to_unit: 'cm' }],
      ['convert_temperature', { value: 300, from: 'kelvin', to: 'celsius' }],
    ],
  },
]

const dates: readonly PlannerCase[] = [
  {
    ask: 'Book a hotel in Lisbon from December 3 to December 7 for two guests',
    calls: [['book_hotel', { city: 'Lisbon', check_in: '2026-12-03', check_out: '2026-12-07', guests: 2 }]],
  },
  {
    ask: 'Book a double room in Vienna from 2027-01-10 until 2027-01-12 for 2 people, breakfast included',
    calls: [
      [
        'book_hotel',
        {
          city: 'Vienna',
          check_in: '2027-01-10',
          check_out: '2027-01-12',
          guests: 2,
          room_type: 'double',
          breakfast: true,
        },
      ],
    ],
  },
  {
    ask: 'I need a hotel suite in Porto for 3 nights starting next Friday, 2 guests, no breakfast',
    calls: [
      [
        'book_hotel',
        {
          city: 'Porto',
          check_in: '2026-11-27',
          check_out: '2026-11-30',
          guests: 2,
          room_type: 'suite',
          breakfast: false,
        },
      ],
    ],
  },
  {
    ask: 'Rent an automatic compact car in Nice from 5 to 9 March',
    calls: [
      [
        'rent_car',
        {
          pickup_location: 'Nice',
          pickup_date: '2027-03-05',
          return_date: '2027-03-09',
          car_class: 'compact',
          automatic: true,
        },
      ],
    ],
  },
  {
    ask: 'Rent a van in Graz from Monday to Wednesday, not automatic',
    calls: [
      [
        'rent_car',
        {
          pickup_location: 'Graz',
          pickup_date: '2026-11-23',
          return_date: '2026-11-25',
          car_class: 'van',
          automatic: false,
        },
      ],
    ],
  },
  {
    ask: 'When is sunrise in Reykjavik tomorrow?',
    calls: [['get_sunrise', { city: 'Reykjavik', date: '2026-11-22' }]],
  },
  {
    ask: 'Sunrise in Tromsø on the 24th of December and the time in Tokyo',
    calls: [
      ['get_sunrise', { city: 'Tromsø', date: '2026-12-24' }],
      ['get_time', { city: 'Tokyo' }],
    ],
  },
  {
    ask: 'Forecast for Madrid for the next 5 days',
    calls: [['get_forecast', { city: 'Madrid', days: 5 }]],
  },
  { ask: 'Will it rain in Dublin tomorrow?', calls: [['get_forecast', { city: 'Dublin' }]] },
  {
    ask: 'Wake me at 7 am on Monday and Thursday',
    calls: [['set_alarm', { time: '07:00', days: ['monday', 'thursday'] }]],
  },
  {
    ask: 'Set an alarm for 6:45 on weekdays',
    calls: [['set_alarm', { time: '06:45', days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'] }]],
  },
  {
    ask: 'Remind me to call the bank tomorrow at half past three in the afternoon',
    calls: [['set_reminder', { text: 'call the bank', date: '2026-11-22', time: '15:30' }]],
  },
  {
    ask: 'Remind me on 24 December at 9am to pick up the cake',
    calls: [['set_reminder', { text: 'pick up the cake', date: '2026-12-24', time: '09:00' }]],
  },
  {
    ask: 'Remind me in two weeks to renew my passport',
    calls: [['set_reminder', { text: 'renew my passport', date: '2026-12-05' }]],
  },
  {
    ask: 'Schedule a 30 minute meeting called "Budget" with ann@example.com and bob@example.com on Tuesday at 14:00',
    calls: [
      [
        'schedule_meeting',
        {
          title: 'Budget',
          date: '2026-11-24',
          start_time: '14:00',
          duration_minutes: 30,
          attendees: ['ann@example.com', 'bob@example.com'],
        },
      ],
    ],
  },
  {
    ask: 'Schedule a meeting about hiring with carla@example.com on December 1 at 10:30 for an hour',
    calls: [
      [
        'schedule_meeting',
        {
          title: 'hiring',
          date: '2026-12-01',
          start_time: '10:30',
          duration_minutes: 60,
          attendees: ['carla@example.com'],
        },
      ],
    ],
  },
]

const lists: readonly PlannerCase[] = [
  {
    ask: 'What is the median of 4, 8, 15, 16, 23 and 42?',
    calls: [['statistics', { numbers: [4, 8, 15, 16, 23, 42], measure: 'median' }]],
  },
  {
    ask: 'Give me the average of 2.5, 3.5 and 9',
    calls: [['statistics', { numbers: [2.5, 3.5, 9], measure: 'mean' }]],
  },
  {
    ask: 'Which is the largest of 12, 7 and 31?',
    calls: [['statistics', { numbers: [12, 7, 31], measure: 'max' }]],
  },
  {
    ask: 'Log a lunch of rice, chicken and salad with 650 calories',
    calls: [['log_meal', { meal: 'lunch', foods: ['rice', 'chicken', 'salad'], calories: 650 }]],
  },
  {
    ask: 'I had an apple and a banana as a snack, log it',
    calls: [['log_meal', { meal: 'snack', foods: ['an apple', 'a banana'] }]],
  },
  {
    ask: 'Add Yesterday and Let It Be to my Road Trip playlist',
    calls: [['add_to_playlist', { playlist: 'Road Trip', songs: ['Yesterday', 'Let It Be'] }]],
  },
]

const objects: readonly PlannerCase[] = [
  {
    ask: 'Create an invoice for Acme Corp (billing@acme.com) with 3 chairs at 45 dollars each',
    calls: [
      [
        'create_invoice',
        {
          customer: { name: 'Acme Corp', email: 'billing@acme.com' },
          items: [{ description: 'chairs', quantity: 3, unit_price: 45 }],
          currency: 'USD',
        },
      ],
    ],
  },
  {
    ask: 'Invoice Jane Doe, jane@example.com: 2 lamps at €30 and 1 desk at €120',
    calls: [
      [
        'create_invoice',
        {
          customer: { name: 'Jane Doe', email: 'jane@example.com' },
          items: [
            { description: 'lamps', quantity: 2, unit_price: 30 },
            { description: 'desk', quantity: 1, unit_price: 120 },
          ],
          currency: 'EUR',
        },
      ],
    ],
  },
  {
    ask: 'Change the phone number of user u-42 to +49 170 1234567',
    calls: [['update_profile', { user_id: 'u-42', changes: { phone: '+49 170 1234567' } }]],
  },
  {
    ask: 'Update the profile of user u-7: email new@example.org, newsletter off',
    calls: [['update_profile', { user_id: 'u-7', changes: { email: 'new@example.org', newsletter: false } }]],
  },
  {
    ask: 'Open an urgent ticket titled "Checkout is down" and assign it to Mia Chen, mia@example.com',
    calls: [
      [
        'create_ticket',
        {
          title: 'Checkout is down',
          priority: 'urgent',
          assignee: { name: 'Mia Chen', email: 'mia@example.com' },
        },
      ],
    ],
  },
  {
    ask: 'File a low priority ticket: the logo is blurry',
    calls: [['create_ticket', { title: 'the logo is blurry', priority: 'low' }]],
  },
]

const choices: readonly PlannerCase[] = [
  {
    ask: 'Find running shoes between 50 and 100 euros that are in stock',
    calls: [['search_products', { query: 'running shoes', min_price: 50, max_price: 100, in_stock: true }]],
  },
  {
    ask: 'Search for laptops under 800 dollars sorted by rating',
    calls: [['search_products', { query: 'laptops', max_price: 800, sort_by: 'rating' }]],
  },
  {
    ask: 'Search the shop for a garden hose, newest first',
    calls: [['search_products', { query: 'a garden hose', sort_by: 'newest' }]],
  },
  {
    ask: 'How do I walk from the Louvre to Notre-Dame?',
    calls: [['get_directions', { origin: 'the Louvre', destination: 'Notre-Dame', mode: 'walking' }]],
  },
  {
    ask: 'Directions from Munich to Prague by car, avoid tolls',
    calls: [
      ['get_directions', { origin: 'Munich', destination: 'Prague', mode: 'driving', avoid_tolls: true }],
    ],
  },
  {
    ask: 'Get me directions to Kiel from Hamburg by bike',
    calls: [['get_directions', { origin: 'Hamburg', destination: 'Kiel', mode: 'cycling' }]],
  },
  {
    ask: 'Set the blinds in the home office to 50 percent',
    calls: [['set_blinds', { room: 'home office', position: 50 }]],
  },
  { ask: 'Give me a random fact about space', calls: [['random_fact', { category: 'space' }]] },
  { ask: 'Tell me a random fact', calls: [['random_fact', {}]] },
]

const money: readonly PlannerCase[] = [
  {
    ask: 'Transfer 250 euros from savings to account DE89-4411',
    calls: [
      ['transfer_money', { from_account: 'savings', to_account: 'DE89-4411', amount: 250, currency: 'EUR' }],
    ],
  },
  {
    ask: 'Send $1,200 from my checking account to account 99812',
    calls: [
      ['transfer_money', { from_account: 'checking', to_account: '99812', amount: 1200, currency: 'USD' }],
    ],
  },
  {
    ask: 'How much is left in my savings account?',
    calls: [['get_account_balance', { account: 'savings' }]],
  },
  {
    ask: "What's the balance of my credit and checking accounts?",
    calls: [
      ['get_account_balance', { account: 'credit' }],
      ['get_account_balance', { account: 'checking' }],
    ],
  },
]

const manyNumbers: readonly PlannerCase[] = [
  {
    ask: 'Show the 5 pending orders of customer 77',
    calls: [['list_orders', { customer_id: '77', status: 'pending', limit: 5 }]],
  },
  {
    ask: 'List the last 10 shipped orders for customer C-1200',
    calls: [['list_orders', { customer_id: 'C-1200', status: 'shipped', limit: 10 }]],
  },
  {
    ask: 'Are there delivered orders of customer 900?',
    calls: [['list_orders', { customer_id: '900', status: 'delivered' }]],
  },
  {
    ask: 'Cancel order 5512 because it arrived broken',
    calls: [['cancel_order', { order_id: '5512', reason: 'it arrived broken' }]],
  },
  {
    ask: 'Cancel orders 17 and 18',
    calls: [
      ['cancel_order', { order_id: '17' }],
      ['cancel_order', { order_id: '18' }],
    ],
  },
]

const chains: readonly PlannerCase[] = [
  {
    ask: 'Draw a cottage, then add a chimney, then describe the picture',
    calls: [['generate_image', { prompt: 'a cottage' }]],
    results: { generate_image: image('img_cottage1'), edit_image: image('img_cottage2') },
    rounds: [
      [['edit_image', { image: 'img_cottage1', prompt: 'add a chimney' }]],
      [['describe_image', { image: 'img_cottage2' }]],
    ],
  },
  {
    ask: 'Say "the train leaves at nine" and then transcribe the recording',
    calls: [['speak', { input: 'the train leaves at nine' }]],
    results: { speak: { audio: { artifact: 'aud_train123' } } },
    rounds: [[['transcribe_audio', { file: 'aud_train123' }]]],
  },
  {
    ask: 'Paint a harbour at dawn and make three variations of it',
    calls: [['generate_image', { prompt: 'a harbour at dawn' }]],
    results: { generate_image: image('img_harbour1') },
    rounds: [[['vary_image', { image: 'img_harbour1', n: 3 }]]],
  },
  {
    ask: 'Transcribe the attached recording and count the words of the transcript\nAttached: aud_morning1 (audio/wav, 2.0 s)',
    calls: [['transcribe_audio', { file: 'aud_morning1' }]],
    results: { transcribe_audio: { text: 'good morning everyone' } },
    rounds: [[['count_words', { text: 'good morning everyone' }]]],
  },
  {
    ask: 'Describe the attached picture, then read the description aloud\nAttached: img_attached1 (image/png, 512x512)',
    calls: [['describe_image', { image: 'img_attached1' }]],
    results: { describe_image: { description: 'Two cats on a red sofa.' } },
    rounds: [[['speak', { input: 'Two cats on a red sofa.' }]]],
  },
  {
    ask: 'Time in Oslo and in Lima',
    calls: [['get_time', { city: 'Oslo' }]],
    options: { parallel: false },
    results: { get_time: '12:00' },
    rounds: [[['get_time', { city: 'Lima' }]]],
  },
]

const priorDraw = spoken('Make two variations of the lighthouse', [
  [
    'vary_image',
    { image: 'img_lighthouse1', n: 2 },
    { images: [{ artifact: 'img_variant01' }, { artifact: 'img_variant02' }] },
  ],
])
const paris = spoken('What is the forecast for Paris for 3 days?', [
  ['get_forecast', { city: 'Paris', days: 3 }, { high: 12 }],
])

const followUps: readonly PlannerCase[] = [
  {
    earlier: spoken('What is the forecast for Paris?', [['get_forecast', { city: 'Paris' }, { high: 12 }]]),
    ask: 'And in Rome?',
    calls: [['get_forecast', { city: 'Rome' }]],
  },
  { earlier: paris, ask: 'What about Berlin?', calls: [['get_forecast', { city: 'Berlin', days: 3 }]] },
  { earlier: paris, ask: 'And for 7 days?', calls: [['get_forecast', { city: 'Paris', days: 7 }]] },
  {
    earlier: lighthouse,
    ask: 'Make it bigger',
    calls: [['edit_image', { image: 'img_lighthouse1', prompt: 'make it bigger' }]],
  },
  {
    earlier: [...lighthouse, ...priorDraw],
    ask: 'Describe the second one',
    calls: [['describe_image', { image: 'img_variant02' }]],
  },
  {
    earlier: [...lighthouse, ...priorDraw],
    ask: 'Add a boat to the first one',
    calls: [['edit_image', { image: 'img_variant01', prompt: 'add a boat' }]],
  },
  {
    earlier: lighthouse,
    ask: 'Draw another one',
    calls: [['generate_image', { prompt: 'a lighthouse' }]],
  },
  {
    earlier: spoken('Convert 20 C to F', [
      ['convert_temperature', { value: 20, from: 'celsius', to: 'fahrenheit' }, 68],
    ]),
    ask: 'And 30?',
    calls: [['convert_temperature', { value: 30, from: 'celsius', to: 'fahrenheit' }]],
  },
  {
    earlier: spoken('Balance of my checking account?', [
      ['get_account_balance', { account: 'checking' }, 1200],
    ]),
    ask: 'And savings?',
    calls: [['get_account_balance', { account: 'savings' }]],
  },
  {
    earlier: spoken('Show the orders of customer 77', [['list_orders', { customer_id: '77' }, []]]),
    ask: 'Only the shipped ones',
    calls: [['list_orders', { customer_id: '77', status: 'shipped' }]],
  },
  {
    earlier: spoken('Say hello', [['speak', { input: 'hello' }, { artifact: 'aud_hello123' }]]),
    ask: 'Transcribe that',
    calls: [['transcribe_audio', { file: 'aud_hello123' }]],
  },
  {
    earlier: spoken('What time is it in Tokyo?', [['get_time', { city: 'Tokyo' }, '21:00']]),
    ask: 'How about Cairo and Lima?',
    calls: [
      ['get_time', { city: 'Cairo' }],
      ['get_time', { city: 'Lima' }],
    ],
  },
  {
    earlier: spoken('Book a hotel in Oslo', [], 'book_hotel needs "check_in", "check_out" and "guests".'),
    ask: 'From December 3 to December 5, for 2 guests',
    calls: [['book_hotel', { city: 'Oslo', check_in: '2026-12-03', check_out: '2026-12-05', guests: 2 }]],
  },
  {
    earlier: spoken('Set an alarm', [], 'set_alarm needs "time".'),
    ask: 'At 6:30',
    calls: [['set_alarm', { time: '06:30' }]],
  },
]

const single: readonly PlannerCase[] = [
  { ask: 'What time is it in Buenos Aires?', calls: [['get_time', { city: 'Buenos Aires' }]] },
  {
    ask: 'What time is it in Oslo, Lima and Cairo?',
    calls: [
      ['get_time', { city: 'Oslo' }],
      ['get_time', { city: 'Lima' }],
      ['get_time', { city: 'Cairo' }],
    ],
  },
  {
    ask: 'How many words are in "to be or not to be"?',
    calls: [['count_words', { text: 'to be or not to be' }]],
  },
  { ask: 'Hello', options: { choice: { name: 'random_fact' } }, calls: [['random_fact', {}]] },
]

const words: readonly PlannerCase[] = [
  'Tell me a story about a dragon.',
  'Thanks, that was helpful!',
  'What do you think about love?',
  'I love this hotel.',
  "Don't cancel order 5512.",
  'Who painted the Mona Lisa?',
  'I already booked a hotel in Lisbon, thank you.',
  'How do I feel less tired in the morning?',
  'Cancel it',
  'Transfer 50 euros',
  'Convert 20',
  'Book a hotel in Oslo',
  'Can you speak French?',
  'Are you able to draw?',
  'What is the capital of Peru?',
].map((ask) => ({ ask, calls: [] }))

export const wideCorpus: readonly PlannerCase[] = [
  ...units,
  ...dates,
  ...lists,
  ...objects,
  ...choices,
  ...money,
  ...manyNumbers,
  ...chains,
  ...followUps,
  ...single,
  ...words,
]
