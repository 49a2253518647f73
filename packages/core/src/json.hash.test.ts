import { expect, test } from 'vitest'
import { hash } from './json.js'

test('keeps hashes stable for stored states', () => {
  expect(hash('')).toBe('811c9dc5811c9dc5')
  expect(hash('ab')).toBe('4d2505ca3c2ba6cc')
})

test('texts that differ in one place, or in their order alone, have different fingerprints', () => {
  const texts = ['', 'a', 'b', 'ab', 'ba', 'aba', 'a\0b', 'ab\0', '\0ab', 'x'.repeat(1000), 'x'.repeat(1001)]
  const prints = texts.map(hash)
  expect(new Set(prints).size).toBe(texts.length)
  for (const print of prints) expect(print).toMatch(/^[0-9a-f]{16}$/)
})
