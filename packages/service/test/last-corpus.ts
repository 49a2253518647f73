import { type PlannerCase, spoken } from './planner-case.js'

// Written after the rules and measured once. Nothing was changed because of its result.

const elevation = spoken('How high is Mont Blanc?', [
  ['get_elevation', { mountain: 'Mont Blanc' }, { metres: 4806 }],
])

export const lastCorpus: readonly PlannerCase[] = [
  { ask: 'Search the library for books about whales', calls: [['search_books', { query: 'whales' }]] },
  {
    ask: 'Find available books by Tove Jansson in Swedish',
    calls: [['search_books', { query: 'Tove Jansson', language: 'Swedish', available_only: true }]],
  },
  { ask: 'Renew loan L-204', calls: [['renew_loan', { loan_id: 'L-204' }]] },
  { ask: 'Please extend the loan 881 by three weeks', calls: [['renew_loan', { loan_id: '881', weeks: 3 }]] },
  { ask: 'Water the roses for 20 minutes', calls: [['water_garden', { zone: 'roses', minutes: 20 }]] },
  {
    ask: 'Water the lawn for half an hour and the vegetables for 10 minutes',
    calls: [
      ['water_garden', { zone: 'lawn', minutes: 30 }],
      ['water_garden', { zone: 'vegetables', minutes: 10 }],
    ],
  },
  {
    ask: 'Which plant is this?\nAttached: img_leaf0001 (image/jpeg, 800x600)',
    calls: [['identify_plant', { photo: 'img_leaf0001' }]],
  },
  {
    ask: 'Book me a yoga class on Tuesday at 18:30',
    calls: [['book_class', { class_type: 'yoga', date: '2026-11-24', time: '18:30' }]],
  },
  {
    ask: 'I want to do boxing next Thursday',
    calls: [['book_class', { class_type: 'boxing', date: '2026-11-26' }]],
  },
  { ask: 'Log a weight of 72.4 kilograms', calls: [['log_weight', { kilograms: 72.4 }]] },
  { ask: 'Yesterday I weighed 73 kg', calls: [['log_weight', { kilograms: 73, on: '2026-11-20' }]] },
  {
    ask: 'Publish the article "Comet in sight" by Nora Field, nora@example.com, tagged science',
    calls: [
      [
        'publish_article',
        {
          headline: 'Comet in sight',
          author: { name: 'Nora Field', email: 'nora@example.com' },
          tags: ['science'],
        },
      ],
    ],
  },
  {
    ask: 'Show the next 5 departures from Utrecht Centraal',
    calls: [['get_train_departures', { station: 'Utrecht Centraal', limit: 5 }]],
  },
  {
    ask: 'When do trains leave from Bern and from Basel?',
    calls: [
      ['get_train_departures', { station: 'Bern' }],
      ['get_train_departures', { station: 'Basel' }],
    ],
  },
  {
    ask: 'Split a bill of $84.50 between 4 people with a 15% tip',
    calls: [['split_bill', { total: 84.5, people: 4, tip_percent: 15 }]],
  },
  { ask: 'Split 60 euros among three of us', calls: [['split_bill', { total: 60, people: 3 }]] },
  { ask: 'Turn off the fan in the nursery', calls: [['set_fan', { room: 'nursery', speed: 'off' }]] },
  { ask: 'Put the bedroom fan on high', calls: [['set_fan', { room: 'bedroom', speed: 'high' }]] },
  {
    ask: 'What is "boeuf bourguignon" in English?',
    calls: [['translate_menu', { dish: 'boeuf bourguignon', to_language: 'English' }]],
  },
  {
    ask: 'Sort 7, 3 and 9.5 from highest to lowest',
    calls: [['rank_scores', { scores: [7, 3, 9.5], order: 'descending' }]],
  },
  {
    ask: 'Invite ann@example.com and ben@example.com to the party on 31 December',
    calls: [['invite_guests', { emails: ['ann@example.com', 'ben@example.com'], party_date: '2026-12-31' }]],
  },
  { ask: 'How high is the Matterhorn?', calls: [['get_elevation', { mountain: 'the Matterhorn' }]] },
  { earlier: elevation, ask: 'And Mount Etna?', calls: [['get_elevation', { mountain: 'Mount Etna' }]] },
  {
    earlier: spoken('Book a spinning class', [], 'Which day?'),
    ask: 'On Friday at 7 pm',
    calls: [['book_class', { class_type: 'spinning', date: '2026-11-27', time: '19:00' }]],
  },
  {
    ask: 'Renew loan L-9 and set the fan in the study to low',
    calls: [
      ['renew_loan', { loan_id: 'L-9' }],
      ['set_fan', { room: 'study', speed: 'low' }],
    ],
  },
  { ask: 'Split the bill', calls: [] },
  { ask: 'My garden is lovely this year.', calls: [] },
  { ask: 'Do you like yoga?', calls: [] },
  { ask: 'Order me a taxi to the airport', calls: [] },
  { ask: "Don't publish anything yet", calls: [] },
]
