// A proxy: `agent` takes any node:http agent, so you can use the proxy packages of npm.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, chatModel } from '@capstan/core'
import { HttpProxyAgent } from 'http-proxy-agent'

const proxy = await startProxy()
const agent = new HttpProxyAgent(proxy.url)
const model = chatModel('planner', { agent })
const { stopReason } = await new Agent({ model }).run('Hello.')
console.log(stopReason, 'through the proxy:', proxy.seen.join(', '))

agent.destroy()
await proxy.close()

/** The smallest proxy there is, in place of a company's. */
async function startProxy(): Promise<{ url: string; seen: string[]; close(): Promise<unknown> }> {
  const seen: string[] = []
  const server = createServer((incoming, outgoing) => {
    const url = new URL(incoming.url ?? '')
    seen.push(`${incoming.method} ${url.pathname}`)
    const onward = request(url, { method: incoming.method, headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(onward)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, seen, close: () => new Promise((closed) => server.close(closed)) }
}
