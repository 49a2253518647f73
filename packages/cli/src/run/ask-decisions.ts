import type { Decision, Decisions, PendingCall } from '@capstan/core'
import { isCancel, select, text } from '@clack/prompts'
import { pendingCall } from './pending-lines.js'

/** Whether somebody is there to be asked. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}

/** What the user decides of calls, one after another; undefined when they leave a question. */
export async function askDecisions(
  calls: readonly PendingCall[],
  signal: AbortSignal,
): Promise<Decisions | undefined> {
  const decided: [string, Decision][] = []
  for (const call of calls) {
    const decision = call.kind === 'result' ? await askResult(call, signal) : await askApproval(call, signal)
    if (!decision) return undefined
    decided.push([call.callId, decision])
  }
  return Object.fromEntries(decided)
}

const output = process.stderr

async function askApproval(call: PendingCall, signal: AbortSignal): Promise<Decision | undefined> {
  const answer = await select({
    message: pendingCall(call),
    options: [
      { value: 'approve', label: 'Approve' },
      { value: 'deny', label: 'Deny' },
    ],
    output,
    signal,
  })
  if (isCancel(answer)) return undefined
  if (answer === 'approve') return { type: 'approve' }
  const reason = await text({
    message: 'Why not? The model is told.',
    defaultValue: 'The user said no.',
    output,
    signal,
  })
  return isCancel(reason) ? undefined : { type: 'deny', reason }
}

async function askResult(call: PendingCall, signal: AbortSignal): Promise<Decision | undefined> {
  const said = await text({ message: pendingCall(call), placeholder: 'JSON, or plain words', output, signal })
  return isCancel(said) ? undefined : { type: 'result', value: toValue(said ?? '') }
}

function toValue(said: string): unknown {
  try {
    return JSON.parse(said)
  } catch {
    return said
  }
}
