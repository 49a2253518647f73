import { createHash } from 'node:crypto'
import type { RunEvent } from '@capstan/core'
import { toJsonText } from '@capstan/core/wire'
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
 * Tells the events of a run to whoever listens, in whichever process, in their order. Lossy: nothing is kept, and what
 * does not fit is cut.
 */
export function publisher(pool: Pool, runId: string): Publisher {
  let sent: Promise<unknown> = Promise.resolve()
  let lines: string[] = []
  let bytes = 0
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (lines.length === 0) return
    const values = [channelOf(runId), lines.join('\n')]
    // One after the other: each may get another connection.
    sent = sent.then(() => pool.query('SELECT pg_notify($1, $2)', values)).catch(() => {})
    lines = []
    bytes = 0
  }
  const publish = (event: RunEvent) => {
    const line = toLine(event)
    if (line === undefined) return
    const size = Buffer.byteLength(line) + 1
    if (bytes + size > mostBytes) flush()
    lines.push(line)
    bytes += size
    timer ??= setTimeout(flush, gatherMs)
    // Of a run within a run as well: what that said must not come after the end of the other.
    if (event.type === 'run-end') flush()
  }
  return Object.assign(publish, {
    async sent() {
      flush()
      await sent
    },
  })
}

/** An event on a line; undefined for one that is too long with its texts cut, or too deep to cut. */
function toLine(event: RunEvent): string | undefined {
  const whole = toJsonText(event)
  if (Buffer.byteLength(whole) < mostBytes) return whole
  try {
    const plain: unknown = JSON.parse(whole)
    for (const most of [1000, 200, 40]) {
      const cut = JSON.stringify(plain, (_key, value: unknown) =>
        typeof value === 'string' && value.length > most ? `${value.slice(0, most)}…` : value,
      )
      if (Buffer.byteLength(cut) < mostBytes) return cut
    }
  } catch {
    // Cutting takes more of the stack than writing. Events are lossy: a run must not fail by one.
  }
  return undefined
}
