import { expect, test } from 'vitest'
import { type Journal, journalHost } from '../../test/run-control/host-with.js'
import { runOf } from '../../test/run-of.js'
import { memoryArtifacts } from '../artifacts/memory-artifacts.js'
import { MessageQueue } from '../features/streaming.js'
import { memoryHost } from './memory-host.js'
import { fromInbox } from './turn.js'

const { signal } = new AbortController()
const binding = {
  runId: 'run-1',
  agents: new Map(),
  context: undefined,
  signal,
  emit: undefined,
  artifacts: memoryArtifacts(),
}

function filled(...texts: readonly string[]): MessageQueue {
  const inbox = new MessageQueue()
  for (const text of texts) inbox.put(text)
  return inbox
}

test('what waits is taken once, the oldest first', async () => {
  const inbox = filled('one', 'two')
  const run = runOf([], undefined, { parts: { inbox } })
  expect(await fromInbox(run)).toEqual(['one', 'two'])
  expect(await fromInbox(run)).toEqual([])
  expect(inbox.isEmpty).toBe(true)
})

test('where nobody can send any, and where none waits in memory, no step is made', async () => {
  const journal: Journal = new Map()
  const host = journalHost(journal, memoryHost)(binding)
  expect(await fromInbox(runOf([], undefined, { parts: { host } }))).toEqual([])
  expect(await fromInbox(runOf([], undefined, { parts: { host, inbox: filled() } }))).toEqual([])
  expect(journal.size).toBe(0)
})

test('a host that records is given the same again, also that there was nothing', async () => {
  for (const texts of [['one'], []]) {
    const journal: Journal = new Map()
    const host = { ...journalHost(journal, memoryHost)(binding), retries: 'host' as const }
    expect(await fromInbox(runOf([], undefined, { parts: { host, inbox: filled(...texts) } }))).toEqual(texts)
    const later = filled('something else')
    expect(await fromInbox(runOf([], undefined, { parts: { host, inbox: later } }))).toEqual(texts)
    expect(later.isEmpty).toBe(false)
    expect([...journal.keys()]).toEqual(['step1/messages'])
  }
})
