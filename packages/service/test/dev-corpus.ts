import { type PlannerCase, spoken } from './planner-case.js'

// Written by another author without a look at the planner, then used to make its rules. Today is Saturday, 2026-11-21, as in the trades corpus. An empty list of
// calls means that the planner must ask or only answer, because a value is missing, no tool fits, or nothing is asked.

const repairsOfOrtega = [
  { repair_id: 301, customer: 'Ortega', status: 'in_progress' },
  { repair_id: 305, customer: 'Ortega', status: 'in_progress' },
]
const salsaCourses = [
  { course_code: 'SA04', style: 'salsa', level: 'beginner', weekday: 'tuesday' },
  { course_code: 'SA11', style: 'salsa', level: 'intermediate', weekday: 'thursday' },
]
const waitingRepairs = [
  { repair_id: 310, customer: 'Bauer', bike: 'black Cube' },
  { repair_id: 312, customer: 'Lind', bike: 'white Bianchi' },
]
const lisbon = { station: 'Lisbon Airport', from: '2026-12-02', to: '2026-12-09' }
const lumen = [
  { product: 'croissants', pieces: 60 },
  { product: 'rye rolls', pieces: 40 },
]

/** Plain single requests. */
const singles: readonly PlannerCase[] = [
  // Hospital ward
  {
    ask: 'Tomasz Wolny is coming up from A&E, please put him on cardiology, bed C-04',
    calls: [['admit_patient', { patient_name: 'Tomasz Wolny', ward: 'cardiology', bed: 'C-04' }]],
  },
  { ask: 'is there any room left in maternity?', calls: [['find_free_beds', { ward: 'maternity' }]] },
  {
    ask: 'ST-4410: pulse 88, temp 37.9',
    calls: [['record_vitals', { stay_id: 'ST-4410', pulse: 88, temperature: 37.9 }]],
  },
  {
    ask: 'just measured, blood pressure for ST-2093 is 135 over 85',
    calls: [['record_vitals', { stay_id: 'ST-2093', systolic: 135, diastolic: 85 }]],
  },
  {
    ask: "ST-4410 can go home on Thursday, she'll need a taxi",
    calls: [['schedule_discharge', { stay_id: 'ST-4410', date: '2026-11-26', transport: 'taxi' }]],
  },
  // Car rental
  {
    ask: 'what SUVs do you have at Lisbon Airport from 2 December to 9 December?',
    calls: [['search_cars', { ...lisbon, category: 'suv' }]],
  },
  {
    ask: 'The customer on RC-30817 rang, he wants to keep the car until the 30th of November',
    calls: [['extend_rental', { contract_no: 'RC-30817', new_return: '2026-11-30' }]],
  },
  {
    ask: 'Somebody brought RC-11452 back with a dent in the rear door',
    calls: [
      [
        'report_car_damage',
        { contract_no: 'RC-11452', description: 'a dent in the rear door', severity: 'dent' },
      ],
    ],
  },
  {
    ask: "I'd need something automatic in Graz between 2026-12-20 and 2026-12-27, nothing fancy",
    calls: [['search_cars', { station: 'Graz', from: '2026-12-20', to: '2026-12-27', automatic: true }]],
  },
  {
    ask: 'Write up a contract for Ingrid Solberg, car C2207, 1 to 5 December, full insurance pls',
    calls: [
      [
        'create_rental',
        {
          car_id: 'C2207',
          driver_name: 'Ingrid Solberg',
          from: '2026-12-01',
          to: '2026-12-05',
          insurance: 'full',
        },
      ],
    ],
  },
  // Library
  { ask: 'Do we have anything about beekeeping?', calls: [['search_catalogue', { query: 'beekeeping' }]] },
  {
    ask: 'please keep item 48213 aside for reader L004518',
    calls: [['place_hold', { item_id: 48213, reader_card: 'L004518' }]],
  },
  { ask: 'extend everything on card L220931', calls: [['renew_loans', { reader_card: 'L220931' }]] },
  {
    ask: 'L004518 just paid her 3.50 overdue fee in cash',
    calls: [['pay_fine', { reader_card: 'L004518', amount: 3.5, method: 'cash' }]],
  },
  {
    ask: "I'm looking for books by Elena Ferrante, only ones that aren't out on loan",
    calls: [['search_catalogue', { query: 'Elena Ferrante', available_only: true }]],
  },
  // Bakery wholesale
  {
    ask: 'Café Lumen wants 60 croissants and 40 rye rolls for Monday',
    calls: [['place_bread_order', { customer: 'Café Lumen', delivery_date: '2026-11-23', lines: lumen }]],
  },
  { ask: 'What do we charge for pastry at the moment?', calls: [['get_price_list', { category: 'pastry' }]] },
  {
    ask: "Hotel Adler doesn't need its bread delivery on the 24th of December",
    calls: [['cancel_delivery', { customer: 'Hotel Adler', delivery_date: '2026-12-24' }]],
  },
  {
    ask: 'From now on Bistro Nord gets 25 baguettes every Monday, Wednesday and Friday',
    calls: [
      [
        'set_standing_order',
        { customer: 'Bistro Nord', product: 'baguettes', pieces: 25, weekdays: ['mon', 'wed', 'fri'] },
      ],
    ],
  },
  { ask: 'hi there, could you show me the complete wholesale prices', calls: [['get_price_list', {}]] },
  // Plumbing service
  {
    ask: "There's water dripping through the ceiling at 12 Mill Lane, the pipe leaks, it's an emergency!",
    calls: [['log_callout', { address: '12 Mill Lane', problem: 'leak', emergency: true }]],
  },
  {
    ask: 'the drain is blocked at 7 Harbour Street, their phone is 0171 555 0142',
    calls: [
      ['log_callout', { address: '7 Harbour Street', problem: 'blocked_drain', phone: '0171 555 0142' }],
    ],
  },
  {
    ask: 'Give J3051 to Stefan on Wednesday morning',
    calls: [['assign_plumber', { job_no: 'J3051', plumber: 'Stefan', date: '2026-11-25', slot: 'morning' }]],
  },
  {
    ask: 'On J2277 I used 3 elbow joints and 2 metres of copper pipe',
    calls: [
      [
        'add_job_materials',
        {
          job_no: 'J2277',
          materials: [
            { item: 'elbow joints', quantity: 3 },
            { item: 'copper pipe', quantity: 2 },
          ],
        },
      ],
    ],
  },
  {
    ask: "email the quote for J3051 over to paula.renner@web.example, it's 640 euros",
    calls: [['send_plumbing_quote', { job_no: 'J3051', amount: 640, email: 'paula.renner@web.example' }]],
  },
  // School office
  {
    ask: "Leo Hartmann's mum called, he is ill and won't be in school on Monday",
    calls: [['report_absence', { pupil_name: 'Leo Hartmann', from: '2026-11-23', reason: 'illness' }]],
  },
  {
    ask: 'Which lessons does 7b have on Thursdays?',
    calls: [['get_timetable', { class_name: '7b', weekday: 'thursday' }]],
  },
  {
    ask: "we've got a new girl starting in year 5, Amina Yusuf",
    calls: [['register_pupil', { first_name: 'Amina', last_name: 'Yusuf', year_group: 5 }]],
  },
  {
    ask: 'Write to the parents of 3a, subject "Sports day", text "Please bring trainers and water."',
    calls: [
      [
        'send_parent_letter',
        { class_name: '3a', subject: 'Sports day', body: 'Please bring trainers and water.' },
      ],
    ],
  },
  {
    ask: 'Nora Lindqvist will miss school from 30 November until 4 December for family reasons',
    calls: [
      [
        'report_absence',
        { pupil_name: 'Nora Lindqvist', from: '2026-11-30', until: '2026-12-04', reason: 'family' },
      ],
    ],
  },
  // Warehouse
  { ask: 'How many of KLM-204 do we still have?', calls: [['check_stock', { sku: 'KLM-204' }]] },
  {
    ask: "truck's here with PO-100482, 14 pallets",
    calls: [['book_goods_in', { po_number: 'PO-100482', pallets: 14 }]],
  },
  {
    ask: 'make me a pick list for orders 5512, 5513 and 5519, high priority',
    calls: [['create_pick_list', { order_numbers: [5512, 5513, 5519], priority: 'high' }]],
  },
  {
    ask: "we're running low on TRX-118, get us another 200",
    calls: [['reorder_article', { sku: 'TRX-118', quantity: 200 }]],
  },
  {
    ask: 'PO-100509 came in: 9 pallets, two of them damaged',
    calls: [['book_goods_in', { po_number: 'PO-100509', pallets: 9, damaged: 2 }]],
  },
  // Bike repair
  {
    ask: 'Helen Farrow dropped off her red Gazelle, the gears and the chain need doing',
    calls: [['open_repair', { customer: 'Helen Farrow', bike: 'red Gazelle', faults: ['gears', 'chain'] }]],
  },
  {
    ask: 'bike repair 318 is finished, they can come and get it',
    calls: [['set_repair_status', { repair_id: 318, status: 'ready' }]],
  },
  { ask: 'which bikes are still waiting?', calls: [['find_repairs', { status: 'waiting' }]] },
  {
    ask: 'Lend Jonas Weber a bike from Monday to Wednesday, he needs a size L',
    calls: [
      ['reserve_loan_bike', { customer: 'Jonas Weber', from: '2026-11-23', to: '2026-11-25', size: 'L' }],
    ],
  },
  { ask: 'Have we got any bike repairs for Ortega?', calls: [['find_repairs', { customer: 'Ortega' }]] },
  // Event catering
  {
    ask: 'How much would catering a wedding for 120 people on 12 June 2027 cost?',
    calls: [['quote_event', { event_type: 'wedding', guests: 120, date: '2027-06-12' }]],
  },
  {
    ask: 'They said yes to EV-2031, the deposit of 1,500 is paid',
    calls: [['confirm_event', { event_no: 'EV-2031', deposit: 1500 }]],
  },
  {
    ask: 'For EV-2031 we need six waiters from 17:00 to 23:30',
    calls: [
      ['book_waiting_staff', { event_no: 'EV-2031', waiters: 6, start_time: '17:00', end_time: '23:30' }],
    ],
  },
  {
    ask: 'The menu for EV-1988 is pumpkin soup, roast lamb and apple strudel',
    calls: [['set_menu', { event_no: 'EV-1988', courses: ['pumpkin soup', 'roast lamb', 'apple strudel'] }]],
  },
  {
    ask: 'could you work out an offer for a conference, 80 guests, on the 14th of January, max 35 euros a head',
    calls: [
      ['quote_event', { event_type: 'conference', guests: 80, date: '2027-01-14', budget_per_head: 35 }],
    ],
  },
  // Hotel housekeeping
  {
    ask: 'Room 312 is cleaned, all done up here',
    calls: [['set_room_status', { room: 312, status: 'clean' }]],
  },
  {
    ask: 'Maintenance should know that there is a dripping shower in room 207',
    calls: [['report_defect', { room: 207, defect: 'a dripping shower' }]],
  },
  {
    ask: 'the guests in 415 would like four more towels and one pillow',
    calls: [['request_linen', { room: 415, towels: 4, pillows: 1 }]],
  },
  {
    ask: 'which rooms on the 3rd floor are still dirty?',
    calls: [['list_rooms', { floor: 3, status: 'dirty' }]],
  },
  {
    ask: 'Nobody should be put in room 118, take it out of order',
    calls: [['set_room_status', { room: 118, status: 'out_of_order' }]],
  },
  // Law office
  {
    ask: 'Half an hour on 114/26 for a phone call with the client',
    calls: [
      ['log_billable_time', { file_no: '114/26', minutes: 30, activity: 'phone call with the client' }],
    ],
  },
  {
    ask: 'The statement of claim in 087/26 is due on 15 December, remind me 3 days before',
    calls: [
      [
        'set_deadline',
        { file_no: '087/26', due: '2026-12-15', description: 'statement of claim', remind_days_before: 3 },
      ],
    ],
  },
  {
    ask: "New client: Dagmar Ruiz, it's a tenancy thing against Nordbau GmbH",
    calls: [['open_case_file', { client: 'Dagmar Ruiz', matter: 'tenancy', opponent: 'Nordbau GmbH' }]],
  },
  {
    ask: 'please bill file 114/26, 850 euros net',
    calls: [['issue_fee_note', { file_no: '114/26', net_amount: 850 }]],
  },
  {
    ask: "we're taking on Felix Oduya as a client, an employment matter, so set up a file for him",
    calls: [['open_case_file', { client: 'Felix Oduya', matter: 'employment' }]],
  },
  // Physiotherapy
  {
    ask: 'Is Carla free for a massage on Friday?',
    calls: [['find_treatment_slots', { therapy: 'massage', date: '2026-11-27', therapist: 'Carla' }]],
  },
  {
    ask: 'Put Ruth Adler down for lymph drainage on 1 December at 9:15',
    calls: [
      [
        'book_treatment',
        { patient: 'Ruth Adler', therapy: 'lymph_drainage', date: '2026-12-01', time: '09:15' },
      ],
    ],
  },
  {
    ask: "appointment T-7731 won't be happening, call it off without charging a fee",
    calls: [['cancel_treatment', { appointment_id: 'T-7731', charge_fee: false }]],
  },
  {
    ask: 'Ben Okafor puts the pain in his right shoulder at 7 out of 10',
    calls: [['record_pain_score', { patient: 'Ben Okafor', score: 7, body_part: 'right shoulder' }]],
  },
  {
    ask: 'any gaps for manual therapy on 2026-12-03?',
    calls: [['find_treatment_slots', { therapy: 'manual_therapy', date: '2026-12-03' }]],
  },
  // Photo studio
  {
    ask: "I'd like 30 glossy prints of shoot 902 in 13x18",
    calls: [['order_prints', { shoot_id: 902, size: '13x18', copies: 30, finish: 'glossy' }]],
  },
  {
    ask: 'Can you send the pictures from shoot 877 to mia@brandt.example',
    calls: [['share_gallery', { shoot_id: 877, email: 'mia@brandt.example' }]],
  },
  {
    ask: 'passport picture for Luis Andrade on Tuesday at 4 pm',
    calls: [['book_shoot', { client: 'Luis Andrade', kind: 'passport', date: '2026-11-24', time: '16:00' }]],
  },
  { ask: 'what shoots have we got on 28 November?', calls: [['find_shoots', { date: '2026-11-28' }]] },
  {
    ask: 'a newborn session for Hanna Voss, December 5th, 11:00',
    calls: [['book_shoot', { client: 'Hanna Voss', kind: 'newborn', date: '2026-12-05', time: '11:00' }]],
  },
  // Dance school
  {
    ask: 'Are there any tango courses for beginners?',
    calls: [['list_courses', { style: 'tango', level: 'beginner' }]],
  },
  {
    ask: 'sign Paulo Reis up for TG02',
    calls: [['enroll_student', { student: 'Paulo Reis', course_code: 'TG02' }]],
  },
  {
    ask: 'The teacher is away, so lesson 640 has to move to Thursday at 19:00',
    calls: [['reschedule_lesson', { lesson_id: 640, date: '2026-11-26', time: '19:00' }]],
  },
  {
    ask: 'give Irina Petrova her 45 euros back for SA11',
    calls: [['refund_course_fee', { student: 'Irina Petrova', course_code: 'SA11', amount: 45 }]],
  },
  { ask: 'which dance courses are on Wednesdays?', calls: [['list_courses', { weekday: 'wednesday' }]] },
  // Recycling depot
  { ask: 'What do we pay for scrap metal?', calls: [['get_material_price', { material: 'metal' }]] },
  {
    ask: 'Truck HH-KR 482 with glass: 7420 kg full, 3980 kg empty',
    calls: [['weigh_in', { plate: 'HH-KR 482', material: 'glass', gross_kg: 7420, tare_kg: 3980 }]],
  },
  {
    ask: 'A 7 cubic metre skip for rubble to 5 Quarry Road on Tuesday please',
    calls: [
      [
        'book_container',
        { address: '5 Quarry Road', size_m3: 7, material: 'rubble', delivery_date: '2026-11-24' },
      ],
    ],
  },
  {
    ask: 'container K-207 is full, fetch it on Friday and leave an empty one',
    calls: [['schedule_pickup', { container_id: 'K-207', date: '2026-11-27', exchange: true }]],
  },
  {
    ask: 'how much do I get for a tonne of old paper?',
    calls: [['get_material_price', { material: 'paper' }]],
  },
]

