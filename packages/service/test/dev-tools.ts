import { date, flag, integer, listOf, number, objectOf, oneOf, text, wireTool } from './planner-case.js'

const plain = { type: 'string' }
const coded = (pattern: string, description: string) => ({ type: 'string', pattern, description })
const email = (description: string) => ({ type: 'string', format: 'email', description })
const clock = (description: string) => coded('^([01]\\d|2[0-3]):[0-5]\\d$', description)
const weekday = oneOf('monday', 'tuesday', 'wednesday', 'thursday', 'friday')
const material = oneOf('paper', 'glass', 'metal', 'wood', 'rubble', 'e_waste')

/** Sixty tools of fifteen trades, four of each. All are offered at once. */
export const devTools = [
  // Hospital ward
  wireTool(
    'admit_patient',
    'Admit a patient to a ward. Opens the stay and reserves the bed if one is given.',
    {
      patient_name: text('First and last name'),
      ward: oneOf('cardiology', 'surgery', 'maternity', 'paediatrics'),
      'bed?': coded('^[A-Z]-\\d{2}$', 'Bed, e.g. C-04. Left out: the ward picks one'),
      'diagnosis?': text('Admission diagnosis'),
    },
  ),
  wireTool(
    'record_vitals',
    'Records vital signs in the chart of a stay. All values are optional, send those that were measured.',
    {
      stay_id: coded('^ST-\\d{4}$', 'Stay number'),
      'pulse?': integer('Beats per minute'),
      'systolic?': integer('Upper blood pressure in mmHg'),
      'diastolic?': integer('Lower blood pressure in mmHg'),
      'temperature?': number('Body temperature in °C, e.g. 37.2'),
    },
  ),
  wireTool('find_free_beds', 'Free beds of a ward', {
    ward: oneOf('cardiology', 'surgery', 'maternity', 'paediatrics'),
    'isolation?': flag('Only beds in isolation rooms'),
  }),
  wireTool('schedule_discharge', 'Plan the discharge of a patient', {
    stay_id: coded('^ST-\\d{4}$', 'Stay number'),
    date: date('Day of discharge'),
    'transport?': oneOf('none', 'taxi', 'ambulance'),
  }),
  // Car rental
  wireTool('search_cars', 'Search the rental cars available at a station for a period.', {
    station: text('Pick-up station, e.g. "Munich Airport"'),
    from: date('First day'),
    to: date('Day of return'),
    'category?': oneOf('economy', 'compact', 'estate', 'suv', 'van'),
    'automatic?': flag('Only cars with automatic gearbox'),
  }),
  wireTool('create_rental', 'Creates the rental contract. The car must come from search_cars or be known.', {
    car_id: coded('^C\\d{4}$', 'Id of the car'),
    driver_name: text('Name of the main driver'),
    from: date('First day'),
    to: date('Day of return'),
    'insurance?': oneOf('basic', 'full'),
    'extra_driver?': text('Name of a second driver'),
  }),
  wireTool('extend_rental', 'Move the return date of a running rental contract', {
    contract_no: coded('^RC-\\d{5}$', 'Contract number'),
    new_return: date('New day of return'),
  }),
  wireTool('report_car_damage', 'Report damage to a rented car', {
    contract_no: coded('^RC-\\d{5}$', 'Contract number'),
    description: text('What is damaged and where'),
    'severity?': oneOf('scratch', 'dent', 'undriveable'),
  }),
  // Library
  wireTool('search_catalogue', 'Full-text search in the library catalogue (title, author, subject).', {
    query: text('Search words'),
    'language?': text('Two-letter language code, e.g. "en"'),
    'available_only?': flag('Hide titles that are on loan'),
  }),
  wireTool('place_hold', 'Place a hold (reservation) on an item for a reader', {
    item_id: integer('Item number from the catalogue'),
    reader_card: coded('^L\\d{6}$', 'Number of the reader card'),
  }),
  wireTool('renew_loans', 'Renews loans of a reader. Leave out item_ids to renew everything on the card.', {
    reader_card: coded('^L\\d{6}$', 'Number of the reader card'),
    'item_ids?': listOf({ type: 'integer' }, 'Only these items'),
  }),
  wireTool('pay_fine', 'Books a payment of overdue fees', {
    reader_card: coded('^L\\d{6}$', 'Number of the reader card'),
    amount: number('Amount in EUR'),
    'method?': oneOf('cash', 'card'),
  }),
  // Bakery wholesale
  wireTool('place_bread_order', 'Place the order of a trade customer for one delivery day.', {
    customer: text('Name of the customer'),
    delivery_date: date('Day of delivery'),
    lines: listOf(
      objectOf({ product: text('Baked good, e.g. rye rolls'), pieces: integer('Pieces') }),
      'Products',
    ),
  }),
  wireTool(
    'set_standing_order',
    'Sets up a standing order: the product is delivered on the given weekdays until further notice.',
    {
      customer: text('Name of the customer'),
      product: text('Baked good'),
      pieces: { type: 'integer', minimum: 1 },
      weekdays: listOf(oneOf('mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'), 'Delivery days'),
    },
  ),
  wireTool('cancel_delivery', 'Cancel the bread delivery of a customer on one day', {
    customer: text('Name of the customer'),
    delivery_date: date('Day of the delivery'),
    'reason?': plain,
  }),
  wireTool('get_price_list', 'Wholesale price list of the bakery', {
    'category?': oneOf('bread', 'rolls', 'pastry', 'cake'),
  }),
  // Plumbing service
  wireTool('log_callout', 'Logs a call-out of a plumber and returns the job number.', {
    address: text('Street and house number'),
    problem: oneOf('leak', 'blocked_drain', 'no_hot_water', 'boiler', 'other'),
    'emergency?': flag('Somebody must come at once'),
    'phone?': text('Phone number for questions'),
  }),
  wireTool('assign_plumber', 'Assign a plumber to a job', {
    job_no: coded('^J\\d{4}$', 'Job number'),
    plumber: text('First name of the plumber'),
    date: date('Day of the visit'),
    'slot?': oneOf('morning', 'afternoon', 'evening'),
  }),
  wireTool('add_job_materials', 'Adds used material to the job sheet', {
    job_no: coded('^J\\d{4}$', 'Job number'),
    materials: listOf(
      objectOf({ item: text('Material'), quantity: number('Pieces or metres') }),
      'Used material',
    ),
  }),
  wireTool('send_plumbing_quote', 'E-mails the quote for a plumbing job', {
    job_no: coded('^J\\d{4}$', 'Job number'),
    amount: number('Total in EUR'),
    email: email('Where the quote goes'),
  }),
  // School office
  wireTool('register_pupil', 'Register a new pupil at the school', {
    first_name: plain,
    last_name: plain,
    year_group: { type: 'integer', minimum: 1, maximum: 13 },
    'birth_date?': date('Date of birth'),
    'guardian_email?': email('E-mail of a parent or guardian'),
  }),
  wireTool('report_absence', 'Enter the absence of a pupil. For a single day leave out until.', {
    pupil_name: text('First and last name'),
    from: date('First day of absence'),
    'until?': date('Last day of absence'),
    'reason?': oneOf('illness', 'appointment', 'family', 'other'),
  }),
  wireTool('send_parent_letter', 'Sends a letter to all parents of a class.', {
    class_name: coded('^\\d{1,2}[a-d]$', 'Class, e.g. 7b'),
    subject: text('Subject line'),
    body: text('Text of the letter'),
  }),
  wireTool('get_timetable', 'Timetable of a class, the whole week or one day', {
    class_name: coded('^\\d{1,2}[a-d]$', 'Class, e.g. 7b'),
    'weekday?': weekday,
  }),
  // Warehouse
  wireTool('book_goods_in', 'Goods receipt: books the pallets of a purchase order into the warehouse', {
    po_number: coded('^PO-\\d{6}$', 'Purchase order number'),
    pallets: integer('Number of pallets received'),
    'damaged?': integer('How many of them are damaged'),
  }),
  wireTool('check_stock', 'Returns the quantity on hand for an article.', {
    sku: coded('^[A-Z]{3}-\\d{3}$', 'Article number, e.g. ABC-123'),
    'location?': text('Only this hall or aisle'),
  }),
  wireTool('create_pick_list', 'Creates one pick list for several sales orders', {
    order_numbers: listOf({ type: 'integer' }, 'Numbers of the sales orders'),
    'priority?': oneOf('low', 'normal', 'high'),
  }),
  wireTool('reorder_article', 'Reorder an article for the warehouse from its supplier', {
    sku: coded('^[A-Z]{3}-\\d{3}$', 'Article number'),
    quantity: { type: 'integer', minimum: 1 },
    'supplier?': text('Supplier, if not the usual one'),
  }),
  // Bike repair
  wireTool('open_repair', 'Opens a repair ticket for a bike that a customer brings in', {
    customer: text('Name of the customer'),
    bike: text('Colour and make, e.g. "green Giant"'),
    faults: listOf(oneOf('brakes', 'gears', 'puncture', 'wheel', 'chain', 'lights'), 'What is broken'),
    'phone?': plain,
  }),
  wireTool('set_repair_status', 'Update the status of a bike repair', {
    repair_id: integer('Ticket number'),
    status: oneOf('waiting', 'in_progress', 'ready', 'collected'),
  }),
  wireTool('find_repairs', 'Find bike repair tickets by customer and/or status', {
    'customer?': plain,
    'status?': oneOf('waiting', 'in_progress', 'ready', 'collected'),
  }),
  wireTool('reserve_loan_bike', 'Reserve a loan bike for a customer', {
    customer: text('Name of the customer'),
    from: date('First day'),
    to: date('Last day'),
    'size?': oneOf('S', 'M', 'L'),
  }),
  // Event catering
  wireTool('quote_event', 'Calculates a catering quote for an event and returns its number and the price.', {
    event_type: oneOf('wedding', 'conference', 'birthday', 'funeral'),
    guests: { type: 'integer', minimum: 10, description: 'Number of guests' },
    date: date('Day of the event'),
    'budget_per_head?': number('Highest price per guest in EUR'),
  }),
  wireTool('confirm_event', 'Turns a catering quote into a booking', {
    event_no: coded('^EV-\\d{4}$', 'Number of the quote'),
    'deposit?': number('Deposit paid, in EUR'),
  }),
  wireTool('set_menu', 'Sets the menu of a catering event (replaces the old menu)', {
    event_no: coded('^EV-\\d{4}$', 'Number of the event'),
    courses: listOf(plain, 'Dishes in order'),
    'vegetarian_guests?': integer('How many guests eat vegetarian'),
  }),
  wireTool('book_waiting_staff', 'Book waiters for an event', {
    event_no: coded('^EV-\\d{4}$', 'Number of the event'),
    waiters: { type: 'integer', minimum: 1 },
    start_time: clock('HH:MM'),
    end_time: clock('HH:MM'),
  }),
  // Hotel housekeeping
  wireTool('set_room_status', 'Set the housekeeping status of a hotel room', {
    room: integer('Room number'),
    status: oneOf('clean', 'dirty', 'inspected', 'out_of_order'),
  }),
  wireTool('request_linen', 'Ask housekeeping to bring linen to a room.', {
    room: integer('Room number'),
    'towels?': integer('Number of towels'),
    'bed_sheets?': integer('Number of bed sheets'),
    'pillows?': integer('Number of pillows'),
  }),
  wireTool('report_defect', 'Report a defect in a hotel room to maintenance', {
    room: integer('Room number'),
    defect: text('What is broken, e.g. "flickering lamp"'),
    'urgent?': flag('Guests cannot use the room'),
  }),
  wireTool('list_rooms', 'List hotel rooms, optionally by floor and housekeeping status', {
    'floor?': integer('Floor, 0 is the ground floor'),
    'status?': oneOf('clean', 'dirty', 'inspected', 'out_of_order'),
  }),
  // Law office
  wireTool('open_case_file', 'Opens a new file for a client of the law office; returns the file number.', {
    client: text('Name of the client'),
    matter: oneOf('tenancy', 'employment', 'family', 'traffic', 'contract'),
    'opponent?': text('Name of the other party'),
  }),
  wireTool('log_billable_time', 'Log time worked on a file', {
    file_no: coded('^\\d{3}/\\d{2}$', 'File number, e.g. 102/26'),
    minutes: { type: 'integer', minimum: 1 },
    activity: text('What was done'),
    'date?': date('Day of the work, today if left out'),
  }),
  wireTool('set_deadline', 'Enter a deadline into the calendar of a file', {
    file_no: coded('^\\d{3}/\\d{2}$', 'File number, e.g. 102/26'),
    due: date('Last day'),
    description: text('What is due, e.g. "appeal"'),
    'remind_days_before?': integer('Days before the deadline to remind the lawyer'),
  }),
  wireTool('issue_fee_note', 'Issue a fee note (lawyer invoice) for a file', {
    file_no: coded('^\\d{3}/\\d{2}$', 'File number, e.g. 102/26'),
    net_amount: number('Amount in EUR before VAT'),
    'vat_rate?': number('VAT in percent, e.g. 20'),
  }),
  // Physiotherapy
  wireTool('book_treatment', 'Books a treatment for a patient of the physiotherapy practice.', {
    patient: text('Name of the patient'),
    therapy: oneOf('manual_therapy', 'massage', 'lymph_drainage', 'exercise'),
    date: date('Day'),
    time: clock('Start, HH:MM'),
    'therapist?': text('First name of the therapist'),
  }),
  wireTool('find_treatment_slots', 'Free slots for a therapy on a day', {
    therapy: oneOf('manual_therapy', 'massage', 'lymph_drainage', 'exercise'),
    date: date('Day'),
    'therapist?': text('First name of the therapist'),
  }),
  wireTool('cancel_treatment', 'Cancel a physiotherapy appointment', {
    appointment_id: coded('^T-\\d{4}$', 'Appointment number'),
    'charge_fee?': flag('Charge the cancellation fee'),
  }),
  wireTool('record_pain_score', 'Record how strong the pain of a patient is (0 = none, 10 = worst)', {
    patient: text('Name of the patient'),
    score: { type: 'integer', minimum: 0, maximum: 10 },
    'body_part?': text('Where it hurts, e.g. "left knee"'),
  }),
  // Photo studio
  wireTool('book_shoot', 'Book a photo session in the studio', {
    client: text('Name of the client'),
    kind: oneOf('portrait', 'passport', 'wedding', 'product', 'newborn'),
    date: date('Day'),
    time: clock('Start, HH:MM'),
    'persons?': integer('Number of people in the picture'),
  }),
  wireTool('order_prints', 'Order prints of a photo shoot from the lab', {
    shoot_id: integer('Number of the shoot'),
    size: oneOf('10x15', '13x18', '20x30'),
    copies: { type: 'integer', minimum: 1 },
    'finish?': oneOf('matt', 'glossy'),
  }),
  wireTool('share_gallery', 'Sends the link to the online gallery of a shoot by e-mail.', {
    shoot_id: integer('Number of the shoot'),
    email: email('Recipient'),
    'expires_in_days?': integer('Days until the link expires'),
  }),
  wireTool('find_shoots', 'Find photo shoots by client or day', {
    'client?': text('Name of the client'),
    'date?': date('Day of the shoot'),
  }),
  // Dance school
  wireTool('enroll_student', 'Enroll a student in a dance course', {
    student: text('Name of the student'),
    course_code: coded('^[A-Z]{2}\\d{2}$', 'Code of the course, like BA07'),
    'partner?': text('Name of the dance partner'),
  }),
  wireTool(
    'list_courses',
    'Lists the dance courses of this term with code, level, weekday and free places.',
    {
      'style?': oneOf('salsa', 'tango', 'waltz', 'hiphop', 'ballet'),
      'level?': oneOf('beginner', 'intermediate', 'advanced'),
      'weekday?': weekday,
    },
  ),
  wireTool('reschedule_lesson', 'Move a private dance lesson', {
    lesson_id: integer('Number of the lesson'),
    date: date('New day'),
    time: clock('New start, HH:MM'),
  }),
  wireTool('refund_course_fee', 'Refund a course fee to a student, fully or in part', {
    student: text('Name of the student'),
    course_code: coded('^[A-Z]{2}\\d{2}$', 'Code of the course'),
    amount: number('Amount in EUR'),
    'note?': plain,
  }),
  // Recycling depot
  wireTool('weigh_in', 'Registers a delivery at the weighbridge of the depot.', {
    plate: text('Number plate of the truck'),
    material,
    gross_kg: number('Weight of the loaded truck in kg'),
    tare_kg: number('Weight of the empty truck in kg'),
  }),
  wireTool('book_container', 'Order a container (skip) to an address', {
    address: text('Street and house number'),
    size_m3: { type: 'integer', enum: [3, 7, 10], description: 'Size in cubic metres' },
    material,
    delivery_date: date('Day of delivery'),
  }),
  wireTool('get_material_price', 'What the depot pays per tonne of a material today', { material }),
  wireTool('schedule_pickup', 'Schedule the collection of a full container', {
    container_id: coded('^K-\\d{3}$', 'Number on the container'),
    date: date('Day of collection'),
    'exchange?': flag('Leave an empty container in its place'),
  }),
]
