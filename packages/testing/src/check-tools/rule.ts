import type { AnyTool } from '@capstan/core'
import type { SchemaNode } from './schema-walk.js'
import type { ZodNode } from './zod-walk.js'

/** The facts about a tool that rules need. */
export interface InspectedTool {
  readonly tool: AnyTool
  /** Whether the tool is in `deferred`, so requests do not include it from the start. */
  readonly isDeferred: boolean
  readonly name: string
  readonly description: string
  readonly parts: readonly SchemaNode[]
  /**
   * Returns the schemas at a path, in the form that a model sees. There are several if the schema has alternatives,
   * such as `anyOf`.
   */
  shownAt(path: string): readonly SchemaNode['schema'][]
  /** The nodes of the tool's zod schema. Empty if the schema is not from zod. */
  readonly zod: readonly ZodNode[]
  /** The estimated number of tokens that the definition costs. */
  readonly tokens: number
}

/** A problem that a rule has found. `checkTools` adds the rule's name and severity. */
export interface RuleProblem {
  readonly tool?: string
  readonly path?: string
  readonly message: string
  readonly fix: string
  /** The problem's severity, if it differs from that of the rule. */
  readonly level?: FindingLevel
}

interface RuleLimits {
  /** The `maxTokens` option. If undefined, the default limit applies. */
  readonly maxTokens: number | undefined
}

/** A rule for tool definitions. `check` returns the problems that it finds in an array of tools. */
export interface ToolRule {
  /** The rule's name in kebab-case. */
  readonly name: string
  readonly level: FindingLevel
  /** The problem that the rule finds, worded as in the table in docs/reference/tool-rules.md. */
  readonly finds: string
  check(list: readonly InspectedTool[], bounds: RuleLimits): Iterable<RuleProblem>
}

type ToolProblem = Omit<RuleProblem, 'tool'>

/** Creates a rule that checks each tool separately. */
export function eachTool(
  head: Omit<ToolRule, 'check'>,
  check: (one: InspectedTool) => readonly ToolProblem[],
): ToolRule {
  return {
    ...head,
    check: (list) => list.flatMap((one) => check(one).map((problem) => ({ tool: one.name, ...problem }))),
  }
}

/** Creates a rule that checks each node of the tools' JSON Schemas separately. */
export function eachSchemaNode(head: Omit<ToolRule, 'check'>, check: CheckNode<SchemaNode>): ToolRule {
  return eachTool(head, (one) => one.parts.flatMap((part) => problemAt(part, check(part, one))))
}

/** Creates a rule that checks each node of the tools' zod schemas separately. */
export function eachZodNode(head: Omit<ToolRule, 'check'>, check: CheckNode<ZodNode>): ToolRule {
  return eachTool(head, (one) => one.zod.flatMap((part) => problemAt(part, check(part, one))))
}

type NodeProblem = Omit<ToolProblem, 'path'>
type CheckNode<Place> = (place: Place, one: InspectedTool) => NodeProblem | undefined

/** Returns the problem with the node's path. Empty if there is no problem. A problem at the root node has no path. */
export function problemAt(
  { path }: { readonly path: string },
  problem: NodeProblem | undefined,
): readonly ToolProblem[] {
  if (!problem) return []
  return [path === '' ? problem : { path, ...problem }]
}

/**
 * How severe a finding is. `error`: a server rejects the tool, or the tool cannot be used. `warning`: the problem leads
 * to wrong calls. `info`: the problem may be intended.
 */
export type FindingLevel = 'error' | 'warning' | 'info'

/** A problem that a rule found in a tool, or in the array of tools. */
export interface ToolFinding {
  readonly level: FindingLevel
  /** The rule's name, which is documented in docs/reference/tool-rules.md. */
  readonly rule: string
  /** The tool's name. Absent if the problem concerns the entire array. */
  readonly tool?: string
  /** The parameter's path, such as `address.street` or `tags[]`. Absent if the problem concerns the entire tool. */
  readonly path?: string
  /** Describes the problem in a sentence. `fix` states how to solve the problem. */
  readonly message: string
  readonly fix: string
}

/** The result of `checkTools`. */
export interface ToolReport {
  /** The findings, sorted by severity, then by tool name. */
  readonly findings: readonly ToolFinding[]
  /** The estimated number of tokens that the tools cost in every request. Deferred tools are not counted. */
  readonly tokens: number
  /** Whether no finding is an error. */
  readonly ok: boolean
}

/**
 * Splits text or a name into lower-case words. For example, `getUser_name` becomes `get`, `user` and `name`. In
 * Chinese, Japanese and Thai, each character counts as a word.
 */
export function splitWords(text: string): readonly string[] {
  const spaced = text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replaceAll('_', ' ')
  return (spaced.toLowerCase().match(wordPattern) ?? []).slice(0, maxWords)
}

const wordPattern = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}]+/gu

/** Maximum number of words to compare. */
const maxWords = 400

/**
 * Returns the significant words in a string, without their endings. For example, `Gets the users` becomes `get` and
 * `user`.
 */
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

/** Returns the share of the two sets' combined members that both sets contain, from 0 to 1. */
export function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const common = [...one].filter((word) => other.has(word)).length
  return common === 0 ? 0 : common / (one.size + other.size - common)
}
