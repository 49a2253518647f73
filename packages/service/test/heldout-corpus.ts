import { type PlannerCase, spoken } from './planner-case.js'

// Written by another author without a look at the planner. Measured once: no rule was made with it. An empty list of calls means that the planner must ask, because a
// value is missing or no tool fits. No date depends on today.

/** One request for one tool: per trade, some in the words of the tool and some in other words. */
const singles: readonly PlannerCase[] = [
  // Veterinary practice
  { ask: 'Look up the animals of owner Petrov', calls: [['find_pet', { owner_name: 'Petrov' }]] },
  { ask: 'do we have a dog called Biscuit on file?', calls: [['find_pet', { pet_name: 'Biscuit' }]] },
  {
    ask: 'Book a vet visit for PET-4471 on 3 December 2026 at 16:20, reason: limping',
    calls: [['book_vet_visit', { pet_id: 'PET-4471', date: '2026-12-03', time: '16:20', reason: 'limping' }]],
  },
  {
    ask: 'PET-2087 got its rabies shot on 2026-11-19, batch RB-552',
    calls: [
      [
        'record_vaccination',
        { pet_id: 'PET-2087', vaccine: 'rabies', given_on: '2026-11-19', batch: 'RB-552' },
      ],
    ],
  },
  {
    ask: 'Dispense Metacam to PET-4471, 15 mg twice a day',
    calls: [
      ['dispense_medicine', { pet_id: 'PET-4471', medicine: 'Metacam', dose_mg: 15, times_per_day: 2 }],
    ],
  },
  // Property management
  { ask: 'List the tenants of Lindenhof', calls: [['list_tenants', { building: 'Lindenhof' }]] },
  {
    ask: "who's behind with the rent in Marienhof?",
    calls: [['list_tenants', { building: 'Marienhof', only_in_arrears: true }]],
  },
  {
    ask: 'Report a repair in unit 4B: plumbing, "tap in the bathroom drips", urgent',
    calls: [
      [
        'report_repair',
        { unit: '4B', category: 'plumbing', description: 'tap in the bathroom drips', urgent: true },
      ],
    ],
  },
  {
    ask: 'TN-118 paid 845.50 in cash on 2 November 2026',
    calls: [
      ['record_rent_payment', { tenant_id: 'TN-118', amount: 845.5, paid_on: '2026-11-02', method: 'cash' }],
    ],
  },
  {
    ask: 'Schedule a viewing of 12C for Paula Jansen on 2026-12-09 at 17:30',
    calls: [
      ['schedule_viewing', { unit: '12C', visitor_name: 'Paula Jansen', starts_at: '2026-12-09T17:30' }],
    ],
  },
  // Freight
  {
    ask: 'Get a freight quote from Rotterdam to Milan, 1200 kg by rail',
    calls: [
      ['get_freight_quote', { origin: 'Rotterdam', destination: 'Milan', weight_kg: 1200, mode: 'rail' }],
    ],
  },
  {
    ask: 'what would it cost to ship 2.5 tonnes of paint from Hamburg to Oslo by sea? its hazardous',
    calls: [
      [
        'get_freight_quote',
        { origin: 'Hamburg', destination: 'Oslo', weight_kg: 2500, mode: 'sea', hazardous: true },
      ],
    ],
  },
  {
    ask: 'Book shipment on quote FQ-9034, pickup date 2026-12-11, contact email dock@harlow-tools.com',
    calls: [
      [
        'book_shipment',
        { quote_id: 'FQ-9034', pickup_date: '2026-12-11', contact_email: 'dock@harlow-tools.com' },
      ],
    ],
  },
  { ask: "where's FR20391188 right now?", calls: [['track_consignment', { tracking_no: 'FR20391188' }]] },
  {
    ask: 'Please cancel BK-55120, wrong address',
    calls: [['cancel_shipment', { booking_no: 'BK-55120', reason: 'wrong_address' }]],
  },
  // Travel agency
  {
    ask: 'Search flights from VIE to LIS departing 14 March 2027, 2 passengers, business',
    calls: [
      [
        'search_flights',
        { from: 'VIE', to: 'LIS', depart_on: '2027-03-14', passengers: 2, cabin: 'business' },
      ],
    ],
  },
  {
    ask: 'I want to fly from OSL to JFK on 6 January 2027 and back on 20 January 2027',
    calls: [['search_flights', { from: 'OSL', to: 'JFK', depart_on: '2027-01-06', return_on: '2027-01-20' }]],
  },
  {
    ask: 'Hold flight offer OF-88213 for Ingrid Solberg',
    calls: [['hold_flight_offer', { offer_id: 'OF-88213', lead_passenger: 'Ingrid Solberg' }]],
  },
  {
    ask: 'somewhere to sleep in Porto, 3 to 7 May 2027, two guests, not more than 140 a night',
    calls: [
      [
        'search_hotels',
        { city: 'Porto', check_in: '2027-05-03', check_out: '2027-05-07', guests: 2, max_price: 140 },
      ],
    ],
  },
  {
    ask: 'Does someone with a passport from Brazil need a visa for Japan, staying 30 days?',
    calls: [['get_visa_rules', { nationality: 'Brazil', destination: 'Japan', stay_days: 30 }]],
  },
  // Optician
  {
    ask: 'Find the eyewear customer Tobias Brandl',
    calls: [['find_eyewear_customer', { name: 'Tobias Brandl' }]],
  },
  {
    ask: 'Record eye values for customer 70412: right eye, sphere -2.25, cylinder -0.5, axis 90',
    calls: [
      ['record_eye_values', { customer_no: 70412, eye: 'right', sphere: -2.25, cylinder: -0.5, axis: 90 }],
    ],
  },
  {
    ask: 'customer 70380 wants varifocals with anti reflective and blue light coating',
    calls: [
      [
        'order_lenses',
        { customer_no: 70380, lens_type: 'varifocal', coatings: ['anti_reflective', 'blue_light'] },
      ],
    ],
  },
  {
    ask: 'Check frame stock for RB-5154 in black',
    calls: [['check_frame_stock', { frame_code: 'RB-5154', colour: 'black' }]],
  },
  {
    ask: 'Have we still got any VO-2788 frames?',
    calls: [['check_frame_stock', { frame_code: 'VO-2788' }]],
  },
  // Gym
  {
    ask: 'Register gym member Aylin Demir, aylin.demir@postfach.net, student plan',
    calls: [
      [
        'register_gym_member',
        { first_name: 'Aylin', last_name: 'Demir', email: 'aylin.demir@postfach.net', plan: 'student' },
      ],
    ],
  },
  {
    ask: 'sign up Jonas Falk (jonas@falkmail.org) at the gym, he takes the yearly one',
    calls: [
      [
        'register_gym_member',
        { first_name: 'Jonas', last_name: 'Falk', email: 'jonas@falkmail.org', plan: 'yearly' },
      ],
    ],
  },
  {
    ask: 'Freeze the membership of 3301 from 2027-01-10 until 2027-02-10',
    calls: [['freeze_membership', { member_no: 3301, from_date: '2027-01-10', until_date: '2027-02-10' }]],
  },
  {
    ask: 'put member 2988 into boxing on 2 December 2026 at 7 pm',
    calls: [['book_gym_class', { member_no: 2988, class_name: 'boxing', date: '2026-12-02', time: '19:00' }]],
  },
  {
    ask: 'member 3077 weighs 82.4 kilos now, body fat 19 percent',
    calls: [['log_measurement', { member_no: 3077, weight_kg: 82.4, body_fat_percent: 19 }]],
  },
  // Newspaper subscriptions
  {
    ask: 'Find subscribers with postcode 80331',
    calls: [['find_subscriber', { postcode: '80331' }]],
  },
  {
    ask: 'Pause delivery for S204417 from 20 December 2026 to 3 January 2027',
    calls: [
      ['pause_delivery', { subscriber_id: 'S204417', start_date: '2026-12-20', end_date: '2027-01-03' }],
    ],
  },
  {
    ask: 'S118930 only wants the paper at the weekend from now on',
    calls: [['change_edition', { subscriber_id: 'S118930', edition: 'weekend_only' }]],
  },
  {
    ask: 'Report missing issue of 2026-11-16 for S300271, resend',
    calls: [
      [
        'report_missing_issue',
        { subscriber_id: 'S300271', issue_date: '2026-11-16', compensation: 'resend' },
      ],
    ],
  },
  {
    ask: "S204511 didn't get the paper on 12 November 2026 and wants a credit",
    calls: [
      [
        'report_missing_issue',
        { subscriber_id: 'S204511', issue_date: '2026-11-12', compensation: 'credit' },
      ],
    ],
  },
  // IT helpdesk
  {
    ask: 'Create an IT ticket "VPN drops every hour", priority high, requester m.oduya@corvid.io, category network',
    calls: [
      [
        'create_it_ticket',
        {
          title: 'VPN drops every hour',
          priority: 'high',
          requester_email: 'm.oduya@corvid.io',
          category: 'network',
        },
      ],
    ],
  },
  {
    ask: "user jwest can't log in any more, he needs a new password",
    calls: [['reset_user_password', { username: 'jwest' }]],
  },
  {
    ask: 'Assign ticket 40812 to Farah',
    calls: [['assign_it_ticket', { ticket_id: 40812, agent: 'Farah' }]],
  },
  {
    ask: 'Search IT tickets with status open from lena@corvid.io',
    calls: [['search_it_tickets', { status: 'open', requester_email: 'lena@corvid.io' }]],
  },
  {
    ask: 'hand ticket 40777 over to Matteo please',
    calls: [['assign_it_ticket', { ticket_id: 40777, agent: 'Matteo' }]],
  },
  // Winery
  {
    ask: 'Get the wine stock of Riesling 2021',
    calls: [['get_wine_stock', { wine: 'Riesling', vintage: 2021 }]],
  },
  {
    ask: 'how much of the 2019 Merlot is left downstairs?',
    calls: [['get_wine_stock', { wine: 'Merlot', vintage: 2019 }]],
  },
  {
    ask: 'Create a wine order for Hotel Adler: 24 bottles of Riesling 2021 and 12 bottles of Pinot Noir 2018',
    calls: [
      [
        'create_wine_order',
        {
          customer: 'Hotel Adler',
          items: [
            { wine: 'Riesling', vintage: 2021, bottles: 24 },
            { wine: 'Pinot Noir', vintage: 2018, bottles: 12 },
          ],
        },
      ],
    ],
  },
  {
    ask: 'Book a wine tasting for Lefevre, 8 guests, 2026-12-12 at 15:00, in French',
    calls: [
      [
        'book_wine_tasting',
        { name: 'Lefevre', guests: 8, date: '2026-12-12', time: '15:00', language: 'fr' },
      ],
    ],
  },
  {
    ask: 'we brought in 3,450 kilos of Silvaner from the Kirchberg vineyard, 88 oechsle',
    calls: [['record_harvest', { vineyard: 'Kirchberg', grape: 'Silvaner', kilos: 3450, oechsle: 88 }]],
  },
  // Theatre box office
  { ask: 'List the performances of Faust', calls: [['list_performances', { show: 'Faust' }]] },
  {
    ask: 'when is The Seagull on between 1 February 2027 and 15 February 2027?',
    calls: [['list_performances', { show: 'The Seagull', from_date: '2027-02-01', to_date: '2027-02-15' }]],
  },
  {
    ask: 'Reserve 3 seats in the balcony for performance 612, name Novak',
    calls: [['reserve_theatre_seats', { performance_id: 612, area: 'balcony', seats: 3, name: 'Novak' }]],
  },
  {
    ask: 'give the people with TB7K2QX their money back',
    calls: [['refund_theatre_booking', { booking_ref: 'TB7K2QX' }]],
  },
  { ask: 'is GV-2290-KX still good?', calls: [['check_gift_voucher', { code: 'GV-2290-KX' }]] },
  // Kindergarten
  { ask: 'Find the child Emil Sorensen', calls: [['find_child', { name: 'Emil Sorensen' }]] },
  {
    ask: 'K217 has a holiday and wont come on 26 November 2026',
    calls: [['report_child_absence', { child_id: 'K217', date: '2026-11-26', cause: 'holiday' }]],
  },
  {
    ask: 'Add pickup person Rosa Lindqvist, the grandmother, for K104',
    calls: [['add_pickup_person', { child_id: 'K104', person: 'Rosa Lindqvist', relation: 'grandparent' }]],
  },
  {
    ask: 'Send a note to the owls group: "Please bring rubber boots on Thursday"',
    calls: [['send_group_note', { group: 'owls', message: 'Please bring rubber boots on Thursday' }]],
  },
  {
    ask: 'tell the parents of the foxes "The summer party starts at 3"',
    calls: [['send_group_note', { group: 'foxes', message: 'The summer party starts at 3' }]],
  },
  // Insurance claims
  { ask: 'Look up policy PL-204981', calls: [['lookup_policy', { policy_no: 'PL-204981' }]] },
  {
    ask: 'Open a theft claim on PL-330127, happened on 8 November 2026',
    calls: [['open_claim', { policy_no: 'PL-330127', kind: 'theft', happened_on: '2026-11-08' }]],
  },
  {
    ask: 'a storm took the roof off on 2026-11-03, policy PL-118200, damage around 14 thousand',
    calls: [
      ['open_claim', { policy_no: 'PL-118200', kind: 'storm', happened_on: '2026-11-03', estimate: 14000 }],
    ],
  },
  {
    ask: 'Set the claim reserve of CL-40917 to 25000 EUR',
    calls: [['set_claim_reserve', { claim_no: 'CL-40917', amount: 25000, currency: 'EUR' }]],
  },
  {
    ask: 'Nadia Roth should take care of CL-40922',
    calls: [['assign_adjuster', { claim_no: 'CL-40922', adjuster: 'Nadia Roth' }]],
  },
  // Farm shop
  {
    ask: 'Set the shop price of carrots to 2.40 per kg',
    calls: [['set_shop_price', { product: 'carrots', price: 2.4, unit: 'kg' }]],
  },
  {
    ask: 'eggs cost 4.20 a dozen from now on',
    calls: [['set_shop_price', { product: 'eggs', price: 4.2, unit: 'dozen' }]],
  },
  {
    ask: 'Order a large veg box for Hannah Weiss on Friday, leave out celery and fennel',
    calls: [
      [
        'order_veg_box',
        { customer: 'Hannah Weiss', size: 'large', weekday: 'friday', leave_out: ['celery', 'fennel'] },
      ],
    ],
  },
  { ask: 'the hens in coop 3 laid 212', calls: [['log_egg_count', { coop: 3, eggs: 212 }]] },
  {
    ask: 'which dairy products do we need to restock soon?',
    calls: [['list_low_stock', { category: 'dairy' }]],
  },
  // Locksmith
  {
    ask: 'Dispatch a locksmith to Bergstrasse 14, Graz, lockout, callback +43 660 5512233',
    calls: [
      [
        'dispatch_locksmith',
        { address: 'Bergstrasse 14, Graz', job: 'lockout', callback_phone: '+43 660 5512233' },
      ],
    ],
  },
  {
    ask: 'customer is locked out at 9 Mill Lane, phone 07700 900412, send someone',
    calls: [
      ['dispatch_locksmith', { address: '9 Mill Lane', job: 'lockout', callback_phone: '07700 900412' }],
    ],
  },
  {
    ask: 'Cut 3 copies of key EV-4471',
    calls: [['cut_keys', { key_code: 'EV-4471', copies: 3 }]],
  },
  {
    ask: 'how much is changing a lock at night?',
    calls: [['estimate_lock_job', { job: 'lock_change', after_hours: true }]],
  },
  {
    ask: 'List the technicians on duty in Neustadt',
    calls: [['list_technicians', { district: 'Neustadt', on_duty: true }]],
  },
  // Translation bureau
  {
    ask: 'Quote a translation from de to fr, 4,200 words, certified',
    calls: [['quote_translation', { source: 'de', target: 'fr', words: 4200, certified: true }]],
  },
  {
    ask: 'who can do legal texts from Polish into English?',
    calls: [['find_translators', { source: 'pl', target: 'en', subject: 'legal' }]],
  },
  {
    ask: 'Assign translator Chiara Greco to TR-5521, due 2026-12-18',
    calls: [
      ['assign_translator', { project_id: 'TR-5521', translator: 'Chiara Greco', due_on: '2026-12-18' }],
    ],
  },
  {
    ask: 'Set the status of TR-5498 to review',
    calls: [['set_project_status', { project_id: 'TR-5498', status: 'review' }]],
  },
  {
    ask: 'we delivered TR-5503 this morning, mark it',
    calls: [['set_project_status', { project_id: 'TR-5503', status: 'delivered' }]],
  },
]

