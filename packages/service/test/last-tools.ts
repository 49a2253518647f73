import { date, flag, integer, listOf, number, objectOf, oneOf, text, wireTool } from './planner-case.js'

/** Tools of a library, a garden, a gym and a newsroom. */
export const lastTools = [
  wireTool('search_books', 'Search the catalogue of the library', {
    query: text('Title, author or subject'),
    'language?': text('Language of the book'),
    'available_only?': flag('Only books that can be borrowed now'),
  }),
  wireTool('renew_loan', 'Extend the loan of a book', {
    loan_id: text('Id of the loan'),
    'weeks?': { type: 'integer', minimum: 1, maximum: 8, description: 'How many weeks longer' },
  }),
  wireTool('water_garden', 'Water a part of the garden', {
    zone: oneOf('lawn', 'roses', 'vegetables'),
    minutes: integer('How long'),
  }),
  wireTool('identify_plant', 'Identify the plant in a photo', { photo: text('Artifact id of the photo') }),
  wireTool('book_class', 'Book a class at the gym', {
    class_type: oneOf('yoga', 'spinning', 'boxing'),
    date: date('Day of the class'),
    'time?': text('Start, HH:MM'),
  }),
  wireTool('log_weight', 'Record the body weight', {
    kilograms: number('Weight in kilograms'),
    'on?': date('Day'),
  }),
  wireTool('publish_article', 'Publish an article', {
    headline: text('Headline'),
    author: objectOf({ name: text('Full name of the author'), email: { type: 'string', format: 'email' } }),
    'tags?': listOf({ type: 'string', enum: ['politics', 'sports', 'science', 'culture'] }),
  }),
  wireTool('get_train_departures', 'Departures of trains from a station', {
    station: text('Name of the station'),
    'limit?': integer('Number of departures'),
  }),
  wireTool('split_bill', 'Split a bill between people', {
    total: number('Total amount of the bill'),
    people: integer('How many people share it'),
    'tip_percent?': number('Tip in percent'),
  }),
  wireTool('set_fan', 'Set the speed of a fan', {
    room: text('Room of the fan'),
    speed: oneOf('off', 'low', 'high'),
  }),
  wireTool('translate_menu', 'Translate a dish on a menu', {
    dish: text('Name of the dish'),
    to_language: text('Language to translate into'),
  }),
  wireTool('rank_scores', 'Sort a list of scores', {
    scores: listOf({ type: 'number' }, 'The scores'),
    'order?': oneOf('ascending', 'descending'),
  }),
  wireTool('invite_guests', 'Invite guests to a party', {
    emails: listOf({ type: 'string', format: 'email' }, 'Addresses of the guests'),
    party_date: date('Day of the party'),
  }),
  wireTool('get_elevation', 'Elevation of a mountain', { mountain: text('Name of the mountain') }),
]
