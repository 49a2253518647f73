import { expect, test } from 'vitest'
import { toChunks } from './transcribe.js'

const second = 16_000

/** A loud tone with silences at the given seconds, each half a second long. */
function tone(seconds: number, silences: readonly number[] = []): Int16Array {
  return Int16Array.from({ length: seconds * second }, (_, at) =>
    silences.some((start) => at >= start * second && at < (start + 0.5) * second)
      ? 0
      : 9000 * Math.sin(at / 9),
  )
}

test('a sound of up to 15 s is one chunk', () => {
  expect(toChunks(tone(15))).toEqual([{ from: 0, to: 15 * second }])
})

test('cuts a longer sound in the middle of its silences', () => {
  const pieces = toChunks(tone(45, [12, 25, 35]))
  expect(pieces.map(({ to }) => Math.round((to / second) * 10) / 10)).toEqual([12.4, 25.4, 35.4, 45])
})

test('chunks have no gaps and at most 15 s, even without silence', () => {
  const pieces = toChunks(tone(50))
  expect(pieces.at(-1)?.to).toBe(50 * second)
  for (const [index, { from, to }] of pieces.entries()) {
    expect(from).toBe(pieces[index - 1]?.to ?? 0)
    expect(to - from).toBeLessThanOrEqual(15 * second)
  }
})

test('silence gives no text', () => {
  expect(toChunks(new Int16Array(20 * second))).toEqual([])
  expect(toChunks(new Int16Array())).toEqual([])
})
