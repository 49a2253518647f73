import { listNames, uniqueByName } from './naming-rules.js'
import {
  eachTool,
  type InspectedTool,
  overlap,
  type RuleProblem,
  significantWords,
  splitWords,
  type ToolRule,
} from './rule.js'

// Rules for tools that a model may confuse.

/**
 * Two descriptions count as similar if they share at least this fraction of their significant words. If the
 * descriptions start with different verbs, the fraction is higher.
 */
const similarShare = 0.75
const similarShareOtherVerb = 0.9

/** Maximum number of tools to compare. Servers do not accept more. */
const maxCompared = 128

const similarTools: ToolRule = {
  name: 'similar-tools',
  level: 'warning',
  finds: `two tools whose descriptions have ${similarShare * 100} % of their words in common`,
  check: (list) =>
    similarTo(list, isSimilar).map(([{ name }, others]) => ({
      tool: name,
      message: `Its description is similar to that of ${listNames(others)}.`,
      fix: 'In each description, say when to use this tool instead of the other.',
    })),
}

/** The lower fraction for tools that have the same parameters. */
const similarShareSameParameters = 0.4
const copiedParameters: ToolRule = {
  name: 'copied-parameters',
  level: 'info',
  finds: `two tools with the same parameters, the same verb and ${similarShareSameParameters * 100} % of their words in common`,
  check: (list): RuleProblem[] =>
    similarTo(list, hasSameParameters).map(([{ name }, others]) => ({
      tool: name,
      message: `It has the same parameters as ${listNames(others)}, and a similar description.`,
      fix: 'Merge them into one tool with a parameter for the difference, or describe the difference.',
    })),
}

export const ambiguityRules: readonly ToolRule[] = [similarTools, copiedParameters]

interface ComparedTool {
  readonly name: string
  readonly description: string
  readonly words: ReadonlySet<string>
  /** The parameters as JSON. Undefined for a tool with fewer than two parameters. */
  readonly takes: string | undefined
}

/** Returns each tool that resembles later tools in the array, together with those later tools. */
function similarTo(
  list: readonly InspectedTool[],
  isLike: (one: ComparedTool, other: ComparedTool) => boolean,
): readonly (readonly [ComparedTool, readonly ComparedTool[]])[] {
  const told = uniqueByName(list).slice(0, maxCompared).map(toComparedTool)
  return told
    .map((one, at) => [one, told.slice(at + 1).filter((other) => isLike(one, other))] as const)
    .filter(([, others]) => others.length > 0)
}

function toComparedTool({ name, description, tool }: InspectedTool): ComparedTool {
  const { properties } = tool.definition.function.parameters
  const takes = Object.keys(Object(properties)).length > 1 ? JSON.stringify(properties) : undefined
  const words = significantWords(description)
  // Fewer than three words are too few to compare.
  return { name, description, words: words.size < 3 ? new Set() : words, takes }
}

function isSimilar(one: ComparedTool, other: ComparedTool): boolean {
  const bound = isSameVerb(one, other) ? similarShare : similarShareOtherVerb
  if (overlap(one.words, other.words) < bound) return false
  // A different rule reports identical descriptions.
  return splitWords(one.description).join(' ') !== splitWords(other.description).join(' ')
}

function hasSameParameters(one: ComparedTool, other: ComparedTool): boolean {
  const common = overlap(one.words, other.words)
  const isSame = one.takes !== undefined && one.takes === other.takes && isSameVerb(one, other)
  return isSame && common >= similarShareSameParameters && common < similarShare
}

/** Whether two descriptions start with the same verb. `Creates ...` and `Deletes ...` do not. */
function isSameVerb(one: ComparedTool, other: ComparedTool): boolean {
  const [[verb], [otherVerb]] = [one.words, other.words]
  return verb === otherVerb
}

// Rules for the tokens that tools cost in every request.
const maxToolTokens = 1000
const costlyTool = eachTool(
  {
    name: 'costly-tool',
    level: 'warning',
    finds: `a tool whose definition costs more than about ${maxToolTokens} tokens in every request`,
  },
  ({ tokens }) => {
    if (tokens <= maxToolTokens) return []
    const message = `Its definition costs about ${tokens} tokens in every request.`
    return [{ message, fix: 'Shorten descriptions, remove rarely used parameters, or split the tool.' }]
  },
)

/** Returns the estimated number of tokens that the tools cost in every request. Deferred tools are not counted. */
export function tokensOf(list: readonly InspectedTool[]): number {
  return list.reduce((sum, { tokens, isDeferred }) => (isDeferred ? sum : sum + tokens), 0)
}

const maxListTokens = 5000
const costlyList: ToolRule = {
  name: 'costly-list',
  level: 'warning',
  finds: `tools that together cost more than about ${maxListTokens} tokens; an error if \`maxTokens\` is set and exceeded`,
  check(list, { maxTokens }) {
    const tokens = tokensOf(list)
    if (tokens <= (maxTokens ?? maxListTokens)) return []
    const [dearest] = list
      .filter(({ isDeferred }) => !isDeferred)
      .toSorted((one, other) => other.tokens - one.tokens)
    const message = `All tools together cost about ${tokens} tokens in every request, more than ${maxTokens ?? maxListTokens}. The largest is ${dearest?.name} with ${dearest?.tokens}.`
    const fix =
      'Let the model search for them with deferred(tools) from @capstan/tools/search, or move some to a separate agent.'
    return [{ message, fix, ...(maxTokens === undefined ? {} : { level: 'error' }) }]
  },
}

const [many, most] = [20, 128]
const manyTools: ToolRule = {
  name: 'many-tools',
  level: 'warning',
  finds: `more than ${many} tools; an error over ${most}, the limit of common servers`,
  check(list) {
    const { length } = list.filter(({ isDeferred }) => !isDeferred)
    if (length <= many) return []
    const isRefused = length > most
    const why = isRefused
      ? `servers accept at most ${most}`
      : `models choose less reliably among more than ${many}`
    const fix =
      'Let the model search for them with deferred(tools) from @capstan/tools/search, or move some to separate agents.'
    return [{ message: `There are ${length} tools: ${why}.`, fix, ...(isRefused ? { level: 'error' } : {}) }]
  },
}

export const costRules: readonly ToolRule[] = [costlyTool, costlyList, manyTools]
