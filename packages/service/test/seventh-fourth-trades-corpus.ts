import {
  all,
  type CaseCall,
  date,
  either,
  flag,
  integer,
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
import { between, clock, code, moment, type SeventhPart, seventhNow, worded } from './seventh-case.js'

// Requests in trades, by an author who had not seen the planner or another part. See `seventh-unseen-corpus.ts`.

// campsite, cinema, pottery studio, taxi

const seventh = [
  wireTool('book_pitch', 'Book a pitch or a cabin on the campsite.', {
    guest: text('Name of the guest'),
    arrival: date('Day of arrival'),
    nights: between(integer('Number of nights'), 1),
    kind: oneOf('tent', 'caravan', 'motorhome', 'cabin'),
    'electricity?': flag('Whether electricity is needed'),
  }),
  wireTool('extend_stay', 'Extend the stay of a guest on the campsite.', {
    booking: code('Number of the booking, like C0001', '^C\\d{4}$'),
    extra_nights: between(integer('Additional nights'), 1),
  }),
  wireTool('report_campsite_fault', 'Report that something on the campsite is broken.', {
    facility: oneOf('showers', 'toilets', 'playground', 'electricity', 'wifi'),
    'urgent?': flag('Whether it is urgent'),
  }),
  wireTool('reserve_seats', 'Reserve cinema seats for a film.', {
    film: text('Title of the film'),
    date: date('Day of the showing'),
    time: clock('Start of the showing'),
    seats: between(integer('Number of seats'), 1, 12),
    'row?': code('Letter of the row', '^[A-P]$'),
    'discount?': oneOf('student', 'senior', 'child'),
  }),
  wireTool('get_showtimes', 'List the films that the cinema shows on a day.', {
    date: date('The day'),
    'film?': text('Only this film'),
  }),
  wireTool('refund_ticket', 'Refund a cinema ticket.', {
    ticket: code('Number of the ticket, like TK0000001', '^TK\\d{7}$'),
  }),
  wireTool('book_pottery_course', 'Sign a person up for a course in the pottery studio.', {
    participant: text('Name of the participant'),
    course: oneOf('wheel_throwing', 'handbuilding', 'glazing', 'raku'),
    date: date('Day of the course'),
  }),
  wireTool('fire_kiln', 'Start a firing in a kiln.', {
    kiln: oneOf('small', 'large'),
    programme: oneOf('bisque', 'glaze', 'raku'),
    peak_celsius: between(integer('Highest temperature in °C'), 600, 1320),
  }),
  wireTool('order_clay', 'Order clay for the pottery studio.', {
    clay: oneOf('stoneware', 'porcelain', 'earthenware'),
    kilograms: number('Weight in kilograms'),
  }),
  wireTool('dispatch_taxi', 'Send a taxi to a customer.', {
    pickup: text('Where the customer is picked up'),
    'destination?': text('Where the ride goes'),
    'pickup_time?': moment('When the customer is picked up. Default: now'),
    'passengers?': between(integer('Number of passengers'), 1, 8),
    'wheelchair?': flag('Whether the taxi must take a wheelchair'),
  }),
  wireTool('cancel_taxi', 'Cancel a taxi ride.', { ride_no: integer('Number of the ride') }),
  wireTool('log_lost_item', 'Record that a lost item was found.', {
    item: text('What was found'),
    place: text('Where it was found'),
  }),
]

const rose = (pickup: string): CaseCall[] => [
  ['cancel_taxi', { ride_no: 5521 }],
  ['dispatch_taxi', { pickup, wheelchair: true }],
]

const seventhCases: PlannerCase[] = [
  one(
    'Book a caravan pitch with electricity for Anders Lindqvist, arriving on 12 December and leaving on the 15th.',
    'book_pitch',
    {
      guest: 'Anders Lindqvist',
      arrival: '2026-12-12',
      nights: 3,
      kind: 'caravan',
      electricity: true,
    },
  ),
  either(
    'pls book a tent pitch for sara okoye, 2 nights from saturday, no electricity',
    ...['Sara Okoye', 'sara okoye'].flatMap((guest): CaseCall[][] => [
      [['book_pitch', { guest, arrival: '2026-11-21', nights: 2, kind: 'tent', electricity: false }]],
      [['book_pitch', { guest, arrival: '2026-11-21', nights: 2, kind: 'tent' }]],
    ]),
  ),
  one('The guests of C1180 want to stay three nights longer.', 'extend_stay', {
    booking: 'C1180',
    extra_nights: 3,
  }),
  one('The showers on the campsite are broken and it is urgent.', 'report_campsite_fault', {
    facility: 'showers',
    urgent: true,
  }),
  one(
    'Reserve four seats in row F for "The Long Tide" on Friday at quarter past eight in the evening.',
    'reserve_seats',
    {
      film: 'The Long Tide',
      date: '2026-11-20',
      time: '20:15',
      seats: 4,
      row: 'F',
    },
  ),
  one('What is the cinema showing tomorrow?', 'get_showtimes', { date: '2026-11-17' }),
  one('Reserve two student seats for "Paper Moon" tonight at 7:45.', 'reserve_seats', {
    film: 'Paper Moon',
    date: '2026-11-16',
    time: '19:45',
    seats: 2,
    discount: 'student',
  }),
  all(
    'Refund TK0048812 and TK0048813, the film was cancelled.',
    ['refund_ticket', { ticket: 'TK0048812' }],
    ['refund_ticket', { ticket: 'TK0048813' }],
  ),
  one('Sign Amélie up for the glazing course on 8 December.', 'book_pottery_course', {
    participant: 'Amélie',
    course: 'glazing',
    date: '2026-12-08',
  }),
  one('Sign Piet up for raku on the 5th of December, no, on the 12th.', 'book_pottery_course', {
    participant: 'Piet',
    course: 'raku',
    date: '2026-12-12',
  }),
  one('Fire the large kiln with the bisque programme up to a thousand degrees.', 'fire_kiln', {
    kiln: 'large',
    programme: 'bisque',
    peak_celsius: 1000,
  }),
  one('Start a glaze firing in the small kiln with a peak of 2264 °F.', 'fire_kiln', {
    kiln: 'small',
    programme: 'glaze',
    peak_celsius: 1240,
  }),
  one('Not the large kiln: start a glaze firing in the small one at 1220 °C.', 'fire_kiln', {
    kiln: 'small',
    programme: 'glaze',
    peak_celsius: 1220,
  }),
  all(
    'Order 60 kilos of stoneware and a quarter of a tonne of earthenware.',
    ['order_clay', { clay: 'stoneware', kilograms: 60 }],
    ['order_clay', { clay: 'earthenware', kilograms: 250 }],
  ),
  worded(
    'Send a taxi for three people to 14 Mill Lane tomorrow at 6:40 am, they are going to the airport.',
    'dispatch_taxi',
    { pickup: '14 Mill Lane', pickup_time: '2026-11-17T06:40', passengers: 3 },
    'destination',
    'airport',
    'the airport',
    'Airport',
  ),
  either(
    'Cancel ride 5521 and send a wheelchair taxi to the Rose Hotel.',
    rose('Rose Hotel'),
    rose('the Rose Hotel'),
  ),
  worded(
    'Somebody found a blue umbrella in hall 2.',
    'log_lost_item',
    { place: 'hall 2' },
    'item',
    'blue umbrella',
    'a blue umbrella',
    'Blue umbrella',
  ),
  partly('Extend C2045 by one night and book the guests a table at the pizzeria.', 'pizzeria', [
    'extend_stay',
    { booking: 'C2045', extra_nights: 1 },
  ]),
  {
    ...one('Please extend it by two nights.', 'extend_stay', { booking: 'C3301', extra_nights: 2 }),
    earlier: spoken(
      'Book a cabin for Ruth Maier from 1 December for four nights.',
      [
        [
          'book_pitch',
          { guest: 'Ruth Maier', arrival: '2026-12-01', nights: 4, kind: 'cabin' },
          { booking: 'C3301' },
        ],
      ],
      'The cabin is booked, the number is C3301.',
    ),
  },
  ...none(
    'Is the playground open in winter?',
    'Order some porcelain.',
    'Cancel my ride.',
    "I've already refunded TK0048812.",
  ),
]

export const fourthTrades: readonly SeventhPart[] = [{ tools: seventh, cases: seventhCases, now: seventhNow }]
