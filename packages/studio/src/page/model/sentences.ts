import type { LimitName, StopReason } from '@capstan/core'
import type { RunSummary } from '../../types.js'
import type { Status } from './run-nodes.js'

/** Returns a sentence about how a run ended. */
export function sentenceOfEnd(
  end: { readonly stopReason: StopReason | 'error'; readonly code?: string; readonly message?: string },
  limit?: LimitName,
): string {
  if (end.stopReason === 'error') return `${end.code ?? 'error'}: ${end.message ?? ''}`
  if (end.stopReason === 'limit') return limit ? `Limit reached (${limit}).` : 'Limit reached.'
  const sentences: Record<Exclude<StopReason, 'limit'>, string> = {
    done: 'The model has replied.',
    pending: 'Waiting for your decision.',
    stuck: 'The run made no progress.',
    condition: 'A stop condition was met.',
    length: 'The reply was cut off at its maximum length.',
    refusal: 'The model refused.',
    content_filter: 'The server withheld the reply.',
    aborted: 'The run was stopped.',
  }
  return sentences[end.stopReason] ?? end.stopReason
}

/** The word and symbol for each state, so that states do not differ only in colour. Notes have neither. */
export const statusWords: Readonly<Record<Status, { readonly word: string; readonly sign: string }>> = {
  running: { word: 'running', sign: '…' },
  ok: { word: 'ok', sign: '✓' },
  error: { word: 'error', sign: '✗' },
  rejected: { word: 'rejected', sign: '✗' },
  denied: { word: 'denied', sign: '⊘' },
  cut_off: { word: 'cut off', sign: '◼' },
  not_run: { word: 'not run', sign: '–' },
  waiting: { word: 'pending', sign: '!' },
  note: { word: '', sign: '' },
  problem: { word: 'problem', sign: '!' },
}

/** Returns a run's state as a word to show, and as the row status with the same style. */
export function stateOfRun(run: Pick<RunSummary, 'status' | 'stopReason' | 'limit' | 'error'>): {
  readonly word: string
  readonly status: Status
} {
  if (run.status === 'running') return { word: 'running', status: 'running' }
  if (run.status === 'pending') return { word: 'pending', status: 'waiting' }
  if (run.status === 'lost') return { word: 'lost', status: 'error' }
  if (run.status === 'failed') return { word: `failed: ${run.error?.code ?? 'error'}`, status: 'error' }
  if (run.stopReason === undefined || run.stopReason === 'done') return { word: 'done', status: 'ok' }
  if (run.stopReason === 'limit') return { word: `limit: ${run.limit ?? ''}`, status: 'problem' }
  return { word: run.stopReason.replace('_', ' '), status: 'problem' }
}
