import type { Field } from './fields-corpus.js'
import {
  all,
  date,
  flag,
  integer,
  listOf,
  none,
  number,
  one,
  oneOf,
  partly,
  spoken,
  text,
  wireTool,
} from './planner-case.js'

// More requests and questions as people write them. Written before the planner was asked any of them, after the rules that
// unseen-corpus.ts led to. Right, asked and wrong then: 21, 9 and 1 of the 31 requests, 23, 8 and none of the 31 questions.

export const moreUnseenRequests: Readonly<Record<string, Field>> = {
  storage: {
    tools: [
      wireTool('rent_unit', 'Rent a storage unit', {
        customer: text('Full name of the customer'),
        size: oneOf('small', 'medium', 'large'),
        start: date('First day of the rental'),
        'months?': integer('Length of the rental in months'),
      }),
      wireTool('open_unit', 'Open the door of a storage unit remotely', { unit: text('Unit, e.g. U-305') }),
      wireTool('list_free_units', 'List the storage units that are free', {
        'size?': oneOf('small', 'medium', 'large'),
        'floor?': integer('Floor of the building'),
      }),
      wireTool('end_rental', 'End the rental of a storage unit', {
        unit: text('Unit, e.g. U-305'),
        'last_day?': date('Last day of the rental'),
      }),
    ],
    cases: [
      one(
        'Good morning, I would like to rent a medium unit from 1 December for six months. Hannah Ortiz.',
        'rent_unit',
        {
          customer: 'Hannah Ortiz',
          size: 'medium',
          start: '2026-12-01',
          months: 6,
        },
      ),
      one('Do you have any large units free on the second floor?', 'list_free_units', {
        size: 'large',
        floor: 2,
      }),
      one('I am standing in front of U-118, can you open it?', 'open_unit', { unit: 'U-118' }),
      all(
        'End the rentals of U-201 and U-202 on December 31',
        ['end_rental', { unit: 'U-201', last_day: '2026-12-31' }],
        ['end_rental', { unit: 'U-202', last_day: '2026-12-31' }],
      ),
      ...none('How much is a small unit per month?', 'Move my things from U-118 to U-305'),
    ],
  },
  music: {
    tools: [
      wireTool('enrol_in_lessons', 'Enrol a student in music lessons', {
        student: text('Name of the student'),
        instrument: text('Instrument, e.g. cello'),
        'weekday?': oneOf('Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'),
        'age?': integer('Age of the student'),
      }),
      wireTool('rent_instrument', 'Rent out an instrument', {
        student: text('Name of the student'),
        instrument: text('Instrument, e.g. cello'),
        months: integer('Number of months'),
      }),
      wireTool('next_recital', 'Get the date of the next recital of a class', {
        instrument: text('Instrument, e.g. cello'),
      }),
    ],
    cases: [
      one('My daughter Zoe is 9 and wants to learn the violin, preferably on Thursdays', 'enrol_in_lessons', {
        student: 'Zoe',
        instrument: 'violin',
        weekday: 'Thursday',
        age: 9,
      }),
      one('Rent Karim a trumpet for 3 months', 'rent_instrument', {
        student: 'Karim',
        instrument: 'trumpet',
        months: 3,
      }),
      one('When is the next piano recital?', 'next_recital', { instrument: 'piano' }),
      all(
        'Enrol Mia in cello lessons and rent her a cello for 12 months',
        ['enrol_in_lessons', { student: 'Mia', instrument: 'cello' }],
        ['rent_instrument', { student: 'Mia', instrument: 'cello', months: 12 }],
      ),
      ...none('How much are the drum lessons?'),
    ],
  },
  meetings: {
    tools: [
      wireTool('create_poll', 'Create a poll in a channel', {
        channel: text('Channel, e.g. #design'),
        question: text('Question'),
        options: listOf({ type: 'string' }, 'Answers to choose from'),
        'anonymous?': flag('Whether the votes are hidden'),
      }),
      wireTool('set_away', 'Set an away message', {
        message: text('Message'),
        until: date('Last day'),
      }),
      wireTool('mute_channel', 'Mute a channel', {
        channel: text('Channel, e.g. #design'),
        hours: integer('Number of hours'),
      }),
      wireTool('list_unread', 'List unread messages', {
        'channel?': text('Channel, e.g. #design'),
        'from_person?': text('Name of the sender'),
      }),
    ],
    cases: [
      one('Mute #random for the next 4 hours please, I need to focus', 'mute_channel', {
        channel: '#random',
        hours: 4,
      }),
      one('What have I missed in #launch?', 'list_unread', { channel: '#launch' }),
      one('Any unread messages from Olga?', 'list_unread', { from_person: 'Olga' }),
      one('Set my away message to "Back after the holidays" until January 4', 'set_away', {
        message: 'Back after the holidays',
        until: '2027-01-04',
      }),
      partly('Mute #sales for an hour and leave #memes', 'leave', [
        'mute_channel',
        { channel: '#sales', hours: 1 },
      ]),
    ],
  },
  garage: {
    tools: [
      wireTool('book_service', 'Book a service appointment for a car', {
        plate: text('Number plate'),
        service: oneOf('oil change', 'tyre change', 'inspection', 'brakes'),
        day: date('Day'),
        'courtesy_car?': flag('Whether the customer needs a replacement car'),
      }),
      wireTool('get_estimate', 'Get a cost estimate for a repair', {
        model: text('Model of the car, e.g. Golf'),
        part: text('Part to be repaired, e.g. clutch'),
      }),
      wireTool('cancel_service', 'Cancel a service appointment', { plate: text('Number plate') }),
    ],
    cases: [
      one('I need an oil change for KT66 BVM next Tuesday and a courtesy car', 'book_service', {
        plate: 'KT66 BVM',
        service: 'oil change',
        day: '2026-11-24',
        courtesy_car: true,
      }),
      one('What would a new clutch for a Fiesta cost?', 'get_estimate', { model: 'Fiesta', part: 'clutch' }),
      one("I can't make it, please cancel the appointment for RJ12 OPL", 'cancel_service', {
        plate: 'RJ12 OPL',
      }),
      one('Tyre change, 2 December, plate BX70 LLO', 'book_service', {
        plate: 'BX70 LLO',
        service: 'tyre change',
        day: '2026-12-02',
      }),
      ...none('Tow KT66 BVM to the garage'),
    ],
  },
  fundraising: {
    tools: [
      wireTool('record_pledge', 'Record a pledge of a donor', {
        donor: text('Name of the donor'),
        amount: number('Amount in euros'),
        campaign: text('Name of the campaign'),
        'monthly?': flag('Whether it is given each month'),
      }),
      wireTool('campaign_total', 'Get how much a campaign has raised', {
        campaign: text('Name of the campaign'),
      }),
      wireTool('thank_donor', 'Send a thank-you letter to a donor', {
        donor: text('Name of the donor'),
        'handwritten?': flag('Written by hand'),
      }),
    ],
    cases: [
      one('Walter Engel pledged 50 euros a month for the campaign Clean Rivers', 'record_pledge', {
        donor: 'Walter Engel',
        amount: 50,
        campaign: 'Clean Rivers',
        monthly: true,
      }),
      one('How much has the Clean Rivers campaign raised so far?', 'campaign_total', {
        campaign: 'Clean Rivers',
      }),
      all(
        'Thank Bea Holm and Nils Aas by hand',
        ['thank_donor', { donor: 'Bea Holm', handwritten: true }],
        ['thank_donor', { donor: 'Nils Aas', handwritten: true }],
      ),
      one('Pledge from Rita Sand: €500 for School Books', 'record_pledge', {
        donor: 'Rita Sand',
        amount: 500,
        campaign: 'School Books',
      }),
      ...none('Record a pledge of $200 from Omar Haddad for School Books', 'Who gave the most last year?'),
    ],
  },
  gymnastics: {
    tools: [
      wireTool('reserve_court', 'Reserve a tennis court', {
        court: integer('Number of the court'),
        day: date('Day'),
        time: { type: 'string', format: 'time', description: 'Start' },
        'lights?': flag('With floodlights'),
      }),
      wireTool('cancel_court', 'Cancel the reservation of a court', {
        court: integer('Number of the court'),
        day: date('Day'),
      }),
      wireTool('find_partner', 'Find a tennis partner of a level', {
        level: oneOf('beginner', 'intermediate', 'advanced'),
        'day?': date('Day'),
      }),
    ],
    cases: [
      one('Court 3 on Sunday at 5pm with floodlights, please', 'reserve_court', {
        court: 3,
        day: '2026-11-22',
        time: '17:00',
        lights: true,
      }),
      {
        ask: 'Make it court 4 instead',
        earlier: spoken('Reserve court 2 tomorrow at 10am', [
          ['reserve_court', { court: 2, day: '2026-11-22', time: '10:00' }, { status: 'taken' }],
        ]),
        calls: [['reserve_court', { court: 4, day: '2026-11-22', time: '10:00' }]],
      },
      one("I'm looking for an intermediate partner for Saturday", 'find_partner', {
        level: 'intermediate',
        day: '2026-11-28',
      }),
      ...none('Reserve a court for tomorrow at 10'),
    ],
  },
}

