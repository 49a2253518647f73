import { expect, test } from 'vitest'
import { toCaption } from './caption.js'
import { parsePrompt } from './parse-prompt.js'

test.each([
  ['a RED sailboat, sunset!', 'a red sailboat at sunset'],
  ['3 balloons; a tiny orange cat', 'three balloons and a small orange cat'],
  ['an owl', 'an owl'],
  ['cup of tea', 'a tea'],
  [
    'people and children in the city, heavy rain, night',
    'three people and three children in a city in the rain at night',
  ],
  ['fog', 'a landscape in fog'],
  ['a house, black and white', 'a house in black and white'],
  ['nothing I know', 'abstract: no known words'],
])('%s', (prompt, caption) => {
  expect(toCaption(parsePrompt(prompt))).toBe(caption)
})
