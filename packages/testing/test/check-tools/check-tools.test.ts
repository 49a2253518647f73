import { describe, expect, test } from 'vitest'
import { checkTools, toolRules } from '../../src/check-tools/check-tools.js'
import { goodTools } from './good-tools.js'
import { plantedFaults } from './planted-faults.js'

describe('finds a planted fault at its place, and nothing else', () => {
  test.each(plantedFaults)('%s', (_what, tools, expected) => {
    const { findings } = checkTools(tools)
    const found = findings.map(({ rule, path }) => (path === undefined ? rule : `${rule} at ${path}`))
    expect(found.toSorted()).toEqual(expected.toSorted())
  })
})

test('every rule has a planted fault', () => {
  const planted = plantedFaults.flatMap(([, , expected]) => expected.map((one) => one.split(' ')[0]))
  expect(toolRules.map(({ name }) => name).filter((name) => !planted.includes(name))).toEqual([])
})

describe('finds nothing in a good tool', () => {
  test.each(goodTools.map((tool) => [tool.name, tool] as const))('%s', (_name, tool) => {
    expect(checkTools([tool]).findings).toEqual([])
  })

  test('finds only their number in all of them together', () => {
    const { findings, ok, tokens } = checkTools(goodTools)
    expect(findings.map(({ rule }) => rule)).toEqual(['many-tools'])
    expect(ok).toBe(true)
    expect(tokens).toBeGreaterThan(1000)
  })

  test('there are at least thirty', () => {
    expect(goodTools.length).toBeGreaterThanOrEqual(30)
  })
})
