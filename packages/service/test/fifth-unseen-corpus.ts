import type { Field } from './fields-corpus.js'
import type { PlannerCase } from './planner-case.js'
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
  spoken,
  text,
  wireTool,
} from './planner-case.js'

// Requests in twelve trades, in groups of three that share their tools, written by an author who had not seen the
// planner or another corpus. Right, asked and wrong at first sight: 93, 46 and 5 of 144. One of the wrong ones expected
// the day after another day than that of the corpus.

const code = (description: string, pattern: string) => ({ type: 'string', pattern, description })
const clock = (description: string) => code(`${description}, HH:MM (24 hours)`, '^([01]\\d|2[0-3]):[0-5]\\d$')
const described = (schema: object, description: string) => ({ ...schema, description })
const between = (schema: object, minimum: number, maximum?: number) => {
  return maximum === undefined ? { ...schema, minimum } : { ...schema, minimum, maximum }
}

// Group 1: apiary, bicycle workshop, public library

const hive = code('Identifier of the hive, like H-04', '^H-\\d{2}$')
const order = code('Number of the repair order, like R10234', '^R\\d{5}$')
const item = code('Identifier of the library item', '^LB\\d{6}$')

const first = [
  wireTool('log_hive_inspection', 'Record the inspection of a bee hive.', {
    hive_id: hive,
    date: date('Day of the inspection'),
    'queen_seen?': flag('Whether the queen was seen'),
    'mite_count?': between(integer('Varroa mites counted per 100 bees'), 0),
    'temper?': described(oneOf('calm', 'nervous', 'aggressive'), 'How the colony behaved'),
  }),
  wireTool('feed_hive', 'Give feed to a bee hive.', {
    hive_id: hive,
    feed: oneOf('syrup', 'fondant', 'pollen_patty'),
    amount_kg: between(number('Amount of feed in kilograms'), 0.1),
  }),
  wireTool('record_honey_harvest', 'Record how much honey was harvested from a hive.', {
    hive_id: hive,
    weight_kg: number('Weight of the honey in kg'),
    'honey_type?': oneOf('acacia', 'linden', 'forest', 'blossom'),
    'moisture_percent?': between(number('Water content of the honey in percent'), 0, 100),
  }),
  wireTool('treat_varroa', 'Treat a hive against varroa mites.', {
    hive_id: hive,
    agent: oneOf('oxalic_acid', 'formic_acid', 'thymol'),
    dose_ml: number('Dose in millilitres'),
  }),
  wireTool('create_repair_order', 'Open a new repair order for a bicycle.', {
    customer: text('Name of the customer'),
    bike: text('Make and model of the bicycle'),
    work: listOf(
      oneOf('brake_service', 'wheel_truing', 'chain_replacement', 'gear_tuning', 'full_overhaul'),
      'The work to do',
    ),
    'wanted_by?': date('Day when the customer needs the bicycle'),
    'express?': flag('Express job'),
  }),
  wireTool('get_repair_status', 'Show the progress of a repair order.', { order_no: order }),
  wireTool('update_repair_order', 'Change an existing repair order.', {
    order_no: order,
    'wanted_by?': date('New day when the customer needs the bicycle'),
    'express?': flag('Express job'),
    'price_limit_eur?': number('The most the customer will pay, in EUR'),
  }),
  wireTool('order_spare_part', 'Order spare parts for bicycles.', {
    part_number: code('Part number, two letters and four digits', '^[A-Z]{2}-\\d{4}$'),
    quantity: between(integer('Number of pieces'), 1),
    'supplier?': oneOf('shimano', 'sram', 'campagnolo'),
  }),
  wireTool('search_catalogue', 'Search the catalogue of the library.', {
    query: text('Title or subject'),
    'author?': text('Author'),
    'language?': described(oneOf('en', 'de', 'fr', 'es'), 'Language code'),
    'format?': oneOf('book', 'audiobook', 'ebook', 'dvd'),
  }),
  wireTool('reserve_item', 'Reserve a library item for a reader.', {
    item_id: item,
    card_number: code('Library card number, eight digits', '^\\d{8}$'),
    pickup_branch: described(
      oneOf('central', 'northside', 'riverside'),
      'Branch where the reader collects the item',
    ),
  }),
  wireTool('renew_loan', 'Renew a loan.', {
    loan_id: integer('Number of the loan'),
    'weeks?': between(integer('Weeks to add'), 1, 4),
  }),
  wireTool('book_study_room', 'Book a study room in the library.', {
    room: oneOf('Ada', 'Curie', 'Noether'),
    date: date('Day of the booking'),
    start_time: clock('Start'),
    duration_minutes: integer('Length of the booking in minutes'),
    'projector?': flag('Whether a projector is needed'),
  }),
]