const distance = wireTool('calculate_distance', 'Calculate the distance between two points on a plane.', {
  x1: number('The x coordinate of the first point.'),
  y1: number('The y coordinate of the first point.'),
  x2: number('The x coordinate of the second point.'),
  y2: number('The y coordinate of the second point.'),
})
const cone = wireTool('geometry.cone_volume', 'Calculate the volume of a cone.', {
  radius: number('The radius of the base.'),
  height: number('The height of the cone.'),
  'unit?': text("The unit of measure, e.g. 'cm'. Optional. Default is 'm'."),
})
const sphere = wireTool('geometry.sphere_surface', 'Calculate the surface area of a sphere.', {
  radius: number('The radius of the sphere.'),
  'unit?': text("The unit of measure, e.g. 'cm'. Optional. Default is 'm'."),
})
const discount = wireTool('shop.discounted_price', 'Calculate the price of a product after a discount.', {
  price: number('The original price in dollars.'),
  discount: number('The discount in percent.'),
})
const tip = wireTool('restaurant.tip', 'Calculate the tip for a bill.', {
  bill: number('The amount of the bill in dollars.'),
  percentage: number('The percentage of the tip.'),
  'people?': integer('The number of people who share it. Default is 1.'),
})
const books = wireTool('library.find_books', 'Find books by an author.', {
  author: text('The name of the author.'),
  'genre?': text('The genre of the books. Optional.'),
  'published_after?': integer('Only books published after this year.'),
})
const quote = wireTool('crypto.price', 'Get the current price of a cryptocurrency.', {
  coin: text("The name of the coin, e.g. 'bitcoin'."),
  'currency?': text("The currency of the price. Default is 'USD'."),
})
const battle = wireTool('history.battle_date', 'Get the date of a battle.', {
  battle: text('The name of the battle.'),
})
const president = wireTool(
  'history.president_in_year',
  'Find who was the president of a country in a year.',
  {
    country: text('The name of the country.'),
    year: integer('The year.'),
  },
)
const bodyFat = wireTool('health.daily_water', 'Calculate how much water a person should drink per day.', {
  weight: number('The weight of the person in kilograms.'),
  'activity?': oneOf('low', 'medium', 'high'),
  'climate?': oneOf('cold', 'temperate', 'hot'),
})
const heartRate = wireTool('health.max_heart_rate', 'Calculate the maximum heart rate of a person.', {
  age: integer('The age of the person in years.'),
})
const density = wireTool('physics.pressure', 'Calculate the pressure that a force puts on an area.', {
  force: number('The force in newtons.'),
  area: number('The area in square meters.'),
})
const gene = wireTool('genetics.gene_location', 'Find on which chromosome a gene lies.', {
  gene: text('The symbol of the gene, e.g. BRCA1.'),
  'species?': text("The species. Default is 'human'."),
})
const airport = wireTool('travel.airports', 'Find the airports near a city.', {
  city: text('The name of the city.'),
  'max_distance?': integer('The maximum distance in kilometers. Default is 50.'),
})
const hotel = wireTool('travel.hotel_price', 'Get the average price of a hotel night in a city.', {
  city: text('The name of the city.'),
  'stars?': integer('The number of stars of the hotel.'),
})
const lottery = wireTool('random.numbers', 'Generate random numbers between two bounds.', {
  min: integer('The smallest number.'),
  max: integer('The largest number.'),
  'count?': integer('How many numbers to generate. Default is 1.'),
})
const chess = wireTool('chess.rating', 'Get the rating of a chess player.', {
  player: text('The full name of the player.'),
  'type?': oneOf('classical', 'rapid', 'blitz'),
})
const species = wireTool('animals.lifespan', 'Get the lifespan of an animal.', {
  animal: text('The animal.'),
})

