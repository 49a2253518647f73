import * as z from 'zod'
import { Missing, type TypedCase } from './typed-output-cases.js'

const booking = z.object({
  guest: z.string(),
  nights: z.int(),
  room: z.enum(['single', 'double', 'suite']),
  breakfast: z.boolean(),
})
const job = z.object({
  position: z.string(),
  company: z.string(),
  salary: z.number().optional(),
  remote: z.boolean(),
})
const meeting = z.object({
  topic: z.string(),
  attendees: z.array(z.string()),
  date: z.iso.date(),
  time: z.string().describe('HH:MM'),
})
const flight = z.object({ from: z.string(), to: z.string(), date: z.iso.date(), passengers: z.int() })
const recipe = z.object({ dish: z.string(), servings: z.int(), minutes: z.int(), vegetarian: z.boolean() })
const complaint = z.object({
  orderId: z.string(),
  category: z.enum(['damaged', 'late', 'missing']),
  refundWanted: z.boolean(),
})
const bug = z.object({
  title: z.string(),
  severity: z.enum(['minor', 'major', 'critical']),
  version: z.string(),
})
const patient = z.object({
  firstName: z.string(),
  lastName: z.string(),
  birthDate: z.iso.date(),
  allergies: z.array(z.string()).optional(),
})
const expense = z.object({
  merchant: z.string(),
  amount: z.number(),
  currency: z.enum(['EUR', 'USD', 'GBP']),
  date: z.iso.date(),
})
const rental = z.object({
  customer: z.object({ name: z.string(), phone: z.string() }),
  car: z.string(),
  days: z.int(),
})
const feedback = z.object({ rating: z.int().min(1).max(5), comment: z.string() })
const lead = z.object({ name: z.string(), company: z.string(), budget: z.number().nullable() })
const cart = z.object({
  items: z.array(z.object({ product: z.string(), quantity: z.int() })),
  express: z.boolean(),
})
const sensor = z.object({ sensor: z.string(), temperature: z.number(), humidity: z.number() })
const answer = z.object({ capital: z.string() })
const todo = z.object({ task: z.string(), priority: z.enum(['low', 'medium', 'high']), done: z.boolean() })
const profile = z.object({ username: z.string(), country: z.string(), newsletter: z.boolean().optional() })
const appointment = z.object({
  patient: z.string(),
  doctor: z.string(),
  date: z.iso.date(),
  time: z.string().describe('HH:MM'),
})
const trip = z.object({ destination: z.string(), days: z.int(), budget: z.number(), currency: z.string() })
const review = z.object({ product: z.string(), stars: z.int().min(1).max(5), recommended: z.boolean() })
const parcel = z.object({ trackingNumber: z.string(), weightKg: z.number(), fragile: z.boolean() })
const company = z.object({
  name: z.string(),
  founded: z.int(),
  headquarters: z.string(),
  website: z.string().optional(),
})
const digest = z.object({ summary: z.string(), language: z.string() })
const game = z.object({ home: z.string(), away: z.string(), homeGoals: z.int(), awayGoals: z.int() })
const car = z.object({ make: z.string(), model: z.string(), year: z.int(), color: z.string() })
const payment = z.object({ payer: z.string(), amount: z.number(), paid: z.boolean() })
const fullContact = z.object({
  firstName: z.string(),
  lastName: z.string(),
  email: z.string(),
  phone: z.string(),
})
const support = z.object({
  product: z.string(),
  issue: z.string(),
  urgency: z.enum(['low', 'medium', 'high']),
})
const colors = z.array(z.string())
const approval = z.object({ approved: z.boolean(), reason: z.string() })

