// A tool and an agent, served to MCP clients. The client here is the official one, and calls without a socket.
import { Agent, chatModel, tool } from '@capstan/core'
import { mcpServer } from '@capstan/mcp'
import { startService } from '@capstan/service'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import * as z from 'zod'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: z.object({ city: z.string().describe('Name of the city') }),
  execute: ({ city }) => ({ city, degrees: city.length }),
})

async function main(): Promise<void> {
  const service = await startService()
  const agent = new Agent({ name: 'forecaster', model: chatModel('planner', service), tools: [weather] })

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
  await service.close()
}

main()
