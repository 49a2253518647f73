import type { PlannerCase } from './planner-case.js'
import { all, either, one } from './planner-case.js'

// The requests of `sixth-unseen-corpus.ts` that one call answers, and those of several independent calls.

export const sixthSingles: PlannerCase[] = [
  // Pharmacy
  one('Find the patient Edith Barlow, born 1948-03-12.', 'find_patient', {
    name: 'Edith Barlow',
    birth_date: '1948-03-12',
  }),
  one('Please list the prescriptions of patient 40217, only the active ones.', 'list_prescriptions', {
    patient_id: 40217,
    active_only: true,
  }),
  one(
    'hi, my tablets are nearly gone, the number on the slip is RX-30871. could someone bring them round to my house?',
    'refill_prescription',
    { prescription_number: 'RX-30871', deliver: true },
  ),
  one('can i take ibuprofen together with warfarin and sertraline?', 'check_interactions', {
    medicines: ['ibuprofen', 'warfarin', 'sertraline'],
  }),
  one('Refill prescription RX-11902', 'refill_prescription', { prescription_number: 'RX-11902' }),
  // Theatre
  one('Search performances of Hamlet on 14 March 2027', 'search_performances', {
    title: 'Hamlet',
    date: '2027-03-14',
  }),
  one(
    "My parents are visiting and they'd love to see an opera on 3 May 2027. Are you playing one?",
    'search_performances',
    { genre: 'opera', date: '2027-05-03' },
  ),
  one('Book 4 seats in the balcony for performance PF-2210', 'book_seats', {
    performance_id: 'PF-2210',
    seats: 4,
    category: 'balcony',
  }),
  one(
    "We can't make it to the play after all, our code is TK4Q9Z. I'd rather have a voucher than the money back on my card.",
    'cancel_seat_booking',
    { booking_code: 'TK4Q9Z', refund_to: 'voucher' },
  ),
  one(
    'The cast of Woyzeck should meet on 22 February 2027 at 10 am in the studio to rehearse.',
    'schedule_rehearsal',
    { production: 'Woyzeck', date: '2027-02-22', start: '10:00', room: 'studio' },
  ),
  // Courier
  one('Track parcel RB204417763.', 'track_parcel', { tracking_number: 'RB204417763' }),
  one('where on earth is my package?? AX118820345, it should have been here ages ago', 'track_parcel', {
    tracking_number: 'AX118820345',
  }),
  one('Quote a shipment of 12.5 kg from 04109 to 80331, service express.', 'quote_shipment', {
    weight_kg: 12.5,
    from_postcode: '04109',
    to_postcode: '80331',
    service: 'express',
  }),
  one(
    'Someone needs to collect 3 boxes from Lindenstraße 8, 50674 Köln on 9 June 2027, in the afternoon would be best',
    'schedule_pickup',
    { address: 'Lindenstraße 8, 50674 Köln', date: '2027-06-09', window: 'afternoon', parcels: 3 },
  ),
  one(
    "I won't be home, please have LK550091287 brought to Marktgasse 4, 3011 Bern instead.",
    'redirect_parcel',
    { tracking_number: 'LK550091287', new_address: 'Marktgasse 4, 3011 Bern' },
  ),
  // Allotment garden
  one('List the free plots at the riverside site with a shed.', 'list_free_plots', {
    site: 'riverside',
    with_shed: true,
  }),
  one('I dug up 6.4 kilos of potatoes on C14 on 28 August 2026, so proud!', 'log_harvest', {
    plot_id: 'C14',
    crop: 'potatoes',
    weight_kg: 6.4,
    date: '2026-08-28',
  }),
  one('Report a problem on plot B03: pests.', 'report_plot_problem', { plot_id: 'B03', problem: 'pests' }),
  one(
    'the water pipe on plot F22 is leaking since yesterday, can you let the committee know',
    'report_plot_problem',
    { plot_id: 'F22', problem: 'water_leak' },
  ),
  one(
    'Is there any plot of atleast 250 square metres still to be had up on the hilltop?',
    'list_free_plots',
    { site: 'hilltop', min_area_m2: 250 },
  ),
  // Dentist
  one('Find dental slots for a cleaning from 2027-04-05 to 2027-04-09', 'find_dental_slots', {
    treatment: 'cleaning',
    earliest: '2027-04-05',
    latest: '2027-04-09',
  }),
  one(
    'I have to get a wisdom tooth pulled. What times do you have from 11 January 2027 on?',
    'find_dental_slots',
    { treatment: 'extraction', earliest: '2027-01-11' },
  ),
  one('Book dental slot S8841 for Paula Reinders.', 'book_dental_slot', {
    slot_id: 'S8841',
    patient_name: 'Paula Reinders',
  }),
  one('For the chart D2071: there is a cavity in tooth 36.', 'record_finding', {
    chart_no: 'D2071',
    tooth: 36,
    finding: 'caries',
  }),
  one('Send a recall for chart D1150 by letter in 6 months.', 'send_recall', {
    chart_no: 'D1150',
    channel: 'letter',
    in_months: 6,
  }),
  // Car rental
  one(
    'Search rental cars in Porto, pickup 2027-07-02, return 2027-07-16, category van',
    'search_rental_cars',
    { location: 'Porto', pickup_date: '2027-07-02', return_date: '2027-07-16', category: 'van' },
  ),
  one(
    'We need a car in Palermo from 4 September 2026 until 11 September 2026. A convertible would be lovely, and it has to be automatic, my wife never learned to shift gears',
    'search_rental_cars',
    {
      location: 'Palermo',
      pickup_date: '2026-09-04',
      return_date: '2026-09-11',
      category: 'cabriolet',
      automatic: true,
    },
  ),
  one('Extend rental 4471903, new return date 20 October 2026.', 'extend_rental', {
    contract_number: '4471903',
    return_date: '2026-10-20',
  }),
  one('can we keep the hire car untill 2 August 2027? contract 8820145', 'extend_rental', {
    contract_number: '8820145',
    return_date: '2027-08-02',
  }),
  one(
    'A stone cracked the windshield of our hire car (contract 3019476), but we can still drive it.',
    'report_car_damage',
    { contract_number: '3019476', part: 'windscreen', drivable: true },
  ),
  // Podcast studio
  one('Book the studio on 17 November 2026 at 14:30 for 2 hours, room lounge.', 'book_studio', {
    date: '2026-11-17',
    start: '14:30',
    hours: 2,
    room: 'lounge',
  }),
  one('Transcribe recording 5582 in German with timestamps.', 'transcribe_recording', {
    recording_id: 5582,
    language: 'de',
    timestamps: true,
  }),
  one(
    "I need recording 7140 as written text, it's in French and three people are talking",
    'transcribe_recording',
    { recording_id: 7140, language: 'fr', speakers: 3 },
  ),
  one(
    'Publish the episode "Salt and Steel" of the show Harbour Talk on 1 December 2026.',
    'publish_episode',
    { show: 'Harbour Talk', title: 'Salt and Steel', publish_on: '2026-12-01' },
  ),
  one('Could you dig out the podcast interview we taped with Nora Lindqvist?', 'find_recording', {
    guest: 'Nora Lindqvist',
  }),
  // Insurance claims
  one('Find the travel policy of Bruno Castellani', 'find_policy', {
    holder: 'Bruno Castellani',
    branch: 'travel',
  }),
  one('What is the status of claim C-204981?', 'get_claim_status', { claim_number: 'C-204981' }),
  one(
    'A pipe burst on 12 May 2026 and ruined about 3,200 euros worth of furniture. My policy is P-551203, please open a claim.',
    'file_claim',
    {
      policy_number: 'P-551203',
      cause: 'water_damage',
      incident_date: '2026-05-12',
      estimated_loss_eur: 3200,
    },
  ),
  one(
    'Someone stole my bike on 30 June 2026, and yes, the police made a report. Policy P-100482, I want to claim that.',
    'file_claim',
    { policy_number: 'P-100482', cause: 'theft', incident_date: '2026-06-30', police_report: true },
  ),
  one('Approve a payout of 1450 euros for claim C-119027.', 'approve_payout', {
    claim_number: 'C-119027',
    amount_eur: 1450,
  }),
  // School canteen
  one('Get the canteen menu for 8 October 2026, vegan.', 'get_canteen_menu', {
    date: '2026-10-08',
    diet: 'vegan',
  }),
  one("what's there to eat at school on 2026-09-17?", 'get_canteen_menu', { date: '2026-09-17' }),
  one('Order a school meal for pupil 318 on 23 September 2026: fish.', 'order_school_meal', {
    pupil_id: 318,
    date: '2026-09-23',
    dish: 'fish',
  }),
  one("Put 25 euros on my son's lunch card, number 70045512", 'top_up_meal_card', {
    card_number: '70045512',
    amount_eur: 25,
  }),
  one('Is there a schoolkid called Jonas Ekberg in class 4b?', 'find_pupil', {
    name: 'Jonas Ekberg',
    class: '4b',
  }),
  // Data centre
  one('List all servers in rack R12 with status degraded.', 'list_servers', {
    rack: 'R12',
    status: 'degraded',
  }),
  one('morning! wich machines are down right now?', 'list_servers', { status: 'down' }),
  one('Reboot the server web-03, hard.', 'reboot_server', { hostname: 'web-03', hard: true }),
  one('spin me up a vm called build-7 with 8 cores and 32 gigs of ram, debian please', 'provision_vm', {
    name: 'build-7',
    cpu_cores: 8,
    memory_gb: 32,
    image: 'debian12',
  }),
  one('Set the alert threshold for disk on db-primary to 85 percent.', 'set_alert_threshold', {
    hostname: 'db-primary',
    metric: 'disk',
    percent: 85,
  }),
  // Wedding planner
  one('Search venues in Tuscany for 120 guests, outdoor.', 'search_venues', {
    region: 'Tuscany',
    guests: 120,
    outdoor: true,
  }),
  one(
    'We want to get married somewhere in Provence with 60 people and can spend at most 9000 euros on the place.',
    'search_venues',
    { region: 'Provence', guests: 60, max_price_eur: 9000 },
  ),
  one('Add the guest Lila Okafor, side bride, with a plus one.', 'add_guest', {
    name: 'Lila Okafor',
    side: 'bride',
    plus_one: true,
  }),
  one('Put Tom Bauer, Iris Weld and Hamid Nouri together at table 7', 'seat_guests', {
    table: 7,
    guests: ['Tom Bauer', 'Iris Weld', 'Hamid Nouri'],
  }),
  one('Could we come and have a look at venue V-308 on 6 February 2027 at 3 pm?', 'book_venue_tour', {
    venue_id: 'V-308',
    date: '2027-02-06',
    time: '15:00',
  }),
  // Ferry line
  one('Search sailings from Kiel to Oslo on 2027-06-18.', 'search_sailings', {
    from_port: 'Kiel',
    to_port: 'Oslo',
    date: '2027-06-18',
  }),
  one('is there a boat from Ancona to Split on 12 July 2027 that takes our motorhome?', 'search_sailings', {
    from_port: 'Ancona',
    to_port: 'Split',
    date: '2027-07-12',
    vehicle: 'camper',
  }),
  one('Book sailing KO417 for 2 adults and 3 children with an outside cabin.', 'book_sailing', {
    sailing_id: 'KO417',
    adults: 2,
    children: 3,
    cabin: 'outside',
  }),
  one(
    'Please tell everybody that KO233 will be three quarters of an hour late because of the bad weather',
    'report_sailing_delay',
    { sailing_id: 'KO233', minutes: 45, reason: 'weather' },
  ),
  one(
    "Please book sailing BN102 for one adult. I'm bringing a motorcycle that is 2.2 metres long.",
    'book_sailing',
    { sailing_id: 'BN102', adults: 1, vehicle: { type: 'motorcycle', length_m: 2.2 } },
  ),
  // Zoo
  one('Find the animal Bantu, species gorilla.', 'find_animal', { name: 'Bantu', species: 'gorilla' }),
  one('just gave animal 92 four and a half kilos of mackerel', 'log_feeding', {
    animal_id: 92,
    food: 'mackerel',
    amount_kg: 4.5,
  }),
  one('Schedule a vet check for animal 17 on 3 March 2027.', 'schedule_vet_check', {
    animal_id: 17,
    date: '2027-03-03',
  }),
  one(
    'The vet should look at animal 205 on 19 April 2027, and it will have to be sedated for that',
    'schedule_vet_check',
    { animal_id: 205, date: '2027-04-19', sedation: true },
  ),
  either(
    "I'd like to support your penguins with 15 euros every month, my name is Greta Holm",
    [['sponsor_animal', { species: 'penguins', sponsor_name: 'Greta Holm', monthly_eur: 15 }]],
    [['sponsor_animal', { species: 'penguin', sponsor_name: 'Greta Holm', monthly_eur: 15 }]],
  ),
  // Furniture maker
  one('Quote a table in walnut, length 220 cm, width 95 cm, finish oil.', 'quote_table', {
    wood: 'walnut',
    length_cm: 220,
    width_cm: 95,
    finish: 'oil',
  }),
  one('How much would you charge for an oak dinning table, 180 cm long and 90 cm wide?', 'quote_table', {
    wood: 'oak',
    length_cm: 180,
    width_cm: 90,
  }),
  one('Quote a shelf in ash, width 120 cm, height 200 cm, 6 boards, wall mounted.', 'quote_shelf', {
    wood: 'ash',
    width_cm: 120,
    height_cm: 200,
    boards: 6,
    wall_mounted: true,
  }),
  one('What would a beech bookcase cost, 80 cm wide and 190 cm tall, with five boards?', 'quote_shelf', {
    wood: 'beech',
    width_cm: 80,
    height_cm: 190,
    boards: 5,
  }),
  one('Change the deadline of order 6612 to 15 January 2027.', 'change_order_deadline', {
    order_number: 6612,
    deadline: '2027-01-15',
  }),
  // Tax office
  one('Find the taxpayer Miriam Osei, birth date 1979-11-02.', 'find_taxpayer', {
    name: 'Miriam Osei',
    birth_date: '1979-11-02',
  }),
  one(
    'Estimate the income tax for a gross income of 54000 euros in tax year 2025, status single.',
    'estimate_income_tax',
    { gross_income_eur: 54000, tax_year: 2025, status: 'single' },
  ),
  one(
    'my wife and I earned 91,500 euros gross in 2025 and we have two kids. roughly what will we owe the tax man?',
    'estimate_income_tax',
    { gross_income_eur: 91500, tax_year: 2025, status: 'married', children: 2 },
  ),
  one(
    "I won't manage my 2025 tax return in time, my tax number is 12/345/67890. May I have until 30 November 2026?",
    'request_filing_extension',
    { tax_number: '12/345/67890', tax_year: 2025, until: '2026-11-30' },
  ),
  one(
    'Please pay the tax refunds for 21/815/08150 to DE89370400440532013000 from now on.',
    'change_refund_account',
    { tax_number: '21/815/08150', iban: 'DE89370400440532013000' },
  ),
]

