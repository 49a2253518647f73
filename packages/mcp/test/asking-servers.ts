// Servers that ask their user, of both versions of the protocol.
import { McpServer as OlderServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { WebStandardStreamableHTTPServerTransport as OlderTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  createMcpHandler,
  type InputRequiredResult,
  inputRequired,
  McpServer,
} from '@modelcontextprotocol/server'
import { onTestFinished } from 'vitest'
import * as z from 'zod'
import { serveHttp } from './serve-http.js'

/** What a call of a server of 2026 came with. */
export interface SeenCall {
  readonly answers: Readonly<Record<string, unknown>> | undefined
  readonly state: string | undefined
}

export const citySchema = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const, minLength: 2, maxLength: 20 } },
  required: ['city'],
}

export const askCity = inputRequired.elicit({ message: 'Which city?', requestedSchema: citySchema })

type Answer = InputRequiredResult | string

/** Asks for the city in two rounds. */
export const asksTwice = ({ answers, state }: SeenCall): Answer =>
  state === 'two'
    ? `Booked: ${JSON.stringify(answers)}`
    : inputRequired({ inputRequests: { city: askCity }, requestState: answers ? 'two' : 'one' })

/** Serves a tool `book` of a server of 2026, until the test is finished. */
export async function serveAsking(book: (call: SeenCall, round: number) => Answer) {
  const seen: SeenCall[] = []
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'newer', version: '1' })
    const inputSchema = z.object({ day: z.string().optional() })
    server.registerTool('book', { description: 'Books a trip', inputSchema }, (_args, { mcpReq }) => {
      const call = { answers: mcpReq.inputResponses, state: mcpReq.requestState<string>() }
      seen.push(call)
      const answer = book(call, seen.length)
      return typeof answer === 'string' ? { content: [{ type: 'text', text: answer }] } : answer
    })
    return server
  })
  onTestFinished(() => handler.close())
  return { ...(await serveHttp(handler.fetch)), seen }
}

/**
 * Serves a tool `book` of a server of 2025, which asks while the call is open: in the response to the call, or on the
 * stream of the session, as servers do.
 */
export async function serveOlderAsking(
  book: (elicit: (message: string) => Promise<unknown>) => Promise<string>,
  { isRelated = false } = {},
) {
  const sessions = new Map<string, OlderTransport>()
  let calls = 0
  const served = await serveHttp(async (request) => {
    const known = sessions.get(request.headers.get('mcp-session-id') ?? '')
    if (known) return known.handleRequest(request)
    const transport = new OlderTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    })
    const older = new OlderServer({ name: 'older', version: '1' })
    older.registerTool('book', { description: 'Books a trip' }, async ({ signal, requestId }) => {
      calls += 1
      const elicit = (message: string) =>
        older.server.elicitInput(
          { message, requestedSchema: citySchema },
          { signal, ...(isRelated && { relatedRequestId: requestId }) },
        )
      return { content: [{ type: 'text', text: await book(elicit) }] }
    })
    await older.connect(transport)
    return transport.handleRequest(request)
  })
  return { ...served, calls: () => calls }
}
