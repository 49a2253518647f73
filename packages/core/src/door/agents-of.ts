import type { Tool } from '../tool/tool.js'
import type { Toolset } from '../tool/toolset.js'
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

/** Changes when the tools of any agent do that a run may come to; of an agent alone it is its toolset's. */
export function definitionHashOf(
  agent: InnerAgent,
  own: Toolset,
  agents: ReadonlyMap<string, InnerAgent> = agentsOf(agent, own),
): string {
  const others = [...agents.values()].filter((other) => other !== agent)
  if (others.length === 0) return own.hash
  const hashes = others.map(({ name, toolset }) => `${name} ${toolset.hash}`).sort()
  return fingerprint([own.hash, ...hashes].join('\n'))
}

function sameName(name: string): CapstanError {
  const message = `Two agents of this run are named "${name}". Give one another name: a state knows them by their names alone.`
  return new CapstanError('invalid_tool', message, { evidence: { name } })
}
