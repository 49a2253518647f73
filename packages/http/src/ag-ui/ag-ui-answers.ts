import type { Decision } from '@capstan/core'
import { isRecord } from '@capstan/core/wire'
import { readApprovalId } from '../approval-id.js'
import type { CallAnswer } from '../go-on.js'
import { textOf } from '../text-of.js'
import { listOf, wordsOf } from './ag-ui-content.js'
import { runOf } from './message-id.js'
import type { Fields, RunInput } from './run-input.js'

/** What a client says to calls that wait: answers to interrupts, and results of its own tools behind what the user said last. */
export function agUiAnswers({ resume, messages }: RunInput): ReadonlyMap<string, CallAnswer> {
  const said = messages.findLastIndex(({ role }) => role === 'user')
  const since = messages.slice(said + 1)
  const askedIn = new Map(
    since
      .toReversed()
      .flatMap(({ id, toolCalls }) => listOf(toolCalls).map((call) => [call.id, id] as const)),
  )
  const results = since.flatMap(({ role, toolCallId, content, error }) => {
    if (role !== 'tool') return []
    const value = typeof error === 'string' ? { error } : wordsOf(content)
    const answer = { decision: { type: 'result', value } as const, runId: runOf(askedIn.get(toolCallId)) }
    return [[textOf(toolCallId), answer] as const]
  })
  const decided = resume.flatMap((entry) => {
    const asked = readApprovalId(entry.interruptId)
    return asked ? [[asked.callId, { decision: toDecision(entry), runId: asked.runId }] as const] : []
  })
  return new Map<string, CallAnswer>([...results, ...decided])
}

/** `true`, or `{ approved: true }`; anything else is a no. */
function toDecision({ status, payload }: Fields): Decision {
  const { approved, reason } = isRecord(payload) ? payload : { approved: payload, reason: undefined }
  if (status === 'resolved' && approved === true) return { type: 'approve' }
  const isTold = typeof reason === 'string' && reason.trim() !== ''
  return { type: 'deny', reason: isTold ? reason.slice(0, 1000) : 'The user said no.' }
}
