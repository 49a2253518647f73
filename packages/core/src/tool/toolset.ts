import { CapstanError } from '../words/error.js'
import { fingerprint } from '../words/fingerprint.js'
import type { ToolDefinition } from '../words/message.js'
import type { Tool } from './tool.js'

/** The tools of one run, found by name. */
export interface Toolset {
  readonly tools: readonly Tool[]
  readonly names: readonly string[]
  readonly definitions: readonly ToolDefinition[]
  /** Changes when a name, a description or a schema does; the order of the tools does not count. */
  readonly hash: string
  get(name: string): Tool | undefined
}

/** Identifies tools in stored states. */
export interface ToolsIdentity {
  /** Changes when a tool does; the order of the tools does not count. */
  readonly definitionHash: string
  /** Returns the hash that states of earlier versions have for the same tools: it depends on their order. */
  readonly orderedHash?: () => string
}

/** Whether a stored `definitionHash` is that of these tools. */
export function isOfTools(stored: string, { definitionHash, orderedHash }: ToolsIdentity): boolean {
  return stored === definitionHash || stored === orderedHash?.()
}

/** @throws CapstanError `invalid_tool` when two tools have one name */
export function toToolset(tools: readonly Tool[]): Toolset {
  const byName = new Map<string, Tool>()
  for (const tool of tools) {
    if (byName.has(tool.name)) {
      const message = `Two tools are named "${tool.name}". Rename one: the model tells tools apart by their names alone.`
      throw new CapstanError('invalid_tool', message, { evidence: { name: tool.name } })
    }
    byName.set(tool.name, tool)
  }
  const definitions = tools.map((tool) => tool.definition)
  return {
    tools,
    names: [...byName.keys()],
    definitions,
    hash: fingerprint(JSON.stringify(definitions.toSorted(byToolName))),
    get: (name) => byName.get(name),
  }
}

function byToolName({ function: one }: ToolDefinition, { function: other }: ToolDefinition): number {
  return one.name < other.name ? -1 : 1
}
