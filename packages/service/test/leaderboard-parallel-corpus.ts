import { choice, type Entry, OUT, possible } from './leaderboard-case.js'
import { flag, integer, number, text, wireTool } from './planner-case.js'

// Questions in the form of a public leaderboard. See `seventh-unseen-corpus.ts`.

export const parallel: readonly Entry[] = [
  {
    tools: [
      wireTool('geometry.circumference', 'Calculate the circumference of a circle given its radius.', {
        radius: number('The radius of the circle.'),
        'unit?': text("The unit of the radius. Default is 'meters'."),
      }),
    ],
    cases: [
      possible(
        'Calculate the circumference of circles with radii of 4 feet, 6.5 feet and 11 feet.',
        ['geometry.circumference', { radius: [4], unit: ['feet', 'ft', 'foot'] }],
        ['geometry.circumference', { radius: [6.5], unit: ['feet', 'ft', 'foot'] }],
        ['geometry.circumference', { radius: [11], unit: ['feet', 'ft', 'foot'] }],
      ),
    ],
  },
  {
    tools: [
      wireTool('tv.record_program', 'Record a program on a TV channel for a given time.', {
        program: text('The name of the program.'),
        channel: text('The channel to record from.'),
        duration: integer('The duration of the recording in minutes.'),
      }),
    ],
    cases: [
      possible(
        "Record 'Newsnight' on BBC Two for 45 minutes and 'Coronation Street' on ITV for 30 minutes.",
        ['tv.record_program', { program: ['Newsnight'], channel: ['BBC Two'], duration: [45] }],
        ['tv.record_program', { program: ['Coronation Street'], channel: ['ITV'], duration: [30] }],
      ),
    ],
  },
  {
    tools: [
      wireTool('ohms_law.calculate_current', 'Calculate the electric current through a resistor.', {
        voltage: number('The voltage across the resistor in volts.'),
        resistance: number('The resistance in ohms.'),
      }),
    ],
    cases: [
      possible(
        'What is the current through a resistor of 220 ohms at a voltage of 12 volts, and through a resistor of 470 ohms at the same voltage?',
        ['ohms_law.calculate_current', { voltage: [12], resistance: [220] }],
        ['ohms_law.calculate_current', { voltage: [12], resistance: [470] }],
      ),
    ],
  },
  {
    tools: [
      wireTool('get_stock_price', 'Retrieve the current stock price of a company.', {
        company: text('The name of the company.'),
        'currency?': text("The currency of the price. Default is 'USD'."),
      }),
    ],
    cases: [
      possible(
        'What are the current stock prices of Toyota, Honda and Nissan?',
        ['get_stock_price', { company: ['Toyota'], currency: [OUT, 'USD'] }],
        ['get_stock_price', { company: ['Honda'], currency: [OUT, 'USD'] }],
        ['get_stock_price', { company: ['Nissan'], currency: [OUT, 'USD'] }],
      ),
    ],
  },
  {
    tools: [
      wireTool('air_quality.get', 'Get the air quality index for a city on a specific date.', {
        city: text('The name of the city.'),
        date: text('The date in the format YYYY-MM-DD.'),
      }),
    ],
    cases: [
      possible(
        'What was the air quality in Warsaw, Kraków and Gdańsk on 2024-03-15?',
        ['air_quality.get', { city: ['Warsaw'], date: ['2024-03-15'] }],
        ['air_quality.get', { city: ['Kraków', 'Krakow'], date: ['2024-03-15'] }],
        ['air_quality.get', { city: ['Gdańsk', 'Gdansk'], date: ['2024-03-15'] }],
      ),
    ],
  },
  {
    tools: [
      wireTool('currency_exchange.convert', 'Convert a value from one currency to another.', {
        amount: number('The amount to be converted.'),
        from_currency: text('The currency to convert from, e.g. US Dollars.'),
        to_currency: text('The currency to convert to, e.g. US Dollars.'),
      }),
    ],
    cases: [
      possible(
        'Convert 200 US dollars to euros and 150 British pounds to Canadian dollars.',
        [
          'currency_exchange.convert',
          {
            amount: [200],
            from_currency: ['US Dollars', 'US dollars', 'USD', 'US Dollar'],
            to_currency: ['Euros', 'euros', 'EUR', 'Euro', 'euro'],
          },
        ],
        [
          'currency_exchange.convert',
          {
            amount: [150],
            from_currency: ['British Pounds', 'British pounds', 'GBP', 'British Pound'],
            to_currency: ['Canadian Dollars', 'Canadian dollars', 'CAD', 'Canadian Dollar'],
          },
        ],
      ),
    ],
  },
  {
    tools: [
      wireTool('calculate_bmr', 'Calculate the basal metabolic rate of a person.', {
        weight: integer('The weight of the person in kilograms.'),
        height: integer('The height of the person in centimeters.'),
        age: integer('The age of the person in years.'),
        gender: choice('The gender of the person.', 'male', 'female'),
      }),
    ],
    cases: [
      possible(
        'Calculate the basal metabolic rate of a 35 year old male who weighs 85 kg and is 180 cm tall, and of a 28 year old female who weighs 60 kg and is 165 cm tall.',
        ['calculate_bmr', { weight: [85], height: [180], age: [35], gender: ['male'] }],
        ['calculate_bmr', { weight: [60], height: [165], age: [28], gender: ['female'] }],
      ),
    ],
  },
  {
    tools: [
      wireTool('pharmacy.locate', 'Locate the pharmacies within a given radius of a location.', {
        location: text('The city and state, e.g. Denver, Colorado.'),
        radius: integer('The radius in kilometers.'),
        'open_24_hours?': flag(
          'Whether only pharmacies that are open 24 hours are returned. Default is false.',
        ),
      }),
    ],
    cases: [
      possible(
        'Find the pharmacies within a radius of 5 km of Denver, Colorado and within a radius of 10 km of Boulder, Colorado.',
        [
          'pharmacy.locate',
          { location: ['Denver, Colorado', 'Denver, CO'], radius: [5], open_24_hours: [OUT, false] },
        ],
        [
          'pharmacy.locate',
          { location: ['Boulder, Colorado', 'Boulder, CO'], radius: [10], open_24_hours: [OUT, false] },
        ],
      ),
    ],
  },
  {
    tools: [
      wireTool('math.factorial', 'Calculate the factorial of a given number.', {
        number: integer('The number to compute the factorial of.'),
      }),
    ],
    cases: [
      possible(
        'Compute the factorial of 6, 9 and 12.',
        ['math.factorial', { number: [6] }],
        ['math.factorial', { number: [9] }],
        ['math.factorial', { number: [12] }],
      ),
    ],
  },
  {
    tools: [
      wireTool('demographics.get_population', 'Retrieve the population of a country in a given year.', {
        country: text('The name of the country.'),
        year: integer('The year of the population count.'),
      }),
    ],
    cases: [
      possible(
        'What was the population of Kenya and Ghana in 1990 and 2010?',
        ['demographics.get_population', { country: ['Kenya'], year: [1990] }],
        ['demographics.get_population', { country: ['Kenya'], year: [2010] }],
        ['demographics.get_population', { country: ['Ghana'], year: [1990] }],
        ['demographics.get_population', { country: ['Ghana'], year: [2010] }],
      ),
    ],
  },
  {
    tools: [
      wireTool('calendar.add_event', 'Add an event to the calendar.', {
        title: text('The title of the event.'),
        date: text('The date of the event in the format YYYY-MM-DD.'),
        time: text('The time of the event in the format HH:MM (24-hour clock).'),
        'reminder_minutes?': integer(
          'The number of minutes before the event at which a reminder is sent. Default is 15.',
        ),
      }),
    ],
    cases: [
      possible(
        "Add 'Dentist appointment' to my calendar on 2024-04-03 at 09:30 and 'Team lunch' on 2024-04-05 at 12:00.",
        [
          'calendar.add_event',
          {
            title: ['Dentist appointment'],
            date: ['2024-04-03'],
            time: ['09:30'],
            reminder_minutes: [OUT, 15],
          },
        ],
        [
          'calendar.add_event',
          { title: ['Team lunch'], date: ['2024-04-05'], time: ['12:00'], reminder_minutes: [OUT, 15] },
        ],
      ),
    ],
  },
  {
    tools: [
      wireTool('chord.get_notes', 'Get the notes of a chord.', {
        root: text('The root note of the chord.'),
        quality: choice('The quality of the chord.', 'major', 'minor', 'diminished', 'augmented'),
      }),
    ],
    cases: [
      possible(
        'Which notes are in a D minor chord and in an F# major chord?',
        ['chord.get_notes', { root: ['D'], quality: ['minor'] }],
        ['chord.get_notes', { root: ['F#', 'F sharp'], quality: ['major'] }],
      ),
    ],
  },
  {
    tools: [
      wireTool('history.get_battle_details', 'Retrieve detailed information about a historical battle.', {
        battle_name: text('The name of the battle.'),
        'include_casualties?': flag('Whether the casualties are included. Default is false.'),
      }),
    ],
    cases: [
      possible(
        'Give me the details of the Battle of Hastings, the Battle of Agincourt and the Battle of Bosworth Field, including the casualties.',
        [
          'history.get_battle_details',
          {
            battle_name: [
              'Battle of Hastings',
              'the Battle of Hastings',
              'The Battle of Hastings',
              'Hastings',
            ],
            include_casualties: [true],
          },
        ],
        [
          'history.get_battle_details',
          {
            battle_name: [
              'Battle of Agincourt',
              'the Battle of Agincourt',
              'The Battle of Agincourt',
              'Agincourt',
            ],
            include_casualties: [true],
          },
        ],
        [
          'history.get_battle_details',
          {
            battle_name: [
              'Battle of Bosworth Field',
              'the Battle of Bosworth Field',
              'The Battle of Bosworth Field',
              'Bosworth Field',
            ],
            include_casualties: [true],
          },
        ],
      ),
    ],
  },
  {
    tools: [
      wireTool('calculate_simple_interest', 'Calculate the simple interest on a principal.', {
        principal: integer('The principal amount in dollars.'),
        rate: number('The annual interest rate in decimal form, e.g. 0.02 for 2%.'),
        years: integer('The number of years.'),
      }),
    ],
    cases: [
      possible(
        'What is the simple interest on $5,000 at an annual rate of 3% for 10 years, and on $8,000 at an annual rate of 5.5% for 7 years?',
        ['calculate_simple_interest', { principal: [5000], rate: [0.03], years: [10] }],
        ['calculate_simple_interest', { principal: [8000], rate: [0.055], years: [7] }],
      ),
    ],
  },
  {
    tools: [
      wireTool('restaurant.reserve_table', 'Reserve a table at a restaurant.', {
        restaurant: text('The name of the restaurant.'),
        party_size: integer('The number of people.'),
        date: text('The date of the reservation in the format YYYY-MM-DD.'),
        time: text('The time of the reservation in the format HH:MM (24-hour clock).'),
      }),
    ],
    cases: [
      possible(
        "Reserve a table for 4 people at Luigi's Trattoria on June 14, 2024 at 7:00 PM and a table for 2 people at Sakura House on June 15, 2024 at 8:30 PM.",
        [
          'restaurant.reserve_table',
          { restaurant: ["Luigi's Trattoria"], party_size: [4], date: ['2024-06-14'], time: ['19:00'] },
        ],
        [
          'restaurant.reserve_table',
          { restaurant: ['Sakura House'], party_size: [2], date: ['2024-06-15'], time: ['20:30'] },
        ],
      ),
    ],
  },
]
