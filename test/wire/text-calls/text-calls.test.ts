import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { readTextCalls } from '../../../packages/core/src/features/text-calls/scan-calls.js'
import { cases, isLong, some } from '../../../scripts/cases.mjs'
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
  expect(page).toContain(`${negativeCases.length} replies that contain a call`)
  expect(page).toContain(`${notations.length} notations`)
})

// Whole replies and reports differ in how a reply is read and told, not in the notation: `npm test` tries three of ten
// cases, each in one of the ways, `.ci/long` all in all. `npm run conformance` runs every case in every way.
const inTurn = (turns: readonly number[], from = positiveCases) =>
  from.filter((_, index) => isLong || turns.includes(index % 10))
const ways: readonly {
  readonly mode: Mode
  readonly streamed: boolean
  readonly cases: readonly TextCase[]
}[] = [
  { mode: 'run', streamed: true, cases: [...inTurn([0]), ...inTurn([0, 3, 6], negativeCases)] },
  { mode: 'run', streamed: false, cases: inTurn([6]) },
  { mode: 'report', streamed: true, cases: inTurn([9]) },
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

test('words in a sentence, or on both sides of calls, make the text words', () => {
  const silent = positiveCases.filter((one) => one.shown === undefined && one.words === undefined)
  fc.assert(
    fc.property(fc.constantFrom(...silent), words, between, places, ({ text }, added, space, place) => {
      const sentence = place === 'front' ? `Note that ${text.trim()}` : `${text.trim()} and so on`
      expect(readTextCalls(sentence, definitions)).toBeUndefined()
      expect(readTextCalls(added + space + text + space + added, definitions)).toBeUndefined()
    }),
    { numRuns: cases(1000, 50) },
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
    { numRuns: cases(500, 30) },
  )
})

test('pages and programs that show calls are words, wherever they end', () => {
  const root = new URL('../../../', import.meta.url)
  const folders = ['docs/', 'packages/core/src/features/text-calls/', 'test/wire/text-calls/']
  const files = folders.flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(md|ts)$/.test(file) && !file.includes('node_modules'))
      .map((file) => folder + file),
  )
  const showing = files
    .map((file) => readFileSync(new URL(file, root), 'utf8'))
    .filter((text) => /<tool_call>|\[TOOL_CALLS\]|<\|/.test(text))
  expect(showing.length).toBeGreaterThan(8)
  for (const text of some(showing)) {
    const paragraphs = text.split(/\n{2,}/)
    for (const end of paragraphs.keys()) {
      const part = paragraphs.slice(Math.max(0, end - 5), end + 1).join('\n\n')
      expect(readTextCalls(part, definitions), part.slice(-200)).toBeUndefined()
    }
  }
})
