import { expect, test } from 'vitest'
import { findArithmetic } from './numbers.js'

test.each([
  ['What is 17 percent of 2450?', '17 / 100 * 2450'],
  ['12.5% of 1,250.50', '12.5 / 100 * 1250.50'],
  ['20 percent off 80', '80 - 20 / 100 * 80'],
  ['15% tip on 60', '15 / 100 * 60'],
  ['three plus four', '3 + 4'],
  ['10 minus 2.5', '10 - 2.5'],
  ['6 times 7 plus 1', '6 * 7 + 1'],
  ['144 divided by twelve', '144 / 12'],
  ['subtract 15 from 100', '100 - 15'],
  ['add 3 to 4', '3 + 4'],
  ['the product of 3 and 4', '3 * 4'],
  ['the square root of 144', 'sqrt(144)'],
  ['square root of 16 plus 2', 'sqrt(16) + 2'],
  ['12 squared', '12 * 12'],
  ['2 to the power of 10', '2 ^ 10'],
  ['Calculate (3 + 4) * 12', '(3 + 4) * 12'],
  ['please, (that is 3 + 4)', '3 + 4'],
  ['2+2', '2 + 2'],
  ['2.5 million times 2', '2500000 * 2'],
  ['half a million plus three thousand', '500000 + 3000'],
  ['1e3 + 5', '1000 + 5'],
  ['6.02e23 * 2', '6.02e+23 * 2'],
  ['What is 200 x 100?', '200 * 100'],
  ['3 x 4 x 5', '3 * 4 * 5'],
  ['$5 + $3', '5 + 3'],
  ['10 divided by 2 squared', '10 / (2 * 2)'],
  ['20 percent off 80 times 2', '(80 - 20 / 100 * 80) * 2'],
  ['100 divided by 4 minus 5', '100 / 4 - 5'],
  ['20 minus 4 minus 5', '20 - 4 - 5'],
  ['-3 plus 8', '-3 + 8'],
  ['add 3 and 4 and 5', '3 + 4 + 5'],
  ['the sum of 3, 4 and 5', '3 + 4 + 5'],
  ['the average of 3, 4 and 8', '(3 + 4 + 8) / 3'],
  ['half of 90', '90 / 2'],
  ['double 15', '2 * 15'],
  ['20 percent more than 50', '50 + 20 / 100 * 50'],
  ['reduce 80 by 25%', '80 - 25 / 100 * 80'],
])('%s is %s', (text, expression) => {
  expect(findArithmetic(text)?.expression).toBe(expression)
})

test('dates, ranges, sizes and plain numbers are not calculations', () => {
  for (const text of ['on 2026-11-21', 'rooms 10-12', '512x512', 'order 77', 'no number', '"2 + 2"']) {
    expect(findArithmetic(text)).toBeUndefined()
  }
})

test.each(['draw a 200 x 100 picture of a cat', 'a cat, 200 x 100 pixels', 'a 3 x 4 table'])(
  '%s asks for a size, not for a product',
  (text) => {
    expect(findArithmetic(text)).toBeUndefined()
  },
)

test.each([
  '1e400 times 2',
  'multiply 3 + 4 by 2',
  'divide 100 by 17 percent of 50',
  '100 minus 20 percent',
  'half of 90 plus 10',
  'negative 5 plus 3',
  'version 1.2.3 + 4',
  'twice 3 + 4',
])('%s is not understood partially', (text) => {
  expect(findArithmetic(text)).toBeUndefined()
})

test('one operation is returned with its operands', () => {
  expect(findArithmetic('48 divided by 6')?.binary).toEqual({ operation: 'divide', a: 48, b: 6 })
  expect(findArithmetic('17 percent of 2450')?.binary).toEqual({ operation: 'percent', a: 17, b: 2450 })
  expect(findArithmetic('1 + 2 + 3')?.binary).toBeUndefined()
})
