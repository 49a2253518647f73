import { date, flag, integer, listOf, number, objectOf, oneOf, text, wireTool } from './planner-case.js'
import { tunedTools } from './tuned-corpus.js'

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const lengths = oneOf('km', 'mi', 'm', 'ft', 'cm', 'in')
const degrees = oneOf('celsius', 'fahrenheit', 'kelvin')

/** Tools of offices, shops and homes, together with the six media tools. All are offered at once. */
export const wideTools = [
  ...tunedTools.slice(0, 6),
  wireTool('describe_image', 'Describe what an image shows, in words.', {
    image: text('Artifact id of the image'),
  }),
  wireTool('convert_temperature', 'Convert a temperature to another scale', {
    value: number('Temperature to convert'),
    from: degrees,
    to: degrees,
  }),
  wireTool('convert_length', 'Convert a length to another unit', {
    value: number('Length to convert'),
    from_unit: lengths,
    to_unit: lengths,
  }),
  wireTool('get_time', 'Current local time in a city', { city: text('Name of the city') }),
  wireTool('get_forecast', 'Weather forecast for a city', {
    city: text('Name of the city'),
    'days?': { type: 'integer', minimum: 1, maximum: 14, description: 'Number of days' },
  }),
  wireTool('get_sunrise', 'Time of sunrise in a city', {
    city: text('Name of the city'),
    'date?': date('Day, today by default'),
  }),
  wireTool('book_hotel', 'Book a hotel room', {
    city: text('City of the hotel'),
    check_in: date('Day of arrival'),
    check_out: date('Day of departure'),
    guests: integer('Number of guests'),
    'room_type?': oneOf('single', 'double', 'suite'),
    'breakfast?': flag('Whether breakfast is included'),
  }),
  wireTool('rent_car', 'Rent a car', {
    pickup_location: text('City where the car is picked up'),
    pickup_date: date('First day'),
    return_date: date('Last day'),
    'car_class?': oneOf('compact', 'sedan', 'van'),
    'automatic?': flag('Automatic transmission'),
  }),
  wireTool('get_directions', 'Directions from one place to another', {
    origin: text('Where the trip starts'),
    destination: text('Where the trip ends'),
    'mode?': oneOf('driving', 'walking', 'cycling', 'transit'),
    'avoid_tolls?': flag('Whether to avoid toll roads'),
  }),
  wireTool('search_products', 'Search the products of the shop', {
    query: text('What to look for'),
    'min_price?': number('Lowest price'),
    'max_price?': number('Highest price'),
    'in_stock?': flag('Only products in stock'),
    'sort_by?': oneOf('price', 'rating', 'newest'),
  }),
  wireTool('create_invoice', 'Create an invoice for a customer', {
    customer: objectOf({ name: text('Name of the customer'), email: { type: 'string', format: 'email' } }),
    items: listOf(
      objectOf({
        description: text('What is sold'),
        quantity: integer('How many'),
        unit_price: number('Price of one'),
      }),
      'Lines of the invoice',
    ),
    'currency?': oneOf('USD', 'EUR', 'GBP'),
  }),
  wireTool('list_orders', 'List the orders of a customer', {
    customer_id: text('Id of the customer'),
    'status?': oneOf('pending', 'shipped', 'delivered', 'cancelled'),
    'limit?': integer('Number of orders'),
  }),
  wireTool('cancel_order', 'Cancel an order', {
    order_id: text('Id of the order'),
    'reason?': text('Why it is cancelled'),
  }),
  wireTool('update_profile', "Change a user's profile", {
    user_id: text('Id of the user'),
    changes: objectOf({
      'name?': text('Full name'),
      'email?': { type: 'string', format: 'email' },
      'phone?': text('Phone number'),
      'newsletter?': flag('Whether the newsletter is sent'),
    }),
  }),
  wireTool('transfer_money', 'Transfer money to another account', {
    from_account: oneOf('checking', 'savings'),
    to_account: text('Number of the account that receives the money'),
    amount: number('Amount to transfer'),
    'currency?': text('Currency code'),
  }),
  wireTool('get_account_balance', 'Balance of an account', {
    account: oneOf('checking', 'savings', 'credit'),
  }),
  wireTool('schedule_meeting', 'Schedule a meeting', {
    title: text('Title of the meeting'),
    date: date('Day of the meeting'),
    start_time: text('Start, HH:MM'),
    'duration_minutes?': integer('Length in minutes'),
    attendees: listOf({ type: 'string', format: 'email' }, 'Who is invited'),
  }),
  wireTool('set_reminder', 'Set a reminder', {
    text: text('What to be reminded of'),
    'date?': date('Day'),
    'time?': text('Time, HH:MM'),
  }),
  wireTool('set_alarm', 'Set an alarm clock', {
    time: text('Time, HH:MM'),
    'days?': listOf(oneOf(...weekdays), 'Days on which it rings'),
    'label?': text('Name of the alarm'),
  }),
  wireTool('create_ticket', 'Open a support ticket', {
    title: text('Title of the ticket'),
    'priority?': oneOf('low', 'normal', 'high', 'urgent'),
    'assignee?': objectOf({ name: text('Full name'), email: { type: 'string', format: 'email' } }),
  }),
  wireTool('add_to_playlist', 'Add songs to a playlist', {
    playlist: text('Name of the playlist'),
    songs: listOf({ type: 'string' }, 'Titles of the songs'),
  }),
  wireTool('log_meal', 'Log what was eaten', {
    meal: oneOf('breakfast', 'lunch', 'dinner', 'snack'),
    foods: listOf({ type: 'string' }, 'What was eaten'),
    'calories?': integer('Calories in total'),
  }),
  wireTool('statistics', 'Statistics of a list of numbers', {
    numbers: listOf({ type: 'number' }, 'The numbers'),
    measure: oneOf('mean', 'median', 'min', 'max'),
  }),
  wireTool('set_blinds', 'Move the window blinds of a room', {
    room: text('Room the blinds are in'),
    position: { type: 'integer', minimum: 0, maximum: 100, description: 'How far open, in percent' },
  }),
  wireTool('count_words', 'Count the words of a text', { text: text('The text') }),
  wireTool('random_fact', 'Tell a random fact', { 'category?': oneOf('animals', 'space', 'history') }),
]
