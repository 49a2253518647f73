import type { AuthInfo, Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'

type Sdk = typeof import('@modelcontextprotocol/server')

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly server: Server
  /** Nobody else may go on with it. */
  readonly owner: string
  usedAt: number
}

/** Sessions of older clients over HTTP: a call and the word that cancels it come as requests of their own. */
export class Sessions {
  readonly #sdk: Sdk
  readonly #toServer: () => Server
  readonly #maxBodyBytes: number
  readonly #open = new Map<string, Session>()

  constructor(sdk: Sdk, toServer: () => Server, maxBodyBytes: number) {
    this.#sdk = sdk
    this.#toServer = toServer
    this.#maxBodyBytes = maxBodyBytes
  }

  async fetch(request: Request, authInfo: AuthInfo): Promise<Response> {
    const owner = JSON.stringify(authInfo.extra?.caller) ?? ''
    const id = request.headers.get('mcp-session-id')
    const session = id === null ? await this.#begin(owner) : this.#open.get(id)
    if (!session || session.owner !== owner) return gone()
    session.usedAt = Date.now()
    const response = await session.transport.handleRequest(request, { authInfo })
    // What did not begin a session leaves nothing behind.
    if (id === null && session.transport.sessionId === undefined) await session.server.close()
    return response
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((id) => this.#end(id)))
  }

  async #begin(owner: string): Promise<Session> {
    await this.#sweep()
    const transport = new this.#sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void this.#open.set(id, session),
      onsessionclosed: (id) => void this.#open.delete(id),
      maxRequestBodySize: this.#maxBodyBytes,
    })
    const server = this.#toServer()
    const session: Session = { transport, server, owner, usedAt: Date.now() }
    await server.connect(transport)
    return session
  }

  /** Without a clock of its own: what is old goes when something new comes. */
  async #sweep(): Promise<void> {
    const oldest = [...this.#open].sort(([, one], [, other]) => one.usedAt - other.usedAt)
    const surplus = oldest.length - maxSessions + 1
    const old = oldest.filter(([, { usedAt }], at) => at < surplus || Date.now() - usedAt > idleMs)
    await Promise.all(old.map(([id]) => this.#end(id)))
  }

  async #end(id: string): Promise<void> {
    const session = this.#open.get(id)
    this.#open.delete(id)
    await session?.server.close()
  }
}

const idleMs = 30 * 60_000
const maxSessions = 1000

function gone(): Response {
  const error = { code: -32001, message: 'Session not found' }
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 404 })
}
