import { expect } from 'vitest'
import { cpuTime } from './cpu-time.js'

/**
 * Four times the input may cost this many times the time: halfway between 4 times and the 16 times of work that grows with
 * the square. More input than the caches of the processor hold costs 6 times.
 */
const most = 8

/** What less work takes is noise, in milliseconds. */
const least = 0.25

/**
 * Rounds at most: the least time of each size counts, and the first one translates the code. Beside other work, most
 * rounds take longer than they must.
 */
const rounds = 40

/** Prepares work on `n` items. */
type Make = (n: number) => (() => unknown) | Promise<() => unknown>

/**
 * Expects that work grows with its input: `make` prepares it for `n` and for `4 * n` items. The processor time of this
 * process is measured, so what other processes do counts little. Where the greater input no longer fits into a cache,
 * of the processor or of Node, work costs more once; what grows with the square does so again for `16 * n`.
 */
export async function expectLinear(make: Make, n: number): Promise<void> {
  const { ratio, costs } = await compare(make, n)
  if (ratio <= most) return
  const next = await compare(make, 4 * n)
  expect(next.ratio, `${costs}; ${next.costs}`).toBeLessThanOrEqual(most)
}

async function compare(make: Make, n: number): Promise<{ readonly ratio: number; readonly costs: string }> {
  const [few, many] = [await make(n), await make(4 * n)]
  let [little, much] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < rounds; round++) {
    // First the greater one: its first round pays for the translation.
    much = Math.min(much, await cpuTime(many))
    little = Math.min(little, await cpuTime(few))
    if (much <= most * Math.max(little, least)) break
  }
  return { ratio: much / Math.max(little, least), costs: `${much} ms of ${4 * n}, ${little} ms of ${n}` }
}