const firstCases: PlannerCase[] = [
  one(
    'Log an inspection of hive H-07 on 2026-05-14: queen seen, 3 mites per 100 bees.',
    'log_hive_inspection',
    {
      hive_id: 'H-07',
      date: '2026-05-14',
      queen_seen: true,
      mite_count: 3,
    },
  ),
  one(
    "I inspected H-12 on 3 June 2026 and couldn't find the queen. The bees were pretty aggressive.",
    'log_hive_inspection',
    { hive_id: 'H-12', date: '2026-06-03', queen_seen: false, temper: 'aggressive' },
  ),
  one('Feed hive H-03 2.5 kg of fondant.', 'feed_hive', { hive_id: 'H-03', feed: 'fondant', amount_kg: 2.5 }),
  one('pls give H-09 one and a half kilos of sugar syrup', 'feed_hive', {
    hive_id: 'H-09',
    feed: 'syrup',
    amount_kg: 1.5,
  }),
  one('We took 18.4 kilos of linden honey off H-02, moisture 17.2 %.', 'record_honey_harvest', {
    hive_id: 'H-02',
    weight_kg: 18.4,
    honey_type: 'linden',
    moisture_percent: 17.2,
  }),
  all(
    'Treat H-05 and H-06 with 30 ml of thymol each.',
    ['treat_varroa', { hive_id: 'H-05', agent: 'thymol', dose_ml: 30 }],
    ['treat_varroa', { hive_id: 'H-06', agent: 'thymol', dose_ml: 30 }],
  ),
  ...none(
    'Feed hive H-03 some syrup.',
    "Don't treat H-05 with 40 ml of formic acid yet, it's still too hot.",
    'What would happen if I treated H-08 with 200 ml of formic acid?',
    'Did I already feed H-03 this month?',
  ),
  one(
    'record_honey_harvest {"hive_id": "H-11", "weight_kg": 9.75, "honey_type": "forest"}',
    'record_honey_harvest',
    {
      hive_id: 'H-11',
      weight_kg: 9.75,
      honey_type: 'forest',
    },
  ),
  one(
    "Open a repair order for Marta Lindqvist's Kona Sutra: wheel truing and chain replacement, she needs it by 2026-11-27.",
    'create_repair_order',
    {
      customer: 'Marta Lindqvist',
      bike: 'Kona Sutra',
      work: ['wheel_truing', 'chain_replacement'],
      wanted_by: '2026-11-27',
    },
  ),
  one('Jonas Ek dropped off his Brompton M6L for a full overhaul, express please.', 'create_repair_order', {
    customer: 'Jonas Ek',
    bike: 'Brompton M6L',
    work: ['full_overhaul'],
    express: true,
  }),
  one('is R20388 finished yet?', 'get_repair_status', { order_no: 'R20388' }),
  one('For R20391 the customer does not want to pay more than 180 euros.', 'update_repair_order', {
    order_no: 'R20391',
    price_limit_eur: 180,
  }),
  one('Order R20417 is now needed by 5 December 2026, and make it express.', 'update_repair_order', {
    order_no: 'R20417',
    wanted_by: '2026-12-05',
    express: true,
  }),
  one('Order 6 of BP-3310 from Shimano, no, make that 8.', 'order_spare_part', {
    part_number: 'BP-3310',
    quantity: 8,
    supplier: 'shimano',
  }),
  all(
    'Order four of CH-1180 and two of BP-3310, and tell me how R20402 is coming along.',
    ['order_spare_part', { part_number: 'CH-1180', quantity: 4 }],
    ['order_spare_part', { part_number: 'BP-3310', quantity: 2 }],
    ['get_repair_status', { order_no: 'R20402' }],
  ),
  one('Do you have any audiobooks in French about beekeeping?', 'search_catalogue', {
    query: 'beekeeping',
    language: 'fr',
    format: 'audiobook',
  }),
  one('Search the catalogue for "The Left Hand of Darkness" by Ursula K. Le Guin.', 'search_catalogue', {
    query: 'The Left Hand of Darkness',
    author: 'Ursula K. Le Guin',
  }),
  one("Please put LB204418 aside for card 31004482, I'll collect it at Riverside.", 'reserve_item', {
    item_id: 'LB204418',
    card_number: '31004482',
    pickup_branch: 'riverside',
  }),
  ...none('Reserve LB310077 for pickup at the central branch.'),
  {
    ...one('31004482', 'reserve_item', {
      item_id: 'LB310077',
      card_number: '31004482',
      pickup_branch: 'central',
    }),
    earlier: spoken(
      'Reserve LB310077 for pickup at the central branch.',
      [],
      'What is your library card number?',
    ),
  },
  one(
    'Hi! Hope you had a nice weekend. Could you quickly renew loan 61234 for two weeks? Thanks a lot',
    'renew_loan',
    {
      loan_id: 61234,
      weeks: 2,
    },
  ),
  partly('Renew loan 70155 and pay my late fee of 3.20 euros.', 'late fee', [
    'renew_loan',
    { loan_id: 70155 },
  ]),
  one(
    'Book the Noether room on 12 January 2027 at 2:30 pm for an hour and a half, with projector.',
    'book_study_room',
    {
      room: 'Noether',
      date: '2027-01-12',
      start_time: '14:30',
      duration_minutes: 90,
      projector: true,
    },
  ),
  one('i need study room curie on 2026-12-01 from 9:00 to 11:00, no projector', 'book_study_room', {
    room: 'Curie',
    date: '2026-12-01',
    start_time: '09:00',
    duration_minutes: 120,
    projector: false,
  }),
  one(
    'Find an ebook about mycology and reserve the first hit for card 31004482 at Northside.',
    'search_catalogue',
    {
      query: 'mycology',
      format: 'ebook',
    },
  ),
  ...none('How many bees live in a hive in summer?'),
]

// Group 2: observatory, veterinary practice, rental of musical instruments

const contract = code('Contract number, like MR-2024-001', '^MR-\\d{4}-\\d{3}$')
const instrument = oneOf('violin', 'cello', 'trumpet', 'saxophone', 'piano')
const months = between(integer('Number of months'), 1)

