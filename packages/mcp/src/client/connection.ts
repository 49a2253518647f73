import { CapstanError, isCapstanError } from '@capstan/core'
import { isRecord, tryJson, version } from '@capstan/core/internal'
import type { Client, ElicitResult } from '@modelcontextprotocol/client'
import { connecting, isNotSent, toError, withProcess } from './errors.js'
import type { OpenCall } from './open-calls.js'
import { defaultTimeoutMs, type McpToolsOptions } from './options.js'
import { readQuestion } from './question.js'
import { type ServerAddress, serverAddress } from './server-text.js'
import { openTransport, type ServerTransport } from './transport.js'

/** A connection to one server. It connects on first use, and reconnects after the connection has been lost. */
export class Connection {
  readonly address: ServerAddress
  readonly #options: McpToolsOptions
  readonly #listChanged: () => void
  readonly #closing = new AbortController()
  #connection: Promise<McpConnection> | undefined
  #connections = 0
  /** The transport of the most recently ended connection. */
  #ended: ServerTransport | undefined
  /** The number of active calls per connection. */
  readonly #calls = new Map<McpConnection, number>()
  /** The active calls, per connection. The server may ask the user questions during them. */
  readonly #openCalls = new WeakMap<Client, Set<OpenCall>>()

  constructor(options: McpToolsOptions, listChanged: () => void) {
    this.#options = options
    this.#listChanged = listChanged
    this.address = serverAddress(options)
  }

  /**
   * Connects, unless it is already connected.
   * @throws CapstanError, or the signal's reason
   */
  async open(signal?: AbortSignal): Promise<void> {
    await this.#getConnection(signal)
  }

  /**
   * Runs `work` as a call, during which the server may ask questions.
   * @throws CapstanError, or the signal's reason
   */
  call<T>(
    doing: string,
    open: OpenCall,
    work: (client: Client) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    return this.use(
      doing,
      async (client) => {
        const calls = this.#openCalls.get(client) ?? new Set()
        this.#openCalls.set(client, calls.add(open))
        try {
          return await work(client)
        } finally {
          calls.delete(open)
        }
      },
      signal,
    )
  }

