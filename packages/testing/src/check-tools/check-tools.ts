import { type AnyTool, CapstanError } from '@capstan/core'
import { checkOptionNames, checkRequiredOption, estimateTools, notATool } from '@capstan/core/internal'
import { codeInSchemaRules, lossRules } from './conversion-rules.js'
import { ambiguityRules, costRules, tokensOf } from './list-rules.js'
import { descriptionRules, nameRules } from './naming-rules.js'
import { parameterRules, sizeRules, textFormatRules } from './parameter-rules.js'
import type { FindingLevel, InspectedTool, RuleProblem, ToolFinding, ToolReport, ToolRule } from './rule.js'
import { shapeRules, strictRules } from './schema-rules.js'
import { type SchemaNode, schemaNodes } from './schema-walk.js'
import { settingsRules } from './settings-rules.js'
import { zodNodes } from './zod-walk.js'

/** Options for `checkTools`: which rules to apply, and which findings are errors. */
export interface CheckToolsOptions {
  /** The names of rules to skip. Default: none. */
  readonly off?: readonly string[]
  /**
   * Maximum number of tokens that the tools may cost in a request. If they cost more, an error is reported. Default: if
   * they cost more than 5000, a warning is reported.
   */
  readonly maxTokens?: number
  /** The names of tools that requests do not include from the start. Their tokens are not counted. Default: none. */
  readonly deferred?: readonly string[]
  /** Whether warnings count as errors. Default false. */
  readonly warningsAsErrors?: boolean
}

/**
 * Checks tool definitions for text that models cannot see, schemas that servers reject, and anything else that leads to
 * wrong calls. Does not run tools or call models.
 * @throws CapstanError `invalid_request` for an unknown rule or option, or an invalid limit; `invalid_tool` for a value
 * that is not a tool
 */
export function checkTools(tools: readonly AnyTool[], options: CheckToolsOptions = {}): ToolReport {
  const code = 'invalid_request'
  checkRequiredOption(
    { tools },
    { tools: 'an array: [one, two]' },
    { of: 'checkTools', code, required: 'tools' },
  )
  checkOptionNames(options, optionKinds, { of: 'checkTools', code })
  for (const one of tools) if (!one?.definition) throw notATool(one)
  const { off = [], maxTokens, deferred = [], warningsAsErrors = false } = options
  checkRuleNames(off)
  checkMaxTokens(maxTokens)
  const list = tools.map((one) => inspectTool(one, deferred.includes(one.name)))
  const found = toolRules
    .filter(({ name }) => !off.includes(name))
    .flatMap((rule) =>
      limitProblems([...rule.check(list, { maxTokens })]).map((problem) => toFinding(rule, problem)),
    )
    .map((finding) => (warningsAsErrors ? warningToError(finding) : finding))
  return {
    findings: sortFindings(found),
    tokens: tokensOf(list),
    ok: found.every(({ level }) => level !== 'error'),
  }
}

const names = 'an array: [one, two]'
const optionKinds = {
  off: names,
  maxTokens: true,
  deferred: names,
  warningsAsErrors: 'true or false',
} as const

function checkRuleNames(off: readonly string[]): void {
  const names = toolRules.map(({ name }) => name)
  const unknown = off.find((name) => !names.includes(name))
  if (unknown === undefined) return
  const message = `There is no rule "${unknown}". The rules are: ${names.join(', ')}.`
  throw new CapstanError('invalid_request', message, { evidence: { rule: unknown } })
}

function checkMaxTokens(maxTokens: unknown): void {
  if (maxTokens === undefined || (Number.isFinite(maxTokens) && Number(maxTokens) > 0)) return
  const message = `maxTokens is ${maxTokens}. Use a number above 0, or omit it for the default limit.`
  throw new CapstanError('invalid_request', message, { evidence: { maxTokens } })
}

/**
 * Maximum number of problems per rule and tool. Otherwise, a schema with thousands of fields could report the same
 * problem for each field.
 */
const maxProblemsPerTool = 20

