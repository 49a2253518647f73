import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { allCases } from './cases/all-cases.js'
import { lostThroughOpenai } from './lost-through-openai.js'

test('every case has an id of its own', () => {
  const ids = allCases.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.filter((id) => !/^[a-z]\d\d$/.test(id))).toEqual([])
})

test('every case has a title of its own, evidence, and something to expect', () => {
  const titles = allCases.map(({ area, title }) => `${area}: ${title}`)
  expect(new Set(titles).size).toBe(titles.length)
  expect(allCases.filter(({ evidence, expect: one }) => evidence.length === 0 || one.length === 0)).toEqual(
    [],
  )
})

test('only cases there are can be lost through the openai client', () => {
  const ids = allCases.map(({ id }) => id)
  expect(Object.keys(lostThroughOpenai).filter((id) => !ids.includes(id))).toEqual([])
})

test('the page has the number of cases of each area', () => {
  const page = readFileSync(new URL('../../docs/reference/conformance.md', import.meta.url), 'utf8')
  const areas = [...new Set(allCases.map(({ area }) => area))]
  const count = (level: string, area?: string) =>
    allCases.filter((one) => one.level === level && (area === undefined || one.area === area)).length
  const rows = areas.map((area) => `| ${area} | ${count('must', area)} | ${count('should', area)} |`)
  for (const row of rows) expect(page).toContain(row)
  expect(page).toContain(`| all ${allCases.length} | ${count('must')} | ${count('should')} |`)
})
