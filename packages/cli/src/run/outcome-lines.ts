import type { AnyRunResult, StopReason } from '@capstan/core'
import { exits } from '../line/exits.js'
import { plainText } from '../say/plain-text.js'
import { usageLine } from './usage-line.js'

/** What is said of a run at its end. */
export function outcomeLines(result: AnyRunResult): string[] {
  const { stopReason, refusal, incomplete, undelivered = [] } = result
  return [
    ...(refusal === undefined ? [] : [`The model refused: ${plainText(refusal)}`]),
    ...(incomplete ? ['The answer is not whole: its end never came.'] : []),
    ...undelivered.map((text) => `Not read any more: ${plainText(text)}`),
    ...(Object.hasOwn(advice, stopReason) ? [advice[stopReason] ?? ''] : []),
    usageLine(result),
  ]
}

/** What the process ends with. */
export function exitOf(stopReason: StopReason): number {
  if (stopReason === 'done') return exits.done
  return stopReason === 'pending' ? exits.pending : exits.stopped
}

const advice: Partial<Record<StopReason, string>> = {
  limit: 'The run reached a limit of its agent.',
  stuck: 'The run went round in circles.',
  condition: "The agent's own condition to stop was met.",
  length: "The answer was cut: it reached the model's bound on one answer.",
  content_filter: 'The server kept the answer back.',
  aborted: 'The run was stopped. What was done so far is done.',
}
