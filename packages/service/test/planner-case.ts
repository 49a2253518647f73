import type { ChatMessage } from '../src/plan/conversation.js'
import type { PlanRequest } from '../src/plan/plan.js'
import type { ToolDefinition } from '../src/plan/planner-tool.js'

/** A call that is expected, or one that was made before. */
export type CaseCall = readonly [name: string, args: Record<string, unknown>]

/** One request and the calls the planner's first answer to it must make; none means an answer in words. */
export interface PlannerCase {
  readonly ask: string
  readonly calls: readonly CaseCall[]
  /** What was said before, oldest first. */
  readonly earlier?: readonly ChatMessage[]
  /** What the tools answer, by name: then the case goes on to its `rounds`. */
  readonly results?: Readonly<Record<string, unknown>>
  /** The calls of each further answer. */
  readonly rounds?: readonly (readonly CaseCall[])[]
  readonly options?: Pick<PlanRequest, 'parallel' | 'choice'>
}

/** An earlier request with the calls it led to, what they brought, and an answer. */
export function spoken(
  ask: string,
  made: readonly (readonly [...CaseCall, unknown])[] = [],
  answer = 'Done.',
) {
  const calls = made.map(([name, args], index) => {
    return { id: `${ask}_${index}`, name, arguments: JSON.stringify(args) }
  })
  const results = made.map(([, , result], index): ChatMessage => {
    return { role: 'tool', callId: `${ask}_${index}`, text: JSON.stringify(result) }
  })
  const asked: ChatMessage = { role: 'user', text: ask }
  const said: ChatMessage = { role: 'assistant', text: answer, calls: [] }
  return made.length > 0
    ? [asked, { role: 'assistant', text: '', calls } as ChatMessage, ...results, said]
    : [asked, said]
}

/** A tool definition as it travels, in fewer brackets: required names are those without a question mark. */
export function wireTool(name: string, description: string, properties: Record<string, object>): object {
  const parameters = objectOf(properties)
  return { type: 'function', function: { name, description, parameters } }
}

/** A schema of an object: required names are those without a question mark. */
export function objectOf(properties: Record<string, object>): object {
  const entries = Object.entries(properties)
  const required = entries.filter(([key]) => !key.endsWith('?')).map(([key]) => key)
  const plain = Object.fromEntries(entries.map(([key, schema]) => [key.replace('?', ''), schema]))
  return { type: 'object', properties: plain, required }
}

export const text = (description: string) => ({ type: 'string', description })
export const number = (description: string) => ({ type: 'number', description })
export const integer = (description: string) => ({ type: 'integer', description })
export const date = (description: string) => ({ type: 'string', format: 'date', description })
export const oneOf = (...values: string[]) => ({ type: 'string', enum: values })
export const listOf = (items: object, description = '') => ({ type: 'array', items, description })
export const flag = (description: string) => ({ type: 'boolean', description })

/** The definitions inside wire tools, as the planner takes them. */
export function definitionsOf(tools: readonly object[]): ToolDefinition[] {
  return tools.map((tool) => (tool as { function: ToolDefinition }).function)
}
