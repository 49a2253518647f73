import { expect, test } from 'vitest'
import { toWordList } from './images.js'

test('words are parted by commas, and none are called nothing', () => {
  expect(toWordList(['red', 'hot air balloon'])).toBe('red, hot air balloon')
  expect(toWordList([])).toBe('nothing')
})

test('what a header cannot hold is percent-encoded', () => {
  expect(toWordList(['żółw', '50%', 'a,b', 'a\r\nb', '\ud800'])).toBe(
    '%C5%BC%C3%B3%C5%82w, 50%25, a%2Cb, a%0D%0Ab, %EF%BF%BD',
  )
})

test('a list too long for a header says that there is more', () => {
  const list = toWordList(Array.from({ length: 500 }, (_, i) => `word${i}`))
  expect(list.length).toBeLessThan(1000)
  expect(list).toMatch(/, \.\.\.$/)
  expect(toWordList(['x'.repeat(5000), 'y'])).toBe(`${'x'.repeat(100)}, y`)
})
