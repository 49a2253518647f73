// Finds the agents, tools and settings among an agent file's exports.

import type { AnyAgent, AnyTool, Decision, PendingCall } from '@capstan/core'
import { isRecord } from '@capstan/core/internal'
import type { StudioSettings } from '../types.js'

/** The members of a durable agent that the studio uses. `list` is optional, because not all durable agents have it. */
export interface DurableLike {
  readonly name: string
  decide(run: string, callId: string, decision: Decision): Promise<void>
  status(run: string): Promise<{ readonly pending: readonly PendingCall[] }>
  list?(options: { readonly phases: readonly string[] }): Promise<{
    readonly runs: readonly { readonly runId: string; readonly pending: readonly PendingCall[] }[]
  }>
}

/** The parts of a file's exports that the studio uses. */
export interface AgentExports {
  /** The exported agents by name. If two agents have the same name, the second is listed as `name (exportName)`. */
  readonly agents: ReadonlyMap<string, AnyAgent>
  /** The export name of each agent, by the agent's name. */
  readonly exportNames: ReadonlyMap<string, string>
  /** The exported tools and the agents' tools, by name. */
  readonly tools: ReadonlyMap<string, ExportedTool>
  readonly durable: ReadonlyMap<string, DurableLike>
  readonly settings: StudioSettings
}

/** A tool, and the names of the agents that use it. */
export interface ExportedTool {
  readonly tool: AnyTool
  readonly agents: readonly string[]
}

/**
 * Finds the exports that the studio uses. Checks their shapes, because the file may import a different copy of core.
 */
export function readExports(exports: Readonly<Record<string, unknown>>): AgentExports {
  const agents = new Map<string, AnyAgent>()
  const exportNames = new Map<string, string>()
  const durable = new Map<string, DurableLike>()
  for (const [exportName, value] of Object.entries(exports)) {
    if (isAgent(value)) {
      if ([...agents.values()].includes(value)) continue
      const name = agents.has(value.name) ? `${value.name} (${exportName})` : value.name
      agents.set(name, value)
      exportNames.set(name, exportName)
    } else if (isDurable(value)) durable.set(value.name, value)
  }
  const settings = isRecord(exports.studio) ? (exports.studio as StudioSettings) : {}
  return { agents, exportNames, durable, settings, tools: toolsOf(exports, agents) }
}

function toolsOf(
  exports: Readonly<Record<string, unknown>>,
  agents: ReadonlyMap<string, AnyAgent>,
): ReadonlyMap<string, ExportedTool> {
  const tools = new Map<string, ExportedTool>()
  const exported = Object.values(exports).flat().filter(isTool)
  for (const tool of exported) tools.set(tool.name, { tool, agents: [] })
  for (const [agent, { tools: own = [] }] of agents)
    for (const tool of own) {
      const known = tools.get(tool.name)
      tools.set(tool.name, { tool: known?.tool ?? tool, agents: [...(known?.agents ?? []), agent] })
    }
  return tools
}

function isAgent(value: unknown): value is AnyAgent {
  if (!isRecord(value)) return false
  const { name, run, stream, artifacts } = value
  return (
    typeof name === 'string' &&
    typeof run === 'function' &&
    typeof stream === 'function' &&
    typeof artifacts === 'object'
  )
}

function isTool(value: unknown): value is AnyTool {
  if (!isRecord(value)) return false
  const { name, call, definition } = value
  return typeof name === 'string' && typeof call === 'function' && typeof definition === 'object'
}

function isDurable(value: unknown): value is DurableLike {
  if (!isRecord(value)) return false
  const { name, start, decide, status } = value
  return typeof name === 'string' && [start, decide, status].every((one) => typeof one === 'function')
}
