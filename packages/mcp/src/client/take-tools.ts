import type { JsonSchemaParameters } from '@capstan/core'
import type { Tool as ServerTool } from '@modelcontextprotocol/client'
import type { McpTool } from './mcp-tool.js'
import { tidyText } from './tidy-text.js'
import { toParameters } from './to-parameters.js'
import { type Reach, toTool } from './to-tool.js'
import { toolNames } from './tool-names.js'

/** A tool of a server that no agent can use, and why. */
export interface SkippedTool {
  /** As the server calls it. */
  readonly name: string
  readonly reason: string
}

export interface TakenTools {
  readonly tools: readonly McpTool[]
  readonly skipped: readonly SkippedTool[]
}

/** What a server lists, as tools of ours. @throws CapstanError `invalid_tool` for settings of the user's that cannot be kept */
export function takeTools(given: readonly ServerTool[], reach: Reach): TakenTools {
  const names = toolNames(
    given.map(({ name }) => name),
    reach.options.prefix,
  )
  const tools = new Map<string, McpTool>()
  const skipped: SkippedTool[] = []
  for (const one of given) {
    const parameters = tools.has(one.name)
      ? 'The server has two tools of this name.'
      : tools.size < maxTools
        ? read(one)
        : tooMany
    if (typeof parameters === 'string') skipped.push({ name: one.name, reason: parameters })
    else tools.set(one.name, toTool(one, { name: names.get(one.name) ?? one.name, parameters }, reach))
  }
  return { tools: [...tools.values()], skipped }
}

/** More than any model can be shown, and few enough to be looked through at once. */
const maxTools = 1000
const tooMany = `The server has more tools than the ${maxTools} that are taken. Name those that you need in allow.`

/** The parameters of a tool, or why they cannot be used. */
function read({ inputSchema }: ServerTool): JsonSchemaParameters | string {
  try {
    return toParameters(inputSchema)
  } catch (error) {
    return tidyText(error instanceof Error ? error.message : String(error), 1000)
  }
}
