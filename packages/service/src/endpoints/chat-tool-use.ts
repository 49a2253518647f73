import { isRecord } from '../record.js'
import type { Choice } from './chat-choice.js'
import { parseChoice } from './chat-choice.js'
import { invalidTool, parseTools } from './chat-tools.js'

/** The tools of a request and what it says about calling them. */
export interface ToolUse extends Choice {
  /** Whether they were offered as `functions`, as was done before there were tools. */
  readonly isOldForm: boolean
}

/** Checks `tools` and `tool_choice`, or `functions` and `function_call` as before; a 400 names the field at fault. */
export function parseToolUse(fields: Readonly<Record<string, unknown>>): ToolUse {
  const isOldForm = isGiven(fields.functions)
  if (isOldForm && isGiven(fields.tools))
    throw invalidTool('functions', 'and "tools" do not go together; leave "functions" out')
  if (!isOldForm) return { ...parseChoice(fields.tool_choice, parseTools(fields.tools)), isOldForm }
  const tools = parseTools(toTools(fields.functions), 'functions')
  return { ...parseChoice(toToolChoice(fields.function_call), tools, 'function_call'), isOldForm }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

function toTools(functions: unknown): unknown {
  return Array.isArray(functions)
    ? functions.map((one: unknown) => ({ type: 'function', function: one }))
    : functions
}

function toToolChoice(choice: unknown): unknown {
  return isRecord(choice) ? { type: 'function', function: choice } : choice
}
