import { expect, test } from 'vitest'
import { toClauses } from './clauses.js'
import { toConcept } from './words.js'

const clauses = (request: string, verbs: string[] = [], nouns: string[] = []) =>
  toClauses(request, { verbs: new Set(verbs), nouns: new Set(nouns.map(toConcept)) }).map(
    ({ text, after }) => (after === undefined ? text : `${after} > ${text}`),
  )

test('sentences and commands behind "and" or a comma are clauses of their own', () => {
  expect(clauses('Look up the weather in Oslo, draw it and say hello. What is 2 + 2?')).toEqual([
    'Look up the weather in Oslo',
    'draw it',
    'say hello',
    'What is 2 + 2',
  ])
})

test('"then" puts a clause and what follows it in the sentence behind the one before', () => {
  expect(clauses('Draw a cat, then make it blue and say hello. Draw a dog.')).toEqual([
    'Draw a cat',
    '0 > make it blue',
    '0 > say hello',
    'Draw a dog',
  ])
  expect(clauses('Draw a cat. After that, vary it. Finally, say hello.')).toEqual([
    'Draw a cat',
    '0 > vary it',
    '1 > say hello',
  ])
})

test('does not split lists', () => {
  expect(clauses('Draw a cat, a dog and a bird with a book and a plan')).toHaveLength(1)
  expect(clauses('Weather in Paris, Rome and New York')).toHaveLength(1)
})

test('never splits a quotation', () => {
  expect(clauses('Say "Stop. Then draw a cat, and read it." and draw \'a dog. And a cat\'')).toEqual([
    'Say "Stop. Then draw a cat, and read it."',
    "draw 'a dog. And a cat'",
  ])
})

test('decimals, times and abbreviations do not end a sentence', () => {
  expect(clauses('Add 1.5 and 2.25 for Dr. Smith at 9.30')).toHaveLength(1)
})

test('a noun that could be a verb splits only before an object', () => {
  expect(clauses('Buy a pen and book')).toHaveLength(1)
  expect(clauses('Draw a cat and book a table')).toHaveLength(2)
})

test('a known verb begins a clause before an object, not before words that follow nouns too', () => {
  expect(clauses('Find a car and rent it')).toHaveLength(2)
  expect(clauses('Draw a boat and water all around')).toHaveLength(1)
})

test("a tool's own verb begins a clause", () => {
  expect(clauses('Draw a cat and archive every thread')).toHaveLength(1)
  expect(clauses('Draw a cat and archive every thread', ['archive'])).toHaveLength(2)
})

test('drops courtesy and keeps negated commands apart', () => {
  expect(clauses('Hello, could you please draw a cat?')).toEqual(['draw a cat'])
  expect(clauses("Don't draw a cat, but please draw a dog")).toEqual(["Don't draw a cat", 'draw a dog'])
})

test('"it should ..." says more about the clause before', () => {
  expect(clauses('Draw a house. It should have a red door.')).toEqual([
    'Draw a house. It should have a red door',
  ])
})

test('text after a colon and a new line is a quotation, a list there gives clauses', () => {
  expect(clauses('Read this aloud:\n\nThe sea is calm. Draw near.')).toHaveLength(1)
  expect(clauses('Do this:\n1. Draw a cat\n2. Say hello\n- make it blue')).toEqual([
    'Do this',
    'Draw a cat',
    'Say hello',
    'make it blue',
  ])
})

test('a question for two tools is two clauses', () => {
  const nouns = ['weather', 'time']
  expect(clauses('What is the weather in Paris and the time in Tokyo?', [], nouns)).toEqual([
    'What is the weather in Paris',
    'the time in Tokyo',
  ])
  expect(clauses('Draw the weather and the time', [], nouns)).toHaveLength(1)
  expect(clauses('What is the weather in Paris and the surroundings?', [], nouns)).toHaveLength(1)
})
