import type { Field } from './fields-corpus.js'
import { flag, integer, listOf, number, oneOf, text, wireTool } from './planner-case.js'

// Written before the planner was asked any of them: 30 of 43 right then, 1 wrong. Each question has few functions.

const rectangle = wireTool(
  'calculate_rectangle_perimeter',
  'Calculate the perimeter of a rectangle given its length and width.',
  {
    length: integer('The length of the rectangle.'),
    width: integer('The width of the rectangle.'),
    'unit?': text("The unit of the result. Default is 'cm'."),
  },
)
const bmi = wireTool('bmi_calculator.compute', 'Compute the Body Mass Index from weight and height.', {
  weight: number('Weight in kilograms.'),
  height: number('Height in meters.'),
})
const interest = wireTool(
  'finance.compound_interest',
  'Calculates the final amount of an investment with compound interest.',
  {
    principal: number('The initial amount invested.'),
    annual_rate: number('The annual interest rate in percent.'),
    years: integer('The number of years.'),
    'compounding?': oneOf('yearly', 'monthly', 'daily'),
  },
)
const museum = wireTool('museum.opening_hours', 'Get the opening hours of a museum on a certain day.', {
  museum_name: text('The name of the museum.'),
  day: oneOf('Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'),
})
const restaurant = wireTool('restaurant_finder', 'Find restaurants in a city by cuisine.', {
  city: text('The city, e.g. Boston, MA.'),
  cuisine: text('The type of cuisine, e.g. Italian.'),
  'vegan_options?': flag('Whether the restaurant must offer vegan options. Default is false.'),
})
const history = wireTool('history.get_battle', 'Retrieve details about a historical battle.', {
  battle_name: text('The name of the battle.'),
  'year?': integer('The year of the battle.'),
})
const force = wireTool(
  'physics.newton_force',
  'Calculate the force on an object from its mass and acceleration.',
  {
    mass: number('Mass in kg.'),
    acceleration: number('Acceleration in m/s^2.'),
  },
)
const projectile = wireTool('projectile_range', 'Calculate the range of a projectile.', {
  initial_velocity: number('Initial velocity in m/s.'),
  launch_angle: number('Launch angle in degrees.'),
  'gravity?': number('Acceleration by gravity in m/s^2. Default is 9.81.'),
})
const stock = wireTool('stock.get_price', 'Get the current price of a stock.', {
  symbol: text('Ticker symbol of the stock, e.g. AAPL.'),
  'exchange?': text('The exchange. Default is NASDAQ.'),
})
const gcd = wireTool('math.gcd', 'Compute the greatest common divisor of two integers.', {
  a: integer('The first number.'),
  b: integer('The second number.'),
})
const factorial = wireTool('math.factorial', 'Calculate the factorial of a number.', {
  number: integer('The number.'),
})
const capital = wireTool('country_info.capital', 'Fetch the capital city of a country.', {
  country: text('Name of the country.'),
})
const population = wireTool('country_info.population', 'Fetch the population of a country.', {
  country: text('Name of the country.'),
  'year?': integer('The year. Default is the current year.'),
})
const spotify = wireTool('music.play', 'Play songs of an artist on a streaming service.', {
  artist: text('The artist.'),
  duration: integer('Length of play in minutes.'),
})
const gene = wireTool('genetics.mutation_impact', 'Predict the impact of a genetic mutation.', {
  gene: text('Gene symbol.'),
  mutation: text('The mutation, e.g. R175H.'),
})
const paint = wireTool('estimate_paint', 'Estimate the amount of paint needed for a wall.', {
  wall_height: number('Height of the wall in feet.'),
  wall_width: number('Width of the wall in feet.'),
  coverage: number('Square feet that one gallon covers.'),
})
const mean = wireTool('statistics.mean', 'Calculate the mean of a list of numbers.', {
  numbers: listOf({ type: 'number' }, 'The numbers.'),
})
const court = wireTool('law.find_case', 'Find a court case by its docket number.', {
  docket_number: text('The docket number.'),
  court: text('The name of the court, e.g. New York.'),
  'full_text?': flag('Whether to return the full text.'),
})
const density = wireTool('population_density', 'Calculate the population density of a country.', {
  country: text('The country.'),
  year: integer('The year.'),
  population: number('The population.'),
  land_area: number('The land area in square kilometers.'),
})
const hotel = wireTool('hotel.book', 'Book a hotel room.', {
  location: text('The city.'),
  room_type: oneOf('single', 'double', 'suite'),
  nights: integer('Number of nights.'),
  'breakfast?': flag('Whether breakfast is included.'),
})
const distance = wireTool('geo.distance', 'Calculate the distance between two cities.', {
  start_city: text('The city to start from.'),
  end_city: text('The city of destination.'),
  'unit?': oneOf('km', 'miles'),
})
const plant = wireTool('garden.planting_time', 'Find the best month to plant a vegetable in a region.', {
  vegetable: text('The vegetable.'),
  region: text('The region or state.'),
})
const team = wireTool('sports.team_ranking', 'Get the ranking of a team in a league.', {
  team: text('Name of the team.'),
  league: text('Name of the league.'),
  'season?': text("The season, e.g. '2022-2023'."),
})
const game = wireTool('game.score_board', 'Get the high scores of a video game.', {
  game: text('Name of the game.'),
  'platform?': oneOf('PC', 'Xbox', 'Playstation'),
  'top?': integer('How many scores.'),
})

