import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request: the conversation is in `messages` of Messages, and in `input` of Responses. */
interface SentBody {
  readonly messages: readonly {
    readonly role: string
    readonly content: readonly { readonly type: string }[]
  }[]
  readonly input: readonly { readonly type?: string; readonly role?: string }[]
}

/** Starts a server that replies with these bodies in turn, in place of a real one. */
export async function startServer(replies: readonly object[]) {
  const script = [...replies]
  let lastBody: SentBody = { messages: [], input: [] }
  const server = createServer(async (request, response) => {
    lastBody = JSON.parse((await request.toArray()).join(''))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(script.shift()))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    lastBody: () => lastBody,
    close: () => new Promise((closed) => server.close(closed)),
  }
}
