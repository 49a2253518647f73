import { cased, choice, dict, type Entry, integers, numbers, OUT, possible } from './leaderboard-case.js'
import { flag, integer, listOf, number, oneOf, text, wireTool } from './planner-case.js'

// Questions in the form of a public leaderboard. See `seventh-unseen-corpus.ts`.

export const simpleMore: readonly Entry[] = [
  {
    tools: [
      wireTool('musical_scale.get_notes', 'Get the notes of a musical scale.', {
        root: text('The root note of the scale.'),
        'scale_type?': choice(
          "The type of the scale. Default is 'major'.",
          'major',
          'natural_minor',
          'harmonic_minor',
          'melodic_minor',
        ),
      }),
    ],
    cases: [
      possible('What are the notes of the harmonic minor scale with G as the root?', [
        'musical_scale.get_notes',
        { root: ['G'], scale_type: ['harmonic_minor'] },
      ]),
    ],
  },
  {
    tools: [
      wireTool('calculate_capacitor_energy', 'Calculate the energy that is stored in a capacitor.', {
        capacitance: number('The capacitance in farads.'),
        voltage: number('The voltage across the capacitor in volts.'),
      }),
    ],
    cases: [
      possible(
        'Calculate the energy stored in a capacitor with a capacitance of 0.002 farads and a voltage of 24 volts.',
        ['calculate_capacitor_energy', { capacitance: [0.002], voltage: [24] }],
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'get_stock_history',
        'Retrieve the closing prices of a company over a specific number of past trading days.',
        {
          company: text('Name of the company.'),
          days: integer('Number of past trading days to retrieve.'),
          'exchange?': text("The stock exchange to look at. Default is 'NASDAQ'."),
        },
      ),
    ],
    cases: [
      possible(
        'What were the closing prices of Siemens over the past 10 trading days on the XETRA exchange?',
        ['get_stock_history', { company: ['Siemens'], days: [10], exchange: ['XETRA'] }],
      ),
    ],
  },
  {
    tools: [
      wireTool('mortgage.monthly_payment', 'Calculate the monthly payment of a mortgage.', {
        loan_amount: integer('The amount of the loan in dollars.'),
        annual_rate: number('The annual interest rate in percent, e.g. 3.5 for 3.5%.'),
        term_years: integer('The term of the loan in years.'),
        'extra_payment?': number('An extra amount paid every month. Default is 0.'),
      }),
    ],
    cases: [
      possible(
        'What will my monthly payment be on a mortgage of $320,000 at an annual interest rate of 6.25% over 30 years?',
        [
          'mortgage.monthly_payment',
          { loan_amount: [320000], annual_rate: [6.25], term_years: [30], extra_payment: [OUT, 0] },
        ],
      ),
    ],
  },
  {
    tools: [
      wireTool('crm.update_contact', 'Update the details of a contact in the customer database.', {
        contact_id: integer('The ID of the contact that needs to be updated.'),
        update_info: dict('The new information of the contact.', {
          'email?': text('The new email address of the contact.'),
          'phone?': text('The new phone number of the contact.'),
          'city?': text('The new city of the contact.'),
        }),
        'database?': text("The database where the contact is stored. Default is 'CustomerInfo'."),
      }),
    ],
    cases: [
      possible(
        'Update the information of the contact with the ID 48213: the new email is lena.fischer@example.org and the new city is Bremen.',
        [
          'crm.update_contact',
          {
            contact_id: [48213],
            update_info: [{ email: 'lena.fischer@example.org', city: 'Bremen' }],
            database: [OUT, 'CustomerInfo'],
          },
        ],
      ),
    ],
  },
  {
    tools: [
      wireTool('sort_numbers', 'Sort a list of numbers.', {
        values: integers('The list of numbers to be sorted.'),
        'order?': choice(
          "Whether to sort in ascending or descending order. Default is 'ascending'.",
          'ascending',
          'descending',
        ),
      }),
    ],
    cases: [
      possible('Sort the numbers 34, 7, 23, 32, 5 and 62 in descending order.', [
        'sort_numbers',
        { values: [[34, 7, 23, 32, 5, 62]], order: ['descending'] },
      ]),
    ],
  },
  {
    tools: [
      wireTool('statistics.median', 'Calculate the median of a list of numbers.', {
        data: numbers('The list of numbers.'),
      }),
    ],
    cases: [
      possible('Find the median of 12.5, 18.3, 9.7, 14.1 and 22.', [
        'statistics.median',
        { data: [[12.5, 18.3, 9.7, 14.1, 22]] },
      ]),
    ],
  },
  {
    tools: [
      wireTool('linear_algebra.determinant', 'Calculate the determinant of a square matrix.', {
        matrix: listOf(listOf({ type: 'integer' }), 'The matrix as a list of its rows.'),
      }),
    ],
    cases: [
      possible('What is the determinant of the matrix [[2, 5, 1], [0, 7, 3], [4, 6, 8]]?', [
        'linear_algebra.determinant',
        {
          matrix: [
            [
              [2, 5, 1],
              [0, 7, 3],
              [4, 6, 8],
            ],
          ],
        },
      ]),
    ],
  },
  {
    tools: [
      wireTool('translate_phrase', 'Translate a phrase from one language to another.', {
        phrase: text('The phrase to be translated.'),
        source_language: text('The language of the phrase.'),
        target_language: text('The language to translate the phrase to.'),
        'formal?': flag('Whether a formal tone is used. Default is false.'),
      }),
    ],
    cases: [
      possible("Translate 'Where is the train station?' from English to Portuguese.", [
        'translate_phrase',
        {
          phrase: ['Where is the train station?'],
          source_language: cased('English'),
          target_language: cased('Portuguese'),
          formal: [OUT, false],
        },
      ]),
    ],
  },
  {
    tools: [
      wireTool('unit_conversion.convert', 'Convert a value from one unit to another.', {
        value: number('The value to be converted.'),
        from_unit: text('The unit to convert from.'),
        to_unit: text('The unit to convert to.'),
        'precision?': integer('Number of decimal places for the converted value. Default is 2.'),
      }),
    ],
    cases: [
      possible('Convert 26.2 miles to kilometers, with 3 decimal places.', [
        'unit_conversion.convert',
        {
          value: [26.2],
          from_unit: cased('miles', 'mile', 'mi'),
          to_unit: cased('kilometers', 'kilometer', 'km'),
          precision: [3],
        },
      ]),
    ],
  },
  {
    tools: [
      wireTool('chemistry.calculate_molarity', 'Calculate the molarity of a solution.', {
        moles: number('The amount of the solute in moles.'),
        volume: number('The volume of the solution in liters.'),
        'solute?': text('The chemical formula of the solute. Default is an empty string.'),
      }),
    ],
    cases: [
      possible(
        'What is the molarity of a solution that contains 0.75 moles of NaCl in a volume of 2.5 liters?',
        ['chemistry.calculate_molarity', { moles: [0.75], volume: [2.5], solute: ['NaCl', OUT] }],
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'event_finder.find_upcoming',
        'Find upcoming events of a specific genre in a given location.',
        {
          location: text('The city and state where the search will take place, e.g. New York, NY.'),
          genre: text('The genre of events.'),
          'days_ahead?': integer('The number of days from now to include in the search. Default is 7.'),
        },
      ),
    ],
    cases: [
      possible('Find upcoming jazz concerts in New Orleans, LA in the next 14 days.', [
        'event_finder.find_upcoming',
        {
          location: ['New Orleans, LA', 'New Orleans, Louisiana', 'New Orleans'],
          genre: cased('jazz', 'jazz concerts', 'jazz concert'),
          days_ahead: [14],
        },
      ]),
    ],
  },
  {
    tools: [
      wireTool('museum.get_opening_hours', 'Retrieve the opening hours of a museum.', {
        museum_name: text('The name of the museum.'),
        city: text('The city where the museum is located.'),
        'day?': choice(
          "The day of the week. Default is 'Monday'.",
          'Monday',
          'Tuesday',
          'Wednesday',
          'Thursday',
          'Friday',
          'Saturday',
          'Sunday',
        ),
      }),
    ],
    cases: [
      possible('What are the opening hours of the Prado Museum in Madrid on Sunday?', [
        'museum.get_opening_hours',
        {
          museum_name: ['Prado Museum', 'the Prado Museum', 'The Prado Museum', 'Prado'],
          city: ['Madrid', 'Madrid, Spain'],
          day: ['Sunday'],
        },
      ]),
    ],
  },
  {
    tools: [
      wireTool('svm.train', 'Train a support vector machine on a given dataset.', {
        dataset: text('The name of the dataset to train on.'),
        kernel: choice('The kernel function to use.', 'linear', 'poly', 'rbf', 'sigmoid'),
        'C?': number('The regularization parameter. Default is 1.0.'),
        'max_iterations?': integer('The maximum number of iterations. Default is 1000.'),
      }),
    ],
    cases: [
      possible(
        'Train a support vector machine on the dataset sales_2023 with an rbf kernel and a regularization parameter of 0.8.',
        ['svm.train', { dataset: ['sales_2023'], kernel: ['rbf'], C: [0.8], max_iterations: [OUT, 1000] }],
      ),
    ],
  },
  {
    tools: [
      wireTool('card_game.deal', 'Deal cards to the players of a card game.', {
        num_players: integer('The number of players.'),
        cards_per_player: integer('The number of cards each player gets.'),
        'num_decks?': integer('The number of decks to shuffle together. Default is 1.'),
      }),
    ],
    cases: [
      possible('Deal 7 cards to each of 4 players, using 2 decks.', [
        'card_game.deal',
        { num_players: [4], cards_per_player: [7], num_decks: [2] },
      ]),
    ],
  },
  {
    tools: [
      wireTool('get_directions', 'Retrieve directions from one location to another.', {
        start_location: text('The starting point of the journey.'),
        end_location: text('The destination point of the journey.'),
        'mode?': choice(
          "The mode of transport. Default is 'driving'.",
          'driving',
          'walking',
          'bicycling',
          'transit',
        ),
        'avoid?': listOf(
          oneOf('tolls', 'highways', 'ferries'),
          'Features to avoid. Default is an empty list.',
        ),
      }),
    ],
    cases: [
      possible('Give me driving directions from Salt Lake City to Denver that avoid tolls and ferries.', [
        'get_directions',
        {
          start_location: ['Salt Lake City', 'Salt Lake City, UT'],
          end_location: ['Denver', 'Denver, CO'],
          mode: ['driving', OUT],
          avoid: [
            ['tolls', 'ferries'],
            ['ferries', 'tolls'],
          ],
        },
      ]),
    ],
  },
]
