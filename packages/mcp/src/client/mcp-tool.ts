import type { Tool } from '@capstan/core'
import type { McpResult } from './to-result.js'

/** A tool of an MCP server: its name and its arguments are known at run time only. */
export type McpTool = Tool<{
  name: string
  input: Record<string, unknown>
  args: Record<string, unknown>
  result: McpResult
  context: unknown
}>
