import { expect, test } from 'vitest'
import { Retold } from './retold.js'

/** What is said of words that come, `null` standing for a failure after which they begin anew. */
function said(...words: readonly (string | null)[]): string[] {
  const retold = new Retold()
  return words.flatMap((word) => {
    if (word === null) {
      retold.beginAnew()
      return []
    }
    const { text, isApart } = retold.take(word)
    return text === '' ? [] : [isApart ? `| ${text}` : text]
  })
}

test.each([
  [
    ['It ', 'is'],
    ['It ', 'is'],
  ],
  [
    ['It ', null, 'It ', 'is'],
    ['It ', 'is'],
  ],
  [
    ['It is', null, 'I', 't', ' is four'],
    ['It is', ' four'],
  ],
  [
    ['It is', null, 'It was', ' four'],
    ['It is', '| It was', ' four'],
  ],
  [['It is', null, 'It'], ['It is']],
  [
    ['It ', null, 'It ', null, 'It is'],
    ['It ', 'is'],
  ],
  [[null, 'It is'], ['It is']],
])('%j is told as %j', (words, told) => {
  expect(said(...words)).toEqual(told)
})

test('a new answer may begin as the last one did', () => {
  const retold = new Retold()
  retold.take('It is')
  retold.begin()
  expect(retold.take('It is').text).toBe('It is')
})
