import type { Field } from './fields-corpus.js'
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
  text,
  wireTool,
} from './planner-case.js'

// Requests in six further fields, written before the planner was asked any of them and after the rules that the third
// sets led to. Right, asked and wrong at first sight: 62, 4 and 1 of 67.

export const fourthRequests: Readonly<Record<string, Field>> = {
  brewery: {
    tools: [
      wireTool('start_batch', 'Start a new batch of beer', {
        recipe: text('Name of the recipe'),
        liters: number('Volume in litres'),
        'tank?': text('Tank, e.g. T4'),
        'organic?': flag('Whether only organic malt is used'),
      }),
      wireTool('log_gravity', 'Log a gravity reading of a tank', {
        tank: text('Tank, e.g. T4'),
        gravity: number('Specific gravity, e.g. 1.048'),
        'temperature?': number('Temperature in degrees Celsius'),
      }),
      wireTool('order_hops', 'Order hops from the supplier', {
        variety: oneOf('Cascade', 'Citra', 'Saaz'),
        kilograms: number('Amount in kilograms'),
        'express?': flag('Express delivery'),
      }),
      wireTool('list_tanks', 'List the tanks', { 'state?': oneOf('empty', 'fermenting', 'cleaning') }),
    ],
    cases: [
      one('Start a batch of Harbour Pale with 400 litres in T2', 'start_batch', {
        recipe: 'Harbour Pale',
        liters: 400,
        tank: 'T2',
      }),
      one('Log a gravity of 1.012 for tank T4 at 19.5 degrees', 'log_gravity', {
        tank: 'T4',
        gravity: 1.012,
        temperature: 19.5,
      }),
      all(
        'Order 12 kg of Citra and 8 kg of Saaz',
        ['order_hops', { variety: 'Citra', kilograms: 12 }],
        ['order_hops', { variety: 'Saaz', kilograms: 8 }],
      ),
      one('Order 5 kilos of Cascade, express', 'order_hops', {
        variety: 'Cascade',
        kilograms: 5,
        express: true,
      }),
      one('Which tanks are empty?', 'list_tanks', { state: 'empty' }),
      partly('Show me the fermenting tanks and wash the floor', 'floor', [
        'list_tanks',
        { state: 'fermenting' },
      ]),
      one('Order 10 kg of Saaz, no, 15', 'order_hops', { variety: 'Saaz', kilograms: 15 }),
      ...none(
        'Order 3 kg of Mosaic',
        'Empty tank T4',
        "Don't order any Citra",
        'Start a batch of Harbour Pale',
        'Cancel the order of 12 kg of Citra',
      ),
    ],
  },
  museum: {
    tools: [
      wireTool('sell_tickets', 'Sell admission tickets', {
        adults: integer('Number of adults'),
        'children?': integer('Number of children'),
        date: date('Day of the visit'),
        'audio_guide?': flag('Whether audio guides are included'),
      }),
      wireTool('book_tour', 'Book a guided tour', {
        language: oneOf('English', 'French', 'German'),
        date: date('Day'),
        time: text('Time as HH:MM'),
        'group_size?': integer('Number of people'),
      }),
      wireTool('find_exhibit', 'Find an exhibit in the collection', {
        'artist?': text('Name of the artist'),
        'period?': oneOf('ancient', 'medieval', 'modern'),
        'floor?': integer('Floor'),
      }),
      wireTool('report_damage', 'Report damage to an exhibit', {
        exhibit: text('Inventory number, e.g. M-204'),
        description: text('What is damaged'),
      }),
    ],
    cases: [
      one('Sell tickets for 2 adults and 3 children on 28 November with audio guides', 'sell_tickets', {
        adults: 2,
        children: 3,
        date: '2026-11-28',
        audio_guide: true,
      }),
      one('Book a French tour on 3 December at 11:00 for a group of 14 people', 'book_tour', {
        language: 'French',
        date: '2026-12-03',
        time: '11:00',
        group_size: 14,
      }),
      one('Find works by Paul Klee on floor 2', 'find_exhibit', { artist: 'Paul Klee', floor: 2 }),
      one('Show medieval exhibits', 'find_exhibit', { period: 'medieval' }),
      either('Report damage to M-204: the frame is cracked', [
        ['report_damage', { exhibit: 'M-204', description: 'the frame is cracked' }],
      ]),
      partly('Book a German tour tomorrow at 15:00 and reserve a table in the cafe', 'table', [
        'book_tour',
        { language: 'German', date: '2026-11-22', time: '15:00' },
      ]),
      ...none(
        'Book a Spanish tour tomorrow at 15:00',
        'Repair M-204',
        'When do you close on Sundays?',
        'No audio guides for us, please',
        'Cancel the tour on 3 December',
      ),
    ],
  },
  farm: {
    tools: [
      wireTool('record_milk', 'Record the milk of a cow', {
        cow: integer('Number of the cow'),
        liters: number('Litres of milk'),
        'date?': date('Day of the milking'),
      }),
      wireTool('treat_animal', 'Record a treatment of an animal', {
        animal: text('Ear tag, e.g. DE-4471'),
        drug: text('Name of the drug'),
        dose_ml: number('Dose in millilitres'),
        'withdrawal_days?': integer('Days without milk delivery'),
      }),
      wireTool('sell_produce', 'Record a sale of produce', {
        product: oneOf('eggs', 'milk', 'cheese'),
        quantity: number('Quantity'),
        buyer: text('Name of the buyer'),
        'price?': number('Price in euros'),
      }),
      wireTool('move_herd', 'Move the herd to another pasture', {
        pasture: oneOf('north', 'south', 'hill'),
        'when?': date('Day'),
      }),
    ],
    cases: [
      one('Cow 17 gave 24.5 litres today', 'record_milk', { cow: 17, liters: 24.5, date: '2026-11-21' }),
      all(
        'Record 22 litres for cow 3 and 19 litres for cow 8',
        ['record_milk', { cow: 3, liters: 22 }],
        ['record_milk', { cow: 8, liters: 19 }],
      ),
      one('Treat DE-4471 with 10 ml of Oxytocin', 'treat_animal', {
        animal: 'DE-4471',
        drug: 'Oxytocin',
        dose_ml: 10,
      }),
      one('Record the sale of 60 eggs to Rosa Lindt for 18 euros', 'sell_produce', {
        product: 'eggs',
        quantity: 60,
        buyer: 'Rosa Lindt',
        price: 18,
      }),
      one('Move the herd to the hill pasture on Tuesday', 'move_herd', {
        pasture: 'hill',
        when: '2026-11-24',
      }),
      partly('Move the herd to the north pasture and mend the fence', 'fence', [
        'move_herd',
        { pasture: 'north' },
      ]),
      ...none(
        'Do not move the herd today',
        'Sell the tractor to Rosa Lindt',
        'How much milk did cow 17 give last week?',
        'Move the herd to the river',
        'Treat DE-4471 with Oxytocin',
      ),
    ],
  },
  podcast: {
    tools: [
      wireTool('publish_episode', 'Publish an episode', {
        title: text('Title of the episode'),
        'date?': date('Day of the release'),
        'explicit?': flag('Marked as explicit'),
        'tags?': listOf({ type: 'string' }, 'Tags'),
      }),
      wireTool('invite_guest', 'Invite a guest by email', {
        name: text('Full name of the guest'),
        email: { type: 'string', format: 'email' },
        'topic?': text('Topic of the talk'),
      }),
      wireTool('trim_audio', 'Trim a recording', {
        track: text('File, e.g. intro.wav'),
        start_seconds: number('Start in seconds'),
        end_seconds: number('End in seconds'),
      }),
      wireTool('get_downloads', 'Get the number of downloads', {
        'episode?': integer('Number of the episode'),
        'since?': date('First day'),
      }),
    ],
    cases: [
      one('Publish the episode "Night Trains" on 1 December, tags travel and europe', 'publish_episode', {
        title: 'Night Trains',
        date: '2026-12-01',
        tags: ['travel', 'europe'],
      }),
      one('Publish "Raw Talk" and mark it as explicit', 'publish_episode', {
        title: 'Raw Talk',
        explicit: true,
      }),
      one('Invite Mira Sol, mira@sol.example, to talk about tides', 'invite_guest', {
        name: 'Mira Sol',
        email: 'mira@sol.example',
        topic: 'tides',
      }),
      one('Trim intro.wav from 12 to 95 seconds', 'trim_audio', {
        track: 'intro.wav',
        start_seconds: 12,
        end_seconds: 95,
      }),
      one('How many downloads has episode 14 had since 1 November?', 'get_downloads', {
        episode: 14,
        since: '2026-11-01',
      }),
      partly('Get the downloads of episode 14 and tweet them', 'tweet', ['get_downloads', { episode: 14 }]),
      ...none(
        'Delete the episode "Night Trains"',
        'Invite Mira Sol',
        'Trim intro.wav',
        'Record a new episode',
        'Never publish "Raw Talk"',
      ),
    ],
  },
  school: {
    tools: [
      wireTool('enter_grade', 'Enter a grade of a student', {
        student: text('Full name of the student'),
        subject: oneOf('math', 'history', 'biology'),
        grade: { type: 'integer', minimum: 1, maximum: 6, description: 'Grade from 1 to 6' },
      }),
      wireTool('excuse_student', 'Excuse the absence of a student', {
        student: text('Full name of the student'),
        from: date('First day'),
        'until?': date('Last day'),
        'reason?': text('Reason'),
      }),
      wireTool('schedule_exam', 'Schedule an exam', {
        subject: oneOf('math', 'history', 'biology'),
        date: date('Day'),
        minutes: integer('Duration in minutes'),
        'open_book?': flag('Whether books are allowed'),
      }),
      wireTool('message_parents', 'Send a message to the parents of a student', {
        student: text('Full name of the student'),
        message: text('Text of the message'),
      }),
    ],
    cases: [
      one('Enter a 2 in history for Noor Haddad', 'enter_grade', {
        student: 'Noor Haddad',
        subject: 'history',
        grade: 2,
      }),
      one('Excuse Tom Reiter from 24 to 27 November because of a cold', 'excuse_student', {
        student: 'Tom Reiter',
        from: '2026-11-24',
        until: '2026-11-27',
        reason: 'a cold',
      }),
      one('Schedule a 90 minute biology exam on 9 December, open book', 'schedule_exam', {
        subject: 'biology',
        date: '2026-12-09',
        minutes: 90,
        open_book: true,
      }),
      one('Message the parents of Noor Haddad: the trip starts at 8', 'message_parents', {
        student: 'Noor Haddad',
        message: 'the trip starts at 8',
      }),
      one('Schedule an hour of math exam on 10 December without books', 'schedule_exam', {
        subject: 'math',
        date: '2026-12-10',
        minutes: 60,
        open_book: false,
      }),
      partly('Enter a 1 in math for Noor Haddad and buy her a book', 'book', [
        'enter_grade',
        { student: 'Noor Haddad', subject: 'math', grade: 1 },
      ]),
      ...none(
        'Enter a 9 in math for Noor Haddad',
        'Enter a 2 in chemistry for Noor Haddad',
        'What is the grade of Noor Haddad in math?',
        'Move the biology exam to 11 December',
        'Cancel the math exam',
      ),
    ],
  },
  car: {
    tools: [
      wireTool('set_climate', 'Set the climate of the car', {
        temperature: number('Degrees Celsius'),
        'seat_heating?': flag('Heat the seats'),
        'zone?': oneOf('driver', 'passenger', 'rear'),
      }),
      wireTool('navigate', 'Start the navigation', {
        destination: text('Place or address'),
        'via?': text('Stop on the way'),
        'avoid_tolls?': flag('Avoid toll roads'),
      }),
      wireTool('schedule_charging', 'Schedule the charging of the battery', {
        start: text('Start as HH:MM'),
        limit_percent: integer('Charge up to this level in percent'),
      }),
      wireTool('control_window', 'Open or close a window', {
        window: oneOf('left', 'right', 'all'),
        action: oneOf('open', 'close'),
      }),
      wireTool('set_limits', 'Set the limits of the driving mode', {
        limits: objectOf({ speed_kmh: integer('Top speed in km/h'), 'power_kw?': integer('Power in kW') }),
      }),
    ],
    cases: [
      one('Set the climate to 21 degrees for the driver and heat the seats', 'set_climate', {
        temperature: 21,
        zone: 'driver',
        seat_heating: true,
      }),
      one('Navigate to Lake Como via Milan, avoid tolls', 'navigate', {
        destination: 'Lake Como',
        via: 'Milan',
        avoid_tolls: true,
      }),
      one('Charge the battery from 23:00 up to 80 percent', 'schedule_charging', {
        start: '23:00',
        limit_percent: 80,
      }),
      one('Close all windows', 'control_window', { window: 'all', action: 'close' }),
      one('Limit the speed to 110 km/h', 'set_limits', { limits: { speed_kmh: 110 } }),
      partly('Open the left window and sing me a song', 'song', [
        'control_window',
        { window: 'left', action: 'open' },
      ]),
      ...none(
        'Open the trunk',
        'Navigate home but not over the bridge',
        'How far is it to Lake Como?',
        'Stop the navigation',
        'Make it warmer',
      ),
    ],
  },
}
