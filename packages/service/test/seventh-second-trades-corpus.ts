import {
  all,
  date,
  flag,
  integer,
  none,
  number,
  one,
  oneOf,
  type PlannerCase,
  partly,
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

// print shop, choir, archive

const shelfmark = code('Shelfmark in the archive, like KA 12/340', '^[A-Z]{2} \\d{1,3}/\\d{1,4}$')
const section = oneOf('soprano', 'alto', 'tenor', 'bass', 'all')

const third = [
  wireTool('order_business_cards', 'Order business cards for a person.', {
    person: text('Name on the cards'),
    quantity: between(integer('Number of cards'), 50),
    'finish?': oneOf('matt', 'glossy', 'uncoated'),
    'double_sided?': flag('Whether both sides are printed'),
  }),
  wireTool('print_poster', 'Print a file as a poster.', {
    file: text('Name of the file'),
    size: oneOf('A3', 'A2', 'A1', 'A0'),
    copies: between(integer('Number of copies'), 1),
    'laminate?': flag('Whether the posters are laminated'),
  }),
  wireTool('quote_booklet', 'Calculate the price of booklets.', {
    pages: between(integer('Pages of a booklet'), 4),
    copies: between(integer('Number of booklets'), 1),
    binding: oneOf('stapled', 'spiral', 'glued'),
  }),
  wireTool('get_print_job', 'Get the state of a print job.', {
    job_no: code('Number of the job, like J000001', '^J\\d{6}$'),
  }),
  wireTool('schedule_rehearsal', 'Schedule a rehearsal of the choir or of a section.', {
    date: date('Day of the rehearsal'),
    start: clock('Start'),
    'end?': clock('End'),
    'section?': described(section, 'Who rehearses'),
    'room?': text('Where it takes place'),
  }),
  wireTool('record_absence', 'Record that a singer is absent from a rehearsal.', {
    singer: text('Name of the singer'),
    date: date('Day of the rehearsal'),
    'excused?': flag('Whether the singer is excused'),
  }),
  wireTool('add_to_programme', 'Add a piece to the concert programme of the choir.', {
    piece: text('Title of the piece'),
    composer: text('Who composed it'),
  }),
  wireTool('email_choir', 'Send an email to a section of the choir.', {
    section: described(section, 'Who gets it'),
    subject: text('Subject of the email'),
    body: text('Text of the email'),
  }),
  wireTool('request_archive_box', 'Order a box from the archive to the reading room.', {
    shelfmark,
    reader: text('Name of the reader'),
    date: date('Day of the visit'),
  }),
  wireTool('digitise_document', 'Scan a document of the archive.', {
    shelfmark,
    dpi: { type: 'integer', enum: [300, 400, 600], description: 'Resolution in dpi' },
    'colour?': flag('Scan in colour, not in black and white'),
    'first_page?': between(integer('First page'), 1),
    'last_page?': between(integer('Last page'), 1),
  }),
  wireTool('search_archive', 'Search the catalogue of the archive.', {
    query: text('What to search for'),
    'kind?': oneOf('letter', 'map', 'photograph', 'charter', 'newspaper'),
    'year_from?': integer('Earliest year'),
    'year_to?': integer('Latest year'),
  }),
  wireTool('extend_reading_permit', "Extend a reader's permit for the archive.", {
    permit: code('Number of the permit, like R-0001', '^R-\\d{4}$'),
    months: between(integer('By how many months'), 1),
  }),
]

const thirdCases: PlannerCase[] = [
  one('We need 250 matt business cards for Ingrid Solberg, printed on both sides.', 'order_business_cards', {
    person: 'Ingrid Solberg',
    quantity: 250,
    finish: 'matt',
    double_sided: true,
  }),
  one('Please print three copies of festival.pdf as A1 posters and laminate them.', 'print_poster', {
    file: 'festival.pdf',
    size: 'A1',
    copies: 3,
    laminate: true,
  }),
  maybe(
    'print 2 copies of concert.pdf as an a2 poster, no lamination',
    'print_poster',
    { file: 'concert.pdf', size: 'A2', copies: 2 },
    { laminate: false },
  ),
  one('What would 120 spiral-bound booklets with 48 pages cost?', 'quote_booklet', {
    pages: 48,
    copies: 120,
    binding: 'spiral',
  }),
  one('How far along is job J203118?', 'get_print_job', { job_no: 'J203118' }),
  {
    ask: 'Print three A2 posters of menu.pdf and order some business cards for Ana Ruiz.',
    calls: [['print_poster', { file: 'menu.pdf', size: 'A2', copies: 3 }]],
    or: [[]],
  },
  one('Schedule a rehearsal for the tenors on Wednesday from 7:30 pm to 9 pm.', 'schedule_rehearsal', {
    date: '2026-11-18',
    start: '19:30',
    end: '21:00',
    section: 'tenor',
  }),
  one('Lena Fuchs is excused from the rehearsal on 26 November, please record it.', 'record_absence', {
    singer: 'Lena Fuchs',
    date: '2026-11-26',
    excused: true,
  }),
  one("Tom Berger was absent from yesterday's rehearsal and wasn't excused.", 'record_absence', {
    singer: 'Tom Berger',
    date: '2026-11-15',
    excused: false,
  }),
  all(
    'Add "Ave verum" by Mozart and "Locus iste" by Bruckner to the programme.',
    ['add_to_programme', { piece: 'Ave verum', composer: 'Mozart' }],
    ['add_to_programme', { piece: 'Locus iste', composer: 'Bruckner' }],
  ),
  one(
    'Email the altos with the subject "Room change" and the text "We sing in room 4 on Friday."',
    'email_choir',
    {
      section: 'alto',
      subject: 'Room change',
      body: 'We sing in room 4 on Friday.',
    },
  ),
  one(
    'Send the basses an email with the subject "Scores" and the text "Print the new scores and cancel the old order."',
    'email_choir',
    {
      section: 'bass',
      subject: 'Scores',
      body: 'Print the new scores and cancel the old order.',
    },
  ),
  one(
    'Order box KA 12/340 to the reading room for Paul Stein, who is coming on the 23rd of November.',
    'request_archive_box',
    {
      shelfmark: 'KA 12/340',
      reader: 'Paul Stein',
      date: '2026-11-23',
    },
  ),
  one('Digitise HS 4/77 in colour at 600 dpi, but only pages 12 to 18.', 'digitise_document', {
    shelfmark: 'HS 4/77',
    dpi: 600,
    colour: true,
    first_page: 12,
    last_page: 18,
  }),
  maybe(
    'Scan MB 7/1902 at 300 dpi in black and white.',
    'digitise_document',
    { shelfmark: 'MB 7/1902', dpi: 300 },
    { colour: false },
  ),
  worded(
    'Are there any photographs of the harbour from between 1890 and 1910 in the archive?',
    'search_archive',
    { kind: 'photograph', year_from: 1890, year_to: 1910 },
    'query',
    'harbour',
    'the harbour',
    'Harbour',
    'photographs of the harbour',
  ),
  worded(
    'Search the archive for maps of Lake Orrin.',
    'search_archive',
    { kind: 'map' },
    'query',
    'Lake Orrin',
    'maps of Lake Orrin',
  ),
  one('Extend the reading permit R-2207 by half a year.', 'extend_reading_permit', {
    permit: 'R-2207',
    months: 6,
  }),
  partly(
    'Give me a price for 200 stapled booklets of 16 pages, and translate the text into French.',
    'French',
    ['quote_booklet', { pages: 16, copies: 200, binding: 'stapled' }],
  ),
  ...none(
    'Print concert.pdf as a poster.',
    'Extend his permit by a year.',
    "If more than five singers are ill, cancel Wednesday's rehearsal.",
  ),
]

// kennel, radio station, tailor

const dog = text('Name of the dog')

const fourth = [
  wireTool('check_in_dog', 'Check a dog in at the kennel.', {
    dog,
    arrival: date('Day of arrival'),
    nights: between(integer('Number of nights'), 1),
    'breed?': text('Breed of the dog'),
    'diet?': oneOf('normal', 'raw', 'grain_free', 'puppy'),
  }),
  wireTool('log_walk', 'Record a walk with a dog.', {
    dog,
    minutes: between(integer('How long it took in minutes'), 1),
    'in_group?': flag('Whether it was a walk with the group'),
  }),
  wireTool('give_medication', 'Give a medicine to a dog.', {
    dog,
    medicine: text('Name of the medicine'),
    dose_mg: number('Dose in milligrams'),
    'with_food?': flag('Whether it is given with food'),
  }),
  wireTool('book_grooming', 'Book a grooming appointment for a dog.', {
    dog,
    service: oneOf('bath', 'trim', 'nail_clipping', 'full_groom'),
    date: date('Day of the grooming'),
  }),
  wireTool('schedule_show', 'Put a radio show into the schedule.', {
    show: text('Name of the show'),
    host: text('Who hosts it'),
    date: date('Day of the broadcast'),
    start: clock('Start'),
    duration_minutes: between(integer('Length in minutes'), 5),
  }),
  wireTool('queue_song', 'Put a song into the queue of the radio station.', {
    title: text('Title of the song'),
    'artist?': text('Who performs it'),
    'position?': oneOf('next', 'last'),
  }),
  wireTool('log_listener_call', 'Record the call of a listener.', {
    caller: text('Name of the caller'),
    topic: oneOf('complaint', 'song_request', 'traffic', 'praise'),
  }),
  wireTool('set_transmitter_power', 'Set the power of a transmitter.', {
    site: oneOf('hill', 'tower', 'coast'),
    watts: number('Power in watts'),
  }),
  wireTool('schedule_spot', 'Schedule an advertising spot on the radio.', {
    sponsor: text('Who pays for it'),
    seconds: between(integer('Length in seconds'), 5),
    airings_per_day: between(integer('How often it runs in a day'), 1),
  }),
  wireTool('record_measurements', 'Record the measurements of a customer of the tailor.', {
    customer: text('Name of the customer'),
    'chest_cm?': number('Chest in centimetres'),
    'waist_cm?': number('Waist in centimetres'),
    'hip_cm?': number('Hips in centimetres'),
    'sleeve_cm?': number('Sleeve in centimetres'),
  }),
  wireTool('order_alteration', 'Take an order to alter a garment.', {
    customer: text('Name of the customer'),
    garment: oneOf('jacket', 'trousers', 'dress', 'skirt', 'shirt'),
    work: oneOf('shorten', 'lengthen', 'take_in', 'let_out', 'new_zip'),
    'amount_cm?': number('By how many centimetres'),
    'due?': date('When it must be finished'),
  }),
  wireTool('order_fabric', 'Order fabric for the tailor.', {
    fabric: oneOf('wool', 'linen', 'silk', 'cotton', 'tweed'),
    metres: number('Length in metres'),
    'colour?': text('Colour of the fabric'),
  }),
]

const fourthCases: PlannerCase[] = [
  one('Check in Bruno, a boxer, for five nights from 20 November; he eats grain-free food.', 'check_in_dog', {
    dog: 'Bruno',
    arrival: '2026-11-20',
    nights: 5,
    breed: 'boxer',
    diet: 'grain_free',
  }),
  one('Check Luna in tomorrow, she is staying until Saturday.', 'check_in_dog', {
    dog: 'Luna',
    arrival: '2026-11-17',
    nights: 4,
  }),
  one('Rex was out for three quarters of an hour with the group.', 'log_walk', {
    dog: 'Rex',
    minutes: 45,
    in_group: true,
  }),
  all(
    "I've walked Bella and Max for 30 minutes each, please log it.",
    ['log_walk', { dog: 'Bella', minutes: 30 }],
    ['log_walk', { dog: 'Max', minutes: 30 }],
  ),
  one('Give Nelly 50 mg of carprofen with her food.', 'give_medication', {
    dog: 'Nelly',
    medicine: 'carprofen',
    dose_mg: 50,
    with_food: true,
  }),
  one('Would you give Whisky a quarter of a gram of metronidazole?', 'give_medication', {
    dog: 'Whisky',
    medicine: 'metronidazole',
    dose_mg: 250,
  }),
  all(
    'Book Fritz in for a nail clipping the day after tomorrow and for a bath on Sunday.',
    ['book_grooming', { dog: 'Fritz', service: 'nail_clipping', date: '2026-11-18' }],
    ['book_grooming', { dog: 'Fritz', service: 'bath', date: '2026-11-22' }],
  ),
  one(
    'Put the show "Night Owls" with Petra Vogel into the schedule for 27 November at 10 pm, for two hours.',
    'schedule_show',
    {
      show: 'Night Owls',
      host: 'Petra Vogel',
      date: '2026-11-27',
      start: '22:00',
      duration_minutes: 120,
    },
  ),
  one('Queue "Blue Monday" by New Order next.', 'queue_song', {
    title: 'Blue Monday',
    artist: 'New Order',
    position: 'next',
  }),
  one('queue "Stop Everything" as the last song', 'queue_song', {
    title: 'Stop Everything',
    position: 'last',
  }),
  worded(
    'Ms Hahn rang up to complain about the loud news.',
    'log_listener_call',
    { topic: 'complaint' },
    'caller',
    'Ms Hahn',
    'Hahn',
  ),
  one('Turn the coast transmitter down to 1.5 kilowatts.', 'set_transmitter_power', {
    site: 'coast',
    watts: 1500,
  }),
  one('Schedule a 20-second spot for Bakers & Sons, six times a day.', 'schedule_spot', {
    sponsor: 'Bakers & Sons',
    seconds: 20,
    airings_per_day: 6,
  }),
  one(
    'Take down the measurements of Clara Wood: waist 74, hips 98, and the chest is 92.',
    'record_measurements',
    {
      customer: 'Clara Wood',
      chest_cm: 92,
      waist_cm: 74,
      hip_cm: 98,
    },
  ),
  worded(
    'The sleeve of Mr Okafor measures 64 cm - sorry, 62.',
    'record_measurements',
    { sleeve_cm: 62 },
    'customer',
    'Mr Okafor',
    'Okafor',
  ),
  one(
    'Shorten the trousers of Elif Demir by 3 cm; they must be finished by 24 November.',
    'order_alteration',
    {
      customer: 'Elif Demir',
      garment: 'trousers',
      work: 'shorten',
      amount_cm: 3,
      due: '2026-11-24',
    },
  ),
  all(
    "Take in Hanna Roth's dress by 15 mm and put a new zip into her skirt.",
    ['order_alteration', { customer: 'Hanna Roth', garment: 'dress', work: 'take_in', amount_cm: 1.5 }],
    ['order_alteration', { customer: 'Hanna Roth', garment: 'skirt', work: 'new_zip' }],
  ),
  worded(
    'Order 3.5 m of navy blue linen.',
    'order_fabric',
    { fabric: 'linen', metres: 3.5 },
    'colour',
    'navy blue',
    'navy',
    'Navy blue',
  ),
  one("Don't order any wool; order two metres of cotton instead.", 'order_fabric', {
    fabric: 'cotton',
    metres: 2,
  }),
  partly('Log a 40 minute walk for Pepper and send his owner a photo.', 'photo', [
    'log_walk',
    { dog: 'Pepper', minutes: 40 },
  ]),
  ...none(
    'Give Oskar his usual tablets.',
    'Oskar has already had his 75 mg of carprofen.',
    'Run the hill transmitter at full power.',
  ),
]

export const secondTrades: readonly SeventhPart[] = [
  { tools: third, cases: thirdCases, now: seventhNow },
  { tools: fourth, cases: fourthCases, now: seventhNow },
]
