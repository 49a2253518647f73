import { type PlannerCase, spoken } from './planner-case.js'

// Written without knowledge of the planner. An empty list of calls means that the planner must reply in text,
// because a value is missing, no tool fits, or nothing is asked.

/** Single requests in the words of the tool. */
const plainOwn: readonly PlannerCase[] = [
  {
    ask: 'Book a dental visit for Hannah Brooks, a filling, on 14 January 2027 at 09:30',
    calls: [
      [
        'book_dental_visit',
        { patient: 'Hannah Brooks', treatment: 'filling', date: '2027-01-14', time: '09:30' },
      ],
    ],
  },
  {
    ask: 'look up the patient record of Tomasz Zielinski pls',
    calls: [['find_dental_patient', { name: 'Tomasz Zielinski' }]],
  },
  {
    ask: 'send a recall reminder to patient DP-0317 by email',
    calls: [['send_recall_reminder', { patient_id: 'DP-0317', channel: 'email' }]],
  },
  {
    ask: 'Cost estimate for an implant, private insurance, 2 teeth',
    calls: [['estimate_treatment_cost', { treatment: 'implant', teeth: 2, insurance: 'private' }]],
  },
  {
    ask: 'search the collection for "roman glass"',
    calls: [['search_collection', { query: 'roman glass' }]],
  },
  {
    ask: 'Register a loan of OBJ-20114 to the Rijksmuseum, start 1 February 2027, end 30 June 2027',
    calls: [
      [
        'register_loan',
        { object_id: 'OBJ-20114', borrower: 'Rijksmuseum', start_date: '2027-02-01', end_date: '2027-06-30' },
      ],
    ],
  },
  {
    ask: 'Sell museum tickets for 2027-03-06: 2 adults and 3 children',
    calls: [['sell_museum_tickets', { date: '2027-03-06', adults: 2, children: 3 }]],
  },
  {
    ask: 'schedule a guided tour of the armoury in German on April 9, 2027 at 11:00',
    calls: [
      ['schedule_guided_tour', { gallery: 'armoury', language: 'de', date: '2027-04-09', time: '11:00' }],
    ],
  },
  {
    ask: 'which catamaran boats are available from 3 July 2027 to 10 July 2027? at least 8 berths',
    calls: [
      ['find_available_boats', { type: 'catamaran', from: '2027-07-03', to: '2027-07-10', min_berths: 8 }],
    ],
  },
  {
    ask: 'Charter boat b-22 for customer Lindqvist from 12 June 2027 to 19 June 2027 with a skipper',
    calls: [
      [
        'charter_boat',
        { boat_id: 'b-22', customer: 'Lindqvist', from: '2027-06-12', to: '2027-06-19', skipper: true },
      ],
    ],
  },
  {
    ask: 'Report damage on boat b-9: torn mainsail. Severity is moderate',
    calls: [['report_boat_damage', { boat_id: 'b-9', damage: 'torn mainsail', severity: 'moderate' }]],
  },
  { ask: 'list green beans with origin Colombia', calls: [['list_green_beans', { origin: 'Colombia' }]] },
  {
    ask: 'Start a roast batch with lot BRA-11, 15 kg, medium profile',
    calls: [['start_roast_batch', { lot: 'BRA-11', weight_kg: 15, profile: 'medium' }]],
  },
  {
    ask: 'record cupping score 84.25 for batch RB-377',
    calls: [['log_cupping_score', { batch_id: 'RB-377', score: 84.25 }]],
  },
  {
    ask: 'Create an alteration order for Mrs Okafor: dress, take in and replace zip, ready by 20 May 2027',
    calls: [
      [
        'create_alteration_order',
        {
          customer: 'Mrs Okafor',
          garment: 'dress',
          work: ['take_in', 'replace_zip'],
          ready_by: '2027-05-20',
        },
      ],
    ],
  },
  { ask: 'check fabric stock of tweed', calls: [['check_fabric_stock', { fabric: 'tweed' }]] },
  {
    ask: 'Book a driving lesson for learner 204 on 8 March 2027 at 16:15, automatic',
    calls: [
      [
        'book_driving_lesson',
        { learner_id: 204, date: '2027-03-08', time: '16:15', transmission: 'automatic' },
      ],
    ],
  },
  { ask: 'Get the lesson history of learner 77', calls: [['get_lesson_history', { learner_id: 77 }]] },
  {
    ask: 'issue a food parcel to household H0442, size large, halal',
    calls: [['issue_food_parcel', { household_id: 'H0442', size: 'large', dietary: ['halal'] }]],
  },
  {
    ask: 'sign up volunteer Greta Holm for the morning shift on 2 February 2027',
    calls: [['sign_up_volunteer', { name: 'Greta Holm', date: '2027-02-02', shift: 'morning' }]],
  },
  {
    ask: 'Schedule an ad spot for advertiser Fenwick Tyres on 11 January 2027 at 07:45, length 30 seconds',
    calls: [
      [
        'schedule_ad_spot',
        { advertiser: 'Fenwick Tyres', date: '2027-01-11', time: '07:45', length_seconds: 30 },
      ],
    ],
  },
  {
    ask: 'find plants for partial shade, has to be pet safe',
    calls: [['find_plants', { light: 'partial_shade', pet_safe: true }]],
  },
  {
    ask: 'set the climate of greenhouse 3: temperature 22.5, humidity 60',
    calls: [['set_greenhouse_climate', { greenhouse: 3, temperature_c: 22.5, humidity_percent: 60 }]],
  },
  {
    ask: 'reserve meeting room Aurora on 18 February 2027, start 13:00 end 14:30',
    calls: [['reserve_meeting_room', { room: 'Aurora', date: '2027-02-18', start: '13:00', end: '14:30' }]],
  },
]

