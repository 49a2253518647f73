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
  objectOf,
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
  moment,
  type SeventhPart,
  seventhNow,
  worded,
} from './seventh-case.js'

// Requests in trades, by an author who had not seen the planner or another part. See `seventh-unseen-corpus.ts`.

// rowing club, food bank, allotment garden

const boat = oneOf('Albatross', 'Kingfisher', 'Heron')
const plot = code('Number of the plot, like 14B', '^\\d{1,3}[A-D]$')

const fifth = [
  wireTool('reserve_boat', 'Reserve a boat of the rowing club.', {
    boat,
    date: date('The day'),
    from: clock('Start'),
    to: clock('End'),
  }),
  wireTool('report_boat_damage', 'Report damage to a boat of the rowing club.', {
    boat,
    severity: oneOf('minor', 'major', 'unusable'),
    description: text('What is damaged'),
  }),
  wireTool('enter_regatta', 'Enter a crew in a regatta.', {
    regatta: text('Name of the regatta'),
    boat_class: oneOf('1x', '2x', '2-', '4+', '4x', '8+'),
    crew: listOf(text('Name of a rower'), 'The rowers'),
  }),
  wireTool('log_training', 'Record the distance that a rower rowed.', {
    rower: text('Name of the rower'),
    km: number('Distance in kilometres'),
    'date?': date('Day of the training'),
  }),
  wireTool('register_food_donation', 'Register a food donation.', {
    donor: text('Who donates'),
    goods: listOf(objectOf({ product: text('What it is'), kg: number('Weight in kg') }), 'What is donated'),
  }),
  wireTool('pack_food_parcel', 'Have a food parcel packed for a household.', {
    household: code('Number of the household, like H0001', '^H\\d{4}$'),
    people: between(integer('Number of people in the household'), 1),
    'vegetarian?': flag('Whether the parcel is without meat'),
    'baby_food?': flag('Whether baby food is included'),
  }),
  wireTool('check_food_stock', 'Look up how much of a product the food bank has.', {
    product: text('The product'),
  }),
  wireTool('assign_volunteer', 'Assign a volunteer of the food bank to a shift.', {
    volunteer: text('Name of the volunteer'),
    date: date('Day of the shift'),
    shift: oneOf('morning', 'afternoon', 'evening'),
  }),
  wireTool('assign_plot', 'Assign a plot of the allotment garden to a member.', {
    plot,
    member: text('Name of the member'),
  }),
  wireTool('order_compost', 'Order compost for a plot.', {
    plot,
    litres: number('Amount in litres'),
    'delivery?': date('Day of the delivery'),
  }),
  wireTool('report_water_meter', 'Report the water meter reading of a plot.', {
    plot,
    cubic_metres: number('Reading in cubic metres'),
  }),
  wireTool('lend_garden_tool', 'Lend a tool of the allotment garden to a member.', {
    member: text('Name of the member'),
    tool: oneOf('tiller', 'chainsaw', 'wheelbarrow', 'ladder', 'shredder'),
    days: between(integer('For how many days'), 1),
  }),
  wireTool('list_free_plots', 'List the plots that nobody has.', {
    'min_size_m2?': number('Smallest size in square metres'),
    'max_size_m2?': number('Largest size in square metres'),
  }),
]

