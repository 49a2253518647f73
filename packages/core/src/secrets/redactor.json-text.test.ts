import { expect, test } from 'vitest'
import { Redactor } from './redactor.js'

const hide = (text: string) => new Redactor(['given-secret-1', '8412093345']).text(text)
const inJson = (text: string) => JSON.stringify({ body: text })

test.each([
  ['{"password":12345678,"x":1}', '{"password":"[redacted]","x":1}'],
  ['{"password":"ab\\"tail"}', '{"password":"[redacted]"}'],
  [inJson('{"password":"ab\\"tail"}'), inJson('{"password":"[redacted]"}')],
  [inJson(inJson('{"pin":8412093345}')), inJson(inJson('{"pin":"[redacted]"}'))],
  ['{"set-cookie":["a=S1","b=S2"]}', '{"set-cookie":["[redacted]","[redacted]"]}'],
  [
    '{"authorization":{"scheme":"Bearer","values":[{"is":"S1"}]},"x":"y"}',
    '{"authorization":{"scheme":"[redacted]","values":[{"is":"[redacted]"}]},"x":"y"}',
  ],
  ['[{"list":[1,"password=S1",2]}]', '[{"list":[1,"password=[redacted]",2]}]'],
  ['{"q":"password: \\"S1\\""}', '{"q":"password: \\"[redacted]\\""}'],
  ['{"pin":8412093345}', '{"pin":"[redacted]"}'],
  ['{"given-secret-1":{"x":"is given-secret-1."}}', '{"[redacted]":{"x":"is [redacted]."}}'],
  ['{\n  "api_key" : "S1",\n  "n": 1.0\n}', '{\n  "api_key" : "[redacted]",\n  "n": 1.0\n}'],
  ['{"log":"one\\nsk-0123456789abcdef"}', '{"log":"one\\n[redacted]"}'],
  ['{"twice":"sk-0123456789abcdef","twice":""}', '{"twice":"[redacted]","twice":""}'],
  ['{"log":"Bearer 12345abc"}', '{"log":"Bearer [redacted]"}'],
])('keeps JSON valid without secrets: %s', (text, shown) => {
  expect(hide(text)).toBe(shown)
  expect(() => JSON.parse(shown)).not.toThrow()
  expect(hide(shown)).toBe(shown)
})

test.each([
  '{"password":null,"api_key":true,"cookie":[],"secret_key":{},"authorization":""}',
  '{ "big": 12345678901234567890, "same": 1, "same": 2.50, "e": "\\u00e9\\/" }\n',
  '{"type":"object","properties":{"password":{"type":"string","default":"none"},"apiKey":{"anyOf":[{"type":"string"},{"type":"null"}]},"cookie":{"description":"What the browser sent"},"authorization":{"type":["object","null"],"properties":{"scheme":{"enum":["a","b"]}}}},"required":["password"]}',
  '{"tokens":3,"next_page_token":"abc123","keys":["a","b"],"forgotPassword":"Forgot it?"}',
  '{"sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}',
  `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
])('keeps JSON without secrets unchanged (%#)', (text) => {
  expect(hide(text)).toBe(text)
})

test('a value without secrets is returned as it is, and one that writes itself is not', () => {
  const redactor = new Redactor(['given-secret-1'])
  const plain = { texts: ['one', 'two'], inner: { number: 1, none: null } }
  expect(redactor.value(plain)).toBe(plain)
  const shown = redactor.value({ ...plain, address: new URL('https://a.example/?key=given-secret-1') })
  expect(JSON.stringify(shown)).not.toContain('given-secret-1')
})

test('hides all values under secret names except schemas', () => {
  const schema = { type: 'object', properties: { password: { type: 'string', minLength: 8 } } }
  const shown = new Redactor(['8412093345']).value({
    'set-cookie': ['sid=S1'],
    password: 41287364,
    authorization: { value: 'S1', isSet: true, last: null },
    pin: 8412093345,
    count: 12345678,
    schema,
  })
  expect(shown).toEqual({
    'set-cookie': ['[redacted]'],
    password: '[redacted]',
    authorization: { value: '[redacted]', isSet: true, last: null },
    pin: '[redacted]',
    count: 12345678,
    schema,
  })
})
