import type { PlannerCase } from './planner-case.js'
import { none, one, spoken } from './planner-case.js'
import { sixthSeveral, sixthSingles } from './sixth-singles-corpus.js'
import { sixthTools } from './sixth-unseen-tools.js'

// Requests in fifteen trades that all choose among sixty tools, written by an author who had not seen the planner or
// another corpus. Right, asked and wrong at first sight: 87, 66 and 7 of 160.

const chains: PlannerCase[] = [
  one('Look up Edith Barlow at the pharmacy and list her prescriptions.', 'find_patient', {
    name: 'Edith Barlow',
  }),
  one(
    'Find the performance of Macbeth on 9 April 2027 and book 2 seats in the stalls.',
    'search_performances',
    { title: 'Macbeth', date: '2027-04-09' },
  ),
  one(
    'Which plots with a shed are free at the north site? Reserve the first one for Olga Petrov.',
    'list_free_plots',
    { site: 'north', with_shed: true },
  ),
  one(
    'I need a filling. Find a slot from 2 November 2026 on and book the earliest one for Mats Dahl.',
    'find_dental_slots',
    { treatment: 'filling', earliest: '2026-11-02' },
  ),
  one(
    'Reserve the cheapest compact rental car in Graz from 5 October 2026 to 9 October 2026. The driver is Lena Voss, licence number B072RRE2I55.',
    'search_rental_cars',
    { location: 'Graz', pickup_date: '2026-10-05', return_date: '2026-10-09', category: 'compact' },
  ),
  one(
    'Find the recording with our guest Amara Diallo and transcribe it, she speaks French.',
    'find_recording',
    { guest: 'Amara Diallo' },
  ),
  one('Look up the home policy of Ivo Marek and file a claim on it: fire on 3 January 2026.', 'find_policy', {
    holder: 'Ivo Marek',
    branch: 'home',
  }),
  one('order the vegetarian school lunch for Pia Nilsson from class 3a on 14 September 2026', 'find_pupil', {
    name: 'Pia Nilsson',
    class: '3a',
  }),
  one('Reboot every server that is down.', 'list_servers', { status: 'down' }),
  one(
    'Find us an outdoor venue in Andalusia for 80 guests and book a tour of the best one on 20 March 2027.',
    'search_venues',
    { region: 'Andalusia', guests: 80, outdoor: true },
  ),
  one(
    'Look for ferries from Dover to Calais on 1 August 2027 and book the first one for two adults.',
    'search_sailings',
    { from_port: 'Dover', to_port: 'Calais', date: '2027-08-01' },
  ),
  one(
    "Our giraffe Kito isn't feeling well. Please schedule a vet check for him on 11 May 2027.",
    'find_animal',
    { name: 'Kito', species: 'giraffe' },
  ),
  one("Find Henrike Blom's furniture order and move its deadline to 30 April 2027.", 'find_workshop_order', {
    customer: 'Henrike Blom',
  }),
  one(
    'Look up the taxpayer Samuel Adeyemi and request a filing extension for 2025 until 31 October 2026.',
    'find_taxpayer',
    { name: 'Samuel Adeyemi' },
  ),
  one(
    'Track AX118820345 and if it is still in Hamburg, redirect it to Hafenweg 2, 48155 Münster.',
    'track_parcel',
    { tracking_number: 'AX118820345' },
  ),
  one(
    'Check the weather in the port of Bastia on 15 October 2026. If there is a storm, report a 90 minute delay for sailing BN310.',
    'get_port_weather',
    { port: 'Bastia', date: '2026-10-15' },
  ),
  one(
    "what's on the canteen menu on 21 October 2026? if there is fish, order it for pupil 512",
    'get_canteen_menu',
    { date: '2026-10-21' },
  ),
  one('Please log that our tiger Sasha got 7 kg of beef.', 'find_animal', {
    name: 'Sasha',
    species: 'tiger',
  }),
  one(
    'Change the tax refund account of Elif Kaya, born 4 July 1985, to DE02120300000000202051.',
    'find_taxpayer',
    { name: 'Elif Kaya', birth_date: '1985-07-04' },
  ),
  one(
    "What's the status of claim C-450022? If it's accepted, approve a payout of 800 euros.",
    'get_claim_status',
    { claim_number: 'C-450022' },
  ),
]

