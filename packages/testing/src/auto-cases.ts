import type { ToolDefinition } from '@capstan/core'
import { type ArgumentCase, argumentCases } from './argument-cases.js'
import { seeded, shuffled } from './seeded.js'

export interface AutoCasesOptions {
  readonly seed: number
  /** Of one tool, at most. */
  readonly count: number
  /** Valid arguments, by tool name. */
  readonly examples: Readonly<Record<string, readonly object[]>>
}

/**
 * What a tool is called with, in groups of up to one case of each kind: a run ends after several answers of calls that
 * were all rejected, so invalid ones go along with others.
 */
export function autoCases(
  tool: ToolDefinition,
  { seed, count, examples }: AutoCasesOptions,
): ArgumentCase[][] {
  const { name, parameters } = tool.function
  const all = argumentCases(parameters, Object.hasOwn(examples, name) ? examples[name] : [])
  const random = seeded(seed, name)
  const valid = all.filter(({ kind }) => kind === 'valid')
  const others = (kind: ArgumentCase['kind']) =>
    shuffled(
      all.filter((one) => one.kind === kind),
      random,
    )
  // The first two are what was given, or the least and all there is.
  const byKind = [
    [...valid.slice(0, 2), ...shuffled(valid.slice(2), random)],
    others('boundary'),
    others('invalid'),
  ]
  const rows = Math.max(...byKind.map((cases) => cases.length))
  const groups = Array.from({ length: rows }, (_, row) => byKind.flatMap((cases) => cases[row] ?? []))
  return bounded(groups, count).filter(
    (group) => valid.length === 0 || group.some(({ kind }) => kind !== 'invalid'),
  )
}

function bounded(groups: readonly ArgumentCase[][], count: number): ArgumentCase[][] {
  const [group, ...others] = groups
  if (group === undefined || count <= 0) return []
  return [group.slice(0, count), ...bounded(others, count - group.length)]
}
