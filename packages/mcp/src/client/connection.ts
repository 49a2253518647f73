import { CapstanError } from '@capstan/core'
import type { Client } from '@modelcontextprotocol/client'
import { type Address, toAddress } from './address.js'
import { connect, type Link, toFailure } from './connect.js'
import type { McpToolsOptions } from './mcp-options.js'

/** The way to one server: connected when it is first needed, and anew when a connection has ended. */
export class Connection {
  readonly address: Address
  readonly #options: McpToolsOptions
  readonly #listChanged: () => void
  readonly #closing = new AbortController()
  #link: Promise<Link> | undefined
  #connections = 0
  /** How many calls go on over each connection. */
  readonly #users = new Map<Link, number>()

  constructor(options: McpToolsOptions, listChanged: () => void) {
    this.#options = options
    this.#listChanged = listChanged
    this.address = toAddress(options)
  }

  /** Connects, unless it is connected. @throws CapstanError, or the signal's reason */
  async open(signal?: AbortSignal): Promise<void> {
    await this.#connected(signal)
  }

  /** Does something with the server. `doing` says in words what. @throws CapstanError, or the signal's reason */
  async use<T>(doing: string, work: (client: Client) => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (let again = false; ; again = true) {
      // One who leaves while it is connected leaves others alone that wait for the same.
      const linking = this.#connected()
      const link = await linking
      this.#users.set(link, (this.#users.get(link) ?? 0) + 1)
      try {
        signal?.throwIfAborted()
        return await work(link.client)
      } catch (error) {
        if (signal?.aborted) throw signal.reason
        // A server that has forgotten its session has done nothing: the protocol asks for a new one.
        const mayGoOn = isForgotten(error) && this.#options.reconnect !== false
        if (again || !mayGoOn) throw toFailure(error, doing, { address: this.address, way: link })
        this.#forget(linking)
      } finally {
        await this.#release(link, linking)
      }
    }
  }

  /** Ends the connection, and with it the process of the server. */
  async close(): Promise<void> {
    this.#closing.abort(this.#ended('was closed: its tools can no longer be called'))
    const link = await this.#link?.catch(() => undefined)
    this.#link = undefined
    await Promise.all([...new Set([...this.#users.keys(), ...(link ? [link] : [])])].map(end))
  }

  /** A forgotten connection ends with the last of its calls: others may still be answered over it. */
  async #release(link: Link, linking: Promise<Link>): Promise<void> {
    const users = (this.#users.get(link) ?? 1) - 1
    if (users > 0) {
      this.#users.set(link, users)
      return
    }
    this.#users.delete(link)
    if (this.#link !== linking) await end(link)
  }

  #connected(signal?: AbortSignal): Promise<Link> {
    if (this.#closing.signal.aborted) return Promise.reject(this.#closing.signal.reason)
    if (this.#link) return this.#link
    if (this.#connections > 0 && this.#options.reconnect === false)
      return Promise.reject(
        this.#ended('has ended the connection, and reconnect is off: call mcpTools again'),
      )
    this.#connections += 1
    const linking: Promise<Link> = this.#connect(signal, () => this.#forget(linking))
    linking.catch(() => this.#forget(linking))
    this.#link = linking
    return linking
  }

  #connect(signal: AbortSignal | undefined, ended: () => void): Promise<Link> {
    const closing = this.#closing.signal
    return connect({
      options: this.#options,
      address: this.address,
      signal: signal ? AbortSignal.any([signal, closing]) : closing,
      listChanged: this.#listChanged,
      ended,
    })
  }

  #forget(linking: Promise<Link>): void {
    if (this.#link === linking) this.#link = undefined
  }

  #ended(how: string): CapstanError {
    return new CapstanError('invalid_state', `The MCP server "${this.address.called}" ${how}.`)
  }
}

/** A session is given back, where there is one; a server that does not answer keeps nobody waiting. */
async function end({ client, transport }: Link): Promise<void> {
  if ('terminateSession' in transport && typeof transport.terminateSession === 'function')
    await inTime(transport.terminateSession(), goodbyeMs)
  await client.close().catch(() => {})
}

const goodbyeMs = 2000

function isForgotten(error: unknown): boolean {
  return (Object(error) as { readonly status?: unknown }).status === 404
}

async function inTime(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work.catch(() => {}), late])
  clearTimeout(timer)
}