/** Several calls in one sentence. */
const several: readonly PlannerCase[] = [
  {
    ask: 'Set rooms 201, 203 and 207 to clean',
    calls: [
      ['set_room_status', { room: 201, status: 'clean' }],
      ['set_room_status', { room: 203, status: 'clean' }],
      ['set_room_status', { room: 207, status: 'clean' }],
    ],
  },
  {
    ask: "What's left of KLM-204 and TRX-118?",
    calls: [
      ['check_stock', { sku: 'KLM-204' }],
      ['check_stock', { sku: 'TRX-118' }],
    ],
  },
  {
    ask: 'record pulse 72 for ST-1200 and pulse 95 for ST-1311',
    calls: [
      ['record_vitals', { stay_id: 'ST-1200', pulse: 72 }],
      ['record_vitals', { stay_id: 'ST-1311', pulse: 95 }],
    ],
  },
  {
    ask: 'Assign J3100 to Stefan and J3101 to Mareike, both on Thursday',
    calls: [
      ['assign_plumber', { job_no: 'J3100', plumber: 'Stefan', date: '2026-11-26' }],
      ['assign_plumber', { job_no: 'J3101', plumber: 'Mareike', date: '2026-11-26' }],
    ],
  },
  {
    ask: 'What does the depot pay for paper, glass and wood?',
    calls: [
      ['get_material_price', { material: 'paper' }],
      ['get_material_price', { material: 'glass' }],
      ['get_material_price', { material: 'wood' }],
    ],
  },
  {
    ask: 'bring 2 towels to room 105 and report a broken heater there',
    calls: [
      ['request_linen', { room: 105, towels: 2 }],
      ['report_defect', { room: 105, defect: 'a broken heater' }],
    ],
  },
  {
    ask: 'Bike repairs 290 and 291 are ready, and 288 has been collected',
    calls: [
      ['set_repair_status', { repair_id: 290, status: 'ready' }],
      ['set_repair_status', { repair_id: 291, status: 'ready' }],
      ['set_repair_status', { repair_id: 288, status: 'collected' }],
    ],
  },
  {
    ask: 'Extend RC-30817 to 2 December and RC-30822 to 4 December',
    calls: [
      ['extend_rental', { contract_no: 'RC-30817', new_return: '2026-12-02' }],
      ['extend_rental', { contract_no: 'RC-30822', new_return: '2026-12-04' }],
    ],
  },
  {
    ask: 'Renew all loans on L004518 and put a hold on item 51177 for the same reader',
    calls: [
      ['renew_loans', { reader_card: 'L004518' }],
      ['place_hold', { item_id: 51177, reader_card: 'L004518' }],
    ],
  },
  {
    ask: 'Confirm EV-2040 and book four waiters for it from 12:00 to 16:00',
    calls: [
      ['confirm_event', { event_no: 'EV-2040' }],
      ['book_waiting_staff', { event_no: 'EV-2040', waiters: 4, start_time: '12:00', end_time: '16:00' }],
    ],
  },
  {
    ask: 'Log 20 minutes on 114/26 and 45 minutes on 087/26, both for contract review',
    calls: [
      ['log_billable_time', { file_no: '114/26', minutes: 20, activity: 'contract review' }],
      ['log_billable_time', { file_no: '087/26', minutes: 45, activity: 'contract review' }],
    ],
  },
  {
    ask: 'Enroll Sven Holm in TG02 and SA11',
    calls: [
      ['enroll_student', { student: 'Sven Holm', course_code: 'TG02' }],
      ['enroll_student', { student: 'Sven Holm', course_code: 'SA11' }],
    ],
  },
  {
    ask: 'Timetables of 5a and 6c please',
    calls: [
      ['get_timetable', { class_name: '5a' }],
      ['get_timetable', { class_name: '6c' }],
    ],
  },
  {
    ask: "Cancel T-7731 and T-7740, and tell me what's free for massage on 30 November",
    calls: [
      ['cancel_treatment', { appointment_id: 'T-7731' }],
      ['cancel_treatment', { appointment_id: 'T-7740' }],
      ['find_treatment_slots', { therapy: 'massage', date: '2026-11-30' }],
    ],
  },
  {
    ask: 'For shoot 902 order 10 prints in 10x15 and 2 in 20x30, and send the gallery to luis@andrade.example',
    calls: [
      ['order_prints', { shoot_id: 902, size: '10x15', copies: 10 }],
      ['order_prints', { shoot_id: 902, size: '20x30', copies: 2 }],
      ['share_gallery', { shoot_id: 902, email: 'luis@andrade.example' }],
    ],
  },
]