/** Several calls in one sentence. */
const several: readonly PlannerCase[] = [
  {
    ask: 'Freeze membership 3301 from 2027-01-04 to 2027-01-31 and book member 2988 into yoga on 2026-12-03 at 18:00',
    calls: [
      ['freeze_membership', { member_no: 3301, from_date: '2027-01-04', until_date: '2027-01-31' }],
      ['book_gym_class', { member_no: 2988, class_name: 'yoga', date: '2026-12-03', time: '18:00' }],
    ],
  },
  {
    ask: 'Check the frame stock of RB-5154 and VO-2788',
    calls: [
      ['check_frame_stock', { frame_code: 'RB-5154' }],
      ['check_frame_stock', { frame_code: 'VO-2788' }],
    ],
  },
  {
    ask: 'Cut 2 copies of EV-4471 and 5 of KA-2090',
    calls: [
      ['cut_keys', { key_code: 'EV-4471', copies: 2 }],
      ['cut_keys', { key_code: 'KA-2090', copies: 5 }],
    ],
  },
  {
    ask: 'coop 1 gave 180 eggs, coop 2 gave 164 and coop 4 gave 97',
    calls: [
      ['log_egg_count', { coop: 1, eggs: 180 }],
      ['log_egg_count', { coop: 2, eggs: 164 }],
      ['log_egg_count', { coop: 4, eggs: 97 }],
    ],
  },
  {
    ask: 'Record the rabies vaccination of PET-2087 on 2026-11-20 and the distemper one of PET-2090 on the same day',
    calls: [
      ['record_vaccination', { pet_id: 'PET-2087', vaccine: 'rabies', given_on: '2026-11-20' }],
      ['record_vaccination', { pet_id: 'PET-2090', vaccine: 'distemper', given_on: '2026-11-20' }],
    ],
  },
  {
    ask: 'Track FR20391188 and FR20391204 and cancel BK-55131',
    calls: [
      ['track_consignment', { tracking_no: 'FR20391188' }],
      ['track_consignment', { tracking_no: 'FR20391204' }],
      ['cancel_shipment', { booking_no: 'BK-55131' }],
    ],
  },
  {
    ask: 'Reset the password of dkim, then assign ticket 40831 to Farah',
    calls: [
      ['reset_user_password', { username: 'dkim' }],
      ['assign_it_ticket', { ticket_id: 40831, agent: 'Farah' }],
    ],
  },
  {
    ask: 'new prices in the shop: carrots 2.60 per kg, milk 1.35 per litre',
    calls: [
      ['set_shop_price', { product: 'carrots', price: 2.6, unit: 'kg' }],
      ['set_shop_price', { product: 'milk', price: 1.35, unit: 'litre' }],
    ],
  },
  {
    ask: 'K217 and K104 are both absent on 2026-12-21, holiday',
    calls: [
      ['report_child_absence', { child_id: 'K217', date: '2026-12-21', cause: 'holiday' }],
      ['report_child_absence', { child_id: 'K104', date: '2026-12-21', cause: 'holiday' }],
    ],
  },
  {
    ask: 'Set TR-5510 to delivered and TR-5511 to cancelled',
    calls: [
      ['set_project_status', { project_id: 'TR-5510', status: 'delivered' }],
      ['set_project_status', { project_id: 'TR-5511', status: 'cancelled' }],
    ],
  },
  {
    ask: 'customer 70433, right eye sphere -1.75, left eye sphere -2, write that down please',
    calls: [
      ['record_eye_values', { customer_no: 70433, eye: 'right', sphere: -1.75 }],
      ['record_eye_values', { customer_no: 70433, eye: 'left', sphere: -2 }],
    ],
  },
  {
    ask: 'get the stock of Riesling 2021 and book a tasting for Moreau, 6 guests, 2026-12-19 at 14:00',
    calls: [
      ['get_wine_stock', { wine: 'Riesling', vintage: 2021 }],
      ['book_wine_tasting', { name: 'Moreau', guests: 6, date: '2026-12-19', time: '14:00' }],
    ],
  },
  {
    ask: 'Refund TB9M3LA and also check voucher GV-7714-PL',
    calls: [
      ['refund_theatre_booking', { booking_ref: 'TB9M3LA' }],
      ['check_gift_voucher', { code: 'GV-7714-PL' }],
    ],
  },
  {
    ask: 'TN-120 paid 910 on 2026-11-02 by card, TN-121 paid 780.25 on 2026-11-03 in cash',
    calls: [
      ['record_rent_payment', { tenant_id: 'TN-120', amount: 910, paid_on: '2026-11-02', method: 'card' }],
      ['record_rent_payment', { tenant_id: 'TN-121', amount: 780.25, paid_on: '2026-11-03', method: 'cash' }],
    ],
  },
  {
    ask: 'Assign adjuster Kemal Aydin to CL-40930 and set its reserve to 8,000 CHF',
    calls: [
      ['assign_adjuster', { claim_no: 'CL-40930', adjuster: 'Kemal Aydin' }],
      ['set_claim_reserve', { claim_no: 'CL-40930', amount: 8000, currency: 'CHF' }],
    ],
  },
]

