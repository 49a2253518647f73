import type { RunEvent } from '../../src/index.js'

/** The events of a run as a tree: what a step holds stands under it, what a call does under the call. */
export function eventTree(events: readonly RunEvent[]): string {
  const lines = events.map((event) => `${'  '.repeat(depthOf(event))}${event.type}${detailOf(event)}`)
  return lines.filter((line, n) => !isRepeated(line, lines[n - 1])).join('\n')
}

function depthOf({ type }: RunEvent): number {
  if (type === 'run-start' || type === 'run-end') return 0
  if (type === 'step-start' || type === 'step-end' || type === 'limit-reached') return 1
  return type === 'tool-progress' ? 3 : 2
}

/** Many deltas of one kind are one line. */
function isRepeated(line: string, before: string | undefined): boolean {
  return line === before && line.includes('-delta')
}

function detailOf(event: RunEvent): string {
  switch (event.type) {
    case 'call-delta':
    case 'call-ready':
    case 'tool-start':
    case 'tool-progress':
    case 'call-pending':
      return ` ${event.name}`
    case 'tool-end':
      return ` ${event.name}: ${event.status}`
    case 'message-added':
      return `: ${event.message.role}`
    case 'limit-reached':
      return `: ${event.limit}`
    case 'stuck-detected':
      return `: ${event.stage}`
    case 'run-end':
      return `: ${event.stopReason}`
    default:
      return ''
  }
}
