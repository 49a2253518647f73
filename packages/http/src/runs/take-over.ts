import { type AnyAgent, isCapstanError, type RunState } from '@capstan/core'
import { currentStep } from '@capstan/core/internal'
import type { RunEntry, RunStore, StoredEvent } from '@capstan/stores'
import type { Settings } from '../options.js'
import { settingsOf } from './pending.js'
import { type FoundRun, readRecord, withEnd, withRecord } from './record.js'
import { recoveredState } from './recover.js'
import type { StoreClock } from './store.js'

/** The process that takes a run over. */
export interface Heir {
  readonly store: RunStore
  readonly clock: StoreClock
  readonly settings: Settings
  readonly isClosing: boolean
  newHolder(): string
  heldBy(by: string, entry: RunEntry): RunEntry
  isLost(found: FoundRun): boolean
  findAgent(entry: RunEntry): AnyAgent | undefined
  resume(
    found: FoundRun,
    from: { readonly input: RunState; readonly last: number; readonly by: string },
  ): Promise<void>
}

/**
 * Continues a run whose process has died, from its last stored state. Does nothing when another process is first.
 */
export async function takeOver(heir: Heir, found: FoundRun): Promise<void> {
  const { runId, entry, version, record } = found
  const { store, settings } = heir
  if (heir.isClosing || !heir.isLost(found)) return
  const by = heir.newHolder()
  const takeOvers = record.takeOvers + 1
  const taken = withRecord(heir.heldBy(by, entry), { takeOvers })
  const put = await store.put(runId, taken, version).catch(ifConflict)
  if (put === undefined) return
  const { state, stateAt } = record
  const last = await markRecovery(heir, found)
  const own = { runId, entry: taken, version: put, record: readRecord(runId, taken) }
  const agent = heir.findAgent(entry)
  if (!state || !agent || settings.onLost === 'fail' || takeOvers > mostTakeOvers) {
    const why =
      takeOvers > mostTakeOvers
        ? 'Each process that had this run has died.'
        : 'The process of this run has died.'
    return fail(heir, own, last, why)
  }
  const events = await readAll(heir, runId, stateAt)
  const isRead = (name: string) => settingsOf(agent, name)?.effects === 'read'
  const input = { ...recoveredState(state, events, isRead), runId }
  await heir.resume(own, { input, last, by })
}

/** Returns the `seq` of the last stored event of a run, given one that is there. */
export async function lastEvent(heir: Pick<Heir, 'store'>, runId: string, known: number): Promise<number> {
  return (await readAll(heir, runId, known)).at(-1)?.seq ?? known
}

/** A run whose processes have died this often counts as the reason. */
const mostTakeOvers = 5

function ifConflict(error: unknown): undefined {
  if (isCapstanError(error) && error.code === 'conflict') return undefined
  throw error
}

/**
 * Adds an event that says where the run continues. After it, nothing of the process that had the run before is stored.
 */
async function markRecovery(heir: Heir, { runId, record }: FoundRun): Promise<number> {
  const { state, stateAt } = record
  const step = state ? currentStep(state) : 0
  for (let last = stateAt; ; ) {
    const events = await readAll(heir, runId, last)
    last = events.at(-1)?.seq ?? last
    const seq = last + 1
    const event = { type: 'run-recovered', runId, seq, step }
    try {
      await heir.store.append(runId, [{ seq, event }], last)
      return seq
    } catch (error) {
      ifConflict(error)
    }
  }
}

async function readAll(
  { store }: Pick<Heir, 'store'>,
  runId: string,
  after: number,
): Promise<readonly StoredEvent[]> {
  const all: StoredEvent[] = []
  for (let last = after; ; ) {
    const page = await store.read(runId, last)
    all.push(...page)
    last = page.at(-1)?.seq ?? last
    if (page.length === 0) return all
  }
}

async function fail(
  { store, clock, settings }: Heir,
  found: FoundRun,
  last: number,
  why: string,
): Promise<void> {
  const { runId, entry, version, record } = found
  const error = { status: 500, code: 'stopped', message: why, headers: {} }
  const { lease: _, ...rest } = entry
  const over = { status: 'failed', dueAt: clock.now() + settings.keepRunsMs } as const
  const segments = withEnd(record, { to: last, error })
  await store.put(runId, withRecord({ ...rest, ...over }, { segments }), version)
}
