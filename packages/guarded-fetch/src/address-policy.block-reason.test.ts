import { expect, test } from 'vitest'
import { blockReason, type FetchPolicy, isTrusted } from './address-policy.js'

const results: FetchPolicy = { ownOrigin: 'http://127.0.0.1:4100', anyPublic: 'https' }
const listed: FetchPolicy = { hosts: ['cdn.example.com', 'localhost:8080', '10.0.0.7'] }
const spelled: FetchPolicy = { hosts: ['CDN.example.com:443', '[::1]:8080', '127.1'] }
const refusal = (address: string, policy: FetchPolicy) => blockReason(new URL(address), policy)

test("allows the service's own origin", () => {
  expect(refusal('http://127.0.0.1:4100/files/a.png', results)).toBeUndefined()
  expect(isTrusted(new URL('http://127.0.0.1:4100/files/a.png'), results)).toBe(true)
})

test('allows a public host over https, and checks its lookup', () => {
  expect(refusal('https://cdn.example.com/a.png?sig=1', results)).toBeUndefined()
  expect(isTrusted(new URL('https://cdn.example.com/a.png'), results)).toBe(false)
})

test.each([
  'http://cdn.example.com/a.png',
  'ftp://cdn.example.com/a.png',
  'file:///etc/passwd',
  'http://127.0.0.1:4101/a.png',
  'https://127.0.0.1/a.png',
  'https://0x7f.1/a.png',
  'https://0177.0.0.1/a.png',
  'https://2130706433/a.png',
  'https://%31%32%37.0.0.1/a.png',
  'https://127。0。0。1/a.png',
  'https://[::1]/a.png',
  'https://[::ffff:10.0.0.1]/a.png',
  'https://[64:ff9b::7f00:1]/a.png',
  'https://[2002:7f00:1::]/a.png',
  'https://[fe80::1]/a.png',
  'https://169.254.169.254/latest/meta-data',
  'https://localhost/a.png',
  'https://localhost./a.png',
  'https://intranet/a.png',
  'https://printer.local/a.png',
  'https://metadata.google.internal/a.png',
  'https://user:secret@cdn.example.com/a.png',
])('blocks %s', (address) => {
  expect(refusal(address, results)).toMatch(/blocked|not a public host|contains a user name/)
  expect(isTrusted(new URL(address), results)).toBe(false)
})

test.each([
  'https://cdn.example.com/a.png',
  'http://cdn.example.com/a.png',
  'http://localhost:8080/a.png',
  'http://10.0.0.7/a.png',
])('allows %s of an allowed host', (address) => {
  expect(refusal(address, listed)).toBeUndefined()
})

test('ignores case, default ports and spelling of addresses', () => {
  for (const address of ['https://cdn.example.com/a', 'http://[0::1]:8080/a', 'http://127.0.0.1/a'])
    expect(refusal(address, spelled)).toBeUndefined()
  expect(refusal('http://cdn.example.com/a', spelled)).toContain('is blocked')
})

test.each([
  'https://cdn.example.com.evil.net/a.png',
  'https://cdn.example.com:8443/a.png',
  'https://example.com/a.png',
  'http://localhost/a.png',
  'http://10.0.0.8/a.png',
  'https://cdn.example.com@evil.net/a.png',
])('blocks %s outside the list', (address) => {
  expect(refusal(address, listed)).toMatch(/blocked|contains a user name/)
})

test('reaches a listed private address, but a listed name only if it is public', () => {
  expect(isTrusted(new URL('http://localhost:8080/a.png'), listed)).toBe(true)
  expect(isTrusted(new URL('http://10.0.0.7/a.png'), listed)).toBe(true)
  expect(isTrusted(new URL('https://cdn.example.com/a.png'), listed)).toBe(false)
})

test('says what can be fetched, without repeating signatures or credentials', () => {
  expect(refusal('http://evil.net/a.png', listed)).toBe(
    'http://evil.net is blocked; only cdn.example.com, localhost:8080 and 10.0.0.7 are fetched',
  )
  expect(refusal('http://evil.net/a.png', {})).toBe('http://evil.net is blocked; no URL can be fetched here')
  expect(refusal('http://user:secret@cdn.example.com/a.png?sig=secret', results)).not.toContain('secret')
})
