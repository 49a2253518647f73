import { expect, test } from 'vitest'
import { toCaption } from './caption.js'
import { parsePrompt } from './parse-prompt.js'
import { unknownIn, wordsOf } from './request.js'

test.each([
  ['a cat on a house', 'a cat on a house'],
  ['A small red car in front of the big house', 'a small red car in front of a big house'],
  ['a dog between two trees', 'a dog between two trees'],
  ['a dog between a tree and a house', 'a dog between a tree and a house'],
  ['On the table there is a blue vase.', 'a table and a blue vase on the table'],
  ['a cat and a dog. The cat is on the dog.', 'a cat on a dog'],
  ['a cat left of a house, on the left', 'a cat to the left of a house on the left'],
  ['an owl next to a tree', 'an owl beside a tree'],
  ['a cat on a dog on a horse', 'a cat on a dog on a horse'],
  ['a cat on the beach', 'a cat on a beach'],
  ['a dog on a sunny day', 'a dog in fair weather by day'],
  ['a house under a red sky', 'a house under a red sky'],
  ['a cat on the left', 'a cat on the left'],
  ['a cat on a quagga. A dog', 'a cat and a dog'],
  ['a cat behind, a house', 'a cat and a house'],
])('%s', (prompt, caption) => {
  expect(toCaption(parsePrompt(prompt))).toBe(caption)
})

test('leaves out a circular relation', () => {
  const { things } = parsePrompt('a cat on a dog. The dog is on the cat.')
  expect(things.map(({ placed }) => placed?.to)).toEqual([[1], undefined])
})

test('counts the words of a shown relation as understood', () => {
  expect(wordsOf(parsePrompt('a cat on top of a red house'))).toEqual(['cat', 'on top of', 'red', 'house'])
  expect(wordsOf(parsePrompt('a cat on a beach'))).toEqual(['cat', 'beach'])
})

test.each([
  ['a purple cat with a quagga on its nose', ['quagga', 'nose', 'on']],
  ['a house without trees', []],
  ['please draw me a picture of a cat, 4k, photorealistic', ['k', 'photorealistic']],
  ['żółw na łące', ['żółw', 'na', 'łące']],
  ['a sign that says "Zebra"', []],
  ['a blue rainbow', ['blue']],
])('"%s" has the unknown words %j', (prompt, unknown) => {
  const request = parsePrompt(prompt)
  expect(unknownIn(request, wordsOf(request))).toEqual(unknown)
})
