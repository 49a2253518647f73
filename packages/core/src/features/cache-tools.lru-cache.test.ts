import { expect, test } from 'vitest'
import { LruCache } from '../json.js'

test('what was used longest ago gives way', () => {
  const recent = new LruCache(2)
  recent.set('a', '1')
  recent.set('b', '2')
  expect(recent.get('a')).toBe('1')
  recent.set('c', '3')
  expect(['a', 'b', 'c'].map((key) => recent.get(key))).toEqual(['1', undefined, '3'])
})
