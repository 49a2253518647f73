import { cased, choice, dict, type Entry, OUT, possible, withDefault } from './leaderboard-case.js'
import { flag, integer, listOf, number, objectOf, text, wireTool } from './planner-case.js'

// Questions in the form of a public leaderboard. See `seventh-unseen-corpus.ts`.

export const live: readonly Entry[] = [
  {
    tools: [
      wireTool(
        'ChaFod',
        "Changes a selection of food based on the customer's request, ensuring the food type provided is in uppercase.",
        {
          TheFod: choice(
            'The type of food to be changed, provided in uppercase letters.',
            'PIZZA',
            'BURGER',
            'SALAD',
            'SOUP',
            'STEAK',
            'BURRITO',
          ),
        },
      ),
    ],
    cases: [possible('hey can u change my food to a burrito pls', ['ChaFod', { TheFod: ['BURRITO'] }])],
  },
  {
    tools: [
      wireTool('get_current_weather', 'Retrieves the current weather conditions for a specified city.', {
        location: text(
          "The city for which to get the weather, with the state or the country if possible, such as 'San Francisco, CA' or 'Paris, France'.",
        ),
        'unit?': withDefault(
          choice('The unit of measurement for temperature values.', 'celsius', 'fahrenheit'),
          'fahrenheit',
        ),
      }),
    ],
    cases: [
      possible('Could you tell me the current weather in Celsius for Thành phố Hồ Chí Minh, Vietnam?', [
        'get_current_weather',
        {
          location: [
            'Thành phố Hồ Chí Minh, Vietnam',
            'Thành phố Hồ Chí Minh',
            'Ho Chi Minh City, Vietnam',
            'Ho Chi Minh City',
          ],
          unit: ['celsius'],
        },
      ]),
    ],
  },
  {
    tools: [
      wireTool('Hotels_2_BookHouse', 'Books the selected house for given dates and number of people.', {
        where_to: text(
          "The location of the house, in the format of 'City, Country', such as 'Berlin, Germany'.",
        ),
        number_of_adults: integer('The number of adults included in the reservation.'),
        check_in_date: text("The start date of the reservation, in the format 'YYYY-MM-DD'."),
        check_out_date: text("The end date of the reservation, in the format 'YYYY-MM-DD'."),
        'has_laundry_service?': withDefault(
          choice('Whether the house has a laundry service.', 'True', 'False', 'dontcare'),
          'dontcare',
        ),
      }),
      wireTool('Hotels_2_SearchHouse', 'Searches for a house at a specified location.', {
        where_to: text(
          "The location of the house, in the format of 'City, Country', such as 'Berlin, Germany'.",
        ),
        'number_of_adults?': withDefault(integer('The number of adults included in the reservation.'), 2),
        'rating?': withDefault(number('The minimum rating of the house from 1.0 to 5.0.'), 3),
      }),
    ],
    cases: [
      possible(
        'Hi, we are planning our holidays and finally agreed on the place :) Please book the house in Đà Nẵng, Vietnam for 4 adults, checking in on the 3rd of October 2024 and checking out on the 9th of October 2024. Thanks!',
        [
          'Hotels_2_BookHouse',
          {
            where_to: ['Đà Nẵng, Vietnam', 'Da Nang, Vietnam'],
            number_of_adults: [4],
            check_in_date: ['2024-10-03'],
            check_out_date: ['2024-10-09'],
            has_laundry_service: [OUT, 'dontcare'],
          },
        ],
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'uber.ride',
        'Finds a suitable Uber ride for customers based on their location, the selected type of ride, and the maximum time they are willing to wait.',
        {
          loc: text("The starting location of the ride, in the format of 'Street Address, City, State'."),
          type: choice('The type of Uber ride the user is ordering.', 'plus', 'comfort', 'black'),
          time: integer(
            'The maximum amount of time the customer is willing to wait for the ride, in minutes.',
          ),
        },
      ),
    ],
    cases: [
      possible(
        "I'm at 418 Larkin Street, San Francisco, CA and my phone is about to die, get me an uber comfort, I can wait 15 minutes at most",
        ['uber.ride', { loc: ['418 Larkin Street, San Francisco, CA'], type: ['comfort'], time: [15] }],
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'requests.get',
        'Sends a GET request to the specified URL to retrieve weather forecast data.',
        {
          url: text('The URL of the web service that provides the forecast.'),
          params: dict('The query parameters of the request.', {
            latitude: number('The latitude of the location in decimal degrees.'),
            longitude: number('The longitude of the location in decimal degrees.'),
            'timezone?': withDefault(text('The timezone in which the times are given.'), 'auto'),
          }),
          'timeout?': withDefault(number('The maximum number of seconds to wait for the response.'), 30),
        },
      ),
    ],
    cases: [
      possible(
        'Please fetch the forecast data from the URL https://api.open-meteo.com/v1/forecast for the latitude 47.3769 and the longitude 8.5417, with the timezone Europe/Zurich and a timeout of 15 seconds.',
        [
          'requests.get',
          {
            url: ['https://api.open-meteo.com/v1/forecast'],
            params: [{ latitude: 47.3769, longitude: 8.5417, timezone: 'Europe/Zurich' }],
            timeout: [15],
          },
        ],
      ),
    ],
  },
  {
    tools: [
      wireTool('todo', 'Manages a todo list allowing the user to add, delete, or complete items.', {
        type: choice('The action to be performed on the todo list.', 'add', 'delete', 'complete'),
        content: text('The details of the todo item relevant to the action being performed.'),
      }),
    ],
    cases: [
      possible("hi!! pls add 'renew passport before june' to my todo", [
        'todo',
        {
          type: ['add'],
          content: ['renew passport before june', 'Renew passport before june', 'Renew passport before June'],
        },
      ]),
    ],
  },
  {
    tools: [
      wireTool(
        'Restaurants_2_ReserveRestaurant',
        'Make a table reservation at a specified restaurant for a given number of guests at a particular date and time.',
        {
          restaurant_name: text('The full name of the restaurant where the reservation is to be made.'),
          location: text(
            "The location of the restaurant, in the format 'City, State', such as 'New York, NY'.",
          ),
          time: text(
            "The desired time for the reservation, in 24-hour format 'HH:MM', such as '19:00' for 7 PM.",
          ),
          date: text("The date of the reservation, in ISO 8601 format 'YYYY-MM-DD'."),
          'number_of_guests?': withDefault(integer('The number of guests for the reservation.'), 2),
        },
      ),
      wireTool(
        'Restaurants_2_FindRestaurants',
        'Find restaurants based on specified location, cuisine category, and price range.',
        {
          category: choice(
            'The category of food offered by the restaurant.',
            'Mexican',
            'Italian',
            'American',
            'Asian',
            'Seafood',
          ),
          location: text(
            "The location of the restaurant, in the format 'City, State', such as 'New York, NY'.",
          ),
          'price_range?': withDefault(
            choice('The price range for the restaurant.', 'cheap', 'moderate', 'pricey', 'ultra high-end'),
            'moderate',
          ),
        },
      ),
    ],
    cases: [
      possible(
        "It's my mom's birthday so I want to reserve a table at Nonna Pia in Corte Madera, CA on March 22nd, 2024 at 8:15 in the evening. There will be 5 of us.",
        [
          'Restaurants_2_ReserveRestaurant',
          {
            restaurant_name: ['Nonna Pia'],
            location: ['Corte Madera, CA', 'Corte Madera, California'],
            time: ['20:15'],
            date: ['2024-03-22'],
            number_of_guests: [5],
          },
        ],
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'log_food',
        'Logs a food item with a given portion and meal type to the food diary of the user.',
        {
          food_name: text('The name of the food to log.'),
          portion_amount: number('The amount of the food item that was consumed, in the specified unit.'),
          'portion_unit?': withDefault(
            choice('The unit of measure for the portion amount.', 'cup', 'ounces', 'grams'),
            'grams',
          ),
          'meal_type?': withDefault(
            choice(
              'The type of meal for which the food item is logged.',
              'breakfast',
              'lunch',
              'dinner',
              'snack',
            ),
            'snack',
          ),
        },
      ),
    ],
    cases: [
      possible(
        'ok so i already had my lunch today, can you log it plz?? it was 200 grams of grilled salmon, 150 grams of brown rice and 1 cup of orange juice',
        [
          'log_food',
          {
            food_name: cased('grilled salmon'),
            portion_amount: [200],
            portion_unit: ['grams', OUT],
            meal_type: ['lunch'],
          },
        ],
        [
          'log_food',
          {
            food_name: cased('brown rice'),
            portion_amount: [150],
            portion_unit: ['grams', OUT],
            meal_type: ['lunch'],
          },
        ],
        [
          'log_food',
          {
            food_name: cased('orange juice'),
            portion_amount: [1],
            portion_unit: ['cup'],
            meal_type: ['lunch'],
          },
        ],
      ),
    ],
  },
  {
    tools: [
      wireTool(
        'extractor.extract_information',
        'Extracts structured information about persons from a text, matching the specified schema.',
        {
          data: listOf(
            objectOf({
              name: text('The name of the person.'),
              age: integer('The age of the person in years.'),
            }),
            'A list of the persons that are mentioned in the text.',
          ),
        },
      ),
    ],
    cases: [
      possible(
        'Extract the information from this text: My name is Ingrid and I am 34 years old. My colleague Tomasz is 51 years old and our new intern Bảo is 22.',
        [
          'extractor.extract_information',
          {
            data: [
              [
                { name: 'Ingrid', age: 34 },
                { name: 'Tomasz', age: 51 },
                { name: 'Bảo', age: 22 },
              ],
            ],
          },
        ],
      ),
    ],
  },
  {
    tools: [
      wireTool('get_service_providers', 'Retrieve a list of service providers based on the given criteria.', {
        service: choice(
          'The kind of service that is requested.',
          'cleaning',
          'ironing',
          'massage',
          'hair',
          'plumbing',
        ),
        'district_name?': withDefault(
          text('The name of the district. If not specified, all districts are searched.'),
          null,
        ),
        'avg_rating?': withDefault(
          number('The minimum average rating of the reviews, from 1.0 to 5.0.'),
          null,
        ),
        'available_from?': withDefault(
          text(
            "The date and time from which the provider is available, in the format 'YYYY-MM-DD HH:mm:ss'.",
          ),
          null,
        ),
        'is_female?': withDefault(flag('Whether only female providers are returned.'), false),
      }),
      wireTool('view_service_provider_profile', 'Retrieve the profile of a service provider.', {
        professional_id: integer('The unique identifier of the service provider.'),
      }),
    ],
    cases: [
      possible(
        'Hello, I just moved here from Chiang Mai and my apartment is a complete mess after the renovation, there is dust everywhere and my parents are going to visit me soon. Could you find me a service provider for cleaning in the Chatuchak district? The average rating should be at least 4.5, and they must be available from 2024-08-19 15:00:00. Thank you so much!',
        [
          'get_service_providers',
          {
            service: ['cleaning'],
            district_name: [
              'Chatuchak',
              'Chatuchak district',
              'Chatuchak District',
              'the Chatuchak district',
            ],
            avg_rating: [4.5],
            available_from: ['2024-08-19 15:00:00'],
            is_female: [OUT, false],
          },
        ],
      ),
    ],
  },
]
