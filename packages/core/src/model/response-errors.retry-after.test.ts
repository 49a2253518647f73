import { expect, test } from 'vitest'
import { toRetryAfter } from './response-errors.js'

const waitFor = (headers: Record<string, string>) => toRetryAfter((name) => headers[name] ?? null)

test('seconds and milliseconds are read', () => {
  expect(waitFor({ 'retry-after': '2' })).toBe(2000)
  expect(waitFor({ 'retry-after': ' 0.5 ' })).toBe(500)
  expect(waitFor({ 'retry-after': '0' })).toBe(0)
  expect(waitFor({ 'retry-after-ms': '120', 'retry-after': '9' })).toBe(120)
})

test.each([new Date(Date.now() + 60_000).toUTCString(), new Date(Date.now() + 60_000).toISOString()])(
  'a date is read: %s',
  (date) => {
    const ms = waitFor({ 'retry-after': date }) ?? 0
    expect(ms).toBeGreaterThan(50_000)
    expect(ms).toBeLessThanOrEqual(60_000)
  },
)

test.each([
  '-5',
  '',
  '1,5',
  '120, 120',
  '20s',
  '5 min',
  '0x10',
  '1e9',
  'Infinity',
  'tomorrow',
  'PT5S',
  'Wed, 21 Oct 2015 07:28:00 GMT',
  '2026-01-01',
])('what is negative, past or unreadable asks for no wait of its own: %j', (value) => {
  expect(waitFor({ 'retry-after': value })).toBeUndefined()
  expect(waitFor({ 'retry-after-ms': value })).toBeUndefined()
})