const second = [
  wireTool('schedule_observation', 'Schedule an observation with a telescope.', {
    target: text('Name or catalogue number of the object in the sky'),
    telescope: oneOf('north_dome', 'south_dome', 'radio_dish'),
    start: code('Local start, YYYY-MM-DDTHH:MM', '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}$'),
    exposure_seconds: between(integer('Exposure in seconds'), 1),
    'filter?': described(oneOf('U', 'B', 'V', 'R', 'I'), 'Colour filter'),
  }),
  wireTool('cancel_observation', 'Cancel a scheduled observation.', {
    observation_id: code('Identifier of the observation', '^OBS-\\d{4}$'),
    'reason?': text('Why it is cancelled'),
  }),
  wireTool('get_sky_conditions', 'Get the forecast of clouds and seeing for a site.', {
    site: oneOf('paranal', 'la_palma', 'mauna_kea'),
    date: date('Night of interest'),
  }),
  wireTool('set_dome', 'Open or close the dome of a telescope.', {
    dome: oneOf('north_dome', 'south_dome'),
    state: oneOf('open', 'closed'),
  }),
  wireTool('register_animal', 'Register a new animal as a patient.', {
    name: text('Name of the animal'),
    species: oneOf('dog', 'cat', 'rabbit', 'horse', 'parrot'),
    owner: text('Name of the owner'),
    'birth_date?': date('Date of birth'),
    'weight_kg?': number('Weight in kilograms'),
    'neutered?': flag('Whether the animal is neutered'),
  }),
  wireTool('book_vet_visit', 'Book a visit to the vet for an animal.', {
    animal: text('Name of the animal'),
    date: date('Day of the visit'),
    time: clock('Time of the visit'),
    reason: oneOf('vaccination', 'checkup', 'dental', 'surgery'),
    'house_call?': flag('The vet comes to the animal'),
  }),
  wireTool('move_vet_visit', 'Move a booked visit to another day or time.', {
    visit_id: integer('Number of the visit'),
    date: date('New day'),
    'time?': clock('New time'),
  }),
  wireTool('prescribe_medicine', 'Prescribe a medicine for an animal.', {
    animal: text('Name of the animal'),
    drug: text('Name of the drug'),
    dose_mg: number('Single dose in mg'),
    times_per_day: between(integer('Doses a day'), 1),
    days: between(integer('Length of the treatment in days'), 1),
    'with_food?': flag('To be given with food'),
  }),
  wireTool('rent_instrument', 'Rent a musical instrument to someone.', {
    instrument,
    renter: text('Full name of the renter'),
    months,
    'insurance?': flag('Whether to include insurance'),
    'contact?': objectOf({ 'email?': { type: 'string', format: 'email' }, 'phone?': text('Phone number') }),
  }),
  wireTool('extend_rental', 'Extend the rental of an instrument.', { contract_no: contract, months }),
  wireTool('return_instrument', 'Take back a rented instrument and end its contract.', {
    contract_no: contract,
    condition: described(oneOf('good', 'worn', 'damaged'), 'Condition of the instrument'),
  }),
  wireTool('quote_rental', 'Calculate the price of a rental without renting anything.', {
    instrument,
    months,
    'insurance?': flag('Whether to include insurance'),
  }),
]

const secondCases: PlannerCase[] = [
  one(
    'Schedule an observation of M31 with the north dome at 21:30 on 2026-12-04, 300 seconds exposure, filter R.',
    'schedule_observation',
    { target: 'M31', telescope: 'north_dome', start: '2026-12-04T21:30', exposure_seconds: 300, filter: 'R' },
  ),
  one(
    'point the radio dish at Cygnus A on 9 February 2027 at 3 in the morning, exposure of ten minutes',
    'schedule_observation',
    { target: 'Cygnus A', telescope: 'radio_dish', start: '2027-02-09T03:00', exposure_seconds: 600 },
  ),
  either(
    'Cancel OBS-4471 because of high humidity.',
    [['cancel_observation', { observation_id: 'OBS-4471', reason: 'high humidity' }]],
    [['cancel_observation', { observation_id: 'OBS-4471', reason: 'because of high humidity' }]],
    [['cancel_observation', { observation_id: 'OBS-4471', reason: 'High humidity' }]],
  ),
  ...none(
    "Don't cancel OBS-4480 yet, maybe the clouds will go away.",
    'Why was OBS-4390 cancelled?',
    'Register a dog called Bruno.',
    'How much would a piano cost?',
    'Play me something on the violin.',
  ),
  one("how's the seeing going to be on la palma on 2026-11-20?", 'get_sky_conditions', {
    site: 'la_palma',
    date: '2026-11-20',
  }),
  one('Close the south dome right away, it has started to rain!', 'set_dome', {
    dome: 'south_dome',
    state: 'closed',
  }),
  all(
    'Open both domes.',
    ['set_dome', { dome: 'north_dome', state: 'open' }],
    ['set_dome', { dome: 'south_dome', state: 'open' }],
  ),
  one(
    'Check the sky over Paranal for 2026-11-22 and, if it is clear, schedule NGC 253 in the V filter with the south dome at 23:00 that night, 120 seconds.',
    'get_sky_conditions',
    { site: 'paranal', date: '2026-11-22' },
  ),
  one(
    'Register a rabbit called Pumpernickel, owner Olivia Strand, born 2025-03-19, 1.9 kg.',
    'register_animal',
    {
      name: 'Pumpernickel',
      species: 'rabbit',
      owner: 'Olivia Strand',
      birth_date: '2025-03-19',
      weight_kg: 1.9,
    },
  ),
  one("New patient: Miso, a cat, belongs to Ken Watanabe. She's not neutered.", 'register_animal', {
    name: 'Miso',
    species: 'cat',
    owner: 'Ken Watanabe',
    neutered: false,
  }),
  one('Book a vaccination for Bruno on 2026-12-10 at 10:15.', 'book_vet_visit', {
    animal: 'Bruno',
    date: '2026-12-10',
    time: '10:15',
    reason: 'vaccination',
  }),
  one(
    'I need an appointment for Juniper on 18 January 2027 at 8 am, a dental one, and the vet should come to our stable.',
    'book_vet_visit',
    { animal: 'Juniper', date: '2027-01-18', time: '08:00', reason: 'dental', house_call: true },
  ),
  all(
    'Book Bruno a checkup on 2027-01-11 at 9:00 and Miso a vaccination at 9:30 the same day.',
    ['book_vet_visit', { animal: 'Bruno', date: '2027-01-11', time: '09:00', reason: 'checkup' }],
    ['book_vet_visit', { animal: 'Miso', date: '2027-01-11', time: '09:30', reason: 'vaccination' }],
  ),
  one('visit 5530 has to be pushed back to 22 december 2026', 'move_vet_visit', {
    visit_id: 5530,
    date: '2026-12-22',
  }),
  one(
    '{"name": "move_vet_visit", "arguments": {"visit_id": 5541, "date": "2027-01-05", "time": "09:40"}}',
    'move_vet_visit',
    { visit_id: 5541, date: '2027-01-05', time: '09:40' },
  ),
  one('Prescribe 25 mg of carprofen for Bruno, twice a day for 7 days, with food.', 'prescribe_medicine', {
    animal: 'Bruno',
    drug: 'carprofen',
    dose_mg: 25,
    times_per_day: 2,
    days: 7,
    with_food: true,
  }),
  one('Miso should get meloxicam, 0.5 mg once daily for two weeks', 'prescribe_medicine', {
    animal: 'Miso',
    drug: 'meloxicam',
    dose_mg: 0.5,
    times_per_day: 1,
    days: 14,
  }),
  one(
    'Rent a cello to Ana Beltrán for 10 months with insurance, her email is ana.beltran@example.org.',
    'rent_instrument',
    {
      instrument: 'cello',
      renter: 'Ana Beltrán',
      months: 10,
      insurance: true,
      contact: { email: 'ana.beltran@example.org' },
    },
  ),
  one('Rent Paul Okafor a violin for 6 months, no wait, 9 months, without insurance.', 'rent_instrument', {
    instrument: 'violin',
    renter: 'Paul Okafor',
    months: 9,
    insurance: false,
  }),
  one('What would a trumpet cost me for half a year?', 'quote_rental', { instrument: 'trumpet', months: 6 }),
  {
    ...one('And for 12 months?', 'quote_rental', { instrument: 'violin', months: 12 }),
    earlier: spoken(
      'Calculate the price of a violin for 6 months',
      [['quote_rental', { instrument: 'violin', months: 6 }, { total_eur: 138 }]],
      'That is 138 EUR.',
    ),
  },
  one('Extend contract MR-2025-118 by three months, but leave MR-2025-119 alone.', 'extend_rental', {
    contract_no: 'MR-2025-118',
    months: 3,
  }),
  all(
    'Extend MR-2026-007 by a year and then give me a quote for a saxophone for 4 months, insurance included.',
    ['extend_rental', { contract_no: 'MR-2026-007', months: 12 }],
    ['quote_rental', { instrument: 'saxophone', months: 4, insurance: true }],
  ),
  one('the trombone guy is here with MR-2026-042, wants to give it back, its damaged', 'return_instrument', {
    contract_no: 'MR-2026-042',
    condition: 'damaged',
  }),
  partly('Take back MR-2024-310, condition good, and refund the deposit of 150 euros.', 'deposit', [
    'return_instrument',
    { contract_no: 'MR-2024-310', condition: 'good' },
  ]),
]

