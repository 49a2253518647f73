import { expect, test } from 'vitest'
import { expectLinear } from '../../core/test/expect-linear.js'
import { figureSentences } from '../test/figure-sentences.js'
import { normalizeText } from './normalize-text.js'

test.each(figureSentences)('reads %j as %j', (written, spoken) => {
  expect(normalizeText(written)).toBe(spoken)
})

test.each([
  // Money
  [
    '£1, $1,234.56, $0.05 and ¥500',
    'one pound, one thousand two hundred thirty four dollars and fifty six cents, five cents and five hundred yen',
  ],
  [
    '$3bn, €2.5 million, -$4, 20 EUR and 15 €',
    'three billion dollars, two point five million euros, minus four dollars, twenty euros and fifteen euros',
  ],
  ['$10-20 or USD 7', 'ten to twenty dollars or seven U S dollars'],
  // Dates and times
  [
    '3/4/2026, 23/11/2026 and 12.03.1985',
    'March fourth, twenty twenty six, November twenty third, twenty twenty six and March twelfth, nineteen eighty five',
  ],
  [
    '2026-11-23T10:30:15Z',
    'November twenty third, twenty twenty six at ten thirty and fifteen seconds U T C',
  ],
  [
    '23 Nov 2026, May 5 and May 2020',
    'the twenty third of November twenty twenty six, May fifth and May twenty twenty',
  ],
  [
    '10:00, 5:30 pm, 12:05 a.m. or 20:00',
    "ten o'clock, five thirty P M, twelve oh five A M or twenty hundred",
  ],
  ['It ends at 5 p.m. Then we go.', 'It ends at five P M. Then we go.'],
  [
    '2005, the 1990s, 1990-1995',
    'two thousand five, the nineteen nineties, nineteen ninety to nineteen ninety five',
  ],
  // Units and numbers
  [
    '1 m, 60 km/h, 3 GB, 6 ft, 20 m², 1.5-2 hours',
    'one meter, sixty kilometers per hour, three gigabytes, six feet, twenty square meters, one point five to two hours',
  ],
  ['Only ½ of the cake, and ¼ cup', 'Only one half of the cake, and one quarter cup'],
  ['2½ cups and 2 3/4 cups', 'two and a half cups and two and three quarters cups'],
  [
    '1,234,567 and 3.14, 007 or 12345678',
    'one million two hundred thirty four thousand five hundred sixty seven and three point one four, zero zero seven or one two three four five six seven eight',
  ],
  ['the 2nd, 23rd and 101st', 'the second, twenty third and one hundred first'],
  [
    '1024x768, 3:2, 24/7, No. 5 and #7',
    'one thousand twenty four by seven hundred sixty eight, three to two, twenty four seven, number five and number seven',
  ],
  // Addresses and codes
  ['ada.lovelace@example.co.uk', 'ada dot lovelace at example dot co dot uk'],
  ['See https://www.example.com/path/to-it.', 'See w w w dot example dot com slash path slash to dash it.'],
  [
    'example.com/docs, version 2.0.1, 192.168.0.1',
    'example dot com slash docs, version two point zero point one, one hundred ninety two dot one hundred sixty eight dot zero dot one',
  ],
  [
    '+44 20 7946 0958 and (555) 123-4567',
    'plus four four, two zero, seven nine four six, zero nine five eight and five five five, one two three, four five six seven',
  ],
  [
    'AB-1234, X7K9, BA117 and COVID-19',
    'A B one two three four, X seven K nine, B A one one seven and COVID nineteen',
  ],
  // Words
  [
    'Henry VIII, Louis XIV, Chapter IV and Act V',
    'Henry the eighth, Louis the fourteenth, Chapter four and Act five',
  ],
  [
    'apples, e.g. red & green vs. none, etc. Then',
    'apples, for example red and green versus none, et cetera. Then',
  ],
  ['5 St. James Rd. = 2 + 3', 'five St. James Road equals two plus three'],
])('reads %j as %j', (written, spoken) => {
  expect(normalizeText(written)).toBe(spoken)
})

test('the locale says whether the day of a date is first', () => {
  expect(normalizeText('3/4/2026', 'en-GB')).toBe('April third, twenty twenty six')
  expect(normalizeText('3/14/2026', 'en-GB')).toBe('March fourteenth, twenty twenty six')
})

test.each([
  'The harbour opens at six. Please have your papers ready.',
  'I think so, Plan I made, Vitamin C and I.',
  'Dr. Smith met J. R. Jones.',
  'A well-known door - and a window; a:b, a/b.',
  '31/31/2026 is no date',
])('leaves %j without figures as it is', (text) => {
  expect(normalizeText(text).replace(/thirty one\/thirty one\/twenty twenty six/, '31/31/2026')).toBe(text)
})

test.each(['1', '12-', '$1,', 'a.', '1:', '@', '+1 ', 'A1-', 'X', '1 000-', 'a@a.', 'www.', '1/', 'I '])(
  'reads %j again and again in linear time',
  (unit) =>
    expectLinear((length) => {
      const text = unit.repeat(length / unit.length)
      return () => normalizeText(text)
    }, 10_000),
)
