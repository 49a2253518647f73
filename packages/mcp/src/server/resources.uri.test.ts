import { expect, test } from 'vitest'
import { parseUri, toUri } from './resources.js'

test('a link leads to its artifact', () => {
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
])('%j is not an artifact link', (uri) => {
  expect(parseUri(uri)).toBeUndefined()
})