// Group 3: marina, brewery, dry cleaning

const berth = code('Berth, like A05', '^[A-F]\\d{2}$')
const batch = integer('Batch number')
const ticket = integer('Number of the cleaning ticket')

const third = [
  wireTool('reserve_berth', 'Reserve a berth in the marina for a vessel.', {
    vessel: text('Name of the vessel'),
    length_m: number('Length of the vessel in metres'),
    arrival: date('Day of arrival'),
    nights: between(integer('Number of nights'), 1),
    'shore_power?': flag('Whether electricity from the shore is needed'),
  }),
  wireTool('check_berth_availability', 'Look up which berths are free. Reserves nothing.', {
    length_m: number('Length of the vessel in metres'),
    arrival: date('Day of arrival'),
    'nights?': between(integer('Number of nights'), 1),
  }),
  wireTool('release_berth', 'Mark a berth as free after a vessel has left.', { berth }),
  wireTool('record_fuel_sale', 'Record the sale of fuel to a vessel at a berth.', {
    berth,
    fuel: oneOf('diesel', 'petrol'),
    litres: number('Litres sold'),
  }),
  wireTool('start_batch', 'Start to brew a new batch of beer.', {
    recipe: text('Name of the recipe'),
    volume_l: number('Volume in litres'),
    'yeast_strain?': text('Code of the yeast strain'),
    'hops?': listOf(objectOf({ name: text('Variety'), grams: number('Weight in grams') }), 'Hops to add'),
  }),
  wireTool('log_gravity', 'Log a reading of the specific gravity of a batch.', {
    batch_no: batch,
    gravity: between(number('Specific gravity, for example 1.048'), 0.98, 1.2),
    'temperature_c?': number('Temperature in °C'),
  }),
  wireTool('transfer_batch', 'Transfer a batch to another tank.', {
    batch_no: batch,
    to_tank: code('Tank, like T4', '^T\\d{1,2}$'),
  }),
  wireTool('package_batch', 'Package a finished batch in bottles, cans or kegs.', {
    batch_no: batch,
    container: oneOf('bottle_330ml', 'can_440ml', 'keg_30l'),
    count: between(integer('Number of containers'), 1),
  }),
  wireTool('create_cleaning_ticket', 'Take in clothes of a customer for dry cleaning.', {
    customer: text('Name of the customer'),
    items: listOf(
      objectOf({
        garment: oneOf('shirt', 'suit', 'dress', 'coat', 'curtain'),
        count: between(integer('How many'), 1),
      }),
      'The garments',
    ),
    'pickup_date?': date('Day when the customer collects them'),
    'starch?': flag('Whether to starch'),
  }),
  wireTool('find_cleaning_tickets', 'Find the cleaning tickets of a customer.', {
    customer: text('Name of the customer'),
    'status?': oneOf('in_work', 'ready', 'collected'),
  }),
  wireTool('mark_ticket_ready', 'Mark a cleaning ticket as finished and ready to collect.', {
    ticket_no: ticket,
  }),
  wireTool('send_pickup_notice', 'Tell the customer that the cleaning can be collected.', {
    ticket_no: ticket,
    channel: oneOf('sms', 'email'),
  }),
]

const adeyemi = {
  items: [
    { garment: 'shirt', count: 3 },
    { garment: 'coat', count: 1 },
  ],
  starch: true,
}

