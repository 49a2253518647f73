import type { ChatMessage } from '../src/plan/conversation.js'
import type { PlanRequest } from '../src/plan/plan.js'
import type { ToolDefinition } from '../src/plan/planner-tool.js'

/** An expected call, or an earlier one. */
export type CaseCall = readonly [name: string, args: Record<string, unknown>]

/** One request and the calls that the planner's first reply must make. None means a text reply. */
export interface PlannerCase {
  readonly ask: string
  readonly calls: readonly CaseCall[]
  /** Other first replies that are as good. */
  readonly or?: readonly (readonly CaseCall[])[]
  /** The earlier requests, oldest first. */
  readonly earlier?: readonly ChatMessage[]
  /** The results of the tools, by name. With them the case continues to its `rounds`. */
  readonly results?: Readonly<Record<string, unknown>>
  /** The calls of each further reply. */
  readonly rounds?: readonly (readonly CaseCall[])[]
  /** Words of the parts without a call. The last reply must contain them. */
  readonly rest?: readonly string[]
  readonly options?: Pick<PlanRequest, 'parallel' | 'choice'>
}

/** An earlier request with its calls, their results, and a reply. */
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

/** Requests that no call answers completely. */
export const none = (...asks: string[]): PlannerCase[] => asks.map((ask) => ({ ask, calls: [] }))

/** A case with one call. */
export const one = (ask: string, name: string, args: Record<string, unknown>): PlannerCase => ({
  ask,
  calls: [[name, args]],
})

/** A case with several calls. */
export const all = (ask: string, ...calls: readonly CaseCall[]): PlannerCase => ({ ask, calls })

/** A case that several calls answer equally well: the first one is the best. */
export const either = (ask: string, ...calls: readonly (readonly CaseCall[])[]): PlannerCase => {
  return { ask, calls: calls[0] ?? [], or: calls.slice(1) }
}

/** A case with a part that no tool does: the reply names it. */
export const partly = (ask: string, rest: string, ...calls: readonly CaseCall[]): PlannerCase => {
  return { ask, calls, rest: [rest] }
}

/** Writes a tool definition in fewer brackets: names without a question mark are required. */
export function wireTool(name: string, description: string, properties: Record<string, object>): object {
  const parameters = objectOf(properties)
  return { type: 'function', function: { name, description, parameters } }
}

/** Writes an object schema: names without a question mark are required. */
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

/** Extracts the definitions from wire tools for the planner. */
export function definitionsOf(tools: readonly object[]): ToolDefinition[] {
  return tools.map((tool) => (tool as { function: ToolDefinition }).function)
}
