import { expect, test } from 'vitest'
import { toCaption } from '../prompt/caption.js'
import { parseEdit } from './edit-region.js'

test.each([
  ['add a red balloon', undefined, 'a red balloon'],
  ['Please remove the cat.', 'remove', 'abstract: no known words'],
  ['get rid of the cat and the dog', 'get rid of', 'abstract: no known words'],
  ['remove the cat, then add a dog', 'remove', 'a dog'],
  ['replace the dog with a cat', undefined, 'a cat'],
  ['swap the house for a tree and make it night', undefined, 'a tree at night'],
  ['turn the day into night', undefined, 'a landscape at night'],
  ['change the sky to purple', undefined, 'a landscape under a purple sky'],
  ['change the colour of the car to blue', undefined, 'a blue car'],
])('%s', (prompt, removal, caption) => {
  const edit = parseEdit(prompt)
  expect([edit.removal, toCaption(edit.request)]).toEqual([removal, caption])
})
