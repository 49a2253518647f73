import type { Decisions, Json, PendingCall } from '@capstan/core'
import { toJsonText } from '@capstan/core/internal'
import { toHttpError } from '../http-error.js'
import type { PreparedRun, StartOptions } from '../start-run.js'
import { decidedOn } from './decisions.js'
import type { RunRecord, StoredError } from './record.js'
import type { SegmentPlan } from './segment.js'

export function planOf(
  { input, isStreamed = true }: StartOptions,
  { options }: PreparedRun,
): Pick<SegmentPlan, 'input' | 'isStreamed' | 'options'> {
  return { input, isStreamed, options }
}

/** Returns the decisions on these calls. */
export function decisionsOn(pending: readonly PendingCall[], decided: RunRecord['decided']): Decisions {
  return Object.fromEntries(
    pending.flatMap(({ callId }) => {
      const { decision } = decidedOn(callId, decided) ?? {}
      return decision ? [[callId, decision] as const] : []
    }),
  )
}

/** Returns what a run that goes on without its client may need of its request: all but the conversation. */
export function sentOf(sent: StartOptions['sent']): Readonly<Record<string, Json>> {
  const { messages: _, input: __, tools: ___, ...rest } = sent
  return JSON.parse(toJsonText(rest))
}

export function toStoredError(thrown: unknown): StoredError {
  const { status, code, message, headers } = toHttpError(thrown)
  return { status, code, message, headers }
}