const thirdCases: PlannerCase[] = [
  one(
    'Reserve a berth for the vessel Marlene, 11.5 m long, arriving 2027-06-18 for 3 nights, with shore power.',
    'reserve_berth',
    { vessel: 'Marlene', length_m: 11.5, arrival: '2027-06-18', nights: 3, shore_power: true },
  ),
  either(
    "Please keep a place for our sloop Kittiwake (9.2 m), we come in on August 2nd 2027 and stay a week. We don't need electricity.",
    [
      [
        'reserve_berth',
        { vessel: 'Kittiwake', length_m: 9.2, arrival: '2027-08-02', nights: 7, shore_power: false },
      ],
    ],
    [
      [
        'reserve_berth',
        { vessel: 'sloop Kittiwake', length_m: 9.2, arrival: '2027-08-02', nights: 7, shore_power: false },
      ],
    ],
  ),
  one('Is there room for a 14 metre boat on 4 July 2027?', 'check_berth_availability', {
    length_m: 14,
    arrival: '2027-07-04',
  }),
  one('check berth availability for 8.75 m arriving 2027-04-30, 2 nights', 'check_berth_availability', {
    length_m: 8.75,
    arrival: '2027-04-30',
    nights: 2,
  }),
  one('C14 is free again, they sailed this morning.', 'release_berth', { berth: 'C14' }),
  one('Release D05, but not D02 yet.', 'release_berth', { berth: 'D05' }),
  ...none(
    "Don't release B03 until I say so.",
    'Record a fuel sale of diesel at D02.',
    'Create a cleaning ticket for 2 suits.',
    'Has batch 198 already been transferred?',
    'Who was the skipper of the Marlene last summer?',
  ),
  one('B11 took 45.5 l of petrol', 'record_fuel_sale', { berth: 'B11', fuel: 'petrol', litres: 45.5 }),
  all(
    'Record 120 litres of diesel for A07 and relase berth A09 pls',
    ['record_fuel_sale', { berth: 'A07', fuel: 'diesel', litres: 120 }],
    ['release_berth', { berth: 'A09' }],
  ),
  one('Start a 500 litre batch of Smoked Porter with yeast strain WLP004.', 'start_batch', {
    recipe: 'Smoked Porter',
    volume_l: 500,
    yeast_strain: 'WLP004',
  }),
  one('Brew 1,200 l of Harbour Pale with 800 g of Citra and 450 g of Simcoe.', 'start_batch', {
    recipe: 'Harbour Pale',
    volume_l: 1200,
    hops: [
      { name: 'Citra', grams: 800 },
      { name: 'Simcoe', grams: 450 },
    ],
  }),
  one('Batch 214 now has a gravity of 1.012 at 19.5 degrees', 'log_gravity', {
    batch_no: 214,
    gravity: 1.012,
    temperature_c: 19.5,
  }),
  all(
    'Log a gravity of 1.010 for batch 214 and 1.022 for batch 216, then transfer batch 214 to T3.',
    ['log_gravity', { batch_no: 214, gravity: 1.01 }],
    ['log_gravity', { batch_no: 216, gravity: 1.022 }],
    ['transfer_batch', { batch_no: 214, to_tank: 'T3' }],
  ),
  {
    ...one('sorry, that should have been 1.032', 'log_gravity', { batch_no: 220, gravity: 1.032 }),
    earlier: spoken(
      'Log a gravity of 1.030 for batch 220',
      [['log_gravity', { batch_no: 220, gravity: 1.03 }, { ok: true }]],
      'I logged 1.030 for batch 220.',
    ),
  },
  one('pump 207 over into tank T6', 'transfer_batch', { batch_no: 207, to_tank: 'T6' }),
  one('transfer_batch(batch_no=222, to_tank="T11")', 'transfer_batch', { batch_no: 222, to_tank: 'T11' }),
  one('Put batch 201 in cans, 2,400 of them.', 'package_batch', {
    batch_no: 201,
    container: 'can_440ml',
    count: 2400,
  }),
  partly('Package batch 188 in 600 bottles and design a label for it.', 'label', [
    'package_batch',
    { batch_no: 188, container: 'bottle_330ml', count: 600 },
  ]),
  either(
    'New cleaning ticket for Mr. Adeyemi: 3 shirts and a coat, with starch.',
    [['create_cleaning_ticket', { customer: 'Mr. Adeyemi', ...adeyemi }]],
    [['create_cleaning_ticket', { customer: 'Adeyemi', ...adeyemi }]],
    [['create_cleaning_ticket', { customer: 'Mr Adeyemi', ...adeyemi }]],
  ),
  one(
    'Helga Brandt just brought in two dresses for cleaning, she will collect them on 25 November 2026.',
    'create_cleaning_ticket',
    { customer: 'Helga Brandt', items: [{ garment: 'dress', count: 2 }], pickup_date: '2026-11-25' },
  ),
  one('Which of the tickets of Tomasz Zielinski are ready?', 'find_cleaning_tickets', {
    customer: 'Tomasz Zielinski',
    status: 'ready',
  }),
  one(
    'Look up the ready ticket of Lena Roth and send her a text message that she can pick it up.',
    'find_cleaning_tickets',
    {
      customer: 'Lena Roth',
      status: 'ready',
    },
  ),
  one('Ticket 7743 is finished.', 'mark_ticket_ready', { ticket_no: 7743 }),
  all(
    'Mark ticket 7750 as ready and notify the customer by email.',
    ['mark_ticket_ready', { ticket_no: 7750 }],
    ['send_pickup_notice', { ticket_no: 7750, channel: 'email' }],
  ),
]

// Group 4: ski resort, escape rooms, museum

const booking = code('Reference of the booking, like ER12AB', '^ER[0-9A-F]{4}$')
const room = oneOf("Pharaoh's Tomb", 'Submarine', 'Bank Heist')
const players = between(integer('Number of players'), 2, 8)
const inventory = code('Inventory number, like 1999.21', '^\\d{4}\\.\\d{1,3}$')

