import type { Field } from './fields-corpus.js'
import {
  date,
  flag,
  integer,
  listOf,
  none,
  number,
  objectOf,
  one,
  oneOf,
  text,
  wireTool,
} from './planner-case.js'

// Requests with parts that are easily dropped: second objects, conditions, negations, units, amounts, lists, corrections.
// Written before the planner was asked any of them: 111 of 141 right then, 17 wrong. They were used to make its rules.

export const everyPart: Readonly<Record<string, Field>> = {
  aquarium: {
    tools: [
      wireTool('feed_tank', 'Feed the animals of a tank', {
        tank: integer('Number of the tank'),
        food: oneOf('krill', 'squid', 'flakes'),
        grams: number('Amount in grams'),
      }),
      wireTool('read_water', 'Read the water values of a tank', { tank: integer('Number of the tank') }),
      wireTool('set_salinity', 'Set the salinity of a tank', {
        tank: integer('Number of the tank'),
        salinity: number('Salinity in grams per litre'),
      }),
      wireTool('close_hall', 'Close a hall to visitors', {
        hall: text('Name of the hall, e.g. Coral'),
        'until?': date('Last day'),
      }),
    ],
    cases: [
      one('Feed tank 4 with 300 g of krill', 'feed_tank', { tank: 4, food: 'krill', grams: 300 }),
      one('Give tank twelve half a kilo of squid', 'feed_tank', { tank: 12, food: 'squid', grams: 500 }),
      {
        ask: 'Read the water of tanks 3 and 5',
        calls: [
          ['read_water', { tank: 3 }],
          ['read_water', { tank: 5 }],
        ],
      },
      one('Close the Coral hall until next Friday', 'close_hall', { hall: 'Coral', until: '2026-11-27' }),
      {
        ask: 'Read the water of tank 7 and polish its glass',
        calls: [['read_water', { tank: 7 }]],
        rest: ['polish'],
      },
      {
        ask: "Set the salinity of tank 2 to 35. Don't touch the pump.",
        calls: [['set_salinity', { tank: 2, salinity: 35 }]],
        rest: ['pump'],
      },
      ...none(
        'Feed tank 4 with 300 g of krill unless it was fed this morning',
        'Feed the otters with 300 g of krill',
        'Feed tank 4 with krill',
        'Feed tank 4 with 300 g of herring',
        'Never feed tank 4 with 300 g of krill',
        'Can tank 4 be fed with squid?',
        'Set the salinity of tank 2 to 3.5 %',
      ),
    ],
  },
  printing: {
    tools: [
      wireTool('print_flyers', 'Print flyers', {
        quantity: integer('Number of copies'),
        paper: oneOf('matt', 'glossy', 'recycled'),
        'double_sided?': flag('Print on both sides'),
        'folded?': flag('Fold the flyers'),
      }),
      wireTool('bind_book', 'Bind a manuscript as a book', {
        job: text('Job number, e.g. JB-12'),
        cover: oneOf('hard', 'soft'),
      }),
      wireTool('get_job', 'Get the state of a print job', { job: text('Job number, e.g. JB-12') }),
      wireTool('cancel_job', 'Cancel a print job', { job: text('Job number, e.g. JB-12') }),
    ],
    cases: [
      one('Print two hundred and fifty glossy flyers, double-sided', 'print_flyers', {
        quantity: 250,
        paper: 'glossy',
        double_sided: true,
      }),
      one('Print 1,500 recycled flyers, folded but not double-sided', 'print_flyers', {
        quantity: 1500,
        paper: 'recycled',
        double_sided: false,
        folded: true,
      }),
      {
        ask: 'Cancel JB-40 and JB-41',
        calls: [
          ['cancel_job', { job: 'JB-40' }],
          ['cancel_job', { job: 'JB-41' }],
        ],
      },
      {
        ask: 'Bind JB-77 with a hard cover, and how far is JB-78?',
        calls: [
          ['bind_book', { job: 'JB-77', cover: 'hard' }],
          ['get_job', { job: 'JB-78' }],
        ],
      },
      {
        ask: 'Cancel JB-50 and tell the customer',
        calls: [['cancel_job', { job: 'JB-50' }]],
        rest: ['tell the customer'],
      },
      one('"Bind JB-80 with a soft cover."', 'bind_book', { job: 'JB-80', cover: 'soft' }),
      ...none(
        'Print 200 glossy flyers and 100 posters',
        'Print a few glossy flyers',
        "Don't cancel JB-40",
        'Was JB-40 cancelled by Maria?',
        'Print 300 glossy flyers in two colours',
        'What does cancel_job do?',
        'Cancel JB-60 if it has not started',
      ),
    ],
  },
  skiing: {
    tools: [
      wireTool('buy_lift_pass', 'Buy a lift pass', {
        days: integer('Number of days'),
        start: date('First day'),
        'adults?': integer('Number of adults'),
        'children?': integer('Number of children'),
        'insurance?': flag('With insurance'),
      }),
      wireTool('open_slope', 'Open or close a slope', {
        slope: text('Name of the slope'),
        state: oneOf('open', 'closed'),
      }),
      wireTool('get_snow_depth', 'Get the depth of the snow at a station', {
        station: text('Name of the station'),
      }),
      wireTool('groom_slope', 'Groom a slope at night', {
        slope: text('Name of the slope'),
        'time?': { type: 'string', format: 'time', description: 'Start' },
      }),
    ],
    cases: [
      one('Buy a lift pass for three days from tomorrow for 2 adults and 1 child', 'buy_lift_pass', {
        days: 3,
        start: '2026-11-22',
        adults: 2,
        children: 1,
      }),
      one('A lift pass for 5 days starting on 3 January, with insurance', 'buy_lift_pass', {
        days: 5,
        start: '2027-01-03',
        insurance: true,
      }),
      {
        ask: 'Groom the Eagle and the Badger slopes',
        calls: [
          ['groom_slope', { slope: 'Eagle' }],
          ['groom_slope', { slope: 'Badger' }],
        ],
      },
      {
        ask: 'How deep is the snow in Arlen and Brunn?',
        calls: [
          ['get_snow_depth', { station: 'Arlen' }],
          ['get_snow_depth', { station: 'Brunn' }],
        ],
      },
      {
        ask: 'Groom the Eagle slope. No, make that the Falcon slope.',
        calls: [['groom_slope', { slope: 'Falcon' }]],
      },
      {
        ask: 'Buy a lift pass for 3 days from tomorrow and rent two pairs of boots with it',
        calls: [['buy_lift_pass', { days: 3, start: '2026-11-22' }]],
        rest: ['two pairs of boots'],
      },
      ...none(
        'Buy a lift pass for 3 days from tomorrow for my dog',
        'Groom the Eagle slope once the wind drops',
        'How deep is the snow in Arlen compared to last year?',
        'Is grooming expensive?',
        'How warm is it in Arlen?',
      ),
    ],
  },
  beekeeping: {
    tools: [
      wireTool('inspect_hive', 'Record the inspection of a hive', {
        hive: text('Hive, e.g. H-12'),
        'queen_seen?': flag('Whether the queen was seen'),
        'note?': text('Remarks'),
      }),
      wireTool('harvest_honey', 'Record harvested honey', {
        hive: text('Hive, e.g. H-12'),
        kilograms: number('Weight in kg'),
      }),
      wireTool('move_hives', 'Move hives to another field', {
        hives: listOf({ type: 'string' }, 'Hives, e.g. H-12'),
        field: text('Name of the field'),
      }),
      wireTool('sell_jars', 'Sell jars of honey', {
        jars: integer('Number of jars'),
        price: number('Price per jar in euros'),
        buyer: text('Name of the buyer'),
      }),
    ],
    cases: [
      one('Record 18.5 kg of honey from H-7', 'harvest_honey', { hive: 'H-7', kilograms: 18.5 }),
      one('H-9 gave twenty kilos of honey', 'harvest_honey', { hive: 'H-9', kilograms: 20 }),
      one('Harvest 750 grams of honey from H-3', 'harvest_honey', { hive: 'H-3', kilograms: 0.75 }),
      one('Move H-1, H-2 and H-5 to the field Lindenhof', 'move_hives', {
        hives: ['H-1', 'H-2', 'H-5'],
        field: 'Lindenhof',
      }),
      one('Sell two dozen jars at €7.50 each to Rosa Bell', 'sell_jars', {
        jars: 24,
        price: 7.5,
        buyer: 'Rosa Bell',
      }),
      one('Inspection of H-4: the queen was not seen', 'inspect_hive', { hive: 'H-4', queen_seen: false }),
      ...none(
        'Sell 24 jars at $7.50 each to Rosa Bell',
        'Sell 24 jars and 6 candles at €7.50 each to Rosa Bell',
        'Record 18 kg of wax from H-7',
        'Move H-1 and H-2 to the field Lindenhof unless it rains',
        'Move all hives but H-3 to the field Lindenhof',
        'Sell 24 jars to Rosa Bell',
      ),
    ],
  },
  operations: {
    tools: [
      wireTool('restart_component', 'Restart a component of the platform in an environment', {
        component: text('Name of the component, such as billing'),
        environment: oneOf('staging', 'production'),
      }),
      wireTool('set_replicas', 'Set the number of replicas of a component', {
        component: text('Name of the component, such as billing'),
        replicas: integer('Number of replicas'),
        'force?': flag('Ignore running requests'),
      }),
      wireTool('add_dns_record', 'Add a DNS record', {
        host: text('Host name'),
        type: oneOf('A', 'CNAME', 'TXT'),
        value: text('Value of the record'),
        'ttl?': integer('Time to live in seconds'),
      }),
      wireTool('list_alerts', 'List the alerts of an environment', {
        environment: oneOf('staging', 'production'),
        'since?': date('First day'),
      }),
    ],
    cases: [
      {
        ask: 'Restart billing and search in staging',
        calls: [
          ['restart_component', { component: 'billing', environment: 'staging' }],
          ['restart_component', { component: 'search', environment: 'staging' }],
        ],
      },
      {
        ask: 'Restart billing, checkout and mailer in production',
        calls: [
          ['restart_component', { component: 'billing', environment: 'production' }],
          ['restart_component', { component: 'checkout', environment: 'production' }],
          ['restart_component', { component: 'mailer', environment: 'production' }],
        ],
      },
      {
        ask: 'Restart billing in staging and in production',
        calls: [
          ['restart_component', { component: 'billing', environment: 'staging' }],
          ['restart_component', { component: 'billing', environment: 'production' }],
        ],
      },
      one('Restart the printer in staging', 'restart_component', {
        component: 'printer',
        environment: 'staging',
      }),
      one('Set the replicas of billing to five', 'set_replicas', { component: 'billing', replicas: 5 }),
      one('List the production alerts since last Monday', 'list_alerts', {
        environment: 'production',
        since: '2026-11-16',
      }),
      {
        ask: 'Restart billing in staging, but leave production alone',
        calls: [['restart_component', { component: 'billing', environment: 'staging' }]],
        rest: ['alone'],
      },
      ...none(
        'Restart billing in staging at midnight',
        'Restart billing in staging unless somebody is testing',
        'Set the replicas of billing and search to five and three',
        'Restart billing in the canary environment',
        'Do not restart billing in staging',
        'Why did billing restart in staging?',
      ),
    ],
  },
  observatory: {
    tools: [
      wireTool('point_telescope', 'Point the telescope at an object', {
        object: text('Name of the object'),
        'exposure_seconds?': number('Exposure in seconds'),
      }),
      wireTool('book_night', 'Book a night at the telescope for an observer', {
        observer: text('Name of the observer'),
        night: date('Night'),
        'remote?': flag('Observe remotely'),
      }),
      wireTool('list_visible', 'List the objects that are visible at a time', {
        night: date('Night'),
        'kind?': oneOf('planet', 'galaxy', 'comet'),
        'brighter_than?': number('Limit of the magnitude'),
      }),
    ],
    cases: [
      one('Point the telescope at Saturn for 2 minutes', 'point_telescope', {
        object: 'Saturn',
        exposure_seconds: 120,
      }),
      one('Book the night of 4 December for Ines Roth, remotely', 'book_night', {
        observer: 'Ines Roth',
        night: '2026-12-04',
        remote: true,
      }),
      one('Which galaxies are visible the day after tomorrow?', 'list_visible', {
        night: '2026-11-23',
        kind: 'galaxy',
      }),
      {
        ask: 'Book tomorrow night for Ines Roth and Paul Kern',
        calls: [
          ['book_night', { observer: 'Ines Roth', night: '2026-11-22' }],
          ['book_night', { observer: 'Paul Kern', night: '2026-11-22' }],
        ],
      },
      {
        ask: 'Point the telescope at Saturn and then at the ceiling lamp of room 3',
        calls: [['point_telescope', { object: 'Saturn' }]],
        rest: ['ceiling lamp of room 3'],
      },
      ...none(
        'Book tomorrow night for Ines Roth provided that the sky is clear',
        'Point the telescope at Saturn without opening the dome',
        'Who discovered Saturn?',
        'How much does a night at the telescope cost?',
      ),
    ],
  },
  cinema: {
    tools: [
      wireTool('schedule_screening', 'Schedule a screening of a film', {
        film: text('Title of the film'),
        hall: integer('Number of the hall'),
        day: date('Day'),
        time: { type: 'string', format: 'time', description: 'Start' },
        'subtitles?': flag('With subtitles'),
      }),
      wireTool('sell_popcorn', 'Sell popcorn', {
        size: oneOf('small', 'medium', 'large'),
        quantity: integer('How many'),
        'taste?': oneOf('sweet', 'salty'),
      }),
      wireTool('count_visitors', 'Count the visitors of a hall on a day', {
        hall: integer('Number of the hall'),
        day: date('Day'),
      }),
    ],
    cases: [
      one('Schedule "The Long Night" in hall 2 on Friday at half past eight pm', 'schedule_screening', {
        film: 'The Long Night',
        hall: 2,
        day: '2026-11-27',
        time: '20:30',
      }),
      one('Two large salty popcorn, please', 'sell_popcorn', { size: 'large', quantity: 2, taste: 'salty' }),
      {
        ask: 'Sell 3 small popcorn and 1 large',
        calls: [
          ['sell_popcorn', { size: 'small', quantity: 3 }],
          ['sell_popcorn', { size: 'large', quantity: 1 }],
        ],
      },
      one('How many visitors did hall 3 have yesterday?', 'count_visitors', { hall: 3, day: '2026-11-20' }),
      {
        ask: 'Sell 2 small sweet popcorn and a cola',
        calls: [],
      },
      ...none(
        'Sell 2 small popcorn with extra butter',
        'How many visitors will hall 3 have next year?',
        'Schedule "The Long Night" in hall 2 on Friday',
        'Is "The Long Night" any good?',
        'Count the seats of hall 3 today',
      ),
    ],
  },
  parking: {
    tools: [
      wireTool('reserve_space', 'Reserve a parking space for a vehicle', {
        plate: text('Number plate'),
        hours: number('Hours'),
        'electric?': flag('With a charger'),
        'level?': integer('Level of the garage'),
      }),
      wireTool('pay_ticket', 'Pay a parking ticket', {
        ticket: text('Number of the ticket, e.g. PT-900'),
        amount: number('Amount'),
        currency: oneOf('EUR', 'CHF', 'USD'),
      }),
      wireTool('open_barrier', 'Open a barrier', { barrier: oneOf('north', 'south', 'east') }),
    ],
    cases: [
      one('Reserve a space for ZH-4411 for 90 minutes', 'reserve_space', { plate: 'ZH-4411', hours: 1.5 }),
      one('Reserve a space with a charger on level 2 for ZH-77 for four hours', 'reserve_space', {
        plate: 'ZH-77',
        hours: 4,
        electric: true,
        level: 2,
      }),
      one('Pay PT-811 with 12 francs', 'pay_ticket', { ticket: 'PT-811', amount: 12, currency: 'CHF' }),
      one('Pay €8.40 for PT-812', 'pay_ticket', { ticket: 'PT-812', amount: 8.4, currency: 'EUR' }),
      {
        ask: 'Open the north and the south barrier',
        calls: [
          ['open_barrier', { barrier: 'north' }],
          ['open_barrier', { barrier: 'south' }],
        ],
      },
      {
        ask: 'Open the north barrier, not the south one',
        calls: [],
      },
      ...none(
        'Pay PT-813 with 12 pounds',
        'Open the west barrier',
        'Open the north barrier for the fire brigade only',
        'Reserve a space for ZH-4411 for 3 hours, and if the garage is full, one on the street',
        'Is the north barrier open?',
        'Open every barrier except east',
      ),
    ],
  },
}

