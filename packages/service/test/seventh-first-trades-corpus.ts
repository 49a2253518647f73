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
  type SeventhPart,
  seventhNow,
  worded,
} from './seventh-case.js'

// Requests in trades, by an author who had not seen the planner or another part. See `seventh-unseen-corpus.ts`.

// dentist, ferry harbour, ski rental

const patient = code('Number of the patient, like P1234', '^P\\d{4}$')
const route = described(oneOf('Harwick-Solmar', 'Harwick-Penn'), 'The ferry route')
const treatment = oneOf('checkup', 'cleaning', 'filling', 'crown', 'root_canal')

const first = [
  wireTool('book_dental_appointment', 'Book an appointment for a patient at the dental practice.', {
    patient_id: patient,
    date: date('Day of the appointment'),
    time: clock('Start of the appointment'),
    treatment,
    'dentist?': oneOf('Dr. Abel', 'Dr. Moreau', 'Dr. Singh'),
  }),
  wireTool('cancel_dental_appointment', 'Cancel an appointment at the dental practice.', {
    appointment_id: code('Identifier of the appointment, like A-12345', '^A-\\d{5}$'),
    'reason?': text('Why it is cancelled'),
  }),
  wireTool('find_free_dental_slots', 'List the free appointment slots of the dental practice on a day.', {
    date: date('The day'),
    'treatment?': treatment,
  }),
  wireTool('send_recall', 'Send a patient the reminder that a check-up is due.', {
    patient_id: patient,
    channel: oneOf('post', 'email', 'sms'),
  }),
  wireTool('record_tooth_finding', 'Record a finding on a tooth in the chart of a patient.', {
    patient_id: patient,
    tooth: between(integer('Tooth number in FDI notation'), 11, 48),
    finding: oneOf('caries', 'fracture', 'missing', 'crown'),
  }),
  wireTool('book_ferry', 'Book passengers and a vehicle on a ferry.', {
    route,
    date: date('Day of the crossing'),
    adults: between(integer('Number of adults'), 1),
    'children?': between(integer('Number of children'), 0),
    'vehicle?': oneOf('none', 'car', 'motorbike', 'campervan', 'bicycle'),
    'vehicle_length_m?': number('Length of the vehicle in metres'),
  }),
  wireTool('get_ferry_departures', 'List the departures of a ferry route on a day.', {
    route,
    date: date('The day'),
  }),
  wireTool('report_ferry_delay', 'Report that a sailing is delayed.', {
    sailing: code('Number of the sailing, like HS101', '^[A-Z]{2}\\d{3}$'),
    delay_minutes: between(integer('Delay in minutes'), 1),
    'cause?': oneOf('weather', 'technical', 'congestion'),
  }),
  wireTool('assign_berth', 'Assign a vessel to a berth in the harbour.', {
    vessel: text('Name of the vessel'),
    berth: between(integer('Number of the berth'), 1, 8),
  }),
  wireTool('rent_skis', 'Rent skis or a snowboard to a customer.', {
    customer: text('Name of the customer'),
    equipment: oneOf('alpine', 'cross_country', 'touring', 'snowboard'),
    height_cm: number('Body height in centimetres'),
    days: between(integer('Number of days'), 1),
    'boot_size?': number('European boot size'),
    'helmet?': flag('Whether a helmet is rented too'),
  }),
  wireTool('return_rental', 'Book rented equipment as returned.', {
    rental_no: code('Number of the rental, like SK0001', '^SK\\d{4}$'),
    'damage?': oneOf('none', 'scratched_base', 'broken_binding', 'lost_pole'),
  }),
  wireTool('service_skis', 'Send a pair of skis to the ski workshop.', {
    ski_id: code('Identifier of the skis, like K-001', '^K-\\d{3}$'),
    services: listOf(oneOf('wax', 'sharpen_edges', 'base_repair'), 'What to do'),
  }),
]

const moved = (reason?: string): CaseCall[] => [
  ['cancel_dental_appointment', { appointment_id: 'A-55120', ...(reason === undefined ? {} : { reason }) }],
  ['send_recall', { patient_id: 'P4402', channel: 'sms' }],
]