  /**
   * Passes a server's question to the call that the question is about, and returns the answer. Over stdio, a server
   * does not name the call, so the question is cancelled if several calls are active.
   * @throws CapstanError `invalid_response` for a question that cannot be shown
   */
  async #answer(asked: AskedOnConnection): Promise<ElicitResult> {
    const question = readQuestion('question', asked.params)
    const calls = [...(this.#openCalls.get(asked.client) ?? [])]
    const [only, ...others] = calls
    const call =
      asked.call === undefined && others.length === 0 ? only : calls.find(({ id }) => id === asked.call)
    return call ? call.ask(question, asked.signal) : { action: 'cancel' }
  }

  /**
   * Calls `work` with a connected client. `doing` describes the work in error messages.
   * @throws CapstanError, or the signal's reason
   */
  async use<T>(doing: string, work: (client: Client) => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (let isRetry = false; ; isRetry = true) {
      // A caller's signal does not abort connecting, because other callers may be waiting for the same connection.
      const pending = this.#getConnection()
      const connection = await pending
      this.#calls.set(connection, (this.#calls.get(connection) ?? 0) + 1)
      try {
        signal?.throwIfAborted()
        return await work(connection.client)
      } catch (error) {
        if (signal?.aborted) throw signal.reason
        const mayReconnect = this.#options.reconnect !== false
        const isRefused = isSessionGone(error, connection) || isNotSent(error)
        const failure = toFailure(error, doing, { address: this.address, opened: connection })
        // If a request was lost, the server may have been restarted, and the new process does not know this session.
        const isLost = isRefused || failure.code === 'network' || isBadRequest(error, connection)
        if (isLost && mayReconnect) this.#drop(pending)
        if (isRetry || !isRefused || !mayReconnect) throw failure
      } finally {
        await this.#release(connection, pending)
      }
    }
  }

  /** Closes the connection, and ends the process of a stdio server. */
  async close(): Promise<void> {
    this.#closing.abort(this.#stateError('is closed. Call mcpTools again to use its tools'))
    const connection = await this.#connection?.catch(() => undefined)
    this.#connection = undefined
    await Promise.all(
      [...new Set([...this.#calls.keys(), ...(connection ? [connection] : [])])].map(endConnection),
    )
  }

  /**
   * Counts a call as ended. If this was the last call on a connection that has been replaced, closes the connection.
   */
  async #release(connection: McpConnection, pending: Promise<McpConnection>): Promise<void> {
    const calls = (this.#calls.get(connection) ?? 1) - 1
    if (calls > 0) {
      this.#calls.set(connection, calls)
      return
    }
    this.#calls.delete(connection)
    if (this.#connection !== pending) await endConnection(connection)
  }

  #getConnection(signal?: AbortSignal): Promise<McpConnection> {
    if (this.#closing.signal.aborted) return Promise.reject(this.#closing.signal.reason)
    if (this.#connection) return this.#connection
    if (this.#connections > 0 && this.#options.reconnect === false) return Promise.reject(this.#endedError())
    this.#connections += 1
    const pending: Promise<McpConnection> = this.#connect(signal, (ended) => {
      this.#ended = ended
      this.#drop(pending)
    })
    pending.catch(() => this.#drop(pending))
    this.#connection = pending
    return pending
  }

  #connect(signal: AbortSignal | undefined, onEnd: ConnectOptions['onEnd']): Promise<McpConnection> {
    const closing = this.#closing.signal
    return connect({
      options: this.#options,
      address: this.address,
      signal: signal ? AbortSignal.any([signal, closing]) : closing,
      listChanged: this.#listChanged,
      answer: (asked) => this.#answer(asked),
      onEnd,
    })
  }

  #drop(pending: Promise<McpConnection>): void {
    if (this.#connection === pending) this.#connection = undefined
  }

  #endedError(): CapstanError {
    const error = this.#stateError('ended the connection and reconnect is off. Call mcpTools again')
    return withProcess(error, { label: this.address.label, process: this.#ended?.process })
  }

  #stateError(how: string): CapstanError {
    return new CapstanError('invalid_state', `The MCP server "${this.address.label}" ${how}.`)
  }
}

/** Ends the session, if there is one, and closes the client. Waits for the server's response only briefly. */
async function endConnection({ client, transport }: McpConnection): Promise<void> {
  if ('terminateSession' in transport && typeof transport.terminateSession === 'function')
    await withTimeout(transport.terminateSession(), closeTimeoutMs)
  await client.close().catch(() => {})
}

const closeTimeoutMs = 2000

/**
 * Whether a server rejected a request without running it, because it does not know the session. The protocol requires
 * status 404; servers based on the SDK's examples send 400 with a message but without a request id.
 */
function isSessionGone(error: unknown, connection: McpConnection): boolean {
  const { status, data } = Object(error) as SentError
  if (status !== 400) return status === 404
  const { text } = Object(data) as { readonly text?: unknown }
  const body = tryJson(String(text))
  const isToNone = isRecord(body) && isRecord(body.error) && (body.id ?? null) === null
  return isBadRequest(error, connection) && (isToNone || /session|initiali[sz]ed/i.test(String(text)))
}

/** Whether a server rejected a request with status 400, possibly because it does not know the session. */
function isBadRequest(error: unknown, { transport }: McpConnection): boolean {
  return (Object(error) as SentError).status === 400 && transport.sessionId !== undefined
}

interface SentError {
  readonly status?: unknown
  readonly data?: unknown
}

async function withTimeout(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work.catch(() => {}), late])
  clearTimeout(timer)
}

/** A connected server and its state. */
interface McpConnection extends ServerTransport {
  readonly client: Client
}

/** A question that arrived on a connection. */
interface AskedOnConnection {
  readonly client: Client
  readonly params: unknown
  /** The id of the call that the question is about, if the transport provides it. */
  readonly call: unknown
  /** Aborts when the server withdraws the question. */
  readonly signal: AbortSignal
}

interface ConnectOptions {
  readonly options: McpToolsOptions
  readonly address: ServerAddress
  /** Aborts the attempt. */
  readonly signal: AbortSignal
  /** Called when the server announces that its tools have changed. */
  listChanged(): void
  /** Returns the answer to a server's question. */
  answer(asked: AskedOnConnection): Promise<ElicitResult>
  /** Called when the connection has ended. */
  onEnd(ended: ServerTransport): void
}

/**
 * Connects to a server. If a stdio server exits during the newer handshake, tries the older one.
 * @throws CapstanError, or the signal's reason
 */
async function connect(target: ConnectOptions): Promise<McpConnection> {
  try {
    return await connectOnce('auto', target)
  } catch (error) {
    // Some older servers exit when they get the newer handshake, so try the older one.
    const mayBeLegacy = 'command' in target.options && isCapstanError(error) && error.code === 'network'
    if (!mayBeLegacy || target.signal.aborted) throw error
    return connectOnce('legacy', target)
  }
}

type Mode = 'auto' | 'legacy'

async function connectOnce(mode: Mode, target: ConnectOptions): Promise<McpConnection> {
  const { options, address, signal } = target
  const { timeoutMs: timeout = defaultTimeoutMs } = options
  const opened = await openTransport(options, address)
  const client = await toClient(mode, target, opened)
  let state: 'new' | 'open' | 'over' = 'new'
  client.onclose = () => {
    if (state === 'open') target.onEnd(opened)
    state = 'over'
  }
  // When a process has exited, the client stays open until the process's last output has been read. Later calls must
  // start a new process immediately.
  opened.process?.onEnd(() => {
    if (state === 'open') target.onEnd(opened)
  })
  // Some of the client's requests ignore the signal.
  const abortConnect = () => void opened.transport.close().catch(() => {})
  signal.addEventListener('abort', abortConnect)
  try {
    signal.throwIfAborted()
    await client.connect(opened.transport, { timeout, maxTotalTimeout: timeout, signal })
    if (isClosed(state))
      throw new CapstanError(
        'network',
        `The MCP server "${address.label}" closed the connection immediately. Check that it starts and supports MCP.`,
      )
    state = 'open'
    return { ...opened, client }
  } catch (error) {
    await client.close().catch(() => {})
    await opened.transport.close().catch(() => {})
    throw signal.aborted ? signal.reason : toFailure(error, connecting, { address, opened })
  } finally {
    signal.removeEventListener('abort', abortConnect)
  }
}

/**
 * Whether the connection is closed. This is a function because TypeScript narrows `state`, and does not know that a
 * callback changes it.
 */
function isClosed(state: string): boolean {
  return state === 'over'
}

async function toClient(
  mode: Mode,
  { options, listChanged, answer }: ConnectOptions,
  { related }: ServerTransport,
): Promise<Client> {
  const { Client } = await import('@modelcontextprotocol/client')
  const { timeoutMs = defaultTimeoutMs } = options
  // An older stdio server may never respond to the probe, so use a short timeout before falling back.
  const probe = 'command' in options ? { probe: { timeoutMs: Math.min(timeoutMs, probeMs) } } : {}
  const tools = { autoRefresh: false, debounceMs: 50, onChanged: listChanged }
  const client = new Client(
    { name: 'capstan', version },
    {
      versionNegotiation: { mode, ...probe },
      listChanged: { tools },
      capabilities: { elicitation: { form: {}, url: {} } },
      inputRequired: { autoFulfill: false },
    },
  )
  client.setRequestHandler('elicitation/create', ({ params }, { mcpReq: { id, signal } }) =>
    answer({ client, params, call: related.callOf(id), signal }),
  )
  return client
}

const probeMs = 10_000

interface FailureContext {
  readonly address: ServerAddress
  readonly opened: ServerTransport
}

function toFailure(error: unknown, doing: string, { address, opened }: FailureContext): CapstanError {
  return withProcess(toError(error, doing, address), { label: address.label, process: opened.process, doing })
}
