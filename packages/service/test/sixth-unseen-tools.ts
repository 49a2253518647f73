import { date, flag, integer, listOf, number, objectOf, oneOf, text, wireTool } from './planner-case.js'

const pattern = (regex: string, description: string) => ({ type: 'string', pattern: regex, description })
const choice = (description: string, ...values: string[]) => ({ ...oneOf(...values), description })

/** Sixty tools of fifteen trades. */
export const sixthTools: readonly object[] = [
  // Pharmacy
  wireTool('find_patient', 'Look up a pharmacy patient by name. Returns the patient_id.', {
    name: text('Full name of the patient'),
    'birth_date?': date('Date of birth'),
  }),
  wireTool('list_prescriptions', 'List the prescriptions on file for a pharmacy patient.', {
    patient_id: integer('Patient id, from find_patient'),
    'active_only?': flag('Leave out expired prescriptions'),
  }),
  wireTool('refill_prescription', 'Refill an existing prescription.', {
    prescription_number: pattern('^RX-\\d{5}$', 'Prescription number, e.g. RX-12345'),
    'deliver?': flag('Deliver to the home of the patient instead of pickup at the counter'),
  }),
  wireTool('check_interactions', 'Check whether medicines interact with each other.', {
    medicines: listOf({ type: 'string' }, 'Names of the medicines, at least two'),
  }),
  // Theatre
  wireTool(
    'search_performances',
    'Search the programme of the theatre. Returns performances with their ids and free seats.',
    {
      'title?': text('Title of the play'),
      'date?': date('Day of the performance'),
      'genre?': oneOf('comedy', 'tragedy', 'musical', 'opera', 'ballet'),
    },
  ),
  wireTool('book_seats', 'Book seats for a performance.', {
    performance_id: text('Performance id, e.g. PF-1001'),
    seats: integer('Number of seats'),
    category: choice('Part of the house', 'stalls', 'circle', 'balcony', 'box'),
    'wheelchair_space?': flag('One of the seats is a wheelchair space'),
  }),
  wireTool('cancel_seat_booking', 'Cancel a booking of theatre seats.', {
    booking_code: pattern('^T[A-Z0-9]{5}$', 'Booking code, six characters beginning with T'),
    'refund_to?': choice('Where the money goes', 'card', 'voucher'),
  }),
  wireTool('schedule_rehearsal', 'Schedule a rehearsal for a production of the theatre.', {
    production: text('Title of the production'),
    date: date('Day of the rehearsal'),
    start: text('Start time, HH:MM (24 h)'),
    room: oneOf('main_stage', 'studio', 'ballet_room'),
  }),
  // Courier
  wireTool('track_parcel', 'Get the current location and status of a parcel.', {
    tracking_number: pattern('^[A-Z]{2}\\d{9}$', 'Tracking number: two letters and nine digits'),
  }),
  wireTool('quote_shipment', 'Get the price for sending a parcel.', {
    weight_kg: number('Weight in kilograms'),
    from_postcode: text('Postcode of the sender'),
    to_postcode: text('Postcode of the recipient'),
    'service?': choice('Speed of delivery', 'economy', 'express', 'same_day'),
    'insured_value_eur?': number('Insured value in euros'),
  }),
  wireTool('schedule_pickup', 'Have a courier pick up parcels at an address.', {
    address: text('Street, number, postcode and town'),
    date: date('Day of the pickup'),
    window: choice('Time of day', 'morning', 'afternoon', 'evening'),
    'parcels?': integer('Number of parcels'),
  }),
  wireTool('redirect_parcel', 'Redirect a parcel that is under way to another address.', {
    tracking_number: pattern('^[A-Z]{2}\\d{9}$', 'Tracking number: two letters and nine digits'),
    new_address: text('The new delivery address'),
  }),
  // Allotment garden
  wireTool('list_free_plots', 'List the allotment plots that nobody rents at the moment.', {
    'site?': choice('Garden site', 'north', 'riverside', 'hilltop'),
    'min_area_m2?': number('Minimum area in square metres'),
    'with_shed?': flag('Only plots that have a shed'),
  }),
  wireTool('reserve_plot', 'Reserve a free allotment plot for a member.', {
    plot_id: pattern('^[A-H]\\d{2}$', 'Plot, e.g. A01'),
    member_name: text('Name of the member'),
    'start_date?': date('First day of the lease'),
  }),
  wireTool('report_plot_problem', 'Report a problem on an allotment plot to the committee.', {
    plot_id: pattern('^[A-H]\\d{2}$', 'Plot, e.g. A01'),
    problem: oneOf('water_leak', 'pests', 'vandalism', 'overgrown'),
    'urgent?': flag('Somebody must come the same day'),
  }),
  wireTool('log_harvest', 'Record what was harvested on an allotment plot.', {
    plot_id: pattern('^[A-H]\\d{2}$', 'Plot, e.g. A01'),
    crop: text('What was harvested, e.g. carrots'),
    weight_kg: number('Weight in kg'),
    'date?': date('Day of the harvest, today by default'),
  }),
  // Dentist
  wireTool('find_dental_slots', 'Find free appointment slots at the dental practice.', {
    treatment: oneOf('checkup', 'cleaning', 'filling', 'extraction', 'root_canal'),
    earliest: date('First possible day'),
    'latest?': date('Last possible day'),
  }),
  wireTool('book_dental_slot', 'Book a free slot at the dental practice for a patient.', {
    slot_id: text('Slot id, from find_dental_slots'),
    patient_name: text('Full name of the patient'),
  }),
  wireTool('record_finding', "Enter a finding on a tooth into a patient's dental chart.", {
    chart_no: pattern('^D\\d{4}$', 'Chart number, e.g. D1234'),
    tooth: { type: 'integer', minimum: 11, maximum: 48, description: 'Tooth in FDI notation' },
    finding: oneOf('caries', 'crack', 'missing', 'healthy'),
  }),
  wireTool('send_recall', 'Send a dental patient a reminder of the next checkup.', {
    chart_no: pattern('^D\\d{4}$', 'Chart number, e.g. D1234'),
    channel: oneOf('sms', 'email', 'letter'),
    'in_months?': integer('Send it in this many months instead of now'),
  }),
  // Car rental
  wireTool('search_rental_cars', 'Search available rental cars. Returns offers with ids and prices.', {
    location: text('City of the pickup'),
    pickup_date: date('First day'),
    return_date: date('Last day'),
    'category?': oneOf('compact', 'estate', 'van', 'cabriolet'),
    'automatic?': flag('Only cars with automatic transmission'),
  }),
  wireTool('reserve_rental_car', 'Reserve a rental car from an offer.', {
    offer_id: text('Offer id, from search_rental_cars'),
    driver: objectOf({
      name: text('Full name of the driver'),
      licence_number: text('Number of the driving licence'),
      'birth_date?': date('Date of birth'),
    }),
    'full_insurance?': flag('Insurance without excess'),
  }),
  wireTool('extend_rental', 'Extend a running car rental.', {
    contract_number: pattern('^\\d{7}$', 'Number of the rental contract, seven digits'),
    return_date: date('The new return date'),
  }),
  wireTool('report_car_damage', 'Report damage to a rental car.', {
    contract_number: pattern('^\\d{7}$', 'Number of the rental contract, seven digits'),
    part: choice('Damaged part', 'windscreen', 'tyre', 'door', 'bumper', 'mirror'),
    'drivable?': flag('Whether the car can still be driven'),
  }),
  // Podcast studio
  wireTool('book_studio', 'Book the podcast studio.', {
    date: date('Day'),
    start: text('Start time, HH:MM (24 h)'),
    hours: number('Length in hours'),
    'room?': oneOf('booth', 'lounge', 'live_room'),
  }),
  wireTool('find_recording', 'Find podcast recordings in the archive. Returns recording ids.', {
    'title?': text('Working title'),
    'guest?': text('Name of the guest'),
    'recorded_on?': date('Day of the recording'),
  }),
  wireTool('transcribe_recording', 'Make a transcript of a podcast recording.', {
    recording_id: integer('Recording id'),
    language: choice('Spoken language (ISO 639-1)', 'en', 'de', 'fr', 'es'),
    'speakers?': integer('Number of speakers'),
    'timestamps?': flag('Add timestamps to the transcript'),
  }),
  wireTool('publish_episode', 'Publish a podcast episode.', {
    show: text('Name of the podcast'),
    title: text('Title of the episode'),
    'publish_on?': date('Release date, at once by default'),
    'explicit?': flag('Contains explicit language'),
    'tags?': listOf({ type: 'string' }, 'Tags'),
  }),
  // Insurance claims
  wireTool('find_policy', 'Find the insurance policy of a customer. Returns the policy number.', {
    holder: text('Name of the policy holder'),
    'branch?': oneOf('car', 'home', 'liability', 'travel'),
  }),
  wireTool('file_claim', 'File a new insurance claim.', {
    policy_number: pattern('^P-\\d{6}$', 'Policy number, e.g. P-123456'),
    cause: oneOf('theft', 'fire', 'water_damage', 'storm', 'collision'),
    incident_date: date('Day of the incident'),
    'estimated_loss_eur?': number('Estimated loss in euros'),
    'police_report?': flag('Whether the police made a report'),
  }),
  wireTool('get_claim_status', 'Get the status of an insurance claim.', {
    claim_number: pattern('^C-\\d{6}$', 'Claim number, e.g. C-123456'),
  }),
  wireTool('approve_payout', 'Approve the payout for an insurance claim.', {
    claim_number: pattern('^C-\\d{6}$', 'Claim number, e.g. C-123456'),
    amount_eur: number('Amount in euros'),
    'deductible_percent?': { type: 'number', minimum: 0, maximum: 100, description: 'Deductible in percent' },
  }),
  // School canteen
  wireTool('get_canteen_menu', 'Get the menu of the school canteen for a day.', {
    date: date('Day'),
    'diet?': oneOf('vegetarian', 'vegan', 'halal'),
  }),
  wireTool('find_pupil', 'Find a pupil of the school by name. Returns the pupil_id.', {
    name: text('Full name of the pupil'),
    'class?': text('Class, e.g. 2c'),
  }),
  wireTool('order_school_meal', 'Order lunch at the school canteen for a pupil.', {
    pupil_id: integer('Pupil id, from find_pupil'),
    date: date('Day of the meal'),
    dish: oneOf('meat', 'fish', 'vegetarian', 'pasta'),
  }),
  wireTool('top_up_meal_card', 'Top up the meal card of a pupil.', {
    card_number: pattern('^\\d{8}$', 'Card number, eight digits'),
    amount_eur: number('Amount in euros'),
  }),
  // Data centre
  wireTool('list_servers', 'List the servers in the data centre with their state.', {
    'rack?': text('Rack, e.g. R01'),
    'status?': oneOf('up', 'down', 'degraded'),
  }),
  wireTool('reboot_server', 'Reboot a server.', {
    hostname: text('Host name'),
    'hard?': flag('Cut the power instead of a clean shutdown'),
  }),
  wireTool('provision_vm', 'Create a new virtual machine.', {
    name: text('Name of the machine'),
    cpu_cores: integer('Number of CPU cores'),
    memory_gb: integer('Memory in GB'),
    image: choice('Operating system', 'debian12', 'ubuntu24', 'windows2022'),
    'disk_gb?': integer('Disk size in GB'),
    'backup?': flag('Daily backups'),
  }),
  wireTool('set_alert_threshold', 'Set the usage above which a server raises an alert.', {
    hostname: text('Host name'),
    metric: oneOf('cpu', 'memory', 'disk'),
    percent: { type: 'number', minimum: 1, maximum: 100, description: 'Threshold in percent' },
  }),
  // Wedding planner
  wireTool('search_venues', 'Search wedding venues. Returns venue ids.', {
    region: text('Region or city'),
    guests: integer('Number of guests'),
    'max_price_eur?': number('Maximum rent in euros'),
    'outdoor?': flag('The ceremony can be held outdoors'),
  }),
  wireTool('book_venue_tour', 'Book a guided tour of a wedding venue.', {
    venue_id: text('Venue id, e.g. V-100'),
    date: date('Day of the tour'),
    'time?': text('HH:MM (24 h)'),
  }),
  wireTool('add_guest', 'Add a person to the guest list of the wedding.', {
    name: text('Full name'),
    'side?': oneOf('bride', 'groom'),
    'plus_one?': flag('Brings a companion'),
    'diet?': oneOf('vegetarian', 'vegan', 'gluten_free'),
  }),
  wireTool('seat_guests', 'Seat wedding guests at a table.', {
    table: integer('Number of the table'),
    guests: listOf({ type: 'string' }, 'Full names of the guests'),
  }),
  // Ferry line
  wireTool('search_sailings', 'Search ferry sailings between two ports. Returns sailing ids and fares.', {
    from_port: text('Port of departure'),
    to_port: text('Port of arrival'),
    date: date('Day of departure'),
    'vehicle?': oneOf('car', 'camper', 'motorcycle', 'bicycle'),
  }),
  wireTool('book_sailing', 'Book a ferry sailing.', {
    sailing_id: pattern('^[A-Z]{2}\\d{3}$', 'Sailing id, e.g. AB123'),
    adults: integer('Number of adults'),
    'children?': integer('Number of children'),
    'vehicle?': objectOf({
      type: oneOf('car', 'camper', 'motorcycle', 'bicycle'),
      'length_m?': number('Length in metres'),
      'plate?': text('Number plate'),
    }),
    'cabin?': oneOf('inside', 'outside'),
  }),
  wireTool('report_sailing_delay', 'Announce that a ferry sailing is delayed.', {
    sailing_id: pattern('^[A-Z]{2}\\d{3}$', 'Sailing id, e.g. AB123'),
    minutes: integer('Delay in minutes'),
    'reason?': oneOf('weather', 'technical', 'port_congestion'),
  }),
  wireTool('get_port_weather', 'Get the weather and wave forecast for a port.', {
    port: text('Name of the port'),
    'date?': date('Day, today by default'),
  }),
  // Zoo
  wireTool('find_animal', 'Find an animal of the zoo by its name. Returns the animal_id.', {
    name: text('Name of the animal'),
    'species?': text('Species'),
  }),
  wireTool('log_feeding', 'Record a feeding of a zoo animal.', {
    animal_id: integer('Animal id'),
    food: text('What was fed'),
    amount_kg: number('Amount offered in kg'),
    'eaten_percent?': {
      type: 'number',
      minimum: 0,
      maximum: 100,
      description: 'Share that was eaten, in percent',
    },
  }),
  wireTool('schedule_vet_check', 'Schedule a check of a zoo animal by the vet.', {
    animal_id: integer('Animal id'),
    date: date('Day of the check'),
    'sedation?': flag('The animal has to be sedated'),
  }),
  wireTool('sponsor_animal', 'Take out a sponsorship for a species in the zoo.', {
    species: text('Species, e.g. red panda'),
    sponsor_name: text('Name of the sponsor'),
    monthly_eur: number('Contribution per month in euros'),
    'months?': integer('Duration in months, open-ended by default'),
  }),
  // Furniture maker
  wireTool('quote_table', 'Calculate the price of a made-to-measure table.', {
    wood: oneOf('oak', 'walnut', 'beech', 'ash'),
    length_cm: number('Length in cm'),
    width_cm: number('Width in cm'),
    'height_cm?': number('Height in cm'),
    'finish?': oneOf('oil', 'wax', 'lacquer'),
  }),
  wireTool('quote_shelf', 'Calculate the price of a made-to-measure shelf or bookcase.', {
    wood: oneOf('oak', 'walnut', 'beech', 'ash'),
    width_cm: number('Width in cm'),
    height_cm: number('Height in cm'),
    boards: integer('Number of boards'),
    'wall_mounted?': flag('Hung on the wall instead of standing'),
  }),
  wireTool('find_workshop_order', 'Find the furniture order of a customer. Returns the order number.', {
    customer: text('Name of the customer'),
  }),
  wireTool('change_order_deadline', 'Change the completion date of a furniture order.', {
    order_number: integer('Order number'),
    deadline: date('New completion date'),
    'notify_customer?': flag('Send the customer an e-mail about it'),
  }),
  // Tax office
  wireTool('find_taxpayer', 'Find a taxpayer in the register. Returns the tax number.', {
    name: text('Full name'),
    'birth_date?': date('Date of birth'),
  }),
  wireTool('request_filing_extension', 'Request more time for filing a tax return.', {
    tax_number: pattern('^\\d{2}/\\d{3}/\\d{5}$', 'Tax number, e.g. 11/222/33333'),
    tax_year: integer('Tax year of the return'),
    until: date('Requested new due date'),
  }),
  wireTool('estimate_income_tax', 'Estimate the income tax for a year.', {
    gross_income_eur: number('Gross income of the household in euros'),
    tax_year: integer('Tax year'),
    status: oneOf('single', 'married'),
    'children?': integer('Number of children'),
    'church_tax?': flag('Whether church tax is paid'),
  }),
  wireTool('change_refund_account', 'Change the bank account for tax refunds.', {
    tax_number: pattern('^\\d{2}/\\d{3}/\\d{5}$', 'Tax number, e.g. 11/222/33333'),
    iban: text('IBAN without spaces'),
  }),
]
