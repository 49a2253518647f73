import { date, flag, integer, listOf, number, oneOf, text, wireTool } from './planner-case.js'

const formed = (pattern: string, description: string) => ({ type: 'string', pattern, description })

/** Tools of a vet, a hotel, a help desk, a landlord, a school, a shop, a theatre and a fleet. */
export const everydayTools = [
  wireTool('list_vaccinations', 'List the vaccinations of an animal', {
    patient_id: text('Patient number, e.g. P-1180'),
  }),
  wireTool('register_animal', 'Register a new animal in the practice', {
    name: text('Name of the animal'),
    species: oneOf('dog', 'cat', 'rabbit', 'bird', 'other'),
    owner_id: text('Owner, e.g. OWN-204'),
    'born?': date('Date of birth'),
  }),
  wireTool('find_owner', 'Search for an owner by surname or phone', {
    query: text('Surname or phone number'),
  }),
  wireTool('schedule_checkup', 'Schedule a check-up', {
    patient_id: text('Patient number, e.g. P-1180'),
    date: date('Day of the visit'),
    'vet?': text('Veterinarian'),
  }),
  wireTool('check_availability', 'Check which rooms are free', {
    arrival: date('First night'),
    departure: date('Day of departure'),
    'guests?': integer('Number of guests'),
  }),
  wireTool('create_reservation', 'Create a room reservation', {
    room_type: oneOf('single', 'double', 'suite'),
    arrival: date('First night'),
    departure: date('Day of departure'),
    guest_name: text('Name of the guest'),
  }),
  wireTool('cancel_reservation', 'Cancel a reservation', {
    reservation_id: formed('^R-\\d{4}$', 'Reservation number'),
    'reason?': text('Why'),
  }),
  wireTool('get_reservation', 'Retrieve the details of a reservation', {
    reservation_id: formed('^R-\\d{4}$', 'Reservation number'),
  }),
  wireTool('order_housekeeping', 'Send housekeeping to a room', {
    room: integer('Room number'),
    task: oneOf('clean', 'towels', 'minibar', 'turndown'),
  }),
  wireTool('create_ticket', 'Open a support ticket', {
    title: text('Short summary of the problem'),
    priority: oneOf('low', 'normal', 'high', 'urgent'),
    'device?': text('Asset tag of the device, e.g. LT-0042'),
  }),
  wireTool('assign_ticket', 'Assign a ticket to a technician', {
    ticket_id: text('Ticket, e.g. TCK-310'),
    technician: text('Name of the technician'),
  }),
  wireTool('close_ticket', 'Close a support ticket', { ticket_id: text('Ticket, e.g. TCK-310') }),
  wireTool('list_tickets', 'List support tickets', {
    'status?': oneOf('open', 'waiting', 'closed'),
    'technician?': text('Name of the technician'),
  }),
  wireTool('reset_password', 'Reset the password of a user account', { username: text('Login name') }),
  wireTool('get_rent_balance', 'Outstanding rent of a tenant', { tenant_id: text('e.g. TEN-55') }),
  wireTool('record_payment', 'Record a rent payment', {
    tenant_id: text('e.g. TEN-55'),
    amount: number('Amount in euros'),
    'paid_on?': date('Day of the payment'),
  }),
  wireTool('list_tenants', 'List the tenants of a building', { building: text('Name of the building') }),
  wireTool('send_reminder', 'Send a payment reminder to a tenant', { tenant_id: text('e.g. TEN-55') }),
  wireTool('get_timetable', 'Timetable of a class on a day', {
    class: text('Class, e.g. 7B'),
    'day?': oneOf('monday', 'tuesday', 'wednesday', 'thursday', 'friday'),
  }),
  wireTool('excuse_student', 'Excuse a student from lessons', {
    student: text('Full name of the student'),
    date: date('Day of the absence'),
    'reason?': text('Reason for the absence'),
  }),
  wireTool('find_product', 'Search products in the catalogue', {
    query: text('Search words'),
    'max_price?': number('Highest price'),
  }),
  wireTool('get_stock', 'Stock of an article', { sku: text('Article, e.g. SKU-4471') }),
  wireTool('refund_order', 'Refund an order', {
    order_id: text('Order, e.g. ORD-90011'),
    'amount?': number('Partial amount'),
  }),
  wireTool('get_order', 'Get the status of an order', { order_id: text('Order, e.g. ORD-90011') }),
  wireTool('list_orders', 'List the orders of a customer', {
    customer: text('Name of the customer'),
    'since?': date('Orders after this day'),
  }),
  wireTool('book_seats', 'Book seats for a performance', {
    performance_id: text('Performance, e.g. PF-88'),
    seats: integer('Number of seats'),
    'category?': oneOf('stalls', 'circle', 'balcony'),
  }),
  wireTool('list_performances', 'List the performances on a day', { date: date('Day') }),
  wireTool('assign_vehicle', 'Assign a vehicle to a driver', {
    vehicle: text('Vehicle, e.g. VAN-12'),
    driver: text('Name of the driver'),
    'until?': date('Last day'),
  }),
  wireTool('log_fuel', 'Log a fuel stop', {
    vehicle: text('Vehicle, e.g. VAN-12'),
    litres: number('Litres of fuel'),
    odometer: integer('Odometer reading in km'),
    'full_tank?': flag('Whether the tank was filled up'),
  }),
  wireTool('get_vehicle_location', 'Current position of a vehicle', {
    vehicle: text('Vehicle, e.g. VAN-12'),
  }),
  wireTool('plan_route', 'Plan a delivery route', {
    vehicle: text('Vehicle, e.g. VAN-12'),
    stops: listOf({ type: 'string' }, 'Towns to visit, in order'),
  }),
]
