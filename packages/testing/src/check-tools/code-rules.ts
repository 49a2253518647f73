import { eachZodPart, type ToolRule } from './rule.js'

// Code in a zod schema that stands between what a model writes and what a function gets.

const transformedValue = eachZodPart(
  {
    name: 'transformed-value',
    level: 'info',
    finds: 'a value that code changes, where nothing says what the model has to write',
  },
  ({ kind, path }, one) => {
    if (kind !== 'transform') return undefined
    const isTold = one
      .shownAt(path)
      .some(({ description, format, pattern, enum: choices }) => description || format || pattern || choices)
    if (isTold) return undefined
    return {
      message: 'Code changes this value, and the model sees only the type that goes in.',
      fix: 'Describe what to write, with an example, or give it a format or a pattern.',
    }
  },
)

const pipedSchema = eachZodPart(
  {
    name: 'piped-schema',
    level: 'warning',
    finds: 'a schema behind a transform: the model is shown only what goes in',
  },
  ({ kind }) => {
    if (kind !== 'piped') return undefined
    return {
      message: 'What is asked of the value after the transform, the model never sees.',
      fix: 'Ask for the value itself, as z.number().min(1), and change it in execute.',
    }
  },
)

const coercedValue = eachZodPart(
  {
    name: 'coerced-value',
    level: 'warning',
    finds: 'z.coerce, which takes what the schema does not say: null as 0, the text "false" as true',
  },
  ({ kind, coerces }) => {
    const slip = slips.get(kind)
    if (!coerces || slip === undefined) return undefined
    return {
      message: `z.coerce.${kind}() takes anything: ${slip}.`,
      fix: `Use z.${kind}(). With repair: 'safe' an agent still reads what is meant, as "3" for 3.`,
    }
  },
)

const slips: ReadonlyMap<string, string> = new Map([
  ['boolean', 'the text "false" becomes true'],
  ['number', 'null becomes 0, true becomes 1'],
  ['string', 'an object becomes "[object Object]"'],
])

const changingDefault = eachZodPart(
  {
    name: 'changing-default',
    level: 'warning',
    finds: 'a default that is another each time, of which the model is shown the first one',
  },
  ({ defaultValue, path }, one) => {
    const shown = one.shownAt(path).find((schema) => 'default' in schema)?.default
    if (defaultValue === undefined || shown === undefined) return undefined
    if (JSON.stringify(defaultValue) === JSON.stringify(shown)) return undefined
    return {
      message: `The model is shown the default ${short(shown)}, which was so when the tool was defined.`,
      fix: 'Use .optional() with a description of what holds without it, and fill it in in execute.',
    }
  },
)

function short(value: unknown): string {
  const json = JSON.stringify(value)
  return json.length > 40 ? `${json.slice(0, 37)}...` : json
}

const caughtValue = eachZodPart(
  {
    name: 'caught-value',
    level: 'warning',
    finds: '.catch(): a wrong argument is replaced, and the model never hears of it',
  },
  ({ kind }) => {
    if (kind !== 'catch') return undefined
    return {
      message: 'A wrong argument is replaced by .catch(), so the model cannot correct itself.',
      fix: 'Use .default() for what may be left out, and let wrong arguments be refused.',
    }
  },
)

const unreadableSchema = eachZodPart(
  {
    name: 'unreadable-schema',
    level: 'info',
    finds: 'a schema whose own code throws when it is looked into',
  },
  ({ failure }) => {
    if (failure === undefined) return undefined
    return {
      message: `The schema cannot be looked into here: ${failure}.`,
      fix: 'Find out what throws in a getter of it; what lies behind was not checked.',
    }
  },
)

export const codeRules: readonly ToolRule[] = [
  transformedValue,
  pipedSchema,
  coercedValue,
  changingDefault,
  caughtValue,
  unreadableSchema,
]
