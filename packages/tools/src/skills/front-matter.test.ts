import { expect, test } from 'vitest'
import { readFrontMatter } from './front-matter.js'

const read = (head: string) => {
  const { fields, problems = [] } = readFrontMatter(`---\n${head}\n---\nBody\n`) ?? {}
  return { value: fields?.get('a'), problems: problems.map(({ message }) => message) }
}

test.each<readonly [string, string | readonly string[] | undefined]>([
  ['a: plain text', 'plain text'],
  ['a:   two   ', 'two'],
  ['a: http://x.org/#y # a comment', 'http://x.org/#y'],
  ['a: one\n  two\n\n  three', 'one two\nthree'],
  ['a:\n  below\n  the name', 'below the name'],
  ["a: 'it''s'", "it's"],
  ["a: 'one\n  two' # x", 'one two'],
  ['a: "q \\" \\u00e9 \\x41 \\n \\\\"', 'q " é A \n \\'],
  ['a: "b: c # d"', 'b: c # d'],
  ['a: >\n  one\n  two\n\n  three\n', 'one two\nthree'],
  ['a: >-\n  one\n  two', 'one two'],
  ['a: |\n  one\n    two\n\n  three', 'one\n  two\n\nthree'],
  ['a: |2-\n  one', 'one'],
  ['a: [b, "c d", \'e\']', ['b', 'c d', 'e']],
  ['a: []', []],
  ['a:\n  - b\n  - "c d"\n  # no\n  - e # yes', ['b', 'c d', 'e']],
  ['a:\n- b\n- c', ['b', 'c']],
  ['# a: x\na: y', 'y'],
  ['b:\n  a: x\na: y', 'y'],
  ['a-b: x\na: y', 'y'],
  ['a:', ''],
  ['a: ~', ''],
  ['"a": b', 'b'],
  ['a: "\\U0001F600"', '😀'],
  ['a: ["x, y", z,]', ['x, y', 'z']],
  ['b: x', undefined],
  ['a:\n  b: x\n  c: y', undefined],
])('reads %j', (head, value) => {
  expect(read(head)).toEqual({ value, problems: [] })
})

test.each([
  ['a: use it when: always', 'use it when: always', 'a contains ": " but is not quoted'],
  ['a: x\na: y', 'x', 'a occurs twice; the first one is used'],
  ['a: "open', undefined, 'a has quotes that do not match'],
  ["a: 'x' y", undefined, 'a has quotes that do not match'],
  ['a: [b, [c]]', undefined, 'a contains an array that is not supported'],
  ['a: &x y', undefined, 'a starts with &, which is not supported'],
  ['a: *x', undefined, 'a starts with *, which is not supported'],
  ['a: !!str x', undefined, 'a starts with !, which is not supported'],
  ['a: {b: c}', undefined, 'a starts with {, which is not supported'],
  ['a: |x\n  y', undefined, 'a starts with |x, which is not supported'],
])('reports %j', (head, value, problem) => {
  expect(read(head)).toEqual({ value, problems: [problem] })
})

test('reads Windows line ends, a byte order mark and an empty head', () => {
  const { fields, body } = readFrontMatter('\ufeff---\r\na: b\r\nc: >\r\n  d\r\n  e\r\n---\r\nBody\r\n') ?? {}
  expect([...(fields ?? [])]).toEqual([
    ['a', 'b'],
    ['c', 'd e'],
  ])
  expect(body).toBe('Body\r\n')
  expect(readFrontMatter('---\n---\nBody')).toMatchObject({ body: 'Body', problems: [] })
})

test.each([
  '',
  'Body',
  '# Title\n---\na: b\n---\n',
  '---\na: b\n',
  '--- x\na: b\n---',
  `---\na: ${'b'.repeat(70_000)}\n---\n`,
])('finds no front matter in %#', (text) => {
  expect(readFrontMatter(text)).toBeUndefined()
})

test('the names of objects are names like others', () => {
  const { fields } = readFrontMatter('---\n__proto__: x\nconstructor: y\n---\n') ?? {}
  expect([...(fields?.keys() ?? [])]).toEqual(['__proto__', 'constructor'])
})
