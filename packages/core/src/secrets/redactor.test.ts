import { afterEach, describe, expect, test } from 'vitest'
import { tellings, tells } from '../../test/secrets-told.js'
import { Redactor } from './redactor.js'

const key = 'q7Zr-4kWm2_XvB9tLd0sYhN6'
const name = 'CAPSTAN_TEST_API_KEY'

afterEach(() => {
  delete process.env[name]
})

describe('a key of the environment is hidden', () => {
  for (const [how, text] of Object.entries(tellings(key)))
    test(how, () => {
      process.env[name] = key
      expect(tells(text, key)).toBe(true)
      const shown = new Redactor().text(text)
      expect(tells(shown, key), shown).toBe(false)
    })

  test('cut between two pieces, wherever the cut is', () => {
    process.env[name] = key
    const redactor = new Redactor()
    for (let at = 1; at < key.length; at++) {
      const shown = redactor.pieces([`it is ${key.slice(0, at)}`, `${key.slice(at)}, keep it`])
      expect(tells(shown.join(''), key)).toBe(false)
    }
  })

  test('as the name of a field, and deep inside', () => {
    process.env[name] = key
    const shown = new Redactor().value({ list: [{ [key]: { inner: [key] } }] })
    expect(tells(JSON.stringify(shown), key)).toBe(false)
  })

  test('when it is the password of a database', () => {
    process.env[name.replace('API_KEY', 'URL')] = `postgres://app:${key}@db.internal:5432/main`
    const shown = new Redactor().text(`cannot log in as app with ${key}`)
    delete process.env[name.replace('API_KEY', 'URL')]
    expect(tells(shown, key)).toBe(false)
  })
})

test('what stands under the name of a header or of a secret is hidden, whatever it is', () => {
  const shown = new Redactor().value({
    headers: { Authorization: 'anything', 'x-api-key': 'b', 'Set-Cookie': 'sid=1; Path=/', accept: '*/*' },
    body: '{"password":"hunter2","user":"bo"}',
    log: 'Cookie: sid=12; theme=dark\nX-Api-Key: abc\nage: 7',
    query: 'a=1&access_token=zzz&b=2',
  })
  expect(shown).toEqual({
    headers: {
      Authorization: '[redacted]',
      'x-api-key': '[redacted]',
      'Set-Cookie': '[redacted]',
      accept: '*/*',
    },
    body: '{"password":"[redacted]","user":"bo"}',
    log: 'Cookie: [redacted]\nX-Api-Key: [redacted]\nage: 7',
    query: 'a=1&access_token=[redacted]&b=2',
  })
})

test('what looks like a key is hidden, though nobody knows it', () => {
  const shown = new Redactor().text('sk-proj-abcdefghijklmnop1234 and ghp_ABCDEFGHIJKLMNOPQRSTUVWX0123456789')
  expect(shown).toBe('[redacted] and [redacted]')
})

test('base64 is replaced by its length and a fingerprint, the same for the same bytes', () => {
  const bytes = Buffer.from(Array.from({ length: 900 }, (_, at) => (at * 31) % 256)).toString('base64')
  const lines = bytes.replace(/.{76}/g, '$&\n')
  const redactor = new Redactor()
  const shown = redactor.text(`see data:image/png;base64,${bytes} and ${bytes} and\n${lines}`)
  expect(shown).toMatch(
    /^see data:image\/png;\[base64, 1200 characters, (\w{16})\] and \[base64, 1200 characters, \1\] and\n\[base64, 1215 characters, \w{16}\]$/,
  )
  expect(redactor.text('data:image/gif;base64,R0lGODlhAQABAAAAACw=')).toMatch(
    /^data:image\/gif;\[base64, 20 char/,
  )
})

test('words, hashes and schemas stay as they are', () => {
  const plain = {
    text: 'The keys are on the table; the password must be told to nobody.',
    hash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    parameters: { type: 'object', properties: { password: { type: 'string' }, token: { type: 'string' } } },
    long: 'aaaaaaaaaa'.repeat(100),
    usage: { tokens: 12, totalTokens: 20, max_tokens: 100 },
    next_page_token: 'p2',
  }
  expect(new Redactor().value(plain)).toEqual(plain)
})

test('a field named __proto__ is a field', () => {
  const shown = new Redactor().value(JSON.parse('{"__proto__":{"polluted":1}}'))
  expect(Object.keys(shown)).toEqual(['__proto__'])
  expect(({} as { polluted?: number }).polluted).toBeUndefined()
})