const fourth = [
  wireTool('sell_lift_pass', 'Sell ski passes for the lifts.', {
    pass_type: oneOf('half_day', 'day', 'season'),
    age_group: oneOf('child', 'adult', 'senior'),
    count: between(integer('Number of passes'), 1),
    valid_from: date('First day of validity'),
  }),
  wireTool('set_lift_status', 'Run or stop a ski lift.', {
    lift: oneOf('Gipfelbahn', 'Sonnenlift', 'Nordjet'),
    status: oneOf('running', 'stopped', 'wind_hold'),
  }),
  wireTool('get_snow_report', 'Get the current snow depth.', {
    area: oneOf('summit', 'middle', 'valley'),
    'unit?': oneOf('cm', 'inch'),
  }),
  wireTool('groom_slope', 'Send a snow groomer to a slope.', {
    slope_no: between(integer('Number of the slope'), 1, 40),
    start_time: clock('Start'),
    'snow_cannons?': flag('Also run the snow cannons'),
  }),
  wireTool('book_escape_room', 'Book a game in an escape room.', {
    room,
    players,
    date: date('Day of the game'),
    time: clock('Start of the game'),
    'language?': described(oneOf('en', 'de', 'nl'), 'Language of the game'),
  }),
  wireTool('change_escape_booking', 'Change the booking of an escape room.', {
    booking_ref: booking,
    'players?': players,
    'date?': date('New day'),
    'time?': clock('New start'),
  }),
  wireTool('cancel_escape_booking', 'Cancel the booking of an escape room.', {
    booking_ref: booking,
    'refund?': flag('Whether to refund the price'),
  }),
  wireTool('list_free_slots', 'List the free times of an escape room on a day.', { room, date: date('Day') }),
  wireTool('loan_artwork', 'Lend an artwork of the museum to another institution.', {
    inventory_no: inventory,
    borrower: text('Name of the borrowing institution'),
    from: date('First day of the loan'),
    until: date('Last day of the loan'),
    insured_value_eur: number('Insured value in EUR'),
  }),
  wireTool('move_artwork', 'Move an artwork to another place in the museum.', {
    inventory_no: inventory,
    location: oneOf('gallery_1', 'gallery_2', 'depot', 'restoration'),
  }),
  wireTool('record_climate', 'Record the climate of a room of the museum.', {
    place: oneOf('gallery_1', 'gallery_2', 'depot'),
    temperature_c: number('Temperature in °C'),
    humidity_percent: between(number('Relative humidity in percent'), 0, 100),
  }),
  wireTool('sell_museum_tickets', 'Sell tickets to the museum.', {
    adults: between(integer('Number of adults'), 0),
    'children?': between(integer('Number of children'), 0),
    'audio_guide?': flag('With audio guide'),
    'discount_percent?': between(number('Discount in percent'), 0, 100),
  }),
]

const loan = { inventory_no: '1984.12', from: '2027-02-01', until: '2027-05-31', insured_value_eur: 1200000 }

const fourthCases: PlannerCase[] = [
  one('Sell two adult day passes valid from 2027-01-16.', 'sell_lift_pass', {
    pass_type: 'day',
    age_group: 'adult',
    count: 2,
    valid_from: '2027-01-16',
  }),
  one('one season ski pass for a senior please, starting december 19 2026', 'sell_lift_pass', {
    pass_type: 'season',
    age_group: 'senior',
    count: 1,
    valid_from: '2026-12-19',
  }),
  all(
    'I need 2 adult and 3 child half-day lift passes for 6 February 2027.',
    ['sell_lift_pass', { pass_type: 'half_day', age_group: 'adult', count: 2, valid_from: '2027-02-06' }],
    ['sell_lift_pass', { pass_type: 'half_day', age_group: 'child', count: 3, valid_from: '2027-02-06' }],
  ),
  one('Put the Nordjet on wind hold.', 'set_lift_status', { lift: 'Nordjet', status: 'wind_hold' }),
  all(
    'Stop the Sonnenlift and get the Gipfelbahn running again.',
    ['set_lift_status', { lift: 'Sonnenlift', status: 'stopped' }],
    ['set_lift_status', { lift: 'Gipfelbahn', status: 'running' }],
  ),
  ...none(
    'If the wind gets stronger, should we stop the Gipfelbahn?',
    'Groom slope 22.',
    'Please do not cancel ER77D1, we are still coming.',
    'Who painted 1984.12?',
  ),
  either(
    'Book Bank Heist for 4 people on 2026-12-20.',
    [],
    [['list_free_slots', { room: 'Bank Heist', date: '2026-12-20' }]],
  ),
  one('How deep is the snow at the summit, in inches?', 'get_snow_report', { area: 'summit', unit: 'inch' }),
  one('whats the snow like down in the valley', 'get_snow_report', { area: 'valley' }),
  all(
    'Groom slopes 4, 5 and 12 at half past five in the afternoon.',
    ['groom_slope', { slope_no: 4, start_time: '17:30' }],
    ['groom_slope', { slope_no: 5, start_time: '17:30' }],
    ['groom_slope', { slope_no: 12, start_time: '17:30' }],
  ),
  one('Groom slope 17 at 18:45 with the snow cannons on.', 'groom_slope', {
    slope_no: 17,
    start_time: '18:45',
    snow_cannons: true,
  }),
  one('Book the Submarine for 5 players on 2026-12-12 at 19:00, in Dutch please.', 'book_escape_room', {
    room: 'Submarine',
    players: 5,
    date: '2026-12-12',
    time: '19:00',
    language: 'nl',
  }),
  one(
    "There are six of us and we'd like to play Pharaoh's Tomb on 3 January 2027 at quarter past four pm",
    'book_escape_room',
    { room: "Pharaoh's Tomb", players: 6, date: '2027-01-03', time: '16:15' },
  ),
  {
    ...one('Take the second one, for 4 players.', 'book_escape_room', {
      room: 'Bank Heist',
      players: 4,
      date: '2026-12-20',
      time: '17:30',
    }),
    earlier: spoken(
      'Which slots are free for Bank Heist on 2026-12-20?',
      [['list_free_slots', { room: 'Bank Heist', date: '2026-12-20' }, { slots: ['14:00', '17:30'] }]],
      'There are free slots at 14:00 and 17:30.',
    ),
  },
  one('ER4F0A: we are 7 players now instead of 5', 'change_escape_booking', {
    booking_ref: 'ER4F0A',
    players: 7,
  }),
  one('Move booking ER09BC to 2027-01-09 at 8:30 pm.', 'change_escape_booking', {
    booking_ref: 'ER09BC',
    date: '2027-01-09',
    time: '20:30',
  }),
  one('We have to call off ER77D1 and we want our money back.', 'cancel_escape_booking', {
    booking_ref: 'ER77D1',
    refund: true,
  }),
  one('Cancel booking ER1234, sorry, I mean ER1243, without a refund.', 'cancel_escape_booking', {
    booking_ref: 'ER1243',
    refund: false,
  }),
  one('When is Bank Heist still free on 2026-12-27?', 'list_free_slots', {
    room: 'Bank Heist',
    date: '2026-12-27',
  }),
  one(
    'See what is free for the Submarine on 2027-01-30 and book the earliest slot for 3 people.',
    'list_free_slots',
    {
      room: 'Submarine',
      date: '2027-01-30',
    },
  ),
  either(
    'Lend 1984.12 to the Rijksmuseum from 2027-02-01 until 2027-05-31, insured for 1.2 million euros.',
    [['loan_artwork', { ...loan, borrower: 'Rijksmuseum' }]],
    [['loan_artwork', { ...loan, borrower: 'the Rijksmuseum' }]],
  ),
  one('Take 1967.3 to restoration.', 'move_artwork', { inventory_no: '1967.3', location: 'restoration' }),
  all(
    'Move 1990.7 and 1990.8 to gallery 1 and record 21 degrees and 50 percent humidity for gallery 2.',
    ['move_artwork', { inventory_no: '1990.7', location: 'gallery_1' }],
    ['move_artwork', { inventory_no: '1990.8', location: 'gallery_1' }],
    ['record_climate', { place: 'gallery_2', temperature_c: 21, humidity_percent: 50 }],
  ),
  partly('Move 2003.44 to the depot and clean its frame.', 'frame', [
    'move_artwork',
    { inventory_no: '2003.44', location: 'depot' },
  ]),
  one(
    'call record_climate with {"place":"depot","temperature_c":17,"humidity_percent":52.5}',
    'record_climate',
    {
      place: 'depot',
      temperature_c: 17,
      humidity_percent: 52.5,
    },
  ),
  one(
    'Museum tickets for two adults and one child please, with audio guide and 15% off.',
    'sell_museum_tickets',
    {
      adults: 2,
      children: 1,
      audio_guide: true,
      discount_percent: 15,
    },
  ),
]