/** Single requests in other words. */
const plainOther: readonly PlannerCase[] = [
  {
    ask: "Oliver Grant's wisdom tooth needs pulling, can Dr. Lam do that 22 January 2027, quarter past two in the afternoon?",
    calls: [
      [
        'book_dental_visit',
        {
          patient: 'Oliver Grant',
          treatment: 'extraction',
          date: '2027-01-22',
          time: '14:15',
          dentist: 'Dr. Lam',
        },
      ],
    ],
  },
  {
    ask: 'text DP-1180 that they should come in for their check again',
    calls: [['send_recall_reminder', { patient_id: 'DP-1180', channel: 'sms' }]],
  },
  {
    ask: 'roughly how much would a root canal set someone back without any insurance',
    calls: [['estimate_treatment_cost', { treatment: 'root_canal', insurance: 'none' }]],
  },
  { ask: 'do we own any samurai swords?', calls: [['search_collection', { query: 'samurai swords' }]] },
  {
    ask: 'Musée Rodin wants to borrow OBJ-00731 between 5 May 2027 and 5 November 2027, put that in the books',
    calls: [
      [
        'register_loan',
        { object_id: 'OBJ-00731', borrower: 'Musée Rodin', start_date: '2027-05-05', end_date: '2027-11-05' },
      ],
    ],
  },
  {
    ask: 'four grown-ups want to get into the museum on 1 May 2027, and they would like the audio guides',
    calls: [['sell_museum_tickets', { date: '2027-05-01', adults: 4, audio_guide: true }]],
  },
  {
    ask: 'a french class of 26 wants someone to show them round the Egypt rooms in their own language, 17 March 2027 10 am',
    calls: [
      [
        'schedule_guided_tour',
        { gallery: 'egypt', language: 'fr', date: '2027-03-17', time: '10:00', group_size: 26 },
      ],
    ],
  },
  {
    ask: 'any houseboats free 2 to 9 August 2027?',
    calls: [['find_available_boats', { type: 'houseboat', from: '2027-08-02', to: '2027-08-09' }]],
  },
  {
    ask: 'how windy will it be at Port Ellery on 6 June 2027',
    calls: [['get_marina_weather', { marina: 'Port Ellery', date: '2027-06-06' }]],
  },
  {
    ask: "we've got a scratched hull on b-31, nothing serious, just minor. please write it up",
    calls: [['report_boat_damage', { boat_id: 'b-31', damage: 'scratched hull', severity: 'minor' }]],
  },
  {
    ask: "what raw coffee do we have that's no more than 7.50 dollars a kilo",
    calls: [['list_green_beans', { max_price: 7.5 }]],
  },
  {
    ask: 'C204981 can go out with UPS, and make it express',
    calls: [['ship_coffee_order', { order_no: 'C204981', carrier: 'ups', express: true }]],
  },
  {
    ask: "write down Mr Adeyemi's sizes: waist 92, chest 108, inside leg 81",
    calls: [['record_measurements', { customer: 'Mr Adeyemi', waist_cm: 92, chest_cm: 108, inseam_cm: 81 }]],
  },
  {
    ask: "Pavel's coat is too long, make it shorter please. He is picking it up 4 December 2027",
    calls: [
      [
        'create_alteration_order',
        { customer: 'Pavel', garment: 'coat', work: ['shorten'], ready_by: '2027-12-04' },
      ],
    ],
  },
  {
    ask: 'is there any navy linen left?',
    calls: [['check_fabric_stock', { fabric: 'linen', color: 'navy' }]],
  },
  {
    ask: 'what would a made to measure three-piece in flannel with silk lining cost?',
    calls: [['quote_bespoke_suit', { fabric: 'flannel', pieces: 3, lining: 'silk' }]],
  },
  {
    ask: 'new student: Amina Yusuf, birthday 23 September 2008, wants class B, her mail is amina.y@postbox.example',
    calls: [
      [
        'register_learner',
        { name: 'Amina Yusuf', born: '2008-09-23', licence_class: 'B', email: 'amina.y@postbox.example' },
      ],
    ],
  },
  {
    ask: 'learner 512 is ready for the practical exam, get a slot on 29 April 2027',
    calls: [['book_driving_test', { learner_id: 512, kind: 'practical', date: '2027-04-29' }]],
  },
  {
    ask: 'put down that Baxter Bakery gave us 40 loaves and 12 cakes',
    calls: [
      [
        'log_donation',
        {
          donor: 'Baxter Bakery',
          items: [
            { item: 'loaves', quantity: 40 },
            { item: 'cakes', quantity: 12 },
          ],
        },
      ],
    ],
  },
  {
    ask: 'how much tinned food is left in the pantry',
    calls: [['get_pantry_levels', { category: 'canned' }]],
  },
  {
    ask: 'play Heroes by David Bowie next',
    calls: [['queue_song', { title: 'Heroes', artist: 'David Bowie', position: 'next' }]],
  },
  {
    ask: 'how many people tuned in to "Night Owls" on 15 October 2026?',
    calls: [['get_listener_stats', { show: 'Night Owls', date: '2026-10-15' }]],
  },
  { ask: 'how often do I need to water a monstera?', calls: [['get_plant_care', { plant: 'monstera' }]] },
  {
    ask: 'Zoe Tanaka is visiting Marcus Reid on 3 March 2027, she needs to get in for the day',
    calls: [['issue_guest_pass', { guest: 'Zoe Tanaka', host: 'Marcus Reid', date: '2027-03-03' }]],
  },
]

