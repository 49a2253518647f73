import type { RunEvent } from '@capstan/core'
import { count, duration } from '../say/figures.js'
import { oneLine } from '../say/one-line.js'

/** What is said of an event that is neither words nor a call; undefined for most. */
export function notice(event: RunEvent): string | undefined {
  const text = textOf(event)
  return text === undefined ? undefined : oneLine(text, 200)
}

function textOf(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'retry-scheduled': {
      const whom = event.model === undefined ? '' : ` of ${event.model}`
      return `${event.code}: ${event.message} The answer is asked for anew${whom} in ${duration(event.delayMs)}.`
    }
    case 'repair-applied':
      return `arguments of ${event.name} mended: ${event.repairs.join(', ')}`
    case 'limit-reached':
      return `limit reached: ${event.limit}`
    case 'stuck-detected':
      return `the same calls again (${event.names.join(', ')}): ${stages[event.stage]}`
    case 'run-tainted':
      return `${event.by} brought words of strangers: calls that change things are asked about`
    case 'landing-failed':
      return `no last answer: ${event.code}: ${event.message}`
    case 'handed-off':
      return `${event.to} goes on`
    case 'context-trimmed':
      return `the model is shown ${event.after} of ${count(event.before, 'message')}`
    default:
      return undefined
  }
}

const stages = {
  tell: 'the model is told',
  withhold: 'they are withheld for a step',
  land: 'a last answer is asked for',
} as const