// Group 5: locksmith, community radio, bakery

const product = oneOf('sourdough_loaf', 'rye_loaf', 'baguette', 'croissant', 'pretzel')
const quantity = between(integer('Number of pieces'), 1)

const fifth = [
  wireTool('dispatch_locksmith', 'Send a locksmith to a customer.', {
    address: text('Street, number and town'),
    problem: oneOf('locked_out', 'broken_key', 'lock_replacement', 'safe_opening'),
    'urgent?': flag('Whether it is urgent'),
    'phone?': text('Phone number of the customer'),
  }),
  wireTool('find_job', 'Find the number of the locksmith job at an address.', {
    address: text('Street, number and town'),
    'open_only?': flag('Only jobs that are not closed'),
  }),
  wireTool('close_job', 'Close a locksmith job after the payment.', {
    job_no: integer('Number of the job'),
    paid_by: oneOf('cash', 'card', 'invoice'),
    amount_eur: number('Amount paid in EUR'),
  }),
  wireTool('cut_keys', 'Cut copies of a key.', {
    key_profile: code('Key profile, three letters and two digits', '^[A-Z]{3}\\d{2}$'),
    copies: between(integer('Number of copies'), 1, 50),
    'engraving?': text('Words to engrave on each key'),
  }),
  wireTool('schedule_show', 'Schedule a weekly radio show.', {
    title: text('Title of the show'),
    weekday: oneOf('monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'),
    start_time: clock('Start'),
    length_minutes: integer('Length in minutes'),
    'host?': text('Name of the host'),
  }),
  wireTool('queue_song', 'Add a song to the playlist on air.', {
    title: text('Title of the song'),
    artist: text('Artist'),
    'position?': described(oneOf('next', 'end'), 'Place in the playlist'),
  }),
  wireTool('play_jingle', 'Play a jingle on air.', {
    jingle: oneOf('station_id', 'news', 'weather', 'traffic'),
    'repeat?': between(integer('How many times to play it'), 1, 5),
  }),
  wireTool('publish_podcast', 'Publish an episode of a show as a podcast.', {
    show: text('Title of the show'),
    episode: between(integer('Number of the episode'), 1),
    'tags?': listOf({ type: 'string' }, 'Tags'),
    'explicit?': flag('Whether it has explicit language'),
    'release_date?': date('Day of the release'),
  }),
  wireTool('plan_bake', 'Add a product to the baking plan of a day.', {
    product,
    quantity,
    date: date('Day of baking'),
  }),
  wireTool('take_bread_order', 'Take the order of a customer of the bakery.', {
    customer: text('Name of the customer'),
    lines: listOf(objectOf({ product, quantity }), 'What the customer orders'),
    pickup_date: date('Day when the customer collects the order'),
    'sliced?': flag('Whether to slice the bread'),
  }),
  wireTool('change_prices', 'Raise or lower the prices of products.', {
    products: listOf(product, 'The products'),
    change_percent: number('Change in percent, negative for cheaper'),
  }),
  wireTool('feed_starter', 'Feed a sourdough starter.', {
    starter: oneOf('rye', 'wheat'),
    flour_g: number('Flour in grams'),
    water_g: number('Water in grams'),
  }),
]

const york = { address: '14 Mill Lane, York', problem: 'locked_out', urgent: true }

const novak = {
  lines: [
    { product: 'sourdough_loaf', quantity: 2 },
    { product: 'croissant', quantity: 6 },
  ],
  pickup_date: '2026-11-28',
  sliced: true,
}

