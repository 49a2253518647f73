import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../../../../scripts/cases.mjs'
import { type Frame, planChunks } from './plan-chunks.js'

const limits = { maxBytes: 100_000, maxSeconds: 60, quietShare: 0.2 }

function frames(seconds: number, loudness: (at: number) => number | undefined): Frame[] {
  return Array.from({ length: Math.round(seconds / 0.05) }, (_, i) => ({
    seconds: 0.05,
    bytes: 50,
    loudness: loudness(i * 0.05),
  }))
}

const secondsOf = (some: readonly Frame[]) => some.reduce((sum, { seconds }) => sum + seconds, 0)

test('returns one chunk for a recording within the limits', () => {
  const short = frames(59, () => 0.5)
  expect(planChunks(short, limits)).toEqual([{ from: 0, to: short.length, overlaps: false }])
})

test('splits in the middle of pauses, into chunks of similar length', () => {
  // Half a second of silence after every ten seconds of speech.
  const all = frames(150, (at) => (at % 10.5 < 10 ? 0.5 : 0.001))
  const plan = planChunks(all, limits)
  expect(plan.map(({ overlaps }) => overlaps)).toEqual([false, false, false])
  const cuts = plan.slice(1).map(({ from }) => from * 0.05)
  for (const at of cuts) expect(at % 10.5).toBeCloseTo(10.25, 0)
  for (const { from, to } of plan) expect(secondsOf(all.slice(from, to))).toBeGreaterThan(30)
})

test('does not treat a gap of 0.1 seconds as a pause', () => {
  const plan = planChunks(
    frames(100, (at) => (at % 1 < 0.9 ? 0.5 : 0)),
    limits,
  )
  expect(plan[1]?.overlaps).toBe(true)
})

test.each([
  ['nothing is known of loudness', () => undefined],
  ['it is equally loud throughout', () => 0.5],
])('overlaps chunks by three seconds where %s', (_, loudness) => {
  const plan = planChunks(frames(100, loudness), limits)
  expect(plan).toHaveLength(2)
  const [first, second] = plan
  expect(second?.overlaps).toBe(true)
  expect(((first?.to ?? 0) - (second?.from ?? 0)) * 0.05).toBeCloseTo(3, 1)
})

const frame = fc.record({
  seconds: fc.oneof(fc.constant(0), fc.double({ min: 0.001, max: 0.07, noNaN: true })),
  bytes: fc.integer({ min: 1, max: 500 }),
  loudness: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
})

test('for any frames, covers each one, within the limits, and overlaps only where it says so', () => {
  fc.assert(
    fc.property(
      fc.array(frame, { minLength: 1, maxLength: 400 }),
      fc.integer({ min: 2000, max: 50_000 }),
      fc.double({ min: 0.3, max: 30, noNaN: true }),
      (all, maxBytes, maxSeconds) => {
        const plan = planChunks(all, { maxBytes, maxSeconds, quietShare: 0.2 })
        expect(plan[0]?.from).toBe(0)
        expect(plan.at(-1)?.to).toBe(all.length)
        for (const [i, { from, to, overlaps }] of plan.entries()) {
          const inside = all.slice(from, to)
          expect(to).toBeGreaterThan(from)
          expect(inside.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(maxBytes)
          expect(secondsOf(inside)).toBeLessThanOrEqual(maxSeconds + 1e-6)
          const before = plan[i - 1]
          if (!before) continue
          expect(from).toBeGreaterThan(before.from)
          expect(to).toBeGreaterThan(before.to)
          if (overlaps) expect(from).toBeLessThanOrEqual(before.to)
          else expect(from).toBe(before.to)
        }
      },
    ),
    { numRuns: cases(500) },
  )
})

test('ends without an empty chunk', () => {
  const bytes = [482, 464, 16, 277, 190, 482, 130, 409, 476, 136, 78, 461]
  const frames = bytes.map((size) => ({ seconds: size > 450 ? 0.001 : 0, bytes: size, loudness: undefined }))
  const plan = planChunks(frames, { maxBytes: 2000, maxSeconds: 0.3, quietShare: 0.2 })
  expect(plan.every(({ from, to }) => to > from)).toBe(true)
})
