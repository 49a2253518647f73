import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isLong } from '../scripts/cases.mjs'
import { cases } from './comparison/cases/all.js'
import { columns, differencesOf, type Results, writeTables } from './comparison/page.js'
import { peer } from './comparison/peers/capstan.js'
import { cellOf } from './comparison/stage.js'

// The page that compares frameworks. `npm run comparison` plays its cases with all of them: here is our column, and the
// page beside what was found.
const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const page = read('../docs/reference/comparison.md')
const results = JSON.parse(read('comparison/results.json')) as Results

test('the column of Capstan is what its agents do', async () => {
  const played = cases.filter(({ kind }) => kind !== 'alone' && (isLong || kind !== 'slow'))
  // They wait for their servers: ten at a time.
  const found: Record<string, string> = {}
  const waiting = [...played]
  const next = async () => {
    for (let one = waiting.shift(); one; one = waiting.shift())
      found[one.id] = await cellOf(peer, one, { seconds: 100 })
  }
  await Promise.all(Array.from({ length: 10 }, next))
  expect(found).toEqual(Object.fromEntries(played.map(({ id }) => [id, results.cells[id]?.capstan])))
}, 120_000)

test('each case has a cell in each column', () => {
  for (const { id } of cases) expect(Object.keys(results.cells[id] ?? {}).sort(), id).toEqual(peers)
  expect(new Set(cases.map(({ row }) => row)).size).toBe(cases.length)
})

test('the tables of the page are those of the results', () => {
  expect(differencesOf(page, results)).toEqual([])
  expect(writeTables(page, results)).toBe(page)
})

test('three cells that are changed by hand are found', () => {
  const [first, second, third] = ['forged-approval', 'code-mode', 'forever'].map((id) => rowOf(id))
  const changed = page
    .replace(first ?? '', (row) => row.replace('refused', 'runs'))
    .replace(second ?? '', (row) => row.replace('**runs** unasked |', 'a person is asked |'))
    .replace(third ?? '', (row) => row.replace('6 requests', '7 requests'))
  expect(differencesOf(changed, results).map(({ column, page, run }) => [column, page, run])).toEqual([
    ['Capstan', '7 requests, ends as `stuck`', '6 requests, ends as `stuck`'],
    ['Capstan', 'runs', 'refused'],
    ['Mastra', 'a person is asked', '**runs** unasked'],
  ])
})

test('a row that the page lacks is found, in each column', () => {
  const without = page.replace(`${rowOf('redirect')}\n`, '')
  expect(differencesOf(without, results).map(({ column }) => column)).toEqual(Object.values(columns))
})

test('a cell has at most twelve words', () => {
  const long = Object.values(results.cells)
    .flatMap((row) => Object.values(row))
    .filter((cell) => cell.split(' ').length > 12)
  expect(long).toEqual([])
})

test('the size and the CPU are those of the README', () => {
  const readme = read('../README.md')
  const size = Number(/it is (\d+) kB for a program/.exec(readme)?.[1])
  const cpu = /take (\d\.\d+) times the CPU of a loop/.exec(readme)?.[1]
  const ours = Number(/\| a program with one tool, minified, gzip \| (\d+) kB \|/.exec(page)?.[1])
  expect(Math.abs(ours - size)).toBeLessThanOrEqual(3)
  expect(page).toContain(`hand-written loop: 1.00) | ${cpu} |`)
})

test('the installed size is that of the page of sizes', () => {
  const sizes = read('../docs/reference/sizes.md')
  const [, megabytes, packages] = /\| `@capstan\/core` \| [\d.]+ \| ([\d.]+) \| (\d+) \|/.exec(sizes) ?? []
  expect(page).toContain(`| installed, with zod | ${megabytes} MB, ${packages} packages |`)
})

const peers = Object.keys(columns).sort()

/** The row of a case on the page. */
function rowOf(id: string): string {
  const name = cases.find((one) => one.id === id)?.row ?? id
  return page.split('\n').find((line) => line.startsWith(`| ${name} |`)) ?? ''
}
