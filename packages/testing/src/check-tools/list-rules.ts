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

// Tools that a model takes for one another.

/** Of the telling words of two descriptions, so many must be common; more, where they begin with other verbs. */
const similarShare = 0.75
const similarShareOtherVerb = 0.9

/** Servers take no more tools than this: more are compared with nobody. */
const maxCompared = 128

const similarTools: ToolRule = {
  name: 'similar-tools',
  level: 'warning',
  finds: `two tools whose descriptions have ${similarShare * 100} % of their words in common`,
  check: (list) =>
    similarTo(list, isSimilar).map(([{ name }, others]) => ({
      tool: name,
      message: `Its description hardly differs from that of ${listNames(others)}.`,
      fix: 'Say in each when to use it and not the other.',
    })),
}

/** Tools that take the same must say the more clearly how they differ. */
const similarShareSameParameters = 0.4
const copiedParameters: ToolRule = {
  name: 'copied-parameters',
  level: 'info',
  finds: `two tools with the same parameters, the same verb and ${similarShareSameParameters * 100} % of their words in common`,
  check: (list): RuleProblem[] =>
    similarTo(list, hasSameParameters).map(([{ name }, others]) => ({
      tool: name,
      message: `It takes the same as ${listNames(others)}, and says nearly the same.`,
      fix: 'Make one tool of both with a parameter for what differs, or say how they differ.',
    })),
}

export const ambiguityRules: readonly ToolRule[] = [similarTools, copiedParameters]

interface ComparedTool {
  readonly name: string
  readonly description: string
  readonly words: ReadonlySet<string>
  /** What its parameters are, as JSON; undefined for fewer than two. */
  readonly takes: string | undefined
}

/** Each tool with those behind it that are like it. */
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
  // Of one or two words nothing can be said.
  return { name, description, words: words.size < 3 ? new Set() : words, takes }
}

function isSimilar(one: ComparedTool, other: ComparedTool): boolean {
  const bound = isSameVerb(one, other) ? similarShare : similarShareOtherVerb
  if (overlap(one.words, other.words) < bound) return false
  // What is word for word the same is told by another rule.
  return splitWords(one.description).join(' ') !== splitWords(other.description).join(' ')
}

function hasSameParameters(one: ComparedTool, other: ComparedTool): boolean {
  const common = overlap(one.words, other.words)
  const isSame = one.takes !== undefined && one.takes === other.takes && isSameVerb(one, other)
  return isSame && common >= similarShareSameParameters && common < similarShare
}

/** `Creates ...` and `Deletes ...` are told apart by their first word. */
function isSameVerb(one: ComparedTool, other: ComparedTool): boolean {
  const [[verb], [otherVerb]] = [one.words, other.words]
  return verb === otherVerb
}

// What a list of tools costs in every request.
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
    return [
      { message, fix: 'Shorten descriptions, leave out what hardly anybody sets, or make two tools of it.' },
    ]
  },
)

const maxListTokens = 5000
const costlyList: ToolRule = {
  name: 'costly-list',
  level: 'warning',
  finds: `a list that costs more than about ${maxListTokens} tokens; an error where \`maxTokens\` is given and passed`,
  check(list, { maxTokens }) {
    const tokens = list.reduce((sum, one) => sum + one.tokens, 0)
    if (tokens <= (maxTokens ?? maxListTokens)) return []
    const [dearest] = list.toSorted((one, other) => other.tokens - one.tokens)
    const message = `The list costs about ${tokens} tokens in every request, more than ${maxTokens ?? maxListTokens}; the dearest is ${dearest?.name}, ${dearest?.tokens}.`
    const fix = 'Offer fewer at one time (tools in prepareStep), or give them to an agent of their own.'
    return [{ message, fix, ...(maxTokens === undefined ? {} : { level: 'error' }) }]
  },
}

const [many, most] = [20, 128]
const manyTools: ToolRule = {
  name: 'many-tools',
  level: 'warning',
  finds: `more than ${many} tools; an error over ${most}, the bound of common servers`,
  check({ length }) {
    if (length <= many) return []
    const isRefused = length > most
    const why = isRefused ? `servers take ${most}` : `models choose worse among more than ${many}`
    const fix = 'Offer fewer at one time (tools in prepareStep), or give them to agents of their own.'
    return [{ message: `There are ${length} tools: ${why}.`, fix, ...(isRefused ? { level: 'error' } : {}) }]
  },
}

export const costRules: readonly ToolRule[] = [costlyTool, costlyList, manyTools]