const field = (
  tools: readonly object[],
  ask: string,
  ...calls: readonly (readonly [string, Record<string, unknown>])[]
): Field => ({ tools, cases: [{ ask, calls }] })

export const questions: readonly Field[] = [
  field(
    [rectangle],
    'Calculate the perimeter of a rectangle with a length of 12 units and a width of 7 units.',
    ['calculate_rectangle_perimeter', { length: 12, width: 7 }],
  ),
  field([rectangle, bmi], 'What is the perimeter of a rectangle that is 9 cm long and 4 cm wide?', [
    'calculate_rectangle_perimeter',
    { length: 9, width: 4, unit: 'cm' },
  ]),
  field([bmi], 'Compute the body mass index of a person who weighs 82 kg and is 1.79 m tall.', [
    'bmi_calculator.compute',
    { weight: 82, height: 1.79 },
  ]),
  field(
    [interest],
    'What will an investment of $8000 be worth after 6 years at an annual interest rate of 4%, compounded monthly?',
    ['finance.compound_interest', { principal: 8000, annual_rate: 4, years: 6, compounding: 'monthly' }],
  ),
  field(
    [interest, stock],
    'Calculate the final amount of an investment of 2500 dollars at 3.5 percent annual interest for 10 years.',
    ['finance.compound_interest', { principal: 2500, annual_rate: 3.5, years: 10 }],
  ),
  field([museum], 'When does the Prado open on Sunday?', [
    'museum.opening_hours',
    { museum_name: 'Prado', day: 'Sunday' },
  ]),
  field([museum, history], 'What are the opening hours of the Rijksmuseum on Thursday?', [
    'museum.opening_hours',
    { museum_name: 'Rijksmuseum', day: 'Thursday' },
  ]),
  field([restaurant], 'Find Thai restaurants in Seattle with vegan options.', [
    'restaurant_finder',
    { city: 'Seattle', cuisine: 'Thai', vegan_options: true },
  ]),
  field([restaurant], 'I am looking for a Mexican restaurant in Austin, TX.', [
    'restaurant_finder',
    { city: 'Austin, TX', cuisine: 'Mexican' },
  ]),
  field([history], 'Tell me about the Battle of Hastings in 1066.', [
    'history.get_battle',
    { battle_name: 'Battle of Hastings', year: 1066 },
  ]),
  field([history, capital], 'Get me details about the Battle of Agincourt.', [
    'history.get_battle',
    { battle_name: 'Battle of Agincourt' },
  ]),
  field([force], 'What force acts on an object with a mass of 15 kg and an acceleration of 3 m/s^2?', [
    'physics.newton_force',
    { mass: 15, acceleration: 3 },
  ]),
  field(
    [projectile, force],
    'Calculate the range of a projectile launched with an initial velocity of 25 m/s at an angle of 40 degrees.',
    ['projectile_range', { initial_velocity: 25, launch_angle: 40 }],
  ),
  field([stock], 'What is the current stock price of MSFT?', ['stock.get_price', { symbol: 'MSFT' }]),
  field(
    [stock],
    'Get the price of the stocks GOOG and TSLA.',
    ['stock.get_price', { symbol: 'GOOG' }],
    ['stock.get_price', { symbol: 'TSLA' }],
  ),
  field([gcd], 'Find the greatest common divisor of 84 and 126.', ['math.gcd', { a: 84, b: 126 }]),
  field([gcd, factorial], 'What is the factorial of 9?', ['math.factorial', { number: 9 }]),
  field(
    [factorial],
    'Calculate the factorial of 5, 7 and 12.',
    ['math.factorial', { number: 5 }],
    ['math.factorial', { number: 7 }],
    ['math.factorial', { number: 12 }],
  ),
  field(
    [capital, population],
    'What is the capital of Mongolia and what is the population of Chile?',
    ['country_info.capital', { country: 'Mongolia' }],
    ['country_info.population', { country: 'Chile' }],
  ),
  field([population], 'What was the population of Kenya in 2015?', [
    'country_info.population',
    { country: 'Kenya', year: 2015 },
  ]),
  field(
    [spotify],
    'Play songs of Adele and Coldplay for 20 minutes and 35 minutes respectively.',
    ['music.play', { artist: 'Adele', duration: 20 }],
    ['music.play', { artist: 'Coldplay', duration: 35 }],
  ),
  field([spotify], 'Play songs by Stromae for 45 minutes.', [
    'music.play',
    { artist: 'Stromae', duration: 45 },
  ]),
  field([gene], 'Predict the impact of the mutation R175H in the gene TP53.', [
    'genetics.mutation_impact',
    { gene: 'TP53', mutation: 'R175H' },
  ]),
  field(
    [paint],
    'How much paint do I need for a wall that is 10 feet high and 24 feet wide if one gallon covers 350 square feet?',
    ['estimate_paint', { wall_height: 10, wall_width: 24, coverage: 350 }],
  ),
  field([mean], 'What is the mean of 4, 8, 15, 16, 23 and 42?', [
    'statistics.mean',
    { numbers: [4, 8, 15, 16, 23, 42] },
  ]),
  field(
    [court],
    'Find the case with the docket number 22-5731 of the Texas court and return the full text.',
    ['law.find_case', { docket_number: '22-5731', court: 'Texas', full_text: true }],
  ),
  field(
    [density],
    'Calculate the population density of Portugal in 2021 with a population of 10.3 million and a land area of 92090 square kilometers.',
    ['population_density', { country: 'Portugal', year: 2021, population: 10300000, land_area: 92090 }],
  ),
  field([hotel], 'Book a double room in Dublin for 4 nights with breakfast.', [
    'hotel.book',
    { location: 'Dublin', room_type: 'double', nights: 4, breakfast: true },
  ]),
  field(
    [hotel],
    'Book a single room in Ghent for 2 nights and a suite in Bruges for 3 nights.',
    ['hotel.book', { location: 'Ghent', room_type: 'single', nights: 2 }],
    ['hotel.book', { location: 'Bruges', room_type: 'suite', nights: 3 }],
  ),
  field([distance], 'How far is it from Madrid to Seville in miles?', [
    'geo.distance',
    { start_city: 'Madrid', end_city: 'Seville', unit: 'miles' },
  ]),
  field([distance, plant], 'When should I plant carrots in Oregon?', [
    'garden.planting_time',
    { vegetable: 'carrots', region: 'Oregon' },
  ]),
  field([team], 'What is the ranking of Benfica in the Primeira Liga?', [
    'sports.team_ranking',
    { team: 'Benfica', league: 'Primeira Liga' },
  ]),
  field([game], 'Show the top 10 high scores of Tetris on PC.', [
    'game.score_board',
    { game: 'Tetris', platform: 'PC', top: 10 },
  ]),
  // None of the functions fits.
  field([bmi], 'What is the area of a circle with a radius of 5 meters?'),
  field([interest], 'What is the closest integer to 30?'),
  field([restaurant], 'Who won the world cup in 2010?'),
  field([gcd], 'Convert 45 degrees to radians.'),
  field([hotel], 'Find me the cheapest flight from Dublin to Rome.'),
  field([stock], 'What is the boiling point of water at 2 atmospheres?'),
  field([museum], 'How many paintings did Rembrandt create?'),
  field([population], 'How long does it take to drive from Nairobi to Mombasa?'),
  field([court], 'Can you recommend a good lawyer in Texas?'),
  field([force], 'Solve the quadratic equation with a = 2, b = 5 and c = 3.'),
]
