import type { Message, RunState } from '@capstan/core'
import { openCalls } from '@capstan/core/internal'
import { stamped } from './decide.js'
import { type FoundRun, newestSegment, waitingCalls, withRecord } from './record.js'
import type { Runs } from './runs.js'
import { unlessConflict } from './store.js'

/** The messages from which a conversation continues after a pending run. */
export interface Superseded {
  /** The run's last reply with its calls, and a result for each call. Pending calls are denied. */
  readonly messages: readonly Message[]
  readonly taintedBy?: string
}

/** Text for the model. */
const supersededReason = 'superseded by a new message'
/** Text for the model: the result of a call that was pending when the user sent a new message. */
export const supersededResult = `Denied: ${supersededReason}.`

/**
 * Denies a chat's pending calls, because a new message has arrived. Later decisions on them are rejected. Undefined if
 * no run is pending.
 */
export async function supersede(runs: Runs, owner: string, chat: string): Promise<Superseded | undefined> {
  for (;;) {
    const found = await runs.newest(owner, { chat })
    if (found?.entry.status !== 'pending' || found.entry.lease || !found.record.state) return undefined
    if (await denied(runs, found)) return closing(found.record.state)
  }
}

async function denied(runs: Runs, { runId, entry, version, record }: FoundRun): Promise<boolean> {
  const at = runs.clock.now()
  const deny = { type: 'deny', reason: supersededReason } as const
  const denials = Object.fromEntries(waitingCalls(record).map(({ call }) => [call.callId, deny]))
  const decided = { ...record.decided, ...stamped(runs, denials, newestSegment(record)) }
  const over = { status: 'ended', updatedAt: at, dueAt: at + runs.settings.keepRunsMs } as const
  const next = withRecord({ ...entry, ...over }, { decided })
  return (await unlessConflict(() => runs.store.put(runId, next, version))) !== undefined
}

function closing(state: RunState): Superseded {
  const calls = openCalls(state)
  const reply = state.messages.at(-1)
  if (!reply || calls.length === 0) return { messages: [] }
  const results = calls.map(({ id }, index): Message => {
    const { content = supersededResult, media } = state.results[index] ?? {}
    return { role: 'tool', tool_call_id: id, content, ...(media && { media }) }
  })
  const { taintedBy } = state
  return { messages: [reply, ...results], ...(taintedBy === undefined ? {} : { taintedBy }) }
}