/** Chains: a later call needs the result of an earlier one. */
const chains: readonly PlannerCase[] = [
  {
    ask: 'Find a free bed in surgery and admit Olga Brenner to it',
    calls: [['find_free_beds', { ward: 'surgery' }]],
    results: { find_free_beds: { ward: 'surgery', beds: [{ bed: 'S-11', isolation: false }] } },
    rounds: [[['admit_patient', { patient_name: 'Olga Brenner', ward: 'surgery', bed: 'S-11' }]]],
  },
  {
    ask: 'Find a compact in Porto from 3 to 6 December and rent it to Samir Haddad',
    calls: [['search_cars', { station: 'Porto', from: '2026-12-03', to: '2026-12-06', category: 'compact' }]],
    results: { search_cars: [{ car_id: 'C3310', model: 'VW Golf', price_per_day: 41 }] },
    rounds: [
      [
        [
          'create_rental',
          { car_id: 'C3310', driver_name: 'Samir Haddad', from: '2026-12-03', to: '2026-12-06' },
        ],
      ],
    ],
  },
  {
    ask: 'Look up "The Leopard" in the catalogue and put a hold on it for L220931',
    calls: [['search_catalogue', { query: 'The Leopard' }]],
    results: {
      search_catalogue: [{ item_id: 60412, title: 'The Leopard', author: 'G. Tomasi di Lampedusa' }],
    },
    rounds: [[['place_hold', { item_id: 60412, reader_card: 'L220931' }]]],
  },
  {
    ask: 'If fewer than 50 of KLM-204 are left, order 300 more',
    calls: [['check_stock', { sku: 'KLM-204' }]],
    results: { check_stock: { sku: 'KLM-204', on_hand: 31 } },
    rounds: [[['reorder_article', { sku: 'KLM-204', quantity: 300 }]]],
  },
  {
    ask: 'check TRX-118, and if we have less than 20, reorder 100',
    calls: [['check_stock', { sku: 'TRX-118' }]],
    results: { check_stock: { sku: 'TRX-118', on_hand: 64 } },
    rounds: [[]],
  },
  {
    ask: 'Log a leak at 3 Elm Court and give the job to Mareike on Monday',
    calls: [['log_callout', { address: '3 Elm Court', problem: 'leak' }]],
    results: { log_callout: { job_no: 'J3120', status: 'open' } },
    rounds: [[['assign_plumber', { job_no: 'J3120', plumber: 'Mareike', date: '2026-11-23' }]]],
  },
  {
    ask: "Look for Ortega's bike repairs and set them all to ready",
    calls: [['find_repairs', { customer: 'Ortega' }]],
    results: { find_repairs: repairsOfOrtega },
    rounds: [
      [
        ['set_repair_status', { repair_id: 301, status: 'ready' }],
        ['set_repair_status', { repair_id: 305, status: 'ready' }],
      ],
    ],
  },
  {
    ask: 'Make a catering quote for a birthday with 40 guests on 20 December and confirm it right away',
    calls: [['quote_event', { event_type: 'birthday', guests: 40, date: '2026-12-20' }]],
    results: { quote_event: { event_no: 'EV-2107', total: 1680, currency: 'EUR' } },
    rounds: [[['confirm_event', { event_no: 'EV-2107' }]]],
  },
  {
    ask: 'Mark all dirty rooms on floor 2 as clean',
    calls: [['list_rooms', { floor: 2, status: 'dirty' }]],
    results: { list_rooms: [{ room: 204 }, { room: 209 }, { room: 211 }] },
    rounds: [
      [
        ['set_room_status', { room: 204, status: 'clean' }],
        ['set_room_status', { room: 209, status: 'clean' }],
        ['set_room_status', { room: 211, status: 'clean' }],
      ],
    ],
  },
  {
    ask: 'Open an employment file for Greta Lund and log 60 minutes on it for the first interview',
    calls: [['open_case_file', { client: 'Greta Lund', matter: 'employment' }]],
    results: { open_case_file: { file_no: '131/26', client: 'Greta Lund' } },
    rounds: [[['log_billable_time', { file_no: '131/26', minutes: 60, activity: 'first interview' }]]],
  },
  {
    ask: 'Book Ruth Adler into the first free slot for a massage on 30 November',
    calls: [['find_treatment_slots', { therapy: 'massage', date: '2026-11-30' }]],
    results: { find_treatment_slots: { date: '2026-11-30', slots: ['08:30', '10:00', '15:15'] } },
    rounds: [
      [['book_treatment', { patient: 'Ruth Adler', therapy: 'massage', date: '2026-11-30', time: '08:30' }]],
    ],
  },
  {
    ask: 'Find the shoot of Hanna Voss and send the gallery to hanna@voss.example',
    calls: [['find_shoots', { client: 'Hanna Voss' }]],
    results: { find_shoots: [{ shoot_id: 844, client: 'Hanna Voss', kind: 'newborn', date: '2026-11-07' }] },
    rounds: [[['share_gallery', { shoot_id: 844, email: 'hanna@voss.example' }]]],
  },
  {
    ask: 'Sign Tarek Aziz up for the salsa course for beginners, I forgot the code',
    calls: [['list_courses', { style: 'salsa', level: 'beginner' }]],
    results: { list_courses: [salsaCourses[0]] },
    rounds: [[['enroll_student', { student: 'Tarek Aziz', course_code: 'SA04' }]]],
  },
  {
    ask: 'Open a repair for Lena Voigt, blue Trek with a puncture, and set it to in progress',
    calls: [['open_repair', { customer: 'Lena Voigt', bike: 'blue Trek', faults: ['puncture'] }]],
    results: { open_repair: { repair_id: 341, status: 'waiting' } },
    rounds: [[['set_repair_status', { repair_id: 341, status: 'in_progress' }]]],
  },
  {
    ask: 'Find the photo shoot from 14 November 2026 and order 5 prints of it in 20x30, matt',
    calls: [['find_shoots', { date: '2026-11-14' }]],
    results: { find_shoots: [{ shoot_id: 861, client: 'Emil Sand', kind: 'portrait' }] },
    rounds: [[['order_prints', { shoot_id: 861, size: '20x30', copies: 5, finish: 'matt' }]]],
  },
  {
    ask: 'Log a blocked drain at 9 Weir Road and mail the quote, 180 euros, to office@weir.example',
    calls: [['log_callout', { address: '9 Weir Road', problem: 'blocked_drain' }]],
    results: { log_callout: { job_no: 'J3124', status: 'open' } },
    rounds: [[['send_plumbing_quote', { job_no: 'J3124', amount: 180, email: 'office@weir.example' }]]],
  },
  {
    ask: 'Get Kari Moe the cheapest estate car in Bergen from 10 to 14 December',
    calls: [['search_cars', { station: 'Bergen', from: '2026-12-10', to: '2026-12-14', category: 'estate' }]],
    results: {
      search_cars: [
        { car_id: 'C1180', model: 'Volvo V60', price_per_day: 78 },
        { car_id: 'C1192', model: 'Skoda Octavia', price_per_day: 59 },
        { car_id: 'C1205', model: 'Audi A6', price_per_day: 96 },
      ],
    },
    rounds: [
      [['create_rental', { car_id: 'C1192', driver_name: 'Kari Moe', from: '2026-12-10', to: '2026-12-14' }]],
    ],
  },
  {
    ask: 'Quote a wedding for 90 guests on 5 June 2027, then set its menu to tomato salad, salmon and lemon tart',
    calls: [['quote_event', { event_type: 'wedding', guests: 90, date: '2027-06-05' }]],
    results: { quote_event: { event_no: 'EV-2111', total: 6300, currency: 'EUR' } },
    rounds: [[['set_menu', { event_no: 'EV-2111', courses: ['tomato salad', 'salmon', 'lemon tart'] }]]],
  },
  {
    ask: 'Admit Pavel Novak to cardiology and record his pulse, 104',
    calls: [['admit_patient', { patient_name: 'Pavel Novak', ward: 'cardiology' }]],
    results: { admit_patient: { stay_id: 'ST-5077', bed: 'C-09' } },
    rounds: [[['record_vitals', { stay_id: 'ST-5077', pulse: 104 }]]],
  },
  {
    ask: 'Open a tenancy file for Omar Saleh against Citywohn AG, log 15 minutes for the intake and set a deadline on 10 December for the statement of defence',
    calls: [['open_case_file', { client: 'Omar Saleh', matter: 'tenancy', opponent: 'Citywohn AG' }]],
    results: { open_case_file: { file_no: '140/26', client: 'Omar Saleh' } },
    rounds: [
      [
        ['log_billable_time', { file_no: '140/26', minutes: 15, activity: 'intake' }],
        ['set_deadline', { file_no: '140/26', due: '2026-12-10', description: 'statement of defence' }],
      ],
    ],
  },
]

