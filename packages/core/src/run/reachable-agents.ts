import { type Artifact, isArtifactId, markOf } from '../artifacts/artifact.js'
import { CapstanError } from '../errors.js'
import { hash } from '../json.js'
import type { ChildRunner } from '../types/host.js'
import type { AnyTool, Tool, Toolset, ToolTrust } from './middleware.js'

/** An agent that a run can reach. */
export interface ReachableAgent extends ChildRunner {
  readonly toolset: Toolset
  /** Its own options: the tools that its server runs are in no toolset. */
  readonly options?: { readonly tools?: readonly AnyTool[] | undefined }
}

/** Marks a tool with the agent behind it. */
export function withAgent<T extends AnyTool>(tool: T, agent: ReachableAgent): T {
  return { ...tool, agentBehind: agent }
}

/** Returns the agent behind a tool, if there is one. */
export function agentBehind<Inner extends ReachableAgent>(tool: AnyTool): Inner | undefined {
  return tool.agentBehind as Inner | undefined
}

/**
 * Returns all agents that a run can reach, by name: the agent itself and, recursively, the agents behind its tools.
 * @throws CapstanError `invalid_tool` when two of them have the same name
 */
export function agentsOf<Inner extends ReachableAgent>(
  agent: Inner,
  toolset: Toolset,
): ReadonlyMap<string, Inner> {
  const found = new Map([[agent.name, agent]])
  const look = ({ tools }: Toolset) => {
    for (const tool of tools) {
      const other = agentBehind<Inner>(tool)
      if (!other || found.get(other.name) === other) continue
      if (found.has(other.name)) throw sameName(other.name)
      found.set(other.name, other)
      look(other.toolset)
    }
  }
  look(toolset)
  return found
}

/** Returns the hash of the tools of an agent and of all agents that its runs can reach. The order does not count. */
export function definitionHashOf(
  agent: ReachableAgent,
  own: Toolset,
  agents: ReadonlyMap<string, ReachableAgent> = agentsOf(agent, own),
): string {
  const others = [...agents.values()].filter((other) => other !== agent)
  if (others.length === 0) return own.hash
  return hash([own.hash, ...others.map(({ name, toolset }) => `${name} ${toolset.hash}`).sort()].join('\n'))
}

function sameName(name: string): CapstanError {
  const message = `Duplicate agent name "${name}". Agent names must be unique within a run.`
  return new CapstanError('invalid_tool', message, { evidence: { name } })
}

/**
 * Returns the trust in results by tool name. `untrusted`: tools of the run's agents that are declared so, and agents
 * as tools that can reach one. `unknown`: names that no agent of the run has.
 */
export function trustIn(
  agents: ReadonlyMap<string, ReachableAgent>,
  own: Toolset,
): (name: string) => ToolTrust {
  const tools = toolsOf(agents, own)
  const untrusted = new Set(tools.filter(isUntrusted).map(({ name }) => name))
  const known = new Set([...tools.map(({ name }) => name), ...addedByRuns])
  return (name) => (untrusted.has(name) ? 'untrusted' : known.has(name) ? 'trusted' : 'unknown')
}

/** Returns the tools of a run and of all its agents. */
export function toolsOf(agents: ReadonlyMap<string, ReachableAgent>, own: Toolset): readonly Tool[] {
  return [own, ...Array.from(agents.values(), ({ toolset }) => toolset)].flatMap(({ tools }) => tools)
}

/**
 * Returns the untrusted source of an artifact's text, from its own mark or by the trust in the tool that made it. Images
 * and audio taint only if they were attached as untrusted, or made from a file that was.
 */
export function taintOfArtifact(
  artifact: Artifact,
  { trustOf }: { trustOf(name: string): ToolTrust },
): string | undefined {
  const { kind, origin } = artifact
  const tool = origin?.tool
  const mark = markOf(artifact)
  if (kind !== 'text' && kind !== 'file') return isArtifactId(mark) ? mark : undefined
  return mark ?? (tool !== undefined && trustOf(tool) === 'untrusted' ? tool : undefined)
}

/** Tools that a run adds itself: the first returns text of the model, the second is judged by its artifact. */
const addedByRuns = ['final_answer', 'read_artifact']

function isUntrusted(tool: Toolset['tools'][number]): boolean {
  const agent = agentBehind(tool)
  return tool.settings.untrusted === true || (agent !== undefined && reachesUntrusted(agent))
}

/** Whether an agent, or one that it can call or hand over to, has an untrusted tool, or one that its server runs. */
export function reachesUntrusted(agent: ReachableAgent): boolean {
  const within = [...agentsOf(agent, agent.toolset).values()]
  return within.some(({ toolset, options }) =>
    [...toolset.tools, ...(options?.tools ?? [])].some((tool) => tool?.hosted || tool?.settings.untrusted),
  )
}
