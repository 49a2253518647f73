import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { diff } from './diff.js'

const user = (content: string) => ({ role: 'user', content })

test('equal values have no difference, whatever the order of their keys', () => {
  expect(diff({ a: 1, b: [true, null] }, { b: [true, null], a: 1, c: undefined })).toBe('')
  fc.assert(fc.property(fc.jsonValue(), (value) => diff(value, structuredClone(value)) === ''))
})

test('different values have a difference', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      // -0 and 0 are the same number in JSON.
      fc.pre(JSON.stringify(sorted(one)) !== JSON.stringify(sorted(other)))
      return diff(one, other) !== ''
    }),
  )
})

test('shows a difference between equal lines, under its path', () => {
  const messages = ['one', 'two', 'three', 'four', 'five'].map(user)
  const seen = [...messages.slice(0, 3), user('vier'), ...messages.slice(4)]
  expect(diff({ messages, stream: false }, { messages: seen, stream: true })).toBe(
    [
      '- expected',
      '+ seen',
      '@ messages[3].content',
      '      }',
      '      {',
      '-       "content": "four"',
      '+       "content": "vier"',
      '        "role": "user"',
      '      }',
      '@ stream',
      '      }',
      '    ]',
      '-   "stream": false',
      '+   "stream": true',
      '  }',
    ].join('\n'),
  )
})

test('an additional item is one block, without a comma difference', () => {
  expect(diff(['a'], ['a', 'b'])).toBe('- expected\n+ seen\n@ [1]\n  [\n    "a"\n+   "b"\n  ]')
})

test('two values that are not objects are compared as a whole', () => {
  expect(diff('a', 1)).toBe('- expected\n+ seen\n@ the whole\n- "a"\n+ 1')
})

test('long strings are shortened around the difference', () => {
  const text = (word: string) => `${'a '.repeat(300)}the ${word} sat${' b'.repeat(300)}`
  const lines = diff({ text: text('cat') }, { text: text('dog') }).split('\n')
  const [removed = '', added = ''] = lines.filter((line) => /^[-+] {3}/.test(line))
  expect(removed).toMatch(/^- {3}….*a the cat sat b b .*…$/)
  expect(added).toMatch(/^\+ {3}….*a the dog sat b b .*…$/)
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(130)
})

test('never shows half a character', () => {
  const text = (end: string) => `${'😀'.repeat(100)}${end}${'😀'.repeat(100)}`
  expect(diff(text('a'), text('b')).isWellFormed()).toBe(true)
  expect(diff(`a${text('a')}`, `a${text('b')}`).isWellFormed()).toBe(true)
})

test('values without common parts are shown in part, quickly', () => {
  const list = (word: string) => Array.from({ length: 5000 }, (_, at) => `${word} ${at}`)
  const lines = diff(list('a'), list('b')).split('\n')
  expect(lines).toHaveLength(103)
  expect(lines.at(-1)).toBe('(and 9903 more lines)')
})

/** Returns a value to compare: objects as sorted entries, without undefined values. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  return Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, part]) => [key, sorted(part)])
    .concat([['object']])
}
