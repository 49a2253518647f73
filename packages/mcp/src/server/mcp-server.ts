import { memoryArtifacts } from '@capstan/core'
import { safeListener } from '@capstan/core/internal'
import type {
  AuthInfo,
  CallToolResult,
  ClientCapabilities,
  InputRequiredResult,
  McpHttpHandler,
  Server,
  ServerContext,
} from '@modelcontextprotocol/server'
import { AskingRuns } from './ask-client.js'
import { authorize, checkAuth, errorResponse } from './auth.js'
import { callServedTool, type Progress, type ServedRun } from './call-tool.js'
import {
  checkServerOptions,
  defaultMaxBodyBytes,
  defaultMaxCalls,
  type McpCall,
  type McpServerOptions,
  reportError,
  type Served,
} from './options.js'
import { type ReadRequest, RequestBodies } from './request-bodies.js'
import { CallerArtifacts, readResource } from './resources.js'
import { Sessions } from './sessions.js'
import { checkServed, type ServedTool, toServedTools } from './tools.js'

/** Tools and agents, served to MCP clients. */
export interface McpServer {
  /**
   * Handles HTTP requests (streamable HTTP) from clients that use the 2025 or 2026 protocol. Can be called without
   * `this`.
   */
  readonly fetch: (request: Request) => Promise<Response>
  /**
   * Serves one client over this process's standard input and output, until it disconnects or `close` is
   * called.
   */
  serveStdio(): Promise<StdioService>
  /** Ends active HTTP calls and sessions. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export interface StdioService {
  close(): Promise<void>
}

/**
 * Serves tools and agents to MCP clients. Each call is a separate run.
 * @throws CapstanError `invalid_tool` for a duplicate name, a handoff or a value that is not a tool; `invalid_request`
 * for a server that anyone could call, or an invalid option
 */
export function mcpServer(served: Served, options: McpServerOptions = {}): McpServer {
  checkServed(served)
  checkServerOptions(options)
  checkAuth(options)
  const named = 'prepare' in served ? { name: served.name, ...options } : options
  const { artifacts = memoryArtifacts() } = options
  const servedTools = toServedTools(served, typeof artifacts === 'function' ? memoryArtifacts() : artifacts)
  const state: ServerState = {
    servedTools,
    options: named,
    artifacts: new CallerArtifacts(options),
    asking: new AskingRuns(),
    calls: 0,
  }
  const bodies = new RequestBodies(options)
  let serving: Promise<HttpServing> | undefined
  const close = async () => {
    const { handler, sessions } = (await serving) ?? {}
    state.asking.close()
    await Promise.all([handler?.close(), sessions?.close()])
  }
  return {
    async fetch(request) {
      try {
        const admitted = await authorize(request, options)
        if ('response' in admitted) return admitted.response
        const read = await bodies.read(request)
        if (read instanceof Response) return read
        serving ??= createServing(state)
        return await respond(read, admitted.caller, await serving)
      } catch (error) {
        // Without `onError`, the failure becomes a process warning, because the caller does not get its message.
        if (options.onError) reportError(error, options)
        else safeListener(rethrow)(error)
        return errorResponse(500, 'The server failed.')
      }
    },
    async serveStdio() {
      const sdk = await import('@modelcontextprotocol/server')
      const { serveStdio } = await import('@modelcontextprotocol/server/stdio')
      return serveStdio(() => createServer(sdk, state), onError(options))
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** What is needed to serve HTTP requests. */
interface HttpServing {
  readonly handler: McpHttpHandler
  /** The sessions of clients with the 2025 protocol. Absent with `sessions: false`. */
  readonly sessions?: Sessions
  isOlder(read: ReadRequest): Promise<boolean>
}

async function createServing(state: ServerState): Promise<HttpServing> {
  const sdk = await import('@modelcontextprotocol/server')
  const { maxBodyBytes = defaultMaxBodyBytes, sessions = true } = state.options
  const make = () => createServer(sdk, state)
  return {
    handler: sdk.createMcpHandler(make, { maxRequestBodySize: maxBodyBytes, ...onError(state.options) }),
    ...(sessions ? { sessions: new Sessions(sdk, make, maxBodyBytes) } : {}),
    isOlder: ({ request, parsedBody }) =>
      sdk.isLegacyRequest(request, parsedBody, { maxRequestBodySize: maxBodyBytes }),
  }
}

async function respond(
  read: ReadRequest,
  caller: unknown,
  { handler, sessions, isOlder }: HttpServing,
): Promise<Response> {
  // Pass the caller in the field that the SDK provides for it.
  const authInfo: AuthInfo = { token: '', clientId: '', scopes: [], extra: { caller } }
  if (sessions && (await isOlder(read))) return sessions.fetch(read, authInfo)
  const { request, parsedBody } = read
  return handler.fetch(request, { authInfo, parsedBody })
}

function rethrow(error: unknown): never {
  throw error
}

function onError({ onError }: McpServerOptions): { readonly onerror?: (error: Error) => void } {
  return onError ? { onerror: safeListener(onError) } : {}
}

/** State shared by all connections of a server. */
interface ServerState {
  readonly servedTools: ReadonlyMap<string, ServedTool>
  readonly options: McpServerOptions
  readonly artifacts: CallerArtifacts
  readonly asking: AskingRuns<ServedRun>
  /** The number of calls and artifact reads in progress. */
  calls: number
}

type Sdk = typeof import('@modelcontextprotocol/server')

/** Creates the protocol server for one connection or one request. */
function createServer(sdk: Sdk, state: ServerState): Server {
  const { name = 'capstan', version = '0.0.0', instructions } = state.options
  const server = new sdk.Server(
    { name, version },
    { capabilities: { tools: {}, resources: {} }, ...(instructions === undefined ? {} : { instructions }) },
  )
  const listings = [...state.servedTools.values()].map(({ listing }) => listing)
  server.setRequestHandler('tools/list', () => ({ tools: listings }))
  // Artifacts are read through their links. A list would reveal other callers' artifacts.
  server.setRequestHandler('resources/list', () => ({ resources: [] }))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }))
  server.setRequestHandler('resources/read', async ({ params: { uri } }, ctx) => {
    const contents = await limitCalls(state, () => readArtifact(uri, { state, ctx }))
    if (contents === undefined) throw new sdk.ResourceNotFoundError(uri)
    if (typeof contents !== 'string') return { contents: [contents] }
    throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, contents)
  })
  server.setRequestHandler('tools/call', ({ params }, ctx) => {
    const servedTool = state.servedTools.get(params.name)
    const client = clientOf(server, ctx)
    if (servedTool) return callTool(servedTool, { ...params, name: params.name }, { state, ctx, client })
    const names = [...state.servedTools.keys()].join(', ')
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

interface RequestScope {
  readonly state: ServerState
  readonly ctx: ServerContext
}

/** Returns the client's capabilities. Clients that use the 2026 protocol send them with each request. */
function clientOf(server: Server, { mcpReq }: ServerContext): ClientCapabilities {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {}
  const own = envelope['io.modelcontextprotocol/clientCapabilities']
  return (own as ClientCapabilities | undefined) ?? server.getClientCapabilities() ?? {}
}

async function callTool(
  servedTool: ServedTool,
  params: Params,
  { state, ctx, client }: RequestScope & { readonly client: ClientCapabilities },
): Promise<CallToolResult | InputRequiredResult> {
  const { http, mcpReq } = ctx
  const call: McpCall = {
    name: params.name,
    meta: mcpReq._meta ?? {},
    ...(http?.authInfo ? { caller: callerOf(ctx) } : {}),
    ...(http?.req ? { request: http.req } : {}),
  }
  // If the client's connection is gone, the result cannot reach it, so abort the call.
  const signal = http?.req ? AbortSignal.any([mcpReq.signal, http.req.signal]) : mcpReq.signal
  const progress = progressOf(ctx)
  const { options, artifacts, asking } = state
  const id = mcpReq.requestState<unknown>()
  const context = {
    ...{ call, servedTool, options, artifacts, asking, client, signal },
    ...(typeof id === 'string' ? { answered: { id, answers: mcpReq.inputResponses ?? {} } } : {}),
    ...(progress ? { progress } : {}),
  }
  const result = await limitCalls(state, () => callServedTool(params.arguments ?? {}, context))
  if (typeof result !== 'string') return result
  return { content: [{ type: 'text', text: result }], isError: true }
}

/** Reads the artifact that a link refers to, or returns an error message. */
async function readArtifact(uri: string, { state, ctx }: RequestScope) {
  const { servedTools, options, artifacts } = state
  const stores = new Set([...servedTools.values()].map((servedTool) => servedTool.artifacts))
  try {
    return await readResource(uri, { caller: callerOf(ctx), stores, artifacts, options })
  } catch (error) {
    reportError(error, options)
    return 'The artifact could not be read.'
  }
}

/** Calls `work`, or returns an error message if too many calls are active. */
async function limitCalls<T>(state: ServerState, work: () => Promise<T>): Promise<T | string> {
  const { maxCalls = defaultMaxCalls } = state.options
  if (state.calls >= maxCalls) return `Too many concurrent calls (limit ${maxCalls}). Retry later.`
  state.calls += 1
  try {
    return await work()
  } finally {
    state.calls -= 1
  }
}

function callerOf({ http }: ServerContext): unknown {
  return http?.authInfo?.extra?.caller
}

/**
 * Returns a function that reports progress to the client, with increasing values. Undefined if the client did not
 * request progress.
 */
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
