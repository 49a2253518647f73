import type { Field } from './fields-corpus.js'
import {
  all,
  date,
  flag,
  integer,
  listOf,
  none,
  number,
  one,
  oneOf,
  partly,
  text,
  wireTool,
} from './planner-case.js'

// Requests and questions as people write them, of trades and functions that no other corpus has.
// Written before the planner was asked any of them. Right, asked and wrong then: 34, 23 and 3 of the 60 requests, 38, 20
// and 2 of the 60 questions.

const time = (description: string) => ({ type: 'string', format: 'time', description })

export const unseenRequests: Readonly<Record<string, Field>> = {
  laundry: {
    tools: [
      wireTool('drop_off_laundry', 'Register clothes for cleaning', {
        customer: text('Name of the customer'),
        garment: oneOf('shirt', 'suit', 'dress', 'coat', 'curtain'),
        quantity: integer('Number of pieces'),
        'express?': flag('Ready on the next day'),
      }),
      wireTool('laundry_status', 'Check whether the clothes of a ticket are ready', {
        ticket: text('Ticket, e.g. L-204'),
      }),
      wireTool('deliver_laundry', 'Deliver finished clothes to an address', {
        ticket: text('Ticket, e.g. L-204'),
        address: text('Street and number'),
        'day?': date('Day of delivery'),
      }),
    ],
    cases: [
      one('Hi! Mrs. Hooper just dropped off five shirts, could you register them?', 'drop_off_laundry', {
        customer: 'Mrs. Hooper',
        garment: 'shirt',
        quantity: 5,
      }),
      one('Is L-311 ready yet?', 'laundry_status', { ticket: 'L-311' }),
      one('Please deliver L-298 to 14 Marsh Lane on Wednesday', 'deliver_laundry', {
        ticket: 'L-298',
        address: '14 Marsh Lane',
        day: '2026-11-25',
      }),
      partly('Check L-120 and give the customer a 10% discount', 'discount', [
        'laundry_status',
        { ticket: 'L-120' },
      ]),
      ...none('Register two coats for express cleaning'),
    ],
  },
  charging: {
    tools: [
      wireTool('find_chargers', 'Find charging stations for electric cars near a place', {
        place: text('Town or address'),
        'min_power_kw?': number('Least power in kilowatts'),
        'plug?': oneOf('CCS', 'CHAdeMO', 'Type 2'),
      }),
      wireTool('start_charging', 'Start charging at a station', {
        station: text('Station, e.g. EV-88'),
        'limit_percent?': integer('Stop at this level of the battery'),
      }),
      wireTool('stop_charging', 'Stop charging at a station', { station: text('Station, e.g. EV-88') }),
      wireTool('get_charging_costs', 'Get the costs of charging in a month', {
        month: text('Month as YYYY-MM'),
      }),
    ],
    cases: [
      one('Where can I charge my car near Harrogate with at least 150 kW?', 'find_chargers', {
        place: 'Harrogate',
        min_power_kw: 150,
      }),
      one('Start charging at EV-17 and stop at 80 percent', 'start_charging', {
        station: 'EV-17',
        limit_percent: 80,
      }),
      all(
        'Stop EV-17 and start EV-18 instead',
        ['stop_charging', { station: 'EV-17' }],
        ['start_charging', { station: 'EV-18' }],
      ),
      one('How much did I spend on charging in October 2026?', 'get_charging_costs', { month: '2026-10' }),
      ...none('Start charging, please'),
    ],
  },
  kitchen: {
    tools: [
      wireTool('preheat_oven', 'Preheat the oven', {
        temperature: integer('Temperature in degrees Celsius'),
        'mode?': oneOf('top and bottom', 'fan', 'grill'),
      }),
      wireTool('start_dishwasher', 'Start the dishwasher', {
        program: oneOf('eco', 'intensive', 'quick'),
        'delay_hours?': integer('Hours until it starts'),
      }),
      wireTool('set_fridge', 'Set the temperature of the fridge', {
        temperature: integer('Temperature in degrees Celsius'),
      }),
      wireTool('brew_coffee', 'Brew coffee', {
        cups: integer('Number of cups'),
        'strength?': oneOf('mild', 'medium', 'strong'),
      }),
    ],
    cases: [
      one('I want to bake bread, so preheat the oven to 230 degrees with the fan', 'preheat_oven', {
        temperature: 230,
        mode: 'fan',
      }),
      all(
        'Run the dishwasher on eco in three hours and make me two cups of strong coffee',
        ['start_dishwasher', { program: 'eco', delay_hours: 3 }],
        ['brew_coffee', { cups: 2, strength: 'strong' }],
      ),
      one('The fridge should be at 5 degrees', 'set_fridge', { temperature: 5 }),
      one('Four cups of coffee, please, not too strong - medium is fine', 'brew_coffee', {
        cups: 4,
        strength: 'medium',
      }),
      ...none('Can you turn on the microwave for 2 minutes?'),
    ],
  },
  sales: {
    tools: [
      wireTool('create_lead', 'Create a new sales lead', {
        name: text('Name of the person'),
        company: text('Company'),
        'phone?': text('Phone number'),
        'source?': oneOf('website', 'referral', 'fair', 'phone'),
      }),
      wireTool('log_call', 'Log a phone call with a contact', {
        contact: text('Name of the contact'),
        minutes: integer('Length in minutes'),
        'summary?': text('What was said'),
      }),
      wireTool('move_deal', 'Move a deal to another stage', {
        deal: text('Deal, e.g. D-1040'),
        stage: oneOf('qualified', 'proposal', 'negotiation', 'won', 'lost'),
      }),
      wireTool('list_deals', 'List deals', {
        'stage?': oneOf('qualified', 'proposal', 'negotiation', 'won', 'lost'),
        'owner?': text('Name of the seller'),
        'min_value?': number('Least value in dollars'),
      }),
    ],
    cases: [
      one('New lead from the website: Priya Nair at Bluefin Logistics', 'create_lead', {
        name: 'Priya Nair',
        company: 'Bluefin Logistics',
        source: 'website',
      }),
      one('I just got off the phone with Tom Becker, 25 minutes. Please log it.', 'log_call', {
        contact: 'Tom Becker',
        minutes: 25,
      }),
      one('We won D-1077! Move it along, please.', 'move_deal', { deal: 'D-1077', stage: 'won' }),
      one('Which deals over $20,000 are in negotiation?', 'list_deals', {
        stage: 'negotiation',
        min_value: 20000,
      }),
      all(
        'Move D-1012 to proposal and D-1013 to lost',
        ['move_deal', { deal: 'D-1012', stage: 'proposal' }],
        ['move_deal', { deal: 'D-1013', stage: 'lost' }],
      ),
    ],
  },
  blog: {
    tools: [
      wireTool('schedule_post', 'Schedule a blog post', {
        title: text('Title of the post'),
        day: date('Day of publication'),
        'time?': time('Time of publication'),
      }),
      wireTool('tag_post', 'Add a tag to a post', { title: text('Title of the post'), tag: text('Tag') }),
      wireTool('get_post_views', 'Get the number of views of a post', {
        title: text('Title of the post'),
        'days?': integer('Number of past days'),
      }),
      wireTool('hide_comment', 'Hide a comment', {
        comment_id: integer('Number of the comment'),
        'reason?': oneOf('spam', 'insult', 'off topic'),
      }),
    ],
    cases: [
      one('Schedule the post "Five Winter Soups" for December 1 at 9am', 'schedule_post', {
        title: 'Five Winter Soups',
        day: '2026-12-01',
        time: '09:00',
      }),
      one('How many views did "My Sourdough Year" get in the last 30 days?', 'get_post_views', {
        title: 'My Sourdough Year',
        days: 30,
      }),
      one('Comment 5521 is spam, hide it', 'hide_comment', { comment_id: 5521, reason: 'spam' }),
      all(
        "Tag 'Knife Skills' with basics and hide comment 87",
        ['tag_post', { title: 'Knife Skills', tag: 'basics' }],
        ['hide_comment', { comment_id: 87 }],
      ),
      ...none('Delete the post "Five Winter Soups"'),
    ],
  },
  mobile: {
    tools: [
      wireTool('check_data', 'Check how much mobile data a number has left', {
        number: text('Phone number'),
      }),
      wireTool('buy_data_pack', 'Buy more mobile data for a number', {
        number: text('Phone number'),
        gigabytes: integer('Amount in gigabytes'),
      }),
      wireTool('enable_roaming', 'Turn roaming on or off for a country', {
        number: text('Phone number'),
        country: text('Country'),
        enabled: flag('On or off'),
      }),
      wireTool('report_lost_sim', 'Report a SIM card as lost', {
        number: text('Phone number'),
        'send_new?': flag('Send a new card'),
      }),
    ],
    cases: [
      one('How much data does 0151 2345678 have left?', 'check_data', { number: '0151 2345678' }),
      one('I need 10 more gigabytes on +44 7700 900123', 'buy_data_pack', {
        number: '+44 7700 900123',
        gigabytes: 10,
      }),
      one('We are going to Norway, turn roaming on for 07700 900456', 'enable_roaming', {
        number: '07700 900456',
        country: 'Norway',
        enabled: true,
      }),
      one('I lost my phone! The number is 07700 900789, please send a new SIM card', 'report_lost_sim', {
        number: '07700 900789',
        send_new: true,
      }),
      ...none('Buy 5 gigabytes more data'),
    ],
  },
  newsletter: {
    tools: [
      wireTool('add_subscriber', 'Add a subscriber to a mailing list', {
        email: { type: 'string', format: 'email', description: 'Address' },
        list: oneOf('news', 'offers', 'events'),
        'first_name?': text('First name'),
      }),
      wireTool('remove_subscriber', 'Remove a subscriber from all lists', {
        email: { type: 'string', format: 'email', description: 'Address' },
      }),
      wireTool('send_campaign', 'Send a campaign to a mailing list', {
        campaign: text('Name of the campaign'),
        list: oneOf('news', 'offers', 'events'),
        'test?': flag('Send it only to the team'),
      }),
      wireTool('campaign_report', 'Get the opens and clicks of a campaign', {
        campaign: text('Name of the campaign'),
      }),
    ],
    cases: [
      one('Put jo@hartwell.example on the events list', 'add_subscriber', {
        email: 'jo@hartwell.example',
        list: 'events',
      }),
      one('Her name is Aisha, aisha@lindqvist.example, she would like our offers', 'add_subscriber', {
        email: 'aisha@lindqvist.example',
        list: 'offers',
        first_name: 'Aisha',
      }),
      one('How did the Black Friday campaign do?', 'campaign_report', { campaign: 'Black Friday' }),
      one(
        'Send the campaign "Advent Market" to the news list, no wait, to the events list',
        'send_campaign',
        {
          campaign: 'Advent Market',
          list: 'events',
        },
      ),
      all(
        'Remove max@older.example and lena@older.example',
        ['remove_subscriber', { email: 'max@older.example' }],
        ['remove_subscriber', { email: 'lena@older.example' }],
      ),
    ],
  },
  takeaway: {
    tools: [
      wireTool('search_dishes', 'Search dishes that can be delivered', {
        dish: text('Dish, e.g. pad thai'),
        'max_price?': number('Highest price in euros'),
        'vegetarian?': flag('Only vegetarian dishes'),
      }),
      wireTool('add_to_cart', 'Add a dish to the cart', {
        dish: text('Dish, e.g. pad thai'),
        quantity: integer('Portions'),
        'note?': text('Wish for the kitchen'),
      }),
      wireTool('checkout', 'Order what is in the cart', {
        address: text('Street and number'),
        payment: oneOf('card', 'cash', 'paypal'),
        'tip?': number('Tip in euros'),
      }),
      wireTool('where_is_my_food', 'Get the position of the courier of an order', {
        order: text('Order, e.g. F-9001'),
      }),
    ],
    cases: [
      one('Find me a vegetarian lasagne for under 15 euros', 'search_dishes', {
        dish: 'lasagne',
        max_price: 15,
        vegetarian: true,
      }),
      one('Add two portions of chicken korma to my cart', 'add_to_cart', {
        dish: 'chicken korma',
        quantity: 2,
      }),
      all(
        'Add a margherita and three tiramisu to the cart',
        ['add_to_cart', { dish: 'margherita', quantity: 1 }],
        ['add_to_cart', { dish: 'tiramisu', quantity: 3 }],
      ),
      one("Okay, that's all. Send it to 8 Birch Road, I'll pay cash and tip 3 euros.", 'checkout', {
        address: '8 Birch Road',
        payment: 'cash',
        tip: 3,
      }),
      one("It's been an hour, where is F-9123?", 'where_is_my_food', { order: 'F-9123' }),
    ],
  },
  photos: {
    tools: [
      wireTool('create_album', 'Create a photo album', {
        name: text('Name of the album'),
        'private?': flag('Visible only to the owner'),
      }),
      wireTool('share_album', 'Share an album with a person', {
        album: text('Name of the album'),
        email: { type: 'string', format: 'email', description: 'Address of the person' },
        'can_edit?': flag('Whether the person can add photos'),
      }),
      wireTool('find_photos', 'Find photos', {
        'place?': text('Where they were taken'),
        'person?': text('Who is in them'),
        'year?': integer('Year'),
      }),
      wireTool('print_album', 'Order a printed book of an album', {
        album: text('Name of the album'),
        copies: integer('Number of books'),
        'cover?': oneOf('linen', 'leather', 'paper'),
      }),
    ],
    cases: [
      one('Make a private album called Dad at 70', 'create_album', { name: 'Dad at 70', private: true }),
      one('Show me all the photos of Clara from 2019', 'find_photos', { person: 'Clara', year: 2019 }),
      one('Share my album "Iceland" with ben@ferris.example so that he can add photos too', 'share_album', {
        album: 'Iceland',
        email: 'ben@ferris.example',
        can_edit: true,
      }),
      all(
        'Create an album called Garden and order two copies of Iceland in linen',
        ['create_album', { name: 'Garden' }],
        ['print_album', { album: 'Iceland', copies: 2, cover: 'linen' }],
      ),
      ...none('Delete all blurry photos from last summer'),
    ],
  },
  shifts: {
    tools: [
      wireTool('clock_in', 'Record that an employee starts work', {
        employee: text('Name of the employee'),
        'time?': time('Start'),
      }),
      wireTool('swap_shift', 'Swap the shifts of two employees on a day', {
        from_employee: text('Employee who gives the shift away'),
        to_employee: text('Employee who takes the shift'),
        day: date('Day'),
      }),
      wireTool('get_roster', 'Get the roster of a day', {
        day: date('Day'),
        'team?': oneOf('kitchen', 'service', 'bar'),
      }),
      wireTool('mark_sick', 'Mark an employee as sick', {
        employee: text('Name of the employee'),
        from: date('First day'),
        'until?': date('Last day'),
      }),
    ],
    cases: [
      one("Who's on the bar tomorrow?", 'get_roster', { day: '2026-11-22', team: 'bar' }),
      one('Nadia is sick from tomorrow until Wednesday', 'mark_sick', {
        employee: 'Nadia',
        from: '2026-11-22',
        until: '2026-11-25',
      }),
      one("On Friday Luis takes over Emma's shift, please swap them", 'swap_shift', {
        from_employee: 'Emma',
        to_employee: 'Luis',
        day: '2026-11-27',
      }),
      one('Clock Marek in at 6:45', 'clock_in', { employee: 'Marek', time: '06:45' }),
      partly('Clock Sofia in and order her a uniform', 'uniform', ['clock_in', { employee: 'Sofia' }]),
    ],
  },
  budget: {
    tools: [
      wireTool('add_expense', 'Add an expense', {
        amount: number('Amount in pounds'),
        category: oneOf('groceries', 'rent', 'transport', 'fun', 'health'),
        'shop?': text('Where it was spent'),
        'day?': date('Day'),
      }),
      wireTool('set_budget', 'Set the monthly budget of a category', {
        category: oneOf('groceries', 'rent', 'transport', 'fun', 'health'),
        amount: number('Amount in pounds'),
      }),
      wireTool('spending_summary', 'Summarize the spending between two days', {
        from: date('First day'),
        to: date('Last day'),
        'category?': oneOf('groceries', 'rent', 'transport', 'fun', 'health'),
      }),
      wireTool('add_saving_goal', 'Add a goal to save for', {
        goal: text('What it is for'),
        amount: number('Amount in pounds'),
        'by?': date('Day when it should be reached'),
      }),
    ],
    cases: [
      one('I spent £42.80 on groceries at Morrisons yesterday', 'add_expense', {
        amount: 42.8,
        category: 'groceries',
        shop: 'Morrisons',
        day: '2026-11-20',
      }),
      one('What did I spend on transport between 1 October and 31 October?', 'spending_summary', {
        from: '2026-10-01',
        to: '2026-10-31',
        category: 'transport',
      }),
      one("I'd like to save 2,000 pounds for a new bike by the end of June", 'add_saving_goal', {
        goal: 'new bike',
        amount: 2000,
        by: '2027-06-30',
      }),
      all(
        'Set the budget for fun to 120 and for health to 60',
        ['set_budget', { category: 'fun', amount: 120 }],
        ['set_budget', { category: 'health', amount: 60 }],
      ),
      ...none('I spent 30 pounds on a birthday present'),
    ],
  },
  parking: {
    tools: [
      wireTool('start_parking', 'Start a parking session', {
        zone: text('Zone, e.g. 4012'),
        plate: text('Number plate'),
        minutes: integer('Length in minutes'),
      }),
      wireTool('extend_parking', 'Extend the parking session of a car', {
        plate: text('Number plate'),
        minutes: integer('Additional minutes'),
      }),
      wireTool('find_car_park', 'Find car parks near a place', {
        place: text('Place'),
        'max_price?': number('Highest price per hour in euros'),
        'covered?': flag('Only covered car parks'),
      }),
      wireTool('get_permit', 'Get the parking permit of a resident', {
        resident: text('Name of the resident'),
      }),
    ],
    cases: [
      one('Park LB19 KTR in zone 4410 for two hours', 'start_parking', {
        zone: '4410',
        plate: 'LB19 KTR',
        minutes: 120,
      }),
      one('My meeting takes longer, add another 45 minutes for LB19 KTR', 'extend_parking', {
        plate: 'LB19 KTR',
        minutes: 45,
      }),
      one(
        'Is there a covered car park near the Opera House for no more than 4 euros an hour?',
        'find_car_park',
        {
          place: 'Opera House',
          max_price: 4,
          covered: true,
        },
      ),
      one('Does Ingrid Solberg have a parking permit?', 'get_permit', { resident: 'Ingrid Solberg' }),
      ...none('Extend the parking of LB19 KTR until my meeting is over'),
    ],
  },
}

