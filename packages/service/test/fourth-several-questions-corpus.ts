import type { Field } from './fields-corpus.js'
import {
  all,
  date,
  flag,
  integer,
  listOf,
  none,
  number,
  objectOf,
  oneOf,
  text,
  wireTool,
} from './planner-case.js'

// The part of the corpus `fourth-questions-corpus.ts` whose questions need several calls, or none.

const choice = (description: string, ...values: string[]) => ({ ...oneOf(...values), description })
const _dict = (description: string, properties: Record<string, object>) => ({
  ...objectOf(properties),
  description,
})

const parallel: readonly Field[] = [
  {
    tools: [
      wireTool('geometry.sphere_volume', 'Calculate the volume of a sphere given its radius.', {
        radius: number('The radius of the sphere.'),
        'unit?': text("The unit of the radius. Default is 'cm'."),
      }),
    ],
    cases: [
      all(
        'Calculate the volumes of three spheres with a radius of 3, 5.5 and 10.',
        ['geometry.sphere_volume', { radius: 3 }],
        ['geometry.sphere_volume', { radius: 5.5 }],
        ['geometry.sphere_volume', { radius: 10 }],
      ),
    ],
  },
  {
    tools: [
      wireTool('spotify.play', 'Play songs of a specific artist for a given time on Spotify.', {
        artist: text('The artist whose songs are played.'),
        duration: integer('The time for which the songs are played, in minutes.'),
      }),
    ],
    cases: [
      all(
        'Play songs from the artists Taylor Swift and Maroon 5 on Spotify, with a play time of 20 minutes and 15 minutes respectively.',
        ['spotify.play', { artist: 'Taylor Swift', duration: 20 }],
        ['spotify.play', { artist: 'Maroon 5', duration: 15 }],
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'calculate_em_force',
        "Calculate the induced electromagnetic force based on Faraday's law of induction, given the magnetic field in tesla, the area in square meters, and the change in time in seconds.",
        {
          b_field: number('The magnetic field in tesla.'),
          area: number('The area of the loop in square meters.'),
          d_time: number('The change in time in seconds.'),
        },
      ),
    ],
    cases: [
      all(
        'Calculate the induced electromagnetic force for a magnetic field of 5 Tesla, an area of 2 square meters and a change in time of 4 seconds, then repeat it with a change in time of 10 seconds.',
        ['calculate_em_force', { b_field: 5, area: 2, d_time: 4 }],
        ['calculate_em_force', { b_field: 5, area: 2, d_time: 10 }],
      ),
    ],
  },
  {
    tools: [
      wireTool('get_stock_price', 'Get the current price of a stock.', {
        symbol: text("The ticker symbol of the stock, e.g. 'IBM'."),
        'currency?': text("The currency of the price. Default is 'USD'."),
      }),
    ],
    cases: [
      all(
        'What are the current prices of the stocks AAPL, TSLA and MSFT?',
        ['get_stock_price', { symbol: 'AAPL' }],
        ['get_stock_price', { symbol: 'TSLA' }],
        ['get_stock_price', { symbol: 'MSFT' }],
      ),
    ],
  },
  {
    tools: [
      wireTool('protein_info.get_sequence', 'Retrieve the amino acid sequence of a protein.', {
        protein: text('The name of the protein.'),
        'model_3d?': flag('Whether to return a 3D model of the protein as well. Default is false.'),
      }),
    ],
    cases: [
      all(
        'Get the sequences of the proteins insulin and myoglobin, each with a 3D model.',
        ['protein_info.get_sequence', { protein: 'insulin', model_3d: true }],
        ['protein_info.get_sequence', { protein: 'myoglobin', model_3d: true }],
      ),
    ],
  },
  {
    tools: [
      wireTool('calculate_bmi', 'Calculate the body mass index (BMI) of a person.', {
        weight: number('The weight of the person in kilograms.'),
        height: number('The height of the person in centimeters.'),
      }),
    ],
    cases: [
      all(
        'Calculate the BMI of one person with a height of 180 cm and a weight of 75 kg, and of another person with a height of 165 cm and a weight of 60.5 kg.',
        ['calculate_bmi', { weight: 75, height: 180 }],
        ['calculate_bmi', { weight: 60.5, height: 165 }],
      ),
    ],
  },
  {
    tools: [
      wireTool('cinema.find_showtimes', 'Find the showtimes of a movie in a city.', {
        movie: text('The title of the movie.'),
        city: text('The city in which the movie is shown.'),
        'format?': choice("The format of the show. Default is '2D'.", '2D', '3D', 'IMAX'),
      }),
    ],
    cases: [
      all(
        "Find the IMAX showtimes of the movie 'Oppenheimer' in Boston and in Chicago.",
        ['cinema.find_showtimes', { movie: 'Oppenheimer', city: 'Boston', format: 'IMAX' }],
        ['cinema.find_showtimes', { movie: 'Oppenheimer', city: 'Chicago', format: 'IMAX' }],
      ),
    ],
  },
  {
    tools: [
      wireTool('hotel.find', 'Find a hotel in a city with a minimum number of stars.', {
        city: text('The city of the hotel.'),
        stars: integer('The minimum number of stars of the hotel.'),
        'pool?': flag('Whether the hotel must have a swimming pool. Default is false.'),
      }),
    ],
    cases: [
      all(
        'Find me a hotel in Barcelona with at least 4 stars and a hotel in Athens with at least 3 stars.',
        ['hotel.find', { city: 'Barcelona', stars: 4 }],
        ['hotel.find', { city: 'Athens', stars: 3 }],
      ),
    ],
  },
  {
    tools: [
      wireTool('flight.book', 'Book a flight between two cities with a specific airline.', {
        origin: text('The city of departure.'),
        destination: text('The city of arrival.'),
        date: date('The date of the flight in the format YYYY-MM-DD.'),
        airline: text('The airline that operates the flight.'),
      }),
    ],
    cases: [
      all(
        'Book a flight from Seattle to Boston with United Airlines on 2026-03-11, and a flight from Boston to Dublin with Aer Lingus on 2026-03-15.',
        [
          'flight.book',
          { origin: 'Seattle', destination: 'Boston', date: '2026-03-11', airline: 'United Airlines' },
        ],
        [
          'flight.book',
          { origin: 'Boston', destination: 'Dublin', date: '2026-03-15', airline: 'Aer Lingus' },
        ],
      ),
    ],
  },
  {
    tools: [
      wireTool('animal_population.get', 'Get the estimated number of animals of a species in a country.', {
        species: text('The species of the animals.'),
        country: text('The country in which the animals live.'),
      }),
    ],
    cases: [
      all(
        'How many tigers are there in India, Nepal and Malaysia?',
        ['animal_population.get', { species: 'tigers', country: 'India' }],
        ['animal_population.get', { species: 'tigers', country: 'Nepal' }],
        ['animal_population.get', { species: 'tigers', country: 'Malaysia' }],
      ),
    ].map((entry) => ({
      ...entry,
      or: ['tiger', 'Tiger'].map((species) =>
        entry.calls.map(([tool, args]) => [tool, { ...args, species }] as const),
      ),
    })),
  },
  {
    tools: [
      wireTool('loan.monthly_payment', 'Calculate the monthly payment of a loan.', {
        amount: number('The amount of the loan.'),
        annual_rate: number('The annual interest rate as a decimal, e.g. 0.04 for 4%.'),
        years: integer('The term of the loan in years.'),
      }),
    ],
    cases: [
      all(
        'How much would I pay per month for a loan of $20,000 at an annual rate of 5% over 4 years, and for a loan of $35,000 at an annual rate of 6.5% over 7 years?',
        ['loan.monthly_payment', { amount: 20000, annual_rate: 0.05, years: 4 }],
        ['loan.monthly_payment', { amount: 35000, annual_rate: 0.065, years: 7 }],
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'us_history.get_office_holder',
        'Get the name of the person who held one of the highest offices of the United States in a year.',
        {
          office: oneOf('president', 'vice president', 'secretary of state'),
          year: integer('The year in question.'),
        },
      ),
    ],
    cases: [
      all(
        'Who was the president of the United States in 1801, and who was the vice president in 1825?',
        ['us_history.get_office_holder', { office: 'president', year: 1801 }],
        ['us_history.get_office_holder', { office: 'vice president', year: 1825 }],
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'recipe.unit_conversion',
        'Convert the quantity of an ingredient from one kitchen unit to another.',
        {
          value: number('The quantity to convert.'),
          from_unit: oneOf('cup', 'tablespoon', 'teaspoon', 'ounce', 'gram'),
          to_unit: oneOf('cup', 'tablespoon', 'teaspoon', 'ounce', 'gram'),
          ingredient: text('The ingredient to convert.'),
        },
      ),
    ],
    cases: [
      all(
        'Convert 2 cups of sugar into grams and 3 tablespoons of butter into ounces.',
        ['recipe.unit_conversion', { value: 2, from_unit: 'cup', to_unit: 'gram', ingredient: 'sugar' }],
        [
          'recipe.unit_conversion',
          { value: 3, from_unit: 'tablespoon', to_unit: 'ounce', ingredient: 'butter' },
        ],
      ),
    ],
  },
  {
    tools: [
      wireTool('basketball.player_stats', 'Retrieve the statistics of a basketball player in a season.', {
        player: text('The full name of the player.'),
        season: integer('The year of the season.'),
        'stat?': choice(
          'The statistic to retrieve. By default all statistics are returned.',
          'points',
          'rebounds',
          'assists',
        ),
      }),
    ],
    cases: [
      all(
        "What were LeBron James's assists in the 2018 season and Stephen Curry's points in the 2021 season?",
        ['basketball.player_stats', { player: 'LeBron James', season: 2018, stat: 'assists' }],
        ['basketball.player_stats', { player: 'Stephen Curry', season: 2021, stat: 'points' }],
      ),
    ],
  },
  {
    tools: [
      wireTool('lawyer.find', 'Find a lawyer in a city by specialty and hourly fee.', {
        city: text('The city in which the lawyer works.'),
        specialty: oneOf('divorce', 'criminal', 'tax', 'immigration'),
        max_fee: integer('The highest hourly fee of the lawyer in US dollars.'),
      }),
    ],
    cases: [
      all(
        'Find me a divorce lawyer in Chicago who charges at most 300 dollars per hour and a tax lawyer in Houston who charges at most 400 dollars per hour.',
        ['lawyer.find', { city: 'Chicago', specialty: 'divorce', max_fee: 300 }],
        ['lawyer.find', { city: 'Houston', specialty: 'tax', max_fee: 400 }],
      ),
    ],
  },
]

