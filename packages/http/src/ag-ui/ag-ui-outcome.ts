import type { AnyRunResult, PendingCall } from '@capstan/core'
import { toApprovalId } from '../approval-id.js'

/** How a run ended, as AG-UI says it: a question is an interrupt, a call of the page's tools is no more than unanswered. */
export function toOutcome({ pending = [], stopReason, state }: AnyRunResult): object {
  const questions = pending.filter(({ kind }) => kind === 'approval')
  if (questions.length > 0)
    return { type: 'interrupt', interrupts: questions.map((call) => toInterrupt(call, state.runId)) }
  if (stopReason === 'aborted') return { type: 'cancelled' }
  const pendingToolCallIds = pending.map(({ callId }) => callId)
  return pendingToolCallIds.length > 0 ? { type: 'success', pendingToolCallIds } : { type: 'success' }
}

function toInterrupt({ callId, name, arguments: args, agent, reason }: PendingCall, runId: string): object {
  return {
    id: toApprovalId(runId, callId),
    reason: 'tool_call',
    message: reason ?? `Run ${name}?`,
    toolCallId: callId,
    responseSchema: {
      type: 'object',
      properties: { approved: { type: 'boolean' }, reason: { type: 'string' } },
      required: ['approved'],
    },
    metadata: { toolCallName: name, arguments: args, ...(agent ? { agent } : {}) },
  }
}
