import { createHash } from 'node:crypto'
import type { RunEvent } from '@capstan/core'
import { toJsonText } from '@capstan/core/internal'
import type { Pool, PoolClient } from 'pg'
import type { Publisher } from './engine.js'

type OnEvent = (event: RunEvent) => void

/** Hears what is told of runs, all by one connection, which is there while anybody listens. */
export class EventSubscriptions {
  readonly #pool: Pool
  readonly #hearers = new Map<string, Set<OnEvent>>()
  #connection: Promise<PoolClient> | undefined

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** Hears a run from now on, until it is left. What is told while the connection is lost is not heard. */
  async subscribe(runId: string, hear: OnEvent): Promise<() => Promise<void>> {
    const channel = channelOf(runId)
    const others = this.#hearers.get(channel)
    if (others) others.add(hear)
    else this.#hearers.set(channel, new Set([hear]))
    try {
      await (await this.#connected()).query(`LISTEN ${channel}`)
    } catch (error) {
      await this.#leave(channel, hear)
      throw error
    }
    return () => this.#leave(channel, hear)
  }

  /** Resolves when all that was told before has been heard: the connection gives it out before it answers. */
  async caughtUp(): Promise<void> {
    await (await this.#connection)?.query('SELECT 1')
  }

  async #leave(channel: string, hear: OnEvent): Promise<void> {
    const hearers = this.#hearers.get(channel)
    hearers?.delete(hear)
    if (hearers?.size !== 0) return
    this.#hearers.delete(channel)
    const connection = await this.#connection?.catch(() => undefined)
    if (this.#hearers.size > 0) {
      await connection?.query(`UNLISTEN ${channel}`).catch(() => {})
      return
    }
    this.#connection = undefined
    // Ended rather than given back: whoever had it next would hear what is left.
    connection?.release(true)
  }

  /** Hears nothing more. */
  async close(): Promise<void> {
    this.#hearers.clear()
    const connection = await this.#connection?.catch(() => undefined)
    this.#connection = undefined
    connection?.release(true)
  }

  #connected(): Promise<PoolClient> {
    this.#connection ??= this.#connect()
    this.#connection.catch(() => {
      this.#connection = undefined
    })
    return this.#connection
  }

  async #connect(): Promise<PoolClient> {
    const connection = await this.#pool.connect()
    connection.on('notification', ({ channel, payload = '' }) => {
      const hearers = this.#hearers.get(channel)
      if (hearers) for (const line of payload.split('\n')) for (const hear of hearers) hear(JSON.parse(line))
    })
    connection.on('error', () => {
      connection.release(true)
      this.#connection = undefined
      if (this.#hearers.size > 0) this.#again()
    })
    return connection
  }

  /** Another connection for those who still listen. */
  #again(): void {
    const listen = async () => {
      const connection = await this.#connected()
      for (const channel of this.#hearers.keys()) await connection.query(`LISTEN ${channel}`)
    }
    listen().catch(() => {
      this.#connection = undefined
      setTimeout(() => this.#hearers.size > 0 && this.#again(), 1000).unref()
    })
  }
}

/** The channel that a run is told on: names of channels are short. */
export const channelOf = (runId: string) =>
  `capstan_${createHash('sha256').update(runId).digest('hex').slice(0, 40)}`

/** Bytes of one notification: PostgreSQL takes less than 8,000. */
const maxBytes = 7000

/** For how long events are gathered: text comes in many small pieces. */
const batchMs = 20

/**
 * Tells the events of a run to whoever listens, in whichever process, in their order. Lossy: nothing is kept, and what
 * does not fit is cut.
 */
export function createPublisher(pool: Pool, runId: string): Publisher {
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
    if (bytes + size > maxBytes) flush()
    lines.push(line)
    bytes += size
    timer ??= setTimeout(flush, batchMs)
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
  if (Buffer.byteLength(whole) < maxBytes) return whole
  try {
    const plain: unknown = JSON.parse(whole)
    for (const most of [1000, 200, 40]) {
      const cut = JSON.stringify(plain, (_key, value: unknown) =>
        typeof value === 'string' && value.length > most ? `${value.slice(0, most)}…` : value,
      )
      if (Buffer.byteLength(cut) < maxBytes) return cut
    }
  } catch {
    // Cutting takes more of the stack than writing. Events are lossy: a run must not fail by one.
  }
  return undefined
}
