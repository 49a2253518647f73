import { outputToolName } from '@capstan/core/internal'
import {
  type Examined,
  eachPart,
  eachTool,
  type Problem,
  plainWords,
  type ToolRule,
  tellingWords,
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

const choice = 'toolChoice says it of all tools'
const builtIn = 'models know a built-in tool by it, and call that'
const space = 'it is what servers and models put in front of names of tools'

const reserved: Readonly<Record<string, string>> = {
  [outputToolName]: 'an agent with an output gives its answer by it',
  invalid_tool_name: 'it stands for names that could not be used',
  auto: choice,
  none: choice,
  required: choice,
  any: choice,
  python: builtIn,
  browser: builtIn,
  container: builtIn,
  code_interpreter: builtIn,
  functions: space,
  default_api: space,
  multi_tool_use: space,
  parallel: space,
}

const reservedName = eachTool(
  {
    name: 'reserved-name',
    level: 'error',
    finds: `a name that means something else: ${outputToolName}, auto, python, functions ...`,
  },
  ({ name }) => {
    const meaning = Object.hasOwn(reserved, name.toLowerCase()) ? reserved[name.toLowerCase()] : undefined
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
    sharers(list, ({ name }) => name).map(([{ name }]) => ({
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
    sharers(onePerName(list), ({ name }) => plainWords(name.replaceAll('-', '_')).toSorted().join(' ')).map(
      toConfusion,
    ),
}

export const nameRules: readonly ToolRule[] = [duplicateName, reservedName, nameStart, confusableNames]

function toConfusion([one, ...others]: Sharers): Problem {
  return {
    tool: one.name,
    message: `Its name is that of ${namesOf(others)}, but for case, signs or the order of words.`,
    fix: 'Say in each name what is different.',
  }
}

type Sharers = readonly [Examined, Examined, ...Examined[]]

/** Tools that have something in common, where several do. */
function sharers(list: readonly Examined[], of: (one: Examined) => string): readonly Sharers[] {
  const groups = new Map<string, Examined[]>()
  for (const one of list) {
    const key = of(one)
    const group = groups.get(key)
    if (group) group.push(one)
    else groups.set(key, [one])
  }
  return [...groups.values()].filter(
    (group): group is [Examined, Examined, ...Examined[]] => group.length > 1,
  )
}

/** A few of them, and how many more. */
export function namesOf(list: readonly { readonly name: string }[]): string {
  const more = list.length > 5 ? ` and ${list.length - 5} more` : ''
  return `${list
    .slice(0, 5)
    .map(({ name }) => name)
    .join(', ')}${more}`
}

export function onePerName(list: readonly Examined[]): readonly Examined[] {
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

const fewestWords = 3
const shortDescription = eachTool(
  {
    name: 'short-description',
    level: 'warning',
    finds: `a description of fewer than ${fewestWords} words`,
  },
  ({ description }) => {
    const words = plainWords(description)
    if (description.trim() === '' || words.length >= fewestWords) return []
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
    const said = tellingWords(name.replaceAll('-', '_'))
    const words = [...tellingWords(description)]
    const isRepeated = words.length > 0 && words.every((word) => said.has(word))
    if (!isRepeated || plainWords(description).length < fewestWords) return []
    const message = 'Its description says only what its name says.'
    return [{ message, fix: 'Add what comes back, where it comes from, and when to use it.' }]
  },
)

const mostSigns = 1024
const longDescription = eachTool(
  {
    name: 'long-description',
    level: 'warning',
    finds: `a description of more than ${mostSigns} characters, which some servers refuse`,
  },
  ({ description }) => {
    if (description.length <= mostSigns) return []
    const message = `Its description has ${description.length} characters; some servers refuse more than ${mostSigns}.`
    return [{ message, fix: 'Move what belongs to a parameter there, and the rest into the instructions.' }]
  },
)

const duplicateDescription: ToolRule = {
  name: 'duplicate-description',
  level: 'warning',
  finds: 'two tools that say the same of themselves',
  check: (list) =>
    sharers(
      onePerName(list).filter(({ description }) => description.trim() !== ''),
      ({ description }) => plainWords(description).join(' '),
    ).map(([{ name }, ...others]) => ({
      tool: name,
      message: `Its description is also that of ${namesOf(others)}.`,
      fix: 'Say in each what the others do not do.',
    })),
}

// Not the joiners of U+200C and U+200D, which scripts and emoji need.
const invisible =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u200b\u2060\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u

const invisibleCharacters = eachPart(
  {
    name: 'invisible-characters',
    level: 'warning',
    finds: 'signs in a description that a model reads and nobody sees',
  },
  ({ path, schema }, { description }) => {
    const text = path === '' ? `${description}${schema.description ?? ''}` : schema.description
    const [sign] = (typeof text === 'string' && invisible.exec(text)) || []
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
