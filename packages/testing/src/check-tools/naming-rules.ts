import { outputToolName } from '@capstan/core/internal'
import {
  eachSchemaNode,
  eachTool,
  type InspectedTool,
  type RuleProblem,
  significantWords,
  splitWords,
  type ToolRule,
} from './rule.js'

// Rules for tool names. `tool()` itself enforces the pattern that servers require.
const nameStart = eachTool(
  {
    name: 'name-start',
    level: 'warning',
    finds: 'a name that starts with a digit, "_" or "-", which some servers reject',
  },
  ({ name }) => {
    if (!/^[\d_-]/.test(name)) return []
    const message = 'Some servers require a letter at the start of a name.'
    return [{ message, fix: 'Start with a verb, as in get_weather.' }]
  },
)

const toolChoiceValue = 'toolChoice uses it as a value'
const builtInTool = 'models have a built-in tool of this name, and call that'
const namespaceName = 'servers and models use it as a prefix of tool names'

const reservedNames: Readonly<Record<string, string>> = {
  [outputToolName]: 'agents with structured output reply with it',
  invalid_tool_name: 'it replaces names that cannot be used',
  auto: toolChoiceValue,
  none: toolChoiceValue,
  required: toolChoiceValue,
  any: toolChoiceValue,
  python: builtInTool,
  browser: builtInTool,
  container: builtInTool,
  code_interpreter: builtInTool,
  functions: namespaceName,
  default_api: namespaceName,
  multi_tool_use: namespaceName,
  parallel: namespaceName,
}

const reservedName = eachTool(
  {
    name: 'reserved-name',
    level: 'error',
    finds: `a name that already has a meaning: ${outputToolName}, auto, python, functions ...`,
  },
  ({ name }) => {
    const meaning = Object.hasOwn(reservedNames, name.toLowerCase())
      ? reservedNames[name.toLowerCase()]
      : undefined
    if (meaning === undefined) return []
    return [
      {
        message: `This name is reserved: ${meaning}.`,
        fix: 'Choose a different name with a verb, such as run_python.',
      },
    ]
  },
)

const duplicateName: ToolRule = {
  name: 'duplicate-name',
  level: 'error',
  finds: 'two tools with the same name, which agents reject',
  check: (list) =>
    groupBy(list, ({ name }) => name).map(([{ name }]) => ({
      tool: name,
      message: 'Two tools have this name, and a model distinguishes tools only by name.',
      fix: 'Rename one of them.',
    })),
}

const confusableNames: ToolRule = {
  name: 'confusable-names',
  level: 'warning',
  finds: 'names that differ only by case, by "-" and "_", or by word order',
  check: (list) =>
    groupBy(uniqueByName(list), ({ name }) => splitWords(name.replaceAll('-', '_')).toSorted().join(' ')).map(
      confusionProblem,
    ),
}

export const nameRules: readonly ToolRule[] = [duplicateName, reservedName, nameStart, confusableNames]

function confusionProblem([one, ...others]: ToolGroup): RuleProblem {
  return {
    tool: one.name,
    message: `Its name differs from ${listNames(others)} only by case, separators or word order.`,
    fix: 'Use names that show the difference.',
  }
}

type ToolGroup = readonly [InspectedTool, InspectedTool, ...InspectedTool[]]

/** Groups tools by a key. Returns only groups with at least two tools. */
function groupBy(list: readonly InspectedTool[], of: (one: InspectedTool) => string): readonly ToolGroup[] {
  const groups = new Map<string, InspectedTool[]>()
  for (const one of list) {
    const key = of(one)
    const group = groups.get(key)
    if (group) group.push(one)
    else groups.set(key, [one])
  }
  return [...groups.values()].filter(
    (group): group is [InspectedTool, InspectedTool, ...InspectedTool[]] => group.length > 1,
  )
}

/** Joins up to five names. If there are more, adds how many, such as ` and 3 more`. */
export function listNames(list: readonly { readonly name: string }[]): string {
  const more = list.length > 5 ? ` and ${list.length - 5} more` : ''
  return `${list
    .slice(0, 5)
    .map(({ name }) => name)
    .join(', ')}${more}`
}

export function uniqueByName(list: readonly InspectedTool[]): readonly InspectedTool[] {
  return [...new Map(list.map((one) => [one.name, one])).values()]
}

// Rules for tool descriptions.
const missingDescription = eachTool(
  { name: 'missing-description', level: 'error', finds: 'a tool whose description is empty or blank' },
  ({ description }) => {
    if (description.trim() !== '') return []
    const message = 'It has no description, but models choose tools by their descriptions.'
    return [{ message, fix: 'Describe in one sentence what it does and when to use it.' }]
  },
)

const minWords = 3
const shortDescription = eachTool(
  {
    name: 'short-description',
    level: 'warning',
    finds: `a description of fewer than ${minWords} words`,
  },
  ({ description }) => {
    const words = splitWords(description)
    if (description.trim() === '' || words.length >= minWords) return []
    return [
      {
        message: `Its description has ${words.length} words.`,
        fix: 'Describe what it does, what it does it to, and what it returns.',
      },
    ]
  },
)

const repeatedName = eachTool(
  {
    name: 'repeated-name',
    level: 'warning',
    finds: 'a description that only repeats the words of the name',
  },
  ({ name, description }) => {
    const said = significantWords(name.replaceAll('-', '_'))
    const words = [...significantWords(description)]
    const isRepeated = words.length > 0 && words.every((word) => said.has(word))
    if (!isRepeated || splitWords(description).length < minWords) return []
    const message = 'Its description only repeats its name.'
    return [{ message, fix: 'Say what it returns, from which source, and when to use it.' }]
  },
)

const maxCharacters = 1024
const longDescription = eachTool(
  {
    name: 'long-description',
    level: 'warning',
    finds: `a description of more than ${maxCharacters} characters, which some servers reject`,
  },
  ({ description }) => {
    if (description.length <= maxCharacters) return []
    const message = `Its description has ${description.length} characters; some servers reject more than ${maxCharacters}.`
    return [
      {
        message,
        fix: "Move details about parameters to the parameters' descriptions, and the rest to the agent's instructions.",
      },
    ]
  },
)

const duplicateDescription: ToolRule = {
  name: 'duplicate-description',
  level: 'warning',
  finds: 'two tools with the same description',
  check: (list) =>
    groupBy(
      uniqueByName(list).filter(({ description }) => description.trim() !== ''),
      ({ description }) => splitWords(description).join(' '),
    ).map(([{ name }, ...others]) => ({
      tool: name,
      message: `Its description is the same as that of ${listNames(others)}.`,
      fix: 'In each description, say what only this tool does.',
    })),
}

// Excludes the joiners U+200C and U+200D, which some scripts and emoji need.
const invisiblePattern =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u200b\u2060\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u

const invisibleCharacters = eachSchemaNode(
  {
    name: 'invisible-characters',
    level: 'warning',
    finds: 'invisible characters in a description, which a model gets but people do not see',
  },
  ({ path, schema }, { description }) => {
    const text = path === '' ? `${description}${schema.description ?? ''}` : schema.description
    const [sign] = (typeof text === 'string' && invisiblePattern.exec(text)) || []
    if (sign === undefined) return undefined
    return {
      message: `The description contains U+${sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}, which is invisible.`,
      fix: 'Remove it, and check the text around it: such characters can hide text.',
    }
  },
)

export const descriptionRules: readonly ToolRule[] = [
  missingDescription,
  shortDescription,
  repeatedName,
  longDescription,
  duplicateDescription,
  invisibleCharacters,
]
