import { expectRejection, expectSame } from '../check.js'
import {
  type CheckedEntry,
  type CheckedQuery,
  type CheckedRunStore,
  entryOf,
  type RunStoreChecks,
  someTime,
} from './stored-run.js'

/** Checks that `list` works as required. */
export const listChecks: RunStoreChecks = {
  'the list is sorted by the latest update, and by id for equal times': async (store) => {
    const times = { b: 2, a: 2, B: 2, '10': 2, '9': 2, late: 3, early: 1 }
    for (const [id, at] of Object.entries(times))
      await store.put(id, entryOf({ updatedAt: someTime + at, record: id }), 0)
    const { runs, after } = await store.list({ limit: 10 })
    expectSame(
      runs.map(({ runId }) => runId),
      ['late', '10', '9', 'B', 'a', 'b', 'early'],
      'the ids of the list',
    )
    const wanted = { runId: 'late', version: 1, entry: entryOf({ updatedAt: someTime + 3, record: 'late' }) }
    expectSame(runs[0], wanted, 'the first run')
    expectSame(after, undefined, '`after` of the last page')
    await store.put('early', entryOf({ updatedAt: someTime + 9 }), 1)
    expectSame((await idsOf(store, {}))[0], 'early', 'the first run after it was updated')
  },

  'each filter selects the runs that have its value': async (store) => {
    await putSamples(store)
    const filters: readonly Omit<CheckedQuery, 'limit'>[] = [
      { owner: 'ada' },
      { status: 'running' },
      { status: 'pending' },
      { status: 'ended' },
      { status: 'failed' },
      { callId: 'call_1' },
      { callId: 'call_2' },
      { chat: 'chat 1' },
      { dueBefore: someTime + 2 },
      { owner: 'eve' },
      { callId: 'call' },
      { chat: '' },
      { dueBefore: 0 },
    ]
    for (const filter of filters) await expectFiltered(store, filter)
  },

  'several filters select the runs that have all their values': async (store) => {
    await putSamples(store)
    for (const owner of ['ada', 'bob', undefined])
      for (const status of ['running', 'pending', undefined] as const)
        for (const callId of ['call_1', undefined])
          for (const chat of ['chat 1', undefined])
            for (const dueBefore of [someTime + 3, undefined]) {
              const filters = { owner, status, callId, chat, dueBefore }
              const given = Object.entries(filters).filter(([, value]) => value !== undefined)
              await expectFiltered(store, Object.fromEntries(given))
            }
  },

  'filters with the value undefined are ignored': async (store) => {
    await putSamples(store)
    const given = { owner: undefined, status: undefined, callId: undefined, chat: undefined }
    const query: object = { ...given, dueBefore: undefined, after: undefined, limit: 1000 }
    const { runs } = await store.list(query as CheckedQuery)
    expectSame(runs.length, samples.length, 'the number of runs')
  },

  'after a put, a run is no longer found by its previous values': async (store) => {
    const fields = { owner: 'ada', callIds: ['call_1', 'call_2'], chat: 'chat 1', dueAt: someTime } as const
    await store.put('r', entryOf({ ...fields, status: 'pending' }), 0)
    await store.put('r', entryOf({ owner: 'bob', status: 'ended', callIds: ['call_2', 'call_3'] }), 1)
    const before = [
      { owner: 'ada' },
      { status: 'pending' },
      { callId: 'call_1' },
      { chat: 'chat 1' },
      { dueBefore: someTime + 1 },
    ] as const
    for (const filter of before) expectSame(await idsOf(store, filter), [], `list ${JSON.stringify(filter)}`)
    const now = [{ owner: 'bob' }, { status: 'ended' }, { callId: 'call_2' }, { callId: 'call_3' }] as const
    for (const filter of now) expectSame(await idsOf(store, filter), ['r'], `list ${JSON.stringify(filter)}`)
  },

  'dueBefore omits runs that are due at that time or never': async (store) => {
    for (const dueAt of [0, 5, 6]) await store.put(`due at ${dueAt}`, entryOf({ dueAt }), 0)
    await store.put('never due', entryOf(), 0)
    expectSame(await idsOf(store, { dueBefore: 0 }), [], 'due before 0')
    expectSame(await idsOf(store, { dueBefore: 5 }), ['due at 0'], 'due before 5')
    expectSame(await idsOf(store, { dueBefore: 6 }), ['due at 0', 'due at 5'], 'due before 6')
    expectSame(await idsOf(store, { dueBefore: 7 }), ['due at 0', 'due at 5', 'due at 6'], 'due before 7')
  },

  'filters accept any text and match it exactly': async (store) => {
    for (const [at, text] of unusualTexts.entries()) {
      const entry = entryOf({ owner: text, chat: text, callIds: [text, `${text} 2`], status: 'pending' })
      await store.put(`run ${at}`, entry, 0)
    }
    for (const [at, text] of unusualTexts.entries())
      for (const field of ['owner', 'chat', 'callId'])
        expectSame(
          await idsOf(store, { [field]: text }),
          [`run ${at}`],
          `the runs of the ${field} ${JSON.stringify(text)}`,
        )
  },

  'pages contain `limit` runs, and all pages together contain each run once': async (store) => {
    await putMany(store, 25)
    const wanted = await idsOf(store, {})
    expectSame(wanted.length, 25, 'the number of runs')
    for (const limit of [1, 4, 5, 24, 25, 26, 1000]) {
      const pages = await pagesOf(store, { limit })
      const sizes = pages.map((ids) => ids.length)
      const full = Array.from({ length: Math.ceil(25 / limit) }, (_, at) => Math.min(limit, 25 - at * limit))
      expectSame(sizes, full, `the sizes of the pages with limit ${limit}`)
      expectSame(pages.flat(), wanted, `the ids of all pages with limit ${limit}`)
    }
  },

  'the filter applies to every page of a list': async (store) => {
    await putMany(store, 25)
    for (const filter of [{ owner: 'ada' }, { owner: 'ada', status: 'running' }] as const) {
      const pages = await pagesOf(store, { ...filter, limit: 3 })
      expectSame(
        pages.flat(),
        await idsOf(store, filter),
        `the ids of all pages of ${JSON.stringify(filter)}`,
      )
    }
  },

  'while runs change, the pages contain each unchanged run exactly once': async (store) => {
    await putMany(store, 30)
    const changed = new Set(['run 3', 'run 29', 'run 14', 'run 15', 'run 7', 'run 20'])
    const seen: string[] = []
    let page = await store.list({ limit: 4 })
    for (const id of changed) {
      seen.push(...page.runs.map(({ runId }) => runId))
      if (seen.includes(id)) await store.delete(id)
      else await store.put(id, entryOf({ updatedAt: someTime + 1_000_000 }), 1)
      await store.put(`new ${id}`, entryOf({ updatedAt: someTime + 1_000_001 }), 0)
      if (page.after !== undefined) page = await store.list({ limit: 4, after: page.after })
    }
    for (; page.after !== undefined; page = await store.list({ limit: 4, after: page.after }))
      seen.push(...page.runs.map(({ runId }) => runId))
    seen.push(...page.runs.map(({ runId }) => runId))
    const unchanged = Array.from({ length: 30 }, (_, at) => `run ${at}`).filter((id) => !changed.has(id))
    expectSame(
      seen.filter((id) => unchanged.includes(id)).sort(),
      unchanged.sort(),
      'the unchanged runs of all pages',
    )
  },

  'a page follows `after` even if the last run of the previous page has been deleted': async (store) => {
    await putMany(store, 6)
    const wanted = await idsOf(store, {})
    const { after = '' } = await store.list({ limit: 3 })
    await store.delete(wanted[2] ?? '')
    const { runs } = await store.list({ limit: 3, after })
    expectSame(
      runs.map(({ runId }) => runId),
      wanted.slice(3),
      'the second page',
    )
  },

  'the list rejects an invalid `limit` or `after`': async (store) => {
    for (const limit of [0, -1, 1.5, 1001, Number.NaN, Number.POSITIVE_INFINITY])
      await expectRejection(store.list({ limit }), 'invalid_request', `a limit of ${limit}`)
    for (const after of ['', '!', 'null', '{', '\0', "' or 1=1"])
      await expectRejection(
        store.list({ limit: 10, after }),
        'invalid_request',
        `after ${JSON.stringify(after)}`,
      )
  },
}