const fifthCases: PlannerCase[] = [
  one('Reserve the Kingfisher for Sunday from 7 to 9 in the morning.', 'reserve_boat', {
    boat: 'Kingfisher',
    date: '2026-11-22',
    from: '07:00',
    to: '09:00',
  }),
  one(
    "I'd like to take the Heron out tomorrow from quarter past five to half past six in the evening, could you reserve it?",
    'reserve_boat',
    {
      boat: 'Heron',
      date: '2026-11-17',
      from: '17:15',
      to: '18:30',
    },
  ),
  worded(
    'Please report that the Heron is unusable: the rudder broke off.',
    'report_boat_damage',
    { boat: 'Heron', severity: 'unusable' },
    'description',
    'the rudder broke off',
    'The rudder broke off',
    'The rudder broke off.',
    'rudder broke off',
    'Rudder broke off',
    'rudder broken off',
  ),
  one('Enter Mara, Lucie, Bea and Jo in the 4x at the Autumn Cup.', 'enter_regatta', {
    regatta: 'Autumn Cup',
    boat_class: '4x',
    crew: ['Mara', 'Lucie', 'Bea', 'Jo'],
  }),
  one('Stefan rowed 14 kilometres on 12 November.', 'log_training', {
    rower: 'Stefan',
    km: 14,
    date: '2026-11-12',
  }),
  either(
    'dana rowed 8000 metres today, please log it',
    ...['dana', 'Dana'].flatMap((rower): CaseCall[][] => [
      [['log_training', { rower, km: 8, date: '2026-11-16' }]],
      [['log_training', { rower, km: 8 }]],
    ]),
  ),
  worded(
    'Freshmart donates 40 kg of rice and 15 kg of lentils.',
    'register_food_donation',
    { donor: 'Freshmart' },
    'goods',
    [
      { product: 'rice', kg: 40 },
      { product: 'lentils', kg: 15 },
    ],
    [
      { product: 'lentils', kg: 15 },
      { product: 'rice', kg: 40 },
    ],
  ),
  one(
    'Pack a vegetarian parcel with baby food for household H1207, they are four people.',
    'pack_food_parcel',
    {
      household: 'H1207',
      people: 4,
      vegetarian: true,
      baby_food: true,
    },
  ),
  maybe(
    'A parcel for H0931 please: five people, no baby food.',
    'pack_food_parcel',
    { household: 'H0931', people: 5 },
    { baby_food: false },
  ),
  one('How much pasta have we got left?', 'check_food_stock', { product: 'pasta' }),
  all(
    'Do we still have tinned tomatoes and flour in stock?',
    ['check_food_stock', { product: 'tinned tomatoes' }],
    ['check_food_stock', { product: 'flour' }],
  ),
  all(
    'Put Yusuf on the morning shift on Wednesday and on Thursday.',
    ['assign_volunteer', { volunteer: 'Yusuf', date: '2026-11-18', shift: 'morning' }],
    ['assign_volunteer', { volunteer: 'Yusuf', date: '2026-11-19', shift: 'morning' }],
  ),
  one(
    'Please assign Ella to the evening shift on the 30th of November, not to the morning one.',
    'assign_volunteer',
    {
      volunteer: 'Ella',
      date: '2026-11-30',
      shift: 'evening',
    },
  ),
  one('Plot 14B goes to Gerda Lind from now on.', 'assign_plot', { plot: '14B', member: 'Gerda Lind' }),
  one('order half a cubic metre of compost for plot 22a', 'order_compost', { plot: '22A', litres: 500 }),
  one('The water meter of plot 9C says 31.7 cubic metres.', 'report_water_meter', {
    plot: '9C',
    cubic_metres: 31.7,
  }),
  all(
    'Lend Igor Petrov the shredder for a week and the ladder for two days.',
    ['lend_garden_tool', { member: 'Igor Petrov', tool: 'shredder', days: 7 }],
    ['lend_garden_tool', { member: 'Igor Petrov', tool: 'ladder', days: 2 }],
  ),
  one('Which plots of between 150 and 250 square metres are free?', 'list_free_plots', {
    min_size_m2: 150,
    max_size_m2: 250,
  }),
  partly('Assign Noor to the afternoon shift tomorrow and print her a badge.', 'badge', [
    'assign_volunteer',
    { volunteer: 'Noor', date: '2026-11-17', shift: 'afternoon' },
  ]),
  ...none(
    'Reserve the Albatross for Friday afternoon.',
    'I rowed 12.5 km yesterday.',
    'Green Farm brought two crates of apples.',
    'If Gerda pays her fee, give her plot 3A.',
  ),
]

// smart home, calendar, notes, bank

const room = oneOf('living_room', 'bedroom', 'kitchen', 'bathroom', 'nursery')
const account = oneOf('checking', 'savings', 'joint')
const eventId = code('Identifier of the event, like ev_a1b2c', '^ev_[a-z0-9]{5}$')

const sixth = [
  wireTool('set_room_temperature', 'Set the heating of a room.', {
    room,
    celsius: between(number('Temperature in °C'), 5, 30),
  }),
  wireTool('switch_device', 'Switch a device on or off.', {
    device: oneOf('dishwasher', 'washing_machine', 'heater', 'fan', 'coffee_machine'),
    state: oneOf('on', 'off'),
  }),
  wireTool('set_blinds', 'Move the blinds of a room.', {
    room,
    closed_percent: between(integer('0 is open, 100 is closed'), 0, 100),
  }),
  wireTool('lock_door', 'Lock a door.', { door: oneOf('front', 'back', 'garage') }),
  wireTool('get_energy_use', 'Get the electricity consumption of the house.', {
    period: oneOf('today', 'yesterday', 'this_week', 'this_month'),
  }),
  wireTool('create_event', 'Create an event in the calendar.', {
    title: text('Title of the event'),
    start: moment('Start'),
    'duration_minutes?': between(integer('Length in minutes'), 5),
    'location?': text('Where it takes place'),
  }),
  wireTool('move_event', 'Move an event of the calendar to another time.', {
    event_id: eventId,
    new_start: moment('New start'),
  }),
  wireTool('delete_event', 'Delete an event from the calendar.', { event_id: eventId }),
  wireTool('list_events', 'List the events of the calendar.', {
    from: date('First day'),
    'to?': date('Last day'),
  }),
  wireTool('create_note', 'Create a note.', {
    body: text('Text of the note'),
    'title?': text('Title of the note'),
  }),
  wireTool('append_to_note', 'Add text to an existing note.', {
    note_id: integer('Number of the note'),
    text: text('The text to add'),
  }),
  wireTool('search_notes', 'Search the notes.', { query: text('What to search for') }),
  wireTool('transfer_money', 'Transfer money from an account to somebody.', {
    from_account: account,
    recipient: text('Who gets the money'),
    amount: between(number('Amount of money'), 0.01),
    'currency?': described(oneOf('EUR', 'USD', 'GBP', 'CHF'), 'Currency. Default: EUR'),
    'reference?': text('Payment reference'),
    'date?': date('Day of the transfer. Default: today'),
  }),
  wireTool('get_balance', 'Get the balance of an account.', { account }),
]