const firstCases: PlannerCase[] = [
  one(
    'Please book patient P2041 in for a cleaning on 24 November at half past nine in the morning.',
    'book_dental_appointment',
    {
      patient_id: 'P2041',
      date: '2026-11-24',
      time: '09:30',
      treatment: 'cleaning',
    },
  ),
  one('Could you get P3318 in with Dr. Singh for a filling tomorrow at 2:15 pm?', 'book_dental_appointment', {
    patient_id: 'P3318',
    date: '2026-11-17',
    time: '14:15',
    treatment: 'filling',
    dentist: 'Dr. Singh',
  }),
  one("P1190's tooth 26 has caries, please put that in the chart.", 'record_tooth_finding', {
    patient_id: 'P1190',
    tooth: 26,
    finding: 'caries',
  }),
  one('Which slots are still free on Thursday for a crown?', 'find_free_dental_slots', {
    date: '2026-11-19',
    treatment: 'crown',
  }),
  ...none(
    'Did P2041 turn up for her cleaning yesterday?',
    'Book P2041 in for a check-up on Friday.',
    'I already sent P2041 the recall by email.',
    "Whatever you do, don't put the Aurora on berth 2.",
    'If the storm stops sailing HS204, move all of its passengers to HS206.',
  ),
  either(
    'Cancel appointment A-55120 because the patient has moved away, and send P4402 the recall by text message.',
    moved('the patient has moved away'),
    moved('The patient has moved away'),
    moved('patient has moved away'),
    moved('Patient has moved away'),
    moved('The patient has moved away.'),
    moved('patient moved away'),
    moved('Patient moved away'),
    moved('moved away'),
    moved('because the patient has moved away'),
  ),
  one(
    "I'd like to book two adults and three children from Harwick to Solmar on 5 December, with a campervan that is 6.4 metres long.",
    'book_ferry',
    {
      route: 'Harwick-Solmar',
      date: '2026-12-05',
      adults: 2,
      children: 3,
      vehicle: 'campervan',
      vehicle_length_m: 6.4,
    },
  ),
  either(
    'book one adult on the harwick-penn ferry tmrw, no vehicle pls',
    [['book_ferry', { route: 'Harwick-Penn', date: '2026-11-17', adults: 1, vehicle: 'none' }]],
    [['book_ferry', { route: 'Harwick-Penn', date: '2026-11-17', adults: 1 }]],
  ),
  maybe(
    'Sailing HS204 is running 40 minutes late because of the bad weather.',
    'report_ferry_delay',
    { sailing: 'HS204', delay_minutes: 40 },
    { cause: 'weather' },
  ),
  one(
    'HP118 will be an hour and a quarter late because of technical trouble, please report it.',
    'report_ferry_delay',
    {
      sailing: 'HP118',
      delay_minutes: 75,
      cause: 'technical',
    },
  ),
  one('When do the ferries from Harwick to Penn leave on Saturday?', 'get_ferry_departures', {
    route: 'Harwick-Penn',
    date: '2026-11-21',
  }),
  one('Put the Stella Maris on berth 4, no, berth 6.', 'assign_berth', { vessel: 'Stella Maris', berth: 6 }),
  one(
    'Rent touring skis to Jonas Weber for four days; he is 1.82 m tall and wants a helmet as well.',
    'rent_skis',
    {
      customer: 'Jonas Weber',
      equipment: 'touring',
      height_cm: 182,
      days: 4,
      helmet: true,
    },
  ),
  maybe(
    'Mia Lang rents a snowboard for three days: she is 165 cm tall, boot size 38, no helmet.',
    'rent_skis',
    { customer: 'Mia Lang', equipment: 'snowboard', height_cm: 165, days: 3, boot_size: 38 },
    { helmet: false },
  ),
  one('Rental SK0817 has come back with a broken binding.', 'return_rental', {
    rental_no: 'SK0817',
    damage: 'broken_binding',
  }),
  worded(
    'Have the skis K-114 waxed and their edges sharpened, please.',
    'service_skis',
    { ski_id: 'K-114' },
    'services',
    ['wax', 'sharpen_edges'],
    ['sharpen_edges', 'wax'],
  ),
  {
    ...partly('Take back rental SK2230, nothing is damaged, and call the customer a taxi.', 'taxi', [
      'return_rental',
      { rental_no: 'SK2230', damage: 'none' },
    ]),
    or: [[['return_rental', { rental_no: 'SK2230' }]]],
  },
  all(
    'Find out which dental slots are free on 1 December, and which ferries go from Harwick to Solmar that day.',
    ['find_free_dental_slots', { date: '2026-12-01' }],
    ['get_ferry_departures', { route: 'Harwick-Solmar', date: '2026-12-01' }],
  ),
]

