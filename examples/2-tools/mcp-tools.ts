// Tools of an MCP server in an agent. Here the server is a file of this example; most servers start with npx.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { fileURLToPath } from 'node:url'
import { Agent } from '@capstan/core'
import { mcpTools } from '@capstan/mcp'

const harbour = fileURLToPath(new URL('./mcp-tools/harbour.ts', import.meta.url))
// #region connect
const server = await mcpTools({
  command: process.execPath,
  args: [...process.execArgv, harbour],
  prefix: 'harbour',
  settings: ({ name }) => (name === 'draw_chart' ? { effects: 'read' } : {}),
})
const agent = new Agent({ model: 'planner', tools: [...server.tools] })
// #endregion
console.log(server.tools.map(({ name }) => name).join(', '))

const { toolCalls, artifacts } = await agent.run(
  'Get the tides of the harbour Bergen, then draw a chart of the harbour Bergen.',
  {
    observe: (event) => {
      if (event.type === 'tool-progress') console.log(event.name, event.value)
    },
  },
)
for (const { name, status, content } of toolCalls) console.log(name, status, content)
console.log(artifacts.map(({ kind, mediaType }) => `${kind} ${mediaType}`).join(', '))

await server.close()