/** Corrections and follow-ups. */
const followUps: readonly PlannerCase[] = [
  {
    earlier: spoken('Room 312 is clean', [['set_room_status', { room: 312, status: 'clean' }, { ok: true }]]),
    ask: 'no, I meant 321',
    calls: [['set_room_status', { room: 321, status: 'clean' }]],
  },
  {
    earlier: spoken('Two towels for room 415', [['request_linen', { room: 415, towels: 2 }, { ok: true }]]),
    ask: 'make that 5',
    calls: [['request_linen', { room: 415, towels: 5 }]],
  },
  {
    earlier: spoken(
      'Any massage slots on Wednesday?',
      [['find_treatment_slots', { therapy: 'massage', date: '2026-11-25' }, { slots: [] }]],
      'There is nothing free on Wednesday.',
    ),
    ask: 'and for Thursday?',
    calls: [['find_treatment_slots', { therapy: 'massage', date: '2026-11-26' }]],
  },
  {
    earlier: spoken(
      'timetable of 7b on Monday',
      [['get_timetable', { class_name: '7b', weekday: 'monday' }, ['maths', 'art', 'english']]],
      'Maths, art and English.',
    ),
    ask: 'and 8c?',
    calls: [['get_timetable', { class_name: '8c', weekday: 'monday' }]],
  },
  {
    earlier: spoken(
      'Check stock of KLM-204',
      [['check_stock', { sku: 'KLM-204' }, { on_hand: 31 }]],
      '31 units.',
    ),
    ask: 'same for KLM-205 please',
    calls: [['check_stock', { sku: 'KLM-205' }]],
  },
  {
    earlier: spoken('60 croissants and 40 rye rolls for Café Lumen on Monday', [
      [
        'place_bread_order',
        { customer: 'Café Lumen', delivery_date: '2026-11-23', lines: lumen },
        { status: 'draft' },
      ],
    ]),
    ask: 'sorry, not Monday, I meant Tuesday',
    calls: [['place_bread_order', { customer: 'Café Lumen', delivery_date: '2026-11-24', lines: lumen }]],
  },
  {
    earlier: spoken(
      'What cars are there at Lisbon Airport from 2 to 9 December?',
      [['search_cars', { ...lisbon }, [{ car_id: 'C4001', model: 'Fiat Panda' }]]],
      'There is one Fiat Panda.',
    ),
    ask: 'and with an automatic gearbox?',
    calls: [['search_cars', { ...lisbon, automatic: true }]],
  },
  {
    earlier: spoken(
      'What do we pay for metal?',
      [['get_material_price', { material: 'metal' }, { eur_per_tonne: 212 }]],
      '212 euros per tonne.',
    ),
    ask: 'what about wood?',
    calls: [['get_material_price', { material: 'wood' }]],
  },
  {
    earlier: spoken('Give J3051 to Stefan on Wednesday morning', [
      [
        'assign_plumber',
        { job_no: 'J3051', plumber: 'Stefan', date: '2026-11-25', slot: 'morning' },
        { ok: true },
      ],
    ]),
    ask: 'hmm, make it the afternoon instead',
    calls: [
      ['assign_plumber', { job_no: 'J3051', plumber: 'Stefan', date: '2026-11-25', slot: 'afternoon' }],
    ],
  },
  {
    earlier: spoken('Please extend RC-30817', [], 'What is the new day of return?'),
    ask: '4 December',
    calls: [['extend_rental', { contract_no: 'RC-30817', new_return: '2026-12-04' }]],
  },
  {
    earlier: spoken(
      'Which bikes are waiting?',
      [['find_repairs', { status: 'waiting' }, waitingRepairs]],
      'Two bikes are waiting: 310 of Bauer and 312 of Lind.',
    ),
    ask: "ok, set Lind's to in progress",
    calls: [['set_repair_status', { repair_id: 312, status: 'in_progress' }]],
  },
  {
    earlier: spoken(
      'What salsa courses do we have?',
      [['list_courses', { style: 'salsa' }, salsaCourses]],
      'SA04 for beginners on Tuesday and SA11 for intermediates on Thursday.',
    ),
    ask: 'sign Dora Klein up for the second one',
    calls: [['enroll_student', { student: 'Dora Klein', course_code: 'SA11' }]],
  },
]