export const sixthSeveral: PlannerCase[] = [
  all(
    'Track RB204417763 and LK550091287.',
    ['track_parcel', { tracking_number: 'RB204417763' }],
    ['track_parcel', { tracking_number: 'LK550091287' }],
  ),
  all(
    'reboot web-01 and web-02 pls',
    ['reboot_server', { hostname: 'web-01' }],
    ['reboot_server', { hostname: 'web-02' }],
  ),
  all(
    'Two more for the guest list: Mona Fisk, who is vegan, and Karl Orban, who brings a plus one.',
    ['add_guest', { name: 'Mona Fisk', diet: 'vegan' }],
    ['add_guest', { name: 'Karl Orban', plus_one: true }],
  ),
  all(
    'What does the canteen serve on 5 October 2026? And please top up card 80011234 with 40 euros.',
    ['get_canteen_menu', { date: '2026-10-05' }],
    ['top_up_meal_card', { card_number: '80011234', amount_eur: 40 }],
  ),
  all(
    'Log 2 kg of tomatoes and 1.5 kg of beans harvested on plot A09.',
    ['log_harvest', { plot_id: 'A09', crop: 'tomatoes', weight_kg: 2 }],
    ['log_harvest', { plot_id: 'A09', crop: 'beans', weight_kg: 1.5 }],
  ),
  all(
    'How far along is claim C-300117? Oh, and extend my car rental 5520981 to 9 May 2027.',
    ['get_claim_status', { claim_number: 'C-300117' }],
    ['extend_rental', { contract_number: '5520981', return_date: '2027-05-09' }],
  ),
  all(
    'Refill RX-40012 and RX-40013, both delivered to my home.',
    ['refill_prescription', { prescription_number: 'RX-40012', deliver: true }],
    ['refill_prescription', { prescription_number: 'RX-40013', deliver: true }],
  ),
  all(
    'I need two prices: an oak table, 200 cm long and 100 cm wide, and a walnut shelf, 150 cm wide and 180 cm high with 4 boards.',
    ['quote_table', { wood: 'oak', length_cm: 200, width_cm: 100 }],
    ['quote_shelf', { wood: 'walnut', width_cm: 150, height_cm: 180, boards: 4 }],
  ),
  all(
    'Set the alert threshold on db-02 to 90 percent for cpu and to 80 percent for memory.',
    ['set_alert_threshold', { hostname: 'db-02', metric: 'cpu', percent: 90 }],
    ['set_alert_threshold', { hostname: 'db-02', metric: 'memory', percent: 80 }],
  ),
  all(
    'Search ferries from Rostock to Trelleborg on 3 May 2027 and back on 10 May 2027.',
    ['search_sailings', { from_port: 'Rostock', to_port: 'Trelleborg', date: '2027-05-03' }],
    ['search_sailings', { from_port: 'Trelleborg', to_port: 'Rostock', date: '2027-05-10' }],
  ),
  all(
    'Book the studio on 8 February 2027 at 9:00 for three hours, then transcribe recording 6001, which is in English.',
    ['book_studio', { date: '2027-02-08', start: '09:00', hours: 3 }],
    ['transcribe_recording', { recording_id: 6001, language: 'en' }],
  ),
  all(
    'Seat Ana Ruiz and Pablo Ruiz at table 3, and Uwe Lang at table 5.',
    ['seat_guests', { table: 3, guests: ['Ana Ruiz', 'Pablo Ruiz'] }],
    ['seat_guests', { table: 5, guests: ['Uwe Lang'] }],
  ),
  all(
    "what's the weather going to be at the ports of Hirtshals and Larvik on 21 December 2026?",
    ['get_port_weather', { port: 'Hirtshals', date: '2026-12-21' }],
    ['get_port_weather', { port: 'Larvik', date: '2026-12-21' }],
  ),
  all(
    'Chart D3300: tooth 11 has a crack and tooth 24 is missing.',
    ['record_finding', { chart_no: 'D3300', tooth: 11, finding: 'crack' }],
    ['record_finding', { chart_no: 'D3300', tooth: 24, finding: 'missing' }],
  ),
  all(
    'Three things: find dental slots for a checkup from 7 June 2027 on, check whether amoxicillin and methotrexate interact, and cancel theatre booking TB77Q1.',
    ['find_dental_slots', { treatment: 'checkup', earliest: '2027-06-07' }],
    ['check_interactions', { medicines: ['amoxicillin', 'methotrexate'] }],
    ['cancel_seat_booking', { booking_code: 'TB77Q1' }],
  ),
]
