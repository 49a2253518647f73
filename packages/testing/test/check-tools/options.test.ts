import { tool } from '@capstan/core'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { checkTools, toReportText } from '../../src/check-tools/check-tools.js'

const play = tool({
  name: 'play_song',
  description: 'Plays a song on a speaker in the house.',
  parameters: z.object({ title: z.string(), loud: z.boolean().default(true).describe('At full volume') }),
  execute: () => 'playing',
})
const stop = tool({ name: 'stop_song', description: ' ', parameters: z.object({}), execute: () => 'quiet' })

test('sorts errors first, then by tool; warnings and hints are ok', () => {
  const { findings, ok } = checkTools([play, stop])
  expect(findings.map(({ level, tool, rule }) => [level, tool, rule])).toEqual([
    ['error', 'stop_song', 'missing-description'],
    ['warning', 'play_song', 'undescribed-parameter'],
    ['info', 'play_song', 'default-true'],
  ])
  expect(ok).toBe(false)
  expect(checkTools([play]).ok).toBe(true)
})

test('deferred tools are checked, and are no part of the list', () => {
  const many = Array.from({ length: 150 }, (_, at) =>
    tool({
      name: `song_${at}`,
      description: `Plays song number ${at} on a speaker in the house.`,
      parameters: z.object({ speaker: z.string().describe('Name of the speaker, such as "kitchen"') }),
      execute: () => 'playing',
    }),
  )
  const deferred = [...many.map(({ name }) => name), 'stop_song']
  const report = checkTools([play, stop, ...many], { deferred })
  expect(report.tokens).toBe(checkTools([play]).tokens)
  const rules = report.findings.map(({ rule }) => rule)
  expect(rules).toContain('missing-description')
  expect(rules).not.toContain('many-tools')
  expect(checkTools([...many, play], { deferred, maxTokens: 1 }).findings).toContainEqual(
    expect.objectContaining({ rule: 'costly-list', message: expect.stringContaining('play_song') }),
  )
})

test('off skips a rule by its name', () => {
  const { findings } = checkTools([play], { off: ['default-true'] })
  expect(findings.map(({ rule }) => rule)).toEqual(['undescribed-parameter'])
})

test('an unknown rule is rejected, with the names of all rules', () => {
  const refused = expect.objectContaining({
    code: 'invalid_request',
    message: expect.stringMatching(/There is no rule "default-treu".*default-true/),
  })
  expect(() => checkTools([], { off: ['default-treu'] })).toThrow(refused)
})

test('warningsAsErrors raises warnings, never hints', () => {
  const { findings, ok } = checkTools([play], { warningsAsErrors: true })
  expect(findings.map(({ level }) => level)).toEqual(['error', 'info'])
  expect(ok).toBe(false)
})

test('exceeding maxTokens is an error', () => {
  const { tokens } = checkTools([play])
  expect(checkTools([play], { maxTokens: tokens }).ok).toBe(true)
  const { findings, ok } = checkTools([play], { maxTokens: tokens - 1 })
  expect(findings[0]).toMatchObject({ level: 'error', rule: 'costly-list' })
  expect(findings[0]?.message).toContain('play_song')
  expect(ok).toBe(false)
})

test('accepts the former name of a rule', () => {
  const page = tool({
    name: 'read_page',
    description: 'Fetches a web page and returns its text.',
    parameters: z.object({ url: z.url().describe('With https://') }),
    execute: () => 'done',
  })
  const rules = (off: readonly string[]) => checkTools([page], { off }).findings.map(({ rule }) => rule)
  expect(rules([])).toEqual(['untrusted-output'])
  expect(rules(['untrusted-output'])).toEqual([])
})

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('maxTokens %s is rejected', (maxTokens) => {
  expect(() => checkTools([], { maxTokens })).toThrow(/maxTokens/)
})

test('a report is readable in a terminal', async () => {
  await expect(`${toReportText(checkTools([play, stop]))}\n`).toMatchFileSnapshot('report.txt')
})
