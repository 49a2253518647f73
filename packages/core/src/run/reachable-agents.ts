import { artifactReader } from '../artifacts/artifact.js'
import { type CapstanError, invalidRequest } from '../errors.js'
import { hash, onceFor } from '../json.js'
import { kindOf } from '../option-names.js'
import { invalidTool } from '../tools/tool-options.js'
import type { ChildRunner } from '../types/host.js'
import type { AnyTool, RunnerWithTools, Toolset, ToolTrust } from './middleware.js'

/** Returns the runner behind an agent. @throws CapstanError `invalid_request` for a value that is not an agent */
export function runnerOf(agent: {
  readonly name: string
  readonly agents: ReadonlyMap<string, ChildRunner>
}): RunnerWithTools {
  const { name = '', agents } = Object(agent) as Partial<typeof agent>
  const found = agents?.get(name)
  // A wrapper around an agent may contain a different kind of runner.
  if (found && 'toolset' in found) return found as RunnerWithTools
  throw notAnAgent(agent)
}

export function notAnAgent(value: unknown): CapstanError {
  const message = `Expected an agent, got ${kindOf(value)}. Use new Agent(...).`
  return invalidRequest(message)
}

/**
 * Returns all agents that a run can reach, by name: the agent itself and, recursively, the agents behind its tools.
 * @throws CapstanError `invalid_tool` when two of them have the same name
 */
export function agentsOf(agent: RunnerWithTools, toolset: Toolset): ReadonlyMap<string, RunnerWithTools> {
  const found = new Map([[agent.name, agent]])
  const look = ({ tools }: Toolset) => {
    for (const { agent: other } of tools) {
      if (!other || found.get(other.name) === other) continue
      const { name } = other
      if (found.has(name)) {
        throw invalidTool(name, `Duplicate agent name "${name}". Rename one`)
      }
      found.set(name, other)
      look(other.toolset)
    }
  }
  look(toolset)
  return found
}

/** Returns a hash of all tools that an agent's runs can reach. The order of the tools has no effect. */
export function definitionHashOf(
  agent: RunnerWithTools,
  own: Toolset,
  agents: ReadonlyMap<string, RunnerWithTools> = agentsOf(agent, own),
): string {
  const others = [...agents.values()].filter((other) => other !== agent)
  if (others.length === 0) return hashOf(own)
  return hash(
    [hashOf(own), ...others.map(({ name, toolset }) => `${name} ${hashOf(toolset)}`).sort()].join('\n'),
  )
}

/**
 * Returns a toolset's hash, which changes with a tool's name, description or schema, but not with the order of the
 * tools.
 */
export const hashOf = onceFor(({ definitions }: Toolset) =>
  hash(
    JSON.stringify(
      definitions.toSorted(({ function: one }, { function: other }) => (one.name < other.name ? -1 : 1)),
    ),
  ),
)

/**
 * Returns a function that takes a tool's name and returns whether the tool's results are trusted. `untrusted`: tools
 * declared as untrusted, and agents used as tools that can reach an untrusted tool. `unknown`: no agent of the run has
 * a tool of this name.
 */
export function trustIn(agents: ReadonlyMap<string, RunnerWithTools>): (name: string) => ToolTrust {
  const tools = toolsWithin(agents)
  const untrusted = new Set(
    tools.flatMap(({ name, settings, agent }) =>
      settings.untrusted || (agent && reachesUntrusted(agent)) ? name : [],
    ),
  )
  const named = tools.flatMap(({ name, middleware }) => [name, ...(middleware?.toolNames ?? [])])
  const known = new Set(named.concat(addedByRuns))
  return (name) => (untrusted.has(name) ? 'untrusted' : known.has(name) ? 'trusted' : 'unknown')
}

/**
 * Tools that a run adds itself. The first returns the model's own text; the second is as trusted as the artifact it
 * reads.
 */
const addedByRuns = ['final_answer', artifactReader]

/** Whether an agent can reach an untrusted or hosted tool, including through calls and handoffs. */
export function reachesUntrusted(agent: RunnerWithTools): boolean {
  return toolsWithin(agentsOf(agent, agent.toolset)).some((tool) => tool?.hosted || tool?.settings.untrusted)
}

/** Returns all tools of these agents, including hosted tools and the tools of middlewares. */
export function toolsWithin(agents: ReadonlyMap<string, RunnerWithTools>): readonly AnyTool[] {
  return [...agents.values()].flatMap(({ givenTools, toolset }) => [...givenTools, ...toolset.tools])
}
