import type { AuthInfo, Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { callerKey } from './auth.js'
import type { ReadRequest } from './request-bodies.js'

type Sdk = typeof import('@modelcontextprotocol/server')

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly server: Server
  /** The caller's key. Only this caller can use the session. */
  readonly owner: string
  usedAt: number
  /** The number of active requests. */
  active: number
}

/** Sessions for HTTP clients that use the 2025 protocol, in which a call and its cancellation are separate requests. */
export class Sessions {
  readonly #sdk: Sdk
  readonly #toServer: () => Server
  readonly #maxBodyBytes: number
  readonly #open = new Map<string, Session>()

  constructor(sdk: Sdk, createServer: () => Server, maxBodyBytes: number) {
    this.#sdk = sdk
    this.#toServer = createServer
    this.#maxBodyBytes = maxBodyBytes
  }

  async fetch({ request, parsedBody }: ReadRequest, authInfo: AuthInfo): Promise<Response> {
    const owner = ownerOf(authInfo.extra?.caller)
    const id = request.headers.get('mcp-session-id')
    const session = id === null ? await this.#create(owner) : this.#open.get(id)
    if (!session || session.owner !== owner) return sessionNotFound()
    session.usedAt = Date.now()
    session.active += 1
    const onEnd = () => {
      session.active -= 1
      session.usedAt = Date.now()
    }
    const response = await session.transport
      .handleRequest(request, { authInfo, parsedBody })
      .catch((error) => {
        onEnd()
        throw error
      })
    // If a request did not initialize a session, close its server.
    if (id === null && session.transport.sessionId === undefined) await session.server.close()
    // A POST is active until its response is sent. The open stream of a GET does not keep a session active.
    if (request.method === 'POST') return onResponseEnd(response, onEnd)
    onEnd()
    return response
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((id) => this.#end(id)))
  }

  async #create(owner: string): Promise<Session> {
    await this.#evict(owner)
    const transport = new this.#sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void this.#open.set(id, session),
      onsessionclosed: (id) => void this.#open.delete(id),
      maxRequestBodySize: this.#maxBodyBytes,
    })
    const server = this.#toServer()
    const session: Session = { transport, server, owner, usedAt: Date.now(), active: 0 }
    await server.connect(transport)
    return session
  }

  /**
   * Closes inactive sessions: those that have been idle for 30 minutes, the owner's oldest one if the owner has 1/8 of
   * the limit, and the oldest one of all owners if the limit is reached. Called before each new session, so no timer is
   * needed.
   */
  async #evict(owner: string): Promise<void> {
    const idle = [...this.#open]
      .filter(([, { active }]) => active === 0)
      .sort(([, one], [, other]) => one.usedAt - other.usedAt)
    const own = idle.filter(([, session]) => session.owner === owner)
    const old = [
      ...idle.filter(([, { usedAt }]) => Date.now() - usedAt > idleMs),
      ...own.slice(0, Math.max(0, own.length - maxSessions / 8 + 1)),
      ...idle.slice(0, Math.max(0, this.#open.size - maxSessions + 1)),
    ]
    await Promise.all(old.map(([id]) => this.#end(id)))
  }

  async #end(id: string): Promise<void> {
    const session = this.#open.get(id)
    this.#open.delete(id)
    await session?.server.close()
  }
}

/**
 * Returns the key of a session's caller.
 * @throws TypeError if the caller has none
 */
function ownerOf(caller: unknown): string {
  const key = callerKey(caller)
  if (key !== undefined) return key
  throw new TypeError(
    '`authenticate` must return a string, an object with an `id`, or a plain object, to identify the owner of a session.',
  )
}

const idleMs = 30 * 60_000
const maxSessions = 1000

function sessionNotFound(): Response {
  const error = { code: -32001, message: 'Session not found' }
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 404 })
}

/**
 * Wraps a response to call `onEnd` when its body has been sent or the client has disconnected. The body is read without
 * backpressure.
 */
function onResponseEnd(response: Response, onEnd: () => void): Response {
  const { body, status, statusText, headers } = response
  if (!body) {
    onEnd()
    return response
  }
  const reader = body.getReader()
  const copied = new ReadableStream<Uint8Array>({
    start: (out) => {
      pass(reader, out)
        .finally(onEnd)
        .catch(() => {})
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return new Response(copied, { status, statusText, headers })
}

async function pass(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  out: ReadableStreamDefaultController<Uint8Array>,
): Promise<void> {
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) break
      out.enqueue(value)
    }
    out.close()
  } catch (error) {
    out.error(error)
  }
}
