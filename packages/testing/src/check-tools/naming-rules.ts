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

// Names of tools: the pattern that servers ask for is held by tool() itself.
const nameStart = eachTool(
  {
    name: 'name-start',
    level: 'warning',
    finds: 'a name that begins with a digit, "_" or "-", which some servers refuse',
  },
  ({ name }) => {
    if (!/^[\d_-]/.test(name)) return []
    const message = 'Some servers want a letter at the start of a name.'
    return [{ message, fix: 'Begin with a verb, as get_weather.' }]
  },
)

const toolChoiceValue = 'toolChoice says it of all tools'
const builtInTool = 'models know a built-in tool by it, and call that'
const namespaceName = 'it is what servers and models put in front of names of tools'

const reservedNames: Readonly<Record<string, string>> = {
  [outputToolName]: 'an agent with an output gives its answer by it',
  invalid_tool_name: 'it stands for names that could not be used',
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
    finds: `a name that means something else: ${outputToolName}, auto, python, functions ...`,
  },
  ({ name }) => {
    const meaning = Object.hasOwn(reservedNames, name.toLowerCase())
      ? reservedNames[name.toLowerCase()]
      : undefined
    if (meaning === undefined) return []
    return [
      {
        message: `This name is taken: ${meaning}.`,
        fix: 'Choose another, with a verb: run_python, as_answer.',
      },
    ]
  },
)

const duplicateName: ToolRule = {
  name: 'duplicate-name',
  level: 'error',
  finds: 'two tools with one name: no agent takes them',
  check: (list) =>
    groupBy(list, ({ name }) => name).map(([{ name }]) => ({
      tool: name,
      message: 'Two tools have this name: a model tells tools apart by their names alone.',
      fix: 'Rename one.',
    })),
}

const confusableNames: ToolRule = {
  name: 'confusable-names',
  level: 'warning',
  finds: 'names that differ only by case, "-" and "_", or the order of their words',
  check: (list) =>
    groupBy(uniqueByName(list), ({ name }) => splitWords(name.replaceAll('-', '_')).toSorted().join(' ')).map(
      confusionProblem,
    ),
}

export const nameRules: readonly ToolRule[] = [duplicateName, reservedName, nameStart, confusableNames]

function confusionProblem([one, ...others]: ToolGroup): RuleProblem {
  return {
    tool: one.name,
    message: `Its name is that of ${listNames(others)}, but for case, signs or the order of words.`,
    fix: 'Say in each name what is different.',
  }
}

type ToolGroup = readonly [InspectedTool, InspectedTool, ...InspectedTool[]]

/** Tools that have something in common, where several do. */
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

/** A few of them, and how many more. */
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

// What tools say of themselves.
const missingDescription = eachTool(
  { name: 'missing-description', level: 'error', finds: 'a tool whose description is empty' },
  ({ description }) => {
    if (description.trim() !== '') return []
    const message = 'It has no description, and the model chooses by that.'
    return [{ message, fix: 'Say in a sentence what it does, and when to use it.' }]
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
        fix: 'Say what it does, to what, and what comes back.',
      },
    ]
  },
)

const repeatedName = eachTool(
  {
    name: 'repeated-name',
    level: 'warning',
    finds: 'a description that says the words of the name again, and nothing else',
  },
  ({ name, description }) => {
    const said = significantWords(name.replaceAll('-', '_'))
    const words = [...significantWords(description)]
    const isRepeated = words.length > 0 && words.every((word) => said.has(word))
    if (!isRepeated || splitWords(description).length < minWords) return []
    const message = 'Its description says only what its name says.'
    return [{ message, fix: 'Add what comes back, where it comes from, and when to use it.' }]
  },
)

const maxCharacters = 1024
const longDescription = eachTool(
  {
    name: 'long-description',
    level: 'warning',
    finds: `a description of more than ${maxCharacters} characters, which some servers refuse`,
  },
  ({ description }) => {
    if (description.length <= maxCharacters) return []
    const message = `Its description has ${description.length} characters; some servers refuse more than ${maxCharacters}.`
    return [{ message, fix: 'Move what belongs to a parameter there, and the rest into the instructions.' }]
  },
)

const duplicateDescription: ToolRule = {
  name: 'duplicate-description',
  level: 'warning',
  finds: 'two tools that say the same of themselves',
  check: (list) =>
    groupBy(
      uniqueByName(list).filter(({ description }) => description.trim() !== ''),
      ({ description }) => splitWords(description).join(' '),
    ).map(([{ name }, ...others]) => ({
      tool: name,
      message: `Its description is also that of ${listNames(others)}.`,
      fix: 'Say in each what the others do not do.',
    })),
}

// Not the joiners of U+200C and U+200D, which scripts and emoji need.
const invisiblePattern =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u200b\u2060\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u

const invisibleCharacters = eachSchemaNode(
  {
    name: 'invisible-characters',
    level: 'warning',
    finds: 'signs in a description that a model reads and nobody sees',
  },
  ({ path, schema }, { description }) => {
    const text = path === '' ? `${description}${schema.description ?? ''}` : schema.description
    const [sign] = (typeof text === 'string' && invisiblePattern.exec(text)) || []
    if (sign === undefined) return undefined
    return {
      message: `The description holds U+${sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}, which nobody sees.`,
      fix: 'Take it out, and look at what else came with it: text may be hidden so.',
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
