import { CapstanError, isCapstanError } from '@capstan/core'
import type { Client } from '@modelcontextprotocol/client'
import { toError } from './errors.js'
import { type McpToolsOptions, usualTimeoutMs } from './options.js'
import { type Address, toAddress } from './server-text.js'
import { toTransport, type Way } from './transport.js'

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

/** A connection while it lasts. */
interface Link extends Way {
  readonly client: Client
}

/** What is wanted of a connection, and who is told of it. */
interface Wanted {
  readonly options: McpToolsOptions
  readonly address: Address
  /** Ends the attempt. */
  readonly signal: AbortSignal
  /** Told when the server says that its tools have changed. */
  listChanged(): void
  /** Told when the connection has ended. */
  ended(): void
}

/** Connects once. @throws CapstanError, or the signal's reason */
async function connect(wanted: Wanted): Promise<Link> {
  try {
    return await attempt('auto', wanted)
  } catch (error) {
    // Some older servers end at a question that they do not know: they are asked in their own way.
    const mayBeOlder = 'command' in wanted.options && isCapstanError(error) && error.code === 'network'
    if (!mayBeOlder || wanted.signal.aborted) throw error
    return attempt('legacy', wanted)
  }
}

type Mode = 'auto' | 'legacy'

async function attempt(mode: Mode, wanted: Wanted): Promise<Link> {
  const { options, address, signal } = wanted
  const { timeoutMs: timeout = usualTimeoutMs } = options
  const way = await toTransport(options, address)
  const client = await toClient(mode, wanted)
  let state: 'new' | 'open' | 'over' = 'new'
  client.onclose = () => {
    if (state === 'open') wanted.ended()
    state = 'over'
  }
  // Not every question of the client is ended by its signal.
  const leave = () => void way.transport.close().catch(() => {})
  signal.addEventListener('abort', leave)
  try {
    signal.throwIfAborted()
    await client.connect(way.transport, { timeout, maxTotalTimeout: timeout, signal })
    if (isOver(state)) throw new CapstanError('network', `The MCP server "${address.called}" ended at once.`)
    state = 'open'
    return { ...way, client }
  } catch (error) {
    await client.close().catch(() => {})
    await way.transport.close().catch(() => {})
    throw signal.aborted ? signal.reason : toFailure(error, 'connecting', { address, way })
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

/** It may be by now, whatever the compiler has seen. */
function isOver(state: string): boolean {
  return state === 'over'
}

async function toClient(mode: Mode, { options, listChanged }: Wanted): Promise<Client> {
  const { Client } = await import('@modelcontextprotocol/client')
  const { timeoutMs = usualTimeoutMs } = options
  // A process that does not know the question may leave it unanswered: it is asked in the older way soon.
  const probe = 'command' in options ? { probe: { timeoutMs: Math.min(timeoutMs, probeMs) } } : {}
  const tools = { autoRefresh: false, debounceMs: 50, onChanged: listChanged }
  return new Client(
    { name: 'capstan', version: '0.1.0' },
    { versionNegotiation: { mode, ...probe }, listChanged: { tools } },
  )
}

const probeMs = 10_000

interface Place {
  readonly address: Address
  readonly way: Way
}

/** What failed, with what the process of the server said last. */
function toFailure(error: unknown, doing: string, { address, way }: Place): CapstanError {
  const failure = toError(error, doing, address)
  const words = way.lastWords?.() ?? ''
  if (words === '' || failure.code === 'invalid_arguments') return failure
  const { code, message, retryable, evidence, status } = failure
  return new CapstanError(code, message, {
    retryable,
    evidence: { ...evidence, stderr: words },
    ...(status === undefined ? {} : { status }),
  })
}
