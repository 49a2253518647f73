import { outputToolName } from '@capstan/core/internal'
import { plainWords } from './plain-words.js'
import { type Examined, eachTool, type Problem, type ToolRule } from './rule.js'

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
export function sharers(list: readonly Examined[], of: (one: Examined) => string): readonly Sharers[] {
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
