import type { PlannerCase } from './planner-case.js'
import { integer, number, text, wireTool } from './planner-case.js'

/** The six media tools as the product sends them. */
const mediaTools = [
  wireTool('generate_image', 'Generate an image from a text prompt.', {
    prompt: text('What the image shows'),
    'size?': text('Width x height, for example 1024x1024'),
    'n?': integer('How many images'),
  }),
  wireTool('edit_image', 'Edit an image: the masked region is filled according to the prompt.', {
    image: text('Artifact id of the image'),
    'mask?': text('Artifact id of the mask'),
    prompt: text('What to change'),
    'size?': text('Width x height'),
  }),
  wireTool('vary_image', 'Make variations of an image.', {
    image: text('Artifact id of the image'),
    'n?': integer('How many variations'),
    'size?': text('Width x height'),
  }),
  wireTool('transcribe_audio', 'Transcribe speech in an audio file to text.', {
    file: text('Artifact id of the audio'),
  }),
  wireTool('translate_audio', 'Translate speech in another language to English text.', {
    file: text('Artifact id of the audio'),
  }),
  wireTool('speak', 'Turn text into spoken audio.', {
    input: text('The text to speak'),
    'voice?': text('Name of the voice'),
    'format?': { type: 'string', enum: ['wav', 'pcm', 'mp3'] },
  }),
]

/** Everyday tools for which the rules were tuned, together with the media tools. */
export const tunedTools = [
  ...mediaTools,
  wireTool('get_weather', 'Current weather in a city', {
    city: text('Name of the city'),
    'unit?': { type: 'string', enum: ['celsius', 'fahrenheit'] },
  }),
  wireTool('calculator', 'Evaluates an arithmetic expression', {
    expression: text('For example 2 * (3 + 4)'),
  }),
  wireTool('search_web', 'Search the web and return the best pages', {
    query: text('What to search for'),
    'limit?': { type: 'integer', minimum: 1, maximum: 20, description: 'Number of results' },
  }),
  wireTool('send_email', 'Send an email message', {
    to: { type: 'string', format: 'email' },
    subject: text('Subject line'),
    body: text('Text of the message'),
  }),
  wireTool('create_event', 'Create an event in the calendar', {
    title: text('Title of the event'),
    date: { type: 'string', format: 'date' },
    'time?': text('Start time, HH:MM'),
    'attendees?': { type: 'array', items: { type: 'string' }, description: 'People to invite' },
  }),
  wireTool('convert_currency', 'Convert an amount of money to another currency', {
    amount: number('Amount to convert'),
    from: text('Currency code to convert from'),
    to: text('Currency code to convert to'),
  }),
  wireTool('translate_text', 'Translate a text into another language', {
    text: text('The text to translate'),
    target_language: text('Language to translate into'),
  }),
  wireTool('set_timer', 'Start a countdown timer', {
    minutes: number('Length in minutes'),
    'label?': text('What the timer is for'),
  }),
  wireTool('get_stock_price', 'Latest price of a stock', { symbol: text('Ticker symbol, such as AAPL') }),
  wireTool('find_restaurants', 'Find restaurants in a city', {
    city: text('The city'),
    'cuisine?': { type: 'string', enum: ['italian', 'japanese', 'mexican', 'indian'] },
    'max_price?': number('Highest price per person'),
  }),
  wireTool('create_task', 'Add a task to the to-do list', {
    title: text('What has to be done'),
    'priority?': { type: 'string', enum: ['low', 'medium', 'high'] },
    'due?': { type: 'string', format: 'date' },
  }),
  wireTool('get_order_status', 'Look up the status of an order', { order_id: text('The order number') }),
  wireTool('set_light', 'Switch a lamp on or off', {
    room: text('Room the lamp is in'),
    on: { type: 'boolean' },
    'brightness?': { type: 'integer', minimum: 0, maximum: 100, description: 'Brightness in percent' },
  }),
]

/** The clock of the corpus: a Saturday. */
export const corpusNow = new Date(2026, 10, 21, 12)

