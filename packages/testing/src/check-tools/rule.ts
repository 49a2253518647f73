import type { AnyTool } from '@capstan/core'
import type { SchemaNode } from './schema-walk.js'
import type { ZodNode } from './zod-walk.js'

/** A tool, inspected once for all rules. */
export interface InspectedTool {
  readonly tool: AnyTool
  /** Whether requests do not contain it at first. */
  readonly isDeferred: boolean
  readonly name: string
  readonly description: string
  readonly parts: readonly SchemaNode[]
  /** Returns the schemas at a path as a model sees them; several for a choice. */
  shownAt(path: string): readonly SchemaNode['schema'][]
  /** The nodes of the zod schema. Empty for other schemas. */
  readonly zod: readonly ZodNode[]
  /** The estimated tokens of the definition. */
  readonly tokens: number
}

/** A problem that a rule found. */
export interface RuleProblem {
  readonly tool?: string
  readonly path?: string
  readonly message: string
  readonly fix: string
  /** The severity, if it differs from the rule's. */
  readonly level?: FindingLevel
}

interface RuleLimits {
  /** Maximum tokens for the array of tools. Undefined: the default. */
  readonly maxTokens: number | undefined
}

/** A rule for tool definitions. */
export interface ToolRule {
  /** The name in kebab-case. */
  readonly name: string
  readonly level: FindingLevel
  /** The problem that the rule finds, as in the table of the documentation. */
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

/** Creates a rule that checks each node of the JSON Schema. */
export function eachSchemaNode(head: Omit<ToolRule, 'check'>, check: CheckNode<SchemaNode>): ToolRule {
  return eachTool(head, (one) => one.parts.flatMap((part) => problemAt(part, check(part, one))))
}

/** Creates a rule that checks each node of a zod schema. */
export function eachZodNode(head: Omit<ToolRule, 'check'>, check: CheckNode<ZodNode>): ToolRule {
  return eachTool(head, (one) => one.zod.flatMap((part) => problemAt(part, check(part, one))))
}

type NodeProblem = Omit<ToolProblem, 'path'>
type CheckNode<Place> = (place: Place, one: InspectedTool) => NodeProblem | undefined

/** Adds a node's path to its problem. Problems of the root belong to the tool. */
export function problemAt(
  { path }: { readonly path: string },
  problem: NodeProblem | undefined,
): readonly ToolProblem[] {
  if (!problem) return []
  return [path === '' ? problem : { path, ...problem }]
}

/**
 * The severity. Error: a server rejects the tool, or the tool is useless. Warning: it causes wrong calls. Info: worth
 * a look.
 */
export type FindingLevel = 'error' | 'warning' | 'info'

/** A problem in an array of tools. */
export interface ToolFinding {
  readonly level: FindingLevel
  /** The name of the rule, documented in docs/reference/tool-rules.md. */
  readonly rule: string
  /** The name of the tool. Absent for problems of the list. */
  readonly tool?: string
  /**
   * The path of the parameter, such as `address.street` or `tags[]`. Absent for problems of the entire tool.
   */
  readonly path?: string
  /** The problem as a sentence. */
  readonly message: string
  readonly fix: string
}

/** The result of `checkTools`. */
export interface ToolReport {
  /** The findings, by severity, then by tool. */
  readonly findings: readonly ToolFinding[]
  /** The estimated tokens that the tools take in every request. */
  readonly tokens: number
  /** Whether the findings contain no error. */
  readonly ok: boolean
}

/**
 * Splits text or a name into lower-case words: `getUser_name` has three. Each Chinese character is a word.
 */
export function splitWords(text: string): readonly string[] {
  const spaced = text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replaceAll('_', ' ')
  return (spaced.toLowerCase().match(wordPattern) ?? []).slice(0, maxWords)
}

const wordPattern = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}]+/gu

/** Maximum words to compare. */
const maxWords = 400

/** Returns the significant words of text, without their endings: `Gets the users` gives `get`, `user`. */
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

/** Returns the share of common members of two sets, 0 to 1. */
export function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const common = [...one].filter((word) => other.has(word)).length
  return common === 0 ? 0 : common / (one.size + other.size - common)
}
