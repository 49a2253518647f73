import { expect, test } from 'vitest'
import { Secrets } from './secrets.js'

const hide = (text: string, ...known: string[]) => {
  const secrets = new Secrets()
  for (const one of known) secrets.add(one)
  return secrets.hide(text)
}

test.each([
  'github_pat_11ABCDEFG0pat1234567890',
  'AKIAQ7ZR4KWM2XVB9TLD',
  'xoxb-123456789012-abcdef',
  'ghs_ABCDEFGHIJKLMNOPQRSTUVWX0123456789',
])('hides text that looks like a key: %s', (key) => {
  expect(hide(`no ${key} here`)).toBe('no [redacted] here')
})

test.each(['xoxo-dear', 'AKIA is a prefix', 'github_pat_ is one too', 'AKIAQ7ZR4KWM2XVB9TLD5'])(
  'what does not quite is left: %s',
  (words) => expect(hide(words)).toBe(words),
)

test('handles long texts and secrets', () => {
  const long = 'word '.repeat(60_000)
  expect(hide(`${long}%41 q7Zr-4kWm2_XvB9t`, 'q7Zr-4kWm2_XvB9t')).toBe(`${long}%41 [redacted]`)
  expect(hide('words', 'q7Zr'.repeat(60_000))).toBe('words')
})