const triangleArea = wireTool(
  'calculate_triangle_area',
  'Calculate the area of a triangle given its base and height.',
  {
    base: number('The base of the triangle in cm.'),
    height: number('The height of the triangle in cm.'),
    'unit?': text("The unit of measure. Optional. Default is 'cm'."),
  },
)
const compound = wireTool(
  'finance.compound_interest',
  'Calculates the future value of an investment with compound interest.',
  {
    principal: number('The initial amount of the investment in dollars.'),
    rate: number('The annual interest rate as a percentage, e.g. 5 for 5%.'),
    years: integer('The number of years the money is invested.'),
    'compounds_per_year?': integer('How often the interest is compounded per year. Default is 1.'),
  },
)
const quadratic = wireTool(
  'algebra.solve_quadratic',
  'Find the roots of a quadratic equation ax^2 + bx + c = 0.',
  {
    a: number('Coefficient of x squared.'),
    b: number('Coefficient of x.'),
    c: number('Constant term.'),
  },
)
const ohm = wireTool(
  'electricity.current',
  "Calculate the electric current through a resistor with Ohm's law.",
  {
    voltage: number('The voltage across the resistor in volts.'),
    resistance: number('The resistance in ohms.'),
  },
)
const freeFall = wireTool(
  'physics.free_fall_time',
  'Calculate the time an object needs to fall from a height.',
  {
    height: number('The height of the fall in meters.'),
    'gravity?': number('The acceleration due to gravity in m/s^2. Default is 9.81.'),
  },
)
const kinetic = wireTool('calc_kinetic_energy', 'Calculates the kinetic energy of a moving object.', {
  mass: number('The mass of the object in kilograms.'),
  velocity: number('The velocity of the object in meters per second.'),
})
const permutations = wireTool(
  'math.permutations',
  'Calculate the number of ways to arrange r out of n items.',
  {
    n: integer('The total number of items.'),
    r: integer('The number of items to arrange.'),
  },
)
const combinations = wireTool(
  'math.combinations',
  'Calculate the number of ways to choose k out of n items, in any order.',
  {
    n: integer('The total number of items.'),
    k: integer('The number of items to choose.'),
  },
)
const artist = wireTool(
  'art.artist_info',
  'Retrieve information about an artist, such as birth, death and style.',
  {
    artist_name: text('The full name of the artist.'),
    'detail?': oneOf('birth', 'death', 'style', 'works'),
  },
)
const painting = wireTool('art.find_painting', 'Find in which museum a painting hangs.', {
  title: text('The title of the painting.'),
  'artist?': text('The name of the painter. Optional.'),
})
const rivers = wireTool('geography.river_length', 'Get the length of a river.', {
  river: text('The name of the river.'),
  'unit?': oneOf('km', 'miles'),
})
const mountain = wireTool('geography.mountain_height', 'Get the height of a mountain above sea level.', {
  mountain: text('The name of the mountain.'),
  'unit?': oneOf('meters', 'feet'),
})
const calories = wireTool('nutrition.calories', 'Get the calories in a given amount of a food.', {
  food: text('The name of the food, e.g. banana.'),
  grams: number('The amount in grams.'),
})
const burned = wireTool('fitness.calories_burned', 'Calculate the calories burned during an activity.', {
  activity: text('The type of the activity, e.g. running.'),
  duration: integer('The duration in minutes.'),
  weight: number('The weight of the person in kilograms.'),
})
const flight = wireTool('flights.search', 'Search for flights between two cities on a date.', {
  origin: text('The city of departure.'),
  destination: text('The city of arrival.'),
  departure_date: date('The date of departure in YYYY-MM-DD.'),
  'cabin?': oneOf('economy', 'business', 'first'),
  'passengers?': integer('The number of passengers. Default is 1.'),
})
const sunlight = wireTool(
  'astronomy.travel_time_of_light',
  'Calculate how long light travels between two celestial bodies.',
  {
    from_body: text('The celestial body where the light starts.'),
    to_body: text('The celestial body where the light arrives.'),
  },
)
const moonPhase = wireTool('astronomy.moon_phase', 'Get the phase of the moon on a date.', {
  date: date('The date in YYYY-MM-DD.'),
  'location?': text('The place of the observer. Optional.'),
})
const mortgage = wireTool('calculate_mortgage_payment', 'Calculate the monthly payment of a mortgage.', {
  loan_amount: number('The amount of the loan in dollars.'),
  interest_rate: number('The annual interest rate in percent.'),
  term: integer('The length of the loan in years.'),
})
const password = wireTool('generate_password', 'Generate a random password.', {
  length: integer('The number of characters.'),
  'include_symbols?': flag('Whether to include special characters. Default is false.'),
})
const movies = wireTool('imdb.find_movies_by_actor', 'Find the movies of an actor in a given year.', {
  actor_name: text('The name of the actor.'),
  year: integer('The year of release.'),
  'category?': text("The category of the film, e.g. 'Drama'. Optional. Default is 'all'."),
})
const nba = wireTool('sports.player_stats', 'Retrieve the statistics of a basketball player in a season.', {
  player: text('The name of the player.'),
  season: text("The season, e.g. '2018-2019'."),
  'statistic?': oneOf('points', 'assists', 'rebounds'),
})
const court = wireTool('court.case_details', 'Retrieve the details of a court case by its number.', {
  case_number: text('The number of the case, e.g. 45-C-2021.'),
  court: text('The court where the case was heard.'),
})
const dna = wireTool('biology.complement', 'Determine the complementary strand of a DNA sequence.', {
  sequence: text('The DNA sequence, e.g. ATGC.'),
})
const paint = wireTool('paint.required_liters', 'Calculate the amount of paint that is needed for a wall.', {
  width: number('The width of the wall in meters.'),
  height: number('The height of the wall in meters.'),
  'coats?': integer('The number of coats. Default is 1.'),
})
const zodiac = wireTool('zodiac.sign', 'Get the zodiac sign of a birthday.', {
  birthday: date('The birthday in YYYY-MM-DD.'),
})
const median = wireTool('data.median', 'Calculate the median of a list of numbers.', {
  values: listOf({ type: 'number' }, 'The list of numbers.'),
})
const correlation = wireTool('data.correlation', 'Calculate the correlation of two lists of numbers.', {
  x: listOf({ type: 'number' }, 'The first list.'),
  y: listOf({ type: 'number' }, 'The second list.'),
})
const holidays = wireTool('calendar.public_holidays', 'List the public holidays of a country in a year.', {
  country: text('The country.'),
  year: integer('The year.'),
})
const synonyms = wireTool('dictionary.synonyms', 'Find synonyms of a word.', {
  word: text('The word.'),
  'count?': integer('The number of synonyms to return. Default is 5.'),
})
const airQuality = wireTool('air_quality', 'Retrieve the air quality index of a city on a date.', {
  city: text('The name of the city.'),
  'date?': date('The date. Default is today.'),
})
const emissions = wireTool('environment.car_emissions', 'Estimate the CO2 emissions of a car journey.', {
  distance: number('The distance in kilometers.'),
  fuel_type: oneOf('petrol', 'diesel', 'electric'),
  'passengers?': integer('The number of people in the car. Default is 1.'),
})
const hexadecimal = wireTool('convert_base', 'Convert a number from one base to another.', {
  number: text('The number to convert.'),
  from_base: integer('The base of the number.'),
  to_base: integer('The base of the result.'),
})

