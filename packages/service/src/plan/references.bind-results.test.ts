import { expect, test } from 'vitest'
import { definitionsOf, integer, text, wireTool } from '../../test/planner-case.js'
import { readClause } from './clauses.js'
import { toPlannerTool } from './planner-tool.js'
import { bindResults } from './references.js'

const [book, note] = definitionsOf([
  wireTool('book_flight', 'Book a flight', { flight_id: text('Id of the flight'), seats: integer('Seats') }),
  wireTool('send_note', 'Send a note', { body: text('Text of the note') }),
]).map(toPlannerTool)

const flights = [
  { id: 'F1', price: 320, departs: '2026-12-02T09:00' },
  { id: 'F2', price: 180, departs: '2026-12-01T21:00' },
]

function bind(clause: string, result: unknown, args: Record<string, unknown> = {}) {
  const call = { name: 'search_flights', arguments: args, result, failed: false, artifacts: [], round: 0 }
  if (!book) throw new Error('no tool')
  return bindResults(book, readClause(clause, new Date(2026, 10, 21)), [call]).values.map((one) =>
    Object.fromEntries(one),
  )
}

test.each([
  ['book the cheapest one', 'F2'],
  ['book the most expensive one', 'F1'],
  ['book the first one', 'F1'],
  ['book the last one', 'F2'],
  ['book the earliest flight', 'F2'],
])('%s chooses the row, and its id fills flight_id', (clause, id) => {
  expect(bind(clause, { flights })).toEqual([{ flight_id: id }])
})

test('does not choose among several rows, and takes the only one', () => {
  expect(bind('book it', { flights })).toEqual([])
  expect(bind('book it', { flights: flights.slice(0, 1) })).toEqual([{ flight_id: 'F1' }])
})

test('two rows with the same price are no cheapest one', () => {
  expect(bind('book the cheapest one', [flights[1], { ...flights[1], id: 'F3' }])).toEqual([])
})

test('binds each row for "them", and arguments of the same name', () => {
  expect(bind('book them', flights, { seats: 2 })).toEqual([
    { flight_id: 'F1', seats: 2 },
    { flight_id: 'F2', seats: 2 },
  ])
})

test('a value of a wrong type is not bound', () => {
  expect(bind('book it', { flight_id: 7, seats: 'two' })).toEqual([{ flight_id: '7' }])
})

test('a body takes the whole text', () => {
  const call = {
    name: 'read_page',
    arguments: {},
    result: 'All quiet.',
    failed: false,
    artifacts: [],
    round: 0,
  }
  if (!note) throw new Error('no tool')
  const { values } = bindResults(note, readClause('send it', new Date(2026, 10, 21)), [call])
  expect(values.map((one) => Object.fromEntries(one))).toEqual([{ body: 'All quiet.' }])
})