/** Strings that are nearly equal or have a special meaning in a query language. */
const unusualTexts: readonly string[] = [
  '',
  ' ',
  'a',
  'A',
  'a ',
  ' a',
  'ab',
  '%',
  '_',
  '*',
  '[a]',
  '"a"',
  "'a'",
  "' or 1=1 --",
  '["a"]',
  'a,b',
  '\\',
  '\\u0000',
  '\0',
  'a\0b',
  'a\0c',
  '\ud83d',
  '\ude00',
  '\u00e9',
  'e\u0301',
  'null',
  '__proto__',
  '世界',
]

/** Entries with every combination of the fields that `list` can filter by. */
const samples: readonly CheckedEntry[] = (['running', 'pending', 'ended', 'failed'] as const).flatMap(
  (status, s) =>
    ['ada', 'bob', 'Ada'].flatMap((owner, o) =>
      [{}, { chat: 'chat 1' }, { chat: 'chat 2', dueAt: someTime + o }, { dueAt: someTime + s }].map(
        (fields, f) => {
          const callIds = [[], ['call_1'], ['call_2', 'call_1'], ['call_10', 'call_3']][(s + f) % 4] ?? []
          return entryOf({ owner, status, callIds, ...fields })
        },
      ),
    ),
)

async function putSamples(store: CheckedRunStore): Promise<void> {
  await Promise.all(samples.map((entry, at) => store.put(`sample ${at}`, entry, 0)))
}

