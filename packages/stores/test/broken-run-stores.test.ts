import { CapstanError } from '@capstan/core'
import { runStoreChecks } from '@capstan/testing'
import { expect, test } from 'vitest'
import { memoryRunStore, type RunStore } from '../src/index.js'

/** Returns the names of the checks that a store fails. */
async function failuresOf(makeStore: () => RunStore): Promise<string[]> {
  const checks = runStoreChecks(makeStore)
  const outcomes = await Promise.allSettled(checks.map(({ run }) => run()))
  return checks.filter((_, at) => outcomes[at]?.status === 'rejected').map(({ name }) => name)
}

const tick = () => new Promise((resolve) => setImmediate(resolve))

/** Cases: what is wrong with a store, how to break it, and a check that must find it. */
const broken: readonly [string, (inner: RunStore) => Partial<RunStore>, string][] = [
  [
    'puts to any version',
    (inner) => ({
      put: async (id, entry, version) => inner.put(id, entry, (await inner.get(id))?.version ?? version),
    }),
    'a put to a different version fails with conflict and changes nothing',
  ],
  [
    'looks at the version and puts later',
    (inner) => ({
      async put(id, entry, version) {
        const found = (await inner.get(id))?.version ?? 0
        if (found !== version) throw new CapstanError('conflict', 'another version')
        await tick()
        return inner.put(id, entry, (await inner.get(id))?.version ?? 0)
      },
    }),
    'exactly one of twenty concurrent puts to the same version succeeds',
  ],
  [
    'looks at the last event and appends later',
    (inner) => ({
      async append(id, events, afterSeq) {
        const last = (await inner.read(id, -1)).length - 1
        if (!(await inner.get(id)) || last !== afterSeq) throw new CapstanError('conflict', 'another event')
        await tick()
        const now = (await inner.read(id, -1)).length - 1
        return inner.append(
          id,
          events.map((event, at) => ({ ...event, seq: now + 1 + at })),
          now,
        )
      },
    }),
    'exactly one of twenty concurrent appends after the same event succeeds',
  ],
  [
    'looks for the key and sets it later',
    (inner) => ({
      async setOnce(key, value, expiresAt) {
        if ((await inner.find(key)) !== undefined) return false
        await tick()
        await inner.setOnce(key, value, expiresAt)
        return true
      },
    }),
    'exactly one of twenty concurrent setOnce calls for the same key returns true',
  ],
  [
    'keeps expired keys',
    (inner) => ({ setOnce: (key, value) => inner.setOnce(key, value) }),
    'an expired key has no value, and exactly one caller can set it again',
  ],
  [
    'keeps the events of deleted runs',
    (inner) => {
      const runs = new Set<string>()
      return {
        async get(id) {
          return runs.has(id) ? inner.get(id) : undefined
        },
        async put(id, entry, version) {
          const stored = await inner.get(id)
          const isNew = version === 0 && stored && !runs.has(id)
          const next = await inner.put(id, entry, isNew ? stored.version : version)
          runs.add(id)
          return isNew ? 1 : next
        },
        async delete(id) {
          runs.delete(id)
        },
      }
    },
    'a deleted run is created again at version 1, without events',
  ],
  [
    'ignores the case of ids',
    (inner) => ({
      get: (id) => inner.get(id.toLowerCase()),
      put: (id, entry, version) => inner.put(id.toLowerCase(), entry, version),
    }),
    'any text of 1 to 200 characters is a valid run id, and different texts are different runs',
  ],
  [
    'ignores the case of owners',
    (inner) => ({
      list: ({ owner, ...query }) =>
        inner.list({ ...query, ...(owner !== undefined && { owner: owner.toLowerCase() }) }),
    }),
    'filters accept any text and match it exactly',
  ],
  [
    'ignores a filter',
    (inner) => ({ list: ({ chat: _, ...query }) => inner.list(query) }),
    'each filter selects the runs that have its value',
  ],
  [
    'counts pages instead of following the last run',
    (inner) => ({
      async list({ after, ...query }) {
        const { runs } = await inner.list({ ...query, limit: 1000 })
        const start = Number(after ?? 0)
        const end = start + query.limit
        const page = runs.slice(start, end)
        return end < runs.length ? { runs: page, after: String(end) } : { runs: page }
      },
    }),
    'while runs change, the pages contain each unchanged run exactly once',
  ],
  [
    'names a next page that is empty',
    (inner) => ({
      async list(query) {
        const page = await inner.list(query)
        const last = page.runs.at(-1)
        const after = last && `${last.entry.updatedAt}.${last.runId}`
        return after === undefined ? page : { ...page, after }
      },
    }),
    'pages contain `limit` runs, and all pages together contain each run once',
  ],
  [
    'drops NUL',
    (inner) => ({
      append: (id, events, afterSeq) =>
        inner.append(id, JSON.parse(JSON.stringify(events).replaceAll('\\u0000', '')), afterSeq),
    }),
    'events are returned as JSON preserves them',
  ],
  [
    'sorts the keys of records',
    (inner) => ({
      put: (id, entry, version) => {
        const { record } = entry
        const isPlain = typeof record === 'object' && record !== null && !Array.isArray(record)
        const sorted = isPlain && Object.fromEntries(Object.entries(record).sort())
        return inner.put(id, sorted ? { ...entry, record: sorted } : entry, version)
      },
    }),
    'a record is returned as JSON preserves it',
  ],
  [
    'stores part of an append',
    (inner) => ({
      async append(id, events, afterSeq) {
        const [first, ...rest] = events
        if (!first) return inner.append(id, events, afterSeq)
        await inner.append(id, [first], afterSeq)
        return inner.append(id, rest, afterSeq + 1)
      },
    }),
    'an append of events whose `seq` is not consecutive is rejected and stores nothing',
  ],
  [
    'reads everything',
    (inner) => ({ read: (id, afterSeq) => inner.read(id, afterSeq, 1000) }),
    'read returns at most `limit` events, 1,000 by default',
  ],
  [
    'never ends a watch',
    (inner) => ({
      watch(id, onChange) {
        inner.watch?.(id, onChange)
        return () => {}
      },
    }),
    '`watch`, if there is one, calls the watcher after each put and append until it is removed',
  ],
]

test.each(broken)('a store that %s fails', async (_, fault, check) => {
  const failed = await failuresOf(() => {
    const inner = memoryRunStore()
    return { ...inner, ...fault(inner) }
  })
  expect(failed).toContain(check)
})