const followUps: PlannerCase[] = [
  {
    ask: 'Great, book three seats in the circle for that one.',
    earlier: spoken(
      'Is The Tempest on at the theatre on 5 June 2027?',
      [
        [
          'search_performances',
          { title: 'The Tempest', date: '2027-06-05' },
          [{ performance_id: 'PF-3301', title: 'The Tempest', date: '2027-06-05', free_seats: 48 }],
        ],
      ],
      'Yes, The Tempest is on (PF-3301), with 48 free seats.',
    ),
    calls: [['book_seats', { performance_id: 'PF-3301', seats: 3, category: 'circle' }]],
  },
  {
    ask: 'The second one please, for Rosa Lindner.',
    earlier: spoken(
      'Find dental slots for a cleaning from 4 May 2027.',
      [
        [
          'find_dental_slots',
          { treatment: 'cleaning', earliest: '2027-05-04' },
          [
            { slot_id: 'S5120', start: '2027-05-04T09:00' },
            { slot_id: 'S5127', start: '2027-05-06T15:30' },
          ],
        ],
      ],
      'There are two: 4 May at 09:00 and 6 May at 15:30. Which one do you want?',
    ),
    calls: [['book_dental_slot', { slot_id: 'S5127', patient_name: 'Rosa Lindner' }]],
  },
  {
    ask: 'and on 22 September 2026?',
    earlier: spoken(
      'Canteen menu for 21 September 2026',
      [['get_canteen_menu', { date: '2026-09-21' }, { dishes: ['goulash', 'pasta with pesto'] }]],
      'Goulash and pasta with pesto.',
    ),
    calls: [['get_canteen_menu', { date: '2026-09-22' }]],
  },
  {
    ask: 'And the same in walnut?',
    earlier: spoken(
      'Quote an oak table, 180 cm long and 90 cm wide.',
      [['quote_table', { wood: 'oak', length_cm: 180, width_cm: 90 }, { price_eur: 1890 }]],
      'The oak table costs 1890 euros.',
    ),
    calls: [['quote_table', { wood: 'walnut', length_cm: 180, width_cm: 90 }]],
  },
  {
    ask: 'Please redirect it to Am Wall 17, 28195 Bremen.',
    earlier: spoken(
      'Where is parcel GH300481526?',
      [['track_parcel', { tracking_number: 'GH300481526' }, { status: 'in_transit', location: 'Hanover' }]],
      'It is in Hanover.',
    ),
    calls: [['redirect_parcel', { tracking_number: 'GH300481526', new_address: 'Am Wall 17, 28195 Bremen' }]],
  },
  {
    ask: 'ok, reboot the degraded one',
    earlier: spoken(
      'List the servers in rack R07',
      [
        [
          'list_servers',
          { rack: 'R07' },
          [
            { hostname: 'app-11', status: 'up' },
            { hostname: 'app-12', status: 'degraded' },
            { hostname: 'app-13', status: 'up' },
          ],
        ],
      ],
      'app-11 and app-13 are up, app-12 is degraded.',
    ),
    calls: [['reboot_server', { hostname: 'app-12' }]],
  },
  {
    ask: "I'll take it. The driver is Lena Voss, licence number LV5520187, and please with full insurance.",
    earlier: spoken(
      'Search an estate rental car in Turin from 3 March 2027 to 8 March 2027.',
      [
        [
          'search_rental_cars',
          { location: 'Turin', pickup_date: '2027-03-03', return_date: '2027-03-08', category: 'estate' },
          [{ offer_id: 'OF-412', model: 'Skoda Octavia Combi', price_eur: 245 }],
        ],
      ],
      'There is one offer: a Skoda Octavia Combi for 245 euros (OF-412).',
    ),
    calls: [
      [
        'reserve_rental_car',
        {
          offer_id: 'OF-412',
          driver: { name: 'Lena Voss', licence_number: 'LV5520187' },
          full_insurance: true,
        },
      ],
    ],
  },
  {
    ask: 'And how much would it be if I were married?',
    earlier: spoken(
      'Estimate the income tax on 48000 euros gross in 2025, single.',
      [
        [
          'estimate_income_tax',
          { gross_income_eur: 48000, tax_year: 2025, status: 'single' },
          { tax_eur: 9120 },
        ],
      ],
      'About 9120 euros.',
    ),
    calls: [['estimate_income_tax', { gross_income_eur: 48000, tax_year: 2025, status: 'married' }]],
  },
  {
    ask: 'Perfect. Book it for one adult with an inside cabin.',
    earlier: spoken(
      'Are there sailings from Travemünde to Helsinki on 2 April 2027?',
      [
        [
          'search_sailings',
          { from_port: 'Travemünde', to_port: 'Helsinki', date: '2027-04-02' },
          [{ sailing_id: 'TH208', departs: '2027-04-02T03:00', fare_eur: 199 }],
        ],
      ],
      'Yes, one: TH208 at 03:00, 199 euros.',
    ),
    calls: [['book_sailing', { sailing_id: 'TH208', adults: 1, cabin: 'inside' }]],
  },
  {
    ask: '6650912',
    earlier: spoken(
      'Please extend my car rental until 14 May 2027.',
      [],
      'What is the number of the rental contract?',
    ),
    calls: [['extend_rental', { contract_number: '6650912', return_date: '2027-05-14' }]],
  },
  {
    ask: '30 euros',
    earlier: spoken('Top up meal card 70045512, please.', [], 'How much should I put on it?'),
    calls: [['top_up_meal_card', { card_number: '70045512', amount_eur: 30 }]],
  },
  {
    ask: 'Thanks. Then file a claim on it please: a collision on 6 February 2026, estimated loss 2700 euros.',
    earlier: spoken(
      'Find the car policy of Wanda Kowalczyk.',
      [
        [
          'find_policy',
          { holder: 'Wanda Kowalczyk', branch: 'car' },
          { policy_number: 'P-778812', holder: 'Wanda Kowalczyk', branch: 'car' },
        ],
      ],
      'It is policy P-778812.',
    ),
    calls: [
      [
        'file_claim',
        {
          policy_number: 'P-778812',
          cause: 'collision',
          incident_date: '2026-02-06',
          estimated_loss_eur: 2700,
        },
      ],
    ],
  },
]

