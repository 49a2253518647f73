import { expect, test } from 'vitest'
import { findNumbers } from './numbers.js'

const digits = (text: string) => findNumbers(text).map((number) => number.digits)

test.each([
  ['1,250.50 and 3', ['1250.50', '3']],
  ['-3 degrees, not −4', ['-3', '-4']],
  ['twenty-five plus seventeen', ['25', '17']],
  ['two hundred and five', ['205']],
  ['three thousand four hundred', ['3400']],
  ['a dozen eggs', ['12']],
  ['a million', ['1000000']],
  ['two and three', ['2', '3']],
  ['12.5%', ['12.5']],
])('%s holds %j', (text, numbers) => {
  expect(digits(text)).toEqual(numbers)
})

test('numbers in quotations, names, versions and addresses are none', () => {
  expect(digits('"17" v2 a1b 1.2.3.4 19:30 2026-11-21 #5')).toEqual([])
})

test('a number knows where it stands', () => {
  const text = 'for ten minutes'
  const [number] = findNumbers(text)
  expect(text.slice(number?.start, number?.end)).toBe('ten')
})
