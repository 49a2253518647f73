import { expect, test } from 'vitest'
import { toPlainText } from './sentences.js'

test.each([
  ['“It’s ‘fine’,” she said', `"It's 'fine'," she said`],
  ['pages 10–20, non‑stop, −5', 'pages 10-20, non-stop, -5'],
  ['first—second', 'first -- second'],
  ['and so on…', 'and so on...'],
  ['Crème brûlée, Ærø, Łódź, straße', 'Creme brulee, Aero, Lodz, strasse'],
  ['cafe\u0301 soft\u00adware', 'cafe software'],
  ['2½ cups of H₂O', '2 1/2 cups of H2O'],
  ['hello😀world', 'hello world'],
  ['Привет ok', '       ok'],
  ['a\tb\0c\u00a0d', 'a b c d'],
  ['one\n\ntwo', 'one\n\ntwo'],
])('reads %j as %j', (text, plain) => {
  expect(toPlainText(text)).toBe(plain)
})

test('outputs only printable ASCII and line ends', () => {
  const everyUnit = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code))
  expect(toPlainText(everyUnit.join(' '))).toMatch(/^[\n\x20-\x7e]*$/)
})
