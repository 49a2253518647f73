import { expect, test } from 'vitest'
import { expectLinear } from '../../test/expect-linear.js'
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
  ['x-jwt', { 'x-jwt': key }],
  ['cf-access-client-id', { 'cf-access-client-id': key }],
  ['x-whatever', { 'x-whatever': key }],
])('the value of the header %s is hidden, by itself too', (name, headers) => {
  const hide = after((secrets) => secrets.learn(url, headers))
  expect(hide(`got ${new Headers(headers).get(name)}`)).toMatch(/^got \[redacted\]$/)
  expect(hide(`Wrong key ${key}!`)).toBe('Wrong key [redacted]!')
})

test('headers that say what is sent, and by whom, are told', () => {
  const usual = {
    'content-type': 'application/json',
    'idempotency-key': 'run-12345/step0/request',
    'http-referer': 'https://app.example.com',
    'x-stainless-lang': 'javascript',
  }
  const said = Object.values(usual).join(' ')
  expect(after((secrets) => secrets.learn(url, usual))(said)).toBe(said)
})

test('of a Basic header the password is hidden too', () => {
  const basic = `Basic ${btoa('bob:hunter2-opens-it')}`
  const hide = after((secrets) => secrets.learn(url, { authorization: basic }))
  expect(hide(`${basic}: wrong password "hunter2-opens-it" for bob`)).toBe(
    '[redacted]: wrong password "[redacted]" for bob',
  )
})

test('the parameters, the password and the tokens in the path of an address are hidden', () => {
  const address =
    'https://user-name:p%40ssword@api.test/v1/0a1b2c3d4e5f60718293/x?api_key=0123456789&q=weather'
  const hide = after((secrets) => secrets.learn(address, {}))
  expect(hide('user-name p@ssword 0123456789 weather 0a1b2c3d4e5f60718293')).toBe(
    '[redacted] [redacted] [redacted] [redacted] [redacted]',
  )
})

test('the name of a model and of a version in an address are told', () => {
  const address = 'https://a.test/openai/deployments/gpt-4o-2024-08-06/chat?api-version=2025-01-01'
  const said = 'no gpt-4o-2024-08-06 in 2025-01-01'
  expect(after((secrets) => secrets.learn(address, {}))(said)).toBe(said)
})

test("an address in a header is hidden as a whole, and its beginning is everybody's", () => {
  const hide = after((secrets) =>
    secrets.learn(url, { 'x-callback': 'https://a.test/hook?sig=0123456789ab' }),
  )
  expect(hide('https://a.test/hook?sig=0123456789ab or https://b.test?sig=0123456789ab')).toBe(
    '[redacted] or https://b.test?sig=[redacted]',
  )
})

test.each([
  ['in JSON', JSON.stringify({ key: `"${key}"` }), '{"key":"\\"[redacted]\\""}'],
  ['in JSON with slashes escaped', key.replace('/', '\\/'), '[redacted]'],
  ['in an address', `?key=${encodeURIComponent(key)}`, '?key=[redacted]'],
  ['in upper case', key.toUpperCase(), '[redacted]'],
  ['with some of it escaped', key.replaceAll('-', '\\u002d').replace('/', '\\u002F'), '[redacted]'],
  [
    'escaped twice',
    JSON.stringify(JSON.stringify({ key: `${key}"` })),
    '"{\\"key\\":\\"[redacted]\\\\\\"\\"}"',
  ],
  ['in HTML', key.replace('/', '&#x2F;').replaceAll('-', '&#45;'), '[redacted]'],
  ['in base64', `got ${btoa(key).slice(0, 30)}`, 'got [redacted]'],
  ['in base64 for addresses', btoa(`??>>${key}`).replaceAll('/', '_').slice(6, 36), '[redacted]'],
  ['by its second half', `...${key.slice(-14)}`, '...[redacted]'],
  ['by its first eight characters', `${key.slice(0, 8)}...`, '[redacted]...'],
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

test('of a short key no part is hidden that others may begin with', () => {
  const hide = after((secrets) => secrets.add('another-one'))
  expect(hide('another-one is another')).toBe('[redacted] is another')
})

test('what is in base64 behind other bytes is hidden', () => {
  const hide = after((secrets) => secrets.add(key))
  for (const before of ['', 'a', 'ab', 'abc', 'user:']) {
    expect(hide(btoa(`${before}${key}!`))).not.toContain(btoa(key).slice(8, 20))
    expect(hide(btoa(`${before}${key}!`)).length).toBeLessThan(28)
  }
})

test.each([
  'sk-proj-0123456789abcdef',
  'gsk_0123456789abcdef',
  'AIzaSyA0123456789abcdefghij',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
])('what looks like a key is hidden, known or not: %s', (unknown) => {
  expect(new Secrets().hide(`no ${unknown}.`)).toMatch(/^no \[redacted\]\.?$/)
})

test('words are no keys', () => {
  const said = 'Use Bearer authentication, or Basic authorization; an sk-key, please.'
  expect(new Secrets().hide(said)).toBe(said)
  expect(new Secrets().hide('Bearer 0123456789abc')).toBe('Bearer [redacted]')
})

test('what may have changed is asked for before each text', () => {
  let now = 'first-key-0001'
  const secrets = new Secrets((known) => known.add(now))
  expect(secrets.hide('first-key-0001')).toBe('[redacted]')
  now = 'other-key-0002'
  expect(secrets.hide('other-key-0002')).toBe('[redacted]')
})

test('of keys that change all the time the newest are known, and the oldest forgotten', () => {
  const hide = after((secrets) => {
    for (let n = 1000; n < 3000; n++) secrets.add(`key-of-${n}`)
  })
  expect(hide('key-of-2999 key-of-2900')).toBe('[redacted] [redacted]')
  expect(hide('key-of-1000')).toBe('key-of-1000')
})

test('keys are looked for in a long text in linear time', () => {
  const hide = after((secrets) => {
    for (let n = 0; n < 500; n++) secrets.add(`${n}-0123456789abcdef-${n}`)
  })
  const sentence = '%41\\u0041 &#65; a long answer of a server. '
  return expectLinear((sentences) => {
    const text = sentence.repeat(sentences)
    return () => hide(text)
  }, 25)
})
