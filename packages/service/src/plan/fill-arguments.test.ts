import { expect, test } from 'vitest'
import type { JsonSchema } from '../json-schema.js'
import { readClause } from './clauses.js'
import { fillArguments } from './fill-arguments.js'
import { toFillContext } from './fill-context.js'
import { toPlannerTool } from './planner-tool.js'

const now = new Date(2026, 10, 21, 12)

function fill(text: string, properties: Record<string, object>, schema: JsonSchema = {}) {
  const parameters = { type: 'object', properties, required: Object.keys(properties), ...schema }
  const tool = toPlannerTool({ name: 'save_entry', description: 'Saves an entry', parameters })
  const filled = fillArguments(tool.slots, toFillContext(tool, readClause(text, now), []))
  return {
    ...filled.arguments,
    ...(filled.missing.length > 0 && { missing: filled.missing.map(({ name }) => name) }),
  }
}

const string = { type: 'string' }

test('passes a constant, and a default without a value', () => {
  expect(fill('Save it', { kind: { const: 'note' }, level: { type: 'integer', default: 3 } })).toEqual({
    kind: 'note',
    level: 3,
  })
})

test('finds an enum value by its word, its parts or a synonym', () => {
  const mode = { type: 'string', enum: ['FAST_MODE', 'slow', 'delete'] }
  expect(fill('Save it in fast mode', { mode })).toEqual({ mode: 'FAST_MODE' })
  expect(fill('Please erase the entry', { mode })).toEqual({ mode: 'delete' })
})

test('sets a flag by affirmation or negation', () => {
  const properties = { urgent: { type: 'boolean' } }
  expect(fill('Save this urgent entry', properties)).toEqual({ urgent: true })
  expect(fill('Save this, not urgent', properties)).toEqual({ urgent: false })
  expect(fill('Save this', properties)).toEqual({ missing: ['urgent'] })
  expect(fill('Save this', properties, { required: [] })).toEqual({})
})

test('assigns numbers by their neighbours and converts units', () => {
  const properties = { weight_kg: { type: 'number' }, height_cm: { type: 'number' } }
  expect(fill('Save a height of 180 and a weight of 80', properties)).toEqual({
    weight_kg: 80,
    height_cm: 180,
  })
  expect(fill('Save 2 hours', { minutes: { type: 'integer' } })).toEqual({ minutes: 120 })
})

test('skips a number out of range', () => {
  expect(fill('Save 300', { level: { type: 'integer', maximum: 100 } })).toEqual({ missing: ['level'] })
  expect(fill('Save 2.5', { level: { type: 'integer' } })).toEqual({ missing: ['level'] })
})

test('a schema format selects matching values', () => {
  const properties = {
    mail: { type: 'string', format: 'email' },
    page: { type: 'string', format: 'uri' },
    day: { type: 'string', format: 'date' },
    hour: { type: 'string', format: 'time' },
  }
  const text = 'Save https://example.com/x for ann@example.com on Friday at 9am'
  expect(fill(text, properties)).toEqual({
    mail: 'ann@example.com',
    page: 'https://example.com/x',
    day: '2026-11-27',
    hour: '09:00',
  })
})

test('combines day and time in a date-time', () => {
  const filled = fill('Save tomorrow at 17:30', { moment: { type: 'string', format: 'date-time' } })
  expect(filled).toEqual({ moment: new Date(2026, 10, 22, 17, 30).toISOString() })
})

test('"from" and "to" separate two places in either order', () => {
  const properties = { origin: string, destination: string }
  expect(fill('Save Oslo from Bergen to Oslo', properties)).toEqual({ origin: 'Bergen', destination: 'Oslo' })
  expect(fill('Save a trip to New York from Rome', properties)).toEqual({
    origin: 'Rome',
    destination: 'New York',
  })
})

test('lists contain all values of their kind', () => {
  const list = (items: object) => ({ type: 'array', items })
  expect(fill('Save 3, 5 and 12', { values: list({ type: 'number' }) })).toEqual({ values: [3, 5, 12] })
  expect(fill('Save milk, eggs and brown bread', { things: list(string) })).toEqual({
    things: ['milk', 'eggs', 'brown bread'],
  })
  expect(fill('Save red and blue', { colors: list({ enum: ['blue', 'green', 'red'] }) })).toEqual({
    colors: ['red', 'blue'],
  })
  expect(
    fill('Save it for a@b.co and c@d.co', { emails: list({ type: 'string', format: 'email' }) }),
  ).toEqual({
    emails: ['a@b.co', 'c@d.co'],
  })
})

