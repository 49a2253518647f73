import { createHash } from 'node:crypto'
import { CapstanError, type Json } from '@capstan/core'
import { isRecord } from '@capstan/core/internal'
import { checkRunId } from '../settings.js'
import type { RunRecord, RunStateStore } from './run-store.js'

/** The methods of a `RunStore` from `@capstan/stores` that durable runs use. */
export interface RunEntryStore {
  get(runId: string): Promise<{ readonly entry: RunEntry; readonly version: number } | undefined>
  put(runId: string, entry: RunEntry, version: number): Promise<number>
  /**
   * Never called, because the events of durable runs are not stored. This method distinguishes a `RunStore` from a
   * `RunStateStore`.
   */
  append(runId: string, events: readonly { readonly seq: number }[], afterSeq: number): Promise<void>
  list(query: { readonly owner: string; readonly limit: number; readonly after?: string }): Promise<RunPage>
  delete(runId: string): Promise<void>
}

// These are type aliases, not interfaces, because generated declarations write them out. So they need not be exported.

type RunEntry = {
  readonly owner: string
  readonly agent: string
  readonly status: RunRecord['phase']
  readonly callIds: readonly string[]
  readonly createdAt: number
  readonly updatedAt: number
  readonly record: Json
}

type RunPage = {
  readonly runs: readonly { readonly entry: RunEntry }[]
  readonly after?: string
}

export function isRunEntryStore(store: unknown): store is RunEntryStore {
  const { put, append } = Object(store)
  return typeof put === 'function' && typeof append === 'function'
}

/**
 * Stores durable runs in a `RunStore`. The runs' owner is `@capstan/durable` and their ids start with `durable`, so a
 * server that uses the same store does not show them to its users.
 */
export function runStatesIn(store: RunEntryStore): RunStateStore {
  return {
    async load(runId) {
      const found = await store.get(storedId(runId))
      return found && { run: readRecord(found.entry.record, runId).run, version: found.version }
    },
    async save(runId, run, version) {
      const id = storedId(runId)
      const updatedAt = Date.now()
      const createdAt = version === 0 ? updatedAt : ((await store.get(id))?.entry.createdAt ?? updatedAt)
      const { agent, phase, state } = run
      const callIds = phase === 'pending' ? state.pending.map(({ callId }) => callId) : []
      // Copy the run through JSON, because stores accept only JSON.
      const record: Json = JSON.parse(JSON.stringify({ runId, run }))
      const entry = { owner, agent, status: phase, callIds, createdAt, updatedAt, record }
      return store.put(id, entry, version)
    },
    async delete(runId) {
      await store.delete(storedId(runId))
    },
    async list() {
      const ids: string[] = []
      for (let after: string | undefined, isLast = false; !isLast; isLast = after === undefined) {
        const page = await store.list({ owner, limit: 1000, ...(after !== undefined && { after }) })
        for (const { entry } of page.runs) ids.push(readRecord(entry.record).runId)
        after = page.after
      }
      // A run that changes while pages are read may appear on two pages.
      return [...new Set(ids)]
    },
  }
}

const owner = '@capstan/durable'

/**
 * Returns the id under which a run is stored. If a run's id is longer than the store allows, this is a hash of it.
 * @throws CapstanError `invalid_request` for an invalid run id
 */
function storedId(runId: string): string {
  checkRunId(runId)
  const id = `durable:${runId}`
  return id.length <= 200 ? id : `durable#${createHash('sha256').update(runId).digest('hex')}`
}

/**
 * Returns the run in an entry's record.
 * @throws CapstanError `invalid_state` if the record contains no run, or a run with an id other than `wanted`
 */
function readRecord(record: Json, wanted?: string): { readonly runId: string; readonly run: RunRecord } {
  const { runId, run } = isRecord(record) ? record : {}
  if (typeof runId === 'string' && isRecord(run) && runId === (wanted ?? runId))
    // The caller checks the fields.
    return { runId, run: run as unknown as RunRecord }
  const message = `The stored run "${wanted ?? runId}" is damaged: it is not a run of persistent(). Restore it from a backup, or delete it.`
  throw new CapstanError('invalid_state', message, { evidence: { runId: wanted ?? runId } })
}