const parallelMultiple: readonly Field[] = [
  {
    tools: [
      wireTool(
        'math_toolkit.sum_of_multiples',
        'Find the sum of all multiples of the specified numbers within a range.',
        {
          lower_limit: integer('The start of the range.'),
          upper_limit: integer('The end of the range.'),
          multiples: listOf({ type: 'integer' }, 'The numbers whose multiples are summed.'),
        },
      ),
      wireTool('math_toolkit.product_of_primes', 'Find the product of the first n prime numbers.', {
        count: integer('The number of primes that are multiplied.'),
      }),
    ],
    cases: [
      all(
        'Find the sum of all the multiples of 3 and 5 between 1 and 1000. Also find the product of the first five prime numbers.',
        ['math_toolkit.sum_of_multiples', { lower_limit: 1, upper_limit: 1000, multiples: [3, 5] }],
        ['math_toolkit.product_of_primes', { count: 5 }],
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'area_rectangle.calculate',
        'Calculate the area of a rectangle given its length and breadth.',
        {
          length: number('The length of the rectangle.'),
          breadth: number('The breadth of the rectangle.'),
        },
      ),
      wireTool('area_circle.calculate', 'Calculate the area of a circle given its radius.', {
        radius: number('The radius of the circle.'),
      }),
    ],
    cases: [
      all(
        'Find the area of a rectangle with a length of 7 and a breadth of 3. Also, calculate the area of a circle with a radius of 5.',
        ['area_rectangle.calculate', { length: 7, breadth: 3 }],
        ['area_circle.calculate', { radius: 5 }],
      ),
    ],
  },
  {
    tools: [
      wireTool('weather.current', 'Get the current weather in a city.', {
        city: text('The name of the city.'),
        'units?': choice("The units of the temperature. Default is 'metric'.", 'metric', 'imperial'),
      }),
      wireTool('clock.local_time', 'Get the current local time in a city.', {
        city: text('The name of the city.'),
      }),
      wireTool('holiday.list', 'List the public holidays of a country in a year.', {
        country: text('The name of the country.'),
        year: integer('The year of the holidays.'),
      }),
    ],
    cases: [
      all(
        "What's the current weather in Cairo, what's the local time in Tokyo, and which public holidays does Japan have in 2026?",
        ['weather.current', { city: 'Cairo' }],
        ['clock.local_time', { city: 'Tokyo' }],
        ['holiday.list', { country: 'Japan', year: 2026 }],
      ),
    ],
  },
  {
    tools: [
      wireTool('travel.book_flight', 'Book a flight from one city to another.', {
        origin: text('The city of departure.'),
        destination: text('The city of arrival.'),
        date: date('The date of the flight in the format YYYY-MM-DD.'),
        'passengers?': integer('The number of passengers. Default is 1.'),
      }),
      wireTool('travel.book_hotel', 'Book a hotel room in a city.', {
        city: text('The city of the hotel.'),
        check_in: date('The date of the arrival in the format YYYY-MM-DD.'),
        nights: integer('The number of nights.'),
      }),
    ],
    cases: [
      all(
        'Book a flight from Toronto to Prague on 2026-05-20, and book a hotel room in Prague for 6 nights with the check-in on 2026-05-21.',
        ['travel.book_flight', { origin: 'Toronto', destination: 'Prague', date: '2026-05-20' }],
        ['travel.book_hotel', { city: 'Prague', check_in: '2026-05-21', nights: 6 }],
      ),
    ],
  },
  {
    tools: [
      wireTool('finance.simple_interest', 'Calculate the simple interest on a principal.', {
        principal: number('The amount of money that earns interest.'),
        rate: number('The annual interest rate in percent.'),
        years: number('The number of years.'),
      }),
      wireTool(
        'finance.inflation_adjustment',
        'Calculate what an amount of money from one year is worth in another year.',
        {
          amount: number('The amount of money.'),
          from_year: integer('The year of the amount.'),
          to_year: integer('The year in whose money the amount is expressed.'),
        },
      ),
    ],
    cases: [
      all(
        'Calculate the simple interest on a principal of $5,000 at an annual rate of 3% for 4 years, and tell me how much $100 from 1985 would be worth in 2020.',
        ['finance.simple_interest', { principal: 5000, rate: 3, years: 4 }],
        ['finance.inflation_adjustment', { amount: 100, from_year: 1985, to_year: 2020 }],
      ),
    ],
  },
  {
    tools: [
      wireTool('music.create_playlist', 'Create a playlist with songs of a genre.', {
        genre: text('The genre of the songs.'),
        'length?': integer('The number of songs. Default is 20.'),
      }),
      wireTool('cooking.find_recipes', 'Find recipes of a cuisine.', {
        cuisine: text('The cuisine of the recipes.'),
        'vegetarian?': flag('Whether the recipes must be vegetarian. Default is false.'),
      }),
    ],
    cases: [
      all(
        'Create a playlist of jazz with 15 songs and find me vegetarian recipes of the Italian cuisine.',
        ['music.create_playlist', { genre: 'jazz', length: 15 }],
        ['cooking.find_recipes', { cuisine: 'Italian', vegetarian: true }],
      ),
    ],
  },
  {
    tools: [
      wireTool('biology.gene_info', 'Get information about a gene, such as its location and function.', {
        gene: text('The symbol of the gene.'),
      }),
      wireTool(
        'chemistry.element_info',
        'Get information about a chemical element, such as its atomic number and mass.',
        { element: text('The name of the element.') },
      ),
      wireTool('physics.constant_value', 'Get the value of a physical constant.', {
        constant: text('The name of the constant.'),
      }),
    ],
    cases: [
      all(
        'Give me information about the gene BRCA1 and about the chemical elements cobalt and neon.',
        ['biology.gene_info', { gene: 'BRCA1' }],
        ['chemistry.element_info', { element: 'cobalt' }],
        ['chemistry.element_info', { element: 'neon' }],
      ),
    ],
  },
  {
    tools: [
      wireTool('tennis.get_ranking', 'Get the current world ranking in tennis.', {
        gender: oneOf('men', 'women'),
        'top?': integer('The number of players to list. Default is 10.'),
      }),
      wireTool('formula1.race_winner', 'Get the winner of a Formula 1 race.', {
        grand_prix: text("The country of the race, e.g. 'Monaco'."),
        year: integer('The year of the race.'),
      }),
    ],
    cases: [
      all(
        'List the top 3 women in the current tennis world ranking, and tell me who won the Formula 1 race in Belgium in 2008 and in Japan in 2005.',
        ['tennis.get_ranking', { gender: 'women', top: 3 }],
        ['formula1.race_winner', { grand_prix: 'Belgium', year: 2008 }],
        ['formula1.race_winner', { grand_prix: 'Japan', year: 2005 }],
      ),
    ],
  },
  {
    tools: [
      wireTool('law.find_statute', 'Find the text of a statute of a state.', {
        state: text('The name of the state.'),
        topic: text('The topic of the statute.'),
      }),
      wireTool(
        'law.statute_of_limitations',
        'Get the time within which a legal action must be started in a state.',
        {
          state: text('The name of the state.'),
          claim: oneOf('fraud', 'personal injury', 'breach of contract'),
        },
      ),
      wireTool('court.get_address', 'Get the address of a court.', { court: text('The name of the court.') }),
    ],
    cases: [
      all(
        "What's the statute of limitations for fraud in Ohio and for personal injury in Texas, and what's the address of the Franklin County Municipal Court?",
        ['law.statute_of_limitations', { state: 'Ohio', claim: 'fraud' }],
        ['law.statute_of_limitations', { state: 'Texas', claim: 'personal injury' }],
        ['court.get_address', { court: 'Franklin County Municipal Court' }],
      ),
    ],
  },
  {
    tools: [
      wireTool('shop.add_to_cart', 'Add a product to the shopping cart.', {
        product: text('The name of the product.'),
        'quantity?': integer('The number of pieces. Default is 1.'),
      }),
      wireTool('shop.apply_coupon', 'Apply a coupon code to the shopping cart.', {
        code: text('The code of the coupon.'),
      }),
      wireTool('shop.shipping_cost', 'Calculate the cost of the shipping to a country.', {
        country: text('The country to which the order is shipped.'),
        'express?': flag('Whether the order is shipped by express. Default is false.'),
      }),
    ],
    cases: [
      all(
        'Add 4 notebooks to my shopping cart, apply the coupon code SPRING25, and calculate the cost of express shipping to Canada.',
        ['shop.add_to_cart', { product: 'notebooks', quantity: 4 }],
        ['shop.apply_coupon', { code: 'SPRING25' }],
        ['shop.shipping_cost', { country: 'Canada', express: true }],
      ),
    ].map((entry) => ({
      ...entry,
      or: [
        entry.calls.map(
          ([tool, args]) =>
            [tool, tool === 'shop.add_to_cart' ? { ...args, product: 'notebook' } : args] as const,
        ),
      ],
    })),
  },
]