const withoutCall: PlannerCase[] = none(
  // No tool
  'Book me a table for two at an Italian restaurant on 4 May 2027.',
  "What's the capital of Mongolia?",
  'Delete the server db-old for good.',
  "translate 'good morning' into Polish",
  'Thanks, that was all for today!',
  // A required value is missing
  'Extend rental 4471903.',
  "Hello, I'd like to file a claim for theft.",
  'could you refill my prescription please',
  'Schedule a pickup at Ringstraße 5, 70173 Stuttgart.',
  'Quote a table in oak.',
  // Not to be done
  "Please don't reboot web-03 yet.",
  'What would happen if I cancelled my theatre booking TB77Q1? Just asking.',
  'Do not publish the episode "Salt and Steel" of Harbour Talk yet, I still have to edit it.',
  "I've been thinking about sponsoring a penguin, but I haven't decided yet.",
  'We already approved the payout of 900 euros for claim C-200111 yesterday, just so you know.',
)

const exact: PlannerCase[] = [
  one('log_harvest {"plot_id":"B07","crop":"kale","weight_kg":0.8,"date":"2026-10-02"}', 'log_harvest', {
    plot_id: 'B07',
    crop: 'kale',
    weight_kg: 0.8,
    date: '2026-10-02',
  }),
  one(
    'Call provision_vm with name="cache-01", cpu_cores=4, memory_gb=16, disk_gb=200, image="ubuntu24", backup=true',
    'provision_vm',
    { name: 'cache-01', cpu_cores: 4, memory_gb: 16, disk_gb: 200, image: 'ubuntu24', backup: true },
  ),
  one(
    'reserve_rental_car: {"offer_id": "OF-77", "driver": {"name": "Nils Haug", "licence_number": "N0472RRE2I8"}, "full_insurance": false}',
    'reserve_rental_car',
    {
      offer_id: 'OF-77',
      driver: { name: 'Nils Haug', licence_number: 'N0472RRE2I8' },
      full_insurance: false,
    },
  ),
  one(
    'Publish an episode of the show "The Slow Lane" with the title "Why don\'t we cancel Mondays?" and the tags "work" and "habits".',
    'publish_episode',
    { show: 'The Slow Lane', title: "Why don't we cancel Mondays?", tags: ['work', 'habits'] },
  ),
  one(
    'Please run book_sailing with this:\n```json\n{\n  "sailing_id": "GR550",\n  "adults": 2,\n  "vehicle": { "type": "camper", "length_m": 6.8, "plate": "M-XY 123" },\n  "cabin": "outside"\n}\n```',
    'book_sailing',
    {
      sailing_id: 'GR550',
      adults: 2,
      vehicle: { type: 'camper', length_m: 6.8, plate: 'M-XY 123' },
      cabin: 'outside',
    },
  ),
  one('Seat the guests "Jo van Dam" and "Ed O\'Neil" at table 12.', 'seat_guests', {
    table: 12,
    guests: ['Jo van Dam', "Ed O'Neil"],
  }),
  one(
    'quote_shipment(weight_kg=3.2, from_postcode="1010", to_postcode="8001", service="same_day", insured_value_eur=500)',
    'quote_shipment',
    {
      weight_kg: 3.2,
      from_postcode: '1010',
      to_postcode: '8001',
      service: 'same_day',
      insured_value_eur: 500,
    },
  ),
  one('find_policy, holder: "Bergmann & Söhne GmbH", branch: liability', 'find_policy', {
    holder: 'Bergmann & Söhne GmbH',
    branch: 'liability',
  }),
  one('Search performances with the title "Book of Four Seats".', 'search_performances', {
    title: 'Book of Four Seats',
  }),
  one(
    'Use redirect_parcel with tracking_number PQ772910044 and new_address "c/o Meyer, Hofgasse 3, 6020 Innsbruck".',
    'redirect_parcel',
    { tracking_number: 'PQ772910044', new_address: 'c/o Meyer, Hofgasse 3, 6020 Innsbruck' },
  ),
]

