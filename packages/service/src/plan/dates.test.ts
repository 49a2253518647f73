import { expect, test } from 'vitest'
import { findDates, findTimes } from './dates.js'

const saturday = new Date(2026, 10, 21, 12)

test.each([
  ['on 2026-12-24', '2026-12-24'],
  ['today', '2026-11-21'],
  ['tomorrow', '2026-11-22'],
  ['the day after tomorrow', '2026-11-23'],
  ['yesterday', '2026-11-20'],
  ['in 3 days', '2026-11-24'],
  ['in 2 weeks', '2026-12-05'],
  ['in two weeks', '2026-12-05'],
  ['a week from today', '2026-11-28'],
  ['in a month', '2026-12-21'],
  ['12/24/2026', '2026-12-24'],
  ['24.12.2026', '2026-12-24'],
  ['on Friday', '2026-11-27'],
  ['next Saturday', '2026-11-28'],
  ['December 3rd', '2026-12-03'],
  ['on the 5th of March', '2027-03-05'],
  ['Mar. 5, 2030', '2030-03-05'],
])('%s is %s', (text, date) => {
  expect(findDates(text, saturday).map(({ value }) => value)).toEqual([date])
})

test.each([
  ['from 5 to 9 March', ['2027-03-05', '2027-03-09']],
  ['from March 5 to 9', ['2027-03-05', '2027-03-09']],
  ['December 3 to December 7', ['2026-12-03', '2026-12-07']],
  ['between the 24th and 26th of December', ['2026-12-24', '2026-12-26']],
  ['from 1 October to 31 October 2026', ['2026-10-01', '2026-10-31']],
  ['from 20 December to 3 January 2027', ['2026-12-20', '2027-01-03']],
])('%s are two dates', (text, days) => {
  expect(findDates(text, saturday).map(({ value }) => value)).toEqual(days)
})

test('quoted days and numbers are not dates', () => {
  expect(findDates('say "Friday" 3 times', saturday)).toEqual([])
})

test.each([
  ['at 9am', '09:00'],
  ['at 12:30', '12:30'],
  ['7:05 pm', '19:05'],
  ['12 am', '00:00'],
  ["5 o'clock", '05:00'],
  ['noon', '12:00'],
  ['at midnight', '00:00'],
])('%s is %s', (text, time) => {
  expect(findTimes(text).map(({ value }) => value)).toEqual([time])
})
