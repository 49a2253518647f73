import { expect, test } from 'vitest'
import { toolNames } from './tool-names.js'

const namesOf = (given: readonly string[], prefix?: string) => [...toolNames(given, prefix).values()]

test('names that model servers accept stay unchanged', () => {
  expect(namesOf(['read_file', 'get-sum', 'A1'])).toEqual(['read_file', 'get-sum', 'A1'])
})

test('a prefix is added to each name', () => {
  expect(namesOf(['read', 'write'], 'files')).toEqual(['files_read', 'files_write'])
})

test('other characters become an underscore, and two tools never get one name', () => {
  const names = namesOf(['files/read', 'files.read', 'files_read'])
  expect(names[2]).toBe('files_read')
  expect(new Set(names).size).toBe(3)
  for (const name of names) expect(name).toMatch(/^files_read(_[a-z0-9]+)?$/)
})

test('a name does not depend on other tools, unless one has it already', () => {
  const [long] = namesOf(['x'.repeat(200)])
  expect(namesOf(['other', 'x'.repeat(200)])[1]).toBe(long)
  expect(namesOf(['天気'])).toEqual([namesOf(['a', '天気'])[1]])
})

test.each([
  '',
  '天気',
  '💥',
  'x'.repeat(200),
  '__proto__',
  'constructor',
  'toString',
  ' a b ',
  '../etc',
  '<script>',
])('%j becomes a name of 1 to 64 characters that no object inherits', (given) => {
  const [name = ''] = namesOf([given])
  expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
  expect(name in {}).toBe(false)
})

test('1000 long names with the same beginning stay distinct', () => {
  const given = Array.from({ length: 1000 }, (_, at) => `${'long'.repeat(30)}${at}`)
  const names = namesOf(given, 'p')
  expect(new Set(names).size).toBe(1000)
  for (const name of names) expect(name.length).toBeLessThanOrEqual(64)
})

test('a tool with the name that a suffix would make keeps it, and the other gets another suffix', () => {
  const [, , marked = ''] = ['a b', 'a_b', [...toolNames(['a b', 'a_b']).values()][0]]
  const names = [...toolNames(['a b', 'a_b', marked]).values()]
  expect(new Set(names).size).toBe(3)
  expect(names).toContain(marked)
})
