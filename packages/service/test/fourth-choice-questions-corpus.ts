import type { Field } from './fields-corpus.js'
import { date, flag, integer, listOf, number, objectOf, one, oneOf, text, wireTool } from './planner-case.js'

// The part of the corpus `fourth-questions-corpus.ts` whose questions choose among several tools.

const choice = (description: string, ...values: string[]) => ({ ...oneOf(...values), description })
const dict = (description: string, properties: Record<string, object>) => ({
  ...objectOf(properties),
  description,
})

export const choiceQuestions: readonly Field[] = [
  {
    tools: [
      wireTool(
        'triangle_properties.get',
        'Retrieve the dimensions of a triangle, such as its area and perimeter, if the lengths of its three sides are given.',
        {
          side1: integer('The length of the first side of the triangle.'),
          side2: integer('The length of the second side of the triangle.'),
          side3: integer('The length of the third side of the triangle.'),
          'get_area?': flag('Whether to calculate the area. Default is true.'),
          'get_perimeter?': flag('Whether to calculate the perimeter. Default is true.'),
        },
      ),
      wireTool(
        'circle_properties.get',
        'Retrieve the dimensions of a circle, such as its area and circumference, if its radius is given.',
        {
          radius: number('The length of the radius of the circle.'),
          'get_area?': flag('Whether to calculate the area. Default is true.'),
          'get_circumference?': flag('Whether to calculate the circumference. Default is true.'),
        },
      ),
    ],
    cases: [
      one(
        'Can I find the properties of a triangle, if I know that its three sides are 13 units, 14 units and 15 units long?',
        'triangle_properties.get',
        {
          side1: 13,
          side2: 14,
          side3: 15,
        },
      ),
    ],
  },
  {
    tools: [
      wireTool('country_info.capital', 'Fetch the capital city of a country.', {
        country: text('The name of the country.'),
      }),
      wireTool('country_info.population', 'Fetch the number of inhabitants of a country.', {
        country: text('The name of the country.'),
        'year?': integer('The year of the population count. Default is the current year.'),
      }),
      wireTool('country_info.largest_city', 'Fetch the largest city of a country.', {
        country: text('The name of the country.'),
      }),
    ],
    cases: [
      one('What was the population of Brazil in 1990?', 'country_info.population', {
        country: 'Brazil',
        year: 1990,
      }),
    ],
  },
  {
    tools: [
      wireTool('EuclideanDistance.calculate', 'Calculate the Euclidean distance between two points.', {
        pointA: listOf({ type: 'integer' }, 'Coordinates of point A.'),
        pointB: listOf({ type: 'integer' }, 'Coordinates of point B.'),
        'rounding?': integer('The number of decimals to which the result is rounded. Default is 0.'),
      }),
      wireTool(
        'angleToXAxis.calculate',
        'Calculate the angle between the line through two points and the x-axis.',
        {
          pointA: listOf({ type: 'integer' }, 'Coordinates of point A.'),
          pointB: listOf({ type: 'integer' }, 'Coordinates of point B.'),
          'rounding?': integer('The number of decimals to which the result is rounded. Default is 0.'),
        },
      ),
    ],
    cases: [
      one(
        'Find the Euclidean distance between the point (3, 4) and the point (1, -2), rounded to 2 decimals.',
        'EuclideanDistance.calculate',
        {
          pointA: [3, 4],
          pointB: [1, -2],
          rounding: 2,
        },
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'kinematics.calculate_displacement',
        'Calculate the displacement of an object from its initial speed, acceleration, and the elapsed time.',
        {
          initial_speed: number('The initial speed of the object in m/s.'),
          acceleration: number('The acceleration of the object in m/s^2.'),
          time: number('The time in seconds during which the object moves.'),
          'rounding?': integer('The number of decimals of the result. Default is 2.'),
        },
      ),
      wireTool(
        'kinematics.calculate_final_speed',
        'Calculate the final speed of an object from its initial speed, acceleration, and the elapsed time.',
        {
          initial_speed: number('The initial speed of the object in m/s.'),
          acceleration: number('The acceleration of the object in m/s^2.'),
          time: number('The time in seconds during which the object moves.'),
          'rounding?': integer('The number of decimals of the result. Default is 2.'),
        },
      ),
    ],
    cases: [
      one(
        "What's the displacement of a car that has an initial speed of 20 m/s and accelerates at 10 m/s^2 for 5 seconds?",
        'kinematics.calculate_displacement',
        {
          initial_speed: 20,
          acceleration: 10,
          time: 5,
        },
      ),
    ],
  },
  {
    tools: [
      wireTool('weather.get_by_city_date', 'Retrieve the historical weather of a city on a date.', {
        city: text('The city for which the weather is retrieved.'),
        date: date('The date in the format YYYY-MM-DD.'),
      }),
      wireTool(
        'weather.get_by_coordinates_date',
        'Retrieve the historical weather at geographical coordinates on a date.',
        {
          latitude: number('The latitude of the place.'),
          longitude: number('The longitude of the place.'),
          date: date('The date in the format YYYY-MM-DD.'),
        },
      ),
      wireTool(
        'weather.get_forecast_by_coordinates',
        'Get the weather forecast at geographical coordinates for the next days.',
        {
          latitude: number('The latitude of the place.'),
          longitude: number('The longitude of the place.'),
          'days_ahead?': integer('The number of days of the forecast. Default is 7.'),
        },
      ),
    ],
    cases: [
      one(
        'What was the weather on 2021-01-13 at the latitude 46.603354 and the longitude 1.8883340?',
        'weather.get_by_coordinates_date',
        {
          latitude: 46.603354,
          longitude: 1.888334,
          date: '2021-01-13',
        },
      ),
    ],
  },
  {
    tools: [
      wireTool('ecological_impact.analyze', 'Analyze the impact of a species on an ecosystem.', {
        species: text('The species whose impact is analyzed.'),
        ecosystem: text('The ecosystem in which the species lives.'),
        'timeframe?': integer('The number of years to consider. Default is 5.'),
      }),
      wireTool(
        'wildlife_population.assess_growth',
        'Assess how the population of a species grew in a location over a number of years.',
        {
          species: text('The species whose growth is assessed.'),
          location: text('The location of the population.'),
          duration: integer('The number of years to consider.'),
        },
      ),
    ],
    cases: [
      one(
        'Assess the growth of the population of the Iberian lynx in Spain over the last 10 years.',
        'wildlife_population.assess_growth',
        {
          species: 'Iberian lynx',
          location: 'Spain',
          duration: 10,
        },
      ),
    ],
  },
  {
    tools: [
      wireTool('property_valuation.get', 'Get the estimated value of a property.', {
        location: text('The city in which the property is located.'),
        property_type: oneOf('villa', 'condo', 'house', 'apartment'),
        bedrooms: integer('The number of bedrooms of the property.'),
        age: integer('The age of the property in years.'),
      }),
      wireTool(
        'realestate.find_properties',
        'Find properties for sale by location, type, size, and budget.',
        {
          location: text('The city in which the property is located.'),
          property_type: oneOf('villa', 'condo', 'house', 'apartment'),
          bedrooms: integer('The number of bedrooms of the property.'),
          budget: dict('The budget range in US dollars.', {
            min: number('The minimum budget.'),
            max: number('The maximum budget.'),
          }),
        },
      ),
    ],
    cases: [
      one(
        'Find me a villa in San Diego with 3 bedrooms and a budget of $300,000 to $400,000.',
        'realestate.find_properties',
        {
          location: 'San Diego',
          property_type: 'villa',
          bedrooms: 3,
          budget: { min: 300000, max: 400000 },
        },
      ),
    ],
  },
  {
    tools: [
      wireTool('calculate_average', 'Calculate the average grade over the different subjects of a student.', {
        grades: {
          type: 'object',
          description: 'A dictionary whose keys are the subjects and whose values are the grades.',
          additionalProperties: { type: 'number' },
        },
      }),
      wireTool('highest_grade', 'Find the subject in which a student got the highest grade.', {
        grades: {
          type: 'object',
          description: 'A dictionary whose keys are the subjects and whose values are the grades.',
          additionalProperties: { type: 'number' },
        },
      }),
    ],
    cases: [
      one(
        'Calculate the average grade of a student who has these grades: math: 90, science: 75, history: 82, music: 89.',
        'calculate_average',
        {
          grades: { math: 90, science: 75, history: 82, music: 89 },
        },
      ),
    ],
  },
  {
    tools: [
      wireTool('database.modify_columns', 'Delete, add or rename columns of a table in a database.', {
        db_name: text('The name of the database.'),
        table: text('The name of the table.'),
        operation: oneOf('delete', 'add', 'rename'),
        columns: listOf({ type: 'string' }, 'The names of the columns.'),
      }),
      wireTool('database.create_backup', 'Create a backup of a database.', {
        db_name: text('The name of the database.'),
        backup_location: text('The path where the backup is stored.'),
        'timestamp?': flag('Whether to append a timestamp to the file name. Default is false.'),
      }),
    ],
    cases: [
      one(
        "Delete the columns 'email' and 'ssn' from the table 'employees' in the database 'personal_data'.",
        'database.modify_columns',
        {
          db_name: 'personal_data',
          table: 'employees',
          operation: 'delete',
          columns: ['email', 'ssn'],
        },
      ),
    ],
  },
  {
    tools: [
      wireTool('court_case.search', 'Retrieve a court case by its docket number and location.', {
        docket_number: text('The docket number of the case.'),
        location: text('The state in which the case is registered.'),
        'full_text?': flag('Whether to return the full text of the case. Default is true.'),
      }),
      wireTool(
        'law_firm.impactful_cases',
        'Retrieve the impactful cases that a law firm handled within a year.',
        {
          firm_name: text('The name of the law firm.'),
          year: integer('The year of the cases.'),
          'top_n?': integer('The number of cases to return. Default is 5.'),
        },
      ),
      wireTool('judge.find_biography', 'Find the biography of a judge.', {
        judge_name: text('The name of the judge.'),
        'state?': text('The state in which the judge works.'),
      }),
    ],
    cases: [
      one(
        "Find the court case with the docket number 2022/AL2562 that is registered in Utah. Don't return the full text.",
        'court_case.search',
        {
          docket_number: '2022/AL2562',
          location: 'Utah',
          full_text: false,
        },
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'chess.club_details.find',
        'Find the details of a chess club, such as its location and its members.',
        {
          name: text('The name of the chess club.'),
          city: text('The city of the chess club.'),
          'event?': text('An upcoming event of the club. By default all events are returned.'),
        },
      ),
      wireTool('chess.player_rating', 'Get the current rating of a chess player.', {
        player: text('The name of the chess player.'),
        'type?': choice("The kind of the rating. Default is 'classical'.", 'classical', 'rapid', 'blitz'),
      }),
      wireTool('board_game.monthly_sales', 'Get the sales of a board game in one month.', {
        game: text('The name of the board game.'),
        month: text('The month of the sales.'),
      }),
    ],
    cases: [
      one("What's the current blitz rating of the chess player Magnus Carlsen?", 'chess.player_rating', {
        player: 'Magnus Carlsen',
        type: 'blitz',
      }),
    ],
  },
  {
    tools: [
      wireTool(
        'concert.book_ticket',
        'Book a ticket for a concert of an artist in a city, with optional extras.',
        {
          artist: text('The name of the artist.'),
          location: text('The city of the concert.'),
          'add_ons?': listOf(
            oneOf('Backstage Pass', 'VIP Seating', 'Parking Pass'),
            'The extras of the ticket. By default there are none.',
          ),
        },
      ),
      wireTool('festival.book_ticket', 'Book a ticket for a music festival.', {
        festival: text('The name of the festival.'),
        location: text('The city of the festival.'),
        'camping?': flag('Whether the ticket includes a place for a tent. Default is false.'),
      }),
    ],
    cases: [
      one(
        'Book a ticket for the upcoming concert of Eminem in Chicago, and include a backstage pass.',
        'concert.book_ticket',
        {
          artist: 'Eminem',
          location: 'Chicago',
          add_ons: ['Backstage Pass'],
        },
      ),
    ],
  },
  {
    tools: [
      wireTool('nutrition.get_calories', 'Get the number of calories in an amount of food.', {
        food: text('The name of the food.'),
        grams: number('The weight of the food in grams.'),
      }),
      wireTool('recipe.search_by_ingredient', 'Search for recipes that contain an ingredient.', {
        ingredient: text('The ingredient of the recipe.'),
        'limit?': integer('The highest number of recipes to return. Default is 5.'),
      }),
      wireTool('food.storage_time', 'Get the time for which a food can be stored.', {
        food: text('The name of the food.'),
        'place?': choice("The place of storage. Default is 'fridge'.", 'pantry', 'fridge', 'freezer'),
      }),
    ],
    cases: [
      one('How many calories are in 150 grams of avocado?', 'nutrition.get_calories', {
        food: 'avocado',
        grams: 150,
      }),
      one('How long can I store salmon in the freezer?', 'food.storage_time', {
        food: 'salmon',
        place: 'freezer',
      }),
    ],
  },
  {
    tools: [
      wireTool('soccer.get_last_match', 'Retrieve the result of the last match of a soccer club.', {
        team_name: text('The name of the soccer club.'),
        'include_stats?': flag(
          'Whether to include statistics such as possession and shots. Default is false.',
        ),
      }),
      wireTool('basketball.get_last_game', 'Retrieve the result of the last game of a basketball team.', {
        team_name: text('The name of the basketball team.'),
        'include_stats?': flag(
          'Whether to include statistics such as rebounds and assists. Default is false.',
        ),
      }),
      wireTool('sports.league_table', 'Retrieve the current table of a league.', {
        league: text('The name of the league.'),
      }),
    ],
    cases: [
      one(
        "What's the result of the last match of the soccer club Arsenal? Please include the statistics.",
        'soccer.get_last_match',
        {
          team_name: 'Arsenal',
          include_stats: true,
        },
      ),
    ],
  },
  {
    tools: [
      wireTool('currency_conversion.convert', 'Convert an amount of money from one currency to another.', {
        amount: number('The amount of money to convert.'),
        from_currency: text("The three-letter code of the currency to convert from, e.g. 'EUR'."),
        to_currency: text("The three-letter code of the currency to convert to, e.g. 'EUR'."),
      }),
      wireTool('bank.transfer', 'Transfer money from one bank account to another.', {
        from_account: text('The number of the account that is debited.'),
        to_account: text('The number of the account that is credited.'),
        amount: number('The amount of money to transfer.'),
      }),
    ],
    cases: [
      one('How much is 500 US dollars in Canadian dollars?', 'currency_conversion.convert', {
        amount: 500,
        from_currency: 'USD',
        to_currency: 'CAD',
      }),
    ],
  },
  {
    tools: [
      wireTool('finance.net_present_value', 'Calculate the net present value of a series of cash flows.', {
        cash_flows: listOf({ type: 'number' }, 'The cash flows, one for each year.'),
        discount_rate: number('The annual discount rate as a decimal.'),
        'initial_investment?': number('The initial investment as a positive number. Default is 0.'),
      }),
      wireTool(
        'finance.payback_period',
        'Calculate how long it takes until an investment is recovered by its cash flows.',
        {
          cash_flows: listOf({ type: 'number' }, 'The cash flows, one for each year.'),
          initial_investment: number('The initial investment as a positive number.'),
        },
      ),
      wireTool('finance.future_value', 'Calculate the future value of a single amount.', {
        present_value: number('The present value of the amount.'),
        rate: number('The annual interest rate as a decimal.'),
        years: integer('The number of years.'),
      }),
    ],
    cases: [
      one(
        'Calculate the net present value of the cash flows 10,000, 15,000 and 20,000 dollars with a discount rate of 8% and an initial investment of 30,000 dollars.',
        'finance.net_present_value',
        {
          cash_flows: [10000, 15000, 20000],
          discount_rate: 0.08,
          initial_investment: 30000,
        },
      ),
    ],
  },
  {
    tools: [
      wireTool('history.get_key_events', 'Retrieve the key historical events of a country within a period.', {
        country: text('The name of the country.'),
        start_year: integer('The first year of the period.'),
        end_year: integer('The last year of the period.'),
        'event_type?': choice(
          "The type of the events. Default is 'all'.",
          'all',
          'war',
          'revolution',
          'diplomacy',
          'economy',
        ),
      }),
      wireTool('get_sculpture_value', 'Retrieve the current market value of a sculpture.', {
        sculpture: text('The name of the sculpture.'),
        artist: text('The name of the sculptor.'),
      }),
    ],
    cases: [
      one(
        'Give me the key war events in the history of Germany from 1871 to 1945.',
        'history.get_key_events',
        {
          country: 'Germany',
          start_year: 1871,
          end_year: 1945,
          event_type: 'war',
        },
      ),
    ],
  },
  {
    tools: [
      wireTool('animal.get_lifespan', 'Get the average lifespan of an animal species.', {
        species: text('The common name of the species.'),
        'habitat?': choice("Where the animal lives. Default is 'wild'.", 'wild', 'captivity'),
      }),
      wireTool('animal.get_taxonomy', 'Get the scientific classification of an animal species.', {
        species: text('The common name of the species.'),
      }),
      wireTool('animal.get_diet', 'Get the usual food of an animal species.', {
        species: text('The common name of the species.'),
      }),
    ],
    cases: [
      one("What's the average lifespan of the giant panda in captivity?", 'animal.get_lifespan', {
        species: 'giant panda',
        habitat: 'captivity',
      }),
    ],
  },
  {
    tools: [
      wireTool('genetics.calculate_similarity', 'Calculate the genetic similarity between two species.', {
        species1: text('The first species to compare.'),
        species2: text('The second species to compare.'),
        'format?': choice("The format of the result. Default is 'percentage'.", 'percentage', 'fraction'),
      }),
      wireTool(
        'analyze_dna_sequence',
        'Analyze a DNA sequence with regard to a reference sequence and find the mutations.',
        {
          sequence: text('The DNA sequence to analyze.'),
          reference_sequence: text('The reference DNA sequence.'),
          'mutation_type?': choice(
            "The type of the mutations to look for. Default is 'substitution'.",
            'insertion',
            'deletion',
            'substitution',
          ),
        },
      ),
    ],
    cases: [
      one(
        "Analyze the DNA sequence 'AGTCGATCGAACGTACGTACG' for any insertion mutations based on the reference sequence 'AGTCCATCGAACGTACGTACG'.",
        'analyze_dna_sequence',
        {
          sequence: 'AGTCGATCGAACGTACGTACG',
          reference_sequence: 'AGTCCATCGAACGTACGTACG',
          mutation_type: 'insertion',
        },
      ),
    ],
  },
  {
    tools: [
      wireTool('car_rental.reserve', 'Reserve a rental car in a city.', {
        location: text('The city in which the car is picked up.'),
        pickup_date: date('The date of the pickup in the format YYYY-MM-DD.'),
        days: integer('The number of rental days.'),
        'car_type?': choice("The type of the car. Default is 'compact'.", 'compact', 'sedan', 'suv', 'van'),
      }),
      wireTool('train.reserve_seat', 'Reserve a seat on a train.', {
        origin: text('The city of departure.'),
        destination: text('The city of arrival.'),
        travel_date: date('The date of the journey in the format YYYY-MM-DD.'),
      }),
      wireTool('hotel.reserve', 'Reserve a hotel room in a city.', {
        location: text('The city of the hotel.'),
        check_in: date('The date of the arrival in the format YYYY-MM-DD.'),
        nights: integer('The number of nights.'),
      }),
    ],
    cases: [
      one('I would like to rent a van in Denver for 5 days from July 3, 2026.', 'car_rental.reserve', {
        location: 'Denver',
        pickup_date: '2026-07-03',
        days: 5,
        car_type: 'van',
      }),
    ],
  },
  {
    tools: [
      wireTool('video_game.get_requirements', 'Get the hardware requirements of a video game.', {
        game: text('The title of the video game.'),
        'level?': choice("The level of the requirements. Default is 'minimum'.", 'minimum', 'recommended'),
      }),
      wireTool('video_game.get_release_date', 'Get the release date of a video game on a platform.', {
        game: text('The title of the video game.'),
        'platform?': text("The platform of the game. Default is 'PC'."),
      }),
      wireTool('video_game.get_reviews', 'Get the latest reviews of a video game.', {
        game: text('The title of the video game.'),
        'limit?': integer('The number of reviews. Default is 10.'),
      }),
    ],
    cases: [
      one(
        'What are the recommended hardware requirements for the video game Cyberpunk 2077?',
        'video_game.get_requirements',
        { game: 'Cyberpunk 2077', level: 'recommended' },
      ),
    ],
  },
  {
    tools: [
      wireTool('store.return_item', 'Register the return of an item that was ordered in the store.', {
        order_id: integer('The ID of the order.'),
        item: text('The item to return.'),
        reason: oneOf('damaged', 'wrong_item', 'no_longer_needed'),
      }),
      wireTool('store.track_order', 'Track the delivery of an order.', {
        order_id: integer('The ID of the order.'),
      }),
      wireTool('store.opening_hours', 'Get the opening hours of a branch of the store.', {
        branch: text('The city of the branch.'),
        'day?': text('The day of the week. By default the hours of the whole week are returned.'),
      }),
    ],
    cases: [
      one('I want to return the lamp from my order 88213 because it arrived damaged.', 'store.return_item', {
        order_id: 88213,
        item: 'lamp',
        reason: 'damaged',
      }),
      one('Where is the delivery of my order with the ID 90417 right now?', 'store.track_order', {
        order_id: 90417,
      }),
    ],
  },
  {
    tools: [
      wireTool('chemistry.boiling_point', 'Get the boiling point of a substance at normal pressure.', {
        substance: text('The name of the substance.'),
        'unit?': choice(
          "The unit of the temperature. Default is 'celsius'.",
          'celsius',
          'kelvin',
          'fahrenheit',
        ),
      }),
      wireTool('chemistry.melting_point', 'Get the melting point of a substance at normal pressure.', {
        substance: text('The name of the substance.'),
        'unit?': choice(
          "The unit of the temperature. Default is 'celsius'.",
          'celsius',
          'kelvin',
          'fahrenheit',
        ),
      }),
      wireTool('chemistry.molar_mass', 'Calculate the molar mass of a compound.', {
        formula: text("The chemical formula, e.g. 'NaCl'."),
      }),
    ],
    cases: [
      one("What's the boiling point of ethanol in kelvin?", 'chemistry.boiling_point', {
        substance: 'ethanol',
        unit: 'kelvin',
      }),
    ],
  },
  {
    tools: [
      wireTool('calculus.derivative', 'Calculate the derivative of a function at a point.', {
        function: text("The function as a formula in x, e.g. '5x^3 + 1'."),
        value: number('The value of x at which the derivative is evaluated.'),
      }),
      wireTool(
        'calculus.definite_integral',
        'Calculate the definite integral of a function over an interval.',
        {
          function: text("The function as a formula in x, e.g. '5x^3 + 1'."),
          lower: number('The lower limit of the integral.'),
          upper: number('The upper limit of the integral.'),
        },
      ),
    ],
    cases: [
      one('Calculate the derivative of the function 3x^2 + 2x - 1 at x = 4.', 'calculus.derivative', {
        function: '3x^2 + 2x - 1',
        value: 4,
      }),
    ],
  },
  {
    tools: [
      wireTool(
        'transit.travel_time',
        'Estimate the travel time between two cities by a means of transport.',
        {
          origin: text('The city of departure.'),
          destination: text('The city of arrival.'),
          'mode?': choice("The means of transport. Default is 'car'.", 'car', 'train', 'bus', 'bicycle'),
        },
      ),
      wireTool('transit.distance', 'Calculate the distance between two cities.', {
        origin: text('The city of departure.'),
        destination: text('The city of arrival.'),
        'unit?': choice("The unit of the distance. Default is 'km'.", 'km', 'miles'),
      }),
      wireTool('transit.ticket_price', 'Get the price of a train ticket between two cities.', {
        origin: text('The city of departure.'),
        destination: text('The city of arrival.'),
        'travel_class?': integer('The class of the ticket, 1 or 2. Default is 2.'),
      }),
    ],
    cases: [
      one('How far is it from Milan to Rome in miles?', 'transit.distance', {
        origin: 'Milan',
        destination: 'Rome',
        unit: 'miles',
      }),
      one('How long does it take to travel from Milan to Rome by train?', 'transit.travel_time', {
        origin: 'Milan',
        destination: 'Rome',
        mode: 'train',
      }),
    ],
  },
]
