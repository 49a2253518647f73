import { type Entry, integers, OUT, possible } from './leaderboard-case.js'
import { integer, text, wireTool } from './planner-case.js'

// Questions in the form of a public leaderboard. See `seventh-unseen-corpus.ts`.

export const simpleFurther: readonly Entry[] = [
  {
    tools: [
      wireTool('number_theory.primes_in_range', 'List all prime numbers within a given range.', {
        start: integer('The start of the range.'),
        end: integer('The end of the range.'),
      }),
    ],
    cases: [
      possible('List all the prime numbers between 50 and 150.', [
        'number_theory.primes_in_range',
        { start: [50], end: [150] },
      ]),
    ],
  },
  {
    tools: [
      wireTool(
        'environmental.calculate_carbon_footprint',
        'Estimate the annual carbon footprint of a person based on their habits.',
        {
          daily_miles: integer('The number of miles driven per day.'),
          weekly_meat_meals: integer('The number of meals with meat per week.'),
          annual_trash_kg: integer('The amount of trash produced per year, in kilograms.'),
          'annual_flights?': integer('The number of flights taken per year. Default is 0.'),
        },
      ),
    ],
    cases: [
      possible(
        'What is my yearly carbon footprint if I drive 40 miles a day, eat 5 meals with meat a week and produce 300 kg of trash a year?',
        [
          'environmental.calculate_carbon_footprint',
          { daily_miles: [40], weekly_meat_meals: [5], annual_trash_kg: [300], annual_flights: [OUT, 0] },
        ],
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'lottery.check_numbers',
        'Check whether the numbers of a lottery ticket won in a given draw.',
        {
          ticket_numbers: integers('The numbers on the ticket.'),
          draw_date: text('The date of the draw in the format YYYY-MM-DD.'),
          'game?': text("The name of the lottery. Default is 'Powerball'."),
        },
      ),
    ],
    cases: [
      possible('Check if the ticket numbers 4, 11, 23, 38, 40 and 45 won in the draw of March 9, 2024.', [
        'lottery.check_numbers',
        { ticket_numbers: [[4, 11, 23, 38, 40, 45]], draw_date: ['2024-03-09'], game: [OUT, 'Powerball'] },
      ]),
    ],
  },
]
