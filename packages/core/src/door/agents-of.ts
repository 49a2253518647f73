import type { Tool } from '../tool/tool.js'
import type { Toolset, ToolsIdentity } from '../tool/toolset.js'
import { CapstanError } from '../words/error.js'
import { fingerprint } from '../words/fingerprint.js'
import type { InnerAgent } from './inner-agent.js'

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
    return fingerprint([toHash(own), ...hashes].join('\n'))
  }
  return {
    definitionHash: hashOf(({ hash }) => hash),
    orderedHash: () => hashOf(({ definitions }) => fingerprint(JSON.stringify(definitions))),
  }
}

function sameName(name: string): CapstanError {
  const message = `Two agents of this run are named "${name}". Give one another name: a state knows them by their names alone.`
  return new CapstanError('invalid_tool', message, { evidence: { name } })
}
