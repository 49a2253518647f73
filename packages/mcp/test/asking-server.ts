// A server of 2026 over stdio, which asks once. Its state is the id of the process that asked.
import { inputRequired, McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { askCity } from './asking-servers.js'

serveStdio(() => {
  const server = new McpServer({ name: 'newer', version: '1' })
  server.registerTool('book', { description: 'Books a trip' }, ({ mcpReq }) => {
    const asked = mcpReq.requestState<string>()
    if (asked === undefined)
      return inputRequired({ inputRequests: { city: askCity }, requestState: String(process.pid) })
    return { content: [{ type: 'text', text: `${process.pid} ${asked}` }] }
  })
  return server
})