const geometry = wireTool(
  'calculate_triangle_area',
  'Calculate the area of a triangle from its base and height.',
  {
    base: number('The base of the triangle.'),
    height: number('The height of the triangle.'),
    'unit?': text("The unit of the sides, e.g. 'cm'."),
  },
)
const stock = wireTool('get_stock_quote', 'Get the price of a stock of a company.', {
  company: text('Name of the company.'),
  'days?': integer('The number of days to look back.'),
})
const loan = wireTool('loan_payment.monthly', 'Calculate the monthly payment of a loan.', {
  amount: number('The amount of the loan.'),
  annual_interest: number('The annual interest in percent.'),
  years: integer('The term in years.'),
})
const recipe = wireTool('recipe.search', 'Search recipes.', {
  dish: text('The dish.'),
  'diet?': oneOf('vegan', 'vegetarian', 'none'),
  'max_minutes?': integer('Maximum time of preparation in minutes.'),
})
const travel = wireTool('travel.flight_price', 'Get the price of a flight between two cities.', {
  from_city: text('The city of departure.'),
  to_city: text('The city of arrival.'),
  date: date('The day of the flight.'),
  'class?': oneOf('economy', 'business'),
})
const cell = wireTool('biology.cell_function', 'Describe the function of a part of a cell.', {
  part: text('The part of the cell, e.g. nucleus.'),
  'detailed?': flag('Whether to give details. Default is false.'),
})
const person = wireTool('register_player', 'Register a player for a tournament.', {
  player: objectOf({
    name: text('Full name of the player.'),
    'age?': integer('Age in years.'),
    'level?': oneOf('beginner', 'advanced'),
  }),
  tournament: text('Name of the tournament.'),
})
const timezone = wireTool('time.difference', 'Get the time difference between two cities.', {
  city1: text('The first city.'),
  city2: text('The second city.'),
})
const velocity = wireTool('physics.final_velocity', 'Calculate the final velocity of a falling object.', {
  height: number('The height in meters.'),
  'gravity?': number('The acceleration by gravity in m/s^2. Default is 9.81.'),
})
const election = wireTool('election.results', 'Get the results of an election.', {
  country: text('The country.'),
  year: integer('The year of the election.'),
})
const sort = wireTool('sort_numbers', 'Sort a list of numbers.', {
  numbers: listOf({ type: 'number' }, 'The numbers.'),
  'descending?': flag('Sort in descending order. Default is false.'),
})
const translate = wireTool('text.translate', 'Translate a text into a language.', {
  text: text('The text.'),
  language: text('The language to translate into.'),
})
const cylinder = wireTool('geometry.sphere_volume', 'Compute the volume of a sphere.', {
  radius: number('The radius of the sphere.'),
  'precision?': integer('Number of decimal places.'),
})

