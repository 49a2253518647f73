import { createHash } from 'node:crypto'
import type { RunEvent } from '@capstan/core'
import type { Pool } from 'pg'
import type { Publisher } from './engine.js'

/** The channel that a run is told on: names of channels are short. */
export const channelOf = (runId: string) =>
  `capstan_${createHash('sha256').update(runId).digest('hex').slice(0, 40)}`

/** Bytes of one notification: PostgreSQL takes less than 8,000. */
const mostBytes = 7000

/** For how long events are gathered: text comes in many small pieces. */
const gatherMs = 20

/**
 * Tells the events of a run to whoever listens, in whichever process. Lossy: nothing waits for it, nothing is kept, and
 * what does not fit is left out.
 */
export function publisher(pool: Pool, runId: string): Publisher {
  let lines: string[] = []
  let bytes = 0
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (lines.length === 0) return
    pool.query('SELECT pg_notify($1, $2)', [channelOf(runId), lines.join('\n')]).catch(() => {})
    lines = []
    bytes = 0
  }
  return (event) => {
    const line = toLine(event)
    const size = Buffer.byteLength(line) + 1
    if (bytes + size > mostBytes) flush()
    lines.push(line)
    bytes += size
    timer ??= setTimeout(flush, gatherMs)
    if (event.type === 'run-end' && event.parentCallId === undefined) flush()
  }
}

/** An event on a line; of one that is too long, what says which it is. */
function toLine(event: RunEvent): string {
  const line = JSON.stringify(event)
  if (Buffer.byteLength(line) < mostBytes) return line
  const { type, runId, seq, step, parentCallId } = event
  const { callId, name, status, ms } = event as {
    callId?: string
    name?: string
    status?: string
    ms?: number
  }
  return JSON.stringify({ type, runId, seq, step, parentCallId, callId, name, status, ms, omitted: true })
}
