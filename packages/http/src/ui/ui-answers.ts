import type { Decision } from '@capstan/core'
import { readApprovalId } from '../approval-id.js'
import type { CallAnswer } from '../go-on.js'
import type { UiMessage } from './ui-request.js'
import { toToolPart, type UiToolPart } from './ui-tool-part.js'

/** What an answer of the assistant's says of its calls by now: yes or no where it was asked, results of the page's own. */
export function uiAnswers({ parts, runId }: UiMessage): ReadonlyMap<string, CallAnswer> {
  const answers = parts.flatMap((part) => {
    const call = toToolPart(part)
    const decision = call && toDecision(call)
    return decision ? [[call.callId, { decision, runId: askedBy(call) ?? runId }] as const] : []
  })
  return new Map(answers)
}

function toDecision({ state, output, errorText, approval }: UiToolPart): Decision | undefined {
  switch (state) {
    case 'approval-responded':
      return approval.approved === true ? { type: 'approve' } : { type: 'deny', reason: reasonOf(approval) }
    case 'output-available':
      return { type: 'result', value: output ?? null }
    case 'output-error':
      return { type: 'result', value: { error: errorText } }
    default:
      return undefined
  }
}

function reasonOf({ reason }: UiToolPart['approval']): string {
  return typeof reason === 'string' && reason.trim() !== '' ? reason.slice(0, 1000) : 'The user said no.'
}

/** A yes or a no without the run that asked is for none. */
function askedBy({ state, callId, approval }: UiToolPart): string | undefined {
  if (state !== 'approval-responded') return undefined
  const asked = readApprovalId(approval.id)
  return asked?.callId === callId ? asked.runId : ''
}
