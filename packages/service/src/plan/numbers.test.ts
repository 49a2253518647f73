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
  ['2.5 million, 1.1 billion and 3 thousand', ['2500000', '1100000000', '3000']],
  ['two point five million', ['2500000']],
  ['three point one four', ['3.14']],
  ['two and a half million', ['2500000']],
  ['half a million', ['500000']],
  ['three hundred thousand', ['300000']],
  ['5 hundred thousand', ['500000']],
  ['-2 million 500 thousand', ['-2500000']],
  ['two million three hundred thousand and five', ['2300005']],
  ['one million and two million', ['1000000', '2000000']],
  ['two dozen', ['24']],
  ['1e3, -2.5E-2 and 6.02e23', ['1000', '-0.025', '6.02e+23']],
  ['-$30, -€5.20 and minus 3.25', ['-30', '-5.20', '-3.25']],
  ['five minus 3, 10 minus 4', ['5', '3', '10', '4']],
  ['3 m/s^2', ['3']],
])('%s contains %j', (text, numbers) => {
  expect(digits(text)).toEqual(numbers)
})

test('ignores numbers in quotations, names, versions and addresses', () => {
  expect(digits('"17" v2 a1b 1.2.3.4 19:30 2026-11-21 #5')).toEqual([])
})

test('a number beyond the range of a double is infinite', () => {
  expect(findNumbers('1e400 and -1e400').map(({ value }) => value)).toEqual([Infinity, -Infinity])
})

test('a number has its position', () => {
  const text = 'for ten minutes'
  const [number] = findNumbers(text)
  expect(text.slice(number?.start, number?.end)).toBe('ten')
})
