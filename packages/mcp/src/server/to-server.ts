import { readBytes, toBase64 } from '@capstan/core/wire'
import type { CallToolResult, Server, ServerContext } from '@modelcontextprotocol/server'
import { answerCall } from './answer-call.js'
import { idOf } from './artifact-uri.js'
import type { Offer } from './offer.js'
import { type McpCall, type McpServerOptions, usualMaxCalls } from './server-options.js'
import type { Progress } from './to-progress.js'

/** What all connections of a server share. */
export interface Hall {
  readonly offers: ReadonlyMap<string, Offer>
  readonly options: McpServerOptions
  /** Calls that go on. */
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
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const contents = await read(uri, hall)
    if (!contents) throw new sdk.ResourceNotFoundError(uri)
    return { contents: [contents] }
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
  const { maxCalls = usualMaxCalls } = hall.options
  if (hall.calls >= maxCalls) {
    const text = `${maxCalls} calls go on already: call again later.`
    return { content: [{ type: 'text', text }], isError: true }
  }
  const { http, mcpReq } = ctx
  const call: McpCall = {
    name: params.name,
    meta: mcpReq._meta ?? {},
    ...(http?.authInfo ? { caller: http.authInfo.extra?.caller } : {}),
    ...(http?.req ? { request: http.req } : {}),
  }
  // Nobody can be answered whose connection is gone.
  const signal = http?.req ? AbortSignal.any([mcpReq.signal, http.req.signal]) : mcpReq.signal
  hall.calls += 1
  try {
    const progress = progressOf(ctx)
    const answering = { call, offer, options: hall.options, signal, ...(progress ? { progress } : {}) }
    return await answerCall(params.arguments ?? {}, answering)
  } finally {
    hall.calls -= 1
  }
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

async function read(uri: string, { offers }: Hall) {
  const id = idOf(uri)
  if (id === undefined) return undefined
  for (const artifacts of new Set([...offers.values()].map((offer) => offer.artifacts))) {
    const found = await artifacts.stat(id)
    if (!found) continue
    const bytes = await readBytes(await artifacts.open(id))
    const { mediaType: mimeType } = found
    return found.kind === 'text'
      ? { uri, mimeType, text: new TextDecoder().decode(bytes) }
      : { uri, mimeType, blob: toBase64(bytes) }
  }
  return undefined
}
