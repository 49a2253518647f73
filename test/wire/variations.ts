import { beforeAll, describe, expect, test } from 'vitest'
import { isLong } from '../../scripts/cases.mjs'
import { splitEvery, type WireAnswer } from './answer.js'
import { examineAll, unhurried, type Verdict } from './client-side.js'
import type { WireCase } from './wire-case.js'
import type { WireClient } from './wire-client.js'

/** Adds fields to a JSON body or event, where its protocol may have further ones. */
export type Extend = (json: unknown) => unknown

/**
 * Tests a client with each case as it is written, and with the same answers sent in other ways, from which it has to make
 * the same: each case in each way with CAPSTAN_LONG=1, else every second case in one of them.
 */
export function testInAllWays(cases: readonly WireCase[], client: WireClient, extend: Extend): void {
  const ways = waysOf(extend)
  describe.each([
    { name: 'as written', cases },
    ...ways.map(({ name, vary }, nth) => ({
      name,
      cases: cases
        .filter((_, at) => isLong || at % (2 * ways.length) === 2 * nth)
        .map((one) => varied(one, vary)),
    })),
  ])('$name', ({ cases }) => {
    let verdicts: ReadonlyMap<string, Promise<Verdict>>
    beforeAll(() => {
      const started = examineAll(unhurried(cases), client, 3)
      verdicts = new Map(cases.map(({ id }, n) => [id, started[n] as Promise<Verdict>]))
    })

    const named = cases.map(({ id, title }) => [`${id} ${title}`, id] as const)
    test.each(named)('%s', { timeout: 60_000 }, async (_name, id) => {
      const { faults } = (await verdicts.get(id)) ?? { faults: ['was not run'] }
      expect(faults).toEqual([])
    })
  })
}

/** A way to write the same answer. */
interface Way {
  readonly name: string
  vary(answer: WireAnswer): WireAnswer
}

function waysOf(extend: Extend): readonly Way[] {
  return [
    { name: 'byte by byte', vary: (answer) => splitEvery(hasManyBytes(answer) ? 101 : 1, answer) },
    { name: 'with CRLF', vary: inStream((text) => text.replace(/\r?\n/g, '\r\n')) },
    {
      name: 'with comments between the events',
      vary: inStream((text) => text.replace(/^(?=event:|data:)/gm, ': still here\n')),
    },
    { name: 'with further fields', vary: inText((text) => withFurtherFields(text, extend)) },
  ]
}

/** The same case, its answers written in another way, and run once: the waits of retries say nothing about bytes. */
function varied(wireCase: WireCase, vary: Way['vary']): WireCase {
  const { answers, next, retries } = wireCase
  return { ...wireCase, answers: answers.map(vary), next: next.map(vary), retries: retries.slice(0, 1) }
}

/** Whether so many single bytes would take seconds. */
function hasManyBytes({ writes }: WireAnswer): boolean {
  return writes.reduce((sum, { bytes, times = 1 }) => sum + bytes.length * times, 0) > 10_000
}

type Rewrite = (text: string) => string

function inStream(rewrite: Rewrite): Way['vary'] {
  return inText((text) => (/^\s*(event|data|:)/.test(text) ? rewrite(text) : text))
}

/** Bytes that are no text are as they were. */
function inText(rewrite: Rewrite): Way['vary'] {
  return (answer) => {
    if (answer.writes.some(({ bytes, times = 1 }) => typeof bytes !== 'string' || times > 1)) return answer
    const text = answer.writes.map(({ bytes }) => bytes).join('')
    return { ...answer, writes: [{ bytes: rewrite(text) }] }
  }
}

function withFurtherFields(text: string, extend: Extend): string {
  const write = (json: string) => {
    try {
      return JSON.stringify(extend(JSON.parse(json)))
    } catch {
      return json
    }
  }
  if (text.trimStart().startsWith('{')) return write(text)
  return text.replace(/^(data: ?)(\{.*\})(\r?)$/gm, (_all, field, json, end) => field + write(json) + end)
}
