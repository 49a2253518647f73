import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Body = Readonly<Record<string, never>>

/** A server on loopback that speaks the protocol of a provider. */
export interface ProviderServer extends AsyncDisposable {
  readonly baseURL: string
  readonly requests: readonly { readonly path: string; readonly body: Body }[]
}

/** Sends answer N to request N: JSON, or events for a stream. */
async function startServer(
  send: (response: ServerResponse, turn: number, isStream: boolean) => void,
): Promise<ProviderServer> {
  const requests: { path: string; body: Body }[] = []
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const body = JSON.parse(Buffer.concat(pieces).toString())
    const path = request.url ?? ''
    requests.push({ path, body })
    send(response, requests.length - 1, body.stream === true || path.includes('stream'))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

function sendJson(response: ServerResponse, body: unknown): void {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(body))
}

function sendEvents(response: ServerResponse, events: readonly Readonly<Record<string, unknown>>[]): void {
  response.setHeader('content-type', 'text/event-stream')
  for (const event of events)
    response.write(`${event.type ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`)
  response.end()
}

type Block = Readonly<Record<string, unknown>> & { readonly type: string }

/** A server of Anthropic's Messages. Each turn is the content of a message. */
export function startAnthropicServer(turns: readonly (readonly Block[])[]): Promise<ProviderServer> {
  return startServer((response, turn, isStream) => {
    const content = turns[turn] ?? []
    const stop_reason = content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn'
    const usage = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 4 }
    const message = { id: `msg_${turn}`, type: 'message', role: 'assistant', model: 'claude', usage }
    if (!isStream) return sendJson(response, { ...message, content, stop_reason, stop_sequence: null })
    sendEvents(response, [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null, stop_sequence: null } },
      ...content.flatMap((block, index) => [
        { type: 'content_block_start', index, content_block: { ...block, ...emptied(block) } },
        ...deltasOf(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
        { type: 'content_block_stop', index },
      ]),
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ])
  })
}

function emptied({ type }: Block): object {
  if (type === 'text') return { text: '' }
  if (type === 'thinking') return { thinking: '', signature: '' }
  return type === 'tool_use' ? { input: {} } : {}
}

function deltasOf({ type, text, thinking, signature, input }: Block): readonly object[] {
  if (type === 'text') return [{ type: 'text_delta', text }]
  if (type === 'tool_use') {
    const json = JSON.stringify(input)
    return [json.slice(0, 5), json.slice(5)].map((partial_json) => ({
      type: 'input_json_delta',
      partial_json,
    }))
  }
  if (type !== 'thinking') return []
  return [
    { type: 'thinking_delta', thinking },
    { type: 'signature_delta', signature },
  ]
}

/** A server of Google's `generateContent`. Each turn is the parts of a content. */
export function startGoogleServer(turns: readonly (readonly object[])[]): Promise<ProviderServer> {
  return startServer((response, turn, isStream) => {
    const body = {
      candidates: [{ index: 0, finishReason: 'STOP', content: { role: 'model', parts: turns[turn] ?? [] } }],
      usageMetadata: {
        promptTokenCount: 10,
        candidatesTokenCount: 5,
        totalTokenCount: 18,
        thoughtsTokenCount: 3,
      },
    }
    if (isStream) sendEvents(response, [body])
    else sendJson(response, body)
  })
}
