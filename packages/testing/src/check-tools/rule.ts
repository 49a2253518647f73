import type { AnyTool } from '@capstan/core'
import type { FindingLevel } from './finding.js'
import type { SchemaPart } from './schema-part.js'
import type { ZodPart } from './zod-part.js'

/** A tool, taken apart once for all rules. */
export interface Examined {
  readonly tool: AnyTool
  readonly name: string
  readonly description: string
  readonly parts: readonly SchemaPart[]
  /** What the model is shown at a place; several where there are choices. */
  shownAt(path: string): readonly SchemaPart['schema'][]
  /** None where the parameters are no zod schema. */
  readonly zod: readonly ZodPart[]
  /** About what its definition costs. */
  readonly tokens: number
}

/** What a rule found. */
export interface Problem {
  readonly tool?: string
  readonly path?: string
  readonly message: string
  readonly fix: string
  /** Where it is another than the rule's. */
  readonly level?: FindingLevel
}

export interface Bounds {
  /** Tokens that the list may cost; undefined: the usual. */
  readonly maxTokens: number | undefined
}

export interface ToolRule {
  /** In kebab-case. */
  readonly name: string
  readonly level: FindingLevel
  /** What it finds, as a table says it. */
  readonly finds: string
  check(list: readonly Examined[], bounds: Bounds): Iterable<Problem>
}

/** A problem of one tool, as its rule says it. */
export type OwnProblem = Omit<Problem, 'tool'>

/** A rule that looks at each tool by itself. */
export function eachTool(
  head: Omit<ToolRule, 'check'>,
  check: (one: Examined) => readonly OwnProblem[],
): ToolRule {
  return {
    ...head,
    check: (list) => list.flatMap((one) => check(one).map((problem) => ({ tool: one.name, ...problem }))),
  }
}

/** A rule that looks at each place of the JSON Schema by itself. */
export function eachPart(head: Omit<ToolRule, 'check'>, check: CheckPlace<SchemaPart>): ToolRule {
  return eachTool(head, (one) => one.parts.flatMap((part) => problemAt(part, check(part, one))))
}

/** A rule that looks at each place of a zod schema by itself. */
export function eachZodPart(head: Omit<ToolRule, 'check'>, check: CheckPlace<ZodPart>): ToolRule {
  return eachTool(head, (one) => one.zod.flatMap((part) => problemAt(part, check(part, one))))
}

type PlaceProblem = Omit<OwnProblem, 'path'>
type CheckPlace<Place> = (place: Place, one: Examined) => PlaceProblem | undefined

/** The root has no path: its problems are the tool's. */
export function problemAt(
  { path }: { readonly path: string },
  problem: PlaceProblem | undefined,
): readonly OwnProblem[] {
  if (!problem) return []
  return [path === '' ? problem : { path, ...problem }]
}
