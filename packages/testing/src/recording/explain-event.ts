import type { PendingCall } from '@capstan/core'
import { callInLine } from '../in-line.js'
import type { TellingEvent } from './lines.js'
import type { RunTold } from './recording.js'

/** What an event says, and what follows from it. */
export function explainEvent(event: TellingEvent, { exchanges }: RunTold): string {
  switch (event.type) {
    case 'repair-applied':
      return `the arguments of ${event.name} are mended, since the agent allows it: ${event.repairs.join('; ')}`
    case 'call-pending':
      return waiting(event)
    case 'limit-reached': {
      const lands = exchanges.some(({ at }) => at.endsWith('/landing'))
      const then = lands ? 'the model is asked for a last answer, without tools' : 'the run ends'
      return `the limit on ${event.limit} is reached: ${then}`
    }
    case 'stuck-detected':
      return `a turn of ${event.names.join(' and ')} repeats what came before: ${stages[event.stage]}`
    case 'run-tainted':
      return `the model reads what ${event.by} brought, which is not trusted: calls that may change things wait for a yes from now on`
    case 'landing-failed':
      return `the last answer fails (${event.code}: ${event.message}): the run ends without one`
    case 'handed-off':
      return `the agent "${event.to}" goes on with the conversation`
    case 'message-delivered':
      return `the caller says: ${event.text}`
    case 'context-trimmed':
      return `the history is shortened by the agent's \`compact\`: ${event.after} of ${event.before} messages are sent`
  }
}

const stages = {
  tell: 'the model is told so',
  withhold: 'the next step does not offer it',
  land: 'the run ends as stuck',
}

function waiting({ name, arguments: args, kind, reason }: PendingCall): string {
  const what = kind === 'approval' ? 'a yes' : 'its result'
  return `${callInLine(name, args)} waits for ${what}${reason === undefined ? '' : `: ${reason}`}`
}
