import { type Agent, type AnyAgent, coreOf } from '../agent.js'
import { checkOptionNames } from '../option-names.js'
import { withAgent } from '../run/reachable-agents.js'
import { jsonSchema } from '../tools/json-schema.js'
import { type ContextOf, type Tool, tool } from '../tools/tool.js'

export interface HandoffOptions<Name extends string> {
  /** Default `transfer_to_` and the agent's name. */
  readonly name?: Name
  /** The condition for a handoff, for the model. Default: a sentence with the agent's name. */
  readonly description?: string
}

/** Requires the context that the tools of the other agent require. */
export type HandoffTool<Name extends string, To> = Tool<{
  name: Name
  input: Record<string, unknown>
  args: Record<string, unknown>
  result: string
  context: To extends Agent<infer Tools, infer _Output> ? ContextOf<Tools> : unknown
}>

/**
 * Creates a tool that hands the conversation to another agent: its model, instructions and tools apply for the rest
 * of the run. The limits of the run stay. Pass the name of an agent of the run to hand back to it.
 * @throws CapstanError `invalid_tool` for an agent whose name is not a valid tool name, or an unknown option;
 * `invalid_request` for a value that is not an agent
 */
export function handoff<const Name extends string = string, To extends AnyAgent | string = string>(
  agent: To,
  options: HandoffOptions<Name> = {},
): HandoffTool<Name, To> {
  const core = typeof agent === 'string' ? undefined : coreOf(agent)
  const to = typeof agent === 'string' ? agent : agent.name
  checkOptionNames(
    options,
    { name: true, description: true },
    { of: `The handoff to "${to}"`, code: 'invalid_tool' },
  )
  const { name, description = `Hand the conversation over to ${to}.` } = options
  const made = tool({
    name: name ?? `transfer_to_${to}`,
    description,
    parameters: jsonSchema({ type: 'object', properties: {} }),
    effects: 'read',
    execute: () => `${to} goes on with the conversation.`,
  })
  // The context of the other agent's tools must be there after the handoff; only the types check it.
  const transfer = { ...made, isDynamic: name === undefined, handoff: to } as unknown as HandoffTool<Name, To>
  return core ? withAgent(transfer, core) : transfer
}
