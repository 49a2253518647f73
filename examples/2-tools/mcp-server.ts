// An MCP server with a tool and an agent. The client here is the official one, and connects without a socket.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { Agent } from '@capstan/core'
import { mcpServer } from '@capstan/mcp'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { weather } from '../tools.js'

const agent = new Agent({ name: 'forecaster', model: 'planner', tools: [weather] })
// #region serve
const server = mcpServer([weather, agent], {
  authenticate: ({ headers }) => headers.get('authorization') === 'Bearer the-key-of-ann' && { id: 'ann' },
})
// #endregion

const client = new Client({ name: 'example', version: '1.0.0' })
await client.connect(
  new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
    fetch: (url, init) => server.fetch(new Request(url, init)),
    requestInit: { headers: { authorization: 'Bearer the-key-of-ann' } },
  }),
)
const { tools } = await client.listTools()
console.log(tools.map(({ name, description }) => `${name}: ${description}`).join('\n'))

const asked = await client.callTool({ name: 'get_weather', arguments: { city: 'Oslo' } })
console.log(asked.structuredContent)

const input = 'What is the weather in Rome?'
const told = await client.callTool(
  { name: 'ask_forecaster', arguments: { input } },
  { onprogress: ({ message }) => console.log(message) },
)
console.log(told.content)

const wrong = await client.callTool({ name: 'get_weather', arguments: { town: 'Oslo' } })
console.log(wrong.isError, wrong.content)

await client.close()
await server.close()
