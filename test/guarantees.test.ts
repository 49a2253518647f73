import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const page = 'docs/reference/guarantees.md'
const rows = read(page)
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (promise|---) /.test(line))
const promises = rows.map((row) => row.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')))

test('there are promises', () => {
  expect(promises.length).toBeGreaterThan(20)
})

test.each(promises)('"%s" names tests that exist', (_promise, tests = '') => {
  const links = [...tests.matchAll(/\[([^\]]+)\]\(\.\.\/\.\.\/([^)]+)\)/g)]
  expect(links).not.toEqual([])
  for (const [, name = '', file = ''] of links)
    expect(
      ["'", '"', '`'].map((quote) => quote + name).some((text) => read(file).includes(text)),
      name,
    ).toBe(true)
})

function read(path: string): string {
  return readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8')
}
