import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { isLong } from '../../../scripts/cases.mjs'
import { examineAll, type Verdict } from '../client-side.js'
import { messagesCases } from './cases/all-cases.js'
import { messagesClient } from './messages-client.js'
import { variations, vary } from './variations.js'

test('every case has an id and a title of its own, evidence, and something to expect', () => {
  const ids = messagesCases.map(({ id }) => id)
  expect(ids.filter((id, n) => !/^[mn]\d\d$/.test(id) || ids.indexOf(id) !== n)).toEqual([])
  const titles = messagesCases.map(({ area, title }) => `${area}: ${title}`)
  expect(new Set(titles).size).toBe(titles.length)
  expect(messagesCases.filter(({ evidence, expect: one }) => evidence.length * one.length === 0)).toEqual([])
  expect(ids.length).toBeGreaterThanOrEqual(80)
})

describe.each(['as it is', ...variations] as const)('messagesModel, %s', (way) => {
  // Each case in each way with CAPSTAN_LONG=1, else in one of them.
  const isTried = (at: number) => isLong || at % variations.length === variations.indexOf(way as never)
  const cases =
    way === 'as it is'
      ? messagesCases
      : messagesCases.filter((_, at) => isTried(at)).map((one) => vary(one, way))
  let verdicts: ReadonlyMap<string, Promise<Verdict>>
  beforeAll(() => {
    const started = examineAll(cases, messagesClient, 3)
    verdicts = new Map(cases.map(({ id }, n) => [id, started[n] as Promise<Verdict>]))
  })

  const named = cases.map(({ id, title }) => [`${id} ${title}`, id] as const)
  test.each(named)('%s', { timeout: 60_000 }, async (_name, id) => {
    const { faults } = (await verdicts.get(id)) ?? { faults: ['was not run'] }
    expect(faults).toEqual([])
  })
})

test('the page has the number of cases of each area', () => {
  const page = readFileSync(new URL('../../../docs/reference/conformance.md', import.meta.url), 'utf8')
  const areas = [...new Set(messagesCases.map(({ area }) => area))]
  const count = (level: string, area?: string) =>
    messagesCases.filter((one) => one.level === level && (area === undefined || one.area === area)).length
  for (const area of areas)
    expect(page).toContain(`| ${area} | ${count('must', area)} | ${count('should', area)} |`)
  expect(page).toContain(`| all ${messagesCases.length} | ${count('must')} | ${count('should')} |`)
})
