import type { AnyTool } from '@capstan/core'
import { nearest } from '../line/nearest.js'
import { UsageError } from '../line/usage-error.js'
import type { Exports } from './by-jiti.js'
import { agentsIn } from './find-agent.js'

/** The tools of a file: those it exports, alone or in lists, and those of its agents; each once. @throws UsageError for none */
export function findTools(exports: Exports, file: string): readonly AnyTool[] {
  const exported = Object.values(exports).flat().filter(isTool)
  const ofAgents = [...agentsIn(exports).values()].flatMap(({ tools = [] }) => tools)
  const tools = [...new Set([...exported, ...ofAgents])]
  if (tools.length === 0) throw new UsageError(`${file} exports no tool, and no agent that has one.`)
  return tools
}

/** The tool of a name. @throws UsageError that says which there are */
export function pickTool(tools: readonly AnyTool[], name: string): AnyTool {
  const found = tools.find((tool) => tool.name === name)
  if (found) return found
  const names = tools.map((tool) => tool.name)
  const meant = nearest(name, names)
  const advice = meant === undefined ? '' : ` Did you mean "${meant}"?`
  throw new UsageError(`There is no tool "${name}".${advice} There is: ${names.join(', ')}.`)
}

/** By its form: the file may have its own copy of core. */
function isTool(value: unknown): value is AnyTool {
  if (typeof value !== 'object' || value === null) return false
  const { name, call, definition } = value as Partial<Record<keyof AnyTool, unknown>>
  return typeof name === 'string' && typeof call === 'function' && typeof definition === 'object'
}