/** Several calls in one sentence. */
const several: readonly PlannerCase[] = [
  {
    ask: 'send recall reminders to DP-0101 by letter and DP-0102 by sms',
    calls: [
      ['send_recall_reminder', { patient_id: 'DP-0101', channel: 'letter' }],
      ['send_recall_reminder', { patient_id: 'DP-0102', channel: 'sms' }],
    ],
  },
  {
    ask: 'Give me cost estimates for a crown and for a bridge, both with public insurance',
    calls: [
      ['estimate_treatment_cost', { treatment: 'crown', insurance: 'public' }],
      ['estimate_treatment_cost', { treatment: 'bridge', insurance: 'public' }],
    ],
  },
  {
    ask: '3 adult tickets for 10 April 2027 and also a tour of the impressionists in English that day at 15:00',
    calls: [
      ['sell_museum_tickets', { date: '2027-04-10', adults: 3 }],
      [
        'schedule_guided_tour',
        { gallery: 'impressionists', language: 'en', date: '2027-04-10', time: '15:00' },
      ],
    ],
  },
  {
    ask: "what's the marina weather in Cowes and in Lymington for 21 May 2027",
    calls: [
      ['get_marina_weather', { marina: 'Cowes', date: '2027-05-21' }],
      ['get_marina_weather', { marina: 'Lymington', date: '2027-05-21' }],
    ],
  },
  {
    ask: 'Roast 10 kg of KEN-02 light, then 20 kg of SUM-05 dark',
    calls: [
      ['start_roast_batch', { lot: 'KEN-02', weight_kg: 10, profile: 'light' }],
      ['start_roast_batch', { lot: 'SUM-05', weight_kg: 20, profile: 'dark' }],
    ],
  },
  {
    ask: 'check how much corduroy we have and quote a two-piece bespoke suit in corduroy',
    calls: [
      ['check_fabric_stock', { fabric: 'corduroy' }],
      ['quote_bespoke_suit', { fabric: 'corduroy', pieces: 2 }],
    ],
  },
  {
    ask: 'learner 88 needs a lesson on 12 May 2027 at 10:00 and the theory test on 26 May 2027',
    calls: [
      ['book_driving_lesson', { learner_id: 88, date: '2027-05-12', time: '10:00' }],
      ['book_driving_test', { learner_id: 88, kind: 'theory', date: '2027-05-26' }],
    ],
  },
  {
    ask: 'small parcel for H0020, medium one for H0021 please, and show me the dairy stock',
    calls: [
      ['issue_food_parcel', { household_id: 'H0020', size: 'small' }],
      ['issue_food_parcel', { household_id: 'H0021', size: 'medium' }],
      ['get_pantry_levels', { category: 'dairy' }],
    ],
  },
  {
    ask: 'Put out a traffic alert, accident on the M4 eastbound, and queue the song Slow Down',
    calls: [
      ['send_traffic_alert', { road: 'M4', incident: 'accident', direction: 'east' }],
      ['queue_song', { title: 'Slow Down' }],
    ],
  },
  {
    ask: 'deliver 2.5 cubic metres of bark to 40213, and set greenhouse 1 to 18 degrees',
    calls: [
      ['order_bulk_delivery', { material: 'bark', cubic_metres: 2.5, postcode: '40213' }],
      ['set_greenhouse_climate', { greenhouse: 1, temperature_c: 18 }],
    ],
  },
]