/** A later call needs the result of an earlier one. */
const chains: readonly PlannerCase[] = [
  {
    ask: 'Find the pet of owner Haddad and book a visit for it on 2026-12-04 at 11:00',
    calls: [['find_pet', { owner_name: 'Haddad' }]],
    results: { find_pet: [{ pet_id: 'PET-3310', name: 'Milo', species: 'cat', owner: 'Haddad' }] },
    rounds: [[['book_vet_visit', { pet_id: 'PET-3310', date: '2026-12-04', time: '11:00' }]]],
  },
  {
    ask: 'Get a freight quote from Antwerp to Basel for 800 kg by road and book it for pickup on 2026-12-10, contact ops@belmont.be',
    calls: [['get_freight_quote', { origin: 'Antwerp', destination: 'Basel', weight_kg: 800, mode: 'road' }]],
    results: { get_freight_quote: { quote_id: 'FQ-9102', price: 640, currency: 'EUR' } },
    rounds: [
      [
        [
          'book_shipment',
          { quote_id: 'FQ-9102', pickup_date: '2026-12-10', contact_email: 'ops@belmont.be' },
        ],
      ],
    ],
  },
  {
    ask: 'Search flights LHR to NCE on 2027-04-02 and hold the cheapest one for Priya Nair',
    calls: [['search_flights', { from: 'LHR', to: 'NCE', depart_on: '2027-04-02' }]],
    results: {
      search_flights: [
        { offer_id: 'OF-1101', airline: 'BA', price: 188 },
        { offer_id: 'OF-1102', airline: 'U2', price: 94 },
        { offer_id: 'OF-1103', airline: 'AF', price: 142 },
      ],
    },
    rounds: [[['hold_flight_offer', { offer_id: 'OF-1102', lead_passenger: 'Priya Nair' }]]],
  },
  {
    ask: 'Look up the policy of Marlene Kruse and open a water claim on it, happened 2026-11-10',
    calls: [['lookup_policy', { holder_name: 'Marlene Kruse' }]],
    results: { lookup_policy: { policy_no: 'PL-415002', holder: 'Marlene Kruse', active: true } },
    rounds: [[['open_claim', { policy_no: 'PL-415002', kind: 'water', happened_on: '2026-11-10' }]]],
  },
  {
    ask: 'Find the child Noah Berger and report him absent on 2026-11-30 because of illness',
    calls: [['find_child', { name: 'Noah Berger' }]],
    results: { find_child: [{ child_id: 'K331', name: 'Noah Berger', group: 'bees' }] },
    rounds: [[['report_child_absence', { child_id: 'K331', date: '2026-11-30', cause: 'illness' }]]],
  },
  {
    ask: 'Find subscriber Whitcombe and pause the delivery from 2026-12-21 to 2027-01-04',
    calls: [['find_subscriber', { last_name: 'Whitcombe' }]],
    results: { find_subscriber: [{ id: 'S551204', last_name: 'Whitcombe', edition: 'print_daily' }] },
    rounds: [
      [['pause_delivery', { subscriber_id: 'S551204', start_date: '2026-12-21', end_date: '2027-01-04' }]],
    ],
  },
  {
    ask: 'List the performances of Hamlet and reserve 2 seats in the stalls for the first one, name Castellano',
    calls: [['list_performances', { show: 'Hamlet' }]],
    results: {
      list_performances: {
        performances: [
          { performance_id: 701, date: '2027-01-08', free: 120 },
          { performance_id: 705, date: '2027-01-15', free: 88 },
        ],
      },
    },
    rounds: [
      [['reserve_theatre_seats', { performance_id: 701, area: 'stalls', seats: 2, name: 'Castellano' }]],
    ],
  },
  {
    ask: 'Find the eyewear customer Ursula Penn and order bifocal lenses for her',
    calls: [['find_eyewear_customer', { name: 'Ursula Penn' }]],
    results: { find_eyewear_customer: { customer_no: 70619, name: 'Ursula Penn', last_visit: '2026-10-02' } },
    rounds: [[['order_lenses', { customer_no: 70619, lens_type: 'bifocal' }]]],
  },
  {
    ask: 'Open a fire claim for PL-220045, happened 2026-11-14, and set its reserve to 60000 EUR',
    calls: [['open_claim', { policy_no: 'PL-220045', kind: 'fire', happened_on: '2026-11-14' }]],
    results: { open_claim: { claim_no: 'CL-41001', status: 'open' } },
    rounds: [[['set_claim_reserve', { claim_no: 'CL-41001', amount: 60000, currency: 'EUR' }]]],
  },
  {
    ask: 'Create an IT ticket "Printer on floor 2 jams", priority normal, requester kai@corvid.io, and assign it to Matteo',
    calls: [
      [
        'create_it_ticket',
        { title: 'Printer on floor 2 jams', priority: 'normal', requester_email: 'kai@corvid.io' },
      ],
    ],
    results: { create_it_ticket: { ticket_id: 40901, status: 'open' } },
    rounds: [[['assign_it_ticket', { ticket_id: 40901, agent: 'Matteo' }]]],
  },
  {
    ask: 'Register Selma Vik, selma@vik.no, on the monthly plan and book her into pilates on 2026-12-01 at 09:30',
    calls: [
      [
        'register_gym_member',
        { first_name: 'Selma', last_name: 'Vik', email: 'selma@vik.no', plan: 'monthly' },
      ],
    ],
    results: { register_gym_member: { member_no: 3410 } },
    rounds: [
      [['book_gym_class', { member_no: 3410, class_name: 'pilates', date: '2026-12-01', time: '09:30' }]],
    ],
  },
  {
    ask: 'Find translators from es to de for medical texts and give TR-5530 to the cheapest, due 2027-01-15',
    calls: [['find_translators', { source: 'es', target: 'de', subject: 'medical' }]],
    results: {
      find_translators: [
        { name: 'Ines Robledo', price_per_word: 0.14 },
        { name: 'Karl Menger', price_per_word: 0.11 },
        { name: 'Sofia Arce', price_per_word: 0.17 },
      ],
    },
    rounds: [
      [['assign_translator', { project_id: 'TR-5530', translator: 'Karl Menger', due_on: '2027-01-15' }]],
    ],
  },
  {
    ask: 'List the tenants of Rosenhof and record that Okonkwo paid 720 on 2026-11-05',
    calls: [['list_tenants', { building: 'Rosenhof' }]],
    results: {
      list_tenants: [
        { tenant_id: 'TN-310', name: 'Baumann', unit: '1A' },
        { tenant_id: 'TN-311', name: 'Okonkwo', unit: '1B' },
        { tenant_id: 'TN-312', name: 'Silva', unit: '2A' },
      ],
    },
    rounds: [[['record_rent_payment', { tenant_id: 'TN-311', amount: 720, paid_on: '2026-11-05' }]]],
  },
  {
    ask: 'Pause the newspaper for Mr. Abernathy from 2027-02-01 to 2027-02-14, look up his id first',
    calls: [['find_subscriber', { last_name: 'Abernathy' }]],
    results: { find_subscriber: { subscriber_id: 'S600187', last_name: 'Abernathy' } },
    rounds: [
      [['pause_delivery', { subscriber_id: 'S600187', start_date: '2027-02-01', end_date: '2027-02-14' }]],
    ],
  },
  {
    ask: 'Lucia Marino may be picked up from kindergarten by her neighbour Bernd Vogel. I dont know her id, find it please',
    calls: [['find_child', { name: 'Lucia Marino' }]],
    results: { find_child: { matches: [{ child_id: 'K288', name: 'Lucia Marino' }] } },
    rounds: [[['add_pickup_person', { child_id: 'K288', person: 'Bernd Vogel', relation: 'neighbour' }]]],
  },
  {
    ask: 'Search the open IT tickets about "scanner" and assign the oldest one to Farah',
    calls: [['search_it_tickets', { text: 'scanner', status: 'open' }]],
    results: {
      search_it_tickets: [
        { ticket_id: 40844, title: 'scanner offline', created: '2026-11-12' },
        { ticket_id: 40790, title: 'scanner is slow', created: '2026-11-03' },
        { ticket_id: 40860, title: 'new scanner wanted', created: '2026-11-17' },
      ],
    },
    rounds: [[['assign_it_ticket', { ticket_id: 40790, agent: 'Farah' }]]],
  },
  {
    ask: 'Which performances of Carmen are there? Take the one with the most free seats and reserve 4 in the circle for Eriksen',
    calls: [['list_performances', { show: 'Carmen' }]],
    results: {
      list_performances: [
        { performance_id: 720, date: '2027-02-05', free: 14 },
        { performance_id: 724, date: '2027-02-12', free: 63 },
        { performance_id: 729, date: '2027-02-19', free: 40 },
      ],
    },
    rounds: [[['reserve_theatre_seats', { performance_id: 724, area: 'circle', seats: 4, name: 'Eriksen' }]]],
  },
  {
    ask: 'Check the stock of frame OV-5183, and only if we have one order varifocal lenses for customer 70455',
    calls: [['check_frame_stock', { frame_code: 'OV-5183' }]],
    results: { check_frame_stock: { frame_code: 'OV-5183', in_stock: 0 } },
    rounds: [[]],
  },
  {
    ask: 'Look up the policy of Dieter Hoss, open a storm claim on it, happened 2026-11-18, then assign Nadia Roth as adjuster',
    calls: [['lookup_policy', { holder_name: 'Dieter Hoss' }]],
    results: {
      lookup_policy: { policy_no: 'PL-508833', holder: 'Dieter Hoss' },
      open_claim: { claim_no: 'CL-41017' },
    },
    rounds: [
      [['open_claim', { policy_no: 'PL-508833', kind: 'storm', happened_on: '2026-11-18' }]],
      [['assign_adjuster', { claim_no: 'CL-41017', adjuster: 'Nadia Roth' }]],
    ],
  },
  {
    ask: 'Find all pets of owner Lam and record a leptospirosis vaccination for each of them, given on 2026-11-20',
    calls: [['find_pet', { owner_name: 'Lam' }]],
    results: {
      find_pet: [
        { pet_id: 'PET-5120', name: 'Kiki' },
        { pet_id: 'PET-5121', name: 'Bo' },
      ],
    },
    rounds: [
      [
        ['record_vaccination', { pet_id: 'PET-5120', vaccine: 'leptospirosis', given_on: '2026-11-20' }],
        ['record_vaccination', { pet_id: 'PET-5121', vaccine: 'leptospirosis', given_on: '2026-11-20' }],
      ],
    ],
  },
]

