// Types that options use, for programs that cannot import the package that declares them.
export type { AuthProvider, OAuthClientProvider, Transport } from '@modelcontextprotocol/client'
export type { SkippedTool } from './client/mcp-tools.js'
export { type McpTools, mcpTools } from './client/mcp-tools.js'
export type {
  HttpServer,
  McpTool,
  McpToolInfo,
  McpToolResult,
  McpToolSettings,
  McpToolsOptions,
  OtherServer,
  StdioServer,
} from './client/options.js'
export { acceptPins, type PinChange } from './client/pins.js'
export type { McpContent, McpLink, McpResult } from './client/result.js'
export { type McpServer, mcpServer, type StdioService } from './server/mcp-server.js'
export type { CallRunOptions, McpCall, McpServerOptions, Served } from './server/options.js'
