import type { PendingCall } from '@capstan/core'
import { visibleText } from '@capstan/core/wire'
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
  const lines = ['Waiting:', ...calls.flatMap(pendingEntry)]
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
    visibleText(`To go on: ${[...words, ...calls.flatMap(decision)].map(quoted).join(' ')}`),
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

function pendingEntry(call: PendingCall): string[] {
  const [first, ...rest] = pendingCall(call)
  return [`  ${visibleText(call.callId)}: ${first}`, ...rest.map((line) => `    ${line}`)]
}

/** A pending call and why it waits, then its arguments: whole, a field a line, with nothing in them hidden. */
export function pendingCall({ name, arguments: given, kind, reason, agent }: PendingCall): string[] {
  const why = reason ?? (kind === 'result' ? 'its result is yours to give' : 'it needs a yes or no')
  const whose = agent === undefined ? '' : ` (of ${agent})`
  const lines = (JSON.stringify(given, null, 2) ?? '').split('\n')
  return [`${name}${whose}: ${why}`, ...lines].map(visibleText)
}
