import { expect, test } from 'vitest'
import { toWordList } from './images.js'

test('separates words by commas; no words give "nothing"', () => {
  expect(toWordList(['red', 'hot air balloon'])).toBe('red, hot air balloon')
  expect(toWordList([])).toBe('nothing')
})

test('percent-encodes characters outside a header', () => {
  expect(toWordList(['żółw', '50%', 'a,b', 'a\r\nb', '\ud800'])).toBe(
    '%C5%BC%C3%B3%C5%82w, 50%25, a%2Cb, a%0D%0Ab, %EF%BF%BD',
  )
})

test('truncates a list that is too long for a header', () => {
  const list = toWordList(Array.from({ length: 500 }, (_, i) => `word${i}`))
  expect(list.length).toBeLessThan(1000)
  expect(list).toMatch(/, \.\.\.$/)
  expect(toWordList(['x'.repeat(5000), 'y'])).toBe(`${'x'.repeat(100)}, y`)
})