async function expectFiltered(store: CheckedRunStore, filter: Omit<CheckedQuery, 'limit'>): Promise<void> {
  const { owner, status, callId, chat, dueBefore } = filter
  const fits = (entry: CheckedEntry) =>
    (owner === undefined || entry.owner === owner) &&
    (status === undefined || entry.status === status) &&
    (callId === undefined || entry.callIds.includes(callId)) &&
    (chat === undefined || entry.chat === chat) &&
    (dueBefore === undefined || (entry.dueAt !== undefined && entry.dueAt < dueBefore))
  const wanted = samples.flatMap((entry, at) => (fits(entry) ? [`sample ${at}`] : []))
  expectSame(await idsOf(store, filter), wanted.sort(), `the runs of ${JSON.stringify(filter)}`)
}

/** Creates runs for two owners. Some were updated at the same time. */
async function putMany(store: CheckedRunStore, count: number): Promise<void> {
  const put = (at: number) => {
    const owner = at % 3 === 0 ? 'bob' : 'ada'
    const status = at % 4 === 0 ? 'ended' : 'running'
    return store.put(`run ${at}`, entryOf({ owner, status, updatedAt: someTime + ((at * 7) % 11) }), 0)
  }
  await Promise.all(Array.from({ length: count }, (_, at) => put(at)))
}

async function idsOf(
  store: CheckedRunStore,
  filter: Omit<CheckedQuery, 'limit'>,
): Promise<readonly string[]> {
  return (await store.list({ ...filter, limit: 1000 })).runs.map(({ runId }) => runId)
}

/** Returns the run ids on each page of a query. */
async function pagesOf(store: CheckedRunStore, query: CheckedQuery): Promise<readonly (readonly string[])[]> {
  const pages: string[][] = []
  for (let after: string | undefined; pages.length === 0 || after !== undefined; ) {
    const page = await store.list({ ...query, ...(after !== undefined && { after }) })
    pages.push(page.runs.map(({ runId }) => runId))
    after = page.after
  }
  return pages
}
