import * as z from 'zod'

/** A text with the value that it gives, or the names of the fields that it does not give. */
export type TypedCase = readonly [text: string, schema: z.ZodType, expected: unknown]

/** What a text does not give. */
export class Missing {
  readonly names: readonly string[]

  constructor(...names: readonly string[]) {
    this.names = names
  }
}

const ticket = z.object({ customer: z.string(), urgency: z.enum(['low', 'high']) })
const person = z.object({ name: z.string(), email: z.string(), age: z.number() })
const contact = z.object({ name: z.string(), email: z.string(), phone: z.string().optional() })
const order = z.object({
  item: z.string(),
  quantity: z.int(),
  size: z.enum(['small', 'medium', 'large']),
  customer: z.string(),
  pickupTime: z.string().describe('Time as HH:MM'),
})
const server = z.object({ host: z.string(), port: z.int(), tls: z.boolean() })
const address = z.object({ street: z.string(), city: z.string(), zip: z.string() })
const event = z.object({ title: z.string(), date: z.iso.date(), location: z.string() })
const signUp = z.object({ email: z.email(), newsletter: z.boolean() })
const product = z.object({
  product: z.string(),
  price: z.number(),
  currency: z.string(),
  inStock: z.boolean(),
})
const ratings = z.object({
  sentiment: z.enum(['positive', 'negative', 'neutral']),
  rating: z.int().min(1).max(5),
})
const leave = z.object({
  employee: z.string(),
  startDate: z.iso.date(),
  endDate: z.iso.date(),
  reason: z.string().optional(),
})
const tags = z.object({ title: z.string(), tags: z.array(z.string()) })
const shipping = z.object({ name: z.string(), address: z.object({ city: z.string(), zip: z.string() }) })
const invoice = z.object({ number: z.string(), total: z.number(), dueDate: z.iso.date() })

