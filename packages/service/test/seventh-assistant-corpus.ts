import {
  all,
  type CaseCall,
  date,
  either,
  flag,
  integer,
  listOf,
  none,
  number,
  one,
  oneOf,
  type PlannerCase,
  partly,
  spoken,
  text,
  wireTool,
} from './planner-case.js'
import {
  between,
  clock,
  code,
  described,
  maybe,
  type SeventhPart,
  seventhNow,
  worded,
  written,
} from './seventh-case.js'

// Short requests to an assistant, by another author without sight of the planner.

const email = (description: string) => ({ type: 'string', format: 'email', description })
const currency = (description: string) => code(`${description}, as ISO 4217 code like EUR`, '^[A-Z]{3}$')

const tools = [
  wireTool('get_weather', 'Get the current weather or the forecast for a place.', {
    place: text('City or town'),
    'date?': date('Day of the forecast. Default: today'),
  }),
  wireTool('set_lamp', 'Control a lamp: switch it on or off, dim it, or change its colour.', {
    lamp: oneOf('kitchen', 'desk', 'hallway', 'bedroom', 'living_room'),
    'on?': flag('Whether the lamp is on'),
    'brightness_percent?': between(integer('Brightness in percent'), 1, 100),
    'colour?': oneOf('warm_white', 'cold_white', 'red', 'green', 'blue'),
  }),
  wireTool('start_timer', 'Start a countdown timer.', {
    seconds: between(integer('Length of the timer in seconds'), 1),
    'label?': text('What the timer is for'),
  }),
  wireTool('set_reminder', 'Remind the user of something.', {
    text: text('What to remind of'),
    date: date('Day of the reminder'),
    'time?': clock('Time of the reminder'),
  }),
  wireTool('send_message', 'Send a text message to a contact.', {
    to: text('Name of the contact'),
    text: text('The message'),
  }),
  wireTool('play_music', 'Play music.', {
    'artist?': text('Who performs it'),
    'title?': text('Title of a song or an album'),
    'playlist?': text('Name of a playlist'),
  }),
  wireTool('pause_music', 'Pause or stop the music.', {}),
  wireTool('set_volume', 'Set the volume of the speaker.', {
    percent: between(integer('Volume in percent'), 0, 100),
  }),
  wireTool('create_note', 'Save a note.', {
    body: text('Text of the note'),
    'title?': text('Title of the note'),
  }),
  wireTool('send_mail', 'Send an email.', {
    to: email('Address of the recipient'),
    subject: text('Subject'),
    body: text('Text of the email'),
    'cc?': email('Address that gets a copy'),
  }),
  wireTool('convert_currency', 'Convert an amount of money to another currency.', {
    amount: number('The amount'),
    from: currency('Currency of the amount'),
    to: currency('Currency to convert to'),
  }),
  wireTool('search_flights', 'Search for flights.', {
    from: text('City of departure'),
    to: text('City of arrival'),
    departure: date('Day of the outbound flight'),
    'return?': date('Day of the return flight'),
    'passengers?': between(integer('Number of passengers'), 1, 9),
    'cabin?': described(oneOf('economy', 'business', 'first'), 'Class'),
  }),
  wireTool('add_to_shopping_list', 'Put items on the shopping list.', {
    items: listOf(text('An item'), 'The items'),
  }),
  wireTool('remove_from_shopping_list', 'Take items off the shopping list.', {
    items: listOf(text('An item'), 'The items'),
  }),
  wireTool('get_shopping_list', 'Show the shopping list.', {}),
]

