import { ServiceError } from '../http/service-error.js'
import type { ToolDefinition } from '../plan/planner-tool.js'
import { isRecord } from '../record.js'

/** Checks a request's `tools`; 400 `invalid_tools` names the one at fault. */
export function parseTools(tools: unknown, field = 'tools'): ToolDefinition[] {
  if (tools === undefined || tools === null) return []
  if (!Array.isArray(tools)) throw invalidTool(field, 'must be an array of function tools')
  // Each is compared with each clause, on the thread that answers everybody.
  if (tools.length > mostTools) throw invalidTool(field, `must hold at most ${mostTools} tools`)
  if (JSON.stringify(tools).length > mostText)
    throw invalidTool(field, `must be at most ${mostText} characters long as JSON`)
  const place = (index: number) => (field === 'tools' ? `tools[${index}].function` : `${field}[${index}]`)
  const parsed = tools.map((tool, index) => parseTool(tool, `${field}[${index}]`, place(index)))
  const names = parsed.map(({ name }) => name)
  const twice = names.findIndex((name, index) => names.indexOf(name) < index)
  if (twice >= 0)
    throw invalidTool(`${place(twice)}.name`, `is "${names[twice]}" a second time; names are unique`)
  return parsed
}

const mostTools = 128
const mostText = 250_000

function parseTool(tool: unknown, outer: string, at: string): ToolDefinition {
  if (!isRecord(tool) || tool.type !== 'function') throw invalidTool(`${outer}.type`, 'must be "function"')
  if (!isRecord(tool.function)) throw invalidTool(at, 'must be an object with a name')
  const { name, strict } = tool.function
  const description = tool.function.description ?? ''
  const parameters = tool.function.parameters ?? { type: 'object', properties: {} }
  if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
    throw invalidTool(`${at}.name`, 'must be 1 to 64 letters, digits, underscores or hyphens')
  }
  if (typeof description !== 'string') throw invalidTool(`${at}.description`, 'must be a string')
  if (!isRecord(parameters) || parameters.type !== 'object') {
    throw invalidTool(`${at}.parameters`, 'must be a JSON Schema with "type": "object"')
  }
  if (parameters.properties !== undefined && !isRecord(parameters.properties)) {
    throw invalidTool(`${at}.parameters.properties`, 'must be an object of schemas')
  }
  if (strict !== undefined && strict !== null && typeof strict !== 'boolean')
    throw invalidTool(`${at}.strict`, 'must be true or false')
  return { name, description, parameters }
}

/** The 400 for tools that cannot be offered. */
export function invalidTool(at: string, what: string): ServiceError {
  return new ServiceError(400, 'invalid_tools', `${at} ${what}.`, at)
}
