import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { readTextCalls } from '../../../packages/core/src/features/text-calls/scan-calls.js'
import { cases, isLong } from '../../../scripts/cases.mjs'
import { chatClient } from '../chat-client.js'
import type { ToolShape } from '../tool-shapes.js'
import { negativeCases } from './negative-cases.js'
import { notations } from './notations.js'
import { offeredTools, positiveCases } from './positive-cases.js'
import { type Mode, runTextCases, type TextVerdict } from './run-text-case.js'
import type { TextCase } from './text-case.js'

const page = readFileSync(new URL('../../../docs/reference/conformance.md', import.meta.url), 'utf8')

test('every case has an id and a text of its own, and evidence', () => {
  const all = [...positiveCases, ...negativeCases]
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
  const contents = all.map(({ text, question, toolResult, reasoning }) =>
    JSON.stringify([text, question, toolResult, reasoning]),
  )
  expect(new Set(contents).size).toBe(all.length)
  expect(all.filter(({ evidence }) => evidence === '')).toEqual([])
})

test('the page has the number of cases', () => {
  expect(page).toContain(`${positiveCases.length} replies that are calls`)
  expect(page).toContain(`${negativeCases.length} texts`)
  expect(page).toContain(`${notations.length} notations`)
})

// Whole replies and reports differ in how a reply is read and told, not in the notation: `npm test` tries each case in
// one of the ways, most of them in a stream, `.ci/long` in all. `npm run conformance` runs every case in every way.
const inTurn = (turns: readonly number[]) =>
  positiveCases.filter((_, index) => isLong || turns.includes(index % 5))
const ways: readonly {
  readonly mode: Mode
  readonly streamed: boolean
  readonly cases: readonly TextCase[]
}[] = [
  { mode: 'run', streamed: true, cases: [...inTurn([0, 1, 2]), ...negativeCases] },
  { mode: 'run', streamed: false, cases: inTurn([3]) },
  { mode: 'report', streamed: true, cases: inTurn([4]) },
]

describe.each(ways)('$mode, streamed: $streamed', ({ mode, streamed, cases }) => {
  let verdicts: ReadonlyMap<string, TextVerdict>
  beforeAll(async () => {
    const found = await runTextCases(cases, chatClient, [{ mode, streamed }])
    verdicts = new Map(found.map((one) => [one.textCase.id, one]))
  }, 120_000)

  test.each(cases.map(({ id }) => [id]))('%s', (id) => {
    expect(verdicts.get(id)?.faults).toEqual([])
  })
})

const definitions = offeredTools.map((shape: ToolShape) => ({ type: 'function' as const, function: shape }))
const words = fc.constantFrom(
  'Sure.',
  'Here is the call:',
  'Note that',
  'It is done',
  'the',
  'e.g.',
  'Ja,',
  '好的',
)
const between = fc.constantFrom(' ', '\n', '\n\n')
const places = fc.constantFrom('front', 'behind')

test('no text with words outside of its calls is read as calls', () => {
  const silent = positiveCases.filter(({ shown }) => shown === undefined)
  fc.assert(
    fc.property(fc.constantFrom(...silent), words, between, places, ({ text }, added, space, place) => {
      const whole = place === 'front' ? added + space + text : text + space + added
      expect(readTextCalls(whole, definitions)).toBeUndefined()
    }),
    { numRuns: cases(1000) },
  )
})

test('no text with words between two calls is read as calls', () => {
  const calls = [
    { name: 'get_weather', arguments: { city: 'Oslo' } },
    { name: 'save_note', arguments: { title: 'Rain' } },
  ]
  fc.assert(
    fc.property(fc.constantFrom(...notations), words, between, ({ write }, added, space) => {
      const whole = calls.map((call) => write([call])).join(`${space}${added}${space}`)
      expect(readTextCalls(whole, definitions)).toBeUndefined()
    }),
    { numRuns: cases(500) },
  )
})
