// MCP both ways: own tools for MCP clients, over stdio and HTTP, and the tools of both servers in an agent.
import '../../local-service.js'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { Agent } from '@capstan/core'
import { toNodeListener } from '@capstan/http/node'
import { mcpServer, mcpTools } from '@capstan/mcp'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { library } from './library.js'

// 1. The server over HTTP. The one over stdio is a process that each client starts.
const server = mcpServer(library, {
  authenticate: ({ headers }) => headers.get('authorization') === 'Bearer the-key-of-ann' && { id: 'ann' },
  decide: ({ name }) =>
    name === 'lend_book' ? { type: 'approve' } : { type: 'deny', reason: 'Only books are lent here.' },
})
const http = createServer(toNodeListener(server.fetch)).listen(0, '127.0.0.1')
await once(http, 'listening')
const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
const headers = { authorization: 'Bearer the-key-of-ann' }
const command = process.execPath
const args = [...process.execArgv, fileURLToPath(new URL('library.ts', import.meta.url))]

// 2. The official client, with both. Only the server over HTTP decides on calls that need approval.
const transports = {
  stdio: new StdioClientTransport({ command, args }),
  http: new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
}
for (const [name, transport] of Object.entries(transports)) {
  const client = new Client({ name: 'reader', version: '1.0.0' })
  await client.connect(transport)
  const { tools } = await client.listTools()
  console.log(`${name}:`, tools.map((tool) => tool.name).join(', '))
  const { isError, content } = await client.callTool({
    name: 'lend_book',
    arguments: { title: 'Emma', reader: 'Ben' },
  })
  for (const part of content)
    if (part.type === 'text') console.log(`${name}: ${isError ? 'failed' : 'ok'}, ${part.text}`)
  await client.close()
}

// 3. An agent, with both. Results of servers are untrusted: after the first one, a call that may change things waits.
const near = await mcpTools({ command, args, prefix: 'near' })
const far = await mcpTools({ url, headers, prefix: 'far' })
const agent = new Agent({ model: 'planner', tools: [...near.tools, ...far.tools] })
const asked = await agent.run('Find the near book "Emma", then lend the far book "Emma" to Ben.')
const [call] = asked.pending ?? []
console.log('agent:', asked.stopReason, call?.name, call?.arguments)
const approval = call ? { [call.callId]: { type: 'approve' as const } } : {}
const approved = await agent.run(asked.state, { decisions: approval })
// The far library asks for an approval too: its question is a pending call.
const [question] = approved.pending ?? []
console.log('agent:', approved.stopReason, question?.message?.split('\n')[1])
const answer = question ? { [question.callId]: { type: 'result' as const, value: { approve: true } } } : {}
const { toolCalls } = await agent.run(approved.state, { decisions: answer })
for (const { name, status, content } of toolCalls) console.log('agent:', name, status, content)

await Promise.all([near.close(), far.close(), server.close()])
http.close()
