import { cased, choice, type Entry, OUT, possible } from './leaderboard-case.js'
import { flag, integer, listOf, number, objectOf, oneOf, text, wireTool } from './planner-case.js'

// Questions in the form of a public leaderboard. See `seventh-unseen-corpus.ts`.

export const simple: readonly Entry[] = [
  {
    tools: [
      wireTool(
        'calculate_trapezoid_area',
        'Calculate the area of a trapezoid given the lengths of its two parallel sides and its height.',
        {
          base1: integer('The length of the first parallel side.'),
          base2: integer('The length of the second parallel side.'),
          height: integer('The height of the trapezoid.'),
          'unit?': text("The unit of measure (defaults to 'units' if not specified)."),
        },
      ),
    ],
    cases: [
      possible('Find the area of a trapezoid with bases of 8 units and 14 units and a height of 5 units.', [
        'calculate_trapezoid_area',
        { base1: [8], base2: [14], height: [5], unit: ['units', OUT] },
      ]),
    ],
  },
  {
    tools: [
      wireTool('math.lcm', 'Calculates the least common multiple of two integers.', {
        num1: integer('The first number.'),
        num2: integer('The second number.'),
      }),
    ],
    cases: [
      possible('What is the least common multiple of 36 and 48?', ['math.lcm', { num1: [36], num2: [48] }]),
    ],
  },
  {
    tools: [
      wireTool(
        'math.power_mod',
        'Calculate the power of one number raised to another, optionally reduced by a modulus.',
        {
          base: integer('The base number.'),
          exponent: integer('The exponent.'),
          'mod?': integer('The modulus. Default is null, which means that no modulus is applied.'),
        },
      ),
    ],
    cases: [
      possible('Calculate 7 to the power of 13 modulo 11.', [
        'math.power_mod',
        { base: [7], exponent: [13], mod: [11] },
      ]),
    ],
  },
  {
    tools: [
      wireTool(
        'finance.calculate_compound_interest',
        'Calculate the future value of an investment with compound interest.',
        {
          principal: integer('The initial amount of the investment in dollars.'),
          annual_rate: number('The annual interest rate in decimal form. E.g., 0.05 for 5%.'),
          years: integer('The number of years the money is invested for.'),
          'compounding_frequency?': integer(
            'The number of times that interest is compounded per year. Default is 1 (annually).',
          ),
        },
      ),
    ],
    cases: [
      possible(
        'What would an investment of $12,500 grow to after 8 years at an annual interest rate of 4.5% compounded quarterly?',
        [
          'finance.calculate_compound_interest',
          { principal: [12500], annual_rate: [0.045], years: [8], compounding_frequency: [4] },
        ],
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'kinematics.final_velocity',
        'Calculate the final velocity of an object under constant acceleration.',
        {
          initial_velocity: number('The initial velocity of the object in m/s.'),
          acceleration: number('The acceleration of the object in m/s^2.'),
          time: number('The time for which the object accelerates, in seconds.'),
        },
      ),
    ],
    cases: [
      possible(
        'What is the final velocity of a car that has an initial velocity of 12 m/s and accelerates at 3.5 m/s^2 for 6 seconds?',
        ['kinematics.final_velocity', { initial_velocity: [12], acceleration: [3.5], time: [6] }],
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'calc_coin_probability',
        'Calculate the binomial probability of getting an exact number of heads in a series of coin tosses.',
        {
          tosses: integer('The total number of tosses.'),
          heads: integer('The number of heads that is desired.'),
          'p?': number('The probability of heads on a single toss. Default is 0.5 for a fair coin.'),
        },
      ),
    ],
    cases: [
      possible('What is the probability of getting exactly 7 heads in 12 tosses of a fair coin?', [
        'calc_coin_probability',
        { tosses: [12], heads: [7], p: [OUT, 0.5] },
      ]),
    ],
  },
  {
    tools: [
      wireTool(
        'weather.uv_forecast',
        'Retrieve a UV index forecast for a specific location and time frame.',
        {
          location: text('The city that you want to get the UV index for.'),
          days: integer('Number of days for the forecast.'),
          'min_index?': integer('Minimum UV index to filter the result. Default is 0.'),
        },
      ),
    ],
    cases: [
      possible('What will the UV index be in Lisbon, Portugal over the next 5 days?', [
        'weather.uv_forecast',
        { location: ['Lisbon, Portugal', 'Lisbon'], days: [5], min_index: [OUT, 0] },
      ]),
    ],
  },
  {
    tools: [
      wireTool('legal_research.find_precedents', 'Search for court rulings on a given legal topic.', {
        topic: text('The legal topic to search for.'),
        jurisdiction: text('The state or country whose courts are searched.'),
        'from_year?': integer('Only rulings from this year on are returned. Default is 1950.'),
        'max_results?': integer('The maximum number of rulings to return. Default is 10.'),
      }),
    ],
    cases: [
      possible('Find court rulings on trademark dilution in California since 2012.', [
        'legal_research.find_precedents',
        {
          topic: cased('trademark dilution'),
          jurisdiction: ['California', 'CA'],
          from_year: [2012],
          max_results: [OUT, 10],
        },
      ]),
    ],
  },
  {
    tools: [
      wireTool('database.filter_rows', 'Query the rows of a table based on certain conditions.', {
        table: text('Name of the table to query.'),
        conditions: listOf(
          objectOf({
            field: text('The field to apply the condition.'),
            operation: choice('The operation to be performed.', '<', '>', '=', '>=', '<='),
            value: text('The value to be compared.'),
          }),
          'Conditions for the query. All of them must hold.',
        ),
      }),
    ],
    cases: [
      possible(
        "Find all entries in the products table where the price is less than 50 and the category is equal to 'kitchen'.",
        [
          'database.filter_rows',
          {
            table: ['products'],
            conditions: [
              [
                { field: 'price', operation: '<', value: '50' },
                { field: 'category', operation: '=', value: 'kitchen' },
              ],
              [
                { field: 'category', operation: '=', value: 'kitchen' },
                { field: 'price', operation: '<', value: '50' },
              ],
            ],
          },
        ],
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'restaurant.find_nearby',
        'Locate nearby restaurants based on specific criteria like cuisine type and dietary preferences.',
        {
          location: text('The city and state, e.g. Seattle, WA'),
          cuisine: text('Preferred type of cuisine in the restaurant.'),
          'dietary_preference?': listOf(
            oneOf('Vegan', 'Vegetarian', 'Gluten-free', 'Dairy-free', 'Nut-free'),
            'Dietary preference. Default is an empty list.',
          ),
          'max_distance?': number(
            'Maximum distance (in miles) within which to search for restaurants. Default is 5.',
          ),
        },
      ),
    ],
    cases: [
      possible('Find a vegan Thai restaurant in Portland, OR within 3 miles.', [
        'restaurant.find_nearby',
        {
          location: ['Portland, OR', 'Portland, Oregon'],
          cuisine: cased('Thai'),
          dietary_preference: [['Vegan']],
          max_distance: [3],
        },
      ]),
    ],
  },
  {
    tools: [
      wireTool('hotel_booking.reserve', 'Book a hotel room for the given guests and dates.', {
        hotel_name: text('The name of the hotel.'),
        location: text('The city the hotel is located in.'),
        room_type: choice('The type of the room.', 'single', 'double', 'deluxe'),
        check_in_date: text('The check-in date in the format YYYY-MM-DD.'),
        check_out_date: text('The check-out date in the format YYYY-MM-DD.'),
        adults: integer('The number of adults.'),
        'children?': integer('The number of children. Default is 0.'),
      }),
    ],
    cases: [
      possible(
        "I'd like to book a double room at the Grand Meridian in Vienna for 2 adults and 1 child from the 12th of July 2024 to the 16th of July 2024.",
        [
          'hotel_booking.reserve',
          {
            hotel_name: [
              'Grand Meridian',
              'The Grand Meridian',
              'the Grand Meridian',
              'Grand Meridian Hotel',
            ],
            location: ['Vienna', 'Vienna, Austria'],
            room_type: ['double'],
            check_in_date: ['2024-07-12'],
            check_out_date: ['2024-07-16'],
            adults: [2],
            children: [1],
          },
        ],
      ),
    ],
  },
  {
    tools: [
      wireTool('cell_biology.get_organelle_info', 'Retrieve information about an organelle of a cell.', {
        organelle: text('The name of the organelle.'),
        cell_type: choice('The type of the cell.', 'plant', 'animal', 'bacterial'),
        'detailed?': flag('Whether to return a detailed description. Default is false.'),
      }),
    ],
    cases: [
      possible('Give me a detailed description of the Golgi apparatus in a plant cell.', [
        'cell_biology.get_organelle_info',
        { organelle: cased('Golgi apparatus'), cell_type: ['plant'], detailed: [true] },
      ]),
    ],
  },
  {
    tools: [
      wireTool(
        'generate_password',
        'Generate a random password of a given length from the chosen groups of characters.',
        {
          length: integer('The length of the password.'),
          character_groups: listOf(
            oneOf('lowercase', 'uppercase', 'digits', 'symbols'),
            'The groups of characters to include in the password.',
          ),
          'exclude_ambiguous?': flag('Whether to leave out characters that look alike. Default is false.'),
        },
      ),
    ],
    cases: [
      possible('Generate a random password of length 16 that contains lowercase letters and digits.', [
        'generate_password',
        {
          length: [16],
          character_groups: [
            ['lowercase', 'digits'],
            ['digits', 'lowercase'],
          ],
          exclude_ambiguous: [OUT, false],
        },
      ]),
    ],
  },
  {
    tools: [
      wireTool(
        'european_history.get_event_date',
        'Retrieve the date of a specific event in European history.',
        {
          event: text('The name of the event.'),
          'format?': choice(
            "The format of the date. Default is 'MM/DD/YYYY'.",
            'MM/DD/YYYY',
            'YYYY-MM-DD',
            'year',
          ),
        },
      ),
    ],
    cases: [
      possible('What was the date of the Congress of Vienna?', [
        'european_history.get_event_date',
        {
          event: ['Congress of Vienna', 'the Congress of Vienna', 'The Congress of Vienna'],
          format: [OUT, 'MM/DD/YYYY'],
        },
      ]),
    ],
  },
  {
    tools: [
      wireTool(
        'soccer_stats.get_player_goals',
        'Get the number of goals that a soccer player scored in a season.',
        {
          player_name: text('The full name of the player.'),
          season: integer('The year in which the season started.'),
          'team?': text(
            'The team the player played for. If not provided, the goals for all teams are counted.',
          ),
          'competition?': text("The competition. Default is 'all'."),
        },
      ),
    ],
    cases: [
      possible('How many goals did Kenji Morita score for Kashima Antlers in the 2021 season?', [
        'soccer_stats.get_player_goals',
        {
          player_name: ['Kenji Morita'],
          season: [2021],
          team: ['Kashima Antlers'],
          competition: [OUT, 'all'],
        },
      ]),
    ],
  },
  {
    tools: [
      wireTool(
        'recipe_finder.search',
        'Find a recipe for a dish based on dietary requirements and preparation time.',
        {
          dish: text('The dish to find a recipe for.'),
          diet: choice(
            'The diet the recipe must follow.',
            'none',
            'vegan',
            'vegetarian',
            'gluten-free',
            'keto',
          ),
          'max_time?': integer(
            'The maximum time in minutes it should take to prepare the dish. Default is 60.',
          ),
        },
      ),
    ],
    cases: [
      possible('Find me a gluten-free recipe for lasagna that takes at most 45 minutes to prepare.', [
        'recipe_finder.search',
        { dish: cased('lasagna'), diet: ['gluten-free'], max_time: [45] },
      ]),
    ],
  },
]