/** The second call needs the result of the first. */
const chains: readonly PlannerCase[] = [
  {
    ask: 'Find the patient Ines Duarte and send her a recall reminder by sms',
    calls: [['find_dental_patient', { name: 'Ines Duarte' }]],
    results: {
      find_dental_patient: [{ patient_id: 'DP-2093', name: 'Ines Duarte' }],
      send_recall_reminder: { sent: true },
    },
    rounds: [[['send_recall_reminder', { patient_id: 'DP-2093', channel: 'sms' }]]],
  },
  {
    ask: 'Wilhelm Krauss should get a letter saying his checkup is due. I dont have his patient number, look it up first',
    calls: [['find_dental_patient', { name: 'Wilhelm Krauss' }]],
    results: {
      find_dental_patient: { patient_id: 'DP-0556', name: 'Wilhelm Krauss' },
      send_recall_reminder: { sent: true },
    },
    rounds: [[['send_recall_reminder', { patient_id: 'DP-0556', channel: 'letter' }]]],
  },
  {
    ask: 'search the collection for "viking brooch" and register a loan of it to Bergen Museum from 1 March 2027 to 31 August 2027',
    calls: [['search_collection', { query: 'viking brooch' }]],
    results: {
      search_collection: [{ object_id: 'OBJ-11872', title: 'Viking brooch, silver' }],
      register_loan: { loan_id: 'L-90' },
    },
    rounds: [
      [
        [
          'register_loan',
          {
            object_id: 'OBJ-11872',
            borrower: 'Bergen Museum',
            start_date: '2027-03-01',
            end_date: '2027-08-31',
          },
        ],
      ],
    ],
  },
  {
    ask: 'See which catamarans are free from 5 June 2027 to 12 June 2027 and charter the cheapest one for Halvorsen',
    calls: [['find_available_boats', { type: 'catamaran', from: '2027-06-05', to: '2027-06-12' }]],
    results: {
      find_available_boats: [
        { boat_id: 'b-41', name: 'Calypso', berths: 8, price: 4100 },
        { boat_id: 'b-45', name: 'Tern', berths: 6, price: 3350 },
        { boat_id: 'b-48', name: 'Osprey', berths: 10, price: 5200 },
      ],
      charter_boat: { contract: 'CH-1007' },
    },
    rounds: [
      [['charter_boat', { boat_id: 'b-45', customer: 'Halvorsen', from: '2027-06-05', to: '2027-06-12' }]],
    ],
  },
  {
    ask: 'Get Petra Novak a houseboat from 14 August 2027 to 21 August 2027, whichever available one has the most berths',
    calls: [['find_available_boats', { type: 'houseboat', from: '2027-08-14', to: '2027-08-21' }]],
    results: {
      find_available_boats: [
        { boat_id: 'b-60', name: 'Willow', berths: 4 },
        { boat_id: 'b-63', name: 'Heron', berths: 9 },
      ],
      charter_boat: { contract: 'CH-1012' },
    },
    rounds: [
      [['charter_boat', { boat_id: 'b-63', customer: 'Petra Novak', from: '2027-08-14', to: '2027-08-21' }]],
    ],
  },
  {
    ask: 'list our green beans from Ethiopia and start a 12 kg light roast with the cheapest lot',
    calls: [['list_green_beans', { origin: 'Ethiopia' }]],
    results: {
      list_green_beans: [
        { lot: 'ETH-04', origin: 'Ethiopia', price: 8.9 },
        { lot: 'ETH-07', origin: 'Ethiopia', price: 7.2 },
      ],
      start_roast_batch: { batch_id: 'RB-401' },
    },
    rounds: [[['start_roast_batch', { lot: 'ETH-07', weight_kg: 12, profile: 'light' }]]],
  },
  {
    ask: 'roast 5 kg of GUA-03 as espresso, then log a cupping score of 86.5 for that batch',
    calls: [['start_roast_batch', { lot: 'GUA-03', weight_kg: 5, profile: 'espresso' }]],
    results: {
      start_roast_batch: { batch_id: 'RB-412', status: 'started' },
      log_cupping_score: { ok: true },
    },
    rounds: [[['log_cupping_score', { batch_id: 'RB-412', score: 86.5 }]]],
  },
  {
    ask: 'Register Leo Santos, born 11 May 2009, class A, and book his theory test for 7 June 2027',
    calls: [['register_learner', { name: 'Leo Santos', born: '2009-05-11', licence_class: 'A' }]],
    results: { register_learner: { learner_id: 640 }, book_driving_test: { ok: true } },
    rounds: [[['book_driving_test', { learner_id: 640, kind: 'theory', date: '2027-06-07' }]]],
  },
  {
    ask: 'We have a new learner, Mei Chen, date of birth 2 February 2007, licence class BE. Once shes in the system give her a lesson on 15 March 2027 at 08:30',
    calls: [['register_learner', { name: 'Mei Chen', born: '2007-02-02', licence_class: 'BE' }]],
    results: { register_learner: { learner_id: 655, status: 'active' }, book_driving_lesson: { ok: true } },
    rounds: [[['book_driving_lesson', { learner_id: 655, date: '2027-03-15', time: '08:30' }]]],
  },
  {
    ask: 'look at the lesson history of learner 318 and book another lesson on 5 May 2027 at 14:00 with the same instructor',
    calls: [['get_lesson_history', { learner_id: 318 }]],
    results: {
      get_lesson_history: { lessons: [{ date: '2027-04-20', instructor: 'Ruth Adler' }] },
      book_driving_lesson: { ok: true },
    },
    rounds: [
      [
        [
          'book_driving_lesson',
          { learner_id: 318, date: '2027-05-05', time: '14:00', instructor: 'Ruth Adler' },
        ],
      ],
    ],
  },
  {
    ask: 'find a plant for full sun that stays under 40 cm and tell me how to care for it',
    calls: [['find_plants', { light: 'full_sun', max_height_cm: 40 }]],
    results: {
      find_plants: [{ plant: 'Creeping thyme', height_cm: 10 }],
      get_plant_care: { watering: 'sparingly', pruning: 'after flowering' },
    },
    rounds: [[['get_plant_care', { plant: 'Creeping thyme' }]]],
  },
  {
    ask: 'Which meeting rooms have at least 6 seats? Reserve the smallest of them on 9 February 2027 from 10:00 to 11:30',
    calls: [['list_meeting_rooms', { min_seats: 6 }]],
    results: {
      list_meeting_rooms: [
        { room: 'Atlas', seats: 14 },
        { room: 'Birch', seats: 8 },
        { room: 'Cedar', seats: 20 },
      ],
      reserve_meeting_room: { ok: true },
    },
    rounds: [[['reserve_meeting_room', { room: 'Birch', date: '2027-02-09', start: '10:00', end: '11:30' }]]],
  },
]

