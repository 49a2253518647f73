import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { testInAllWays } from '../variations.js'
import { messagesCases } from './cases/all-cases.js'
import { messagesClient } from './messages-client.js'

test('every case has an id and a title of its own, evidence, and something to expect', () => {
  const ids = messagesCases.map(({ id }) => id)
  expect(ids.filter((id, n) => !/^[mn]\d\d$/.test(id) || ids.indexOf(id) !== n)).toEqual([])
  const titles = messagesCases.map(({ area, title }) => `${area}: ${title}`)
  expect(new Set(titles).size).toBe(titles.length)
  expect(messagesCases.filter(({ evidence, expect: one }) => evidence.length * one.length === 0)).toEqual([])
  expect(ids.length).toBeGreaterThanOrEqual(80)
})

testInAllWays(messagesCases, messagesClient, extend)

test('the page has the number of cases of each area', () => {
  const page = readFileSync(new URL('../../../docs/reference/conformance.md', import.meta.url), 'utf8')
  const areas = [...new Set(messagesCases.map(({ area }) => area))]
  const count = (level: string, area?: string) =>
    messagesCases.filter((one) => one.level === level && (area === undefined || one.area === area)).length
  for (const area of areas)
    expect(page).toContain(`| ${area} | ${count('must', area)} | ${count('should', area)} |`)
  expect(page).toContain(`| all ${messagesCases.length} | ${count('must')} | ${count('should')} |`)
})

/** Objects that are the model's own, or a server's opaque values. */
const closed = ['input', 'arguments', 'citations', 'content', 'caller']

/** Adds a field to each object that is part of the interface. */
function extend(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).map(([name, inner]) => [
    name,
    closed.includes(name) ? inner : extend(inner),
  ])
  return { ...Object.fromEntries(entries), further_field: { value: 1 } }
}
