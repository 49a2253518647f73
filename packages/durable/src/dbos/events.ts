import { createHash } from 'node:crypto'
import type { RunEvent } from '@capstan/core'
import { toJsonText } from '@capstan/core/internal'
import type { Pool, PoolClient } from 'pg'
import type { Publisher } from './engine.js'

type OnEvent = (event: RunEvent) => void

/** Delivers runs' events to subscribers. It opens one database connection while there are any subscribers. */
export class EventSubscriptions {
  readonly #pool: Pool
  readonly #subscribers = new Map<string, Set<OnEvent>>()
  #connection: Promise<PoolClient> | undefined

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /**
   * Subscribes to a run's events. Events that are published while the connection is down are lost. Returns a function
   * that unsubscribes.
   */
  async subscribe(runId: string, onEvent: OnEvent): Promise<() => Promise<void>> {
    const channel = channelOf(runId)
    const existing = this.#subscribers.get(channel)
    if (existing) existing.add(onEvent)
    else this.#subscribers.set(channel, new Set([onEvent]))
    try {
      await (await this.#connected()).query(`LISTEN ${channel}`)
    } catch (error) {
      await this.#unsubscribe(channel, onEvent)
      throw error
    }
    return () => this.#unsubscribe(channel, onEvent)
  }

  /**
   * Resolves when all events published so far have been delivered. This works because PostgreSQL sends notifications
   * before the result of a query.
   */
  async caughtUp(): Promise<void> {
    await (await this.#connection)?.query('SELECT 1')
  }

  async #unsubscribe(channel: string, onEvent: OnEvent): Promise<void> {
    const subscribers = this.#subscribers.get(channel)
    subscribers?.delete(onEvent)
    if (subscribers?.size !== 0) return
    this.#subscribers.delete(channel)
    const connection = await this.#connection?.catch(() => undefined)
    if (this.#subscribers.size > 0) {
      await connection?.query(`UNLISTEN ${channel}`).catch(() => {})
      return
    }
    this.#connection = undefined
    // The connection is closed instead of being returned to the pool, because it is still subscribed.
    connection?.release(true)
  }

  /** Removes all subscribers and closes the connection. */
  async close(): Promise<void> {
    this.#subscribers.clear()
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
      const subscribers = this.#subscribers.get(channel)
      if (subscribers)
        for (const line of payload.split('\n')) for (const onEvent of subscribers) onEvent(JSON.parse(line))
    })
    connection.on('error', () => {
      connection.release(true)
      this.#connection = undefined
      if (this.#subscribers.size > 0) this.#reconnect()
    })
    return connection
  }

  /** Opens a new connection for the remaining subscribers. */
  #reconnect(): void {
    const listen = async () => {
      const connection = await this.#connected()
      for (const channel of this.#subscribers.keys()) await connection.query(`LISTEN ${channel}`)
    }
    listen().catch(() => {
      this.#connection = undefined
      setTimeout(() => this.#subscribers.size > 0 && this.#reconnect(), 1000).unref()
    })
  }
}

/** Returns the name of a run's notification channel. The id is hashed, because PostgreSQL limits names to 63 bytes. */
export const channelOf = (runId: string) =>
  `capstan_${createHash('sha256').update(runId).digest('hex').slice(0, 40)}`

/** Maximum size of a notification in bytes. PostgreSQL's own limit is a little less than 8,000. */
const maxBytes = 7000

/** How long events are collected before they are sent together, in milliseconds. Text arrives in many small deltas. */
const batchMs = 20

/**
 * Creates a function that publishes a run's events to subscribers in any process, in order. Events are not stored, and
 * long strings in them are shortened.
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
    // Send one query at a time, because concurrent queries on a pool can overtake each other.
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
    // Also send at the end of a child run, so that its events do not arrive after the parent's end.
    if (event.type === 'run-end') flush()
  }
  return Object.assign(publish, {
    async sent() {
      flush()
      await sent
    },
  })
}

/**
 * Returns an event as one line of JSON. Undefined if the line is too long even with shortened strings, or if the event
 * is nested too deeply to shorten.
 */
function toLine(event: RunEvent): string | undefined {
  const whole = toJsonText(event)
  if (Buffer.byteLength(whole) < maxBytes) return whole
  try {
    const plain: unknown = JSON.parse(whole)
    for (const maxCharacters of [1000, 200, 40]) {
      const cut = JSON.stringify(plain, (_key, value: unknown) =>
        typeof value === 'string' && value.length > maxCharacters
          ? `${value.slice(0, maxCharacters)}…`
          : value,
      )
      if (Buffer.byteLength(cut) < maxBytes) return cut
    }
  } catch {
    // Shortening needs more stack space than serializing does. An event must never make a run fail.
  }
  return undefined
}
