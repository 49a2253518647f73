import { expect, test } from 'vitest'
import { extractQuotes, parsePrompt } from './parse-prompt.js'

test.each([
  ['a sign that says "Hello  World"', ['Hello World']],
  ['a sign that says “Grüße”', ['Grüße']],
  ['ein Schild „Hallo“', ['Hallo']],
  ["the word 'Stop' in red", ['Stop']],
  ["the cat's house and the dog's tree", []],
  ['"a cat on a house"', []],
  ['a cat', []],
])('extracts the texts of %s', (prompt, texts) => {
  expect(extractQuotes(prompt).texts).toEqual(texts)
})

test('a text has the colour before or after it', () => {
  expect(parsePrompt('red text "HI" and a cat').inscription?.color?.word).toBe('red')
  expect(parsePrompt('the text "HI" in blue').inscription?.color?.word).toBe('blue')
  expect(parsePrompt('a red cat and the text "HI"').inscription?.color).toBeUndefined()
})

test('reads a prompt that is quoted as a whole', () => {
  expect(parsePrompt('"a cat on a house"').things).toHaveLength(2)
})
