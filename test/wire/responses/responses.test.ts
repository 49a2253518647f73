import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { testInAllWays } from '../variations.js'
import { allResponsesCases } from './cases/all-responses-cases.js'
import { responsesClient } from './responses-client.js'

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

testInAllWays(allResponsesCases, responsesClient, extend)

const further = { x_further: { list: [1, { deep: null }], text: 'more' } }

/** Adds fields to the event, the response and its items. */
function extend(json: unknown): unknown {
  const { response, item, output, ...event } = Object(json) as Readonly<Record<string, unknown>>
  const items = (list: unknown) => (Array.isArray(list) ? list.map((one) => ({ ...one, ...further })) : list)
  return {
    ...event,
    ...(response ? { response: extend(response) } : {}),
    ...(item ? { item: { ...item, ...further } } : {}),
    ...(output ? { output: items(output) } : {}),
    ...further,
  }
}
