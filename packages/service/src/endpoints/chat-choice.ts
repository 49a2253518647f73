import { ServiceError } from '../http/service-error.js'
import type { Choice as ToolChoice } from '../plan/demanded-call.js'
import type { ToolDefinition } from '../plan/planner-tool.js'
import { isRecord } from '../record.js'

/** The tools that may be called, and whether one must be. */
export interface Choice {
  readonly tools: readonly ToolDefinition[]
  readonly choice: ToolChoice
}

/**
 * Checks a request's `tool_choice`, with the tools it leaves to choose from; 400 `invalid_tool_choice` when it is none,
 * or names a tool that is not offered.
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
    throw invalidChoice(field, '"required" needs "tools" to choose from')
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
    throw invalidChoice(`${field}.allowed_tools.tools`, 'must be an array of at least one of the tools')
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

function invalidChoice(field: string, what: string): ServiceError {
  return new ServiceError(400, 'invalid_tool_choice', `"${field}" ${what}.`, field)
}
