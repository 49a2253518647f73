import { expect, test } from 'vitest'
import { idOf, toUri } from './resources.js'

test('a link leads to the artifact that it was made of', () => {
  expect(idOf(toUri('img_abcd2345'))).toBe('img_abcd2345')
})

test.each([
  '',
  'img_abcd2345',
  'file:///etc/passwd',
  'capstan://artifact/',
  'capstan://artifact/../secret',
  'capstan://artifact/img_abcd2345/../../x',
  'capstan://artifact/img_abcd2345\n',
  'https://example.com/capstan://artifact/img_abcd2345',
])('%j leads to none', (uri) => {
  expect(idOf(uri)).toBeUndefined()
})