/** Corrections of an earlier request, answers to a question, and requests that lean on an earlier one. */
const followUps: readonly PlannerCase[] = [
  {
    ask: 'sorry, make that 15:45',
    earlier: spoken('Book a cleaning for Ruben Vega on 3 February 2027 at 15:00', [
      [
        'book_dental_visit',
        { patient: 'Ruben Vega', treatment: 'cleaning', date: '2027-02-03', time: '15:00' },
        { visit_id: 'V-11' },
      ],
    ]),
    calls: [
      [
        'book_dental_visit',
        { patient: 'Ruben Vega', treatment: 'cleaning', date: '2027-02-03', time: '15:45' },
      ],
    ],
  },
  {
    ask: 'And the same for DP-0778',
    earlier: spoken('send DP-0777 a recall reminder by email', [
      ['send_recall_reminder', { patient_id: 'DP-0777', channel: 'email' }, { sent: true }],
    ]),
    calls: [['send_recall_reminder', { patient_id: 'DP-0778', channel: 'email' }]],
  },
  {
    ask: 'what about motorboats?',
    earlier: spoken(
      'Are there sailing yachts free from 1 July 2027 to 4 July 2027?',
      [['find_available_boats', { type: 'sailing_yacht', from: '2027-07-01', to: '2027-07-04' }, []]],
      'No sailing yachts are free in that period.',
    ),
    calls: [['find_available_boats', { type: 'motorboat', from: '2027-07-01', to: '2027-07-04' }]],
  },
  {
    ask: 'on 19 January 2027',
    earlier: spoken(
      'sign up Jonas Weber as a volunteer for the evening shift',
      [],
      'On which day is the shift?',
    ),
    calls: [['sign_up_volunteer', { name: 'Jonas Weber', date: '2027-01-19', shift: 'evening' }]],
  },
  {
    ask: 'no I meant dark, not medium',
    earlier: spoken('roast 8 kg of PER-06 medium', [
      ['start_roast_batch', { lot: 'PER-06', weight_kg: 8, profile: 'medium' }, { batch_id: 'RB-420' }],
    ]),
    calls: [['start_roast_batch', { lot: 'PER-06', weight_kg: 8, profile: 'dark' }]],
  },
  {
    ask: 'ok book the second one for Dimitriou, same dates',
    earlier: spoken(
      'which motorboats are free 9 July 2027 to 11 July 2027',
      [
        [
          'find_available_boats',
          { type: 'motorboat', from: '2027-07-09', to: '2027-07-11' },
          [
            { boat_id: 'b-70', name: 'Comet' },
            { boat_id: 'b-74', name: 'Dart' },
          ],
        ],
      ],
      'Two motorboats are free: Comet (b-70) and Dart (b-74).',
    ),
    calls: [
      ['charter_boat', { boat_id: 'b-74', customer: 'Dimitriou', from: '2027-07-09', to: '2027-07-11' }],
    ],
  },
  {
    ask: 'her email is nadia@foundry.example',
    earlier: spoken(
      'create a hot desk membership for Nadia Rahman',
      [],
      'Which email address should the invoices go to?',
    ),
    calls: [
      ['create_membership', { member: 'Nadia Rahman', email: 'nadia@foundry.example', plan: 'hot_desk' }],
    ],
  },
  {
    ask: 'oops wrong postcode, it should be 50667',
    earlier: spoken('Order 4 cubic metres of gravel to 50676 for 22 March 2027', [
      [
        'order_bulk_delivery',
        { material: 'gravel', cubic_metres: 4, postcode: '50676', date: '2027-03-22' },
        { delivery: 'BD-5' },
      ],
    ]),
    calls: [
      ['order_bulk_delivery', { material: 'gravel', cubic_metres: 4, postcode: '50667', date: '2027-03-22' }],
    ],
  },
]

