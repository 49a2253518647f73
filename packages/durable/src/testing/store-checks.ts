import { isCapstanError } from '@capstan/core'
import { canonicalJson, noUsage } from '@capstan/core/internal'
import type { Check } from '@capstan/testing'
import type { RunRecord, RunStateStore } from '../local/run-store.js'

/**
 * Returns the checks for a `RunStateStore`, for any test runner: `for (const { name, run } of
 * runStateStoreChecks(makeStore)) test(name, run)`. Each check calls `makeStore` once and needs an empty store.
 */
export function runStateStoreChecks(
  makeStore: () => RunStateStore | Promise<RunStateStore>,
): readonly Check[] {
  return Object.entries(checks).map(([name, holds]) => ({ name, run: async () => holds(await makeStore()) }))
}

const checks: Readonly<Record<string, (store: RunStateStore) => Promise<void>>> = {
  'returns undefined for an unknown run': async (store) => {
    expectSame(await store.load('r'), undefined, 'load')
    expectSame(await store.list(), [], 'list')
    await store.delete('r')
  },

  'loads a run as saved, with its version': async (store) => {
    const first = sample('first')
    const version = await store.save('r', first, 0)
    expectSame(await store.load('r'), { run: first, version }, 'load')
    const next = await store.save('r', sample('second'), version)
    if (next === version) throw new Error('save should return a new version, but returned the old one')
    expectSame(await store.load('r'), { run: sample('second'), version: next }, 'load')
    expectSame(await store.list(), ['r'], 'list')
  },

  'changing a run that was given or loaded does not change the stored one': async (store) => {
    const given = sample('first')
    const version = await store.save('r', given, 0)
    Object.assign(given, { phase: 'failed' })
    Object.assign((await store.load('r'))?.run ?? {}, { phase: 'failed' })
    expectSame(await store.load('r'), { run: sample('first'), version }, 'load')
  },

  'rejects a save with a different version and changes nothing': async (store) => {
    const version = await store.save('r', sample('first'), 0)
    const newest = await store.save('r', sample('second'), version)
    for (const wrong of [0, version, newest + 1])
      await expectError(store.save('r', sample('wrong'), wrong), 'conflict')
    await expectError(store.save('other', sample('wrong'), 1), 'conflict')
    expectSame(await store.load('r'), { run: sample('second'), version: newest }, 'load')
    expectSame(await store.load('other'), undefined, 'load')
  },

  'exactly one of ten concurrent saves succeeds': async (store) => {
    let version = 0
    for (let round = 0; round < 10; round++) {
      const runs = Array.from({ length: 10 }, (_, at) => sample(`${round} ${at}`))
      const saves = runs.map((run) => store.save('r', run, version))
      const outcomes = await Promise.allSettled(saves)
      const winners = outcomes.flatMap((one, at) =>
        one.status === 'fulfilled' ? [{ at, version: one.value }] : [],
      )
      expectSame(winners.length, 1, 'how many went on')
      for (const [at, save] of saves.entries()) if (at !== winners[0]?.at) await expectError(save, 'conflict')
      version = winners[0]?.version ?? 0
      expectSame(await store.load('r'), { run: runs[winners[0]?.at ?? 0], version }, 'load')
    }
  },

  'a deleted run is gone and can be saved again': async (store) => {
    const version = await store.save('r', sample('first'), 0)
    await store.save('other', sample('other'), 0)
    await store.delete('r')
    expectSame(await store.load('r'), undefined, 'load')
    expectSame(await store.list(), ['other'], 'list')
    await expectError(store.save('r', sample('late'), version), 'conflict')
    await store.save('r', sample('again'), 0)
    expectSame((await store.load('r'))?.run, sample('again'), 'load')
  },

  'separates similar ids and rejects invalid ones': async (store) => {
    const ids = [
      'a',
      'A',
      'a/b',
      'a-b',
      '../a',
      '..',
      '.',
      'a.1',
      '__proto__',
      '\u00e9',
      'e\u0301',
      '\u{1f600}',
      ' ',
      'x'.repeat(300),
    ]
    for (const id of ids) await store.save(id, sample(id), 0)
    for (const id of ids) expectSame((await store.load(id))?.run, sample(id), `the run "${id}"`)
    expectSame([...(await store.list())].sort(), [...ids].sort(), 'list')
    for (const id of ['', 'a\0b', '\ud800']) await expectError(store.load(id), 'invalid_request')
  },

  'loads a long run with any text unchanged': async (store) => {
    const run = sample(`\u2028"\\ \u{1f600} ${'long '.repeat(200_000)}`)
    await store.save('r', run, 0)
    expectSame((await store.load('r'))?.run, run, 'load')
  },
}

function sample(input: string): RunRecord {
  return {
    agent: 'agent',
    state: {
      schema: 1,
      runId: 'r',
      agent: 'agent',
      definitionHash: 'h',
      stepCount: 0,
      messages: [{ role: 'user', content: input }],
      results: {},
      pending: [],
      usage: noUsage,
      limits: {},
      flags: {},
      kept: {},
    },
    phase: 'running',
    digest: 'd',
    settings: { data: { nested: [1, null] } },
    decisions: {},
    attempts: 1,
    worker: 'w',
  }
}

function expectSame(seen: unknown, wanted: unknown, what: string): void {
  const [is, should] = [seen, wanted].map((one) => (one === undefined ? 'undefined' : canonicalJson(one)))
  if (is !== should) throw new Error(`${what}: expected ${should?.slice(0, 300)}, got ${is?.slice(0, 300)}`)
}

async function expectError(work: Promise<unknown>, code: string): Promise<void> {
  const outcome = await work.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (isCapstanError(outcome) && outcome.code === code) return
  throw new Error(`expected a CapstanError with the code "${code}", got ${outcome}`)
}
