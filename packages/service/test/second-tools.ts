import { date, flag, integer, listOf, number, objectOf, oneOf, text, wireTool } from './planner-case.js'

const plain = { type: 'string' }
const coded = (pattern: string, description: string) => ({ type: 'string', pattern, description })
const clock = (description: string) => coded('^([01]\\d|2[0-3]):[0-5]\\d$', description)
const email = (description: string) => ({ type: 'string', format: 'email', description })

/** Forty tools of ten trades, written without knowledge of the planner. All are offered at once. */
export const secondTools = [
  // Dental practice
  wireTool('book_dental_visit', 'Book a visit at the dental practice', {
    patient: text('Full name of the patient'),
    treatment: oneOf('checkup', 'cleaning', 'filling', 'extraction', 'whitening'),
    date: date('Day of the visit'),
    time: clock('Start time in HH:MM, 24 hours'),
    'dentist?': text('Preferred dentist, e.g. Dr. Lam'),
  }),
  wireTool('find_dental_patient', 'Looks up a patient record by name and returns the patient number.', {
    name: text('Name or part of it'),
  }),
  wireTool('send_recall_reminder', 'Remind a patient that the next checkup is due.', {
    patient_id: coded('^DP-\\d{4}$', 'Patient number, like DP-0042'),
    channel: oneOf('sms', 'email', 'letter'),
  }),
  wireTool('estimate_treatment_cost', 'Get a cost estimate for a dental treatment', {
    treatment: oneOf('crown', 'bridge', 'implant', 'veneer', 'root_canal'),
    'teeth?': { type: 'integer', minimum: 1, maximum: 32, description: 'Number of teeth treated' },
    'insurance?': oneOf('public', 'private', 'none'),
  }),

  // Museum
  wireTool('search_collection', 'Full text search in the objects of the museum collection', {
    query: text('Search words, e.g. "bronze mirror"'),
    'on_display?': flag('Only objects that are on display now'),
    'limit?': { type: 'integer', default: 20 },
  }),
  wireTool('register_loan', 'Registers an outgoing loan of a museum object to another institution.', {
    object_id: coded('^OBJ-\\d{5}$', 'Inventory number of the object'),
    borrower: text('Institution that borrows the object'),
    start_date: date('First day of the loan'),
    end_date: date('Last day of the loan'),
  }),
  wireTool('sell_museum_tickets', 'Sell entrance tickets for the museum', {
    date: date('Day of the visit'),
    adults: integer('Number of adult tickets'),
    'children?': integer('Number of child tickets (under 14)'),
    'audio_guide?': flag('Add audio guides'),
  }),
  wireTool('schedule_guided_tour', 'Puts a guided tour of a gallery on the calendar', {
    gallery: oneOf('egypt', 'impressionists', 'armoury', 'natural_history'),
    language: oneOf('en', 'fr', 'de', 'es'),
    date: date('Day of the tour'),
    time: clock('Start of the tour (HH:MM)'),
    'group_size?': integer('Expected number of people'),
  }),

  // Boat charter
  wireTool('find_available_boats', 'List boats of a type that are free in a period.', {
    type: oneOf('sailing_yacht', 'motorboat', 'catamaran', 'houseboat'),
    from: date('First day'),
    to: date('Last day'),
    'min_berths?': integer('Minimum number of berths'),
  }),
  wireTool('charter_boat', 'Creates a charter contract for a boat', {
    boat_id: text('Id of the boat, e.g. b-17'),
    customer: text('Name of the customer'),
    from: date('First day of the charter'),
    to: date('Last day of the charter'),
    'skipper?': flag('Hire a skipper as well'),
  }),
  wireTool('report_boat_damage', 'Report damage on a boat', {
    boat_id: text('Id of the boat, e.g. b-17'),
    damage: text('What is broken'),
    severity: oneOf('minor', 'moderate', 'severe'),
  }),
  wireTool('get_marina_weather', 'Wind and wave forecast for a marina.', {
    marina: text('Name of the marina'),
    'date?': date('Day of the forecast, defaults to today'),
  }),

  // Coffee roastery
  wireTool('start_roast_batch', 'Start roasting a batch of green coffee', {
    lot: text('Lot code of the green beans, e.g. ETH-04'),
    weight_kg: number('Weight of the charge in kilograms'),
    profile: oneOf('light', 'medium', 'dark', 'espresso'),
  }),
  wireTool('list_green_beans', 'Lists green beans in the store with lot code, origin and price', {
    'origin?': text('Country of origin'),
    'max_price?': number('Highest price per kg in USD'),
  }),
  wireTool('ship_coffee_order', 'Hand a coffee order over to a carrier', {
    order_no: coded('^C\\d{6}$', 'Order number, like C104233'),
    carrier: oneOf('dhl', 'ups', 'fedex', 'bike_courier'),
    'express?': { type: 'boolean' },
  }),
  wireTool('log_cupping_score', 'Record the cupping score of a roast batch.', {
    batch_id: text('Id of the batch, e.g. RB-210'),
    score: { type: 'number', minimum: 0, maximum: 100, description: 'Points out of 100' },
    'notes?': text('Tasting notes'),
  }),

  // Tailor
  wireTool('record_measurements', 'Saves the body measurements of a customer', {
    customer: text('Name of the customer'),
    waist_cm: number('Waist in cm'),
    'chest_cm?': number('Chest in cm'),
    'inseam_cm?': number('Inside leg in cm'),
  }),
  wireTool('create_alteration_order', 'Create an order for the alteration of a garment', {
    customer: text('Name of the customer'),
    garment: oneOf('trousers', 'jacket', 'dress', 'shirt', 'coat'),
    work: listOf(oneOf('shorten', 'take_in', 'let_out', 'replace_zip', 'patch'), 'What has to be done'),
    'ready_by?': date('When the customer needs it'),
  }),
  wireTool('check_fabric_stock', 'How many metres of a fabric we have', {
    fabric: text('Kind of fabric, such as tweed or linen'),
    'color?': plain,
  }),
  wireTool('quote_bespoke_suit', 'Calculates the price of a made-to-measure suit.', {
    fabric: text('Kind of fabric'),
    pieces: { type: 'integer', enum: [2, 3], description: 'Two-piece or three-piece' },
    'lining?': oneOf('silk', 'viscose', 'none'),
  }),

  // Driving school
  wireTool('book_driving_lesson', 'Books a driving lesson for a learner.', {
    learner_id: integer('Id of the learner'),
    date: date('Day of the lesson'),
    time: clock('Start time, HH:MM'),
    'instructor?': text('Name of the instructor'),
    'transmission?': oneOf('manual', 'automatic'),
  }),
  wireTool('register_learner', 'Register a new learner driver', {
    name: text('Full name'),
    born: date('Date of birth'),
    licence_class: oneOf('A', 'B', 'BE', 'C'),
    'email?': email('Email address'),
  }),
  wireTool('book_driving_test', 'Reserve a slot for the theory or practical test', {
    learner_id: integer('Id of the learner'),
    kind: oneOf('theory', 'practical'),
    date: date('Day of the test'),
  }),
  wireTool('get_lesson_history', 'Returns all past lessons of a learner', {
    learner_id: integer('Id of the learner'),
  }),

  // Food bank
  wireTool('log_donation', 'Log a donation of food', {
    donor: text('Person or company that gave it'),
    items: listOf(objectOf({ item: text('What was given'), quantity: integer('How many') }), 'Donated goods'),
    'received?': date('Day of receipt'),
  }),
  wireTool('issue_food_parcel', 'Issues a food parcel to a household', {
    household_id: coded('^H\\d{4}$', 'Household number, e.g. H0193'),
    size: oneOf('small', 'medium', 'large'),
    'dietary?': listOf(oneOf('vegetarian', 'vegan', 'halal', 'gluten_free'), 'Dietary needs'),
  }),
  wireTool('get_pantry_levels', 'Current stock in the pantry of the food bank', {
    'category?': oneOf('canned', 'fresh', 'dairy', 'grains', 'baby'),
  }),
  wireTool('sign_up_volunteer', 'Sign a volunteer up for a shift.', {
    name: text('Name of the volunteer'),
    date: date('Day of the shift'),
    shift: oneOf('morning', 'afternoon', 'evening'),
    'phone?': plain,
  }),

  // Radio station
  wireTool('queue_song', 'Adds a song to the playout queue', {
    title: text('Title of the song'),
    'artist?': text('Name of the artist'),
    'position?': oneOf('next', 'last'),
  }),
  wireTool('schedule_ad_spot', 'Schedule an advertising spot', {
    advertiser: text('Who pays for the spot'),
    date: date('Day of broadcast'),
    time: clock('Time of broadcast, HH:MM'),
    length_seconds: { type: 'integer', minimum: 5, maximum: 60 },
  }),
  wireTool('get_listener_stats', 'Listener numbers of a show', {
    show: text('Name of the show, e.g. "Morning Brew"'),
    'date?': date('Day of the show'),
  }),
  wireTool('send_traffic_alert', 'Sends a traffic alert to the studio screen of the presenter.', {
    road: text('Road number, such as M4 or A27'),
    incident: oneOf('accident', 'congestion', 'closure', 'roadworks'),
    'direction?': oneOf('north', 'south', 'east', 'west'),
  }),

  // Garden centre
  wireTool('find_plants', 'Find plants for a location', {
    light: oneOf('full_sun', 'partial_shade', 'shade'),
    'pet_safe?': flag('Only plants that are not toxic to pets'),
    'max_height_cm?': integer('Maximum height in cm'),
  }),
  wireTool('get_plant_care', 'Care instructions for a plant (watering, pruning, feeding)', {
    plant: text('Common or botanical name'),
  }),
  wireTool('order_bulk_delivery', 'Order the delivery of bulk material for the garden', {
    material: oneOf('topsoil', 'bark', 'gravel', 'compost'),
    cubic_metres: number('Volume in cubic metres'),
    postcode: coded('^\\d{5}$', 'Postcode of the delivery address'),
    'date?': date('Desired day of delivery'),
  }),
  wireTool('set_greenhouse_climate', 'Set the target climate of a greenhouse.', {
    greenhouse: { type: 'integer', minimum: 1, maximum: 6, description: 'Number of the greenhouse' },
    'temperature_c?': number('Target temperature in °C'),
    'humidity_percent?': {
      type: 'integer',
      minimum: 0,
      maximum: 100,
      description: 'Target relative humidity',
    },
  }),

  // Coworking space
  wireTool('list_meeting_rooms', 'List the meeting rooms of the coworking space with their seats', {
    'min_seats?': integer('Minimum number of seats'),
    'screen?': flag('Room has a screen'),
  }),
  wireTool('reserve_meeting_room', 'Reserve a meeting room', {
    room: text('Name of the room'),
    date: date('Day of the meeting'),
    start: clock('Start, HH:MM'),
    end: clock('End, HH:MM'),
  }),
  wireTool('create_membership', 'Creates a coworking membership.', {
    member: text('Name of the person or company'),
    email: email('Email for invoices'),
    plan: oneOf('hot_desk', 'dedicated_desk', 'private_office'),
    'start_date?': date('First day of membership'),
  }),
  wireTool('issue_guest_pass', 'Issue a day pass for a guest', {
    guest: text('Name of the guest'),
    host: text('Member who invites the guest'),
    date: date('Day the pass is valid'),
  }),
]
