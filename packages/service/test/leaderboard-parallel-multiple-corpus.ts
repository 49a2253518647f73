import { cased, choice, type Entry, integers, OUT, possible } from './leaderboard-case.js'
import { flag, integer, number, text, wireTool } from './planner-case.js'

// Questions in the form of a public leaderboard. See `seventh-unseen-corpus.ts`.

export const parallelMultiple: readonly Entry[] = [
  {
    tools: [
      wireTool('square.perimeter', 'Calculate the perimeter of a square.', {
        side: number('The length of a side of the square.'),
      }),
      wireTool('ellipse.area', 'Calculate the area of an ellipse.', {
        semi_major_axis: number('The length of the semi-major axis, the longer one.'),
        semi_minor_axis: number('The length of the semi-minor axis, the shorter one.'),
      }),
    ],
    cases: [
      possible(
        'Find the perimeter of a square with a side of 9 meters and the area of an ellipse with a semi-major axis of 6 meters and a semi-minor axis of 4 meters.',
        ['square.perimeter', { side: [9] }],
        ['ellipse.area', { semi_major_axis: [6], semi_minor_axis: [4] }],
      ),
    ],
  },
  {
    tools: [
      wireTool('train.book_ticket', 'Book a train ticket between two cities.', {
        origin: text('The city of departure.'),
        destination: text('The city of arrival.'),
        date: text('The date of travel in the format YYYY-MM-DD.'),
        'class?': choice("The class of travel. Default is 'second'.", 'first', 'second'),
      }),
      wireTool('hotel.search', 'Search for hotels in a city.', {
        city: text('The name of the city.'),
        'min_stars?': integer('The minimum number of stars. Default is 1.'),
        'max_price?': integer('The maximum price per night in euros. Default is 500.'),
      }),
      wireTool('car_rental.search', 'Search for rental cars in a city.', {
        city: text('The name of the city.'),
        'car_type?': text("The type of the car. Default is 'compact'."),
      }),
    ],
    cases: [
      possible(
        'Book a first class train ticket from Zurich to Milan on 2024-09-10 and search for hotels with at least 4 stars in Milan.',
        [
          'train.book_ticket',
          { origin: ['Zurich'], destination: ['Milan'], date: ['2024-09-10'], class: ['first'] },
        ],
        ['hotel.search', { city: ['Milan'], min_stars: [4], max_price: [OUT, 500] }],
      ),
    ],
  },
  {
    tools: [
      wireTool('translate_text', 'Translate a text into another language.', {
        text: text('The text to translate.'),
        target_language: text('The language to translate into.'),
      }),
      wireTool('thesaurus.get_synonyms', 'Get synonyms of a word.', {
        word: text('The word to find synonyms of.'),
        'count?': integer('The number of synonyms to return. Default is 3.'),
      }),
    ],
    cases: [
      possible(
        "Translate 'good morning' into Swahili and give me 5 synonyms of the word 'brave'.",
        ['translate_text', { text: cased('good morning'), target_language: cased('Swahili') }],
        ['thesaurus.get_synonyms', { word: cased('brave'), count: [5] }],
      ),
    ],
  },
  {
    tools: [
      wireTool('statistics.mean', 'Calculate the mean of a list of numbers.', {
        numbers: integers('The list of numbers.'),
      }),
      wireTool('statistics.standard_deviation', 'Calculate the standard deviation of a list of numbers.', {
        numbers: integers('The list of numbers.'),
        'sample?': flag('Whether to calculate the sample standard deviation. Default is false.'),
      }),
      wireTool('statistics.mode', 'Find the most frequent value of a list of numbers.', {
        numbers: integers('The list of numbers.'),
      }),
    ],
    cases: [
      possible(
        'What are the mean and the standard deviation of the numbers [14, 18, 21, 27, 30]?',
        ['statistics.mean', { numbers: [[14, 18, 21, 27, 30]] }],
        ['statistics.standard_deviation', { numbers: [[14, 18, 21, 27, 30]], sample: [OUT, false] }],
      ),
    ],
  },
  {
    tools: [
      wireTool('get_local_time', 'Get the current local time in a city.', {
        city: text('The name of the city.'),
        'format?': choice("The format of the time. Default is '24h'.", '12h', '24h'),
      }),
      wireTool('get_exchange_rate', 'Get the exchange rate between two currencies.', {
        base_currency: text('The code of the base currency, e.g. USD.'),
        target_currency: text('The code of the target currency, e.g. EUR.'),
      }),
    ],
    cases: [
      possible(
        'What time is it in Jakarta right now, and what is the exchange rate from AUD to IDR?',
        ['get_local_time', { city: ['Jakarta'], format: [OUT, '24h'] }],
        ['get_exchange_rate', { base_currency: ['AUD'], target_currency: ['IDR'] }],
      ),
    ],
  },
  {
    tools: [
      wireTool('physics.calculate_kinetic_energy', 'Calculate the kinetic energy of an object.', {
        mass: number('The mass of the object in kg.'),
        velocity: number('The velocity of the object in m/s.'),
      }),
      wireTool('physics.calculate_momentum', 'Calculate the momentum of an object.', {
        mass: number('The mass of the object in kg.'),
        velocity: number('The velocity of the object in m/s.'),
      }),
    ],
    cases: [
      possible(
        'What is the kinetic energy of a truck with a mass of 1200 kg and a velocity of 25 m/s, and what is the momentum of a ball with a mass of 0.4 kg and a velocity of 18 m/s?',
        ['physics.calculate_kinetic_energy', { mass: [1200], velocity: [25] }],
        ['physics.calculate_momentum', { mass: [0.4], velocity: [18] }],
      ),
    ],
  },
  {
    tools: [
      wireTool('book.get_author', 'Find the author of a book.', { title: text('The title of the book.') }),
      wireTool('painting.get_artist', 'Find the artist who painted a painting.', {
        title: text('The title of the painting.'),
      }),
      wireTool('opera.get_composer', 'Find the composer of an opera.', {
        title: text('The title of the opera.'),
      }),
    ],
    cases: [
      possible(
        "Who is the author of the book 'Middlemarch', who painted the painting 'The Night Watch' and who is the composer of the opera 'Rusalka'?",
        ['book.get_author', { title: ['Middlemarch'] }],
        ['painting.get_artist', { title: ['The Night Watch', 'Night Watch'] }],
        ['opera.get_composer', { title: ['Rusalka'] }],
      ),
    ],
  },
  {
    tools: [
      wireTool('smart_home.set_temperature', 'Set the temperature of a room.', {
        room: text('The name of the room.'),
        temperature: integer('The temperature in degrees Celsius.'),
      }),
      wireTool('smart_home.dim_light', 'Set the brightness of the light in a room.', {
        room: text('The name of the room.'),
        brightness: integer('The brightness in percent.'),
      }),
      wireTool('smart_home.lock_door', 'Lock a door of the house.', { door: text('The name of the door.') }),
    ],
    cases: [
      possible(
        'Set the temperature in the living room to 21 degrees Celsius, dim the light in the bedroom to 30 percent and dim the light in the hallway to 60 percent.',
        ['smart_home.set_temperature', { room: cased('living room'), temperature: [21] }],
        ['smart_home.dim_light', { room: cased('bedroom'), brightness: [30] }],
        ['smart_home.dim_light', { room: cased('hallway'), brightness: [60] }],
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'sports.get_team_ranking',
        'Retrieve the final ranking of a team in a league in a given season.',
        {
          team: text('The name of the team.'),
          league: text('The name of the league, e.g. NBA.'),
          season: integer('The year of the season.'),
        },
      ),
      wireTool(
        'sports.get_player_points',
        'Retrieve the number of points a player scored in a given season.',
        {
          player: text('The full name of the player.'),
          season: integer('The year of the season.'),
        },
      ),
    ],
    cases: [
      possible(
        'What was the ranking of the Green Bay Packers in the NFL in the 2020 season, and how many points did Nikola Jokic score in the 2022 season?',
        [
          'sports.get_team_ranking',
          {
            team: ['Green Bay Packers', 'the Green Bay Packers', 'The Green Bay Packers'],
            league: ['NFL'],
            season: [2020],
          },
        ],
        ['sports.get_player_points', { player: ['Nikola Jokic'], season: [2022] }],
      ),
    ],
  },
  {
    tools: [
      wireTool('loan.calculate_payment', 'Calculate the monthly payment of a loan.', {
        amount: integer('The amount of the loan in dollars.'),
        interest_rate: number('The annual interest rate in percent.'),
        months: integer('The duration of the loan in months.'),
      }),
      wireTool('savings.future_value', 'Calculate the future value of monthly savings.', {
        monthly_deposit: integer('The amount deposited every month in dollars.'),
        interest_rate: number('The annual interest rate in percent.'),
        years: integer('The number of years.'),
      }),
      wireTool('tax.calculate_sales_tax', 'Calculate the sales tax of a purchase.', {
        amount: number('The amount of the purchase in dollars.'),
        state: text('The state of the purchase.'),
      }),
    ],
    cases: [
      possible(
        'Calculate the monthly payment of a loan of $18,000 at an interest rate of 7.2% for 48 months, the future value of a monthly deposit of $250 at an interest rate of 4% after 15 years, and the sales tax of a purchase of $899.99 in Ohio.',
        ['loan.calculate_payment', { amount: [18000], interest_rate: [7.2], months: [48] }],
        ['savings.future_value', { monthly_deposit: [250], interest_rate: [4], years: [15] }],
        ['tax.calculate_sales_tax', { amount: [899.99], state: ['Ohio', 'OH'] }],
      ),
    ],
  },
]
