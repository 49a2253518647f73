import { expect, test } from 'vitest'
import { findDurations, findTimes } from './dates.js'

test.each([
  ['half past three in the afternoon', '15:30'],
  ['quarter to five', '04:45'],
  ['ten past 9 pm', '21:10'],
  ['at 9', '09:00'],
  ['at 7 tomorrow', '07:00'],
  ['6 in the morning', '06:00'],
  ['at 8 p.m. sharp', '20:00'],
])('%s is %s', (text, time) => {
  expect(findTimes(text).map(({ value }) => value)).toEqual([time])
})

test('counts are not times', () => {
  expect(findTimes('at 3 shops, 12:99, look at 9 pictures')).toEqual([])
})

test.each([
  ['90 minutes', 5400],
  ['an hour and a half', 5400],
  ['half an hour', 1800],
  ['a quarter of an hour', 900],
  ['1 hour 30 minutes', 5400],
  ['two hours and 5 minutes', 7500],
  ['3 nights', 259_200],
  ['45 sec', 45],
])('%s are %d seconds', (text, seconds) => {
  expect(findDurations(text).map(({ value }) => value)).toEqual([seconds])
})

test('separate durations stay separate', () => {
  expect(findDurations('2 hours of work, then 5 minutes of rest').map(({ value }) => value)).toEqual([
    7200, 300,
  ])
})
