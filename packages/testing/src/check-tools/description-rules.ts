import { namesOf, onePerName, sharers } from './name-rules.js'
import { plainWords, tellingWords } from './plain-words.js'
import { eachPart, eachTool, type ToolRule } from './rule.js'

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

// Not the joiners of U+200C and U+200D, which scripts and emoji need.
const invisible =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u200b\u2060\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u

export const descriptionRules: readonly ToolRule[] = [
  missingDescription,
  shortDescription,
  repeatedName,
  longDescription,
  duplicateDescription,
  invisibleCharacters,
]