test('fills an object from the same clause', () => {
  const person = {
    type: 'object',
    properties: { email: string, age: { type: 'integer' } },
    required: ['email'],
  }
  expect(fill('Save ann@example.com, age 40', { person })).toEqual({
    person: { email: 'ann@example.com', age: 40 },
  })
  expect(fill('Save it', { person })).toEqual({ missing: ['person'] })
})

test('resolves unions, references and null', () => {
  const properties = {
    city: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/City' }] },
    day: { type: ['string', 'null'], format: 'date' },
    note: { allOf: [{ type: 'integer' }, { minimum: 1 }] },
    loop: { $ref: '#/$defs/Loop' },
  }
  const $defs = { City: { type: 'string' }, Loop: { $ref: '#/$defs/Loop' } }
  expect(fill('Save 7 for Oslo', properties, { $defs, required: ['city', 'day', 'note'] })).toEqual({
    city: 'Oslo',
    day: null,
    note: 7,
  })
})

test('takes ids from the text and never invents one', () => {
  expect(fill('Save entry E-17', { entry_id: string })).toEqual({ entry_id: 'E-17' })
  expect(fill('Save the entry', { entry_id: string })).toEqual({ missing: ['entry_id'] })
  expect(fill('Save the picture', { image: string })).toEqual({ missing: ['image'] })
})

test('introduced texts fill their parameter, the rest fills the first', () => {
  const properties = { title: string, author: string, content: string }
  expect(fill('Save "Rain falls" titled "Weather" by Ann Lee', properties)).toEqual({
    title: 'Weather',
    author: 'Ann Lee',
    content: 'Rain falls',
  })
})

test('leaves out parameters without a value', () => {
  expect(
    fill('Save "x"', { text: string, limit: { type: 'integer' }, folder: string }, { required: ['text'] }),
  ).toEqual({
    text: 'x',
  })
})

test('assigns the ends of a range to minimum and maximum', () => {
  const range = { min_price: { type: 'number' }, max_price: { type: 'number' } }
  expect(fill('Save shoes between 50 and 100 euros', range)).toEqual({ min_price: 50, max_price: 100 })
  expect(fill('Save shoes under 80 dollars', range, { required: [] })).toEqual({ max_price: 80 })
  expect(fill('Save at least 3', range, { required: [] })).toEqual({ min_price: 3 })
})

test('recognises units and currencies by any name', () => {
  const unit = { enum: ['km', 'mi', 'in'] }
  expect(fill('Save 5 miles', { unit })).toEqual({ unit: 'mi' })
  expect(fill('Save it in kilometres', { unit })).toEqual({ unit: 'km' })
  expect(fill('Save 7in', { unit })).toEqual({ unit: 'in' })
  expect(fill('Save it in the shop', { unit })).toEqual({ missing: ['unit'] })
  expect(fill('Save 5 pounds', { currency: { enum: ['EUR', 'GBP'] } })).toEqual({ currency: 'GBP' })
})

test('a list of objects has one per complete part', () => {
  const items = {
    type: 'array',
    items: {
      type: 'object',
      properties: { name: string, quantity: { type: 'integer' }, price: { type: 'number' } },
      required: ['name', 'quantity', 'price'],
    },
  }
  expect(fill('Save 3 chairs at 45 dollars each, 1 desk for $120 and a lamp', { items })).toEqual({
    items: [
      { name: 'chairs', quantity: 3, price: 45 },
      { name: 'desk', quantity: 1, price: 120 },
    ],
  })
})

test('no other parameter reuses the words of an object', () => {
  const owner = {
    type: 'object',
    properties: { email: { type: 'string', format: 'email' } },
    required: ['email'],
  }
  expect(fill('Save cake for ann@example.com', { owner, note: string })).toEqual({
    owner: { email: 'ann@example.com' },
    note: 'cake',
  })
})

test('computes the last day from the length of a stay', () => {
  const date = { type: 'string', format: 'date' }
  expect(fill('Save 3 nights from Friday', { check_in: date, check_out: date })).toEqual({
    check_in: '2026-11-27',
    check_out: '2026-11-30',
  })
})

test('sets no enum value that the clause does not mention, a neutral one neither', () => {
  expect(fill('Save it', { mode: { enum: ['fast', 'auto'] } })).toEqual({ missing: ['mode'] })
  expect(fill('Save it', { mode: { enum: ['fast', 'slow'] } })).toEqual({ missing: ['mode'] })
})

test('never chooses an empty enum value', () => {
  expect(fill('Save it', { mode: { enum: ['', 'fast'] } })).toEqual({ missing: ['mode'] })
})