/** Questions as public benchmarks ask them, each with few functions. */
export const functionQuestions: readonly Field[] = [
  {
    tools: [geometry],
    cases: [
      one('Find the area of a triangle with a base of 10 and a height of 5 cm.', 'calculate_triangle_area', {
        base: 10,
        height: 5,
        unit: 'cm',
      }),
      one(
        'What is the area of a triangle whose height is 7 and whose base is 4?',
        'calculate_triangle_area',
        {
          base: 4,
          height: 7,
        },
      ),
      {
        ask: 'Calculate the area of a triangle with base 3 and height 4, and of one with base 6 and height 8.',
        calls: [
          ['calculate_triangle_area', { base: 3, height: 4 }],
          ['calculate_triangle_area', { base: 6, height: 8 }],
        ],
      },
      ...none(
        'What is the area of a circle with a radius of 5?',
        'Find the perimeter of a triangle with base 10 and height 5.',
        'What is the area of a triangle with sides 3, 4 and 5?',
      ),
    ],
  },
  {
    tools: [stock],
    cases: [
      one('What is the stock price of Siemens?', 'get_stock_quote', { company: 'Siemens' }),
      one('Show me the stock price of Nokia for the last 7 days', 'get_stock_quote', {
        company: 'Nokia',
        days: 7,
      }),
      {
        ask: 'Get the stock prices of Nokia and Ericsson',
        calls: [
          ['get_stock_quote', { company: 'Nokia' }],
          ['get_stock_quote', { company: 'Ericsson' }],
        ],
      },
      ...none('Buy 20 shares of Nokia', 'Which stock should I buy?', 'What is the dividend of Siemens?'),
    ],
  },
  {
    tools: [loan],
    cases: [
      one(
        'Monthly payment of a loan of $250,000 at 4.5% annual interest over 30 years',
        'loan_payment.monthly',
        {
          amount: 250_000,
          annual_interest: 4.5,
          years: 30,
        },
      ),
      ...none('How do I get a loan of $20,000?', 'Monthly payment of a loan of $10,000 over 5 years'),
    ],
  },
  {
    tools: [recipe],
    cases: [
      one('Find a vegan recipe for lasagna that takes at most 45 minutes', 'recipe.search', {
        dish: 'lasagna',
        diet: 'vegan',
        max_minutes: 45,
      }),
      one('Find a recipe for lasagna without onions', 'recipe.search', { dish: 'lasagna without onions' }),
      one('Search for recipes for pumpkin soup', 'recipe.search', { dish: 'pumpkin soup' }),
      ...none('How many calories does lasagna have?'),
    ],
  },
  {
    tools: [travel],
    cases: [
      one(
        'How much is a business class flight from Lisbon to Warsaw on December 20th, 2026?',
        'travel.flight_price',
        { from_city: 'Lisbon', to_city: 'Warsaw', date: '2026-12-20', class: 'business' },
      ),
      {
        ask: 'Price of a flight from Oslo to Paris and from Oslo to Rome on 1 December',
        calls: [
          ['travel.flight_price', { from_city: 'Oslo', to_city: 'Paris', date: '2026-12-01' }],
          ['travel.flight_price', { from_city: 'Oslo', to_city: 'Rome', date: '2026-12-01' }],
        ],
      },
      ...none(
        'How long is the flight from Lisbon to Warsaw on 20 December?',
        'Price of a train from Lisbon to Warsaw on 20 December',
        'Price of a flight from Lisbon to Warsaw via Madrid on 20 December',
      ),
    ],
  },
  {
    tools: [cell, election],
    cases: [
      one('What is the function of the mitochondria in a cell?', 'biology.cell_function', {
        part: 'mitochondria',
      }),
      one('Explain the function of the nucleus in detail', 'biology.cell_function', {
        part: 'nucleus',
        detailed: true,
      }),
      one('Results of the 2019 election in Portugal', 'election.results', {
        country: 'Portugal',
        year: 2019,
      }),
      {
        ask: 'Give me the election results of Portugal and Greece for 2019',
        calls: [
          ['election.results', { country: 'Portugal', year: 2019 }],
          ['election.results', { country: 'Greece', year: 2019 }],
        ],
      },
      ...none('Who won the Nobel Prize in 2019?', 'How many cells does a human have?'),
    ],
  },
  {
    tools: [person],
    cases: [
      one('Register Emma Stone, age 14, as a beginner for the tournament Spring Cup', 'register_player', {
        player: { name: 'Emma Stone', age: 14, level: 'beginner' },
        tournament: 'Spring Cup',
      }),
      ...none('Register Emma Stone and two friends for the tournament Spring Cup', 'Register a player'),
    ],
  },
  {
    tools: [timezone, velocity],
    cases: [
      one('What is the time difference between Tokyo and Denver?', 'time.difference', {
        city1: 'Tokyo',
        city2: 'Denver',
      }),
      one('Final velocity of an object that falls from 150 meters', 'physics.final_velocity', {
        height: 150,
      }),
      one(
        'Final velocity of an object falling from 2 km with a gravity of 1.62 m/s^2',
        'physics.final_velocity',
        {
          height: 2000,
          gravity: 1.62,
        },
      ),
      ...none('What time is it in Tokyo?', 'How far is Tokyo from Denver?'),
    ],
  },
  {
    tools: [sort, translate, cylinder],
    cases: [
      one('Sort the numbers 3, 1.5, -7 and 10 in descending order', 'sort_numbers', {
        numbers: [3, 1.5, -7, 10],
        descending: true,
      }),
      one('Sort 12, 4 and 9', 'sort_numbers', { numbers: [12, 4, 9] }),
      one('Translate "Good evening" into Polish', 'text.translate', {
        text: 'Good evening',
        language: 'Polish',
      }),
      {
        ask: 'Translate "Good evening" into Polish and Danish',
        calls: [
          ['text.translate', { text: 'Good evening', language: 'Polish' }],
          ['text.translate', { text: 'Good evening', language: 'Danish' }],
        ],
      },
      {
        ask: 'Translate "Good evening" into Polish and read it aloud to my grandmother',
        calls: [['text.translate', { text: 'Good evening', language: 'Polish' }]],
        rest: ['to my grandmother'],
      },
      one('Volume of a sphere with a radius of 3.5, to 2 decimal places', 'geometry.sphere_volume', {
        radius: 3.5,
        precision: 2,
      }),
      {
        ask: 'Find the volume of a sphere of radius 2 and sort 5, 3 and 8',
        calls: [
          ['geometry.sphere_volume', { radius: 2 }],
          ['sort_numbers', { numbers: [5, 3, 8] }],
        ],
      },
      ...none(
        'Sort the names Mia, Ben and Leo',
        'Volume of a cube with a side of 3',
        'Sort 12, 4 and 9 and plot them',
      ),
    ],
  },
]

