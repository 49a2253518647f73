import { CapstanError, isCapstanError } from '@capstan/core'
import type { Client } from '@modelcontextprotocol/client'
import type { Address } from './address.js'
import { type McpToolsOptions, usualTimeoutMs } from './mcp-options.js'
import { toError } from './to-error.js'
import { toTransport, type Way } from './to-transport.js'

/** A connection while it lasts. */
export interface Link extends Way {
  readonly client: Client
}

/** What is wanted of a connection, and who is told of it. */
export interface Wanted {
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
export async function connect(wanted: Wanted): Promise<Link> {
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
export function toFailure(error: unknown, doing: string, { address, way }: Place): CapstanError {
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
