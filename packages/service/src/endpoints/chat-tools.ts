import { ServiceError } from '../http/service-error.js'
import type { PlanRequest } from '../plan/plan.js'
import type { ToolDefinition } from '../plan/planner-tool.js'
import { isRecord } from '../record.js'

/** Checks a request's `tools`; 400 `invalid_tools` names the one at fault. */
export function parseTools(tools: unknown): ToolDefinition[] {
  if (tools === undefined || tools === null) return []
  if (!Array.isArray(tools)) throw invalidTool('tools', 'must be an array of function tools')
  const parsed = tools.map((tool, index) => parseTool(tool, `tools[${index}]`))
  const names = parsed.map(({ name }) => name)
  const twice = names.findIndex((name, index) => names.indexOf(name) < index)
  if (twice >= 0)
    throw invalidTool(`tools[${twice}].function.name`, `is "${names[twice]}" a second time; names are unique`)
  return parsed
}

/** Checks a request's `tool_choice`; 400 `invalid_tool_choice` when it is none, or names a tool that is not offered. */
export function parseChoice(
  choice: unknown,
  tools: readonly ToolDefinition[],
): NonNullable<PlanRequest['choice']> {
  if (choice === undefined || choice === null || choice === 'auto') return 'auto'
  if (choice === 'none') return 'none'
  if (choice === 'required') {
    if (tools.length > 0) return 'required'
    throw invalidChoice('"required" needs "tools" to choose from')
  }
  const name =
    isRecord(choice) && choice.type === 'function' && isRecord(choice.function)
      ? choice.function.name
      : undefined
  if (typeof name !== 'string') {
    throw invalidChoice(
      'must be "auto", "none", "required" or {"type": "function", "function": {"name": "..."}}',
    )
  }
  if (tools.some((tool) => tool.name === name)) return { name }
  const offered = tools.map((tool) => tool.name).join(', ') || 'none'
  throw invalidChoice(`names "${name}", which is not among the tools: ${offered}`)
}

function parseTool(tool: unknown, at: string): ToolDefinition {
  if (!isRecord(tool) || tool.type !== 'function') throw invalidTool(`${at}.type`, 'must be "function"')
  if (!isRecord(tool.function)) throw invalidTool(`${at}.function`, 'must be an object with a name')
  const { name, description = '', parameters = { type: 'object', properties: {} } } = tool.function
  if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
    throw invalidTool(`${at}.function.name`, 'must be 1 to 64 letters, digits, underscores or hyphens')
  }
  if (typeof description !== 'string') throw invalidTool(`${at}.function.description`, 'must be a string')
  if (!isRecord(parameters) || parameters.type !== 'object') {
    throw invalidTool(`${at}.function.parameters`, 'must be a JSON Schema with "type": "object"')
  }
  if (parameters.properties !== undefined && !isRecord(parameters.properties)) {
    throw invalidTool(`${at}.function.parameters.properties`, 'must be an object of schemas')
  }
  return { name, description, parameters }
}

function invalidTool(at: string, what: string): ServiceError {
  return new ServiceError(400, 'invalid_tools', `${at} ${what}.`, at)
}

function invalidChoice(what: string): ServiceError {
  return new ServiceError(400, 'invalid_tool_choice', `"tool_choice" ${what}.`, 'tool_choice')
}
