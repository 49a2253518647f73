import { type Agent, type AnyAgent, coreOf } from '../agent.js'
import { jsonSchema } from '../tools/json-schema.js'
import { type ContextOf, type Tool, tool } from '../tools/tool.js'
import { withAgent } from './reachable-agents.js'

export interface HandoffOptions<Name extends string> {
  /** Default `transfer_to_` and the agent's name. */
  readonly name?: Name
  /** When to hand over. Default: the agent's name says it. */
  readonly description?: string
}

/** Asks for the context that the tools of the other agent ask for. */
export type HandoffTool<Name extends string, To> = Tool<{
  name: Name
  input: Record<string, unknown>
  args: Record<string, unknown>
  result: string
  context: To extends Agent<infer Tools, infer _Output> ? ContextOf<Tools> : unknown
}>

/**
 * A tool by which another agent goes on with the conversation: with its own model, instructions and tools, for the
 * rest of the run. The limits of the run hold on. With the name of an agent that the run knows already, the way back.
 * @throws CapstanError `invalid_tool` for an agent whose name makes no name of a tool
 */
export function handoff<const Name extends string = string, To extends AnyAgent | string = string>(
  agent: To,
  options: HandoffOptions<Name> = {},
): HandoffTool<Name, To> {
  const to = typeof agent === 'string' ? agent : agent.name
  const { name, description = `Hand the conversation over to ${to}.` } = options
  const made = tool({
    name: name ?? `transfer_to_${to}`,
    description,
    parameters: jsonSchema({ type: 'object', properties: {} }),
    effects: 'read',
    execute: () => `${to} goes on with the conversation.`,
  })
  // What the other agent's tools ask for must be there when it goes on: only the types know of it.
  const transfer = { ...made, isDynamic: name === undefined, handoff: to } as unknown as HandoffTool<Name, To>
  return typeof agent === 'string' ? transfer : withAgent(transfer, coreOf(agent))
}
