import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { slowTest } from '../../../../scripts/slow-test.mjs'
import { everydayNouns, otherNouns } from '../../test/everyday.js'
import { paintPrompt } from '../paint-prompt.js'
import { seededRandom } from '../random.js'
import { bodyNouns, drawnNouns } from './drawn-nouns.js'
import { isLibraryInstalled } from './library.js'

test('the library is installed with the repository', () => {
  expect(isLibraryInstalled()).toBe(true)
})

test('every noun of the library has a drawing', () => {
  const without = [...drawnNouns, ...bodyNouns].filter(({ parts }) => parts(seededRandom(1)).length === 0)
  expect(without.map(({ words }) => words[0])).toEqual([])
})

test('every name belongs to one noun', () => {
  const names = [...drawnNouns, ...bodyNouns].flatMap(({ words }) => words)
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})

test('a drawing stands on the ground and is as high and wide as its noun says', () => {
  for (const noun of drawnNouns) {
    const boxes = noun.parts(seededRandom(1)).map(({ form }) => form.box)
    expect(Math.max(...boxes.map(([, , , top]) => top)), noun.words[0]).toBeLessThan(1.02)
    expect(Math.min(...boxes.map(([, bottom]) => bottom)), noun.words[0]).toBeGreaterThan(-0.06)
    const half = Math.max(...boxes.map(([left, , right]) => Math.max(-left, right)))
    expect(half, noun.words[0]).toBeLessThan(noun.width * 0.62)
  }
})

test('each of the everyday nouns is understood', () => {
  const nouns = Object.values(everydayNouns).flatMap((names) => names.split(', '))
  expect(nouns.filter((noun) => !isUnderstood(noun))).toEqual([])
})

slowTest('of the nouns of another reader as many are understood as the page says', () => {
  const nouns = otherNouns.split(', ')
  const page = readFileSync(new URL('../../../../docs/local-service/painting.md', import.meta.url), 'utf8')
  const [, all, known] = /Of (\d+) other nouns.*?, and (\d+) are now/.exec(page) ?? []
  expect([nouns.length, nouns.filter(isUnderstood).length]).toEqual([Number(all), Number(known)])
})

function isUnderstood(noun: string): boolean {
  return paintPrompt({ prompt: `a ${noun}`, width: 16, height: 16 }).understood.join() === noun
}