const lunch = (title: string): CaseCall[] => [
  ['create_event', { title, start: '2026-11-20T12:00', location: 'Bistro Nord' }],
]

const sixthCases: PlannerCase[] = [
  one('Make the nursery nineteen and a half degrees warm.', 'set_room_temperature', {
    room: 'nursery',
    celsius: 19.5,
  }),
  all(
    'Switch the fan off and the coffee machine on.',
    ['switch_device', { device: 'fan', state: 'off' }],
    ['switch_device', { device: 'coffee_machine', state: 'on' }],
  ),
  all(
    'Close the blinds in the bedroom halfway and those in the living room completely.',
    ['set_blinds', { room: 'bedroom', closed_percent: 50 }],
    ['set_blinds', { room: 'living_room', closed_percent: 100 }],
  ),
  all(
    'Could you lock the back door and the garage?',
    ['lock_door', { door: 'back' }],
    ['lock_door', { door: 'garage' }],
  ),
  one('How much electricity did we use yesterday?', 'get_energy_use', { period: 'yesterday' }),
  worded(
    'Put "Choir concert" into the calendar for 26 November at 18:30, it lasts an hour and a half.',
    'create_event',
    { start: '2026-11-26T18:30', duration_minutes: 90 },
    'title',
    'Choir concert',
  ),
  either(
    'Set up a lunch with Karin at Bistro Nord on Friday at noon.',
    lunch('Lunch with Karin'),
    lunch('lunch with Karin'),
    lunch('a lunch with Karin'),
    lunch('Lunch'),
    lunch('lunch'),
    [
      [
        'create_event',
        { title: 'Lunch with Karin at Bistro Nord', start: '2026-11-20T12:00', location: 'Bistro Nord' },
      ],
    ],
  ),
  one('Move ev_k3x9q to Wednesday at 8:15 am.', 'move_event', {
    event_id: 'ev_k3x9q',
    new_start: '2026-11-18T08:15',
  }),
  one('What have I got on from the 1st to the 5th of December?', 'list_events', {
    from: '2026-12-01',
    to: '2026-12-05',
  }),
  one('Make a note that says "transfer 500 euros to Max on payday".', 'create_note', {
    body: 'transfer 500 euros to Max on payday',
  }),
  one('Add "buy stamps" to note 17.', 'append_to_note', { note_id: 17, text: 'buy stamps' }),
  worded(
    'search my notes for the wifi password',
    'search_notes',
    {},
    'query',
    'wifi password',
    'the wifi password',
  ),
  maybe(
    'Transfer 49.90 euros from the joint account to Stadtwerke with the reference "Invoice 8817".',
    'transfer_money',
    { from_account: 'joint', recipient: 'Stadtwerke', amount: 49.9, reference: 'Invoice 8817' },
    { currency: 'EUR' },
  ),
  one('Send two hundred and fifty pounds from my savings to Nora Quinn on 1 December.', 'transfer_money', {
    from_account: 'savings',
    recipient: 'Nora Quinn',
    amount: 250,
    currency: 'GBP',
    date: '2026-12-01',
  }),
  maybe(
    'Transfer 80 euros from checking to Ben Adler, no wait, 85.',
    'transfer_money',
    { from_account: 'checking', recipient: 'Ben Adler', amount: 85 },
    { currency: 'EUR' },
  ),
  one("If there's more than 1000 euros in my savings, transfer 200 of it to Lea Brandt.", 'get_balance', {
    account: 'savings',
  }),
  partly("Tell me what's in my checking account and order me new cheques.", 'cheques', [
    'get_balance',
    { account: 'checking' },
  ]),
  {
    ...one('Move it to 3 pm that day.', 'move_event', {
      event_id: 'ev_p2m4z',
      new_start: '2026-11-20T15:00',
    }),
    earlier: spoken(
      'What have I got on on 20 November?',
      [
        [
          'list_events',
          { from: '2026-11-20' },
          [{ event_id: 'ev_p2m4z', title: 'Optician', start: '2026-11-20T10:00' }],
        ],
      ],
      'On 20 November you have "Optician" at 10:00.',
    ),
  },
  ...none(
    "It's too cold in the bathroom.",
    'Is the front door locked?',
    "Please don't switch the dishwasher on tonight.",
    'Delete the meeting.',
    'Transfer the rent to Mr Hall.',
    'I paid the electricity bill yesterday.',
  ),
]

export const thirdTrades: readonly SeventhPart[] = [
  { tools: fifth, cases: fifthCases, now: seventhNow },
  { tools: sixth, cases: sixthCases, now: seventhNow },
]