// greenhouse, brewery, laundry

const bench = code('Identifier of the bench, like B01', '^B\\d{2}$')
const batch = code('Number of the batch, like BR-001', '^BR-\\d{3}$')

const second = [
  wireTool('set_greenhouse_climate', 'Set the climate of a greenhouse.', {
    house: between(integer('Number of the greenhouse'), 1, 6),
    'temperature_c?': number('Temperature in degrees Celsius'),
    'humidity_percent?': between(number('Relative humidity in percent'), 0, 100),
  }),
  wireTool('irrigate_bench', 'Water the plants on a bench.', {
    bench,
    litres: number('Amount of water in litres'),
    'fertiliser?': flag('Whether fertiliser is added'),
  }),
  wireTool('sow_seeds', 'Sow seeds in trays on a bench.', {
    crop: text('What to sow'),
    trays: between(integer('Number of trays'), 1),
    bench,
  }),
  wireTool('move_trays', 'Move trays from a bench to another bench.', {
    from_bench: bench,
    to_bench: bench,
    trays: between(integer('Number of trays'), 1),
  }),
  wireTool('log_pest', 'Record that a pest was seen on a bench.', {
    bench,
    pest: oneOf('aphids', 'whitefly', 'thrips', 'spider_mites'),
    'severity?': oneOf('low', 'medium', 'high'),
  }),
  wireTool('start_brew', 'Start brewing a beer.', {
    recipe: oneOf('pale_ale', 'stout', 'pilsner', 'wheat_beer'),
    volume_l: number('Volume in litres'),
    fermenter: between(integer('Number of the fermenter'), 1, 12),
  }),
  wireTool('add_hops', 'Add hops to a batch of beer.', {
    batch,
    variety: text('Name of the hop variety'),
    grams: number('Amount in grams'),
  }),
  wireTool('record_gravity', 'Record a gravity reading of a batch of beer.', {
    batch,
    gravity: between(number('Specific gravity, like 1.048'), 0.98, 1.2),
    'temperature_c?': number('Temperature of the sample in °C'),
  }),
  wireTool('keg_batch', 'Fill a batch of beer into kegs.', {
    batch,
    kegs: between(integer('Number of kegs'), 1),
    keg_size_l: { type: 'integer', enum: [20, 30, 50], description: 'Size of a keg in litres' },
  }),
  wireTool('take_laundry_order', 'Take an order at the laundry.', {
    customer: text('Name of the customer'),
    items: listOf(
      objectOf({
        garment: oneOf('shirt', 'trousers', 'coat', 'bed_sheet', 'tablecloth'),
        count: between(integer('How many'), 1),
      }),
      'What is to be washed',
    ),
    'express?': flag('Whether it is an express order'),
  }),
  wireTool('set_washing_programme', 'Set the programme of a washing machine.', {
    machine: between(integer('Number of the machine'), 1, 10),
    programme: oneOf('delicate', 'cotton', 'wool', 'synthetics'),
    temperature_c: between(integer('Temperature in °C'), 20, 95),
  }),
  wireTool('mark_laundry_ready', 'Mark a laundry ticket as ready for collection.', {
    ticket: code('Number of the ticket, like T00001', '^T\\d{5}$'),
    'notify?': flag('Whether the customer gets a text message. Default: true'),
  }),
]

