import type { Field } from './fields-corpus.js'
import { choiceQuestions } from './fourth-choice-questions-corpus.js'
import { severalQuestions } from './fourth-several-questions-corpus.js'
import {
  date,
  either,
  flag,
  integer,
  listOf,
  number,
  objectOf,
  one,
  oneOf,
  text,
  wireTool,
} from './planner-case.js'

// Questions in the manner of the Berkeley function-calling leaderboard, with one tool or several, written by an author
// who had not seen the planner or another corpus. Right, asked and wrong at first sight: 69, 30 and 4 of 103.

const choice = (description: string, ...values: string[]) => ({ ...oneOf(...values), description })
const dict = (description: string, properties: Record<string, object>) => ({
  ...objectOf(properties),
  description,
})

const simple: readonly Field[] = [
  {
    tools: [
      wireTool(
        'geometry.area_circle',
        'Calculate the area of a circle given its radius. The result is returned in the square of the unit that was used for the radius.',
        {
          radius: number('The radius of the circle.'),
          'units?': text("The unit in which the radius is measured. Default is 'meters'."),
        },
      ),
    ],
    cases: [
      one('Calculate the area of a circle with a radius of 7.5 feet.', 'geometry.area_circle', {
        radius: 7.5,
        units: 'feet',
      }),
    ],
  },
  {
    tools: [
      wireTool('calculate_triangle_area', 'Calculate the area of a triangle given its base and height.', {
        base: integer('The length of the base of the triangle.'),
        height: integer('The height of the triangle, measured at a right angle to the base.'),
        'unit?': text("The unit of measure for both lengths. Defaults to 'units' if not specified."),
      }),
    ],
    cases: [
      either(
        "What's the area of a triangle that has a base of 10 units and a height of 5 units?",
        [['calculate_triangle_area', { base: 10, height: 5 }]],
        [['calculate_triangle_area', { base: 10, height: 5, unit: 'units' }]],
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'math.hypot',
        'Calculate the Euclidean norm, i.e. the square root of the sum of the squares of its arguments: the length of the vector from the origin to the point (x, y), which is the hypotenuse of the right triangle.',
        {
          x: integer('The x-coordinate value.'),
          y: integer('The y-coordinate value.'),
          'z?': integer('The z-coordinate value for a vector in space. Default is 0.'),
        },
      ),
    ],
    cases: [
      either(
        'Calculate the hypotenuse of a right triangle given the lengths of the other two sides as 9 and 40.',
        [['math.hypot', { x: 9, y: 40 }]],
        [['math.hypot', { x: 40, y: 9 }]],
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'algebra.solve_quadratic',
        'Find the roots of a quadratic equation of the form ax^2 + bx + c = 0.',
        {
          a: number('Coefficient of x^2.'),
          b: number('Coefficient of x.'),
          c: number('The constant term.'),
          'root_type?': choice(
            "Type of the roots to return: 'real' for only the real roots, 'all' for both real and complex roots. Default is 'all'.",
            'real',
            'all',
          ),
        },
      ),
    ],
    cases: [
      one(
        'Find the real roots of a quadratic equation with the coefficients a = 3, b = -11, and c = -4.',
        'algebra.solve_quadratic',
        { a: 3, b: -11, c: -4, root_type: 'real' },
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'kinematics.final_velocity',
        'Compute the final velocity of an object that moves in a straight line with a constant acceleration.',
        {
          initial_velocity: number('The velocity at the beginning, in meters per second.'),
          acceleration: number('The constant acceleration, in meters per second squared.'),
          time: number('How long the object accelerates, in seconds.'),
        },
      ),
    ],
    cases: [
      one(
        'What would be the final velocity of a car that starts from rest and accelerates at 4.6 meters/second^2 for 9 seconds?',
        'kinematics.final_velocity',
        {
          initial_velocity: 0,
          acceleration: 4.6,
          time: 9,
        },
      ),
    ],
  },
  {
    tools: [
      wireTool('calculate_density', 'Calculate the density of a substance based on its mass and volume.', {
        mass: number('The mass of the substance in kilograms.'),
        volume: number('The volume of the substance in cubic meters.'),
        'precision?': integer('The number of decimal places of the result. Default is 3.'),
      }),
    ],
    cases: [
      one(
        'Calculate the density of a substance with a mass of 45 kg and a volume of 15 m³.',
        'calculate_density',
        { mass: 45, volume: 15 },
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'physics.electric_field',
        'Calculate the strength of the electric field at a certain distance from a point charge.',
        {
          charge: number('The charge in coulombs that produces the electric field.'),
          distance: number('The distance from the charge in meters.'),
          'medium?': text("The medium in which the charge is placed. Default is 'vacuum'."),
        },
      ),
    ],
    cases: [
      one(
        'Determine the strength of the electric field at a distance of 3 meters from a charge of 0.02 coulombs that is placed in water.',
        'physics.electric_field',
        {
          charge: 0.02,
          distance: 3,
          medium: 'water',
        },
      ),
    ],
  },
  {
    tools: [
      wireTool('cellbio.get_proteins', 'Get the list of proteins in a specific cell compartment.', {
        cell_compartment: text('The specific cell compartment.'),
        'include_description?': flag(
          'Set true if you want a brief description of each protein. Default is false.',
        ),
      }),
    ],
    cases: [
      one(
        'Find out what proteins are found in the nucleus of a cell, and include a description of each of them.',
        'cellbio.get_proteins',
        {
          cell_compartment: 'nucleus',
          include_description: true,
        },
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'mutation_type.find',
        'Finds the type of a genetic mutation based on its SNP (Single Nucleotide Polymorphism) ID.',
        {
          snp_id: text('The ID of the Single Nucleotide Polymorphism.'),
          'species?': text("Species in which the SNP occurs. Default is 'Homo sapiens' (humans)."),
        },
      ),
    ],
    cases: [
      one(
        'What type of mutation is the SNP with the ID rs6034464 in the species Mus musculus?',
        'mutation_type.find',
        { snp_id: 'rs6034464', species: 'Mus musculus' },
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'biology.population_growth',
        'Estimate the future size of an animal population with an exponential growth model.',
        {
          initial_population: integer('The current size of the population.'),
          growth_rate: number('The annual growth rate as a decimal, e.g. 0.02 for 2%.'),
          years: integer('The number of years for which the population is projected.'),
        },
      ),
    ],
    cases: [
      one(
        'Estimate the size of the elephant population in five years if there are currently 35,000 elephants and the annual growth rate is 1.5%.',
        'biology.population_growth',
        {
          initial_population: 35000,
          growth_rate: 0.015,
          years: 5,
        },
      ),
    ],
  },
  {
    tools: [
      wireTool('finance.compound_interest', 'Compute the final value of a deposit with compound interest.', {
        principal: number('The initial amount of money that is deposited.'),
        annual_rate: number('The annual interest rate as a decimal, for example 0.05 for 5%.'),
        years: integer('The number of years for which the money stays deposited.'),
        'compounding?': choice(
          "How often the interest is compounded. Default is 'annually'.",
          'annually',
          'quarterly',
          'monthly',
          'daily',
        ),
      }),
    ],
    cases: [
      one(
        'How much would an initial deposit of $12,500 be worth after 8 years at an annual interest rate of 4.25%, with the interest compounded quarterly?',
        'finance.compound_interest',
        {
          principal: 12500,
          annual_rate: 0.0425,
          years: 8,
          compounding: 'quarterly',
        },
      ),
    ],
  },
  {
    tools: [
      wireTool('calculate_mortgage_payment', 'Calculate the monthly payment of a fixed-rate mortgage.', {
        loan_amount: number('The amount of the loan.'),
        interest_rate: number('The annual interest rate in percent, e.g. 4.0 for 4%.'),
        loan_term: integer('The term of the loan in years.'),
        'down_payment?': number('The amount that is paid in advance. Default is 0.'),
      }),
    ],
    cases: [
      one(
        "What's the monthly payment on a 30-year mortgage of $400,000 with an annual interest rate of 3.5%?",
        'calculate_mortgage_payment',
        {
          loan_amount: 400000,
          interest_rate: 3.5,
          loan_term: 30,
        },
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'get_stock_prices',
        'Retrieves the stock prices of one or several companies over the last days.',
        {
          companies: listOf({ type: 'string' }, 'A list of the names of the companies.'),
          days: integer('The number of past days for which the prices are returned.'),
          'exchange?': text(
            "The stock exchange on which the shares are traded, for example 'NYSE'. Default is 'NASDAQ'.",
          ),
        },
      ),
    ],
    cases: [
      one(
        'What were the stock prices of Amazon, Microsoft and Netflix over the last 3 days?',
        'get_stock_prices',
        {
          companies: ['Amazon', 'Microsoft', 'Netflix'],
          days: 3,
        },
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'calculate_return_on_investment',
        'Calculate the return on investment for a given stock based on its purchase price, sale price, and dividends received.',
        {
          purchase_price: number('The price at which the stock was bought.'),
          sale_price: number('The price at which the stock was sold.'),
          'dividend?': number('Any dividends that were received from the stock. Default is 0.'),
        },
      ),
    ],
    cases: [
      one(
        "What's the return on investment for a stock that was bought at $20, sold at $25.50, and paid a dividend of $2?",
        'calculate_return_on_investment',
        {
          purchase_price: 20,
          sale_price: 25.5,
          dividend: 2,
        },
      ),
    ],
  },
  {
    tools: [
      wireTool('flight.search', 'Search for available flights between two cities on a given date.', {
        origin: text('The city from which the flight departs.'),
        destination: text('The city at which the flight arrives.'),
        date: date('The date of departure in the format YYYY-MM-DD.'),
        'passengers?': integer('The number of passengers. Default is 1.'),
        'cabin_class?': choice(
          "The class of travel. Default is 'economy'.",
          'economy',
          'premium',
          'business',
          'first',
        ),
      }),
    ],
    cases: [
      one(
        'Find me a business class flight from Oslo to Lisbon on 2026-09-14 for two passengers.',
        'flight.search',
        {
          origin: 'Oslo',
          destination: 'Lisbon',
          date: '2026-09-14',
          passengers: 2,
          cabin_class: 'business',
        },
      ),
    ],
  },
  {
    tools: [
      wireTool('hotel_booking.book', 'Book a hotel room of a certain type for a number of nights.', {
        hotel_name: text('The name of the hotel.'),
        location: text('The city in which the hotel is located.'),
        room_type: choice('The type of the room.', 'single', 'double', 'suite'),
        start_date: date('The date of the arrival in the format YYYY-MM-DD.'),
        nights: integer('The number of nights of the stay.'),
        'breakfast?': flag('Whether breakfast is included. Default is false.'),
      }),
    ],
    cases: [
      one(
        'Book a double room with breakfast at the Grand Plaza hotel in Vienna for three nights, starting on December 10, 2026.',
        'hotel_booking.book',
        {
          hotel_name: 'Grand Plaza',
          location: 'Vienna',
          room_type: 'double',
          start_date: '2026-12-10',
          nights: 3,
          breakfast: true,
        },
      ),
    ].map((entry) => ({
      ...entry,
      or: ['Grand Plaza hotel', 'Grand Plaza Hotel', 'the Grand Plaza'].map((name) =>
        entry.calls.map(([tool, args]) => [tool, { ...args, hotel_name: name }] as const),
      ),
    })),
  },
  {
    tools: [
      wireTool(
        'map_service.get_directions',
        'Retrieve the driving directions from one location to another, with the option to avoid certain kinds of roads.',
        {
          start: text('The starting point of the journey.'),
          end: text('The destination of the journey.'),
          'avoid?': listOf(
            oneOf('tolls', 'highways', 'ferries'),
            'The route features to avoid. Default is an empty array.',
          ),
        },
      ),
    ],
    cases: [
      either(
        'Get me the driving directions from Los Angeles to Portland, and avoid highways and tolls.',
        [
          [
            'map_service.get_directions',
            { start: 'Los Angeles', end: 'Portland', avoid: ['highways', 'tolls'] },
          ],
        ],
        [
          [
            'map_service.get_directions',
            { start: 'Los Angeles', end: 'Portland', avoid: ['tolls', 'highways'] },
          ],
        ],
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'sports.top_scorers',
        'List the players who scored the most points in one season of a league.',
        {
          league: text("The abbreviation of the league, e.g. 'NHL'."),
          season: integer('The year of the season.'),
          'limit?': integer('The number of players to list. Default is 10.'),
        },
      ),
    ],
    cases: [
      one('Who were the top 5 scorers of the NBA in the 2019 season?', 'sports.top_scorers', {
        league: 'NBA',
        season: 2019,
        limit: 5,
      }),
    ],
  },
  {
    tools: [
      wireTool('soccer_scores.get_scores', 'Retrieve the latest results of a soccer team in a league.', {
        team: text('The name of the soccer team.'),
        league: text('The league in which the team plays.'),
        rounds: integer('The number of the latest rounds to retrieve.'),
      }),
    ],
    cases: [
      one(
        'Give me the scores of Real Madrid in the last five rounds of La Liga.',
        'soccer_scores.get_scores',
        { team: 'Real Madrid', league: 'La Liga', rounds: 5 },
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'lawsuit_search',
        'Search for lawsuits against a company by the place and the date of their filing.',
        {
          company: text('The company that is sued.'),
          start_date: date('The earliest date on which the lawsuit was filed, in the format YYYY-MM-DD.'),
          location: text('The state in which the lawsuit was filed.'),
          'status?': choice(
            "The status of the lawsuit. Default is 'all'.",
            'ongoing',
            'settled',
            'dismissed',
            'all',
          ),
        },
      ),
    ],
    cases: [
      one(
        'Find me the ongoing lawsuits against Google that were filed in California since January 1, 2020.',
        'lawsuit_search',
        {
          company: 'Google',
          start_date: '2020-01-01',
          location: 'California',
          status: 'ongoing',
        },
      ),
    ],
  },
  {
    tools: [
      wireTool('law.get_case_details', 'Fetch the details of a particular legal case from a court.', {
        case_number: text('The unique number of the case.'),
        court: text('The name of the court in which the case was heard.'),
        'with_verdict?': flag('Whether to include the verdict. Default is false.'),
      }),
    ],
    cases: [
      one(
        'Look up the details of the case with the number CA-48291 at the New York Supreme Court, including the verdict.',
        'law.get_case_details',
        {
          case_number: 'CA-48291',
          court: 'New York Supreme Court',
          with_verdict: true,
        },
      ),
    ],
  },
  {
    tools: [
      wireTool('musical_scale', 'Get the notes of the musical scale for a specific key.', {
        key: text('The key note for which the scale is built.'),
        'scale_type?': choice("The type of the scale. Default is 'major'.", 'major', 'minor', 'pentatonic'),
      }),
    ],
    cases: [
      one('What are the notes of the minor scale in the key of A?', 'musical_scale', {
        key: 'A',
        scale_type: 'minor',
      }),
    ],
  },
  {
    tools: [
      wireTool(
        'music_generator.generate_melody',
        'Generate a melody from a start note for a number of measures.',
        {
          start_note: text("The first note of the melody with its octave, e.g. 'A3'."),
          measures: integer('The number of measures of the melody.'),
          tempo: integer('The tempo of the melody in beats per minute.'),
          'instrument?': text("The instrument that plays the melody. Default is 'piano'."),
        },
      ),
    ],
    cases: [
      one(
        'Generate a melody of eight measures that starts on the note C4 and has a tempo of 120 beats per minute.',
        'music_generator.generate_melody',
        {
          start_note: 'C4',
          measures: 8,
          tempo: 120,
        },
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'find_recipe',
        'Find a recipe by its main ingredients, a dietary restriction, and the preparation time.',
        {
          ingredients: listOf({ type: 'string' }, 'The ingredients that the recipe must contain.'),
          'diet?': choice(
            'The dietary restriction. By default there is no restriction.',
            'vegan',
            'vegetarian',
            'gluten-free',
            'keto',
          ),
          'max_time?': integer('The maximum preparation time in minutes. Default is 60.'),
        },
      ),
    ],
    cases: [
      one(
        'Find me a gluten-free recipe with chickpeas and spinach that takes at most 30 minutes to prepare.',
        'find_recipe',
        {
          ingredients: ['chickpeas', 'spinach'],
          diet: 'gluten-free',
          max_time: 30,
        },
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'cooking_conversion.convert',
        'Convert the quantity of an ingredient from one cooking unit to another.',
        {
          quantity: number('The quantity to convert.'),
          from_unit: oneOf('cups', 'tablespoons', 'teaspoons', 'grams', 'ounces'),
          to_unit: oneOf('cups', 'tablespoons', 'teaspoons', 'grams', 'ounces'),
          item: text('The ingredient that is converted.'),
        },
      ),
    ],
    cases: [
      one('How many grams are in 2.5 cups of flour?', 'cooking_conversion.convert', {
        quantity: 2.5,
        from_unit: 'cups',
        to_unit: 'grams',
        item: 'flour',
      }),
    ],
  },
  {
    tools: [
      wireTool('history.get_event_date', 'Retrieve the date on which a historical event took place.', {
        event: text('The name of the historical event.'),
        'calendar?': choice("The calendar of the date. Default is 'Gregorian'.", 'Gregorian', 'Julian'),
      }),
    ],
    cases: [
      one('What was the date of the Battle of Hastings in the Julian calendar?', 'history.get_event_date', {
        event: 'Battle of Hastings',
        calendar: 'Julian',
      }),
    ],
  },
  {
    tools: [
      wireTool(
        'us_president_in_year',
        'Retrieve the name of the president of the United States in a given year.',
        {
          year: integer('The year in question.'),
          'full_name?': flag(
            'Whether to return the full name with first, middle, and last name. Default is false.',
          ),
        },
      ),
    ],
    cases: [
      one(
        'Who was the president of the United States in 1861? I need the full name.',
        'us_president_in_year',
        { year: 1861, full_name: true },
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'game_stats.fetch_player_statistics',
        'Fetch the statistics of a player in a specific video game.',
        {
          game: text('The name of the video game.'),
          username: text('The username of the player.'),
          'platform?': choice(
            "The platform on which the game is played. Default is 'PC'.",
            'PC',
            'PlayStation',
            'Xbox',
            'Switch',
          ),
        },
      ),
    ],
    cases: [
      one(
        "Find the player statistics in the game 'Splatoon 3' for the username 'inkmaster77' on the platform Switch.",
        'game_stats.fetch_player_statistics',
        {
          game: 'Splatoon 3',
          username: 'inkmaster77',
          platform: 'Switch',
        },
      ),
    ],
  },
  {
    tools: [
      wireTool('dice.roll', 'Roll a number of dice with the given number of sides and return the sum.', {
        count: integer('How many dice are rolled.'),
        sides: integer('The number of sides of each die.'),
        'modifier?': integer('A number that is added to the sum. Default is 0.'),
      }),
    ],
    cases: [
      one('Roll four dice with 20 sides each and apply a modifier of 3.', 'dice.roll', {
        count: 4,
        sides: 20,
        modifier: 3,
      }),
    ],
  },
  {
    tools: [
      wireTool(
        'calc_binomial_probability',
        'Calculate the probability of getting k successes in n independent trials.',
        {
          num_trials: integer('The number of trials.'),
          num_success: integer('The number of successes.'),
          prob_success: number('The probability of success on a single trial.'),
        },
      ),
    ],
    cases: [
      one(
        'Calculate the probability of exactly 6 successes in 20 trials, where the probability of success on each trial is 0.6.',
        'calc_binomial_probability',
        {
          num_trials: 20,
          num_success: 6,
          prob_success: 0.6,
        },
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'ecommerce.search_products',
        'Search for products in an online shop by their type, brand, and price.',
        {
          product: text("The type of the product, such as 'laptop'."),
          'brand?': text('The brand of the product.'),
          'max_price?': number('The highest price in US dollars. By default there is no limit.'),
          'in_stock?': flag('Set to true to find only products that are in stock. Default is false.'),
        },
      ),
    ],
    cases: [
      one(
        'Find me running shoes of the brand Asics that cost no more than $120 and are in stock.',
        'ecommerce.search_products',
        {
          product: 'running shoes',
          brand: 'Asics',
          max_price: 120,
          in_stock: true,
        },
      ),
    ],
  },
  {
    tools: [
      wireTool('bookstore.order', 'Place an order for a book.', {
        title: text('The title of the book.'),
        copies: integer('The number of copies to order.'),
        'express?': flag('Whether the order is sent by express delivery. Default is false.'),
      }),
    ],
    cases: [
      one('Order 3 copies of the book "The Hobbit" with express delivery.', 'bookstore.order', {
        title: 'The Hobbit',
        copies: 3,
        express: true,
      }),
    ],
  },
  {
    tools: [
      wireTool('statistics.standard_deviation', 'Compute the standard deviation of a list of numbers.', {
        data: listOf({ type: 'number' }, 'The list of numbers.'),
        'kind?': choice(
          "Whether the numbers are the whole population or a sample of it. Default is 'population'.",
          'population',
          'sample',
        ),
      }),
    ],
    cases: [
      one(
        'Calculate the sample standard deviation of the numbers 12, 15.5, 9, -3 and 20.',
        'statistics.standard_deviation',
        {
          data: [12, 15.5, 9, -3, 20],
          kind: 'sample',
        },
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'linear_regression_fit',
        'Fit a straight line to a set of data points and predict the value at a further point.',
        {
          x: listOf({ type: 'number' }, 'The values of the predictor variable.'),
          y: listOf({ type: 'number' }, 'The values of the dependent variable.'),
          point: number('The value of x for which y is predicted.'),
        },
      ),
    ],
    cases: [
      one(
        'Use linear regression to predict the value of y at the point 10, given x = [1, 2, 3, 4] and y = [2.1, 3.9, 6.2, 8].',
        'linear_regression_fit',
        {
          x: [1, 2, 3, 4],
          y: [2.1, 3.9, 6.2, 8],
          point: 10,
        },
      ),
    ],
  },
  {
    tools: [
      wireTool('number_theory.prime_factors', 'Compute the prime factors of a positive integer.', {
        number: integer('The integer to be factored.'),
        'with_exponents?': flag(
          'If true, each prime factor is returned once together with its exponent. Default is false.',
        ),
      }),
    ],
    cases: [one('What are the prime factors of 123456?', 'number_theory.prime_factors', { number: 123456 })],
  },
  {
    tools: [
      wireTool(
        'calculus.area_under_curve',
        'Compute the area under the curve of a function within an interval by numerical integration.',
        {
          function: text("The function as a formula in x, e.g. 'x^3 + 1'."),
          interval: listOf({ type: 'number' }, 'The lower and the upper bound of the interval.'),
          'method?': choice(
            "The rule for the integration. Default is 'trapezoidal'.",
            'trapezoidal',
            'simpson',
            'midpoint',
          ),
        },
      ),
    ],
    cases: [
      either(
        "Calculate the area under the curve of the function x^2 from x = 1 to x = 3 with Simpson's rule.",
        [['calculus.area_under_curve', { function: 'x^2', interval: [1, 3], method: 'simpson' }]],
        [['calculus.area_under_curve', { function: 'x**2', interval: [1, 3], method: 'simpson' }]],
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'ecology_data.precipitation_stats',
        'Retrieve the precipitation statistics of a place for a period of time.',
        {
          location: text("The name of the place, e.g. 'Sahara'."),
          time_frame: choice(
            'The period of time for which the data is required.',
            'six_months',
            'year',
            'five_years',
          ),
        },
      ),
    ],
    cases: [
      either(
        "What's the average precipitation in the Amazon rainforest for the last six months?",
        [['ecology_data.precipitation_stats', { location: 'Amazon rainforest', time_frame: 'six_months' }]],
        [
          [
            'ecology_data.precipitation_stats',
            { location: 'the Amazon rainforest', time_frame: 'six_months' },
          ],
        ],
      ),
    ],
  },
  {
    tools: [
      wireTool('museum_working_hours.get', 'Get the working hours of a museum in a city.', {
        museum: text('The name of the museum.'),
        location: text('The city in which the museum is located.'),
        'day?': text(
          'The day of the week for which the hours are returned. By default the hours of the whole week are returned.',
        ),
      }),
    ],
    cases: [
      either(
        'What are the working hours of the Prado Museum in Madrid on Saturday?',
        [['museum_working_hours.get', { museum: 'Prado Museum', location: 'Madrid', day: 'Saturday' }]],
        [['museum_working_hours.get', { museum: 'Prado', location: 'Madrid', day: 'Saturday' }]],
      ),
    ],
  },
  {
    tools: [
      wireTool('update_user_info', 'Update the information of a user in the database.', {
        user_id: integer('The ID of the user.'),
        update_info: dict('The dictionary with the fields to update.', {
          'name?': text('The new name of the user.'),
          'email?': text('The new email address of the user.'),
        }),
        'database?': text("The name of the database. Default is 'CustomerInfo'."),
      }),
    ],
    cases: [
      one(
        "Update the information of the user with the ID 43523: set the name to 'John Doe' and the email to 'johndoe@email.com'.",
        'update_user_info',
        {
          user_id: 43523,
          update_info: { name: 'John Doe', email: 'johndoe@email.com' },
        },
      ),
    ],
  },
  {
    tools: [
      wireTool('restaurant.find_nearby', 'Locate nearby restaurants by cuisine and rating.', {
        location: text('The city to search in.'),
        cuisine: text('The cuisine of the restaurant.'),
        'min_rating?': number('The lowest rating of the restaurants, from 1 to 5. Default is 1.'),
        'vegan_options?': flag('Whether the restaurant must offer vegan dishes. Default is false.'),
      }),
    ],
    cases: [
      one(
        'Find me a Thai restaurant in Seattle that has vegan options and a rating of at least 4.5.',
        'restaurant.find_nearby',
        {
          location: 'Seattle',
          cuisine: 'Thai',
          min_rating: 4.5,
          vegan_options: true,
        },
      ),
    ],
  },
]

/** With those for several calls or none. */
export const fourthQuestions: readonly Field[] = [...simple, ...choiceQuestions, ...severalQuestions]
