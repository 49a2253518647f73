import { cased, choice, type Entry, integers, possible } from './leaderboard-case.js'
import { integer, number, text, wireTool } from './planner-case.js'

// Questions in the form of a public leaderboard. See `seventh-unseen-corpus.ts`.

export const multiple: readonly Entry[] = [
  {
    tools: [
      wireTool('cylinder.volume', 'Calculate the volume of a cylinder.', {
        radius: number('The radius of the base of the cylinder.'),
        height: number('The height of the cylinder.'),
      }),
      wireTool('cone.volume', 'Calculate the volume of a cone.', {
        radius: number('The radius of the base of the cone.'),
        height: number('The height of the cone.'),
      }),
      wireTool('sphere.volume', 'Calculate the volume of a sphere.', {
        radius: number('The radius of the sphere.'),
      }),
    ],
    cases: [
      possible('What is the volume of a cone with a radius of 3 cm and a height of 9 cm?', [
        'cone.volume',
        { radius: [3], height: [9] },
      ]),
    ],
  },
  {
    tools: [
      wireTool('river_info.length', 'Fetch the length of a river in kilometers.', {
        river: text('Name of the river.'),
      }),
      wireTool('river_info.countries', 'Fetch the countries that a river flows through.', {
        river: text('Name of the river.'),
      }),
      wireTool('river_info.source', 'Fetch the source of a river.', { river: text('Name of the river.') }),
    ],
    cases: [
      possible('What countries does the Mekong River flow through?', [
        'river_info.countries',
        { river: ['Mekong', 'Mekong River', 'the Mekong River', 'The Mekong River'] },
      ]),
    ],
  },
  {
    tools: [
      wireTool('cosine_similarity.calculate', 'Calculate the cosine similarity of two vectors.', {
        vector1: integers('The first vector.'),
        vector2: integers('The second vector.'),
        'rounding?': integer('The number of decimals to round to. Default is 0.'),
      }),
      wireTool('correlation.calculate', 'Calculate the correlation coefficient of two arrays of numbers.', {
        array1: integers('The first array of numbers.'),
        array2: integers('The second array of numbers.'),
        'type?': choice(
          "The type of the correlation coefficient. Default is 'pearson'.",
          'pearson',
          'spearman',
        ),
      }),
    ],
    cases: [
      possible('Compute the Spearman correlation of the arrays [3, 5, 8, 13] and [2, 4, 9, 12].', [
        'correlation.calculate',
        { array1: [[3, 5, 8, 13]], array2: [[2, 4, 9, 12]], type: ['spearman'] },
      ]),
    ],
  },
  {
    tools: [
      wireTool('euclidean_distance.calculate', 'Calculate the Euclidean distance between two points.', {
        pointA: integers('Coordinates of point A.'),
        pointB: integers('Coordinates of point B.'),
      }),
      wireTool('manhattan_distance.calculate', 'Calculate the Manhattan distance between two points.', {
        pointA: integers('Coordinates of point A.'),
        pointB: integers('Coordinates of point B.'),
      }),
      wireTool(
        'angle_to_horizontal.calculate',
        'Calculate the angle between two points with respect to the horizontal line.',
        {
          point1: integers('Coordinates of the first point.'),
          point2: integers('Coordinates of the second point.'),
        },
      ),
    ],
    cases: [
      possible('What is the Manhattan distance between the points (2, 5) and (7, -1)?', [
        'manhattan_distance.calculate',
        { pointA: [[2, 5]], pointB: [[7, -1]] },
      ]),
    ],
  },
  {
    tools: [
      wireTool('flight.book', 'Book a flight for a passenger.', {
        flight_number: text('The number of the flight.'),
        date: text('The date of the flight in the format YYYY-MM-DD.'),
        passenger: text('The full name of the passenger.'),
      }),
      wireTool(
        'flight.get_status',
        'Check the current status of a flight, like on time, delayed or cancelled.',
        {
          flight_number: text('The number of the flight.'),
          date: text('The date of the flight in the format YYYY-MM-DD.'),
        },
      ),
      wireTool('hotel.book', 'Book a room in a hotel.', {
        hotel: text('The name of the hotel.'),
        date: text('The date of the check-in in the format YYYY-MM-DD.'),
        nights: integer('The number of nights.'),
      }),
    ],
    cases: [
      possible('Could you check the status of flight LH438 on the 21st of May 2024?', [
        'flight.get_status',
        { flight_number: ['LH438'], date: ['2024-05-21'] },
      ]),
    ],
  },
  {
    tools: [
      wireTool('library.search_book', 'Search for a book in the catalog of the library.', {
        title: text('The title of the book.'),
        'author?': text('The author of the book. Default is an empty string.'),
      }),
      wireTool('library.reserve_book', 'Reserve a book for pickup at a branch of the library.', {
        title: text('The title of the book.'),
        branch: text('The branch where the book will be picked up.'),
      }),
      wireTool('library.renew_loan', 'Renew the loan of a book.', {
        title: text('The title of the book.'),
        'weeks?': integer('The number of weeks to renew the loan for. Default is 3.'),
      }),
    ],
    cases: [
      possible("Reserve the book 'The Left Hand of Darkness' for pickup at the Oakwood branch.", [
        'library.reserve_book',
        {
          title: ['The Left Hand of Darkness'],
          branch: ['Oakwood', 'Oakwood branch', 'Oakwood Branch', 'the Oakwood branch'],
        },
      ]),
    ],
  },
  {
    tools: [
      wireTool('crypto.get_price', 'Get the current price of a cryptocurrency.', {
        symbol: text('The symbol of the cryptocurrency, e.g. BTC.'),
        'currency?': text("The currency of the price. Default is 'USD'."),
      }),
      wireTool('currency.convert', 'Convert an amount from one currency to another.', {
        amount: number('The amount of money to convert.'),
        from_currency: text('The currency code to convert from, e.g. USD.'),
        to_currency: text('The currency code to convert to, e.g. USD.'),
      }),
      wireTool('stock.get_price', 'Get the current price of a stock.', {
        symbol: text('The ticker symbol of the stock.'),
      }),
    ],
    cases: [
      possible('How much is 850 EUR in JPY?', [
        'currency.convert',
        { amount: [850], from_currency: ['EUR'], to_currency: ['JPY'] },
      ]),
    ],
  },
  {
    tools: [
      wireTool('hypothesis_testing.two_sample_t_test', 'Perform a two-sample t-test on two groups of data.', {
        group1: integers('The data of the first group.'),
        group2: integers('The data of the second group.'),
        'alpha?': number('The significance level. Default is 0.05.'),
      }),
      wireTool(
        'hypothesis_testing.chi_square',
        'Perform a chi-square test on observed and expected frequencies.',
        {
          observed: integers('The observed frequencies.'),
          expected: integers('The expected frequencies.'),
          'alpha?': number('The significance level. Default is 0.05.'),
        },
      ),
    ],
    cases: [
      possible(
        'Perform a chi-square test with the observed frequencies [18, 22, 20] and the expected frequencies [20, 20, 20] at a significance level of 0.01.',
        [
          'hypothesis_testing.chi_square',
          { observed: [[18, 22, 20]], expected: [[20, 20, 20]], alpha: [0.01] },
        ],
      ),
    ],
  },
  {
    tools: [
      wireTool('movie.get_brief', 'Retrieve a brief summary of a movie.', {
        title: text('The title of the movie.'),
      }),
      wireTool('movie.get_showtimes', 'Retrieve the showtimes of a movie in a theater.', {
        title: text('The title of the movie.'),
        location: text('The city and state, e.g. Los Angeles, CA.'),
        theater: text('The name of the theater.'),
      }),
      wireTool('movie.get_ratings', 'Retrieve the ratings of a movie.', {
        title: text('The title of the movie.'),
        'site?': text("The site of the ratings. Default is 'IMDb'."),
      }),
    ],
    cases: [
      possible(
        "What are the showtimes for the movie 'A Quiet Harvest' at the Biograph Theater in Chicago, IL?",
        [
          'movie.get_showtimes',
          {
            title: ['A Quiet Harvest'],
            location: ['Chicago, IL', 'Chicago, Illinois', 'Chicago'],
            theater: ['Biograph Theater', 'the Biograph Theater', 'The Biograph Theater', 'Biograph'],
          },
        ],
      ),
    ],
  },
  {
    tools: [
      wireTool('nutrition.get_calories', 'Get the number of calories in an amount of food.', {
        food: text('The name of the food.'),
        grams: integer('The amount of the food in grams.'),
      }),
      wireTool('grocery.get_price', 'Get the price of a grocery item at a store.', {
        item: text('The name of the grocery item.'),
        store: text('The name of the store.'),
      }),
      wireTool('recipe.search', 'Search for recipes that contain an ingredient.', {
        ingredient: text('The ingredient.'),
        'servings?': integer('The number of servings. Default is 4.'),
      }),
    ],
    cases: [
      possible('How many calories are there in 250 grams of quinoa?', [
        'nutrition.get_calories',
        { food: cased('quinoa'), grams: [250] },
      ]),
    ],
  },
  {
    tools: [
      wireTool('physics.kinetic_energy', 'Calculate the kinetic energy of a moving object.', {
        mass: number('The mass of the object in kilograms.'),
        velocity: number('The velocity of the object in meters per second.'),
      }),
      wireTool('physics.potential_energy', 'Calculate the gravitational potential energy of an object.', {
        mass: number('The mass of the object in kilograms.'),
        height: number('The height of the object in meters.'),
        'gravity?': number('The acceleration due to gravity in m/s^2. Default is 9.81.'),
      }),
      wireTool('physics.momentum', 'Calculate the momentum of an object.', {
        mass: number('The mass of the object in kilograms.'),
        velocity: number('The velocity of the object in meters per second.'),
      }),
    ],
    cases: [
      possible(
        'Calculate the potential energy of a rock with a mass of 12 kg at a height of 30 meters on the moon, where gravity is 1.62 m/s^2.',
        ['physics.potential_energy', { mass: [12], height: [30], gravity: [1.62] }],
      ),
    ],
  },
  {
    tools: [
      wireTool('employee.get_salary', 'Fetch the salary of an employee.', {
        employee_id: integer('The unique ID of the employee.'),
        'department?': text("The department of the employee. Default is 'all'."),
      }),
      wireTool('employee.request_leave', 'Submit a leave request for an employee.', {
        employee_id: integer('The unique ID of the employee.'),
        start_date: text('The first day of the leave in the format YYYY-MM-DD.'),
        end_date: text('The last day of the leave in the format YYYY-MM-DD.'),
        leave_type: choice('The type of the leave.', 'vacation', 'sick', 'parental', 'unpaid'),
      }),
      wireTool('employee.update_role', 'Change the role of an employee.', {
        employee_id: integer('The unique ID of the employee.'),
        new_role: text('The new role of the employee.'),
      }),
    ],
    cases: [
      possible(
        'Submit a request for parental leave for the employee with ID 7745 from 2024-08-05 to 2024-11-29.',
        [
          'employee.request_leave',
          {
            employee_id: [7745],
            start_date: ['2024-08-05'],
            end_date: ['2024-11-29'],
            leave_type: ['parental'],
          },
        ],
      ),
    ],
  },
  {
    tools: [
      wireTool('tutor.find', 'Find tutors for a subject in a city, below a given hourly fee.', {
        city: text('The city and state, e.g. Austin, TX.'),
        subject: text('The subject of the lessons.'),
        max_fee: integer('The maximum hourly fee in dollars.'),
      }),
      wireTool('tutor.book_lesson', 'Book a lesson with a tutor.', {
        tutor_name: text('The name of the tutor.'),
        date: text('The date of the lesson in the format YYYY-MM-DD.'),
        'duration?': integer('The duration of the lesson in minutes. Default is 60.'),
      }),
    ],
    cases: [
      possible('Find a chemistry tutor in Tucson, AZ who charges at most $45 per hour.', [
        'tutor.find',
        { city: ['Tucson, AZ', 'Tucson, Arizona', 'Tucson'], subject: cased('chemistry'), max_fee: [45] },
      ]),
    ],
  },
]
