import type { PendingCall } from '@capstan/core'
import { oneLine } from '../say/one-line.js'
import { quoted } from '../say/quoted.js'

/** How a run that waits was started. */
export interface Waiting {
  readonly file: string
  /** The export that is its agent, where one was named. */
  readonly agent?: string | undefined
  /** Where its state was written. */
  readonly state?: string | undefined
}

/** What waits for a decision, and how to go on. */
export function pendingLines(calls: readonly PendingCall[], { file, agent, state }: Waiting): string[] {
  const lines = ['Waiting:', ...calls.map((call) => `  ${call.callId}: ${pendingCall(call)}`)]
  if (state === undefined)
    return [...lines, 'To decide later, run it with --state FILE, which keeps the run.']
  const words = [
    'capstan',
    'run',
    file,
    ...(agent === undefined ? [] : ['--agent', agent]),
    '--resume',
    state,
  ]
  return [
    ...lines,
    `To go on: ${[...words, ...calls.flatMap(decision)].map(quoted).join(' ')}`,
    ...otherwise(calls),
  ]
}

function decision({ callId, kind }: PendingCall): string[] {
  return kind === 'result' ? ['--result', `${callId}=JSON`] : ['--approve', callId]
}

function otherwise(calls: readonly PendingCall[]): string[] {
  return calls.some(({ kind }) => kind === 'approval')
    ? ['To refuse a call: --deny ID=REASON in place of --approve ID']
    : []
}

/** A call that waits, on one line: what it is, and why it waits. */
export function pendingCall({ name, arguments: given, kind, reason, agent }: PendingCall): string {
  const why = reason ?? (kind === 'result' ? 'its result is yours to give' : 'it needs a yes or no')
  const whose = agent === undefined ? '' : ` (of ${agent})`
  return oneLine(`${name} ${JSON.stringify(given)}${whose}: ${why}`, 200)
}