const flights = [
  { offer_id: 'OF-2201', airline: 'LO', price: 210 },
  { offer_id: 'OF-2202', airline: 'LH', price: 265 },
  { offer_id: 'OF-2203', airline: 'OS', price: 240 },
]

/** Corrections, answers to a question of the assistant, and requests that go on from an earlier one. */
const followUps: readonly PlannerCase[] = [
  {
    earlier: spoken('Reserve 3 seats in the balcony for performance 612, name Novak', [
      [
        'reserve_theatre_seats',
        { performance_id: 612, area: 'balcony', seats: 3, name: 'Novak' },
        { ok: true },
      ],
    ]),
    ask: 'sorry, I meant four seats',
    calls: [['reserve_theatre_seats', { performance_id: 612, area: 'balcony', seats: 4, name: 'Novak' }]],
  },
  {
    earlier: spoken('Book a vet visit for PET-1180 on 2026-12-10 at 10:00', [
      ['book_vet_visit', { pet_id: 'PET-1180', date: '2026-12-10', time: '10:00' }, { visit: 881 }],
    ]),
    ask: 'no, on 2026-12-11',
    calls: [['book_vet_visit', { pet_id: 'PET-1180', date: '2026-12-11', time: '10:00' }]],
  },
  {
    earlier: spoken('Pause delivery for S204417 from 2026-12-20 to 2027-01-03', [
      [
        'pause_delivery',
        { subscriber_id: 'S204417', start_date: '2026-12-20', end_date: '2027-01-03' },
        { ok: true },
      ],
    ]),
    ask: 'and the same for S118930',
    calls: [
      ['pause_delivery', { subscriber_id: 'S118930', start_date: '2026-12-20', end_date: '2027-01-03' }],
    ],
  },
  {
    earlier: spoken(
      'Track FR20391188',
      [['track_consignment', { tracking_no: 'FR20391188' }, { place: 'Duisburg' }]],
      'It is in Duisburg.',
    ),
    ask: 'What about FR20391204?',
    calls: [['track_consignment', { tracking_no: 'FR20391204' }]],
  },
  {
    earlier: spoken('Cut keys with the code KA-2090', [], 'How many copies?'),
    ask: 'six',
    calls: [['cut_keys', { key_code: 'KA-2090', copies: 6 }]],
  },
  {
    earlier: spoken(
      'Get a freight quote from Lyon to Turin for 450 kg by road',
      [
        [
          'get_freight_quote',
          { origin: 'Lyon', destination: 'Turin', weight_kg: 450, mode: 'road' },
          { quote_id: 'FQ-9051', price: 310, currency: 'EUR' },
        ],
      ],
      'That would be 310 EUR.',
    ),
    ask: 'ok book that, pickup on 2026-12-15, contact is lena@kontor.de',
    calls: [
      ['book_shipment', { quote_id: 'FQ-9051', pickup_date: '2026-12-15', contact_email: 'lena@kontor.de' }],
    ],
  },
  {
    earlier: spoken('Open a claim on PL-204981, water damage', [], 'On which day did it happen?'),
    ask: '9 November 2026',
    calls: [['open_claim', { policy_no: 'PL-204981', kind: 'water', happened_on: '2026-11-09' }]],
  },
  {
    earlier: spoken(
      'Search flights from WAW to MUC on 2027-01-22',
      [['search_flights', { from: 'WAW', to: 'MUC', depart_on: '2027-01-22' }, flights]],
      'There are three offers: LO for 210, LH for 265 and OS for 240.',
    ),
    ask: 'Hold the second one for Marek Dvorak',
    calls: [['hold_flight_offer', { offer_id: 'OF-2202', lead_passenger: 'Marek Dvorak' }]],
  },
  {
    earlier: spoken(
      'Check frame stock for RB-5154, colour black',
      [['check_frame_stock', { frame_code: 'RB-5154', colour: 'black' }, { in_stock: 0 }]],
      'There are none.',
    ),
    ask: 'And in brown?',
    calls: [['check_frame_stock', { frame_code: 'RB-5154', colour: 'brown' }]],
  },
  {
    earlier: spoken(
      'Quote a translation from en to it, 3100 words',
      [['quote_translation', { source: 'en', target: 'it', words: 3100 }, { price: 434 }]],
      'The price is 434 euros.',
    ),
    ask: 'and what if it has to be certified?',
    calls: [['quote_translation', { source: 'en', target: 'it', words: 3100, certified: true }]],
  },
  {
    earlier: spoken('Assign ticket 40812 to Farah', [
      ['assign_it_ticket', { ticket_id: 40812, agent: 'Farah' }, { ok: true }],
    ]),
    ask: 'actually, assign it to Matteo instead',
    calls: [['assign_it_ticket', { ticket_id: 40812, agent: 'Matteo' }]],
  },
  {
    earlier: spoken(
      'Find the pet named Luna',
      [['find_pet', { pet_name: 'Luna' }, [{ pet_id: 'PET-4018', name: 'Luna', owner: 'Ferrer' }]]],
      'Luna of Ferrer has the number PET-4018.',
    ),
    ask: 'She got her parvo vaccination on 2026-11-20, please record it',
    calls: [['record_vaccination', { pet_id: 'PET-4018', vaccine: 'parvo', given_on: '2026-11-20' }]],
  },
]