const time = (description: string) => ({ type: 'string', format: 'time', description })

/** Written after the rules for the others, and asked once before they changed again: 64 of 76 right, 7 wrong. */
export const laterParts: Readonly<Record<string, Field>> = {
  brewery: {
    tools: [
      wireTool('start_brew', 'Start a brew in a kettle', {
        beer: text('Name of the beer'),
        kettle: integer('Kettle number'),
        litres: number('Volume in litres'),
      }),
      wireTool('transfer_to_tank', 'Transfer a brew to a fermentation tank', {
        brew: text('Brew number, e.g. BR-204'),
        tank: integer('Tank number'),
      }),
      wireTool('log_gravity', 'Log the gravity of a brew', {
        brew: text('Brew number, e.g. BR-204'),
        gravity: number('Gravity in degrees Plato'),
        'date?': date('Day of the measurement'),
      }),
      wireTool('order_hops', 'Order hops', {
        variety: text('Variety of the hops'),
        kilograms: number('Weight in kg'),
        'organic?': flag('Whether the hops must be organic'),
      }),
    ],
    cases: [
      one('Start 500 litres of Pale Ale in kettle 2', 'start_brew', {
        beer: 'Pale Ale',
        kettle: 2,
        litres: 500,
      }),
      one('Transfer BR-310 to tank six', 'transfer_to_tank', { brew: 'BR-310', tank: 6 }),
      one('Log a gravity of 12.4 for BR-310 yesterday', 'log_gravity', {
        brew: 'BR-310',
        gravity: 12.4,
        date: '2026-11-20',
      }),
      one('Order 15 kg of organic Cascade hops', 'order_hops', {
        variety: 'Cascade',
        kilograms: 15,
        organic: true,
      }),
      {
        ask: 'Order 5 kg of Citra and 8 kg of Mosaic',
        calls: [
          ['order_hops', { variety: 'Citra', kilograms: 5 }],
          ['order_hops', { variety: 'Mosaic', kilograms: 8 }],
        ],
      },
      {
        ask: 'Transfer BR-311 to tank 4 and clean kettle 2',
        calls: [['transfer_to_tank', { brew: 'BR-311', tank: 4 }]],
        rest: ['clean'],
      },
      ...none(
        'Order 15 kg of barley',
        'Transfer BR-310 to tank 6 after it has cooled down',
        'Transfer BR-310 to a free tank',
        'Start a brew',
        'Is BR-310 ready for bottling?',
        'Do not transfer BR-310 to tank 6',
        'Order 15 kg of Cascade hops and 3 sacks of malt',
      ),
    ],
  },
  tattoo: {
    tools: [
      wireTool('book_session', 'Book a session with a tattoo artist', {
        artist: text('Name of the artist'),
        client: text('Name of the client'),
        day: date('Day'),
        'hours?': number('Length in hours'),
        'deposit_paid?': flag('Whether the deposit was paid'),
      }),
      wireTool('move_session', 'Move a session to another day', {
        client: text('Name of the client'),
        day: date('New day'),
      }),
      wireTool('list_sessions', 'List the sessions of an artist on a day', {
        artist: text('Name of the artist'),
        'day?': date('Day'),
      }),
      wireTool('charge_client', 'Charge a client', {
        client: text('Name of the client'),
        amount: number('Amount'),
        currency: oneOf('GBP', 'EUR', 'USD'),
      }),
    ],
    cases: [
      one('Book a session for Nina Park with Otto Hahn on Thursday for three hours', 'book_session', {
        artist: 'Otto Hahn',
        client: 'Nina Park',
        day: '2026-11-26',
        hours: 3,
      }),
      one('Charge Nina Park £180', 'charge_client', { client: 'Nina Park', amount: 180, currency: 'GBP' }),
      one('Move the session of Nina Park to 5 December', 'move_session', {
        client: 'Nina Park',
        day: '2026-12-05',
      }),
      one('Which sessions does Otto Hahn have tomorrow?', 'list_sessions', {
        artist: 'Otto Hahn',
        day: '2026-11-22',
      }),
      {
        ask: 'Charge Nina Park 50 euros and Leo Voss 70 euros',
        calls: [
          ['charge_client', { client: 'Nina Park', amount: 50, currency: 'EUR' }],
          ['charge_client', { client: 'Leo Voss', amount: 70, currency: 'EUR' }],
        ],
      },
      {
        ask: 'Move the session of Nina Park to Monday, no, Tuesday',
        calls: [['move_session', { client: 'Nina Park', day: '2026-11-24' }]],
      },
      {
        ask: 'List the sessions of Otto Hahn and Mia Lind on Friday',
        calls: [
          ['list_sessions', { artist: 'Otto Hahn', day: '2026-11-27' }],
          ['list_sessions', { artist: 'Mia Lind', day: '2026-11-27' }],
        ],
      },
      ...none(
        'Charge Nina Park 180 yen',
        'Move the session of Nina Park to Monday if Otto Hahn is free',
        'Charge Nina Park half of the price',
        'Charge everyone except Nina Park 20 euros',
        'Does Otto Hahn do realistic portraits?',
        'Was Nina Park charged?',
        'Tell Nina Park that Otto Hahn is ill',
      ),
    ],
  },
  escape: {
    tools: [
      wireTool('book_room', 'Book an escape room', {
        room: oneOf('Pharaoh', 'Submarine', 'Library'),
        players: integer('Number of players'),
        day: date('Day'),
        time: time('Start'),
        'language?': text('Language of the game'),
      }),
      wireTool('give_hint', 'Give a hint to a team', {
        team: text('Name of the team'),
        hint: text('Text of the hint'),
      }),
      wireTool('reset_room', 'Reset an escape room after a game', {
        room: oneOf('Pharaoh', 'Submarine', 'Library'),
      }),
      wireTool('get_record', 'Get the record time of an escape room', {
        room: oneOf('Pharaoh', 'Submarine', 'Library'),
      }),
    ],
    cases: [
      one('Book the Submarine for six players on Saturday at 7 pm', 'book_room', {
        room: 'Submarine',
        players: 6,
        day: '2026-11-28',
        time: '19:00',
      }),
      {
        ask: 'Reset the Library and the Pharaoh',
        calls: [
          ['reset_room', { room: 'Library' }],
          ['reset_room', { room: 'Pharaoh' }],
        ],
      },
      one('What is the record in the Submarine?', 'get_record', { room: 'Submarine' }),
      one('Give team Falcons the hint "look under the rug"', 'give_hint', {
        team: 'Falcons',
        hint: 'look under the rug',
      }),
      {
        ask: 'Reset the Library and open the windows',
        calls: [['reset_room', { room: 'Library' }]],
        rest: ['windows'],
      },
      ...none(
        'Book the Submarine for six players on Saturday',
        'Reset the Attic',
        'Book the Submarine or the Library for 4 players on Saturday at 7 pm',
        'Reset all rooms but the Library',
        'Who holds the record in the Submarine?',
        'Reset the Library at 9 pm',
        'Give the Falcons no more hints',
      ),
    ],
  },
  cloud: {
    tools: [
      wireTool('delete_bucket', 'Delete a storage bucket', {
        bucket: text('Name of the bucket'),
        'force?': flag('Delete even when it is not empty'),
      }),
      wireTool('rotate_key', 'Rotate the access key of a user', { user: text('Login of the user') }),
      wireTool('create_database', 'Create a database', {
        name: text('Name of the database'),
        engine: oneOf('postgres', 'mysql'),
        size_gb: integer('Size in GB'),
        'replicas?': integer('Number of replicas'),
        'public?': flag('Reachable from the internet'),
      }),
      wireTool('get_usage', 'Get the usage of a service in a region', {
        service: text('Name of the service'),
        region: oneOf('eu-west', 'us-east'),
      }),
    ],
    cases: [
      one('Create a postgres database named orders with 20 GB and two replicas', 'create_database', {
        name: 'orders',
        engine: 'postgres',
        size_gb: 20,
        replicas: 2,
      }),
      {
        ask: 'Rotate the keys of anna and bert',
        calls: [
          ['rotate_key', { user: 'anna' }],
          ['rotate_key', { user: 'bert' }],
        ],
      },
      one('Delete the bucket backups-2019', 'delete_bucket', { bucket: 'backups-2019' }),
      {
        ask: 'Get the usage of storage and compute in eu-west',
        calls: [
          ['get_usage', { service: 'storage', region: 'eu-west' }],
          ['get_usage', { service: 'compute', region: 'eu-west' }],
        ],
      },
      one('Create a mysql database named crm with 5 GB that is not public', 'create_database', {
        name: 'crm',
        engine: 'mysql',
        size_gb: 5,
        public: false,
      }),
      ...none(
        'Delete the bucket backups-2019 once the copy is done',
        "Please don't delete the bucket backups-2019",
        'You must not delete the bucket backups-2019',
        'Delete every bucket except logs',
        'Create an oracle database named crm with 5 GB',
        'How do I delete a bucket?',
        'Is the bucket logs empty?',
        'Delete the bucket logs and the bucket tmp unless they are in use',
        'Rotate the key of anna next week',
      ),
    ],
  },
  leader: {
    tools: [
      wireTool('calculate_density', 'Calculate the density of an object.', {
        mass: number('The mass in kg.'),
        volume: number('The volume in cubic meters.'),
      }),
      wireTool('get_exchange_value', 'Get the value of an amount in another currency.', {
        amount: number('The amount.'),
        from: text('Currency code to convert from, e.g. USD.'),
        to: text('Currency code to convert to, e.g. EUR.'),
      }),
      wireTool('find_hospital', 'Find hospitals near a location with a department.', {
        location: text('City and state, e.g. Denver, CO.'),
        'radius_miles?': integer('Radius in miles.'),
        'department?': oneOf('emergency', 'pediatrics', 'cardiology'),
      }),
      wireTool('book_concert_ticket', 'Book tickets for a concert.', {
        artist: text('Artist.'),
        location: text('City of the concert.'),
        quantity: integer('Number of tickets.'),
        'add_ons?': listOf(oneOf('parking', 'backstage', 'vip')),
      }),
    ],
    cases: [
      one(
        'What is the density of an object with a mass of 50 kg and a volume of 10 cubic meters?',
        'calculate_density',
        { mass: 50, volume: 10 },
      ),
      one('How much is 150 USD in EUR?', 'get_exchange_value', { amount: 150, from: 'USD', to: 'EUR' }),
      one('Find a hospital with a pediatrics department within 10 miles of Denver, CO', 'find_hospital', {
        location: 'Denver, CO',
        radius_miles: 10,
        department: 'pediatrics',
      }),
      one('Book 3 tickets for Coldplay in Berlin with parking and backstage', 'book_concert_ticket', {
        artist: 'Coldplay',
        location: 'Berlin',
        quantity: 3,
        add_ons: ['parking', 'backstage'],
      }),
      {
        ask: 'Calculate the density of an object of 20 kg and 4 cubic meters and find a hospital near Boston, MA',
        calls: [
          ['calculate_density', { mass: 20, volume: 4 }],
          ['find_hospital', { location: 'Boston, MA' }],
        ],
      },
      ...none(
        'What is the boiling point of water?',
        'Which concerts are in Berlin this week?',
        'What is the weight of an object with a volume of 10 cubic meters?',
        'Refund 3 tickets for Coldplay in Berlin',
        'Find a pharmacy near Denver, CO',
        'Calculate the mass of an object with a density of 5 and a volume of 10',
        'Who is the best doctor in Denver?',
      ),
    ],
  },
  science: {
    tools: [
      wireTool('chemistry.molar_mass', 'Compute the molar mass of a compound.', {
        compound: text('Formula or name of the compound.'),
        'unit?': oneOf('g/mol', 'kg/mol'),
      }),
      wireTool('probability.dice', 'Probability of a sum with dice.', {
        dice: integer('Number of dice.'),
        total: integer('The sum of the dice.'),
      }),
      wireTool('history.event_date', 'Get the date of a historical event.', {
        event: text('Name of the event.'),
        'location?': text('Place of the event.'),
      }),
      wireTool('music.scale_notes', 'List the notes of a scale.', {
        key: oneOf('C', 'D', 'E', 'F', 'G', 'A', 'B'),
        scale: oneOf('major', 'minor'),
      }),
      wireTool('update_profile', 'Update the profile of a user.', {
        user_id: integer('Id of the user.'),
        profile: objectOf({
          'email?': { type: 'string', format: 'email', description: 'New email.' },
          'city?': text('New city.'),
          'newsletter?': flag('Whether to send the newsletter.'),
        }),
      }),
    ],
    cases: [
      one('What is the molar mass of sodium chloride?', 'chemistry.molar_mass', {
        compound: 'sodium chloride',
      }),
      one('What is the probability of a sum of 7 with two dice?', 'probability.dice', { dice: 2, total: 7 }),
      one('When was the signing of the Magna Carta?', 'history.event_date', {
        event: 'signing of the Magna Carta',
      }),
      {
        ask: 'List the notes of the C major and the A minor scale',
        calls: [
          ['music.scale_notes', { key: 'C', scale: 'major' }],
          ['music.scale_notes', { key: 'A', scale: 'minor' }],
        ],
      },
      one('Update the profile of user 88: email ann@x.org, city Lyon', 'update_profile', {
        user_id: 88,
        profile: { email: 'ann@x.org', city: 'Lyon' },
      }),
      ...none(
        'What is the atomic number of sodium?',
        'How old is the Magna Carta?',
        'What is the probability of rain tomorrow?',
        'Play the C major scale',
        'Delete the profile of user 88',
        'Update the profile of user 88',
      ),
    ],
  },
}

