import { safeListener } from '@capstan/core/internal'
import { channel, guard, payloadOf } from './database.js'
import type { PgClient, PgPool } from './pool.js'

/** How often watchers are called while there is no connection, in milliseconds. */
const pollMs = 250

/** The pause between two attempts to connect, in milliseconds. */
const reconnectMs = 1000

/** How often the connection is checked, and within what time it must respond, in milliseconds. */
const heartbeat = { everyMs: 15_000, withinMs: 5000 }

/**
 * Calls a run's watchers when PostgreSQL sends a notification. Keeps one connection open while there are watchers. When
 * there is no connection, calls all watchers at an interval.
 */
export class ChangeListener {
  readonly #pool: PgPool
  readonly #schema: string
  /** Watchers by the payload of the notification that they are waiting for. */
  readonly #watchers = new Map<string, Set<() => void>>()
  #isRunning = false
  #isListening = false
  #polling: ReturnType<typeof setInterval> | undefined
  /** Ends the wait in `#untilLost`. */
  #wake = () => {}

  constructor(pool: PgPool, schema: string) {
    this.#pool = pool
    this.#schema = schema
  }

  watch(runId: string, onChange: () => void): () => void {
    const notify = safeListener(onChange)
    // Create a separate function for each call. Otherwise, removing one watcher would remove another with the same
    // `onChange`.
    const watcher = () => notify(undefined)
    const payload = payloadOf(this.#schema, runId)
    const watchers = this.#watchers.get(payload) ?? new Set()
    this.#watchers.set(payload, watchers.add(watcher))
    this.#poll()
    if (!this.#isRunning) void this.#run()
    return () => {
      watchers.delete(watcher)
      if (watchers.size === 0 && this.#watchers.get(payload) === watchers) this.#watchers.delete(payload)
      if (this.#watchers.size > 0) return
      this.#stopPolling()
      this.#wake()
    }
  }

  /** Connects, and reconnects after the connection is lost, while there are watchers. */
  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#watchers.size > 0) {
      this.#poll()
      const client = await this.#listen()
      this.#isListening = client !== undefined
      if (client) this.#stopPolling()
      // Runs may have changed before notifications arrive on this connection.
      this.#notifyAll()
      await this.#untilLost(client)
      this.#isListening = false
      client?.release(true)
    }
    this.#isRunning = false
  }

  /** Returns a client that receives notifications. Undefined if there is no connection. */
  async #listen(): Promise<PgClient | undefined> {
    const client = await this.#pool.connect().catch(() => undefined)
    if (!client) return undefined
    guard(client)
    client.on?.('notification', ({ payload = '' }) => this.#notify(payload))
    try {
      await client.query(`LISTEN ${channel}`)
      if (client.on) return client
    } catch {
      // A failure is treated like a missing connection.
    }
    client.release(true)
    return undefined
  }

  /**
   * Resolves when the client has lost its connection, or when the last watcher has been removed. Without a client,
   * resolves after a pause.
   */
  #untilLost(client: PgClient | undefined): Promise<void> {
    if (this.#watchers.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const lose = () => {
        clearInterval(timer)
        resolve()
      }
      const beat = async () => {
        if (!client || !(await responds(client))) lose()
      }
      const timer = setInterval(beat, client ? heartbeat.everyMs : reconnectMs)
      this.#wake = lose
      client?.on?.('error', lose)
      client?.on?.('end', lose)
    })
  }

  #poll(): void {
    if (!this.#isListening) this.#polling ??= setInterval(() => this.#notifyAll(), pollMs)
  }

  #stopPolling(): void {
    clearInterval(this.#polling)
    this.#polling = undefined
  }

  #notifyAll(): void {
    for (const payload of [...this.#watchers.keys()]) this.#notify(payload)
  }

  #notify(payload: string): void {
    for (const watcher of [...(this.#watchers.get(payload) ?? [])]) watcher()
  }
}

/** Whether a connection responds in time. If not, the server may have crashed without closing the connection. */
async function responds(client: PgClient): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, heartbeat.withinMs, false)
  })
  const query = client.query('SELECT 1').then(
    () => true,
    () => false,
  )
  return Promise.race([query, late]).finally(() => clearTimeout(timer))
}
