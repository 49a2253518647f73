import type { AnyRunResult, PendingCall } from '@capstan/core'
import { toApprovalId } from '../approval-id.js'
import { innerCalls } from '../inner-calls.js'

/**
 * What a run waits for, as parts: a yes is asked for by a part of its own, a result by the call alone. Calls of agents
 * within the agent stand in a step of their own, as the call above them has no answer yet; `asked` are those that
 * stand there already.
 */
export function toQuestions(result: AnyRunResult, asked: ReadonlySet<string>): readonly object[] {
  const { pending = [], state } = result
  const inner = innerCalls(result)
  const own = pending.filter((call) => !inner.includes(call))
  const fresh = inner.filter(({ callId }) => !asked.has(callId))
  const ask = (calls: readonly PendingCall[]) => calls.flatMap((call) => toQuestion(call, state.runId))
  if (fresh.length === 0) return ask(pending)
  return [...ask(own), { type: 'finish-step' }, { type: 'start-step' }, ...fresh.map(toCall), ...ask(inner)]
}

function toCall({ callId, name, arguments: input }: PendingCall): object {
  return { type: 'tool-input-available', toolCallId: callId, toolName: name, input, dynamic: true }
}

function toQuestion({ callId, kind, agent, reason }: PendingCall, runId: string): readonly object[] {
  if (kind === 'result') return []
  const approvalId = toApprovalId(runId, callId)
  return [
    // The part that asks has no room for a reason in all versions.
    { type: 'data-approval', id: approvalId, data: { toolCallId: callId, agent, reason } },
    { type: 'tool-approval-request', approvalId, toolCallId: callId },
  ]
}