/** Written after the rules for both, and asked once before they changed again: 47 of 55 right, 2 wrong. */
export const lastParts: Readonly<Record<string, Field>> = {
  choir: {
    tools: [
      wireTool('schedule_rehearsal', 'Schedule a rehearsal of the choir', {
        date: date('Day'),
        start: time('Start'),
        hall: text('Hall'),
        'voices?': listOf(oneOf('soprano', 'alto', 'tenor', 'bass'), 'Voices that take part'),
      }),
      wireTool('lend_score', 'Lend a score to a singer', {
        singer: text('Name of the singer'),
        piece: text('Title of the piece'),
      }),
      wireTool('record_fee', 'Record the membership fee of a singer', {
        singer: text('Name of the singer'),
        amount: number('Amount in euros'),
        'year?': integer('Year'),
      }),
      wireTool('list_singers', 'List the singers of a voice', {
        voice: oneOf('soprano', 'alto', 'tenor', 'bass'),
        'active_only?': flag('Only active singers'),
      }),
    ],
    cases: [
      one(
        'Schedule a rehearsal on Tuesday at 7:30 pm in the Town Hall for tenors and basses',
        'schedule_rehearsal',
        { date: '2026-11-24', start: '19:30', hall: 'Town Hall', voices: ['tenor', 'bass'] },
      ),
      one('Lend the score of "Messiah" to Karin Holm', 'lend_score', {
        singer: 'Karin Holm',
        piece: 'Messiah',
      }),
      one('Karin Holm paid her fee of 60 euros for 2026', 'record_fee', {
        singer: 'Karin Holm',
        amount: 60,
        year: 2026,
      }),
      one('Which active altos do we have?', 'list_singers', { voice: 'alto', active_only: true }),
      {
        ask: 'Lend "Messiah" to Karin Holm and to Jan Beck',
        calls: [
          ['lend_score', { singer: 'Karin Holm', piece: 'Messiah' }],
          ['lend_score', { singer: 'Jan Beck', piece: 'Messiah' }],
        ],
      },
      ...none(
        'Schedule a concert on Tuesday at 7:30 pm in the Town Hall',
        'Record a fee of sixty dollars for Karin Holm',
        'Lend "Messiah" to Karin Holm when she returns "Elijah"',
        'Did Karin Holm pay her fee?',
        'Throw Karin Holm out of the choir',
        'Record the fee of Karin Holm',
      ),
    ],
  },
  greenkeeping: {
    tools: [
      wireTool('mow_fairway', 'Mow a fairway of the golf course', {
        hole: integer('Number of the hole'),
        'height_mm?': number('Cutting height in millimetres'),
      }),
      wireTool('close_hole', 'Close a hole for play', {
        hole: integer('Number of the hole'),
        reason: text('Reason'),
        'until?': date('Last day'),
      }),
      wireTool('book_tee_time', 'Book a tee time', {
        player: text('Name of the player'),
        date: date('Day'),
        time: time('Tee time'),
        'players?': integer('Number of players'),
        'cart?': flag('With a cart'),
      }),
      wireTool('set_sprinkler', 'Switch the sprinkler of a hole', {
        hole: integer('Number of the hole'),
        on: flag('Whether it is on'),
      }),
    ],
    cases: [
      one('Mow the fairway of hole 7 to 1.5 cm', 'mow_fairway', { hole: 7, height_mm: 15 }),
      {
        ask: 'Mow the fairways of holes 3, 4 and 9',
        calls: [
          ['mow_fairway', { hole: 3 }],
          ['mow_fairway', { hole: 4 }],
          ['mow_fairway', { hole: 9 }],
        ],
      },
      one('Turn the sprinkler of hole 12 off', 'set_sprinkler', { hole: 12, on: false }),
      one('Close hole 5 until Sunday because of flooding', 'close_hole', {
        hole: 5,
        reason: 'flooding',
        until: '2026-11-22',
      }),
      one('Book a tee time for Ray Cole on Wednesday at 9:40 for four players with a cart', 'book_tee_time', {
        player: 'Ray Cole',
        date: '2026-11-25',
        time: '09:40',
        players: 4,
        cart: true,
      }),
      { ask: 'Turn on the sprinklers of holes 1 and 2 but not of hole 3', calls: [] },
      ...none(
        'Mow the fairway of hole 7 before the tournament',
        'Mow the rough of hole 7',
        'Close the clubhouse because of flooding',
        'Turn the sprinkler of hole 12 on for ten minutes',
        'Is the sprinkler of hole 12 on?',
        'Mow the fairway of hole seven and a half',
        'Book a tee time for Ray Cole on Wednesday',
        'If it is dry, turn on the sprinkler of hole 4',
      ),
    ],
  },
  courier: {
    tools: [
      wireTool('assign_rider', 'Assign a rider to a delivery', {
        delivery: text('Delivery number, e.g. DV-120'),
        rider: text('Name of the rider'),
      }),
      wireTool('change_window', 'Change the time window of a delivery', {
        delivery: text('Delivery number, e.g. DV-120'),
        from: time('Earliest time'),
        to: time('Latest time'),
      }),
      wireTool('price_delivery', 'Compute the price of a delivery', {
        distance_km: number('Distance in km'),
        weight_kg: number('Weight in kg'),
        'express?': flag('Express delivery'),
        'insured_value?': number('Insured value in euros'),
      }),
      wireTool('mark_delivered', 'Mark a delivery as delivered', {
        delivery: text('Delivery number, e.g. DV-120'),
        'signed_by?': text('Who signed'),
      }),
    ],
    cases: [
      one('Change the window of DV-301 to between 2 pm and 4 pm', 'change_window', {
        delivery: 'DV-301',
        from: '14:00',
        to: '16:00',
      }),
      one('Price of an express delivery of 800 g over 12 km', 'price_delivery', {
        distance_km: 12,
        weight_kg: 0.8,
        express: true,
      }),
      one('DV-302 was delivered, signed by Mr. Lowe', 'mark_delivered', {
        delivery: 'DV-302',
        signed_by: 'Mr. Lowe',
      }),
      {
        ask: 'Assign Tara Finn to DV-303 and Hugo Prat to DV-304',
        calls: [
          ['assign_rider', { delivery: 'DV-303', rider: 'Tara Finn' }],
          ['assign_rider', { delivery: 'DV-304', rider: 'Hugo Prat' }],
        ],
      },
      {
        ask: 'Mark DV-305 as delivered and refund the fee',
        calls: [['mark_delivered', { delivery: 'DV-305' }]],
        rest: ['refund'],
      },
      {
        ask: 'Mark DV-306, DV-307 and DV-308 as delivered',
        calls: ['DV-306', 'DV-307', 'DV-308'].map((delivery) => ['mark_delivered', { delivery }] as const),
      },
      ...none(
        'Assign someone to DV-303',
        'Assign Tara Finn to DV-303 instead of Hugo Prat if she agrees',
        'Price of a delivery of 5 pounds over 12 miles to Spain',
        'Was DV-302 delivered to the neighbour?',
        'Mark DV-305 as lost',
        'Cancel DV-303',
        'When will DV-303 arrive?',
      ),
    ],
  },
  bench: {
    tools: [
      wireTool('get_protein_sequence', 'Retrieve the sequence of a protein.', {
        protein: text('Name of the protein.'),
        'organism?': text('Organism. Default is human.'),
      }),
      wireTool('calculate_tax', 'Calculate the income tax for an income in a state.', {
        income: number('Yearly income in dollars.'),
        state: text('US state.'),
        'married?': flag('Whether the person files jointly.'),
      }),
      wireTool('find_movie_showing', 'Find showings of a movie in a city.', {
        movie: text('Title.'),
        city: text('City.'),
        'time_of_day?': oneOf('morning', 'afternoon', 'evening'),
      }),
      wireTool('geometry.circumference', 'Calculate the circumference of a circle.', {
        radius: number('Radius.'),
        'unit?': oneOf('cm', 'm', 'in'),
      }),
      wireTool('weather.historic', 'Get the weather of a past day in a city.', {
        city: text('City.'),
        date: date('Day.'),
      }),
      wireTool('create_order', 'Create an order.', {
        customer: objectOf({ name: text('Name'), 'email?': { type: 'string', format: 'email' } }),
        items: listOf(objectOf({ product: text('Product'), quantity: integer('Quantity') })),
        'gift?': flag('Gift wrapping'),
      }),
    ],
    cases: [
      one('Get the protein sequence of hemoglobin in mouse', 'get_protein_sequence', {
        protein: 'hemoglobin',
        organism: 'mouse',
      }),
      one('Calculate the tax for an income of $85,000 in Oregon', 'calculate_tax', {
        income: 85000,
        state: 'Oregon',
      }),
      one('Find evening showings of "Dune" in Leeds', 'find_movie_showing', {
        movie: 'Dune',
        city: 'Leeds',
        time_of_day: 'evening',
      }),
      one('What is the circumference of a circle with a radius of 4 inches?', 'geometry.circumference', {
        radius: 4,
        unit: 'in',
      }),
      one('What was the weather in Lyon on 3 March 2025?', 'weather.historic', {
        city: 'Lyon',
        date: '2025-03-03',
      }),
      {
        ask: 'Circumference of circles with radius 3 cm and 5 cm',
        calls: [
          ['geometry.circumference', { radius: 3, unit: 'cm' }],
          ['geometry.circumference', { radius: 5, unit: 'cm' }],
        ],
      },
      one('Create an order for Ana Ruiz: 2 mugs and 1 teapot', 'create_order', {
        customer: { name: 'Ana Ruiz' },
        items: [
          { product: 'mugs', quantity: 2 },
          { product: 'teapot', quantity: 1 },
        ],
      }),
      ...none(
        'What is the diameter of a circle with a circumference of 12?',
        'What is the weather in Lyon next Monday?',
        'Who directed "Dune"?',
        'What is the tax rate in Oregon?',
        'How many proteins are there?',
        'What is the area of a circle with a radius of 4?',
        'Is "Dune" better than the book?',
        'Calculate the sales tax of $50 in Oregon',
        'Cancel the order of Ana Ruiz',
        'What is the structure of hemoglobin?',
      ),
    ],
  },
}
