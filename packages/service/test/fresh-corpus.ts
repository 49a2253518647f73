import type { PlannerCase } from './planner-case.js'
import { integer, number, text, wireTool } from './planner-case.js'

// Written before the rules were tuned and never changed to suit them: it measures unseen tools and sentences.
// Its score is asserted as a minimum.

export const freshTools = [
  wireTool('search_flights', 'Search flights between two cities', {
    origin: text('City of departure'),
    destination: text('City of arrival'),
    'departure_date?': { type: 'string', format: 'date' },
    'passengers?': integer('Number of passengers'),
  }),
  wireTool('get_news', 'Get recent news articles about a topic', {
    topic: text('Topic of interest'),
    'count?': integer('Number of articles'),
  }),
  wireTool('define_word', 'Dictionary definition of an English word', { word: text('The word') }),
  wireTool('convert_units', 'Convert a measurement from one unit to another', {
    value: number('The value to convert'),
    from_unit: text('Unit to convert from'),
    to_unit: text('Unit to convert to'),
  }),
  wireTool('play_music', 'Play a song', { song: text('Title of the song'), 'artist?': text('Artist') }),
  wireTool('book_table', 'Reserve a table at a restaurant', {
    restaurant: text('Name of the restaurant'),
    party_size: integer('Number of people'),
    'time?': text('Time of the reservation, HH:MM'),
  }),
  wireTool('math', 'Do arithmetic with two numbers', {
    a: number('First operand'),
    b: number('Second operand'),
    operation: { type: 'string', enum: ['add', 'subtract', 'multiply', 'divide'] },
  }),
  wireTool('shorten_url', 'Make a short link', { url: { type: 'string', format: 'uri' } }),
  wireTool('set_thermostat', 'Set the heating temperature', {
    temperature: number('Degrees celsius'),
    'room?': text('Which room'),
  }),
  wireTool('get_distance', 'Distance between two places', {
    from: text('Starting place'),
    to: text('Destination'),
    'mode?': { type: 'string', enum: ['driving', 'walking', 'cycling'] },
  }),
  wireTool('add_contact', 'Add a person to the address book', {
    name: text('Full name'),
    email: { type: 'string', format: 'email' },
  }),
  wireTool('delete_note', 'Delete a note', { note_id: text('Id of the note') }),
  wireTool('add_to_shopping_list', 'Put items on the shopping list', {
    items: { type: 'array', items: { type: 'string' } },
  }),
  wireTool('draw_chart', 'Draw a chart of numbers', {
    values: { type: 'array', items: { type: 'number' } },
    'kind?': { type: 'string', enum: ['bar', 'line', 'pie'] },
  }),
]

export const freshCorpus: readonly PlannerCase[] = [
  {
    ask: 'Find me flights from Berlin to Madrid for 2 passengers',
    calls: [['search_flights', { origin: 'Berlin', destination: 'Madrid', passengers: 2 }]],
  },
  {
    ask: 'I need a flight to Tokyo from San Francisco on 2026-12-24',
    calls: [
      ['search_flights', { origin: 'San Francisco', destination: 'Tokyo', departure_date: '2026-12-24' }],
    ],
  },
  {
    ask: 'Show me three news articles about solar energy',
    calls: [['get_news', { topic: 'solar energy', count: 3 }]],
  },
  { ask: 'What does the word "serendipity" mean?', calls: [['define_word', { word: 'serendipity' }]] },
  {
    ask: 'Convert 10 miles to kilometers',
    calls: [['convert_units', { value: 10, from_unit: 'miles', to_unit: 'kilometers' }]],
  },
  {
    ask: 'Play Yesterday by the Beatles',
    calls: [['play_music', { song: 'Yesterday', artist: 'the Beatles' }]],
  },
  {
    ask: 'Reserve a table for four at Chez Louis at 19:30',
    calls: [['book_table', { restaurant: 'Chez Louis', party_size: 4, time: '19:30' }]],
  },
  { ask: 'What is 48 divided by 6?', calls: [['math', { a: 48, b: 6, operation: 'divide' }]] },
  {
    ask: 'Multiply 12 by 30 and subtract 8 from 50',
    calls: [
      ['math', { a: 12, b: 30, operation: 'multiply' }],
      ['math', { a: 50, b: 8, operation: 'subtract' }],
    ],
  },
  {
    ask: 'Shorten https://example.com/a/very/long/path?x=1 for me',
    calls: [['shorten_url', { url: 'https://example.com/a/very/long/path?x=1' }]],
  },
  {
    ask: 'Set the heating in the bedroom to 19 degrees',
    calls: [['set_thermostat', { temperature: 19, room: 'bedroom' }]],
  },
  {
    ask: 'How far is it from Lyon to Geneva by bike, cycling?',
    calls: [['get_distance', { from: 'Lyon', to: 'Geneva', mode: 'cycling' }]],
  },
  {
    ask: 'Save Maria Lopez with maria@example.com in my contacts',
    calls: [['add_contact', { name: 'Maria Lopez', email: 'maria@example.com' }]],
  },
  { ask: 'Please delete note N-77', calls: [['delete_note', { note_id: 'N-77' }]] },
  {
    ask: 'Put milk, eggs and brown bread on the shopping list',
    calls: [['add_to_shopping_list', { items: ['milk', 'eggs', 'brown bread'] }]],
  },
  {
    ask: 'Draw a pie chart of 3, 5 and 12',
    calls: [['draw_chart', { values: [3, 5, 12], kind: 'pie' }]],
  },
  {
    ask: 'What is the distance from Oslo to Bergen, and what news is there about trains?',
    calls: [
      ['get_distance', { from: 'Oslo', to: 'Bergen' }],
      ['get_news', { topic: 'trains' }],
    ],
  },
  { ask: 'Good evening! How do you feel today?', calls: [] },
  { ask: 'Delete the note', calls: [] },
  {
    ask: 'Define "ephemeral" and "ubiquitous"',
    calls: [
      ['define_word', { word: 'ephemeral' }],
      ['define_word', { word: 'ubiquitous' }],
    ],
  },
]
