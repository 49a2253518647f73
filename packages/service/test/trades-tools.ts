import { date, flag, integer, listOf, number, objectOf, oneOf, text, wireTool } from './planner-case.js'

const plain = { type: 'string' }
const coded = (pattern: string, description: string) => ({ type: 'string', pattern, description })

/** Thirty tools of fifteen trades, with schemas as their developers write them. All are offered at once. */
export const tradesTools = [
  wireTool('book_appointment', 'Books a consultation for a patient with a practitioner.', {
    patient_name: text('Full name of the patient'),
    practitioner: text('Doctor or nurse, e.g. Dr. Meyer'),
    date: date('Day of the consultation'),
    time: coded('^([01]\\d|2[0-3]):[0-5]\\d$', 'Start time, HH:MM'),
    'reason?': text('Why the patient comes'),
  }),
  wireTool('find_patients', 'Search the patient register by name or date of birth', {
    'name?': plain,
    'born?': date('Date of birth'),
  }),
  wireTool('renewPrescription', 'Renew a repeat prescription', {
    patientId: coded('^P-\\d{5}$', 'Patient number'),
    medication: text('Name of the drug'),
    'repeats?': { type: 'integer', minimum: 1, maximum: 6 },
  }),
  wireTool('create_job_card', 'Opens a job card for a vehicle in the workshop', {
    registration: coded('^[A-Z]{2}\\d{2} [A-Z]{3}$', 'Number plate, like AB12 CDE'),
    mileage: integer('Odometer reading in miles'),
    work: listOf(oneOf('oil_change', 'brakes', 'tyres', 'mot', 'battery'), 'Work to do'),
    'courtesy_car?': flag('Customer needs a courtesy car'),
  }),
  wireTool('order_part', 'Order a spare part from a supplier', {
    part_number: text('Part number, for example BP-2231'),
    quantity: { type: 'integer', minimum: 1 },
    'urgent?': { type: 'boolean' },
  }),
  wireTool('mark_attendance', 'Records the attendance of a pupil', {
    pupil_id: integer('Id of the pupil'),
    status: oneOf('present', 'absent', 'late'),
    'date?': date('School day, today by default'),
  }),
  wireTool('set_grade', 'Enter a grade for a pupil in a subject', {
    pupil_id: integer('Id of the pupil'),
    subject: oneOf('maths', 'physics', 'history', 'french'),
    grade: oneOf('A', 'B', 'C', 'D', 'F'),
  }),
  wireTool('move_stock', 'Move stock from one bin to another', {
    sku: text('Article number (SKU)'),
    quantity: integer('Number of units'),
    from_bin: coded('^[A-Z]\\d-\\d{2}$', 'Bin to take from'),
    to_bin: coded('^[A-Z]\\d-\\d{2}$', 'Bin to put into'),
  }),
  wireTool('get_stock_level', 'How many units of an article are on hand', { sku: text('Article number') }),
  wireTool('create_purchase_order', 'Place a purchase order with a supplier', {
    supplier: text('Name of the supplier'),
    lines: listOf(
      objectOf({ article: text('What is ordered'), quantity: integer('How many') }),
      'Order lines',
    ),
    'deliver_by?': date('Latest day of delivery'),
  }),
  wireTool('reserve_table', 'Reserve a table at the restaurant', {
    name: text('Name for the reservation'),
    party_size: { type: 'integer', minimum: 1, maximum: 20, description: 'Number of guests' },
    date: date('Date'),
    time: text('HH:MM'),
    'seating?': oneOf('inside', 'terrace', 'bar'),
  }),
  wireTool('update_menu_price', 'Changes the price of a dish on the menu', {
    dish: text('Dish as printed on the menu'),
    price: { type: 'number', exclusiveMinimum: 0, description: 'New price' },
    currency: coded('^[A-Z]{3}$', 'ISO 4217 code'),
  }),
  wireTool('send_invoice', 'Send an invoice to a customer by email', {
    invoice_id: text('e.g. INV-2041'),
    email: { type: 'string', format: 'email' },
    'message?': text('Covering note'),
  }),
  wireTool('list_invoices', 'List invoices', {
    'status?': oneOf('draft', 'open', 'paid', 'overdue'),
    'customer?': text('Customer name'),
    'min_total?': number('Smallest total'),
  }),
  wireTool('convert_amount', 'Convert money between currencies', {
    amount: { type: 'number', minimum: 0 },
    from: text('Currency code'),
    to: text('Currency code'),
  }),
  wireTool('open_case', 'Open a new legal matter', {
    client: text('Client of the firm'),
    matter_type: oneOf('contract', 'employment', 'property', 'family', 'criminal'),
    'opponent?': text('Opposing party'),
  }),
  wireTool('log_hours', 'Log billable time on a matter', {
    matter: coded('^M\\d{4}$', 'Matter number'),
    minutes: integer('Time spent in minutes'),
    narrative: text('What was done'),
    'worked_on?': date('Day of the work, not in the future'),
  }),
  wireTool('schedule_irrigation', 'Schedule irrigation of a field', {
    field: text('Name of the field'),
    start: { type: 'string', format: 'date-time', description: 'Start, ISO 8601' },
    duration_minutes: { type: 'integer', minimum: 5, maximum: 240 },
  }),
  wireTool('record_harvest', 'Record a harvested amount', {
    crop: oneOf('wheat', 'barley', 'maize', 'potatoes'),
    tonnes: number('Weight in tonnes'),
    'field?': text('Where it was harvested'),
    'moisture_percent?': number('Moisture'),
  }),
  wireTool('track_shipment', 'Where is a shipment?', {
    tracking_number: text('12 characters, e.g. 1Z999AA10123'),
  }),
  wireTool('request_quote', 'Request a freight quote', {
    origin: text('City of loading'),
    destination: text('City of unloading'),
    weight_kg: number('Gross weight in kilograms'),
    'service?': oneOf('economy', 'express', 'overnight'),
  }),
  wireTool('book_shipment', 'Book a freight quote', { quote_id: text('Id of the quote') }),
  wireTool('list_classes', 'List the classes of the gym on a day', {
    date: date('Day'),
    'discipline?': oneOf('yoga', 'pilates', 'spinning', 'boxing'),
  }),
  wireTool('join_class', 'Put a member into a class', {
    class_id: text('Id of the class'),
    member: text('Name of the member'),
  }),
  wireTool('add_to_setlist', 'Add a song to the setlist of a show', {
    song: text('Title of the song'),
    'key?': text('Musical key'),
    'position?': { type: 'integer', minimum: 1 },
  }),
  wireTool('request_leave', 'Request leave for an employee', {
    employee: text('Name of the employee'),
    kind: oneOf('vacation', 'sick', 'parental', 'unpaid'),
    first_day: date('First day of absence'),
    last_day: date('Last day of absence'),
  }),
  wireTool('update_salary', 'Change the salary of an employee', {
    employee_id: coded('^E\\d{3,5}$', 'Personnel number'),
    annual_salary: number('New gross salary per year'),
    currency: text('ISO 4217'),
    'effective_from?': date('First day of the new salary'),
  }),
  wireTool('report_issue', 'Report a problem in a street to the city', {
    category: oneOf('pothole', 'streetlight', 'graffiti', 'waste', 'noise'),
    address: objectOf({ street: text('Street with number'), 'postcode?': coded('^\\d{5}$', 'Postcode') }),
    'description?': text('What is wrong'),
  }),
  wireTool('post_message', 'Post a message to a channel of the team chat', {
    channel: text('Channel with #, e.g. #general'),
    body: text('Text of the message'),
  }),
  wireTool('set_thermostat', 'Set the target temperature of a room', {
    room: text('Room'),
    celsius: { type: 'number', minimum: 5, maximum: 30 },
    'until?': text('Time, HH:MM'),
  }),
]
