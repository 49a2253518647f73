import { expectRejection, expectSame } from '../check.js'
import {
  type CheckedEntry,
  entryOf,
  eventsOf,
  expectSameText,
  type RunStoreChecks,
  raceOf,
  someTime,
  unusualValues,
} from './stored-run.js'

/** An entry in which every field is set. */
const completeEntry: CheckedEntry = {
  owner: 'ada',
  agent: 'helper',
  status: 'pending',
  callIds: ['call_1', 'call_2'],
  chat: 'chat 1',
  session: 'session 1',
  createdAt: someTime,
  updatedAt: someTime + 5,
  dueAt: someTime + 7,
  lease: { by: 'process 1', until: someTime + 15_000 },
  record: { state: { messages: [] }, decisions: {} },
}

/** Entries that stores must reject, each with one missing or invalid field. */
const invalidEntries: readonly Readonly<Record<string, unknown>>[] = [
  { owner: undefined },
  { owner: 7 },
  { agent: null },
  { status: 'done' },
  { callIds: 'call_1' },
  { callIds: [1] },
  { chat: null },
  { createdAt: Number.NaN },
  { updatedAt: '1' },
  { updatedAt: 1.5 },
  { dueAt: Number.POSITIVE_INFINITY },
  { lease: { by: 'process 1' } },
  { record: undefined },
  { record: 1n },
]

