import type { ToolDefinition } from '../src/plan/planner-tool.js'

/** One request and the calls the planner's first answer to it must make; none means an answer in words. */
export interface PlannerCase {
  readonly ask: string
  readonly calls: readonly (readonly [name: string, args: Record<string, unknown>])[]
}

/** A tool definition as it travels, in fewer brackets: required names are those without a question mark. */
export function wireTool(name: string, description: string, properties: Record<string, object>): object {
  const entries = Object.entries(properties)
  const required = entries.filter(([key]) => !key.endsWith('?')).map(([key]) => key)
  const plain = Object.fromEntries(entries.map(([key, schema]) => [key.replace('?', ''), schema]))
  return {
    type: 'function',
    function: { name, description, parameters: { type: 'object', properties: plain, required } },
  }
}

export const text = (description: string) => ({ type: 'string', description })
export const number = (description: string) => ({ type: 'number', description })
export const integer = (description: string) => ({ type: 'integer', description })

/** The definitions inside wire tools, as the planner takes them. */
export function definitionsOf(tools: readonly object[]): ToolDefinition[] {
  return tools.map((tool) => (tool as { function: ToolDefinition }).function)
}
