import { expect, test } from 'vitest'
import { parsePrompt } from './parse-prompt.js'
import { wordsOf } from './request.js'

/** Things as "count size colour noun side", for short. */
function things(prompt: string): string[] {
  return parsePrompt(prompt).things.map(({ noun, count, size, color, side }) =>
    [count, size === 1 ? '' : size, color?.word, noun.words[0], side].filter(Boolean).join(' '),
  )
}

test.each([
  ['a red sailboat at sunset', ['1 red sailboat']],
  ['three red balloons over a small house', ['3 red balloon', '1 0.65 house']],
  ['a kitten and two puppies', ['1 cat', '2 dog']],
  ['butterflies', ['3 butterfly']],
  ['a hot-air balloon, not a balloon', ['1 hot air balloon']],
  ['a light blue car', ['1 light blue car']],
  ['a cat, black', ['1 black cat']],
  ['a boat with red sails', ['1 red sailboat']],
  ['a red quagga with a dog', ['1 dog']],
  ['a black cat on the left and two big dogs on the right', ['1 black cat left', '2 1.35 dog right']],
  ['on the left, a cat', ['1 cat left']],
  ['12 degrees, a cat', ['1 cat']],
  ['12 cats', ['12 cat']],
  ['500 cats', ['12 cat']],
  ['a house without trees', ['1 house']],
  ['three clouds', ['3 cloud']],
  ['clouds', []],
  ['a tablet on a desk', ['1 phone', '1 table']],
  ['a plant pot', ['1 plant']],
  ['a spider in its web', ['1 spider', '1 spider web']],
  ['a fish bowl with two goldfish on a shelf', ['1 fishbowl', '1 shelf']],
  ['a goldfish in a bowl', ['1 fishbowl']],
  ['a horse on the moon', ['1 horse']],
])('%s', (prompt, expected) => {
  expect(things(prompt)).toEqual(expected)
})

test('reads weather with its strength', () => {
  expect([...parsePrompt('light snow').weather]).toEqual([['snow', 0.5]])
  expect([...parsePrompt('heavy rain and thunder').weather]).toEqual([
    ['rain', 1.7],
    ['storm', 1],
  ])
  expect([...parsePrompt('no clouds, sunny').weather]).toEqual([['clear', 1]])
})

test('a name after "in" is a town, and is not claimed to be understood', () => {
  const request = parsePrompt('rain in Oslo, 12 degrees')
  expect(request.place).toBe('city')
  expect(wordsOf(request)).toEqual(['rain'])
  expect(parsePrompt('a cat in Winter').place).toBe('snow')
})

test('of two incompatible places uses and reports the last', () => {
  const request = parsePrompt('from the desert to the forest')
  expect([request.place, wordsOf(request)]).toEqual(['forest', ['forest']])
})

test('uses both of two compatible places', () => {
  const request = parsePrompt('a lake in the mountains')
  expect([request.place, wordsOf(request)]).toEqual(['mountains', ['lake', 'mountains']])
  const winter = parsePrompt('winter in the city')
  expect([winter.place, winter.weather.has('snow')]).toEqual(['city', true])
})

test('the colour of the sky belongs to the sky', () => {
  expect(parsePrompt('a house under a red sky').sky?.word).toBe('red')
  expect(parsePrompt('the sky is purple').sky?.word).toBe('purple')
})

test('does not report words that are not shown', () => {
  expect(wordsOf(parsePrompt('a golden beach with a quagga'))).toEqual(['beach'])
  expect(wordsOf(parsePrompt('blue mountains'))).toEqual(['mountains'])
})
