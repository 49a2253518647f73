import { expect, test } from 'vitest'
import { RetryDeduplicator } from './text-parts.js'

/** Returns the text sent for these deltas; `null` is a failure after which the reply starts again. */
function said(...words: readonly (string | null)[]): string[] {
  const retold = new RetryDeduplicator()
  return words.flatMap((word) => {
    if (word === null) {
      retold.retry()
      return []
    }
    const { text, isApart } = retold.add(word)
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
])('sends %j as %j', (words, told) => {
  expect(said(...words)).toEqual(told)
})

test('a new reply may begin like the last one', () => {
  const retold = new RetryDeduplicator()
  retold.add('It is')
  retold.start()
  expect(retold.add('It is').text).toBe('It is')
})

test.each([
  ['nothing', [], 'It is', 'It is'],
  ['a part', ['It '], 'It is', 'is'],
  ['all', ['It is'], 'It is', ''],
  ['more than all', ['It is '], 'It is', ''],
  ['something else', ['Well, '], 'It is', '| It is'],
  ['a part, and then less of it', ['It is', null, 'It '], 'It is four', ' four'],
  ['a part, and then nothing', ['It is', null], 'It is four', ' four'],
  ['a part, and then something else', ['It is', null], 'Four', '| Four'],
])('after %s, only the rest of a complete reply is new', (_, words, whole, told) => {
  const retold = new RetryDeduplicator()
  for (const word of words) word === null ? retold.retry() : retold.add(word)
  const { text, isApart } = retold.addFinal(whole)
  expect(isApart ? `| ${text}` : text).toBe(told)
})
