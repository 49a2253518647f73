import type { Field } from './fields-corpus.js'
import {
  all,
  either,
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

// Questions in the manner of the Berkeley function-calling leaderboard: one question, long descriptions, one function or
// several. Written by an author who had not seen the planner or another corpus. Right, asked and wrong at first sight:
// 71, 29 and 3 of 103.

const rectangle = wireTool(
  'calculate_rectangle_area',
  'Calculate the area of a rectangle given its length and width.',
  {
    length: integer('The length of the rectangle.'),
    width: integer('The width of the rectangle.'),
    'unit?': text("The unit of measurement for the sides (optional, defaults to 'units')."),
  },
)

const kinetic = wireTool('physics.kinetic_energy', 'Calculates the kinetic energy of an object in motion.', {
  mass: number('The mass of the object in kilograms.'),
  velocity: number('The velocity of the object in meters per second.'),
})

const potential = wireTool(
  'physics.potential_energy',
  'Calculates the gravitational potential energy of an object.',
  {
    mass: number('The mass of the object in kilograms.'),
    height: number('The height of the object above the ground in meters.'),
    'gravity?': number('The acceleration due to gravity in m/s^2. Default is 9.81.'),
  },
)

const stockPrice = wireTool(
  'get_stock_price',
  'Retrieves the current or historical stock price of a company.',
  {
    company: text('The name of the company, e.g. Apple.'),
    'exchange?': text('The stock exchange on which the stock is traded. Default is NASDAQ.'),
    'days?': integer('Number of past days for which to retrieve the price.'),
  },
)

const compound = wireTool(
  'finance.compound_interest',
  'Calculate the future value of an investment with compound interest.',
  {
    principal: number('The initial amount of money invested.'),
    annual_rate: number('The annual interest rate in percent.'),
    years: integer('The number of years the money is invested for.'),
    'compounds_per_year?': integer('How many times the interest is compounded per year. Default is 1.'),
  },
)

const mortgage = wireTool('loan.monthly_payment', 'Computes the monthly payment of a mortgage loan.', {
  loan_amount: number('The amount of the loan in dollars.'),
  interest_rate: number('The annual interest rate in percent.'),
  term_years: integer('The term of the loan in years.'),
})

const recipe = wireTool(
  'find_recipe',
  'Find a recipe based on dietary restrictions, the type of meal and preparation time.',
  {
    dietary_restrictions: listOf(
      oneOf('vegan', 'vegetarian', 'gluten free', 'dairy free', 'keto'),
      'List of dietary restrictions.',
    ),
    meal_type: oneOf('breakfast', 'lunch', 'dinner', 'dessert'),
    'max_minutes?': integer('Maximum preparation time in minutes.'),
  },
)

const event = wireTool('history.get_event_date', 'Retrieve the date of a historical event.', {
  event: text('The name of the historical event.'),
  'location?': text('Location where the event took place. Defaults to global.'),
})

const leader = wireTool(
  'history.get_leader',
  'Retrieve the name of the leader of a country in a specific year.',
  {
    country: text('The name of the country.'),
    year: integer('The year.'),
    'title?': oneOf('president', 'prime minister', 'monarch'),
  },
)

const dna = wireTool(
  'genetics.analyze_sequence',
  'Analyze a DNA sequence against a reference sequence and find mutations.',
  {
    sequence: text('The DNA sequence to be analyzed.'),
    reference_sequence: text('The reference DNA sequence.'),
    'mutation_type?': oneOf('insertion', 'deletion', 'substitution'),
  },
)

const cell = wireTool('biology.get_cell_info', 'Retrieve information about a type of cell.', {
  cell_type: text('Type of the cell, e.g. human, plant.'),
  'detailed?': flag('Whether detailed information is returned. Defaults to false.'),
})

const species = wireTool('ecology.species_count', 'Estimate the number of species of a group in a region.', {
  region: text('The name of the region.'),
  group: oneOf('birds', 'mammals', 'reptiles', 'insects'),
  'endangered_only?': flag('Whether only endangered species are counted.'),
})

const lawsuit = wireTool('law.search_lawsuits', 'Search for lawsuits against a particular entity.', {
  entity: text('The name of the entity being sued.'),
  'year?': integer('The year in which the lawsuit was filed.'),
  'state?': text('The US state in which it was filed, e.g. California.'),
  'status?': oneOf('open', 'settled', 'dismissed'),
})

const courtCase = wireTool('law.case_details', 'Fetch the details of a court case by its docket number.', {
  docket_number: text('The docket number of the case.'),
  court: text('The name of the court, e.g. Supreme Court.'),
  'include_verdict?': flag('Whether the verdict is included. Default is false.'),
})

const sculpture = wireTool(
  'art.sculpture_info',
  'Retrieves information about a sculpture by its title and its artist.',
  {
    title: text('The title of the sculpture.'),
    artist: text('The name of the artist.'),
    'detail?': text("The specific detail wanted, e.g. 'material', 'year'. Default is 'general'."),
  },
)

const museum = wireTool('museum.working_hours', 'Get the working hours of a museum in a specific location.', {
  museum: text('The name of the museum.'),
  city: text('The city where the museum is located.'),
  'day?': text('The day of the week. Optional.'),
})

const tournament = wireTool(
  'sports.tournament_winner',
  'Get the winner of a sports tournament in a given year.',
  {
    tournament: text('The name of the tournament.'),
    year: integer('The year of the tournament.'),
    'gender?': oneOf('men', 'women'),
  },
)

const player = wireTool(
  'sports.player_stats',
  'Retrieves the statistics of a basketball player in a season.',
  {
    player_name: text('The full name of the player.'),
    season: text("The season in the format 'YYYY-YYYY'."),
    'team?': text('The team of the player. Optional.'),
  },
)

const chord = wireTool('music.chord_progression', 'Generates a chord progression in a key.', {
  key: text('The key, e.g. C, F#.'),
  scale: oneOf('major', 'minor'),
  length: integer('The number of chords.'),
})

const concert = wireTool('concert.find_nearby', 'Locate nearby concerts based on the location and genre.', {
  location: text('The city, e.g. Austin.'),
  genre: text('The genre of music.'),
  'max_price?': number('Maximum price of a ticket in dollars.'),
})

const card = wireTool('card_game.draw', 'Draw cards from a standard deck of playing cards.', {
  count: integer('The number of cards to draw.'),
  'with_replacement?': flag('Whether drawn cards are put back. Default is false.'),
})

const dice = wireTool(
  'probability.dice_roll',
  'Calculates the probability of rolling a desired sum with several dice.',
  {
    desired_sum: integer('The sum that is wanted.'),
    dice: integer('The number of dice rolled.'),
    'sides?': integer('The number of sides of each die. Defaults to 6.'),
  },
)

const bmi = wireTool('health.calculate_bmi', 'Calculate the Body Mass Index (BMI) of a person.', {
  weight: integer('Weight of the person in kilograms.'),
  height: integer('Height of the person in centimeters.'),
  'unit?': oneOf('metric', 'imperial'),
})

const emissions = wireTool(
  'environment.car_emissions',
  'Estimate the carbon dioxide emissions of a car journey.',
  {
    distance: number('The distance in miles.'),
    fuel: oneOf('gasoline', 'diesel', 'electric'),
    efficiency: number('The fuel efficiency in miles per gallon.'),
  },
)

const quadratic = wireTool(
  'math.quadratic_roots',
  'Solve a quadratic equation of the form ax^2 + bx + c = 0.',
  {
    a: integer('Coefficient of x^2.'),
    b: integer('Coefficient of x.'),
    c: integer('The constant term.'),
  },
)

const gcd = wireTool('math.gcd', 'Compute the greatest common divisor of two numbers.', {
  num1: integer('The first number.'),
  num2: integer('The second number.'),
})

const lcm = wireTool('math.lcm', 'Compute the least common multiple of two numbers.', {
  num1: integer('The first number.'),
  num2: integer('The second number.'),
})

const statistics = wireTool('statistics.mean', 'Calculate the arithmetic mean of a list of numbers.', {
  numbers: listOf({ type: 'number' }, 'The list of numbers.'),
  'round_to?': integer('Decimal places to which the result is rounded.'),
})

const paint = wireTool('home.paint_needed', 'Calculate how much paint is needed to cover a wall.', {
  wall: objectOf({
    width: number('The width of the wall in feet.'),
    height: number('The height of the wall in feet.'),
  }),
  coverage: number('Square feet that one gallon of paint covers.'),
  'coats?': integer('The number of coats. Default is 1.'),
})

const weather = wireTool(
  'weather.forecast',
  'Retrieve a weather forecast for a location and a number of days.',
  {
    location: text('The city, e.g. Boston.'),
    days: integer('The number of days of the forecast.'),
    'include_humidity?': flag('Whether the humidity is included. Default is true.'),
  },
)

const hotel = wireTool('hotel.search', 'Search for hotels in a city with certain amenities.', {
  city: text('The city in which to search.'),
  'stars?': integer('The minimum number of stars.'),
  'amenities?': listOf(oneOf('pool', 'gym', 'spa', 'parking', 'wifi'), 'Amenities that the hotel must have.'),
  'max_price?': number('The maximum price per night in dollars.'),
})

const ride = wireTool(
  'uber.ride',
  'Find a suitable ride for the customer given the location, type of ride and time to wait.',
  {
    loc: text('Location of the starting place of the ride.'),
    type: oneOf('plus', 'comfort', 'black'),
    time: integer('The time in minutes that the customer is willing to wait.'),
  },
)

const user = wireTool('database.update_user', 'Update the record of a user in the database.', {
  user_id: integer('The ID of the user.'),
  fields: objectOf({
    'name?': text('The new name of the user.'),
    'email?': text('The new email address of the user.'),
    'age?': integer('The new age of the user.'),
  }),
})

const translate = wireTool(
  'language.translate',
  'Translate a sentence from a source language to a target language.',
  {
    sentence: text('The sentence to translate.'),
    source_language: text('The source language, e.g. English.'),
    target_language: text('The target language, e.g. French.'),
  },
)

const restaurant = wireTool(
  'restaurant.find_nearby',
  'Locate restaurants near a location that serve a cuisine.',
  {
    location: text('The city and neighborhood, e.g. Queens.'),
    cuisine: text('The type of cuisine, e.g. Italian.'),
    'dietary?': listOf(oneOf('vegan', 'halal', 'kosher'), 'Dietary preferences.'),
  },
)

const exchange = wireTool('currency.convert', 'Converts an amount from one currency into another.', {
  amount: number('The amount to be converted.'),
  from_currency: text("The currency code to convert from, e.g. 'USD'."),
  to_currency: text("The currency code to convert to, e.g. 'EUR'."),
})

const sort = wireTool('algorithms.sort', 'Sort a list of numbers in ascending or descending order.', {
  numbers: listOf({ type: 'integer' }, 'The numbers to sort.'),
  order: oneOf('ascending', 'descending'),
})

const house = wireTool('real_estate.find_properties', 'Find properties for sale by location and budget.', {
  location: text('City and state where to search, e.g. San Diego, CA.'),
  property_type: oneOf('house', 'condo', 'apartment'),
  bedrooms: integer('The number of bedrooms.'),
  budget: objectOf({ min: number('The minimum price.'), max: number('The maximum price.') }),
})

const crime = wireTool('crime.statistics', 'Retrieve crime statistics of a city in a year.', {
  city: text('The name of the city.'),
  year: integer('The year of the statistics.'),
  'crime_type?': oneOf('theft', 'violent crime', 'property crime'),
})

const magnetic = wireTool(
  'physics.magnetic_field',
  'Calculate the magnetic field produced at a distance from a wire.',
  {
    current: number('The current in the wire in Amperes.'),
    distance: number('The distance from the wire in meters.'),
    'permeability?': number('The permeability of free space. Optional.'),
  },
)

const freeFall = wireTool(
  'physics.final_velocity',
  'Calculate the final velocity of an object in free fall from a height.',
  {
    height: number('The height in meters from which the object falls.'),
    'initial_velocity?': number('The initial velocity in m/s. Default is zero.'),
    'gravity?': number('The acceleration due to gravity. Default is 9.81.'),
  },
)

const book = wireTool('library.search_books', 'Search for books in a library catalogue.', {
  'author?': text('The author of the book.'),
  'genre?': text('The genre, e.g. mystery.'),
  'published_after?': integer('Only books published after this year.'),
})

export const thirdQuestions: readonly Field[] = [
  {
    tools: [rectangle],
    cases: [
      one(
        'What is the area of a rectangle with a length of 12 and a width of 7?',
        'calculate_rectangle_area',
        { length: 12, width: 7 },
      ),
      one(
        'Calculate the area of a rectangular garden that is 15 meters long and 9 meters wide, given as length 15 and width 9 in meters.',
        'calculate_rectangle_area',
        { length: 15, width: 9, unit: 'meters' },
      ),
      all(
        'Find the area of two rectangles: one with length 4 and width 6, the other with length 8 and width 3.',
        ['calculate_rectangle_area', { length: 4, width: 6 }],
        ['calculate_rectangle_area', { length: 8, width: 3 }],
      ),
      ...none(
        'What is the perimeter of a rectangle with length 12 and width 7?',
        'What is the area of a circle with a radius of 5?',
      ),
    ],
  },
  {
    tools: [kinetic, potential],
    cases: [
      one('Calculate the kinetic energy of a 1200 kg car moving at 25 m/s.', 'physics.kinetic_energy', {
        mass: 1200,
        velocity: 25,
      }),
      one(
        'What is the potential energy of an object with a mass of 3.5 kg at a height of 20 meters?',
        'physics.potential_energy',
        { mass: 3.5, height: 20 },
      ),
      one(
        'Find the gravitational potential energy of a 10 kg rock 50 m above the ground on the Moon, where gravity is 1.62.',
        'physics.potential_energy',
        { mass: 10, height: 50, gravity: 1.62 },
      ),
      all(
        'For a ball of 2 kg, compute the kinetic energy at a velocity of 6 m/s and the potential energy at a height of 4 m.',
        ['physics.kinetic_energy', { mass: 2, velocity: 6 }],
        ['physics.potential_energy', { mass: 2, height: 4 }],
      ),
      ...none('What is the momentum of a 5 kg object moving at 3 m/s?'),
    ],
  },
  {
    tools: [stockPrice],
    cases: [
      either(
        'What is the current stock price of Tesla on NASDAQ?',
        [['get_stock_price', { company: 'Tesla', exchange: 'NASDAQ' }]],
        [['get_stock_price', { company: 'Tesla' }]],
      ),
      one("What was Microsoft's stock price over the last 7 days?", 'get_stock_price', {
        company: 'Microsoft',
        days: 7,
      }),
      all(
        'Get me the stock prices of Amazon and Netflix.',
        ['get_stock_price', { company: 'Amazon' }],
        ['get_stock_price', { company: 'Netflix' }],
      ),
      ...none('Which stocks should I buy this week?'),
    ],
  },
  {
    tools: [compound, mortgage],
    cases: [
      one(
        'How much will a principal of $5000 be worth after 10 years at an annual interest rate of 4%, compounded 12 times per year?',
        'finance.compound_interest',
        { principal: 5000, annual_rate: 4, years: 10, compounds_per_year: 12 },
      ),
      one(
        'What is the monthly payment for a mortgage of $350,000 with an interest rate of 6.25% over 30 years?',
        'loan.monthly_payment',
        { loan_amount: 350000, interest_rate: 6.25, term_years: 30 },
      ),
      all(
        'Calculate the future value of 2000 dollars invested at 5% for 3 years, and also the future value of 3000 dollars invested at 6% for 8 years.',
        ['finance.compound_interest', { principal: 2000, annual_rate: 5, years: 3 }],
        ['finance.compound_interest', { principal: 3000, annual_rate: 6, years: 8 }],
      ),
      ...none('What is the credit score required for a mortgage of $350,000?'),
    ],
  },
  {
    tools: [recipe],
    cases: [
      one('Find me a vegan dinner recipe that takes at most 30 minutes.', 'find_recipe', {
        dietary_restrictions: ['vegan'],
        meal_type: 'dinner',
        max_minutes: 30,
      }),
      one('I want a gluten free and dairy free dessert recipe.', 'find_recipe', {
        dietary_restrictions: ['gluten free', 'dairy free'],
        meal_type: 'dessert',
      }),
      ...none('How many calories does a vegan pizza have?'),
    ],
  },
  {
    tools: [event, leader],
    cases: [
      one('When did the Battle of Waterloo take place?', 'history.get_event_date', {
        event: 'Battle of Waterloo',
      }),
      either('Who was the prime minister of Canada in 1970?', [
        ['history.get_leader', { country: 'Canada', year: 1970, title: 'prime minister' }],
      ]),
      all(
        'Who was the president of France in 1985 and who was the president of Brazil in 2004?',
        ['history.get_leader', { country: 'France', year: 1985, title: 'president' }],
        ['history.get_leader', { country: 'Brazil', year: 2004, title: 'president' }],
      ),
      ...none('How many people live in Canada?', 'Why did the Roman Empire fall?'),
    ],
  },
  {
    tools: [dna],
    cases: [
      one(
        "Find the mutations in the DNA sequence 'AGTCGATCGA' compared to the reference sequence 'AGTCCATCGA'.",
        'genetics.analyze_sequence',
        { sequence: 'AGTCGATCGA', reference_sequence: 'AGTCCATCGA' },
      ),
      one(
        "Analyze the DNA sequence 'TTACG' with the reference sequence 'TTAG' for insertion mutations.",
        'genetics.analyze_sequence',
        { sequence: 'TTACG', reference_sequence: 'TTAG', mutation_type: 'insertion' },
      ),
      ...none('Who discovered the structure of DNA?'),
    ],
  },
  {
    tools: [cell, species],
    cases: [
      one('Give me detailed information about plant cells.', 'biology.get_cell_info', {
        cell_type: 'plant',
        detailed: true,
      }),
      one('How many species of birds are there in the Amazon rainforest?', 'ecology.species_count', {
        region: 'Amazon rainforest',
        group: 'birds',
      }),
      all(
        'Estimate the number of mammals in Madagascar and the number of reptiles in Florida.',
        ['ecology.species_count', { region: 'Madagascar', group: 'mammals' }],
        ['ecology.species_count', { region: 'Florida', group: 'reptiles' }],
      ),
      ...none('What do penguins eat?', 'How many species of fungi are there in Norway?'),
    ],
  },
  {
    tools: [lawsuit, courtCase],
    cases: [
      one('Search for lawsuits against Google filed in California in 2021.', 'law.search_lawsuits', {
        entity: 'Google',
        year: 2021,
        state: 'California',
      }),
      one('Find settled lawsuits against Pfizer.', 'law.search_lawsuits', {
        entity: 'Pfizer',
        status: 'settled',
      }),
      one(
        "Get the details of the case with docket number '19-2402' in the Supreme Court, including the verdict.",
        'law.case_details',
        { docket_number: '19-2402', court: 'Supreme Court', include_verdict: true },
      ),
      ...none('How do I become a lawyer in California?', 'File a lawsuit against Google in Texas'),
    ],
  },
  {
    tools: [sculpture, museum],
    cases: [
      one("Tell me about the sculpture 'The Thinker' by Auguste Rodin.", 'art.sculpture_info', {
        title: 'The Thinker',
        artist: 'Auguste Rodin',
      }),
      one('What are the working hours of the Louvre Museum in Paris on Monday?', 'museum.working_hours', {
        museum: 'Louvre Museum',
        city: 'Paris',
        day: 'Monday',
      }),
      all(
        'What are the opening hours of the British Museum in London and the Prado in Madrid?',
        ['museum.working_hours', { museum: 'British Museum', city: 'London' }],
        ['museum.working_hours', { museum: 'Prado', city: 'Madrid' }],
      ),
      ...none('How much does a ticket for the Louvre cost?'),
    ],
  },
  {
    tools: [tournament, player],
    cases: [
      one('Who won the Wimbledon tournament in 2016 among the women?', 'sports.tournament_winner', {
        tournament: 'Wimbledon',
        year: 2016,
        gender: 'women',
      }),
      one('Give me the statistics of LeBron James for the 2018-2019 season.', 'sports.player_stats', {
        player_name: 'LeBron James',
        season: '2018-2019',
      }),
      one(
        "What are Stephen Curry's stats with the Golden State Warriors in the season 2015-2016?",
        'sports.player_stats',
        { player_name: 'Stephen Curry', season: '2015-2016', team: 'Golden State Warriors' },
      ),
      ...none('How tall is LeBron James?', 'What is the schedule of the Lakers next week?'),
    ],
  },
  {
    tools: [chord, concert],
    cases: [
      one('Generate a progression of 5 chords in the key of G minor.', 'music.chord_progression', {
        key: 'G',
        scale: 'minor',
        length: 5,
      }),
      one('Find jazz concerts in Chicago with tickets below 60 dollars.', 'concert.find_nearby', {
        location: 'Chicago',
        genre: 'jazz',
        max_price: 60,
      }),
      all(
        'Locate rock concerts in Denver and classical concerts in Vienna.',
        ['concert.find_nearby', { location: 'Denver', genre: 'rock' }],
        ['concert.find_nearby', { location: 'Vienna', genre: 'classical' }],
      ),
      ...none('Who composed the Moonlight Sonata?'),
    ],
  },
  {
    tools: [card, dice],
    cases: [
      one('Draw 5 cards from a deck with replacement.', 'card_game.draw', {
        count: 5,
        with_replacement: true,
      }),
      one('What is the probability of rolling a sum of 9 with 3 dice?', 'probability.dice_roll', {
        desired_sum: 9,
        dice: 3,
      }),
      one(
        'What is the probability of getting a sum of 14 when rolling two dice with 8 sides?',
        'probability.dice_roll',
        { desired_sum: 14, dice: 2, sides: 8 },
      ),
      ...none('What are the rules of poker?'),
    ],
  },
  {
    tools: [bmi, emissions],
    cases: [
      one('Calculate my BMI, I weigh 80 kilograms and I am 178 centimeters tall.', 'health.calculate_bmi', {
        weight: 80,
        height: 178,
      }),
      one(
        'How much CO2 does a gasoline car emit on a distance of 140 miles with a fuel efficiency of 28 miles per gallon?',
        'environment.car_emissions',
        { distance: 140, fuel: 'gasoline', efficiency: 28 },
      ),
      all(
        'What is the BMI of a person with weight 60 kg and height 165 cm, and of one with weight 95 kg and height 190 cm?',
        ['health.calculate_bmi', { weight: 60, height: 165 }],
        ['health.calculate_bmi', { weight: 95, height: 190 }],
      ),
      ...none('How many calories are there in an apple?', 'Calculate my BMI.'),
    ],
  },
  {
    tools: [quadratic],
    cases: [
      one(
        'Find the roots of the quadratic equation with coefficients a = 2, b = -7 and c = 3.',
        'math.quadratic_roots',
        { a: 2, b: -7, c: 3 },
      ),
      one('Solve a quadratic equation where a=1, b=5, and c=6', 'math.quadratic_roots', { a: 1, b: 5, c: 6 }),
      either('Solve 3x^2 - 11x - 4 = 0', [['math.quadratic_roots', { a: 3, b: -11, c: -4 }]], []),
      ...none('Find the derivative of x^2 + 3x.'),
    ],
  },
  {
    tools: [gcd, lcm, statistics],
    cases: [
      one('What is the greatest common divisor of 84 and 36?', 'math.gcd', { num1: 84, num2: 36 }),
      one('Calculate the least common multiple of 12 and 18', 'math.lcm', { num1: 12, num2: 18 }),
      all(
        'Compute the gcd of 48 and 60 and the lcm of 9 and 15.',
        ['math.gcd', { num1: 48, num2: 60 }],
        ['math.lcm', { num1: 9, num2: 15 }],
      ),
      one('What is the mean of 4, 8.5, 15 and 16, rounded to 2 decimal places?', 'statistics.mean', {
        numbers: [4, 8.5, 15, 16],
        round_to: 2,
      }),
      ...none('What is the median of 4, 8, 15 and 16?'),
    ],
  },
  {
    tools: [paint],
    cases: [
      one(
        'How much paint do I need for a wall with a width of 20 feet and a height of 10 feet, with a coverage of 400 square feet per gallon?',
        'home.paint_needed',
        { wall: { width: 20, height: 10 }, coverage: 400 },
      ),
      one(
        'Calculate the paint needed for a wall that is 14 feet in width and 9 feet in height if a gallon covers 350 square feet and I want 2 coats.',
        'home.paint_needed',
        { wall: { width: 14, height: 9 }, coverage: 350, coats: 2 },
      ),
      ...none('Which color should I paint my bedroom?'),
    ],
  },
  {
    tools: [weather, hotel],
    cases: [
      one('What will the weather be like in Seattle for the next 3 days?', 'weather.forecast', {
        location: 'Seattle',
        days: 3,
      }),
      one('Get the 5 day forecast for Miami without humidity.', 'weather.forecast', {
        location: 'Miami',
        days: 5,
        include_humidity: false,
      }),
      one('Find hotels in Barcelona with at least 4 stars that have a pool and a gym.', 'hotel.search', {
        city: 'Barcelona',
        stars: 4,
        amenities: ['pool', 'gym'],
      }),
      all(
        'Get the weather in Rome for 4 days and find hotels in Rome with parking under $200 per night.',
        ['weather.forecast', { location: 'Rome', days: 4 }],
        ['hotel.search', { city: 'Rome', amenities: ['parking'], max_price: 200 }],
      ),
      ...none('What is the capital of Spain?'),
    ],
  },
  {
    tools: [ride],
    cases: [
      one("Call me an Uber ride type 'plus' in Berkeley, I can wait 10 minutes.", 'uber.ride', {
        loc: 'Berkeley',
        type: 'plus',
        time: 10,
      }),
      one('Find a comfort ride from 2150 Shattuck Avenue, I am willing to wait 15 minutes', 'uber.ride', {
        loc: '2150 Shattuck Avenue',
        type: 'comfort',
        time: 15,
      }),
      ...none('How much does a bus ticket cost in Berkeley?'),
    ],
  },
  {
    tools: [user],
    cases: [
      one(
        "Update the user with ID 4521: set the email to 'kim@mail.example' and the age to 31.",
        'database.update_user',
        { user_id: 4521, fields: { email: 'kim@mail.example', age: 31 } },
      ),
      one("Change the name of user 88 to 'Lena Fox'", 'database.update_user', {
        user_id: 88,
        fields: { name: 'Lena Fox' },
      }),
      ...none('Delete the user with ID 4521.'),
    ],
  },
  {
    tools: [translate, restaurant],
    cases: [
      one("Translate the sentence 'Good evening, friends' from English to Spanish.", 'language.translate', {
        sentence: 'Good evening, friends',
        source_language: 'English',
        target_language: 'Spanish',
      }),
      one('Find Thai restaurants near Brooklyn that are halal.', 'restaurant.find_nearby', {
        location: 'Brooklyn',
        cuisine: 'Thai',
        dietary: ['halal'],
      }),
      all(
        'Find Mexican restaurants in Houston and Korean restaurants in Dallas.',
        ['restaurant.find_nearby', { location: 'Houston', cuisine: 'Mexican' }],
        ['restaurant.find_nearby', { location: 'Dallas', cuisine: 'Korean' }],
      ),
      ...none('How is paella cooked?'),
    ],
  },
  {
    tools: [exchange, sort],
    cases: [
      one('How many euros are 150 US dollars?', 'currency.convert', {
        amount: 150,
        from_currency: 'USD',
        to_currency: 'EUR',
      }),
      one('Sort the numbers 34, 2, 56, 7, 9, 12 in descending order.', 'algorithms.sort', {
        numbers: [34, 2, 56, 7, 9, 12],
        order: 'descending',
      }),
      all(
        'Convert 500 Japanese yen to US dollars and 20 British pounds to euros.',
        ['currency.convert', { amount: 500, from_currency: 'JPY', to_currency: 'USD' }],
        ['currency.convert', { amount: 20, from_currency: 'GBP', to_currency: 'EUR' }],
      ),
      ...none('Sort the words pear, apple and fig alphabetically.'),
    ],
  },
  {
    tools: [house, crime],
    cases: [
      one(
        'Find a house in San Diego, CA with 3 bedrooms and a budget between $300,000 and $400,000.',
        'real_estate.find_properties',
        {
          location: 'San Diego, CA',
          property_type: 'house',
          bedrooms: 3,
          budget: { min: 300000, max: 400000 },
        },
      ),
      one('What were the theft statistics of Chicago in 2019?', 'crime.statistics', {
        city: 'Chicago',
        year: 2019,
        crime_type: 'theft',
      }),
      all(
        'Get the crime statistics of Boston and Detroit for 2020.',
        ['crime.statistics', { city: 'Boston', year: 2020 }],
        ['crime.statistics', { city: 'Detroit', year: 2020 }],
      ),
      ...none('Is Boston a nice city to live in?', 'Rent out my condo in San Diego'),
    ],
  },
  {
    tools: [magnetic, freeFall],
    cases: [
      one(
        'Calculate the magnetic field at a distance of 0.5 meters from a wire that carries a current of 12 Amperes.',
        'physics.magnetic_field',
        { current: 12, distance: 0.5 },
      ),
      one(
        'What is the final velocity of an object that falls from a height of 80 meters with an initial velocity of 5 m/s?',
        'physics.final_velocity',
        { height: 80, initial_velocity: 5 },
      ),
      ...none('How long does an object take to fall from 80 meters?'),
    ],
  },
  {
    tools: [book],
    cases: [
      one('Find mystery books by Agatha Christie.', 'library.search_books', {
        author: 'Agatha Christie',
        genre: 'mystery',
      }),
      one('Search for science fiction books published after 2010.', 'library.search_books', {
        genre: 'science fiction',
        published_after: 2010,
      }),
      ...none('Write a short mystery story.'),
    ],
  },
]
