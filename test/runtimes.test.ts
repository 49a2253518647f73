import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { declaredRanges, elsewhere, groups } from '../scripts/check-peers.mjs'
import { runtimes } from '../scripts/check-runtimes.mjs'
import { cells } from './runtimes/cells.js'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

test('the table has all runtimes, and all that is tried in them', () => {
  const lines = read('docs/reference/runtimes.md').match(/^\|.*\|$/gm) ?? []
  const [head = [], , ...rows] = lines.map((line) => line.slice(2, -2).split(' | '))
  expect(head.slice(1)).toEqual(Object.keys(cells))
  expect(rows.map(([name]) => name)).toEqual(Object.keys(runtimes))
  expect(rows.flatMap((row) => row.slice(1)).filter((outcome) => !/^(yes|no)$/.test(outcome))).toEqual([])
})

test('each peer with a range is used at both ends of it', () => {
  const used = groups.flatMap((group) => Object.values(group).flat())
  expect(Object.keys(declaredRanges()).filter((name) => ![...used, ...elsewhere].includes(name))).toEqual([])
  for (const program of groups.flatMap(Object.keys))
    expect(existsSync(new URL(`peers/${program}`, import.meta.url)), program).toBe(true)
})

test('the long proofs make the table, and use the peers', () => {
  expect(read('.ci/long')).toMatch(/check-runtimes\.mjs[\s\S]*check-peers\.mjs/)
})
