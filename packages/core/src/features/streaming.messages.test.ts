import { expect, test } from 'vitest'
import { type Journal, journalHost } from '../../test/run-control/host-with.js'
import { runOf } from '../../test/run-of.js'
import { memoryArtifacts } from '../artifacts/memory-artifacts.js'
import { memoryHost } from '../run/memory-host.js'
import type { Middleware } from '../run/middleware.js'
import { Running } from './streaming.js'

const { signal } = new AbortController()
const binding = {
  runId: 'run-1',
  agents: new Map(),
  context: undefined,
  signal,
  emit: undefined,
  artifacts: memoryArtifacts(),
}

/** The middleware of a run to which these texts were sent. It takes them before a step. */
async function sending(...texts: readonly string[]) {
  const agent = { outputSchema: undefined, checkDecision: async () => {} }
  const run = new Running<Middleware>(async ({ middleware }) => middleware, {}, agent)
  const middleware = await run.result
  for (const text of texts) run.send(text)
  return async (host?: ReturnType<typeof memoryHost>) => {
    const effects = await middleware.beforeStep?.(runOf([], undefined, host && { parts: { host } }))
    return effects?.messages?.map(({ content }) => content)
  }
}

test('what waits is taken once, the oldest first', async () => {
  const take = await sending('one', 'two')
  expect(await take()).toEqual(['one', 'two'])
  expect(await take()).toBeUndefined()
})

test('where none waits in memory, no step is made', async () => {
  const journal: Journal = new Map()
  const take = await sending()
  expect(await take(journalHost(journal, memoryHost)(binding))).toBeUndefined()
  expect(journal.size).toBe(0)
})

test('a host that records is given the same again, also that there was nothing', async () => {
  for (const texts of [['one'], []]) {
    const journal: Journal = new Map()
    const host = { ...journalHost(journal, memoryHost)(binding), retries: 'host' as const }
    expect(await (await sending(...texts))(host)).toEqual(texts)
    const later = await sending('something else')
    expect(await later(host)).toEqual(texts)
    expect(await later()).toEqual(['something else'])
    expect([...journal.keys()]).toEqual(['step1/messages'])
  }
})
