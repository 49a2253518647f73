import { memoryArtifacts } from '@capstan/core'
import { guarded } from '@capstan/core/wire'
import type { AuthInfo, McpHttpHandler } from '@modelcontextprotocol/server'
import { CallerArtifacts } from './caller-artifacts.js'
import { checkGuard, guard } from './guard.js'
import { toOffers } from './offer.js'
import { type ReadRequest, RequestBodies } from './request-bodies.js'
import { type McpServerOptions, type Served, usualMaxBodyBytes } from './server-options.js'
import { Sessions } from './sessions.js'
import { type Hall, toServer } from './to-server.js'

/** Tools and agents, as MCP clients see them. */
export interface McpServer {
  /** Answers an HTTP request: streamable HTTP, of clients of 2025 and of 2026. May be taken off its object. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Answers the one client at the other end of this process's input and output, until that ends or `close` is called. */
  serveStdio(): Promise<StdioService>
  /** Ends HTTP calls and sessions that go on. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export interface StdioService {
  close(): Promise<void>
}

/**
 * Serves tools and agents to MCP clients. Each call is a run of its own.
 * @throws CapstanError `invalid_tool` for two of one name or a tool without a function, `invalid_request` for a server
 * that would let everybody in
 */
export function mcpServer(served: Served, options: McpServerOptions = {}): McpServer {
  checkGuard(options)
  const named = 'run' in served ? { name: served.name, ...options } : options
  const { artifacts = memoryArtifacts() } = options
  const offers = toOffers(served, typeof artifacts === 'function' ? memoryArtifacts() : artifacts)
  const hall: Hall = { offers, options: named, artifacts: new CallerArtifacts(options), calls: 0 }
  const bodies = new RequestBodies(options)
  let front: Promise<Front> | undefined
  const close = async () => {
    const { handler, sessions } = (await front) ?? {}
    await Promise.all([handler?.close(), sessions?.close()])
  }
  return {
    async fetch(request) {
      const admitted = await guard(request, options)
      if ('refusal' in admitted) return admitted.refusal
      const read = await bodies.read(request)
      if (read instanceof Response) return read
      front ??= toFront(hall)
      return answer(read, admitted.caller, await front)
    },
    async serveStdio() {
      const sdk = await import('@modelcontextprotocol/server')
      const { serveStdio } = await import('@modelcontextprotocol/server/stdio')
      return serveStdio(() => toServer(sdk, hall), onError(options))
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** What answers HTTP. */
interface Front {
  readonly handler: McpHttpHandler
  /** Absent where older clients get none. */
  readonly sessions?: Sessions
  isOlder(read: ReadRequest): Promise<boolean>
}

async function toFront(hall: Hall): Promise<Front> {
  const sdk = await import('@modelcontextprotocol/server')
  const { maxBodyBytes = usualMaxBodyBytes, sessions = true } = hall.options
  const make = () => toServer(sdk, hall)
  return {
    handler: sdk.createMcpHandler(make, { maxRequestBodySize: maxBodyBytes, ...onError(hall.options) }),
    ...(sessions ? { sessions: new Sessions(sdk, make, maxBodyBytes) } : {}),
    isOlder: ({ request, parsedBody }) =>
      sdk.isLegacyRequest(request, parsedBody, { maxRequestBodySize: maxBodyBytes }),
  }
}

async function answer(
  read: ReadRequest,
  caller: unknown,
  { handler, sessions, isOlder }: Front,
): Promise<Response> {
  // The caller goes along as the protocol's own word for one.
  const authInfo: AuthInfo = { token: '', clientId: '', scopes: [], extra: { caller } }
  if (sessions && (await isOlder(read))) return sessions.fetch(read, authInfo)
  const { request, parsedBody } = read
  return handler.fetch(request, { authInfo, parsedBody })
}

function onError({ onError }: McpServerOptions): { readonly onerror?: (error: Error) => void } {
  return onError ? { onerror: guarded(onError) } : {}
}
