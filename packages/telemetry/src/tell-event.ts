import type { RunEvent } from '@capstan/core'
import type { Invocation } from './invocation.js'
import { eventNames, names } from './names.js'

/** What happens in a run, as events of the span that it happens to: codes, names and counts, never words. */
export function tellEvent(event: RunEvent, invocation: Invocation): void {
  const { operation, scope } = invocation
  switch (event.type) {
    case 'tool-start':
      if (scope.content.has('arguments'))
        invocation.operationOf(event.callId).say(() => ({ [names.callArguments]: event.arguments }))
      break
    case 'repair-applied':
      invocation
        .operationOf(event.callId)
        .tell(eventNames.repair, { [names.callId]: event.callId, count: event.repairs.length })
      break
    case 'call-pending':
      operation.tell(eventNames.pending, {
        [names.callId]: event.callId,
        [names.tool]: event.name,
        kind: event.kind,
      })
      break
    case 'limit-reached':
      operation.tell(eventNames.limit, { limit: event.limit })
      break
    case 'stuck-detected':
      operation.tell(eventNames.stuck, { stage: event.stage, tools: [...event.names] })
      break
    case 'run-tainted':
      operation.tell(eventNames.tainted, { [names.tool]: event.by })
      break
    case 'landing-failed':
      operation.tell(eventNames.landingFailed, { [names.error]: event.code })
      break
    case 'message-delivered':
      operation.tell(eventNames.delivered)
      break
    case 'context-trimmed':
      operation.tell(eventNames.trimmed, { before: event.before, after: event.after })
      break
    case 'handed-off':
      invocation.handOver(event.to)
      break
    default:
  }
}
