import type { AuthInfo, Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { callerKey } from './auth.js'
import type { ReadRequest } from './request-bodies.js'

type Sdk = typeof import('@modelcontextprotocol/server')

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly server: Server
  /** Nobody else may go on with it. */
  readonly owner: string
  usedAt: number
  /** Requests that are being answered. */
  going: number
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

  async fetch({ request, parsedBody }: ReadRequest, authInfo: AuthInfo): Promise<Response> {
    const owner = ownerOf(authInfo.extra?.caller)
    const id = request.headers.get('mcp-session-id')
    const session = id === null ? await this.#begin(owner) : this.#open.get(id)
    if (!session || session.owner !== owner) return gone()
    session.usedAt = Date.now()
    session.going += 1
    const over = () => {
      session.going -= 1
      session.usedAt = Date.now()
    }
    const response = await session.transport
      .handleRequest(request, { authInfo, parsedBody })
      .catch((error) => {
        over()
        throw error
      })
    // What did not begin a session leaves nothing behind.
    if (id === null && session.transport.sessionId === undefined) await session.server.close()
    // A call is said for as long as it takes; a stream that is kept open for whatever comes is no work.
    if (request.method === 'POST') return untilSaid(response, over)
    over()
    return response
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((id) => this.#end(id)))
  }

  async #begin(owner: string): Promise<Session> {
    await this.#sweep(owner)
    const transport = new this.#sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void this.#open.set(id, session),
      onsessionclosed: (id) => void this.#open.delete(id),
      maxRequestBodySize: this.#maxBodyBytes,
    })
    const server = this.#toServer()
    const session: Session = { transport, server, owner, usedAt: Date.now(), going: 0 }
    await server.connect(transport)
    return session
  }

  /**
   * Without a clock of its own: what is old goes when something new comes. Who has many gives of its own first, so that
   * nobody ends another's before there is no room at all.
   */
  async #sweep(owner: string): Promise<void> {
    const idle = [...this.#open]
      .filter(([, { going }]) => going === 0)
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

/** @throws TypeError for a caller that cannot be told from others */
function ownerOf(caller: unknown): string {
  const key = callerKey(caller)
  if (key !== undefined) return key
  throw new TypeError(
    '`authenticate` must return a text, an object with an `id`, or a plain object: sessions are told apart by it.',
  )
}

const idleMs = 30 * 60_000
const maxSessions = 1000

function gone(): Response {
  const error = { code: -32001, message: 'Session not found' }
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 404 })
}

/**
 * The same answer; `over` is called when all of its body was said, or its reader has left. What is said is not held up
 * by a slow reader: whoever says it does not wait either.
 */
function untilSaid(answer: Response, over: () => void): Response {
  const { body, status, statusText, headers } = answer
  if (!body) {
    over()
    return answer
  }
  const reader = body.getReader()
  const said = new ReadableStream<Uint8Array>({
    start: (out) => {
      pass(reader, out)
        .finally(over)
        .catch(() => {})
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return new Response(said, { status, statusText, headers })
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