/** Checks that `get` and `put` work as required. */
export const entryChecks: RunStoreChecks = {
  'an unknown run has no entry and no events, and is not listed': async (store) => {
    expectSame(await store.get('r'), undefined, 'get')
    expectSame(await store.read('r', -1), [], 'read')
    expectSame(await store.list({ limit: 10 }), { runs: [] }, 'list')
  },

  'an entry is returned with exactly the fields that were stored': async (store) => {
    await store.put('complete', completeEntry, 0)
    await store.put('least', entryOf(), 0)
    expectSame(await store.get('complete'), { entry: completeEntry, version: 1 }, 'the complete entry')
    expectSame(
      await store.get('least'),
      { entry: entryOf(), version: 1 },
      'the entry without optional fields',
    )
    await store.put('complete', entryOf(), 1)
    expectSame(await store.get('complete'), { entry: entryOf(), version: 2 }, 'the entry, once replaced')
  },

  'a record is returned as JSON preserves it': async (store) => {
    let version = await store.put('r', entryOf({ record: [...unusualValues] }), 0)
    expectSameText((await store.get('r'))?.entry.record, unusualValues, 'the record')
    for (const record of unusualValues) {
      version = await store.put('r', entryOf({ record }), version)
      expectSameText((await store.get('r'))?.entry.record, record, 'the record')
    }
  },

  "an entry's strings are returned as JSON preserves them": async (store) => {
    for (const [at, text] of unusualValues.filter((value) => typeof value === 'string').entries()) {
      const fields = { owner: text, agent: text, callIds: [text], chat: text, session: text }
      const entry = entryOf({ ...fields, lease: { by: text, until: 1 } })
      await store.put(`run ${at}`, entry, 0)
      expectSameText((await store.get(`run ${at}`))?.entry.owner, text, 'the owner')
      expectSame(await store.get(`run ${at}`), { entry, version: 1 }, 'get')
    }
  },

  'an entry of 1 MB is returned': async (store) => {
    const entry = entryOf({ record: '0123456789abcdeé'.repeat(65_536) })
    await store.put('r', entry, 0)
    expectSame(await store.get('r'), { entry, version: 1 }, 'get')
  },

  "a run's version is the number of its puts, and appends do not change it": async (store) => {
    for (let version = 0; version < 5; version++) {
      const entry = entryOf({ record: version })
      expectSame(await store.put('r', entry, version), version + 1, 'the version that put returns')
      await store.append('r', eventsOf(1, version - 1), version - 1)
      expectSame(await store.get('r'), { entry, version: version + 1 }, 'get')
    }
    expectSame(await store.put('other', entryOf(), 0), 1, 'the version of another run')
    expectSame((await store.read('r', -1)).length, 5, 'the number of events')
  },

  'a put to a different version fails with conflict and changes nothing': async (store) => {
    await expectRejection(store.put('r', entryOf(), 1), 'conflict', 'version 1 of an unknown run')
    expectSame(await store.get('r'), undefined, 'get')
    await store.put('r', entryOf({ record: 'first' }), 0)
    await store.put('r', entryOf({ record: 'second' }), 1)
    for (const version of [0, 1, 3, 1000])
      await expectRejection(store.put('r', entryOf(), version), 'conflict', `version ${version} of 2`)
    expectSame(await store.get('r'), { entry: entryOf({ record: 'second' }), version: 2 }, 'get')
    const { runs } = await store.list({ limit: 10 })
    expectSame(runs, [{ runId: 'r', entry: entryOf({ record: 'second' }), version: 2 }], 'list')
  },

  'a put rejects an invalid version or entry and changes nothing': async (store) => {
    for (const version of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])
      await expectRejection(store.put('r', entryOf(), version), 'invalid_request', `version ${version}`)
    for (const fields of invalidEntries) {
      const entry = { ...entryOf(), ...fields }
      const what = `an entry with another ${Object.keys(fields)[0]}`
      await expectRejection(store.put('r', entry, 0), 'invalid_request', what)
    }
    expectSame(await store.get('r'), undefined, 'get')
  },

  'changing an entry that was given or returned does not change the stored one': async (store) => {
    const given = { ...entryOf(), callIds: ['call_1'], record: { list: ['as it was'] } }
    const wanted = structuredClone(given)
    const putting = store.put('r', given, 0)
    given.callIds.push('call_2')
    given.record.list[0] = 'changed after put'
    await putting
    for (let round = 0; round < 2; round++) {
      const found = await store.get('r')
      expectSame(found, { entry: wanted, version: 1 }, 'get')
      const [listed] = (await store.list({ callId: 'call_1', limit: 1 })).runs
      expectSame(listed, { runId: 'r', entry: wanted, version: 1 }, 'list')
      for (const one of [found, listed])
        Object.assign(one?.entry ?? {}, { owner: 'changed', callIds: [], record: { list: [] } })
    }
  },

  'exactly one of twenty concurrent puts to the same version succeeds': async (store) => {
    for (let version = 0; version < 4; version++) {
      const entries = Array.from({ length: 20 }, (_, at) => entryOf({ record: `${version} by ${at}` }))
      const winner = await raceOf(
        entries.map((entry) => store.put('r', entry, version)),
        'put',
      )
      expectSame(await store.get('r'), { entry: entries[winner], version: version + 1 }, 'get')
    }
  },

  'puts that are retried after a conflict are all stored': async (store) => {
    const add = async () => {
      for (let left = 60; ; left--) {
        const { entry, version } = (await store.get('r')) ?? { entry: entryOf({ record: 0 }), version: 0 }
        const putting = store.put('r', entryOf({ record: Number(entry.record) + 1 }), version)
        const failure: unknown = await putting.then(() => undefined).catch((error: unknown) => error)
        if (failure === undefined) return
        if (left === 0) throw failure
        await expectRejection(Promise.reject(failure), 'conflict', 'a put that lost')
      }
    }
    await Promise.all(Array.from({ length: 8 }, add))
    expectSame(await store.get('r'), { entry: entryOf({ record: 8 }), version: 8 }, 'get')
  },

  '50 concurrent runs are kept apart': async (store) => {
    const ids = Array.from({ length: 50 }, (_, at) => `run ${at}`)
    const fill = async (id: string) => {
      for (let at = 0; at < 3; at++) {
        await store.put(id, entryOf({ owner: id, record: at }), at)
        await store.append(id, eventsOf(2, 2 * at - 1, id), 2 * at - 1)
      }
    }
    await Promise.all(ids.map(fill))
    for (const id of ids) {
      expectSame(await store.get(id), { entry: entryOf({ owner: id, record: 2 }), version: 3 }, 'get')
      const { runs } = await store.list({ owner: id, limit: 10 })
      expectSame(runs.length, 1, 'the number of runs of an owner')
      expectSame((await store.read(id, -1)).length, 6, 'the number of events')
    }
  },
}
