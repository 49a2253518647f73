import { outputToolName } from '../run/output.js'
import type { ToolTrust } from '../run/walk.js'
import { readArtifact } from '../tool/read-artifact.js'
import type { Toolset } from '../tool/toolset.js'
import { agentBehind, agentsOf } from './agents-of.js'
import type { InnerAgent } from './inner-agent.js'

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
