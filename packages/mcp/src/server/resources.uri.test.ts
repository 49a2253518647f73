import { expect, test } from 'vitest'
import { parseUri, toUri } from './resources.js'

test('a link leads to the artifact that it was made of', () => {
  expect(parseUri(toUri('img_abcd2345'))).toBe('img_abcd2345')
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
  expect(parseUri(uri)).toBeUndefined()
})
