import type { AnyAgent } from '@capstan/core'
import { UsageError } from '../line/usage-error.js'
import type { Exports } from './by-jiti.js'

/**
 * The agent that a file exports: the one that is named, else the default export, `agent`, or the only one.
 * @throws UsageError that says what there is
 */
export function findAgent(exports: Exports, file: string, name?: string): AnyAgent {
  const agents = agentsIn(exports)
  const [only] = agents.size === 1 ? agents.values() : []
  const found = name === undefined ? (agents.get('default') ?? agents.get('agent') ?? only) : agents.get(name)
  if (found) return found
  const names = [...agents.keys()].join(', ')
  if (names === '') throw new UsageError(`${file} exports no agent. ${thereIs(exports)}`)
  if (name !== undefined) throw new UsageError(`${file} exports no agent "${name}". Its agents: ${names}.`)
  throw new UsageError(`${file} exports several agents: choose one by --agent, of ${names}.`)
}

/** The agents among exports, by their names there. */
export function agentsIn(exports: Exports): ReadonlyMap<string, AnyAgent> {
  return new Map(Object.entries(exports).flatMap(([name, value]) => (isAgent(value) ? [[name, value]] : [])))
}

/** By its form: the file may have its own copy of core. */
function isAgent(value: unknown): value is AnyAgent {
  if (typeof value !== 'object' || value === null) return false
  const { run, stream, artifacts } = value as Partial<Record<keyof AnyAgent, unknown>>
  return typeof run === 'function' && typeof stream === 'function' && typeof artifacts === 'object'
}

function thereIs(exports: Exports): string {
  const names = Object.keys(exports).filter((name) => name !== 'module.exports')
  const example = 'Write: export default new Agent({ ... })'
  return names.length === 0
    ? `It exports nothing. ${example}`
    : `Its exports: ${names.join(', ')}. ${example}`
}