export const unseenQuestions: readonly Field[] = [
  {
    tools: [triangleArea],
    cases: [
      one(
        'What is the area of a triangle with a base of 12 cm and a height of 7.5 cm?',
        'calculate_triangle_area',
        {
          base: 12,
          height: 7.5,
          unit: 'cm',
        },
      ),
      one('Find the area of a triangle whose height is 9 and whose base is 20.', 'calculate_triangle_area', {
        base: 20,
        height: 9,
      }),
      ...none('Calculate the area of a triangle with sides of 3, 4 and 5 cm.'),
    ],
  },
  {
    tools: [compound, mortgage],
    cases: [
      one(
        'How much will $8,000 be worth after 6 years at an annual interest rate of 4.5%, compounded monthly?',
        'finance.compound_interest',
        {
          principal: 8000,
          rate: 4.5,
          years: 6,
          compounds_per_year: 12,
        },
      ),
      one(
        'Calculate the future value of an investment of $2,500 at 3% for 10 years.',
        'finance.compound_interest',
        {
          principal: 2500,
          rate: 3,
          years: 10,
        },
      ),
      one(
        'What is the monthly payment on a $350,000 mortgage over 30 years at 6.25%?',
        'calculate_mortgage_payment',
        {
          loan_amount: 350000,
          interest_rate: 6.25,
          term: 30,
        },
      ),
    ],
  },
  {
    tools: [quadratic],
    cases: [
      one(
        'Find the roots of the quadratic equation where a = 2, b = -7 and c = 3.',
        'algebra.solve_quadratic',
        {
          a: 2,
          b: -7,
          c: 3,
        },
      ),
      one('Solve the quadratic equation 3x^2 - 11x - 4 = 0.', 'algebra.solve_quadratic', {
        a: 3,
        b: -11,
        c: -4,
      }),
    ],
  },
  {
    tools: [ohm, kinetic, freeFall],
    cases: [
      one('What current flows through a 220 ohm resistor at a voltage of 12 V?', 'electricity.current', {
        voltage: 12,
        resistance: 220,
      }),
      one('How long does a ball take to fall from a height of 45 meters?', 'physics.free_fall_time', {
        height: 45,
      }),
      one('Calculate the kinetic energy of a 1,200 kg car that drives at 25 m/s.', 'calc_kinetic_energy', {
        mass: 1200,
        velocity: 25,
      }),
      one(
        'How long would a hammer fall from 10 meters on the Moon, where gravity is 1.62 m/s^2?',
        'physics.free_fall_time',
        {
          height: 10,
          gravity: 1.62,
        },
      ),
      all(
        'Calculate the kinetic energy of an object of 5 kg at 10 m/s and of one of 8 kg at 3 m/s.',
        ['calc_kinetic_energy', { mass: 5, velocity: 10 }],
        ['calc_kinetic_energy', { mass: 8, velocity: 3 }],
      ),
      ...none('What is the potential energy of a 2 kg book on a shelf of 1.5 meters?'),
    ],
  },
  {
    tools: [permutations, combinations],
    cases: [
      one('In how many ways can I choose 3 books out of 12?', 'math.combinations', { n: 12, k: 3 }),
      one('How many ways are there to arrange 4 out of 9 runners?', 'math.permutations', { n: 9, r: 4 }),
    ],
  },
  {
    tools: [artist, painting],
    cases: [
      one('When was Frida Kahlo born?', 'art.artist_info', { artist_name: 'Frida Kahlo', detail: 'birth' }),
      one('In which museum does "The Night Watch" by Rembrandt hang?', 'art.find_painting', {
        title: 'The Night Watch',
        artist: 'Rembrandt',
      }),
      one('Give me information about the style of Claude Monet.', 'art.artist_info', {
        artist_name: 'Claude Monet',
        detail: 'style',
      }),
      ...none('How much is "The Starry Night" worth?'),
    ],
  },
  {
    tools: [rivers, mountain],
    cases: [
      one('How long is the Danube in miles?', 'geography.river_length', { river: 'Danube', unit: 'miles' }),
      one('How high is Mount Kilimanjaro?', 'geography.mountain_height', { mountain: 'Mount Kilimanjaro' }),
      all(
        'What is the length of the Amazon and the Nile?',
        ['geography.river_length', { river: 'Amazon' }],
        ['geography.river_length', { river: 'Nile' }],
      ),
      ...none('How deep is the Rhine?', 'Who first climbed K2?'),
    ],
  },
  {
    tools: [calories, burned],
    cases: [
      one('How many calories are in 150 grams of cooked rice?', 'nutrition.calories', {
        food: 'cooked rice',
        grams: 150,
      }),
      one(
        'How many calories does a person of 70 kg burn in 45 minutes of swimming?',
        'fitness.calories_burned',
        {
          activity: 'swimming',
          duration: 45,
          weight: 70,
        },
      ),
      ...none('How much protein is in 100 grams of tofu?'),
    ],
  },
  {
    tools: [flight],
    cases: [
      one(
        'Find a business class flight from Vienna to Toronto on the 14th of March 2027.',
        'flights.search',
        {
          origin: 'Vienna',
          destination: 'Toronto',
          departure_date: '2027-03-14',
          cabin: 'business',
        },
      ),
      one('Search flights to Lisbon from Oslo for 3 passengers on 2027-01-09.', 'flights.search', {
        origin: 'Oslo',
        destination: 'Lisbon',
        departure_date: '2027-01-09',
        passengers: 3,
      }),
      ...none('Find me a cheap flight from Madrid to Rome.'),
    ],
  },
  {
    tools: [sunlight, moonPhase],
    cases: [
      one('How long does light take to travel from the Sun to Neptune?', 'astronomy.travel_time_of_light', {
        from_body: 'Sun',
        to_body: 'Neptune',
      }),
      one("What phase will the moon be in on New Year's Eve 2026?", 'astronomy.moon_phase', {
        date: '2026-12-31',
      }),
      one('What is the moon phase on 5 May 2027 in Sydney?', 'astronomy.moon_phase', {
        date: '2027-05-05',
        location: 'Sydney',
      }),
    ],
  },
  {
    tools: [password, hexadecimal],
    cases: [
      one('Generate a random password of 16 characters with special characters.', 'generate_password', {
        length: 16,
        include_symbols: true,
      }),
      one('Convert the number 1011 from base 2 to base 10.', 'convert_base', {
        number: '1011',
        from_base: 2,
        to_base: 10,
      }),
      ...none('Generate a random username of 8 characters.'),
    ],
  },
  {
    tools: [movies],
    cases: [
      one('Find all movies starring Denzel Washington in 2001.', 'imdb.find_movies_by_actor', {
        actor_name: 'Denzel Washington',
        year: 2001,
      }),
      one('Which drama films did Meryl Streep make in 2008?', 'imdb.find_movies_by_actor', {
        actor_name: 'Meryl Streep',
        year: 2008,
        category: 'Drama',
      }),
      ...none('Which movie won the Oscar in 2008?'),
    ],
  },
  {
    tools: [nba],
    cases: [
      one('How many rebounds did Nikola Jokic have in the 2021-2022 season?', 'sports.player_stats', {
        player: 'Nikola Jokic',
        season: '2021-2022',
        statistic: 'rebounds',
      }),
      all(
        'Get the stats of Stephen Curry and Kevin Durant for the 2018-2019 season.',
        ['sports.player_stats', { player: 'Stephen Curry', season: '2018-2019' }],
        ['sports.player_stats', { player: 'Kevin Durant', season: '2018-2019' }],
      ),
    ],
  },
  {
    tools: [court],
    cases: [
      one('Retrieve the details of case number 77-B-2019 heard in the Supreme Court.', 'court.case_details', {
        case_number: '77-B-2019',
        court: 'Supreme Court',
      }),
      ...none('Find the details of a court case about fraud.'),
    ],
  },
  {
    tools: [dna, zodiac],
    cases: [
      one('What is the complementary strand of the DNA sequence GATTACA?', 'biology.complement', {
        sequence: 'GATTACA',
      }),
      one('What is the zodiac sign of someone born on August 17, 1992?', 'zodiac.sign', {
        birthday: '1992-08-17',
      }),
    ],
  },
  {
    tools: [paint],
    cases: [
      one(
        'How much paint do I need for a wall 6 meters wide and 2.5 meters high, with two coats?',
        'paint.required_liters',
        {
          width: 6,
          height: 2.5,
          coats: 2,
        },
      ),
      ...none('How much wallpaper do I need for a wall of 4 by 2.5 meters?'),
    ],
  },
  {
    tools: [median, correlation],
    cases: [
      one('What is the median of 14, 3, 27, 8 and 19?', 'data.median', { values: [14, 3, 27, 8, 19] }),
      one('Calculate the correlation of [1, 2, 3, 4] and [2, 4, 5, 9].', 'data.correlation', {
        x: [1, 2, 3, 4],
        y: [2, 4, 5, 9],
      }),
      ...none('What is the mode of 4, 4, 7 and 9?'),
    ],
  },
  {
    tools: [holidays],
    cases: [
      one('What are the public holidays in Portugal in 2027?', 'calendar.public_holidays', {
        country: 'Portugal',
        year: 2027,
      }),
      all(
        'List the public holidays of Japan for 2026 and 2027.',
        ['calendar.public_holidays', { country: 'Japan', year: 2026 }],
        ['calendar.public_holidays', { country: 'Japan', year: 2027 }],
      ),
    ],
  },
  {
    tools: [synonyms],
    cases: [
      one('Give me 3 synonyms for "happy".', 'dictionary.synonyms', { word: 'happy', count: 3 }),
      one('What is another word for enormous?', 'dictionary.synonyms', { word: 'enormous' }),
    ],
  },
  {
    tools: [airQuality],
    cases: [
      one('What was the air quality in Delhi yesterday?', 'air_quality', {
        city: 'Delhi',
        date: '2026-11-20',
      }),
      one("What's the air quality index of Warsaw?", 'air_quality', { city: 'Warsaw' }),
      ...none('How is the water quality in Warsaw?'),
    ],
  },
  {
    tools: [emissions],
    cases: [
      one(
        'Estimate the CO2 emissions of a 320 kilometer trip with a diesel car and 3 people in it.',
        'environment.car_emissions',
        {
          distance: 320,
          fuel_type: 'diesel',
          passengers: 3,
        },
      ),
      ...none('How many trees would make up for a 500 kilometer trip with a petrol car?'),
    ],
  },
]
