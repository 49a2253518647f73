import type { AnyTool } from '@capstan/core'
import type { SchemaNode } from './schema-walk.js'
import type { ZodNode } from './zod-walk.js'

/** A tool, taken apart once for all rules. */
export interface InspectedTool {
  readonly tool: AnyTool
  readonly name: string
  readonly description: string
  readonly parts: readonly SchemaNode[]
  /** What the model is shown at a place; several where there are choices. */
  shownAt(path: string): readonly SchemaNode['schema'][]
  /** None where the parameters are no zod schema. */
  readonly zod: readonly ZodNode[]
  /** About what its definition costs. */
  readonly tokens: number
}

/** What a rule found. */
export interface RuleProblem {
  readonly tool?: string
  readonly path?: string
  readonly message: string
  readonly fix: string
  /** Where it is another than the rule's. */
  readonly level?: FindingLevel
}

interface RuleLimits {
  /** Tokens that the list may cost; undefined: the usual. */
  readonly maxTokens: number | undefined
}

export interface ToolRule {
  /** In kebab-case. */
  readonly name: string
  readonly level: FindingLevel
  /** What it finds, as a table says it. */
  readonly finds: string
  check(list: readonly InspectedTool[], bounds: RuleLimits): Iterable<RuleProblem>
}

/** A problem of one tool, as its rule says it. */
type ToolProblem = Omit<RuleProblem, 'tool'>

/** A rule that looks at each tool by itself. */
export function eachTool(
  head: Omit<ToolRule, 'check'>,
  check: (one: InspectedTool) => readonly ToolProblem[],
): ToolRule {
  return {
    ...head,
    check: (list) => list.flatMap((one) => check(one).map((problem) => ({ tool: one.name, ...problem }))),
  }
}

/** A rule that looks at each place of the JSON Schema by itself. */
export function eachSchemaNode(head: Omit<ToolRule, 'check'>, check: CheckNode<SchemaNode>): ToolRule {
  return eachTool(head, (one) => one.parts.flatMap((part) => problemAt(part, check(part, one))))
}

/** A rule that looks at each place of a zod schema by itself. */
export function eachZodNode(head: Omit<ToolRule, 'check'>, check: CheckNode<ZodNode>): ToolRule {
  return eachTool(head, (one) => one.zod.flatMap((part) => problemAt(part, check(part, one))))
}

type NodeProblem = Omit<ToolProblem, 'path'>
type CheckNode<Place> = (place: Place, one: InspectedTool) => NodeProblem | undefined

/** The root has no path: its problems are the tool's. */
export function problemAt(
  { path }: { readonly path: string },
  problem: NodeProblem | undefined,
): readonly ToolProblem[] {
  if (!problem) return []
  return [path === '' ? problem : { path, ...problem }]
}

/** How bad it is: an error is refused by a server or makes a tool useless, a warning costs wrong calls, an info is worth a look. */
export type FindingLevel = 'error' | 'warning' | 'info'

/** One thing that is wrong with a list of tools. */
export interface ToolFinding {
  readonly level: FindingLevel
  /** The rule's name; each has a page in the documentation. */
  readonly rule: string
  /** The tool's name; absent where it is the list. */
  readonly tool?: string
  /** The place in its parameters, as `address.street` or `tags[]`; absent where it is the whole tool. */
  readonly path?: string
  /** What was found. */
  readonly message: string
  /** What to do. */
  readonly fix: string
}

/** What `checkTools` found. */
export interface ToolReport {
  /** The worst first, then by tool. */
  readonly findings: readonly ToolFinding[]
  /** About how many tokens the list costs in every request. */
  readonly tokens: number
  /** Whether there is no error among the findings. */
  readonly ok: boolean
}

/** The words of a text, in small letters; of a name as well: `getUser_name` has three. A sign of Chinese is one. */
export function splitWords(text: string): readonly string[] {
  const spaced = text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replaceAll('_', ' ')
  return (spaced.toLowerCase().match(wordPattern) ?? []).slice(0, maxWords)
}

const wordPattern = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}]+/gu

/** No description needs more to be told from another. */
const maxWords = 400

/** The words that say something, without their endings: `Gets the users` is `get`, `user`. */
export function significantWords(text: string): ReadonlySet<string> {
  return new Set(
    splitWords(text)
      .filter((one) => !stopWords.has(one))
      .map(stem),
  )
}

const stopWords = new Set(
  'a an the of to for in on at by with from and or is are be it its this that these those tool function'.split(
    ' ',
  ),
)

function stem(one: string): string {
  if (one.length <= 3) return one
  return one.replace(/(ies|es|s|ed|ing)$/, '').replace(/(e|y)$/, '')
}

/** How much of two sets is common to both: 0 to 1. */
export function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const common = [...one].filter((word) => other.has(word)).length
  return common === 0 ? 0 : common / (one.size + other.size - common)
}
