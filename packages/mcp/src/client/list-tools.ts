import { CapstanError } from '@capstan/core'
import { joinSignals } from '@capstan/core/wire'
import type { Tool as ServerTool } from '@modelcontextprotocol/client'
import type { Connection } from './connection.js'

/** Which list is wanted, and how soon. */
export interface Listing {
  readonly connection: Connection
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

/**
 * The tools of a server. A list may come in many pages, each of them in time: all of it has to be.
 * @throws CapstanError, or the signal's reason
 */
export async function listTools({ connection, timeoutMs, signal: given }: Listing): Promise<ServerTool[]> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(tooLate(connection, timeoutMs)), timeoutMs)
  const { signal, release } = joinSignals([given, late.signal])
  try {
    const { tools } = await connection.use(
      'its list of tools',
      (client) => client.listTools(undefined, { timeout: timeoutMs, cacheMode: 'refresh', signal }),
      signal,
    )
    return tools
  } finally {
    clearTimeout(timer)
    release()
  }
}

function tooLate({ address: { called } }: Connection, ms: number): CapstanError {
  const message = `The MCP server "${called}" did not give its list of tools within ${ms} ms. Raise timeoutMs if it needs longer.`
  return new CapstanError('timeout', message, { evidence: { server: called }, retryable: true })
}
