import { ServiceError } from '../http/service-error.js'
import { isGiven, isRecord } from '../json.js'
import type { ToolDefinition } from '../plan/planner-tool.js'
import type { Choice as ToolChoice } from '../typed/required-reply.js'

/** A request's tools and its `tool_choice`. */
export interface ToolUse extends Choice {
  /** Whether the tools are in `functions`, the older form of `tools`. */
  readonly isOldForm: boolean
}

/**
 * Checks `tools` and `tool_choice`, or the older `functions` and `function_call`. Throws a 400 that names the invalid
 * field.
 */
export function parseToolUse(fields: Readonly<Record<string, unknown>>): ToolUse {
  const isOldForm = isGiven(fields.functions)
  if (isOldForm && isGiven(fields.tools))
    throw invalidTool('functions', 'and "tools" exclude each other; omit "functions"')
  if (!isOldForm) return { ...parseChoice(fields.tool_choice, parseTools(fields.tools)), isOldForm }
  const tools = parseTools(toTools(fields.functions), { field: 'functions' })
  return { ...parseChoice(toToolChoice(fields.function_call), tools, 'function_call'), isOldForm }
}

function toTools(functions: unknown): unknown {
  return Array.isArray(functions)
    ? functions.map((one: unknown) => ({ type: 'function', function: one }))
    : functions
}

function toToolChoice(choice: unknown): unknown {
  return isRecord(choice) ? { type: 'function', function: choice } : choice
}

/** The paths of the tools in a request, for errors. */
interface ToolPlaces {
  readonly field: string
  /** The path of the function inside a tool. Default: the tool itself. */
  readonly inner?: string
  /** The name of the field that contains the schema. Default: `parameters`. */
  readonly schema?: string
}

/** Checks `tools` in a request. Throws a 400 `invalid_tools` that names the invalid tool. */
export function parseTools(
  tools: unknown,
  { field, inner = '', schema = 'parameters' }: ToolPlaces = { field: 'tools', inner: '.function' },
): ToolDefinition[] {
  if (tools === undefined || tools === null) return []
  if (!Array.isArray(tools)) throw invalidTool(field, 'must be an array of function tools')
  // On the main thread, the planner compares each tool with each clause.
  if (tools.length > mostTools) throw invalidTool(field, `must contain at most ${mostTools} tools`)
  if (JSON.stringify(tools).length > mostText)
    throw invalidTool(field, `must be at most ${mostText} characters long as JSON`)
  const place = (index: number) => `${field}[${index}]${inner}`
  const parsed = tools.map((tool, index) => {
    if (!isRecord(tool) || tool.type !== 'function')
      throw invalidTool(`${field}[${index}].type`, 'must be "function"')
    return parseFunction(tool.function, place(index), schema)
  })
  const names = parsed.map(({ name }) => name)
  const twice = names.findIndex((name, index) => names.indexOf(name) < index)
  if (twice >= 0) throw invalidTool(`${place(twice)}.name`, `repeats "${names[twice]}"; names must be unique`)
  return parsed
}

const mostTools = 128
const mostText = 250_000

function parseFunction(given: unknown, at: string, schema: string): ToolDefinition {
  if (!isRecord(given)) throw invalidTool(at, 'must be an object with a name')
  const { name, strict } = given
  const description = given.description ?? ''
  const parameters = given.parameters ?? { type: 'object', properties: {} }
  if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
    throw invalidTool(`${at}.name`, 'must be 1 to 64 letters, digits, underscores or hyphens')
  }
  if (typeof description !== 'string') throw invalidTool(`${at}.description`, 'must be a string')
  if (!isRecord(parameters) || parameters.type !== 'object') {
    throw invalidTool(`${at}.${schema}`, 'must be a JSON Schema with "type": "object"')
  }
  if (parameters.properties !== undefined && !isRecord(parameters.properties)) {
    throw invalidTool(`${at}.${schema}.properties`, 'must be an object of schemas')
  }
  if (strict !== undefined && strict !== null && typeof strict !== 'boolean')
    throw invalidTool(`${at}.strict`, 'must be true or false')
  return { name, description, parameters }
}

/** Creates the 400 error for invalid tools. */
function invalidTool(at: string, what: string): ServiceError {
  return new ServiceError(400, 'invalid_tools', `${at} ${what}.`, at)
}

/** The tools that may be called, and whether a call is required. */
export interface Choice {
  readonly tools: readonly ToolDefinition[]
  readonly choice: ToolChoice
}

/**
 * Checks `tool_choice` in a request, and returns the allowed tools. Throws a 400 `invalid_tool_choice` if the value is
 * invalid or names a tool that the request does not contain.
 */
export function parseChoice(
  choice: unknown,
  tools: readonly ToolDefinition[],
  field = 'tool_choice',
): Choice {
  if (choice === undefined || choice === null) return { tools, choice: 'auto' }
  if (choice === 'auto' || choice === 'none') return { tools, choice }
  if (choice === 'required') {
    if (tools.length > 0) return { tools, choice }
    throw invalidChoice(field, 'is "required", which needs "tools"')
  }
  if (isRecord(choice) && choice.type === 'allowed_tools')
    return parseAllowed(choice.allowed_tools, tools, field)
  const name = nameIn(choice)
  if (name === undefined) {
    throw invalidChoice(
      field,
      'must be "auto", "none", "required", {"type": "function", "function": {"name": "..."}} or {"type": "allowed_tools", ...}',
    )
  }
  checkOffered(name, tools, field)
  return { tools, choice: { name } }
}

function parseAllowed(allowed: unknown, tools: readonly ToolDefinition[], field: string): Choice {
  const { mode, tools: list } = isRecord(allowed) ? allowed : {}
  if (mode !== 'auto' && mode !== 'required')
    throw invalidChoice(`${field}.allowed_tools.mode`, 'must be "auto" or "required"')
  if (!Array.isArray(list) || list.length === 0)
    throw invalidChoice(`${field}.allowed_tools.tools`, 'must be a non-empty array of tools')
  const names = list.map((one) => nameIn(one))
  for (const [index, name] of names.entries()) {
    if (name === undefined)
      throw invalidChoice(
        `${field}.allowed_tools.tools[${index}]`,
        'must be {"type": "function", "function": {"name": "..."}}',
      )
    checkOffered(name, tools, field)
  }
  return parseChoice(
    mode,
    tools.filter(({ name }) => names.includes(name)),
  )
}

function nameIn(choice: unknown): string | undefined {
  const inner = isRecord(choice) && choice.type === 'function' ? choice.function : undefined
  return isRecord(inner) && typeof inner.name === 'string' ? inner.name : undefined
}

function checkOffered(name: string, tools: readonly ToolDefinition[], field: string): void {
  if (tools.some((tool) => tool.name === name)) return
  const offered = tools.map((tool) => tool.name).join(', ') || 'none'
  throw invalidChoice(field, `names "${name}", which is not among the tools: ${offered}`)
}

/** Creates the 400 error for an invalid tool choice. */
export function invalidChoice(field: string, what: string): ServiceError {
  return new ServiceError(400, 'invalid_tool_choice', `"${field}" ${what}.`, field)
}