/** No call is right: a value is missing, no tool fits, or nothing is asked for. */
const none: readonly PlannerCase[] = [
  { ask: "I'd like to rent a car", calls: [] },
  { ask: 'Refund Irina Petrova please', calls: [] },
  { ask: 'Set a deadline in 114/26', calls: [] },
  { ask: 'The coffee machine in our office is making funny noises again', calls: [] },
  { ask: 'Thanks, that was quick!', calls: [] },
  { ask: 'Book a flight to Oslo on the 3rd of December', calls: [] },
  { ask: 'Room 312 has such a lovely view', calls: [] },
  { ask: 'Extend the rental of Mr Becker until Friday', calls: [] },
  { ask: 'Order some prints of shoot 902', calls: [] },
  { ask: "What's the weather going to be like tomorrow?", calls: [] },
  { ask: "Please don't cancel T-7731 yet", calls: [] },
  { ask: 'How does a pick list work anyway?', calls: [] },
  { ask: 'Assign J3051 to Stefan', calls: [] },
  { ask: "I've been working in this bakery for twelve years now", calls: [] },
  { ask: 'Weigh in HH-KR 482 with wood, gross 6100 kg', calls: [] },
]

/** Calls written exactly. */
const exact: readonly PlannerCase[] = [
  {
    ask: 'Call check_stock with {"sku": "BOX-010", "location": "Hall 2"}',
    calls: [['check_stock', { sku: 'BOX-010', location: 'Hall 2' }]],
  },
  { ask: 'get_material_price(material: e_waste)', calls: [['get_material_price', { material: 'e_waste' }]] },
  {
    ask: 'set_room_status room=509 status=inspected',
    calls: [['set_room_status', { room: 509, status: 'inspected' }]],
  },
  {
    ask: 'Call enroll_student with {"student":"Ana Costa","course_code":"WA03","partner":"Rui Costa"}',
    calls: [['enroll_student', { student: 'Ana Costa', course_code: 'WA03', partner: 'Rui Costa' }]],
  },
  {
    ask: 'cancel_treatment(appointment_id: "T-8120", charge_fee: true)',
    calls: [['cancel_treatment', { appointment_id: 'T-8120', charge_fee: true }]],
  },
  { ask: 'list_rooms floor=4', calls: [['list_rooms', { floor: 4 }]] },
  {
    ask: 'Call request_linen with {"room": 22, "bed_sheets": 2}',
    calls: [['request_linen', { room: 22, bed_sheets: 2 }]],
  },
  {
    ask: 'log_billable_time(file_no: "142/26", minutes: 90, activity: "court hearing", date: "2026-11-19")',
    calls: [
      [
        'log_billable_time',
        { file_no: '142/26', minutes: 90, activity: 'court hearing', date: '2026-11-19' },
      ],
    ],
  },
  {
    ask: 'pay_fine reader_card=L330127 amount=12.40 method=card',
    calls: [['pay_fine', { reader_card: 'L330127', amount: 12.4, method: 'card' }]],
  },
  {
    ask: 'Call create_pick_list with {"order_numbers":[7001,7002],"priority":"low"}',
    calls: [['create_pick_list', { order_numbers: [7001, 7002], priority: 'low' }]],
  },
]