/** Only a text is right: nothing to do, no tool for it, or a required value is missing. */
const noCalls: readonly PlannerCase[] = [
  { ask: 'Thanks, that was quick!', calls: [] },
  { ask: 'What can you help me with?', calls: [] },
  { ask: 'Book a vet visit for PET-4471', calls: [] },
  { ask: 'Order lenses for customer 70412', calls: [] },
  { ask: 'please freeze membership 3301', calls: [] },
  { ask: 'Set the shop price of potatoes', calls: [] },
  { ask: 'Please translate "good morning" into French', calls: [] },
  { ask: 'How do I renew my passport?', calls: [] },
  { ask: 'Send a locksmith, quick!!', calls: [] },
  { ask: "Don't cancel BK-55120, the customer wants it after all", calls: [] },
  { ask: 'Quote a translation from de to fr', calls: [] },
  { ask: 'Cancel the dentist appointment of Mr. Bauer', calls: [] },
  { ask: 'Reserve seats for performance 612', calls: [] },
  { ask: 'What is the capital of Australia?', calls: [] },
  { ask: 'Reset the password', calls: [] },
]

/** Calls written exactly. */
const exact: readonly PlannerCase[] = [
  {
    ask: 'Call track_consignment with {"tracking_no": "FR20391188"}',
    calls: [['track_consignment', { tracking_no: 'FR20391188' }]],
  },
  {
    ask: 'reset_user_password(username: "dkim")',
    calls: [['reset_user_password', { username: 'dkim' }]],
  },
  { ask: 'log_egg_count coop=2 eggs=143', calls: [['log_egg_count', { coop: 2, eggs: 143 }]] },
  {
    ask: 'Call search_hotels with {"city":"Ghent","check_in":"2027-03-05","check_out":"2027-03-08","guests":3}',
    calls: [['search_hotels', { city: 'Ghent', check_in: '2027-03-05', check_out: '2027-03-08', guests: 3 }]],
  },
  {
    ask: 'cut_keys(key_code: "EV-4471", copies: 2, security_card: true)',
    calls: [['cut_keys', { key_code: 'EV-4471', copies: 2, security_card: true }]],
  },
  {
    ask: 'set_claim_reserve claim_no=CL-40917 amount=12500.50 currency=EUR',
    calls: [['set_claim_reserve', { claim_no: 'CL-40917', amount: 12500.5, currency: 'EUR' }]],
  },
  {
    ask: 'assign_adjuster(claim_no: CL-40918, adjuster: Nadia Roth)',
    calls: [['assign_adjuster', { claim_no: 'CL-40918', adjuster: 'Nadia Roth' }]],
  },
  {
    ask: 'Call create_wine_order with {"customer": "Weinbar Lux", "items": [{"wine": "Merlot", "vintage": 2019, "bottles": 18}], "gift_wrap": true}',
    calls: [
      [
        'create_wine_order',
        {
          customer: 'Weinbar Lux',
          items: [{ wine: 'Merlot', vintage: 2019, bottles: 18 }],
          gift_wrap: true,
        },
      ],
    ],
  },
  {
    ask: 'log_egg_count(coop: 1, eggs: 150)\nlog_egg_count(coop: 5, eggs: 139)',
    calls: [
      ['log_egg_count', { coop: 1, eggs: 150 }],
      ['log_egg_count', { coop: 5, eggs: 139 }],
    ],
  },
  {
    ask: 'Call set_project_status with {"project_id":"TR-5498","status":"delivered"} and then call set_project_status with {"project_id":"TR-5499","status":"review"}',
    calls: [
      ['set_project_status', { project_id: 'TR-5498', status: 'delivered' }],
      ['set_project_status', { project_id: 'TR-5499', status: 'review' }],
    ],
  },
  {
    ask: 'check_gift_voucher code=GV-2290-KX',
    calls: [['check_gift_voucher', { code: 'GV-2290-KX' }]],
  },
  {
    ask: 'order_lenses(customer_no: 70380, lens_type: "single_vision", coatings: ["photochromic"])',
    calls: [['order_lenses', { customer_no: 70380, lens_type: 'single_vision', coatings: ['photochromic'] }]],
  },
  {
    ask: 'please run list_tenants(building: Lindenhof, only_in_arrears: true)',
    calls: [['list_tenants', { building: 'Lindenhof', only_in_arrears: true }]],
  },
  {
    ask: 'send_group_note group=bees message="No lunch on Friday"',
    calls: [['send_group_note', { group: 'bees', message: 'No lunch on Friday' }]],
  },
  {
    ask: 'track_consignment(tracking_no: FR11112222); cancel_shipment(booking_no: BK-50001, reason: damaged); check_gift_voucher(code: GV-0001-AA)',
    calls: [
      ['track_consignment', { tracking_no: 'FR11112222' }],
      ['cancel_shipment', { booking_no: 'BK-50001', reason: 'damaged' }],
      ['check_gift_voucher', { code: 'GV-0001-AA' }],
    ],
  },
]