export const moreUnseenQuestions: readonly Field[] = [
  {
    tools: [distance],
    cases: [
      one('What is the distance between the points (2, 3) and (7, 15)?', 'calculate_distance', {
        x1: 2,
        y1: 3,
        x2: 7,
        y2: 15,
      }),
      ...none('What is the distance between Rome and Milan?'),
    ],
  },
  {
    tools: [cone, sphere],
    cases: [
      one('Find the volume of a cone with a radius of 4 cm and a height of 9 cm.', 'geometry.cone_volume', {
        radius: 4,
        height: 9,
        unit: 'cm',
      }),
      one('What is the surface area of a sphere with radius 6?', 'geometry.sphere_surface', { radius: 6 }),
      ...none('What is the volume of a sphere with radius 6?'),
    ],
  },
  {
    tools: [discount, tip],
    cases: [
      one('How much is a $120 jacket after a 25% discount?', 'shop.discounted_price', {
        price: 120,
        discount: 25,
      }),
      one('Calculate a 18% tip on a bill of $86.40 for 4 people.', 'restaurant.tip', {
        bill: 86.4,
        percentage: 18,
        people: 4,
      }),
      ...none('What is the sales tax on a $120 jacket in Ohio?'),
    ],
  },
  {
    tools: [books],
    cases: [
      one('Find fantasy books by Ursula K. Le Guin.', 'library.find_books', {
        author: 'Ursula K. Le Guin',
        genre: 'fantasy',
      }),
      one('Which books by Haruki Murakami were published after 2010?', 'library.find_books', {
        author: 'Haruki Murakami',
        published_after: 2010,
      }),
      ...none('Who wrote "The Left Hand of Darkness"?'),
    ],
  },
  {
    tools: [quote],
    cases: [
      one('What is the current price of ethereum in euros?', 'crypto.price', {
        coin: 'ethereum',
        currency: 'EUR',
      }),
      one("What's bitcoin trading at right now?", 'crypto.price', { coin: 'bitcoin' }),
      ...none('What was the price of bitcoin on 1 January 2020?'),
    ],
  },
  {
    tools: [battle, president],
    cases: [
      one('When was the Battle of Hastings?', 'history.battle_date', { battle: 'Battle of Hastings' }),
      one('Who was the president of France in 1985?', 'history.president_in_year', {
        country: 'France',
        year: 1985,
      }),
      ...none('How many soldiers died in the Battle of Verdun?'),
    ],
  },
  {
    tools: [bodyFat, heartRate],
    cases: [
      one('How much water should a person of 82 kg drink per day in a hot climate?', 'health.daily_water', {
        weight: 82,
        climate: 'hot',
      }),
      one('What is the maximum heart rate of a 45-year-old?', 'health.max_heart_rate', { age: 45 }),
      ...none('What is a healthy weight for a 45-year-old?'),
    ],
  },
  {
    tools: [density],
    cases: [
      one(
        'Calculate the pressure of a force of 500 newtons on an area of 0.25 square meters.',
        'physics.pressure',
        {
          force: 500,
          area: 0.25,
        },
      ),
      ...none('What is the pressure at a depth of 30 meters?'),
    ],
  },
  {
    tools: [gene],
    cases: [
      one('On which chromosome does the gene TP53 lie?', 'genetics.gene_location', { gene: 'TP53' }),
      one('Where is the BRCA2 gene located in mice?', 'genetics.gene_location', {
        gene: 'BRCA2',
        species: 'mice',
      }),
    ],
  },
  {
    tools: [airport, hotel],
    cases: [
      one('Which airports are within 80 kilometers of Antwerp?', 'travel.airports', {
        city: 'Antwerp',
        max_distance: 80,
      }),
      one('What does a night in a 4-star hotel in Prague cost on average?', 'travel.hotel_price', {
        city: 'Prague',
        stars: 4,
      }),
      all(
        'Find the airports near Genoa and Turin.',
        ['travel.airports', { city: 'Genoa' }],
        ['travel.airports', { city: 'Turin' }],
      ),
    ],
  },
  {
    tools: [lottery, chess, species],
    cases: [
      one('Give me 5 random numbers between 1 and 90.', 'random.numbers', { min: 1, max: 90, count: 5 }),
      one("What is Magnus Carlsen's blitz rating?", 'chess.rating', {
        player: 'Magnus Carlsen',
        type: 'blitz',
      }),
      one('How long does a tortoise live?', 'animals.lifespan', { animal: 'tortoise' }),
      ...none('How fast is a cheetah?'),
    ],
  },
]
