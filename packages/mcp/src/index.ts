export type {
  HttpServer,
  McpToolInfo,
  McpToolSettings,
  McpToolsOptions,
  OtherServer,
  StdioServer,
} from './client/mcp-options.js'
export type { McpTool } from './client/mcp-tool.js'
export { type McpTools, mcpTools } from './client/mcp-tools.js'
export type { SkippedTool } from './client/take-tools.js'
export type { McpContent, McpLink, McpResult } from './client/to-result.js'
export { type McpServer, mcpServer, type StdioService } from './server/mcp-server.js'
export type { CallRunOptions, McpCall, McpServerOptions, Served } from './server/server-options.js'
