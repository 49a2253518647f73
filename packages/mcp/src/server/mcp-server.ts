import { memoryArtifacts } from '@capstan/core'
import { safeListener } from '@capstan/core/internal'
import type {
  AuthInfo,
  CallToolResult,
  McpHttpHandler,
  Server,
  ServerContext,
} from '@modelcontextprotocol/server'
import { checkGuard, guard } from './auth.js'
import { answerCall, type Progress } from './call-tool.js'
import {
  type McpCall,
  type McpServerOptions,
  reportError,
  type Served,
  usualMaxBodyBytes,
  usualMaxCalls,
} from './options.js'
import { type ReadRequest, RequestBodies } from './request-bodies.js'
import { CallerArtifacts, readResource } from './resources.js'
import { Sessions } from './sessions.js'
import { type Offer, toOffers } from './tools.js'

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
  return onError ? { onerror: safeListener(onError) } : {}
}

/** What all connections of a server share. */
interface Hall {
  readonly offers: ReadonlyMap<string, Offer>
  readonly options: McpServerOptions
  readonly artifacts: CallerArtifacts
  /** Calls that go on, and artifacts that are read. */
  calls: number
}

type Sdk = typeof import('@modelcontextprotocol/server')

/** One end of the protocol, for one connection or one request. */
function toServer(sdk: Sdk, hall: Hall): Server {
  const { name = 'capstan', version = '0.0.0', instructions } = hall.options
  const server = new sdk.Server(
    { name, version },
    { capabilities: { tools: {}, resources: {} }, ...(instructions === undefined ? {} : { instructions }) },
  )
  const listings = [...hall.offers.values()].map(({ listing }) => listing)
  server.setRequestHandler('tools/list', () => ({ tools: listings }))
  // What was made is read by its link: a list of it would be one of what others made.
  server.setRequestHandler('resources/list', () => ({ resources: [] }))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }))
  server.setRequestHandler('resources/read', async ({ params: { uri } }, ctx) => {
    const contents = await during(hall, () => read(uri, { hall, ctx }))
    if (contents === undefined) throw new sdk.ResourceNotFoundError(uri)
    if (typeof contents !== 'string') return { contents: [contents] }
    throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, contents)
  })
  server.setRequestHandler('tools/call', ({ params }, ctx) => {
    const offer = hall.offers.get(params.name)
    if (offer) return callTool(offer, { ...params, name: params.name }, { hall, ctx })
    const names = [...hall.offers.keys()].join(', ')
    throw new sdk.ProtocolError(
      sdk.ProtocolErrorCode.InvalidParams,
      `No tool "${params.name}". Tools: ${names}.`,
    )
  })
  return server
}

interface Params {
  readonly name: string
  readonly arguments?: Readonly<Record<string, unknown>> | undefined
}

interface Site {
  readonly hall: Hall
  readonly ctx: ServerContext
}

async function callTool(offer: Offer, params: Params, { hall, ctx }: Site): Promise<CallToolResult> {
  const { http, mcpReq } = ctx
  const call: McpCall = {
    name: params.name,
    meta: mcpReq._meta ?? {},
    ...(http?.authInfo ? { caller: callerOf(ctx) } : {}),
    ...(http?.req ? { request: http.req } : {}),
  }
  // Nobody can be answered whose connection is gone.
  const signal = http?.req ? AbortSignal.any([mcpReq.signal, http.req.signal]) : mcpReq.signal
  const progress = progressOf(ctx)
  const { options, artifacts } = hall
  const answering = { call, offer, options, artifacts, signal, ...(progress ? { progress } : {}) }
  const answered = await during(hall, () => answerCall(params.arguments ?? {}, answering))
  if (typeof answered !== 'string') return answered
  return { content: [{ type: 'text', text: answered }], isError: true }
}

/** What a link leads to, or why it is not told. */
async function read(uri: string, { hall, ctx }: Site) {
  const { offers, options, artifacts } = hall
  const stores = new Set([...offers.values()].map((offer) => offer.artifacts))
  try {
    return await readResource(uri, { caller: callerOf(ctx), stores, artifacts, options })
  } catch (error) {
    reportError(error, options)
    return 'It could not be read.'
  }
}

/** Does it, unless as much goes on as may: then says so. */
async function during<T>(hall: Hall, work: () => Promise<T>): Promise<T | string> {
  const { maxCalls = usualMaxCalls } = hall.options
  if (hall.calls >= maxCalls) return `${maxCalls} calls go on already: call again later.`
  hall.calls += 1
  try {
    return await work()
  } finally {
    hall.calls -= 1
  }
}

function callerOf({ http }: ServerContext): unknown {
  return http?.authInfo?.extra?.caller
}

/** Progress only ever grows. */
function progressOf({ mcpReq }: ServerContext): ((progress: Progress) => void) | undefined {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return undefined
  let last = 0
  return ({ progress, total, message }) => {
    last = progress !== undefined && progress > last ? progress : last + 1
    const params = { progressToken, progress: last, message, ...(total === undefined ? {} : { total }) }
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {})
  }
}
