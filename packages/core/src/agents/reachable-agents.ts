import type { AgentOptions } from '../agent-options.js'
import { CapstanError } from '../errors.js'
import { hash } from '../json.js'
import { readArtifact } from '../middleware/long-results.js'
import { outputToolName, type StructuredOutput } from '../middleware/structured-output.js'
import type { ToolTrust } from '../run/run-context.js'
import type { AnyTool, Tool, Toolset, ToolsIdentity } from '../tools/tool.js'
import type { ChildAgent } from '../types/host.js'
import type { ChatModel } from '../types/model.js'

const behind = new WeakMap<Tool, InnerAgent>()

/** Marks a tool of `asTool` or `handoff` with its agent. */
export function withAgent<T extends Tool>(tool: T, agent: InnerAgent): T {
  behind.set(tool, agent)
  return tool
}

/** Returns the agent behind a tool, if there is one. */
export function agentBehind(tool: Tool): InnerAgent | undefined {
  return behind.get(tool)
}

/**
 * Returns all agents that a run can reach, by name: the agent itself and, recursively, the agents behind its tools.
 * @throws CapstanError `invalid_tool` when two of them have the same name
 */
export function agentsOf(agent: InnerAgent, toolset: Toolset): ReadonlyMap<string, InnerAgent> {
  const found = new Map([[agent.name, agent]])
  const look = ({ tools }: Toolset) => {
    for (const tool of tools) {
      const other = behind.get(tool)
      if (!other || found.get(other.name) === other) continue
      if (found.has(other.name)) throw sameName(other.name)
      found.set(other.name, other)
      look(other.toolset)
    }
  }
  look(toolset)
  return found
}

/** Identifies the tools of an agent and of all agents that its runs can reach. */
export function toolsIdentityOf(
  agent: InnerAgent,
  own: Toolset,
  agents: ReadonlyMap<string, InnerAgent> = agentsOf(agent, own),
): ToolsIdentity {
  const others = [...agents.values()].filter((other) => other !== agent)
  const hashOf = (toHash: (toolset: Toolset) => string) => {
    if (others.length === 0) return toHash(own)
    const hashes = others.map(({ name, toolset }) => `${name} ${toHash(toolset)}`).sort()
    return hash([toHash(own), ...hashes].join('\n'))
  }
  return {
    definitionHash: hashOf(({ hash }) => hash),
    orderedHash: () => hashOf(({ definitions }) => hash(JSON.stringify(definitions))),
  }
}

function sameName(name: string): CapstanError {
  const message = `Duplicate agent name "${name}". Agent names must be unique within a run.`
  return new CapstanError('invalid_tool', message, { evidence: { name } })
}

/** An agent as runs use it, without its types. */
export interface InnerAgent extends ChildAgent {
  readonly options: AgentOptions<readonly AnyTool[]>
  readonly model: ChatModel
  readonly toolset: Toolset
  readonly output: StructuredOutput | undefined
}

/**
 * Returns the trust in results by tool name. `untrusted`: tools of the run's agents that are declared so, and agents
 * as tools that can reach one. `unknown`: names that no agent of the run has.
 */
export function trustIn(agents: ReadonlyMap<string, InnerAgent>, own: Toolset): (name: string) => ToolTrust {
  const toolsets = [own, ...Array.from(agents.values(), ({ toolset }) => toolset)]
  const tools = toolsets.flatMap((toolset) => toolset.tools)
  const untrusted = new Set(tools.filter(isUntrusted).map(({ name }) => name))
  const known = new Set([...tools.map(({ name }) => name), ...addedByRuns])
  return (name) => (untrusted.has(name) ? 'untrusted' : known.has(name) ? 'trusted' : 'unknown')
}

/** Tools that a run adds itself: the first returns text of the model, the second is judged by its artifact. */
const addedByRuns = [outputToolName, readArtifact.name]

function isUntrusted(tool: Toolset['tools'][number]): boolean {
  const agent = agentBehind(tool)
  return tool.settings.untrusted === true || (agent !== undefined && reachesUntrusted(agent))
}

/** Whether an agent, or one that it can call or hand over to, has an untrusted tool. */
export function reachesUntrusted(agent: InnerAgent): boolean {
  const within = [...agentsOf(agent, agent.toolset).values()]
  return within.some(({ toolset }) => toolset.tools.some(({ settings }) => settings.untrusted))
}
