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

/** Remembers which agent is behind a tool, as `asTool` and `handoff` make them. */
export function withAgent<T extends Tool>(tool: T, agent: InnerAgent): T {
  behind.set(tool, agent)
  return tool
}

/** The agent behind a tool, if there is one. */
export function agentBehind(tool: Tool): InnerAgent | undefined {
  return behind.get(tool)
}

/**
 * The agents that a run may come to, by name: its own, those behind its tools, and those behind theirs.
 * @throws CapstanError `invalid_tool` when two of them have one name
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

/** Identifies the tools of an agent, and of all agents that its runs may reach. */
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
  const message = `Two agents of this run are named "${name}". Give one another name: a state knows them by their names alone.`
  return new CapstanError('invalid_tool', message, { evidence: { name } })
}

/** An agent as runs know it, its types aside. */
export interface InnerAgent extends ChildAgent {
  readonly options: AgentOptions<readonly AnyTool[]>
  readonly model: ChatModel
  readonly toolset: Toolset
  readonly output: StructuredOutput | undefined
}

/**
 * Tells by a tool's name how far its results are trusted: `untrusted` are tools of the run's agents that say so and
 * agents as tools that can reach such a tool, `unknown` are names that no agent of the run has.
 */
export function trustIn(agents: ReadonlyMap<string, InnerAgent>, own: Toolset): (name: string) => ToolTrust {
  const toolsets = [own, ...Array.from(agents.values(), ({ toolset }) => toolset)]
  const tools = toolsets.flatMap((toolset) => toolset.tools)
  const untrusted = new Set(tools.filter(isUntrusted).map(({ name }) => name))
  const known = new Set([...tools.map(({ name }) => name), ...addedByRuns])
  return (name) => (untrusted.has(name) ? 'untrusted' : known.has(name) ? 'trusted' : 'unknown')
}

/** A run adds these tools itself: one returns text of the model, of the other the artifact is looked at. */
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