const cases: PlannerCase[] = [
  // Weather
  worded(
    'whats the weather in oslo tomorrow',
    'get_weather',
    { date: '2026-11-17' },
    'place',
    'oslo',
    'Oslo',
  ),
  one('Will I need an umbrella in Bergen on Thursday?', 'get_weather', {
    place: 'Bergen',
    date: '2026-11-19',
  }),
  maybe('how warm is it in Lisbon right now?', 'get_weather', { place: 'Lisbon' }, { date: '2026-11-16' }),
  all(
    'weather in Rome and in Naples on saturday pls',
    ['get_weather', { place: 'Rome', date: '2026-11-21' }],
    ['get_weather', { place: 'Naples', date: '2026-11-21' }],
  ),
  one('if it rains in Cork tomorrow, text Sean "no golf tomorrow"', 'get_weather', {
    place: 'Cork',
    date: '2026-11-17',
  }),
  {
    ...one('and in Turin?', 'get_weather', { place: 'Turin', date: '2026-11-17' }),
    earlier: spoken(
      'What will the weather be like in Milan tomorrow?',
      [['get_weather', { place: 'Milan', date: '2026-11-17' }, { sky: 'cloudy', high: 11 }]],
      'Tomorrow it will be cloudy in Milan, up to 11 °C.',
    ),
  },
  ...none("What's the weather like?", 'it rained all day in Hamburg yesterday, so annoying'),

  // Lamps
  one('turn the kitchen light on', 'set_lamp', { lamp: 'kitchen', on: true }),
  maybe('dim the bedroom lamp to 30%', 'set_lamp', { lamp: 'bedroom', brightness_percent: 30 }, { on: true }),
  either(
    'hallway lamp off, desk lamp on at half brightness please',
    [
      ['set_lamp', { lamp: 'hallway', on: false }],
      ['set_lamp', { lamp: 'desk', on: true, brightness_percent: 50 }],
    ],
    [
      ['set_lamp', { lamp: 'hallway', on: false }],
      ['set_lamp', { lamp: 'desk', brightness_percent: 50 }],
    ],
  ),
  maybe(
    'could you make the living room lamp red?',
    'set_lamp',
    { lamp: 'living_room', colour: 'red' },
    { on: true },
  ),
  ...none(
    'dont switch off the desk lamp',
    'a bit brighter in the kitchen please',
    'If it gets dark before five, turn on the hallway lamp.',
  ),

  // Timers
  one('timer for 12 minutes please', 'start_timer', { seconds: 720 }),
  worded(
    'set a timer for an hour and a half for the roast',
    'start_timer',
    { seconds: 5400 },
    'label',
    'roast',
    'the roast',
    'Roast',
  ),
  one('start a timer, 90 seconds, no make it 2 minutes', 'start_timer', { seconds: 120 }),
  either(
    'I need two timers: 9 minutes for the pasta and 6 minutes for the eggs',
    ...[
      ['pasta', 'eggs'],
      ['the pasta', 'the eggs'],
      ['Pasta', 'Eggs'],
    ].map(([one, two]): CaseCall[] => [
      ['start_timer', { seconds: 540, label: one }],
      ['start_timer', { seconds: 360, label: two }],
    ]),
  ),
  ...none('set a timer', 'how long does a soft egg take?'),

  // Reminders
  worded(
    'remind me to call grandma on sunday at 11am',
    'set_reminder',
    { date: '2026-11-22', time: '11:00' },
    'text',
    ...written('call grandma', 'to call grandma'),
  ),
  worded(
    'Remind me tomorrow evening at half past six to take the bins out.',
    'set_reminder',
    { date: '2026-11-17', time: '18:30' },
    'text',
    ...written('take the bins out', 'to take the bins out'),
  ),
  worded(
    'remind me on 3 december to renew my passport',
    'set_reminder',
    { date: '2026-12-03' },
    'text',
    ...written('renew my passport', 'to renew my passport', 'renew your passport', 'renew passport'),
  ),
  worded(
    'remind me at 9:15 tonight: "stop the music"',
    'set_reminder',
    { date: '2026-11-16', time: '21:15' },
    'text',
    ...written('stop the music'),
  ),
  either(
    'remind me to pay the rent on 1 december and to ring the vet tomorrow at 10 in the morning',
    ...[
      ['pay the rent', 'ring the vet'],
      ['Pay the rent', 'Ring the vet'],
      ['to pay the rent', 'to ring the vet'],
      ['Pay the rent.', 'Ring the vet.'],
    ].map(([rent, vet]): CaseCall[] => [
      ['set_reminder', { text: rent, date: '2026-12-01' }],
      ['set_reminder', { text: vet, date: '2026-11-17', time: '10:00' }],
    ]),
  ),
  {
    ...worded(
      'on friday at noon',
      'set_reminder',
      { date: '2026-11-20', time: '12:00' },
      'text',
      ...written('book the hotel', 'to book the hotel'),
    ),
    earlier: spoken('remind me to book the hotel', [], 'When should I remind you?'),
  },
  ...none('remind me to water the plants', 'no reminder for the gym today please'),

  // Messages
  worded(
    "text Priya that I'm running ten minutes late",
    'send_message',
    { to: 'Priya' },
    'text',
    ...written("I'm running ten minutes late", "I'm running 10 minutes late"),
  ),
  worded(
    'message Leo "turn off all the lamps"',
    'send_message',
    { to: 'Leo' },
    'text',
    ...written('turn off all the lamps'),
  ),
  either(
    'tell Jan and Eva that dinner is at 8',
    ...written('dinner is at 8').map((said): CaseCall[] => [
      ['send_message', { to: 'Jan', text: said }],
      ['send_message', { to: 'Eva', text: said }],
    ]),
  ),
  all(
    'message Omar "yes, gladly" and Nadia "sorry, not this time"',
    ['send_message', { to: 'Omar', text: 'yes, gladly' }],
    ['send_message', { to: 'Nadia', text: 'sorry, not this time' }],
  ),
  ...none('send mum a message', 'did Leo write back?'),

  // Music
  either(
    'play kind of blue by miles davis',
    [['play_music', { artist: 'miles davis', title: 'kind of blue' }]],
    [['play_music', { artist: 'Miles Davis', title: 'Kind of Blue' }]],
    [['play_music', { artist: 'Miles Davis', title: 'Kind Of Blue' }]],
    [['play_music', { artist: 'Miles Davis', title: 'kind of blue' }]],
  ),
  all(
    'Play something by Nina Simone at volume 25',
    ['play_music', { artist: 'Nina Simone' }],
    ['set_volume', { percent: 25 }],
  ),
  either(
    'pause the music and dim the desk lamp to ten percent',
    [
      ['pause_music', {}],
      ['set_lamp', { lamp: 'desk', brightness_percent: 10 }],
    ],
    [
      ['pause_music', {}],
      ['set_lamp', { lamp: 'desk', brightness_percent: 10, on: true }],
    ],
  ),
  one('volume to sixty percent', 'set_volume', { percent: 60 }),
  worded('put on my playlist "Sunday Cooking"', 'play_music', {}, 'playlist', 'Sunday Cooking'),
  ...none('please never play anything by Coldplay', 'that song was great'),

  // Notes and mail
  worded(
    'note down that the spare key is under the blue pot',
    'create_note',
    {},
    'body',
    ...written('the spare key is under the blue pot', 'spare key is under the blue pot'),
  ),
  one('make a note titled "Trip" with the text "book the ferry and pack the tent"', 'create_note', {
    title: 'Trip',
    body: 'book the ferry and pack the tent',
  }),
  one('email anna@example.org, subject "Invoice 77", text "Please find it attached."', 'send_mail', {
    to: 'anna@example.org',
    subject: 'Invoice 77',
    body: 'Please find it attached.',
  }),
  one(
    'Send a mail to team@example.com with a copy to boss@example.com, subject "Friday", saying "The office is closed."',
    'send_mail',
    {
      to: 'team@example.com',
      cc: 'boss@example.com',
      subject: 'Friday',
      body: 'The office is closed.',
    },
  ),
  ...none('forward the last mail to Bob', 'mail bob@example.com'),

  // Currency
  one('how much is 120 US dollars in euros?', 'convert_currency', { amount: 120, from: 'USD', to: 'EUR' }),
  one('convert 4,500 yen to swiss francs', 'convert_currency', { amount: 4500, from: 'JPY', to: 'CHF' }),
  ...none('convert 300 euros'),

  // Flights
  one('find flights from Berlin to Porto on 4 december, back on the 9th, for two people', 'search_flights', {
    from: 'Berlin',
    to: 'Porto',
    departure: '2026-12-04',
    return: '2026-12-09',
    passengers: 2,
  }),
  either(
    'one way business class flight from vienna to athens tomorrow',
    [['search_flights', { from: 'vienna', to: 'athens', departure: '2026-11-17', cabin: 'business' }]],
    [['search_flights', { from: 'Vienna', to: 'Athens', departure: '2026-11-17', cabin: 'business' }]],
  ),
  partly('Find me flights from Zurich to Dublin on 20 December and book me a hotel there.', 'hotel', [
    'search_flights',
    { from: 'Zurich', to: 'Dublin', departure: '2026-12-20' },
  ]),
  ...none('are there flights to Madrid?'),

  // Shopping list
  worded('put milk, eggs and brown bread on the shopping list', 'add_to_shopping_list', {}, 'items', [
    'milk',
    'eggs',
    'brown bread',
  ]),
  all(
    'take butter off the shopping list and add margarine to it',
    ['remove_from_shopping_list', { items: ['butter'] }],
    ['add_to_shopping_list', { items: ['margarine'] }],
  ),
  one('what do i still have to buy?', 'get_shopping_list', {}),
  worded(
    "I've bought the coffee, so take it off the shopping list",
    'remove_from_shopping_list',
    {},
    'items',
    ['coffee'],
    ['the coffee'],
  ),
  partly('add rice to the shopping list and order me a pizza', 'pizza', [
    'add_to_shopping_list',
    { items: ['rice'] },
  ]),
]

export const assistantRequests: readonly SeventhPart[] = [{ tools, cases, now: seventhNow }]
