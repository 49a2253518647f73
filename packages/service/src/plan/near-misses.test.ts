import { expect, test } from 'vitest'
import { date, definitionsOf, flag, integer, number, oneOf, text, wireTool } from '../../test/planner-case.js'
import { plan } from './plan.js'

// Requests whose most likely call would be wrong: a word of each changes what is wanted.
const tools = definitionsOf([
  wireTool('find_recipe', 'Search for a recipe', {
    diet: text("Dietary restriction, e.g. 'Vegetarian'"),
    servings: integer('Number of servings'),
  }),
  wireTool('player_stats', "Get a player's statistics of a team", {
    player: text('Player'),
    team: text('Team'),
  }),
  wireTool('refund_order', 'Refund an order', {
    order: text('Order number, e.g. A-1001'),
    'reason?': text('Reason'),
    'partial?': integer('Amount for a partial refund'),
  }),
  wireTool('book_table', 'Book a table', {
    restaurant: text('Restaurant'),
    people: integer('People'),
    time: text('HH:MM'),
    'outside?': flag('Outside'),
  }),
  wireTool('play', 'Play music', { artist: text('Artist') }),
  wireTool('find_concert', 'Find concerts in a city', {
    city: text('City'),
    date: { ...date('Date of the concert, e.g. today, tomorrow'), format: 'text' },
  }),
  wireTool('move_plant', 'Move a plant to a room', {
    plant: text('Plant'),
    room: oneOf('kitchen', 'balcony', 'study'),
  }),
  wireTool('water_plant', 'Water a plant', { plant: text('Plant'), ml: integer('Millilitres') }),
  wireTool('log_hours', 'Log hours on a case', {
    case_id: text('Case, e.g. C-77'),
    hours: integer('Hours'),
    'note?': text('Note'),
  }),
  wireTool('adjust_price', 'Change the price of an article', {
    sku: text('Article, e.g. SKU-10'),
    price: integer('New price in euros'),
  }),
  wireTool('restock', 'Order more of an article', {
    sku: text('Article, e.g. SKU-10'),
    quantity: integer('Pieces'),
  }),
  wireTool('hide_article', 'Hide an article in the shop', { sku: text('Article, e.g. SKU-10') }),
  wireTool('book_slot', 'Book an appointment', {
    patient: text('Name of the patient'),
    day: date('Day'),
    'doctor?': text('Doctor'),
  }),
  wireTool('set_status', 'Set my status', { status: oneOf('available', 'busy') }),
  wireTool('make_password', 'Make a password', { length: integer('Number of characters') }),
  wireTool('get_old_prices', 'Get the prices of past days', {
    sku: text('Article, e.g. SKU-10'),
    day: date('Day'),
  }),
  wireTool('rent_bike', 'Rent a bike', {
    customer: text('Name of the customer'),
    from: date('First day'),
    to: date('Last day'),
    'month_price?': number('Price per month in euros'),
  }),
  wireTool('list_repairs', 'List repairs', {
    'status?': oneOf('open', 'done'),
    'text?': text('Words to find'),
  }),
  wireTool('find_book', 'Find books', {
    'title?': text('Title'),
    'author?': text('Author'),
    'year?': integer('Year'),
  }),
  wireTool('get_forecast', 'Weather forecast of a city for a number of days', {
    city: text('City'),
    days: integer('Number of days'),
  }),
])

function answerTo(request: string) {
  const answer = plan({ messages: [{ role: 'user', text: request }], tools, now: new Date(2026, 10, 21) })
  return 'calls' in answer ? answer.calls.map(({ arguments: args }) => args) : answer.text
}

test.each([
  ['Find a vegetarian soup recipe for 4 servings'],
  ['Show the statistics of LeBron James at the Lakers'],
  ['Play anything but Nickelback'],
  ['Play something other than Nickelback'],
  ['Should I water the ficus with 200 ml?'],
  ['Am I busy?'],
  ['Move the orchid out of the kitchen'],
  ['Log 3 hours on C-12, of which one is not billable'],
  ['Lower SKU-10 by 2 euros'],
  ['Restock SKU-4 up to 200 pieces'],
  ['Show SKU-4 in the shop again'],
  ['Book Paul Hoch and Ida Krug on 3 December'],
  ['3 day forecast for the city where Munch was born'],
  // The object is another one than that of the tool.
  ['Make a username of 8 characters'],
  ['Open the garage'],
  ['Book an evening for Paul Hoch'],
  ['What is the volume of a cylinder with a radius of 4 cm?'],
  ['Calculate the value of $2,500 after 10 years'],
  // The day, the range and the rate are none that it takes.
  ['Get the prices of SKU-4 next Monday'],
  ['Rent a bike to Ida Krug from 5 March 2027 to 2 March 2027'],
  ['Rent a bike to Ida Krug from 2 to 5 March 2027 for 9 euros a week'],
])('asks about "%s"', (request) => expect(answerTo(request)).toBeTypeOf('string'))

test.each([
  [
    'Book a table at Da Mario for six people tonight at 8',
    [{ restaurant: 'Da Mario', people: 6, time: '20:00' }],
  ],
  [
    'Book a table at Da Mario for six people this evening at 8',
    [{ restaurant: 'Da Mario', people: 6, time: '20:00' }],
  ],
  ['Make a password of 8 characters', [{ length: 8 }]],
  [
    'Rent a bike to Ida Krug from 2 March to the end of June, for 9 euros a month',
    [{ customer: 'Ida Krug', from: '2027-03-02', to: '2027-06-30', month_price: 9 }],
  ],
  ['What was the price of SKU-4 on 3 December?', [{ sku: 'SKU-4', day: '2025-12-03' }]],
  ['Find concerts in Boston tomorrow', [{ city: 'Boston', date: 'tomorrow' }]],
  [
    'Refund order A-1001 because it arrived broken, but only 20 dollars',
    [{ order: 'A-1001', reason: 'it arrived broken', partial: 20 }],
  ],
])('takes "%s" as it is meant', (request, calls) => expect(answerTo(request)).toEqual(calls))
