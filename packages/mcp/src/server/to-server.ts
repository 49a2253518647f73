import type { CallToolResult, Server, ServerContext } from '@modelcontextprotocol/server'
import { answerCall } from './answer-call.js'
import type { CallerArtifacts } from './caller-artifacts.js'
import type { Offer } from './offer.js'
import { readResource } from './read-resource.js'
import { type McpCall, type McpServerOptions, reportError, usualMaxCalls } from './server-options.js'
import type { Progress } from './to-progress.js'

/** What all connections of a server share. */
export interface Hall {
  readonly offers: ReadonlyMap<string, Offer>
  readonly options: McpServerOptions
  readonly artifacts: CallerArtifacts
  /** Calls that go on, and artifacts that are read. */
  calls: number
}

type Sdk = typeof import('@modelcontextprotocol/server')

/** One end of the protocol, for one connection or one request. */
export function toServer(sdk: Sdk, hall: Hall): Server {
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
    if (offer) return answer(offer, { ...params, name: params.name }, { hall, ctx })
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

async function answer(offer: Offer, params: Params, { hall, ctx }: Site): Promise<CallToolResult> {
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