/** Numbers, money, dates, codes, number words, and mail addresses. */
const values: readonly PlannerCase[] = [
  {
    ask: 'PET-2301 gets seventy-five mg of Carprofen three times a day for ten days',
    calls: [
      [
        'dispense_medicine',
        { pet_id: 'PET-2301', medicine: 'Carprofen', dose_mg: 75, times_per_day: 3, days: 10 },
      ],
    ],
  },
  {
    ask: 'Rent payment from TN-204, €1,250.00, came in on Nov 3rd, 2026 by bank transfer',
    calls: [
      [
        'record_rent_payment',
        { tenant_id: 'TN-204', amount: 1250, paid_on: '2026-11-03', method: 'bank_transfer' },
      ],
    ],
  },
  {
    ask: 'New IT ticket from h.baum+it@corvid.io, critical: "Mail server down"',
    calls: [
      [
        'create_it_ticket',
        { title: 'Mail server down', priority: 'critical', requester_email: 'h.baum+it@corvid.io' },
      ],
    ],
  },
  {
    ask: 'a dozen copies of key KA-2090 please',
    calls: [['cut_keys', { key_code: 'KA-2090', copies: 12 }]],
  },
  {
    ask: 'Translation quote please: twelve thousand five hundred words, English to Spanish',
    calls: [['quote_translation', { source: 'en', target: 'es', words: 12500 }]],
  },
  {
    ask: 'left eye of customer 70501: sphere minus 3.25',
    calls: [['record_eye_values', { customer_no: 70501, eye: 'left', sphere: -3.25 }]],
  },
  {
    ask: 'Claim CL-40966: put the reserve at 1.2 million USD',
    calls: [['set_claim_reserve', { claim_no: 'CL-40966', amount: 1200000, currency: 'USD' }]],
  },
  {
    ask: 'viewing of 7A on the 17th of December 2026, quarter past four in the afternoon, for Goran Ilic, goran.ilic@webmail.hr',
    calls: [
      [
        'schedule_viewing',
        {
          unit: '7A',
          visitor_name: 'Goran Ilic',
          starts_at: '2026-12-17T16:15',
          visitor_email: 'goran.ilic@webmail.hr',
        },
      ],
    ],
  },
]

/** The parts by kind, for a count of each. */
export const heldoutKinds = { singles, several, chains, followUps, noCalls, exact, values }

export const heldoutCorpus: readonly PlannerCase[] = Object.values(heldoutKinds).flat()