export const tunedCorpus: readonly PlannerCase[] = [
  { ask: 'What is the weather in Oslo?', calls: [['get_weather', { city: 'Oslo' }]] },
  { ask: "what's the weather like in oslo", calls: [['get_weather', { city: 'oslo' }]] },
  {
    ask: 'Weather in Paris, Rome and New York, please.',
    calls: [
      ['get_weather', { city: 'Paris' }],
      ['get_weather', { city: 'Rome' }],
      ['get_weather', { city: 'New York' }],
    ],
  },
  {
    ask: 'Tell me the weather in Rio de Janeiro in fahrenheit',
    calls: [['get_weather', { city: 'Rio de Janeiro', unit: 'fahrenheit' }]],
  },
  {
    ask: 'What is 17 percent of 2450, and draw a red sailboat at sunset',
    calls: [
      ['calculator', { expression: '17 / 100 * 2450' }],
      ['generate_image', { prompt: 'a red sailboat at sunset' }],
    ],
  },
  { ask: 'What is 12.5% of 1,250.50?', calls: [['calculator', { expression: '12.5 / 100 * 1250.50' }]] },
  { ask: 'How much is twenty-five plus seventeen?', calls: [['calculator', { expression: '25 + 17' }]] },
  { ask: 'Divide 144 by 12', calls: [['calculator', { expression: '144 / 12' }]] },
  { ask: 'Subtract 15 from 100', calls: [['calculator', { expression: '100 - 15' }]] },
  { ask: 'What is the square root of 144?', calls: [['calculator', { expression: 'sqrt(144)' }]] },
  { ask: 'Calculate (3 + 4) * 12', calls: [['calculator', { expression: '(3 + 4) * 12' }]] },
  {
    ask: 'What is two hundred times three and what is the weather in Lima?',
    calls: [
      ['calculator', { expression: '200 * 3' }],
      ['get_weather', { city: 'Lima' }],
    ],
  },
  { ask: 'Draw a cat', calls: [['generate_image', { prompt: 'a cat' }]] },
  {
    ask: 'Could you please paint me a picture of three red balloons over a house?',
    calls: [['generate_image', { prompt: 'three red balloons over a house' }]],
  },
  {
    ask: 'Generate two images of a lighthouse in the fog, 512x512',
    calls: [['generate_image', { prompt: 'a lighthouse in the fog', size: '512x512', n: 2 }]],
  },
  {
    ask: 'Draw a cat and a dog. Also draw a house with a garden.',
    calls: [
      ['generate_image', { prompt: 'a cat and a dog' }],
      ['generate_image', { prompt: 'a house with a garden' }],
    ],
  },
  { ask: "Read 'It snows in Oslo' aloud", calls: [['speak', { input: 'It snows in Oslo' }]] },
  {
    ask: 'Say "Draw the line, then stop. Please." out loud',
    calls: [['speak', { input: 'Draw the line, then stop. Please.' }]],
  },
  { ask: 'Say good morning to everyone', calls: [['speak', { input: 'good morning to everyone' }]] },
  {
    ask: 'Edit the attached picture: add a red balloon\nAttached: img_ab12cd34 (image/png, 512x512)',
    calls: [['edit_image', { image: 'img_ab12cd34', prompt: 'add a red balloon' }]],
  },
  {
    ask: 'Make four variations of this image\nAttached: img_ab12cd34 (image/png, 512x512)',
    calls: [['vary_image', { image: 'img_ab12cd34', n: 4 }]],
  },
  {
    ask: 'Transcribe the attached recording\nAttached: aud_zz22yy33 (audio/wav, 3.2 s)',
    calls: [['transcribe_audio', { file: 'aud_zz22yy33' }]],
  },
  {
    ask: 'Translate this recording into English\nAttached: aud_zz22yy33 (audio/wav, 3.2 s)',
    calls: [['translate_audio', { file: 'aud_zz22yy33' }]],
  },
  {
    ask: 'Remove the tree from img_ab12cd34',
    calls: [['edit_image', { image: 'img_ab12cd34', prompt: 'remove the tree' }]],
  },
  {
    ask: 'Search the web for cheap flights to Lisbon',
    calls: [['search_web', { query: 'cheap flights to Lisbon' }]],
  },
  {
    ask: 'Search for the history of the compass and show 5 results',
    calls: [['search_web', { query: 'the history of the compass', limit: 5 }]],
  },
  {
    ask: 'Send an email to ann@example.com with the subject "Lunch" saying "I will be late"',
    calls: [['send_email', { to: 'ann@example.com', subject: 'Lunch', body: 'I will be late' }]],
  },
  {
    ask: 'Email bob@example.org about the budget saying that the numbers are in.',
    calls: [['send_email', { to: 'bob@example.org', subject: 'the budget', body: 'the numbers are in' }]],
  },
  {
    ask: 'Create an event called "Team lunch" tomorrow at 12:30 with Ann and Bob',
    calls: [
      ['create_event', { title: 'Team lunch', date: '2026-11-22', time: '12:30', attendees: ['Ann', 'Bob'] }],
    ],
  },
  {
    ask: 'Put a dentist appointment in my calendar on Friday at 9am',
    calls: [['create_event', { title: 'a dentist appointment', date: '2026-11-27', time: '09:00' }]],
  },
  { ask: 'Convert 100 USD to EUR', calls: [['convert_currency', { amount: 100, from: 'USD', to: 'EUR' }]] },
  {
    ask: 'How much is 250 euros in Japanese yen?',
    calls: [['convert_currency', { amount: 250, from: 'EUR', to: 'JPY' }]],
  },
  {
    ask: 'Translate "good morning" into Spanish',
    calls: [['translate_text', { text: 'good morning', target_language: 'Spanish' }]],
  },
  {
    ask: 'Translate see you soon to French',
    calls: [['translate_text', { text: 'see you soon', target_language: 'French' }]],
  },
  { ask: 'Set a timer for ten minutes', calls: [['set_timer', { minutes: 10 }]] },
  {
    ask: 'Set a timer for 5 minutes and switch off the light in the kitchen',
    calls: [
      ['set_timer', { minutes: 5 }],
      ['set_light', { room: 'kitchen', on: false }],
    ],
  },
  {
    ask: 'Turn on the lamp in the living room at 40 percent brightness',
    calls: [['set_light', { room: 'living room', on: true, brightness: 40 }]],
  },
  {
    ask: 'What are the stock prices of AAPL and MSFT?',
    calls: [
      ['get_stock_price', { symbol: 'AAPL' }],
      ['get_stock_price', { symbol: 'MSFT' }],
    ],
  },
  {
    ask: 'Find Italian restaurants in Bergen',
    calls: [['find_restaurants', { city: 'Bergen', cuisine: 'italian' }]],
  },
  {
    ask: 'Find a restaurant in Rome with a maximum price of 30',
    calls: [['find_restaurants', { city: 'Rome', max_price: 30 }]],
  },
  {
    ask: 'Add a task to water the plants by tomorrow with high priority',
    calls: [['create_task', { title: 'water the plants', priority: 'high', due: '2026-11-22' }]],
  },
  { ask: 'Where is my order A-1042?', calls: [['get_order_status', { order_id: 'A-1042' }]] },
  { ask: 'What is the status of order number 88213', calls: [['get_order_status', { order_id: '88213' }]] },
  { ask: 'Hello, who are you?', calls: [] },
  { ask: 'Thank you very much!', calls: [] },
  { ask: 'What is the weather?', calls: [] },
  { ask: 'Where is my order?', calls: [] },
  { ask: 'Do not draw anything.', calls: [] },
  { ask: 'Edit the picture: add a hat', calls: [] },
  {
    ask: 'Look up the weather in Oslo, draw it, then add a red balloon to the drawing and read a sentence about it aloud.',
    calls: [['get_weather', { city: 'Oslo' }]],
  },
  {
    ask: "Don't draw a cat, but tell me the weather in Oslo.",
    calls: [['get_weather', { city: 'Oslo' }]],
  },
]