/** Small talk, nothing that fits, a missing value, a statement. */
const noCall: readonly PlannerCase[] = [
  { ask: 'hey, good morning! how are you doing?', calls: [] },
  { ask: 'haha thanks, you are a star', calls: [] },
  { ask: 'what can you actually do for me?', calls: [] },
  { ask: 'Translate "good luck with the exam" into Portuguese', calls: [] },
  { ask: 'What is the capital of Mongolia?', calls: [] },
  { ask: 'turn off the lights in the living room', calls: [] },
  { ask: 'Book a dental visit for Carla Jimenez for whitening', calls: [] },
  { ask: 'i want to reserve the meeting room Aurora on 4 March 2027', calls: [] },
  { ask: 'can you send the patient a recall reminder', calls: [] },
  { ask: 'Book a driving test for learner 91', calls: [] },
  { ask: 'my grandmother used to be a tailor, she made the loveliest coats', calls: [] },
  { ask: 'I really love the smell of freshly roasted coffee', calls: [] },
]

/** Calls that the user writes exactly. */
const exact: readonly PlannerCase[] = [
  {
    ask: 'Call send_recall_reminder with {"patient_id": "DP-0042", "channel": "letter"}',
    calls: [['send_recall_reminder', { patient_id: 'DP-0042', channel: 'letter' }]],
  },
  {
    ask: 'Call log_donation with {"donor": "Harvest Co-op", "items": [{"item": "rice bags", "quantity": 60}], "received": "2027-01-05"}',
    calls: [
      [
        'log_donation',
        { donor: 'Harvest Co-op', items: [{ item: 'rice bags', quantity: 60 }], received: '2027-01-05' },
      ],
    ],
  },
  {
    ask: 'Call create_alteration_order with {"customer":"Bell","garment":"trousers","work":["shorten","patch"]}',
    calls: [
      ['create_alteration_order', { customer: 'Bell', garment: 'trousers', work: ['shorten', 'patch'] }],
    ],
  },
  { ask: 'Call get_pantry_levels with {}', calls: [['get_pantry_levels', {}]] },
  {
    ask: 'queue_song(title: "Blue Monday", artist: "New Order", position: "last")',
    calls: [['queue_song', { title: 'Blue Monday', artist: 'New Order', position: 'last' }]],
  },
  {
    ask: 'set_greenhouse_climate(greenhouse: 5, humidity_percent: 75)',
    calls: [['set_greenhouse_climate', { greenhouse: 5, humidity_percent: 75 }]],
  },
  {
    ask: 'please run search_collection(query: "ivory chess piece", on_display: true, limit: 5)',
    calls: [['search_collection', { query: 'ivory chess piece', on_display: true, limit: 5 }]],
  },
  {
    ask: 'book_driving_test learner_id=233 kind=practical date=2027-08-16',
    calls: [['book_driving_test', { learner_id: 233, kind: 'practical', date: '2027-08-16' }]],
  },
  {
    ask: 'ship_coffee_order order_no=C118040 carrier=bike_courier express=false',
    calls: [['ship_coffee_order', { order_no: 'C118040', carrier: 'bike_courier', express: false }]],
  },
  {
    ask: 'issue_guest_pass guest="Ana Lopes" host="Sam Whitaker" date=2027-02-11',
    calls: [['issue_guest_pass', { guest: 'Ana Lopes', host: 'Sam Whitaker', date: '2027-02-11' }]],
  },
]

export const secondKinds: Readonly<Record<string, readonly PlannerCase[]>> = {
  plainOwn,
  plainOther,
  several,
  chains,
  followUps,
  noCall,
  exact,
}

export const secondCorpus: readonly PlannerCase[] = Object.values(secondKinds).flat()
