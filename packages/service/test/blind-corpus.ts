import type { PlannerCase } from './planner-case.js'
import { integer, number, text, wireTool } from './planner-case.js'

// A second held-out set, written after the rules and scored once before any change for it: 20 of 25 then.

export const blindTools = [
  wireTool('create_github_issue', 'Open a new issue in a repository', {
    repository: text('Repository as owner/name'),
    title: text('Title of the issue'),
    'labels?': { type: 'array', items: { type: 'string', enum: ['bug', 'feature', 'question'] } },
  }),
  wireTool('list_pull_requests', 'List pull requests of a repository', {
    repository: text('Repository as owner/name'),
    'state?': { type: 'string', enum: ['open', 'closed', 'all'] },
  }),
  wireTool('get_exchange_rate', 'Current exchange rate between two currencies', {
    base: text('Base currency code'),
    target: text('Target currency code'),
  }),
  wireTool('send_sms', 'Send a text message to a phone number', {
    phone: text('Phone number in international format'),
    message: text('Text to send'),
  }),
  wireTool('get_calendar', 'Show the events of a day', { date: { type: 'string', format: 'date' } }),
  wireTool('start_workout', 'Start a workout', {
    activity: { type: 'string', enum: ['running', 'cycling', 'swimming'] },
    duration_minutes: integer('Length'),
  }),
  wireTool('summarize_page', 'Summarize a web page', {
    url: { type: 'string', format: 'uri' },
    'max_words?': integer('Longest summary, in words'),
  }),
  wireTool('find_recipe', 'Find a recipe for a dish', {
    dish: text('The dish'),
    'vegetarian?': { type: 'boolean', description: 'Only recipes without meat' },
    'servings?': integer('How many people it serves'),
  }),
  wireTool('track_package', 'Track a parcel', { tracking_number: text('Tracking number of the parcel') }),
  wireTool('get_population', 'Number of people living in a country', { country: text('The country') }),
  wireTool('bmi', 'Body mass index', {
    weight_kg: number('Weight in kilograms'),
    height_cm: number('Height in centimetres'),
  }),
  wireTool('move_file', 'Move a file to another folder', {
    path: text('Path of the file'),
    target_folder: text('Folder to move it to'),
  }),
  wireTool('set_volume', 'Set the loudspeaker volume', {
    level: { type: 'integer', minimum: 0, maximum: 100 },
  }),
  wireTool('write_poem', 'Write a poem', {
    topic: text('What the poem is about'),
    'style?': { type: 'string', enum: ['haiku', 'sonnet', 'limerick'] },
  }),
  wireTool('roll_dice', 'Roll dice', {
    count: integer('How many dice'),
    sides: integer('Sides of each die'),
  }),
]

export const blindCorpus: readonly PlannerCase[] = [
  {
    ask: 'Open an issue in acme/rocket titled "Engine leaks" with the label bug',
    calls: [['create_github_issue', { repository: 'acme/rocket', title: 'Engine leaks', labels: ['bug'] }]],
  },
  {
    ask: 'list the closed pull requests of acme/rocket',
    calls: [['list_pull_requests', { repository: 'acme/rocket', state: 'closed' }]],
  },
  {
    ask: 'What is the exchange rate from USD to CHF?',
    calls: [['get_exchange_rate', { base: 'USD', target: 'CHF' }]],
  },
  {
    ask: 'Text +4915112345678 that dinner is ready',
    calls: [['send_sms', { phone: '+4915112345678', message: 'dinner is ready' }]],
  },
  { ask: "What's on my calendar tomorrow?", calls: [['get_calendar', { date: '2026-11-22' }]] },
  { ask: 'What events do I have on December 3rd?', calls: [['get_calendar', { date: '2026-12-03' }]] },
  {
    ask: 'Start a running workout for 45 minutes',
    calls: [['start_workout', { activity: 'running', duration_minutes: 45 }]],
  },
  {
    ask: 'I want to go swimming for an hour and a half, start the workout with 90 minutes',
    calls: [['start_workout', { activity: 'swimming', duration_minutes: 90 }]],
  },
  {
    ask: 'Summarize https://example.com/news in at most 50 words',
    calls: [['summarize_page', { url: 'https://example.com/news', max_words: 50 }]],
  },
  {
    ask: 'Find a vegetarian recipe for lasagna for 6 people',
    calls: [['find_recipe', { dish: 'lasagna', vegetarian: true, servings: 6 }]],
  },
  { ask: 'Find me a recipe for pea soup', calls: [['find_recipe', { dish: 'pea soup' }]] },
  {
    ask: 'Where is my parcel 1Z999AA10123456784?',
    calls: [['track_package', { tracking_number: '1Z999AA10123456784' }]],
  },
  {
    ask: 'How many people live in Norway and in Sweden?',
    calls: [
      ['get_population', { country: 'Norway' }],
      ['get_population', { country: 'Sweden' }],
    ],
  },
  {
    ask: 'Compute the BMI of someone with 80 kg and 180 cm',
    calls: [['bmi', { weight_kg: 80, height_cm: 180 }]],
  },
  {
    ask: 'Body mass index for a height of 172 and a weight of 65',
    calls: [['bmi', { weight_kg: 65, height_cm: 172 }]],
  },
  {
    ask: 'Move report.pdf to the folder archive',
    calls: [['move_file', { path: 'report.pdf', target_folder: 'archive' }]],
  },
  { ask: 'Set the volume to 30', calls: [['set_volume', { level: 30 }]] },
  {
    ask: 'Write a haiku about autumn leaves',
    calls: [['write_poem', { topic: 'autumn leaves', style: 'haiku' }]],
  },
  { ask: 'Roll two dice with 20 sides', calls: [['roll_dice', { count: 2, sides: 20 }]] },
  {
    ask: 'Write a poem about the sea, then set the volume to 80',
    calls: [['write_poem', { topic: 'the sea' }]],
  },
  {
    ask: 'Get the population of Japan; also show me what is in my calendar today.',
    calls: [
      ['get_population', { country: 'Japan' }],
      ['get_calendar', { date: '2026-11-21' }],
    ],
  },
  { ask: 'Tell me a joke', calls: [] },
  { ask: 'Set the volume to 300', calls: [] },
  { ask: 'Track my parcel', calls: [] },
  { ask: 'Delete all my files', calls: [] },
]