const unusual: PlannerCase[] = [
  one('Top up card 61120987 with 20 euros, sorry, I mean 35 euros.', 'top_up_meal_card', {
    card_number: '61120987',
    amount_eur: 35,
  }),
  one(
    'Approve a payout of two thousand five hundred euros for claim C-330045, with a deductible of 10 %.',
    'approve_payout',
    { claim_number: 'C-330045', amount_eur: 2500, deductible_percent: 10 },
  ),
  one('Schedule a vet check for animal 44 on the 2nd of May, 2027. No sedation.', 'schedule_vet_check', {
    animal_id: 44,
    date: '2027-05-02',
    sedation: false,
  }),
  one(
    'I need a rental car in Lisbon from 28/12/2026 to 13/01/2027. It must be an automatic.',
    'search_rental_cars',
    { location: 'Lisbon', pickup_date: '2026-12-28', return_date: '2027-01-13', automatic: true },
  ),
  one("Refill RX-50771, please. I'll pick it up at the counter, so no delivery.", 'refill_prescription', {
    prescription_number: 'RX-50771',
    deliver: false,
  }),
  one('Any slots for a root canal between Nov 9th and Nov 13th, 2026?', 'find_dental_slots', {
    treatment: 'root_canal',
    earliest: '2026-11-09',
    latest: '2026-11-13',
  }),
  one('log a feeding for animal 88: 3 kg of hay, but only half of it was eaten', 'log_feeding', {
    animal_id: 88,
    food: 'hay',
    amount_kg: 3,
    eaten_percent: 50,
  }),
  one(
    'Publish the episode "Night Shift" of the podcast Ward Stories on January 15, 2027. It is not explicit.',
    'publish_episode',
    { show: 'Ward Stories', title: 'Night Shift', publish_on: '2027-01-15', explicit: false },
  ),
  one('what does it cost to send 750 g from 10115 to 20095?', 'quote_shipment', {
    weight_kg: 0.75,
    from_postcode: '10115',
    to_postcode: '20095',
  }),
  one('Quote a table in beech, 2.4 m long and 1 m wide.', 'quote_table', {
    wood: 'beech',
    length_cm: 240,
    width_cm: 100,
  }),
  one(
    'Book the podcast studio for the twenty-third of April 2027, half past nine in the morning, for an hour and a half.',
    'book_studio',
    { date: '2027-04-23', start: '09:30', hours: 1.5 },
  ),
  one('Reboot web-05. No wait, web-06.', 'reboot_server', { hostname: 'web-06' }),
  one(
    "Estimate my income tax for 2025: 62k euros gross, single. I don't pay church tax.",
    'estimate_income_tax',
    { gross_income_eur: 62000, tax_year: 2025, status: 'single', church_tax: false },
  ),
]

export const sixthRequests = [
  {
    tools: sixthTools,
    cases: [...sixthSingles, ...sixthSeveral, ...chains, ...followUps, ...withoutCall, ...exact, ...unusual],
  },
]
