import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text, type WireAnswer } from './answer.js'
import { sendAnswer } from './send-answer.js'
import type { WireCase } from './wire-case.js'
import type { WireProtocol } from './wire-protocol.js'

/** What a client sent. */
export interface SeenRequest {
  /** `followUp`: its last message is a tool's. */
  readonly kind: 'question' | 'followUp'
  readonly raw: string
  /** In the form of chat completions. */
  readonly body: unknown
  /** By `performance.now()`. */
  readonly at: number
}

/** A server on a free port of loopback that answers as a case says. Close it. */
export interface Replay {
  readonly baseURL: string
  readonly requests: readonly SeenRequest[]
  close(): Promise<void>
}

/**
 * Serves one case. What the case has no answer for gets a plain correct one in the form that was asked for:
 * `FINAL ANSWER` to results of tools, `RECOVERED` to a repeated question.
 */
export async function startReplay({ answers, next, protocol }: WireCase): Promise<Replay> {
  const requests: SeenRequest[] = []
  const left = { question: [...answers], followUp: [...next] }
  const server = createServer((request, response) => {
    read(request).then((raw) => {
      if (!request.url?.endsWith(protocol.path)) return sendAnswer(response, elsewhere)
      const seen = toSeen(raw, protocol)
      requests.push(seen)
      const answer = requests.length > 12 ? tooMany : (left[seen.kind].shift() ?? usual(seen, protocol))
      return sendAnswer(response, answer)
    }, ignore)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  return {
    baseURL: `http://127.0.0.1:${port}/v1`,
    requests,
    close() {
      server.closeAllConnections()
      return new Promise((closed) => server.close(() => closed()))
    },
  }
}

const elsewhere = text(404, 'text/html', '<title>Sign in</title>')
const tooMany = text(400, 'application/json', '{"error":{"message":"replay: too many requests"}}')

function usual({ kind, body }: SeenRequest, protocol: WireProtocol): WireAnswer {
  const words = kind === 'followUp' ? 'FINAL ANSWER' : 'RECOVERED'
  const isStream = (body as { stream?: unknown } | undefined)?.stream === true
  return protocol.says(words, isStream)
}

function toSeen(raw: string, protocol: WireProtocol): SeenRequest {
  const body = protocol.toChat(parse(raw))
  const last = (body as { messages?: readonly { role?: unknown }[] } | undefined)?.messages?.at(-1)
  const kind = last?.role === 'tool' || last?.role === 'function' ? 'followUp' : 'question'
  return { kind, raw, body, at: performance.now() }
}

function parse(raw: string): unknown {
  try {
    return JSON.parse(raw)
  } catch {
    return undefined
  }
}

async function read(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString('utf8')
}

/** A client that left while it was writing has nothing to be answered. */
function ignore(): void {}
