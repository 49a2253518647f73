import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { isLong } from '../../../scripts/cases.mjs'
import { examineAll, type Verdict } from '../client-side.js'
import { allResponsesCases } from './cases/all-responses-cases.js'
import { responsesClient } from './responses-client.js'
import { variations, varied } from './variations.js'

test('every case has an id and a title of its own, evidence, and something to expect', () => {
  const ids = allResponsesCases.map(({ id }) => id)
  expect(ids.length).toBeGreaterThanOrEqual(80)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.filter((id) => !/^r[a-z]\d\d$/.test(id))).toEqual([])
  const titles = allResponsesCases.map(({ area, title }) => `${area}: ${title}`)
  expect(new Set(titles).size).toBe(titles.length)
  expect(allResponsesCases.filter(({ evidence, expect: one }) => evidence.length * one.length === 0)).toEqual(
    [],
  )
})

test('the page has the number of cases of each area', () => {
  const page = readFileSync(new URL('../../../docs/reference/conformance.md', import.meta.url), 'utf8')
  const count = (level: string, area?: string) =>
    allResponsesCases.filter((one) => one.level === level && (area === undefined || one.area === area)).length
  const areas = [...new Set(allResponsesCases.map(({ area }) => area))]
  const rows = areas.map((area) => `| ${area} | ${count('must', area)} | ${count('should', area)} |`)
  const all = `| all ${allResponsesCases.length} | ${count('must')} | ${count('should')} |`
  expect([...rows, all].filter((row) => !page.includes(row))).toEqual([])
})

const asWritten = { name: 'as written', cases: allResponsesCases }
describe.each([
  asWritten,
  // Each case in each variation with CAPSTAN_LONG=1, else in one of them.
  ...variations.map((variation, nth) => ({
    name: variation.name,
    cases: allResponsesCases
      .filter((_, at) => isLong || at % variations.length === nth)
      .map((one) => varied(one, variation)),
  })),
])('$name', ({ cases }) => {
  let verdicts: ReadonlyMap<string, Promise<Verdict>>
  beforeAll(() => {
    const started = examineAll(cases, responsesClient, 3)
    verdicts = new Map(cases.map(({ id }, n) => [id, started[n] as Promise<Verdict>]))
  })

  const named = cases.map(({ id, title }) => [`${id} ${title}`, id] as const)
  test.each(named)('%s', { timeout: 60_000 }, async (_name, id) => {
    const { faults } = (await verdicts.get(id)) ?? { faults: ['was not run'] }
    expect(faults).toEqual([])
  })
})
