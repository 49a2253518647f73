import { describe, expect, test } from 'vitest'
import { isLong, some } from '../../scripts/cases.mjs'
import { splitEvery, type WireAnswer } from './answer.js'
import { allCases } from './cases/all-cases.js'
import { chatClient } from './chat-client.js'
import { examineAll, unhurried } from './client-side.js'
import { otherProtocols } from './other-protocols.js'
import type { WireCase } from './wire-case.js'

const protocols = [
  { name: 'Chat', cases: allCases, own: chatClient },
  ...otherProtocols.map(({ name, cases, own }) => ({ name, cases, own })),
]

// Every client of ours throws when the pieces of a call are not what the model wrote, or not what ran.
describe.each(protocols)('$name', ({ cases, own }) => {
  const streamed = cases.filter(
    ({ streamed, answers: [first] }) => streamed && first && lengthOf(first) < 6000,
  )

  test('pieces of calls are what ran, in bytes by themselves', { timeout: 600_000 }, async () => {
    const cut = some(streamed, 12).map((one) => withAnswers(one, (answer) => splitEvery(1, answer)))
    expect(await faultsOf(cut)).toEqual([])
  })

  test('pieces of calls are what ran, cut in two at many bytes', { timeout: 3_600_000 }, async () => {
    const cut = some(streamed, 60).flatMap((one) => cutsOf(one, isLong ? 7 : 197))
    expect(cut.length).toBeGreaterThan(10)
    expect(await faultsOf(cut)).toEqual([])
  })

  async function faultsOf(cut: readonly WireCase[]): Promise<readonly string[]> {
    const verdicts = await Promise.all(examineAll(unhurried(cut), own))
    return verdicts.flatMap(({ wireCase, faults }) => faults.map((fault) => `${wireCase.id}: ${fault}`))
  }
})

/** Returns a case for each place, so many bytes apart, at which the first answer is cut in two. */
function cutsOf(one: WireCase, step: number): readonly WireCase[] {
  const [first] = one.answers
  const count = first ? Math.floor((lengthOf(first) - 1) / step) : 0
  return Array.from({ length: count }, (_, n) => withAnswers(one, (answer) => cutAt((n + 1) * step, answer)))
}

function cutAt(place: number, answer: WireAnswer): WireAnswer {
  const [all] = splitEvery(lengthOf(answer), answer).writes
  if (!all) return answer
  const bytes = all.bytes as Uint8Array
  return { ...answer, writes: [{ bytes: bytes.subarray(0, place) }, { bytes: bytes.subarray(place) }] }
}

function withAnswers(one: WireCase, change: (answer: WireAnswer) => WireAnswer): WireCase {
  return { ...one, answers: one.answers.map(change) }
}

function lengthOf({ writes }: WireAnswer): number {
  return writes.reduce((sum, { bytes, times = 1 }) => sum + times * Buffer.from(bytes).length, 0)
}
