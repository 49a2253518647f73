import type { Toolset } from '../tool/toolset.js'
import { agentBehind, agentsOf } from './agents-of.js'
import type { InnerAgent } from './inner-agent.js'

/**
 * Names of tools whose results may hold words of strangers, of all agents of a run: those that say so, and agents as
 * tools that can come to one that does.
 */
export function untrustedNames(agents: ReadonlyMap<string, InnerAgent>, own: Toolset): ReadonlySet<string> {
  const toolsets = [own, ...Array.from(agents.values(), ({ toolset }) => toolset)]
  const tools = toolsets.flatMap((toolset) => toolset.tools)
  return new Set(
    tools
      .filter((tool) => tool.settings.untrusted || canReadStrangers(agentBehind(tool)))
      .map(({ name }) => name),
  )
}

function canReadStrangers(agent: InnerAgent | undefined): boolean {
  if (!agent) return false
  const within = [...agentsOf(agent, agent.toolset).values()]
  return within.some(({ toolset }) => toolset.tools.some(({ settings }) => settings.untrusted))
}
