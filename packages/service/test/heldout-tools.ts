import { date, flag, integer, listOf, number, objectOf, oneOf, text, wireTool } from './planner-case.js'

const plain = { type: 'string' }
const coded = (pattern: string, description: string) => ({ type: 'string', pattern, description })
const email = (description: string) => ({ type: 'string', format: 'email', description })
const between = (minimum: number, maximum: number, description: string) => {
  return { type: 'integer', minimum, maximum, description }
}
const clock = coded('^([01]\\d|2[0-3]):[0-5]\\d$', 'Time of day, HH:MM in 24 hours')
const language = (description: string) => {
  return { type: 'string', enum: ['de', 'en', 'fr', 'es', 'it', 'pl'], description }
}

/** Sixty tools of fifteen trades, held out: four for each trade. All are offered at once. */
export const heldoutTools = [
  // Veterinary practice
  wireTool('find_pet', 'Look up animals in the practice register by owner or by the name of the animal.', {
    'owner_name?': text('Last name of the owner'),
    'pet_name?': text('What the animal is called'),
  }),
  wireTool('book_vet_visit', 'Book a vet visit', {
    pet_id: coded('^PET-\\d{4}$', 'Number of the animal, like PET-0042'),
    date: date('Day of the visit'),
    time: clock,
    'reason?': text('What is wrong with the animal'),
  }),
  wireTool(
    'record_vaccination',
    'Enters a vaccination into the record of an animal. Use it after the shot was given, not to plan one.',
    {
      pet_id: coded('^PET-\\d{4}$', 'Number of the animal'),
      vaccine: oneOf('rabies', 'distemper', 'parvo', 'leptospirosis', 'kennel_cough'),
      given_on: date('Day of the shot'),
      'batch?': text('Batch of the vaccine'),
    },
  ),
  wireTool('dispense_medicine', 'Dispenses a medicine to an animal and prints the label.', {
    pet_id: coded('^PET-\\d{4}$', 'Number of the animal'),
    medicine: text('Trade name of the medicine'),
    dose_mg: number('One dose in milligrams'),
    times_per_day: between(1, 6, 'Doses in a day'),
    'days?': integer('For how many days'),
  }),

  // Property management
  wireTool('list_tenants', 'List the tenants of a building', {
    building: text('Name of the building, e.g. Birkenhof'),
    'only_in_arrears?': flag('Only those who owe rent'),
  }),
  wireTool('report_repair', 'Reports a repair in a rented unit to the caretaker.', {
    unit: coded('^\\d{1,2}[A-F]$', 'Unit, for example 3A'),
    category: oneOf('plumbing', 'heating', 'electrical', 'lift', 'other'),
    description: text('What is broken, in the words of the tenant'),
    'urgent?': { type: 'boolean', default: false },
  }),
  wireTool('record_rent_payment', 'Record a rent payment of a tenant', {
    tenant_id: coded('^TN-\\d{3}$', 'Tenant number'),
    amount: number('Amount in euros'),
    paid_on: date('Day on which the money came in'),
    'method?': oneOf('bank_transfer', 'cash', 'card'),
  }),
  wireTool('schedule_viewing', 'Schedule a viewing of an empty unit with a prospective tenant.', {
    unit: coded('^\\d{1,2}[A-F]$', 'Unit, for example 3A'),
    visitor_name: text('Full name of the visitor'),
    starts_at: coded('^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}$', 'Local start, e.g. 2025-06-30T10:45'),
    'visitor_email?': email('Where the confirmation goes'),
  }),

  // Freight
  wireTool('get_freight_quote', 'Get a price for moving freight between two places.', {
    origin: text('City of loading'),
    destination: text('City of unloading'),
    weight_kg: number('Gross weight in kilograms'),
    mode: oneOf('road', 'rail', 'sea', 'air'),
    'hazardous?': flag('True for dangerous goods'),
  }),
  wireTool('book_shipment', 'Turns a freight quote into a booked shipment. Needs the id of a quote.', {
    quote_id: text('Id of the quote, as get_freight_quote returns it'),
    pickup_date: date('Day of the pickup'),
    contact_email: email('Contact at the loading dock'),
  }),
  wireTool('track_consignment', 'Where a consignment is', {
    tracking_no: coded('^FR\\d{8}$', 'Tracking number'),
  }),
  wireTool('cancel_shipment', 'Cancel a booked shipment', {
    booking_no: coded('^BK-\\d{5}$', 'Booking number'),
    'reason?': oneOf('customer_request', 'wrong_address', 'damaged', 'other'),
  }),

  // Travel agency
  wireTool('search_flights', 'Search flights between two airports. Returns offers with their prices.', {
    from: coded('^[A-Z]{3}$', 'IATA code of the airport of departure, e.g. ZRH'),
    to: coded('^[A-Z]{3}$', 'IATA code of the airport of arrival'),
    depart_on: date('Day of departure'),
    'return_on?': date('Day of the flight back, omit for one way'),
    'passengers?': { type: 'integer', minimum: 1, maximum: 9, default: 1 },
    'cabin?': oneOf('economy', 'premium', 'business'),
  }),
  wireTool('hold_flight_offer', 'Holds a flight offer without payment.', {
    offer_id: text('Id of the offer from search_flights'),
    lead_passenger: text('Name of the lead passenger as in the passport'),
    'hold_hours?': between(1, 72, 'How long to hold it, 24 if omitted'),
  }),
  wireTool('search_hotels', 'Search hotels and other accommodation in a city', {
    city: plain,
    check_in: date('First night'),
    check_out: date('Day of leaving'),
    guests: { type: 'integer', minimum: 1 },
    'max_price?': number('Highest price for one night'),
  }),
  wireTool('get_visa_rules', 'Tells whether a traveller needs a visa.', {
    nationality: text('Country of the passport, e.g. India'),
    destination: text('Country to be visited'),
    'stay_days?': integer('Length of the stay in days'),
  }),

  // Optician
  wireTool('find_eyewear_customer', 'Find a customer of the optician by name', {
    name: text('Full name'),
    'birth_date?': date('Date of birth'),
  }),
  wireTool('record_eye_values', 'Records the measured values of one eye. Call it once for each eye.', {
    customer_no: integer('Customer number'),
    eye: oneOf('left', 'right'),
    sphere: number('Sphere in dioptres, negative for short sight'),
    'cylinder?': number('Cylinder in dioptres'),
    'axis?': between(0, 180, 'Axis in degrees'),
  }),
  wireTool('order_lenses', 'Order a pair of lenses for a customer', {
    customer_no: integer('Customer number'),
    lens_type: oneOf('single_vision', 'bifocal', 'varifocal'),
    'coatings?': listOf(oneOf('anti_reflective', 'blue_light', 'photochromic'), 'Coatings'),
  }),
  wireTool('check_frame_stock', 'Check how many of a spectacle frame are in stock', {
    frame_code: text('Code of the frame, e.g. GU-1907'),
    'colour?': plain,
  }),

  // Gym
  wireTool('register_gym_member', 'Registers a new gym member and sends the welcome mail.', {
    first_name: plain,
    last_name: plain,
    email: email('Address for the welcome mail'),
    plan: oneOf('monthly', 'yearly', 'student'),
  }),
  wireTool('freeze_membership', 'Freeze a gym membership for a while', {
    member_no: integer('Member number'),
    from_date: date('First frozen day'),
    until_date: date('Last frozen day'),
  }),
  wireTool('book_gym_class', 'Book a gym member into a class', {
    member_no: integer('Member number'),
    class_name: oneOf('spinning', 'pilates', 'boxing', 'yoga'),
    date: date('Day of the class'),
    time: clock,
  }),
  wireTool('log_measurement', "Log a member's body measurement.", {
    member_no: integer('Member number'),
    weight_kg: number('Weight in kg'),
    'body_fat_percent?': { type: 'number', minimum: 2, maximum: 70 },
  }),

  // Newspaper subscriptions
  wireTool('find_subscriber', 'Find newspaper subscribers by last name or postcode.', {
    'last_name?': plain,
    'postcode?': text('Postcode of the delivery address'),
  }),
  wireTool('pause_delivery', 'Pause the delivery of the newspaper, for example during a holiday.', {
    subscriber_id: coded('^S\\d{6}$', 'Subscriber id'),
    start_date: date('First day without a paper'),
    end_date: date('Last day without a paper'),
  }),
  wireTool('change_edition', 'Switches a subscription to another edition of the newspaper', {
    subscriber_id: coded('^S\\d{6}$', 'Subscriber id'),
    edition: oneOf('print_daily', 'weekend_only', 'digital'),
  }),
  wireTool('report_missing_issue', 'Report an issue of the newspaper that was not delivered', {
    subscriber_id: coded('^S\\d{6}$', 'Subscriber id'),
    issue_date: date('Date of the missing issue'),
    'compensation?': oneOf('credit', 'resend'),
  }),

  // IT helpdesk
  wireTool('create_it_ticket', 'Create a ticket in the IT helpdesk', {
    title: text('One line that sums up the problem'),
    priority: oneOf('low', 'normal', 'high', 'critical'),
    requester_email: email('Mail of the person with the problem'),
    'category?': oneOf('hardware', 'software', 'network', 'account'),
  }),
  wireTool('reset_user_password', 'Reset the password of a user account', {
    username: text('Login name'),
    'notify_email?': email('Where to send the new password'),
  }),
  wireTool('assign_it_ticket', 'Assign a helpdesk ticket to an agent.', {
    ticket_id: integer('Number of the ticket'),
    agent: text('Name of the agent'),
  }),
  wireTool('search_it_tickets', 'Search IT tickets', {
    'text?': text('Words in the title'),
    'status?': oneOf('open', 'waiting', 'closed'),
    'requester_email?': email('Who asked'),
  }),

  // Winery
  wireTool('get_wine_stock', 'How many bottles of a wine are in the cellar', {
    wine: text('Name of the wine, e.g. Chardonnay'),
    'vintage?': integer('Year of the vintage'),
  }),
  wireTool('create_wine_order', 'Creates a wine order for a customer of the winery.', {
    customer: text('Name of the customer'),
    items: listOf(
      objectOf({ wine: text('Name of the wine'), vintage: integer('Year'), bottles: integer('How many') }),
      'The ordered wines',
    ),
    'gift_wrap?': flag('Wrap the bottles as a gift'),
  }),
  wireTool('book_wine_tasting', 'Book a wine tasting at the winery', {
    name: text('Name for the booking'),
    guests: between(1, 20, 'Number of guests'),
    date: date('Day of the tasting'),
    time: clock,
    'language?': language('Language of the guide'),
  }),
  wireTool('record_harvest', 'Record a load of harvested grapes', {
    vineyard: text('Name of the vineyard'),
    grape: text('Grape variety'),
    kilos: number('Weight of the load in kg'),
    'oechsle?': integer('Must weight in degrees Oechsle'),
  }),

  // Theatre box office
  wireTool('list_performances', 'List the performances of a show, earliest first.', {
    show: text('Title of the show'),
    'from_date?': date('Earliest day'),
    'to_date?': date('Latest day'),
  }),
  wireTool('reserve_theatre_seats', 'Reserve seats for a performance', {
    performance_id: integer('Id of the performance'),
    area: oneOf('stalls', 'circle', 'balcony', 'box'),
    seats: between(1, 10, 'Number of seats'),
    name: text('Name for the reservation'),
  }),
  wireTool('refund_theatre_booking', 'Refunds a booking of theatre tickets in full. Cannot be undone.', {
    booking_ref: coded('^TB[A-Z0-9]{5}$', 'Booking reference'),
  }),
  wireTool('check_gift_voucher', 'Check a gift voucher: is it valid, and what is left on it', {
    code: coded('^GV-\\d{4}-[A-Z]{2}$', 'Voucher code'),
  }),

  // Kindergarten
  wireTool('find_child', 'Find a child of the kindergarten by name', { name: text('First and last name') }),
  wireTool('report_child_absence', 'Reports that a child will be absent from kindergarten on a day.', {
    child_id: coded('^K\\d{3}$', 'Id of the child'),
    date: date('Day of the absence'),
    'cause?': oneOf('illness', 'holiday', 'family'),
  }),
  wireTool('add_pickup_person', 'Adds a person who may pick up a child', {
    child_id: coded('^K\\d{3}$', 'Id of the child'),
    person: text('Full name of the person'),
    'relation?': oneOf('parent', 'grandparent', 'neighbour', 'other'),
    'phone?': plain,
  }),
  wireTool('send_group_note', 'Send a note to the parents of a kindergarten group.', {
    group: oneOf('bees', 'owls', 'foxes'),
    message: text('Text of the note'),
  }),

  // Insurance claims
  wireTool('lookup_policy', 'Look up an insurance policy by its number or its holder', {
    'policy_no?': coded('^PL-\\d{6}$', 'Policy number'),
    'holder_name?': text('Full name of the policy holder'),
  }),
  wireTool('open_claim', 'Opens a claim on an insurance policy. Returns the claim number.', {
    policy_no: coded('^PL-\\d{6}$', 'Policy number'),
    kind: oneOf('water', 'fire', 'theft', 'storm', 'liability'),
    happened_on: date('Day of the incident'),
    'estimate?': number('Estimated damage'),
  }),
  wireTool('set_claim_reserve', 'Set the reserve of a claim', {
    claim_no: coded('^CL-\\d{5}$', 'Claim number'),
    amount: { type: 'number', minimum: 0 },
    currency: oneOf('EUR', 'CHF', 'USD', 'GBP'),
  }),
  wireTool('assign_adjuster', 'Assign an adjuster who will handle a claim', {
    claim_no: coded('^CL-\\d{5}$', 'Claim number'),
    adjuster: text('Full name of the adjuster'),
  }),

  // Farm shop
  wireTool('set_shop_price', 'Set the price of a product in the farm shop', {
    product: text('Product, e.g. honey'),
    price: number('Price in euros for one unit'),
    unit: oneOf('kg', 'piece', 'litre', 'dozen'),
  }),
  wireTool('order_veg_box', 'Order a weekly vegetable box for a customer', {
    customer: text('Full name of the customer'),
    size: oneOf('small', 'medium', 'large'),
    weekday: oneOf('monday', 'tuesday', 'wednesday', 'thursday', 'friday'),
    'leave_out?': listOf(plain, 'Vegetables that the customer does not want'),
  }),
  wireTool('log_egg_count', 'Logs the eggs collected from a coop.', {
    coop: between(1, 6, 'Number of the coop'),
    eggs: integer('How many eggs'),
    'collected_on?': date('Defaults to today'),
  }),
  wireTool('list_low_stock', 'List the products of the farm shop that are running low', {
    'category?': oneOf('vegetables', 'dairy', 'meat', 'bakery'),
    'below?': integer('Only products with fewer units than this'),
  }),

  // Locksmith
  wireTool('dispatch_locksmith', 'Send a locksmith out to a customer now.', {
    address: text('Street and number, town if known'),
    job: oneOf('lockout', 'lock_change', 'broken_key', 'safe_opening'),
    callback_phone: text('Phone number of the customer'),
  }),
  wireTool('cut_keys', 'Cut copies of a key', {
    key_code: coded('^[A-Z]{2}-\\d{4}$', 'Code on the key'),
    copies: { type: 'integer', minimum: 1 },
    'security_card?': flag('The customer showed the security card'),
  }),
  wireTool('estimate_lock_job', 'Estimates the price of a locksmith job.', {
    job: oneOf('lockout', 'lock_change', 'broken_key', 'safe_opening'),
    'after_hours?': flag('At night, on Sundays and holidays'),
  }),
  wireTool('list_technicians', 'List technicians by district', {
    district: text('District of the city'),
    'on_duty?': flag('Only those on duty'),
  }),

  // Translation bureau
  wireTool('quote_translation', 'Quote the price of a translation', {
    source: language('Language of the text, ISO 639-1, e.g. de for German'),
    target: language('Language to translate into'),
    words: integer('Number of words'),
    'certified?': flag('A sworn, certified translation'),
  }),
  wireTool('assign_translator', 'Assigns a translator to a translation project with a deadline.', {
    project_id: coded('^TR-\\d{4}$', 'Project'),
    translator: text('Full name of the translator'),
    due_on: date('Deadline'),
  }),
  wireTool('find_translators', 'Find translators for a pair of languages', {
    source: language('Language they translate from'),
    target: language('Language they translate into'),
    'subject?': oneOf('legal', 'medical', 'technical', 'marketing'),
  }),
  wireTool('set_project_status', 'Set the status of a translation project', {
    project_id: coded('^TR-\\d{4}$', 'Project'),
    status: oneOf('in_progress', 'review', 'delivered', 'cancelled'),
  }),
]
