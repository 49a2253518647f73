import { expectRejection, expectSame } from '../check.js'
import {
  type CheckedRunStore,
  entryOf,
  eventsOf,
  expectSameText,
  type RunStoreChecks,
  raceOf,
  unusualValues,
} from './stored-run.js'

/** Checks that `append` and `read` work as required. */
export const eventChecks: RunStoreChecks = {
  'events are returned in order, starting after any event': async (store) => {
    await store.put('r', entryOf(), 0)
    let count = 0
    for (const more of [1, 2, 64, 1, 12]) {
      await store.append('r', eventsOf(more, count - 1), count - 1)
      count += more
    }
    const all = [1, 2, 64, 1, 12].flatMap((more, at, list) =>
      eventsOf(more, list.slice(0, at).reduce((sum, one) => sum + one, 0) - 1),
    )
    for (const afterSeq of [-1, 0, 2, 41, count - 2, count - 1, count, 5000])
      expectSame(await store.read('r', afterSeq), all.slice(afterSeq + 1), `the events after ${afterSeq}`)
  },

  'read returns at most `limit` events, 1,000 by default': async (store) => {
    await store.put('r', entryOf(), 0)
    for (let at = 0; at < 1200; at += 200) await store.append('r', eventsOf(200, at - 1), at - 1)
    const seqs = async (afterSeq: number, limit?: number) =>
      (await store.read('r', afterSeq, limit)).map(({ seq }) => seq)
    const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at)
    expectSame(await seqs(-1), range(0, 1000), 'the first events')
    expectSame(await seqs(999), range(1000, 1200), 'the next events')
    expectSame(await seqs(-1, 1), [0], 'the first event')
    expectSame(await seqs(6, 3), [7, 8, 9], 'three events')
    expectSame(await seqs(1197, 3), [1198, 1199], 'the last events')
    expectSame(await seqs(99, 1000), range(100, 1100), 'a thousand events')
  },

  'read rejects an invalid `afterSeq` or `limit`': async (store) => {
    await store.put('r', entryOf(), 0)
    for (const limit of [0, -1, 1.5, 1001, Number.NaN, Number.POSITIVE_INFINITY])
      await expectRejection(store.read('r', -1, limit), 'invalid_request', `a limit of ${limit}`)
    for (const afterSeq of [-2, 0.5, Number.NaN])
      await expectRejection(store.read('r', afterSeq), 'invalid_request', `afterSeq ${afterSeq}`)
  },

  'an append after any event but the last one fails with conflict and stores nothing': async (store) => {
    await expectRejection(store.append('r', eventsOf(1), -1), 'conflict', 'append to an unknown run')
    expectSame(await store.read('r', -1), [], 'the events of an unknown run')
    await store.put('r', entryOf(), 0)
    expectSame(await store.read('r', -1), [], 'the events of a new run')
    await expectRejection(store.append('r', eventsOf(1, 0), 0), 'conflict', 'append after 0 of none')
    await store.append('r', eventsOf(3), -1)
    for (const afterSeq of [-1, 0, 1, 3, 100]) {
      const late = eventsOf(2, afterSeq, 'late')
      await expectRejection(store.append('r', late, afterSeq), 'conflict', `append after ${afterSeq} of 2`)
    }
    expectSame(await store.read('r', -1), eventsOf(3), 'the events')
  },

  'an append of events whose `seq` is not consecutive is rejected and stores nothing': async (store) => {
    await store.put('r', entryOf(), 0)
    await store.append('r', eventsOf(1), -1)
    for (const seqs of [[0], [2], [1, 3], [1, 1], [2, 1], [1, 2.5], [1, Number.NaN]]) {
      const events = seqs.map((seq) => ({ seq }))
      await expectRejection(store.append('r', events, 0), 'invalid_request', `append of ${seqs}`)
    }
    for (const afterSeq of [-2, 0.5, Number.NaN])
      await expectRejection(store.append('r', [], afterSeq), 'invalid_request', `afterSeq ${afterSeq}`)
    expectSame(await store.read('r', -1), eventsOf(1), 'the events')
  },

  'appending no events changes nothing, but still checks the last event': async (store) => {
    await expectRejection(store.append('r', [], -1), 'conflict', 'append of nothing to an unknown run')
    await store.put('r', entryOf(), 0)
    await store.append('r', [], -1)
    await store.append('r', eventsOf(2), -1)
    await store.append('r', [], 1)
    await expectRejection(store.append('r', [], 0), 'conflict', 'append of nothing after 0 of 1')
    expectSame(await store.read('r', -1), eventsOf(2), 'the events')
  },

  'events are returned as JSON preserves them': async (store) => {
    await store.put('r', entryOf(), 0)
    const events = unusualValues.map((value, seq) => ({ seq, event: value, '\0': value }))
    await store.append('r', events, -1)
    const found = await store.read('r', -1)
    for (const [at, event] of events.entries()) expectSameText(found[at], event, 'an event')
    const extra = JSON.parse(`{ "seq": ${events.length}, "__proto__": { "a": 1 } }`)
    await store.append('r', [extra], events.length - 1)
    expectSameText((await store.read('r', events.length - 1))[0], extra, 'an event with the field __proto__')
  },

  'an event of 1 MB is returned, with the events before and after it': async (store) => {
    await store.put('r', entryOf(), 0)
    const events = [...eventsOf(1), { seq: 1, text: '0123456789abcdeé'.repeat(65_536) }, ...eventsOf(1, 1)]
    await store.append('r', events, -1)
    await store.append('r', eventsOf(1, 2), 2)
    expectSame(await store.read('r', -1), [...events, ...eventsOf(1, 2)], 'the events')
  },

  'changing an event that was given or returned does not change the stored one': async (store) => {
    await store.put('r', entryOf(), 0)
    const given = [{ seq: 0, event: { list: ['as it was'] } }]
    const wanted = structuredClone(given)
    const appending = store.append('r', given, -1)
    for (const { event } of given) event.list[0] = 'changed after append'
    given.push({ seq: 1, event: { list: [] } })
    await appending
    for (let round = 0; round < 2; round++) {
      const found = await store.read('r', -1)
      expectSame(found, wanted, 'the events')
      for (const event of found) Object.assign(event, { seq: 7, event: 'changed' })
    }
  },

  'exactly one of twenty concurrent appends after the same event succeeds': async (store) => {
    await store.put('r', entryOf(), 0)
    let all: { seq: number }[] = []
    for (let round = 0; round < 4; round++) {
      const last = all.length - 1
      const lumps = Array.from({ length: 20 }, (_, at) => eventsOf(1 + (at % 3), last, `${round} by ${at}`))
      const winner = await raceOf(
        lumps.map((lump) => store.append('r', lump, last)),
        'append',
      )
      all = [...all, ...(lumps[winner] ?? [])]
      expectSame(await store.read('r', -1), all, 'the events')
    }
  },

  'a reader gets the events stored so far in order, without a gap': async (store) => {
    await store.put('r', entryOf(), 0)
    let isWriting = true
    const write = async () => {
      try {
        for (let at = 0; at < 60; at += 3) await store.append('r', eventsOf(3, at - 1), at - 1)
      } finally {
        isWriting = false
      }
    }
    const follow = async () => {
      let last = -1
      for (let isLast = false; !isLast; ) {
        // Lets the writer continue, even if the store responds immediately.
        await new Promise((resolve) => setTimeout(resolve, 0))
        isLast = !isWriting
        for (const { seq } of await store.read('r', last, 7)) {
          expectSame(seq, last + 1, 'the next event')
          last = seq
          isLast = false
        }
      }
      return last
    }
    const [, ...ends] = await Promise.all([write(), follow(), follow(), follow()])
    expectSame(ends, [59, 59, 59], 'the last events')
  },

  'an append that races with a delete leaves no event in a new run': async (store) => {
    for (let round = 0; round < 10; round++) await raceWithDelete(store, `run ${round}`)
  },
}

async function raceWithDelete(store: CheckedRunStore, id: string): Promise<void> {
  await store.put(id, entryOf(), 0)
  await store.append(id, eventsOf(2), -1)
  const appending = store.append(id, eventsOf(2, 1), 1)
  const outcomes = Promise.allSettled([appending, store.delete(id)])
  await outcomes
  await appending.catch((error: unknown) => expectRejection(Promise.reject(error), 'conflict', 'append'))
  expectSame(await store.get(id), undefined, 'get of the deleted run')
  expectSame(await store.put(id, entryOf(), 0), 1, 'the version of the new run')
  expectSame(await store.read(id, -1), [], 'the events of the new run')
  await store.append(id, eventsOf(1), -1)
}