const irrelevance: readonly Field[] = [
  {
    tools: [
      wireTool(
        'determine_body_mass_index',
        'Calculate the body mass index of a person given the weight and the height.',
        {
          weight: number('The weight of the person in kilograms.'),
          height: number('The height of the person in meters.'),
        },
      ),
    ],
    cases: none('Calculate the area of a triangle given that its base is 10m and its height is 5m.'),
  },
  {
    tools: [
      wireTool('math.sum', 'Compute the sum of all the numbers in a list.', {
        numbers: listOf({ type: 'number' }, 'The list of numbers to add up.'),
        'decimal_places?': integer('The number of decimal places of the result. Default is 2.'),
      }),
    ],
    cases: none('Solve the quadratic equation with the coefficients a = 1, b = 2, and c = 3.'),
  },
  {
    tools: [
      wireTool('get_traffic_info', 'Retrieve the current traffic conditions in a location.', {
        location: text('The location for which the traffic conditions are retrieved.'),
        'radius?': integer('The radius of the area in kilometers. Default is 5.'),
      }),
    ],
    cases: none("What's the air quality in London today?"),
  },
  {
    tools: [
      wireTool('prime_numbers_in_range', 'Find all the prime numbers within a certain range.', {
        start: integer('The start of the range.'),
        end: integer('The end of the range.'),
      }),
    ],
    cases: none('What is the fastest route from London to Edinburgh?'),
  },
  {
    tools: [
      wireTool('get_guitar_price', 'Get the price of a new guitar of a certain brand and model.', {
        brand: text('The brand of the guitar.'),
        model: text('The model of the guitar.'),
      }),
    ],
    cases: none('Who won the World Series in 2018?'),
  },
  {
    tools: [
      wireTool(
        'crime_record.get_record',
        'Retrieve the criminal record of a person by an identification number.',
        {
          person_id: text('The identification number of the person.'),
          'county?': text('The county in which the record is kept.'),
        },
      ),
      wireTool('court.schedule_hearing', 'Schedule a hearing of a case at a court.', {
        case_number: text('The number of the case.'),
        date: date('The date of the hearing in the format YYYY-MM-DD.'),
      }),
    ],
    cases: none('What is the chemical formula of table salt?'),
  },
  {
    tools: [
      wireTool('stock_market.predict', 'Predict the price of a stock for the next days.', {
        symbol: text('The ticker symbol of the stock.'),
        days: integer('The number of days to predict.'),
      }),
    ],
    cases: none('What will the weather be like in Miami over the next 5 days?'),
  },
  {
    tools: [
      wireTool('recipe.get_cooking_time', 'Get the cooking time of a dish.', {
        dish: text('The name of the dish.'),
        'servings?': integer('The number of servings. Default is 4.'),
      }),
      wireTool('restaurant.reserve_table', 'Reserve a table at a restaurant.', {
        restaurant: text('The name of the restaurant.'),
        guests: integer('The number of guests.'),
        time: text('The time of the reservation.'),
      }),
    ],
    cases: none('Who painted the ceiling of the Sistine Chapel?'),
  },
  {
    tools: [
      wireTool('biology.count_chromosomes', 'Get the number of chromosomes of a species.', {
        species: text('The name of the species.'),
      }),
    ],
    cases: none('How much would it cost to send a parcel of 3 kg from Berlin to Madrid?'),
  },
  {
    tools: [
      wireTool('music_theory.transpose_chord', 'Transpose a chord by a number of semitones.', {
        chord: text("The chord to transpose, e.g. 'Am7'."),
        semitones: integer('The number of semitones.'),
      }),
      wireTool('song.find_lyrics', 'Find the lyrics of a song.', {
        title: text('The title of the song.'),
        'artist?': text('The artist of the song.'),
      }),
    ],
    cases: none('Find me a two-bedroom apartment in Amsterdam that costs less than 2000 euros per month.'),
  },
]

export const severalQuestions: readonly Field[] = [...parallel, ...parallelMultiple, ...irrelevance]