export const cases: readonly TypedCase[] = [
  // Nothing to extract.
  ['Hello!', ticket, new Missing('customer', 'urgency')],
  ['Hello!', person, new Missing('name', 'email', 'age')],
  ['Thanks a lot!', order, new Missing('item', 'quantity', 'size', 'customer', 'pickupTime')],
  ['What can you do?', server, new Missing('host', 'port', 'tls')],
  // A list with commas behind "Extract".
  [
    'Extract: Alan Turing, alan@example.com, 41 years old',
    person,
    { name: 'Alan Turing', email: 'alan@example.com', age: 41 },
  ],
  ['Grace Hopper, grace@navy.mil, 85', person, { name: 'Grace Hopper', email: 'grace@navy.mil', age: 85 }],
  [
    'Extract the person: Ada Lovelace, 36 years old, ada@example.org.',
    person,
    { name: 'Ada Lovelace', email: 'ada@example.org', age: 36 },
  ],
  ['Extract: Alan Turing, 41 years old', person, new Missing('email')],
  ['Extract: alan@example.com', person, new Missing('name', 'age')],
  // Sentences.
  [
    'My name is Alan Turing, I am 41, mail alan@example.com',
    person,
    { name: 'Alan Turing', email: 'alan@example.com', age: 41 },
  ],
  [
    "I'm Kim Lee, 29 years old. You can reach me at kim.lee@example.com.",
    person,
    { name: 'Kim Lee', email: 'kim.lee@example.com', age: 29 },
  ],
  // Labels.
  [
    'Name: Alan Turing, Email: alan@example.com, Age: 41',
    person,
    { name: 'Alan Turing', email: 'alan@example.com', age: 41 },
  ],
  [
    'Name: Alan Turing\nE-mail: alan@example.com\nAge: 41\nNotes: likes chess',
    person,
    { name: 'Alan Turing', email: 'alan@example.com', age: 41 },
  ],
  ['name = Bo\nemail = bo@example.com\nage = 7', person, { name: 'Bo', email: 'bo@example.com', age: 7 }],
  [
    'Full name: Maria da Silva; Mail: maria@example.com',
    contact,
    { name: 'Maria da Silva', email: 'maria@example.com' },
  ],
  [
    'Name: Li Wei, Email: li@example.com, Phone: +47 123 45 678',
    contact,
    { name: 'Li Wei', email: 'li@example.com', phone: '+47 123 45 678' },
  ],
  ['Name: Li Wei', contact, new Missing('email')],
  [
    'host = db.example.com\nport = 5432\ntls = true',
    server,
    { host: 'db.example.com', port: 5432, tls: true },
  ],
  ['host: localhost, port: 8080, tls: off', server, { host: 'localhost', port: 8080, tls: false }],
  ['host: localhost, port: 8080', server, new Missing('tls')],
  [
    '- **Street:** 12 Main Street\n- **City:** Oslo\n- **Zip:** 0150',
    address,
    { street: '12 Main Street', city: 'Oslo', zip: '0150' },
  ],
  // An order.
  [
    '2 large pizzas for Kim, pickup at 18:30',
    order,
    { item: 'pizzas', quantity: 2, size: 'large', customer: 'Kim', pickupTime: '18:30' },
  ],
  [
    'Item: latte, quantity: 3, size: small, customer: Ann, pickup time: 9:15',
    order,
    { item: 'latte', quantity: 3, size: 'small', customer: 'Ann', pickupTime: '09:15' },
  ],
  ['2 pizzas for Kim, pickup at 18:30', order, new Missing('size')],
  // Enum words.
  ['Customer: Acme Corp. Urgency: high', ticket, { customer: 'Acme Corp', urgency: 'high' }],
  ['Acme Corp reports an outage, the urgency is high.', ticket, { customer: 'Acme Corp', urgency: 'high' }],
  ['The customer is Acme Corp.', ticket, new Missing('urgency')],
  ['Great service, a positive experience, 5 stars.', ratings, { sentiment: 'positive', rating: 5 }],
  ['The room was at the end of the corridor.', ratings, new Missing('sentiment', 'rating')],
  // Booleans, stated and absent.
  ['Sign up jo@example.com with the newsletter.', signUp, { email: 'jo@example.com', newsletter: true }],
  ['Sign up jo@example.com without the newsletter.', signUp, { email: 'jo@example.com', newsletter: false }],
  ['Sign up jo@example.com.', signUp, new Missing('newsletter')],
  ['email: jo@example.com\nnewsletter: no', signUp, { email: 'jo@example.com', newsletter: false }],
  [
    'Product: Desk lamp, price: 49.90 EUR, in stock: yes',
    product,
    { product: 'Desk lamp', price: 49.9, currency: 'EUR', inStock: true },
  ],
  // A short e-mail.
  [
    'Subject: Leave\n\nHi Tom,\n\nI would like to take leave from 2027-07-01 to 2027-07-14.\n\nBest regards,\nPetra Novak',
    leave,
    { employee: 'Petra Novak', startDate: '2027-07-01', endDate: '2027-07-14' },
  ],
  [
    'Dear team,\n\nour planning workshop is on 3 March 2027 in Bergen.\n\nTitle: Planning workshop\n\nKind regards\nEva',
    event,
    { title: 'Planning workshop', date: '2027-03-03', location: 'Bergen' },
  ],
  ['Hi,\n\nplease pay invoice INV-2041 over 1,250.50 EUR.\n\nThanks\nBo', invoice, new Missing('dueDate')],
  [
    'Hi,\n\nplease pay invoice INV-2041 over 1,250.50 EUR by 2027-02-28.\n\nThanks\nBo',
    invoice,
    { number: 'INV-2041', total: 1250.5, dueDate: '2027-02-28' },
  ],
  // A nested object.
  [
    'Name: Eve Adams\nCity: Paris\nZip: 75001',
    shipping,
    { name: 'Eve Adams', address: { city: 'Paris', zip: '75001' } },
  ],
  [
    'Name: Eve Adams, address: Paris, 75001',
    shipping,
    { name: 'Eve Adams', address: { city: 'Paris', zip: '75001' } },
  ],
  ['Name: Eve Adams, city: Paris', shipping, new Missing('address.zip')],
  // Lists.
  ['Title: Soup\nTags: easy, vegan and quick', tags, { title: 'Soup', tags: ['easy', 'vegan', 'quick'] }],
  [
    'Meeting "Budget" on 2027-05-04 in Room 12',
    event,
    { title: 'Budget', date: '2027-05-04', location: 'Room 12' },
  ],
]