/** Numbers, money, dates, codes, number words and e-mails. */
const values: readonly PlannerCase[] = [
  {
    ask: 'log three quarters of an hour on 099/26 for last Monday, legal research',
    calls: [
      [
        'log_billable_time',
        { file_no: '099/26', minutes: 45, activity: 'legal research', date: '2026-11-16' },
      ],
    ],
  },
  {
    ask: 'Wedding on the 3rd of May, a hundred and fifty guests, what would the catering be?',
    calls: [['quote_event', { event_type: 'wedding', guests: 150, date: '2027-05-03' }]],
  },
  {
    ask: 'fee note for 131/26: €1,250.50 net plus 19% VAT',
    calls: [['issue_fee_note', { file_no: '131/26', net_amount: 1250.5, vat_rate: 19 }]],
  },
  {
    ask: 'two dozen baguettes for Bistro Nord on 2026-12-01',
    calls: [
      [
        'place_bread_order',
        {
          customer: 'Bistro Nord',
          delivery_date: '2026-12-01',
          lines: [{ product: 'baguettes', pieces: 24 }],
        },
      ],
    ],
  },
  {
    ask: 'Register Jakob Stein for year 11, born 17.08.2010, parents are at stein.family@mail.example',
    calls: [
      [
        'register_pupil',
        {
          first_name: 'Jakob',
          last_name: 'Stein',
          year_group: 11,
          birth_date: '2010-08-17',
          guardian_email: 'stein.family@mail.example',
        },
      ],
    ],
  },
  {
    ask: 'ST-3380 has a temperature of thirty-eight point five',
    calls: [['record_vitals', { stay_id: 'ST-3380', temperature: 38.5 }]],
  },
  {
    ask: 'The fine of 7 euros 20 on L118204 was paid by card',
    calls: [['pay_fine', { reader_card: 'L118204', amount: 7.2, method: 'card' }]],
  },
  {
    ask: 'Truck B-TX 991 on the scale, wood, gross 12.4 tonnes, tare 8.1 tonnes',
    calls: [['weigh_in', { plate: 'B-TX 991', material: 'wood', gross_kg: 12400, tare_kg: 8100 }]],
  },
  {
    ask: 'Portrait session for Sofia Ekdahl, five people, on 12/12/2026 at half past ten in the morning',
    calls: [
      [
        'book_shoot',
        { client: 'Sofia Ekdahl', kind: 'portrait', date: '2026-12-12', time: '10:30', persons: 5 },
      ],
    ],
  },
  {
    ask: 'share shoot 860 with r.nilsen+studio@post.example, the link should be good for two weeks',
    calls: [['share_gallery', { shoot_id: 860, email: 'r.nilsen+studio@post.example', expires_in_days: 14 }]],
  },
  {
    ask: 'PO-100533 arrived, a dozen pallets',
    calls: [['book_goods_in', { po_number: 'PO-100533', pallets: 12 }]],
  },
  {
    ask: 'ST-6002 gets discharged the day after tomorrow',
    calls: [['schedule_discharge', { stay_id: 'ST-6002', date: '2026-11-23' }]],
  },
  {
    ask: 'reorder one thousand five hundred BOX-010 from Packwell',
    calls: [['reorder_article', { sku: 'BOX-010', quantity: 1500, supplier: 'Packwell' }]],
  },
]

export const devCorpusByKind = { singles, several, chains, followUps, none, exact, values }

export const devCorpus: readonly PlannerCase[] = Object.values(devCorpusByKind).flat()