/** Cases of other trades, written before the rules knew them. */
export const trades: readonly TypedCase[] = [
  [
    'Book a double room for Ada Lovelace, 3 nights, with breakfast',
    booking,
    { guest: 'Ada Lovelace', nights: 3, room: 'double', breakfast: true },
  ],
  [
    'Guest: Bo Ek / Nights: 2 / Room: suite / Breakfast: no',
    booking,
    { guest: 'Bo Ek', nights: 2, room: 'suite', breakfast: false },
  ],
  ['Book a double room for Ada Lovelace, 3 nights', booking, new Missing('breakfast')],
  ['Good morning', booking, new Missing('guest', 'nights', 'room', 'breakfast')],
  [
    'Position: Data Engineer\nCompany: Nordlys AS\nSalary: 65000\nRemote: yes',
    job,
    { position: 'Data Engineer', company: 'Nordlys AS', salary: 65000, remote: true },
  ],
  ['Position: Data Engineer; Company: Nordlys AS', job, new Missing('remote')],
  [
    'Topic: budget\nAttendees: Ann, Bob and Eve\nDate: 2027-02-03\nTime: 14:30',
    meeting,
    { topic: 'budget', attendees: ['Ann', 'Bob', 'Eve'], date: '2027-02-03', time: '14:30' },
  ],
  [
    'A flight from Oslo to Rome on 2027-06-01 for 2 passengers',
    flight,
    { from: 'Oslo', to: 'Rome', date: '2027-06-01', passengers: 2 },
  ],
  [
    'Oslo to Rome, 2027-06-01, 2 passengers',
    flight,
    { from: 'Oslo', to: 'Rome', date: '2027-06-01', passengers: 2 },
  ],
  ['A flight from Oslo to Rome', flight, new Missing('date', 'passengers')],
  [
    'Dish: lentil soup, servings: 4, minutes: 30, vegetarian: true',
    recipe,
    { dish: 'lentil soup', servings: 4, minutes: 30, vegetarian: true },
  ],
  [
    'My order ORD-1234 arrived damaged and I want a refund.',
    complaint,
    { orderId: 'ORD-1234', category: 'damaged', refundWanted: true },
  ],
  ['My order ORD-1234 arrived damaged.', complaint, new Missing('refundWanted')],
  [
    'Title: Crash on save\nSeverity: critical\nVersion: 2.4.1',
    bug,
    { title: 'Crash on save', severity: 'critical', version: '2.4.1' },
  ],
  ['The app crashes.', bug, new Missing('title', 'severity', 'version')],
  [
    'First name: Amina, last name: Yusuf, born 1990-04-12',
    patient,
    { firstName: 'Amina', lastName: 'Yusuf', birthDate: '1990-04-12' },
  ],
  [
    'Patient Amina Yusuf, born on 12 April 1990',
    patient,
    { firstName: 'Amina', lastName: 'Yusuf', birthDate: '1990-04-12' },
  ],
  ['Amina Yusuf has an appointment on 2027-04-12', patient, new Missing('birthDate')],
  [
    'Merchant: Kaffe & Co\nAmount: 12.40 EUR\nDate: 2027-01-05',
    expense,
    { merchant: 'Kaffe & Co', amount: 12.4, currency: 'EUR', date: '2027-01-05' },
  ],
  ['I paid 12.40 EUR on 2027-01-05', expense, new Missing('merchant')],
  [
    'Customer name: Jo Dahl\nCustomer phone: +47 911 22 333\nCar: VW Golf\nDays: 5',
    rental,
    { customer: { name: 'Jo Dahl', phone: '+47 911 22 333' }, car: 'VW Golf', days: 5 },
  ],
  ['Customer name: Jo Dahl\nCar: VW Golf\nDays: 5', rental, new Missing('customer.phone')],
  ['Rating: 4\nComment: Nice rooms, slow lift', feedback, { rating: 4, comment: 'Nice rooms, slow lift' }],
  ['Name: Jo Dahl, company: Fjord Ltd', lead, { name: 'Jo Dahl', company: 'Fjord Ltd', budget: null }],
  [
    '3 chairs and 1 desk, express: yes',
    cart,
    {
      items: [
        { product: 'chairs', quantity: 3 },
        { product: 'desk', quantity: 1 },
      ],
      express: true,
    },
  ],
  ['Sensor A7: temperature 21.5, humidity 40', sensor, { sensor: 'A7', temperature: 21.5, humidity: 40 }],
  ['sensor=A7 temperature=21.5 humidity=40', sensor, { sensor: 'A7', temperature: 21.5, humidity: 40 }],
  [
    '{"sensor": "A7", "temperature": 21.5, "humidity": 40}',
    sensor,
    { sensor: 'A7', temperature: 21.5, humidity: 40 },
  ],
  ['What is the capital of France?', answer, new Missing('capital')],
  ['Who are you?', todo, new Missing('task', 'priority', 'done')],
  [
    'Task: water the plants\nPriority: low\nDone: no',
    todo,
    { task: 'water the plants', priority: 'low', done: false },
  ],
  ['Thanks, that is all for today.', todo, new Missing('task', 'priority', 'done')],
  ['I have 2 questions about my 3 orders.', feedback, new Missing('rating', 'comment')],
  [
    '| Sensor | A7 |\n| Temperature | 21.5 |\n| Humidity | 40 |',
    sensor,
    { sensor: 'A7', temperature: 21.5, humidity: 40 },
  ],
  ['Write a poem about the sea.', job, new Missing('position', 'company', 'remote')],
  ['Username: jdahl, country: Norway', profile, { username: 'jdahl', country: 'Norway' }],
  [
    'Appointment for Kim Lee with Dr. Meyer on 2027-03-09 at 10:15',
    appointment,
    { patient: 'Kim Lee', doctor: 'Dr. Meyer', date: '2027-03-09', time: '10:15' },
  ],
  ['Can I see the doctor tomorrow?', appointment, new Missing('patient', 'doctor', 'time')],
  [
    'A trip to Lisbon for 5 days with a budget of 900 EUR',
    trip,
    { destination: 'Lisbon', days: 5, budget: 900, currency: 'EUR' },
  ],
  [
    'Destination: Lisbon\nDays: 5\nBudget: €900',
    trip,
    { destination: 'Lisbon', days: 5, budget: 900, currency: 'EUR' },
  ],
  ['I want to travel.', trip, new Missing('destination', 'days', 'budget', 'currency')],
  [
    'Product: Kettle | Stars: 4 | Recommended: yes',
    review,
    { product: 'Kettle', stars: 4, recommended: true },
  ],
  ['The kettle is not recommended.', review, new Missing('product', 'stars')],
  [
    'Tracking number: ZX-99812, weight: 2.5 kg, fragile',
    parcel,
    { trackingNumber: 'ZX-99812', weightKg: 2.5, fragile: true },
  ],
  ['Tracking number ZX-99812, 2.5 kg', parcel, new Missing('fragile')],
  [
    'Nordlys AS was founded in 1987 and has its headquarters in Bergen.',
    company,
    { name: 'Nordlys AS', founded: 1987, headquarters: 'Bergen' },
  ],
  [
    'Name: Nordlys AS\nFounded: 1987\nHeadquarters: Bergen\nWebsite: https://nordlys.example',
    company,
    { name: 'Nordlys AS', founded: 1987, headquarters: 'Bergen', website: 'https://nordlys.example' },
  ],
  ['Summarize: the sea is blue and the sky is grey.', digest, new Missing('summary', 'language')],
  [
    'Home: Lyn, away: Brann, home goals: 2, away goals: 1',
    game,
    { home: 'Lyn', away: 'Brann', homeGoals: 2, awayGoals: 1 },
  ],
  ['Lyn beat Brann.', game, new Missing('home', 'away', 'homeGoals', 'awayGoals')],
  [
    'make: Volvo, model: V60, year: 2019, color: dark blue',
    car,
    { make: 'Volvo', model: 'V60', year: 2019, color: 'dark blue' },
  ],
  ['I drive a car.', car, new Missing('make', 'model', 'year', 'color')],
  ['Payer: Jo Dahl; amount: 1 250,50; paid: no', payment, { payer: 'Jo Dahl', amount: 1250.5, paid: false }],
  ['Jo Dahl has paid 300 dollars.', payment, { payer: 'Jo Dahl', amount: 300, paid: true }],
  [
    'Jo Dahl, jo@example.com, +47 911 22 333',
    fullContact,
    { firstName: 'Jo', lastName: 'Dahl', email: 'jo@example.com', phone: '+47 911 22 333' },
  ],
  ['Please call me at +47 911 22 333', fullContact, new Missing('firstName', 'lastName', 'email')],
  [
    'Hello team,\n\nProduct: Router X2\nIssue: No signal since Monday\nUrgency: medium\n\nBest,\nJo',
    support,
    { product: 'Router X2', issue: 'No signal since Monday', urgency: 'medium' },
  ],
  ['My router is broken!', support, new Missing('product', 'issue', 'urgency')],
  ['Hello!', colors, new Missing('result')],
  ['Good evening, how are you?', approval, new Missing('approved', 'reason')],
  ['approved: yes, reason: within budget', approval, { approved: true, reason: 'within budget' }],
  [
    'It is not approved because the budget is used up.',
    approval,
    { approved: false, reason: 'the budget is used up' },
  ],
]
