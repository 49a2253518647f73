import { Agent, type AnyAgent, coreOf } from '../door/agent.js'
import type { AgentOptions } from '../door/agent-options.js'
import { agentBehind, withAgent } from '../door/agents-of.js'
import type { InnerAgent } from '../door/inner-agent.js'
import type { Tool } from '../tool/tool.js'
import type { ToolContext } from '../tool/tool-context.js'
import type { AnyTool } from '../tool/types.js'

/** What comes in place of a tool's function, by the idempotency key of the call. */
export type Replacement = (idempotencyKey: string) => unknown

/** An agent and further tools, whose functions are replaced, also in those that it hands over to; all else is theirs. */
export function functionsReplaced(
  agent: AnyAgent,
  further: readonly AnyTool[],
  by: Replacement,
): { readonly agent: AnyAgent; readonly further: readonly AnyTool[] } {
  const known = new Map<InnerAgent, Agent<readonly AnyTool[]>>()
  const toAgent = (core: InnerAgent, own: Partial<AgentOptions<readonly AnyTool[]>> = {}) => {
    const { options, model } = core
    const tools = (options.tools ?? []).map(toTool)
    const made = known.get(core) ?? new Agent({ ...options, ...own, model, tools } as typeof options)
    known.set(core, made)
    return made
  }
  const toTool = (one: Tool): Tool => {
    // Nobody waits for a function that does not run.
    const { rate: _, ...settings } = one.settings
    const execute = (_args: unknown, { idempotencyKey }: ToolContext) => by(idempotencyKey)
    const made = { ...one, settings, ...(one.execute ? { execute } : {}) }
    const behind = agentBehind(one)
    return behind ? withAgent(made, coreOf(toAgent(behind))) : made
  }
  const artifacts = agent.artifacts.store
  return { agent: toAgent(coreOf(agent), { artifacts }), further: further.map(toTool) }
}
