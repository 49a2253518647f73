/** The results of a server with one tool, `ping`, by the method of the request. */
export const pingResults: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 's', version: '1' },
  },
  'tools/list': { tools: [{ name: 'ping', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'pong' }] },
}