const fifthCases: PlannerCase[] = [
  either(
    'Dispatch a locksmith to 14 Mill Lane, York. Locked out, urgent, phone +44 7700 900123.',
    [['dispatch_locksmith', { ...york, phone: '+44 7700 900123' }]],
    [['dispatch_locksmith', { ...york, phone: '+447700900123' }]],
  ),
  one(
    'my key broke in the door, can you send someone to Hauptstraße 9, 79098 Freiburg?',
    'dispatch_locksmith',
    {
      address: 'Hauptstraße 9, 79098 Freiburg',
      problem: 'broken_key',
    },
  ),
  {
    ...one('22B Rue des Lilas, Lyon', 'dispatch_locksmith', {
      address: '22B Rue des Lilas, Lyon',
      problem: 'locked_out',
    }),
    earlier: spoken('I am locked out, send a locksmith!', [], 'What is the address?'),
  },
  ...none(
    'I am locked out, please send a locksmith!!',
    'Close job 3410, she pays by invoice.',
    'Which songs did we play yesterday?',
    "We won't bake any pretzels on 2026-12-25.",
    'What is the difference between rye and wheat starter?',
  ),
  one('Is there still an open job at 31 Elm Road, Leeds?', 'find_job', {
    address: '31 Elm Road, Leeds',
    open_only: true,
  }),
  either(
    'Find the job at 5 Quay Street, Whitby and close it: 80 euros, cash.',
    [['find_job', { address: '5 Quay Street, Whitby' }]],
    [['find_job', { address: '5 Quay Street, Whitby', open_only: true }]],
  ),
  one('Close job 3391, 145.50 euros paid by card.', 'close_job', {
    job_no: 3391,
    paid_by: 'card',
    amount_eur: 145.5,
  }),
  one('job 3402 can be closed, they gave me 90 € in cash', 'close_job', {
    job_no: 3402,
    paid_by: 'cash',
    amount_eur: 90,
  }),
  one('Cut 5 copies of key profile ABU52 with the engraving "Cellar".', 'cut_keys', {
    key_profile: 'ABU52',
    copies: 5,
    engraving: 'Cellar',
  }),
  one('three copies of SIL07 please', 'cut_keys', { key_profile: 'SIL07', copies: 3 }),
  one(
    'Schedule the show "Night Owls" on Fridays at 22:00 for 120 minutes, host is Priya Nair.',
    'schedule_show',
    { title: 'Night Owls', weekday: 'friday', start_time: '22:00', length_minutes: 120, host: 'Priya Nair' },
  ),
  one(
    'We want a new programme called Vinyl Breakfast every Sunday from 8:00 to 9:30 in the morning',
    'schedule_show',
    {
      title: 'Vinyl Breakfast',
      weekday: 'sunday',
      start_time: '08:00',
      length_minutes: 90,
    },
  ),
  one('Queue "Blue Monday" by New Order as the next song.', 'queue_song', {
    title: 'Blue Monday',
    artist: 'New Order',
    position: 'next',
  }),
  all(
    'Add Hurt by Johnny Cash and Jolene by Dolly Parton to the playlist.',
    ['queue_song', { title: 'Hurt', artist: 'Johnny Cash' }],
    ['queue_song', { title: 'Jolene', artist: 'Dolly Parton' }],
  ),
  one('queue_song {"title":"Sabotage","artist":"Beastie Boys","position":"end"}', 'queue_song', {
    title: 'Sabotage',
    artist: 'Beastie Boys',
    position: 'end',
  }),
  one('paly the weather jingle twice', 'play_jingle', { jingle: 'weather', repeat: 2 }),
  one('Publish episode 48 of Harbour Talk, tags fishing and history, not explicit.', 'publish_podcast', {
    show: 'Harbour Talk',
    episode: 48,
    tags: ['fishing', 'history'],
    explicit: false,
  }),
  one(
    'Put episode 12 of Kitchen Science out as a podcast on Christmas Eve, 24 December 2026',
    'publish_podcast',
    {
      show: 'Kitchen Science',
      episode: 12,
      release_date: '2026-12-24',
    },
  ),
  all(
    'For 5 December 2026 plan 40 rye loaves and 25 pretzels.',
    ['plan_bake', { product: 'rye_loaf', quantity: 40, date: '2026-12-05' }],
    ['plan_bake', { product: 'pretzel', quantity: 25, date: '2026-12-05' }],
  ),
  partly('Plan 60 croissants for 2026-11-22 and buy 10 kg of butter.', 'butter', [
    'plan_bake',
    { product: 'croissant', quantity: 60, date: '2026-11-22' },
  ]),
  either(
    "Mrs. Novak orders 2 sourdough loaves and 6 croissants, she'll collect them on 2026-11-28. Bread sliced please.",
    [['take_bread_order', { customer: 'Mrs. Novak', ...novak }]],
    [['take_bread_order', { customer: 'Novak', ...novak }]],
    [['take_bread_order', { customer: 'Mrs Novak', ...novak }]],
  ),
  one('Raise the prices of croissants and pretzels by 4%.', 'change_prices', {
    products: ['croissant', 'pretzel'],
    change_percent: 4,
  }),
  one('baguettes should get 10 percent cheaper', 'change_prices', {
    products: ['baguette'],
    change_percent: -10,
  }),
  one(
    'Feed the wheat starter 150 g of flour and 150 g of water, actually only 120 g of water.',
    'feed_starter',
    {
      starter: 'wheat',
      flour_g: 150,
      water_g: 120,
    },
  ),
  all(
    'Cut two copies of EVV11, also plan 15 baguettes for tomorrow and then play the news jingle.',
    ['cut_keys', { key_profile: 'EVV11', copies: 2 }],
    ['plan_bake', { product: 'baguette', quantity: 15, date: '2026-11-22' }],
    ['play_jingle', { jingle: 'news' }],
  ),
]

export const fifthRequests: readonly Field[] = [
  { tools: first, cases: firstCases },
  { tools: second, cases: secondCases },
  { tools: third, cases: thirdCases },
  { tools: fourth, cases: fourthCases },
  { tools: fifth, cases: fifthCases },
]
