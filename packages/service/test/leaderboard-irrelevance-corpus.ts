import { choice, type Entry, strings, withDefault } from './leaderboard-case.js'
import { flag, integer, none, number, text, wireTool } from './planner-case.js'

// Questions in the form of a public leaderboard. See `seventh-unseen-corpus.ts`.

export const irrelevance: readonly Entry[] = [
  {
    tools: [
      wireTool('calculate_triangle_area', 'Calculate the area of a triangle given its base and height.', {
        base: number('The base of the triangle.'),
        height: number('The height of the triangle.'),
        'unit?': text("The unit of measure. Default is 'units'."),
      }),
    ],
    cases: none('What is the surface area of a sphere with a radius of 4 cm?'),
  },
  {
    tools: [
      wireTool('get_weather_forecast', 'Get the weather forecast for a city.', {
        city: text('The name of the city.'),
        'days?': integer('The number of days. Default is 1.'),
      }),
    ],
    cases: none("Who won the women's 100 meters final at the 2016 Summer Olympics in Rio de Janeiro?"),
  },
  {
    tools: [
      wireTool('get_stock_price', 'Retrieve the current stock price of a company.', {
        company: text('The name of the company.'),
        'exchange?': text("The stock exchange. Default is 'NYSE'."),
      }),
    ],
    cases: none('What is the current inflation rate in Argentina?'),
  },
  {
    tools: [
      wireTool('math.lcm', 'Calculates the least common multiple of two integers.', {
        num1: integer('The first number.'),
        num2: integer('The second number.'),
      }),
    ],
    cases: none('Which number comes next in the sequence 3, 7, 15, 31?'),
  },
  {
    tools: [
      wireTool('recipe.search', 'Search for recipes based on ingredients.', {
        ingredients: strings('The list of ingredients.'),
        'max_time?': integer('The maximum cooking time in minutes. Default is 60.'),
      }),
      wireTool('restaurant.find', 'Find restaurants of a given cuisine in a city.', {
        city: text('The name of the city.'),
        cuisine: text('The type of cuisine.'),
      }),
    ],
    cases: none('How many people live in Reykjavik?'),
  },
  {
    tools: [
      wireTool('movie.get_showtimes', 'Retrieve the showtimes of a movie in a city.', {
        title: text('The title of the movie.'),
        city: text('The name of the city.'),
      }),
    ],
    cases: none("Who composed the music for the movie 'Once Upon a Time in the West'?"),
  },
  {
    tools: [
      wireTool('currency.convert', 'Convert an amount of money from one currency to another.', {
        amount: number('The amount of money to convert.'),
        from_currency: text('The currency to convert from.'),
        to_currency: text('The currency to convert to.'),
      }),
    ],
    cases: none('How many liters are 45 gallons?'),
  },
  {
    tools: [
      wireTool('hotel.book_room', 'Book a room in a hotel.', {
        hotel_name: text('The name of the hotel.'),
        check_in_date: text('The check-in date in the format YYYY-MM-DD.'),
        nights: integer('The number of nights.'),
      }),
      wireTool('hotel.cancel_booking', 'Cancel the booking of a hotel room.', {
        booking_id: text('The ID of the booking.'),
      }),
    ],
    cases: none('Book me a flight from Oslo to Tromsø on 2024-03-04.'),
  },
  {
    tools: [
      wireTool(
        'solve_quadratic_equation',
        'Find the roots of a quadratic equation of the form ax^2 + bx + c = 0.',
        {
          a: integer('The coefficient of x^2.'),
          b: integer('The coefficient of x.'),
          c: integer('The constant term.'),
        },
      ),
    ],
    cases: none('What is the sum of the interior angles of a polygon with 9 sides?'),
  },
  {
    tools: [
      wireTool('get_current_weather', 'Get the current weather in a given location.', {
        location: text(
          "The location for which to get the weather, in the format of 'City, State', such as 'San Francisco, CA'.",
        ),
        'unit?': withDefault(
          choice(
            "The temperature unit for the weather data. Default is 'fahrenheit'.",
            'celsius',
            'fahrenheit',
          ),
          'fahrenheit',
        ),
      }),
    ],
    cases: none("What's the weather like right now?"),
  },
  {
    tools: [
      wireTool('book_flight', 'Books a flight for a specific date from origin to destination.', {
        origin: text('The city of departure.'),
        destination: text('The city of arrival.'),
        date: text('The date of departure in the format YYYY-MM-DD.'),
        'passengers?': integer('The number of passengers. Default is 1.'),
      }),
    ],
    cases: none("I'd like to book a flight to Cairo for 2 adults."),
  },
  {
    tools: [
      wireTool('send_email', 'Sends an email to a recipient.', {
        to_address: text('The email address of the recipient.'),
        subject: text('The subject line of the email.'),
        body: text('The content of the email body.'),
        'cc_address?': text('The email address to cc. Default is an empty string.'),
      }),
    ],
    cases: none('Send an email to marta.keller@example.com.'),
  },
  {
    tools: [
      wireTool('calculate_loan_payment', 'Calculate the monthly payment of a loan.', {
        amount: integer('The amount of the loan in dollars.'),
        annual_rate: number('The annual interest rate in percent.'),
        years: integer('The duration of the loan in years.'),
      }),
    ],
    cases: none('What is the monthly payment of a loan of $25,000?'),
  },
  {
    tools: [
      wireTool('get_order_status', 'Retrieve the current status of an order.', {
        order_id: text("The unique identifier of the order, such as 'ORD-12345'."),
        'include_items?': withDefault(
          flag('Whether the items of the order are listed. Default is false.'),
          false,
        ),
      }),
      wireTool('cancel_order', 'Cancel an order.', {
        order_id: text("The unique identifier of the order, such as 'ORD-12345'."),
        'reason?': text('The reason of the cancellation. Default is an empty string.'),
      }),
    ],
    cases: none('Can you tell me where my order is? It should have come on Monday.'),
  },
  {
    tools: [
      wireTool('bank.transfer', 'Transfer money from one account to another.', {
        from_account: text('The number of the account to transfer from.'),
        to_account: text('The number of the account to transfer to.'),
        amount: number('The amount of money to transfer in dollars.'),
      }),
    ],
    cases: none('Transfer some money from account 10023345 to account 55120987.'),
  },
]
