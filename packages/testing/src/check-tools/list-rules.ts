import { namesOf, onePerName } from './naming-rules.js'
import {
  type Examined,
  eachTool,
  overlap,
  type Problem,
  plainWords,
  type ToolRule,
  tellingWords,
} from './rule.js'

// Tools that a model takes for one another.

/** Of the telling words of two descriptions, so many must be common; more, where they begin with other verbs. */
const alike = 0.75
const alikeButVerb = 0.9

/** Servers take no more tools than this: more are compared with nobody. */
const mostCompared = 128

const similarTools: ToolRule = {
  name: 'similar-tools',
  level: 'warning',
  finds: `two tools whose descriptions have ${alike * 100} % of their words in common`,
  check: (list) =>
    likes(list, isSimilar).map(([{ name }, others]) => ({
      tool: name,
      message: `Its description hardly differs from that of ${namesOf(others)}.`,
      fix: 'Say in each when to use it and not the other.',
    })),
}

/** Tools that take the same must say the more clearly how they differ. */
const alikeTaking = 0.4
const copiedParameters: ToolRule = {
  name: 'copied-parameters',
  level: 'info',
  finds: `two tools with the same parameters, the same verb and ${alikeTaking * 100} % of their words in common`,
  check: (list): Problem[] =>
    likes(list, takesSame).map(([{ name }, others]) => ({
      tool: name,
      message: `It takes the same as ${namesOf(others)}, and says nearly the same.`,
      fix: 'Make one tool of both with a parameter for what differs, or say how they differ.',
    })),
}

export const ambiguityRules: readonly ToolRule[] = [similarTools, copiedParameters]

interface Told {
  readonly name: string
  readonly description: string
  readonly words: ReadonlySet<string>
  /** What its parameters are, as JSON; undefined for fewer than two. */
  readonly takes: string | undefined
}

/** Each tool with those behind it that are like it. */
function likes(
  list: readonly Examined[],
  isLike: (one: Told, other: Told) => boolean,
): readonly (readonly [Told, readonly Told[]])[] {
  const told = onePerName(list).slice(0, mostCompared).map(toTold)
  return told
    .map((one, at) => [one, told.slice(at + 1).filter((other) => isLike(one, other))] as const)
    .filter(([, others]) => others.length > 0)
}

function toTold({ name, description, tool }: Examined): Told {
  const { properties } = tool.definition.function.parameters
  const takes = Object.keys(Object(properties)).length > 1 ? JSON.stringify(properties) : undefined
  const words = tellingWords(description)
  // Of one or two words nothing can be said.
  return { name, description, words: words.size < 3 ? new Set() : words, takes }
}

function isSimilar(one: Told, other: Told): boolean {
  const bound = isSameVerb(one, other) ? alike : alikeButVerb
  if (overlap(one.words, other.words) < bound) return false
  // What is word for word the same is told by another rule.
  return plainWords(one.description).join(' ') !== plainWords(other.description).join(' ')
}

function takesSame(one: Told, other: Told): boolean {
  const common = overlap(one.words, other.words)
  const isSame = one.takes !== undefined && one.takes === other.takes && isSameVerb(one, other)
  return isSame && common >= alikeTaking && common < alike
}

/** `Creates ...` and `Deletes ...` are told apart by their first word. */
function isSameVerb(one: Told, other: Told): boolean {
  const [[verb], [otherVerb]] = [one.words, other.words]
  return verb === otherVerb
}

// What a list of tools costs in every request.
const mostTokens = 1000
const costlyTool = eachTool(
  {
    name: 'costly-tool',
    level: 'warning',
    finds: `a tool whose definition costs more than about ${mostTokens} tokens in every request`,
  },
  ({ tokens }) => {
    if (tokens <= mostTokens) return []
    const message = `Its definition costs about ${tokens} tokens in every request.`
    return [
      { message, fix: 'Shorten descriptions, leave out what hardly anybody sets, or make two tools of it.' },
    ]
  },
)

const usualTokens = 5000
const costlyList: ToolRule = {
  name: 'costly-list',
  level: 'warning',
  finds: `a list that costs more than about ${usualTokens} tokens; an error where \`maxTokens\` is given and passed`,
  check(list, { maxTokens }) {
    const tokens = list.reduce((sum, one) => sum + one.tokens, 0)
    if (tokens <= (maxTokens ?? usualTokens)) return []
    const [dearest] = list.toSorted((one, other) => other.tokens - one.tokens)
    const message = `The list costs about ${tokens} tokens in every request, more than ${maxTokens ?? usualTokens}; the dearest is ${dearest?.name}, ${dearest?.tokens}.`
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