const secondCases: PlannerCase[] = [
  one('Set house 3 to 22 degrees with 65 percent humidity, please.', 'set_greenhouse_climate', {
    house: 3,
    temperature_c: 22,
    humidity_percent: 65,
  }),
  one('Could you bring greenhouse 5 down to 68 °F?', 'set_greenhouse_climate', {
    house: 5,
    temperature_c: 20,
  }),
  maybe(
    'Give bench B07 twelve litres of water without fertiliser.',
    'irrigate_bench',
    { bench: 'B07', litres: 12 },
    { fertiliser: false },
  ),
  one('water bench b12 with 1500 ml and add fertilizer', 'irrigate_bench', {
    bench: 'B12',
    litres: 1.5,
    fertiliser: true,
  }),
  ...none(
    'I watered B09 already, so leave it alone.',
    'Move half of the trays from B03 to B11.',
    'Brew 250 litres of the wheat beer.',
    'Run machine 4 on cotton at something between 60 and 90 degrees.',
  ),
  all(
    'Sow basil in eight trays on bench B03 and dill in another four trays on B04.',
    ['sow_seeds', { crop: 'basil', trays: 8, bench: 'B03' }],
    ['sow_seeds', { crop: 'dill', trays: 4, bench: 'B04' }],
  ),
  one('There is whitefly on B15, severity low.', 'log_pest', {
    bench: 'B15',
    pest: 'whitefly',
    severity: 'low',
  }),
  one('move 6 trays from b03 to b11', 'move_trays', { from_bench: 'B03', to_bench: 'B11', trays: 6 }),
  one("Don't move anything from B03, just water it with 8 litres.", 'irrigate_bench', {
    bench: 'B03',
    litres: 8,
  }),
  one('Start four hectolitres of the stout in fermenter 9.', 'start_brew', {
    recipe: 'stout',
    volume_l: 400,
    fermenter: 9,
  }),
  all(
    'Add 120 g of Cascade and 80 g of Citra to batch BR-041.',
    ['add_hops', { batch: 'BR-041', variety: 'Cascade', grams: 120 }],
    ['add_hops', { batch: 'BR-041', variety: 'Citra', grams: 80 }],
  ),
  one('BR-052 needs half a kilo of Saaz hops, please add them.', 'add_hops', {
    batch: 'BR-052',
    variety: 'Saaz',
    grams: 500,
  }),
  one('The gravity of BR-038 was 1.012 at 19 degrees.', 'record_gravity', {
    batch: 'BR-038',
    gravity: 1.012,
    temperature_c: 19,
  }),
  one('Please fill BR-038 into fourteen 30-litre kegs.', 'keg_batch', {
    batch: 'BR-038',
    kegs: 14,
    keg_size_l: 30,
  }),
  worded(
    'Take an express order for Rosa Keller: five shirts and a coat.',
    'take_laundry_order',
    { customer: 'Rosa Keller', express: true },
    'items',
    [
      { garment: 'shirt', count: 5 },
      { garment: 'coat', count: 1 },
    ],
    [
      { garment: 'coat', count: 1 },
      { garment: 'shirt', count: 5 },
    ],
  ),
  one('Put machine 2 on wool at 30 degrees, actually make that 20.', 'set_washing_programme', {
    machine: 2,
    programme: 'wool',
    temperature_c: 20,
  }),
  one("T40213 is ready, but please don't notify the customer.", 'mark_laundry_ready', {
    ticket: 'T40213',
    notify: false,
  }),
  partly('Irrigate B02 with 10 litres and order more peat.', 'peat', [
    'irrigate_bench',
    { bench: 'B02', litres: 10 },
  ]),
  {
    ...one('Now the same for B08, please.', 'irrigate_bench', { bench: 'B08', litres: 12 }),
    earlier: spoken('Give bench B07 twelve litres of water.', [
      ['irrigate_bench', { bench: 'B07', litres: 12 }, { ok: true }],
    ]),
  },
  {
    ...one('Fermenter 7.', 'start_brew', { recipe: 'pilsner', volume_l: 300, fermenter: 7 }),
    earlier: spoken('Brew 300 litres of pilsner.', [], 'Which fermenter should it go into?'),
  },
]

export const firstTrades: readonly SeventhPart[] = [
  { tools: first, cases: firstCases, now: seventhNow },
  { tools: second, cases: secondCases, now: seventhNow },
]
