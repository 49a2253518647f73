import type { RunEvent } from '@capstan/core'
import type { Pool, PoolClient } from 'pg'
import { channelOf } from './publisher.js'

type Hear = (event: RunEvent) => void

/** Hears what is told of runs, all by one connection, which is there while anybody listens. */
export class LiveEvents {
  readonly #pool: Pool
  readonly #hearers = new Map<string, Set<Hear>>()
  #connection: Promise<PoolClient> | undefined

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** Hears a run from now on, until it is left. What is told while the connection is lost is not heard. */
  async subscribe(runId: string, hear: Hear): Promise<() => Promise<void>> {
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

  async #leave(channel: string, hear: Hear): Promise<void> {
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