function limitProblems(problems: readonly RuleProblem[]): readonly RuleProblem[] {
  const byTool = new Map<string | undefined, RuleProblem[]>()
  for (const problem of problems) {
    const known = byTool.get(problem.tool)
    if (known) known.push(problem)
    else byTool.set(problem.tool, [problem])
  }
  return [...byTool.values()].flatMap((all) => {
    const [last, left] = [all[maxProblemsPerTool - 1], all.length - maxProblemsPerTool]
    if (last === undefined || left === 0) return all
    const message = `${last.message} (and ${left} more like it)`
    return [...all.slice(0, maxProblemsPerTool - 1), { ...last, message }]
  })
}

function toFinding(
  { name, level }: ToolRule,
  { tool, path, message, fix, ...own }: RuleProblem,
): ToolFinding {
  return {
    level: own.level ?? level,
    rule: name,
    ...(tool === undefined ? {} : { tool }),
    ...(path === undefined ? {} : { path }),
    message,
    fix,
  }
}

function warningToError(finding: ToolFinding): ToolFinding {
  return finding.level === 'warning' ? { ...finding, level: 'error' } : finding
}

const levels: readonly FindingLevel[] = ['error', 'warning', 'info']

/**
 * Sorts findings by severity, then by tool name. Findings about the entire array come first. The findings for one tool
 * stay in the order of the rules.
 */
function sortFindings(findings: readonly ToolFinding[]): readonly ToolFinding[] {
  const weight = ({ level }: ToolFinding) => levels.indexOf(level)
  const byName = (one = '', other = '') => (one < other ? -1 : Number(one > other))
  return findings.toSorted((one, other) => weight(one) - weight(other) || byName(one.tool, other.tool))
}

/** All rules. Findings for one tool are reported in this order. */
export const toolRules: readonly ToolRule[] = [
  ...nameRules,
  ...descriptionRules,
  ...parameterRules,
  ...lossRules,
  ...codeInSchemaRules,
  ...shapeRules,
  ...textFormatRules,
  ...sizeRules,
  ...strictRules,
  ...settingsRules,
  ...ambiguityRules,
  ...costRules,
]

/** Collects the facts about a tool that the rules need, so that they are computed only once. */
function inspectTool(tool: AnyTool, isDeferred: boolean): InspectedTool {
  const { name, description, parameters } = tool.definition.function
  const parts = schemaNodes(parameters)
  const shown = groupByPath(parts)
  return {
    tool,
    isDeferred,
    name,
    description,
    parts,
    shownAt: (path) => shown.get(path) ?? [],
    zod: zodNodes(tool.parameters),
    tokens: estimateTools([tool.definition]),
  }
}

function groupByPath(parts: readonly SchemaNode[]): ReadonlyMap<string, SchemaNode['schema'][]> {
  const found = new Map<string, SchemaNode['schema'][]>()
  for (const { path, schema } of parts) {
    const known = found.get(path)
    if (known) known.push(schema)
    else found.set(path, [schema])
  }
  return found
}

/** Formats a report as plain text for a terminal. The last line contains a summary. Control characters are escaped. */
export function toReportText({ findings, tokens }: ToolReport): string {
  const count = (level: string) => findings.filter((one) => one.level === level).length
  const counts = [
    plural(count('error'), 'error'),
    plural(count('warning'), 'warning'),
    plural(count('info'), 'hint'),
  ]
  const summary = `${counts.join(', ')}. The tools cost about ${tokens} tokens in every request.`
  return [...findings.map(formatFinding), summary].join('\n')
}

function formatFinding({ level, rule, tool = 'all tools', path, message, fix }: ToolFinding): string {
  const place = path === undefined ? tool : `${tool}: ${path}`
  const lines = [`${level.padEnd(7)} ${place} (${rule})`, `  ${message}`, `  ${fix}`]
  // Parameter names may come from an untrusted source.
  return lines.map((line) => line.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escapeCharacter)).join('\n')
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function escapeCharacter(sign: string): string {
  return `\\u{${sign.codePointAt(0)?.toString(16)}}`
}
