import { expect, test } from 'vitest'
import { Secrets } from './secrets.js'

const url = 'https://api.test/v1'
const key = 'sk-proj-7f3a9b2c/4d5e6f708192'

const after = (learn: (secrets: Secrets) => void) => {
  const secrets = new Secrets()
  learn(secrets)
  return (text: string) => secrets.hide(text)
}

test.each<[string, HeadersInit]>([
  ['authorization', { authorization: `Bearer ${key}` }],
  ['api-key', { 'api-key': key }],
  ['x-goog-api-key', new Headers({ 'x-goog-api-key': key })],
  ['cookie', [['cookie', `session=${key}; theme=dark`]]],
  ['X-Access-Token', { 'X-Access-Token': key }],
])('the value of the header %s is hidden, by itself too', (name, headers) => {
  const hide = after((secrets) => secrets.learn(url, headers))
  expect(hide(`got ${new Headers(headers).get(name)}`)).toMatch(/^got \[redacted\]$/)
  expect(hide(`Wrong key ${key}!`)).toBe('Wrong key [redacted]!')
})

test('headers that authorise nothing are told', () => {
  const hide = after((secrets) =>
    secrets.learn(url, { 'content-type': 'application/json', 'idempotency-key': 'run-12345/t0/model' }),
  )
  expect(hide('application/json run-12345/t0/model')).toBe('application/json run-12345/t0/model')
})

test('the parameters and the password of an address are hidden', () => {
  const hide = after((secrets) =>
    secrets.learn('https://user-name:p%40ssword@api.test/?api_key=0123456789&q=weather', {}),
  )
  expect(hide('user-name p@ssword 0123456789 weather')).toBe('[redacted] [redacted] [redacted] weather')
})

test.each([
  ['in JSON', JSON.stringify({ key: `"${key}"` }), '{"key":"\\"[redacted]\\""}'],
  ['in JSON with slashes escaped', key.replace('/', '\\/'), '[redacted]'],
  ['in an address', `?key=${encodeURIComponent(key)}`, '?key=[redacted]'],
  ['cut in the middle', `said ${key.slice(0, 14)}`, 'said [redacted]'],
  ['twice, and cut', `${key} ${key}, ${key.slice(0, 20)}...`, '[redacted] [redacted], [redacted]...'],
])('a key is hidden %s', (_how, text, shown) => {
  expect(after((secrets) => secrets.add(key))(text)).toBe(shown)
})

test('of two keys that begin alike neither shows its end', () => {
  const hide = after((secrets) => {
    secrets.add('team-key-0001-aaaaaaaa')
    secrets.add('team-key-0002-bbbbbbbb')
  })
  expect(hide('team-key-0002-bbbbbbbb and team-key-0001-aaaaaaaa')).toBe('[redacted] and [redacted]')
})

test('a key with a line break is hidden, each part of it', () => {
  const hide = after((secrets) => secrets.add('first-part-1\nother-part-2'))
  expect(hide('first-part-1\nother-part-2, other-part-2')).toBe('[redacted], [redacted]')
})

test('of keys that change all the time the newest are known, and the oldest forgotten', () => {
  const hide = after((secrets) => {
    for (let n = 1000; n < 3000; n++) secrets.add(`${n}-changing-key`)
  })
  expect(hide('2999-changing-key 2900-changing-key')).toBe('[redacted] [redacted]')
  expect(hide('1000-changing-key')).toBe('1000-changing-key')
})
