import { eachZodNode, significantWords, type ToolRule } from './rule.js'
import type { ZodCheck } from './zod-walk.js'

// What a zod schema says and its JSON Schema does not.

/** The keywords that say what a check asks. */
const keywordsOfCheck: Readonly<Record<string, readonly string[]>> = {
  min_length: ['minLength', 'minItems'],
  max_length: ['maxLength', 'maxItems'],
  length_equals: ['minLength', 'minItems'],
  greater_than: ['minimum', 'exclusiveMinimum'],
  less_than: ['maximum', 'exclusiveMaximum'],
  multiple_of: ['multipleOf'],
  string_format: ['pattern', 'format'],
}

/** Of what a refinement says when it refuses, so much must be in the description. */
const describedShare = 1 / 3

const hiddenCheck = eachZodNode(
  {
    name: 'hidden-check',
    level: 'warning',
    finds: 'a refinement: code that refuses arguments, and that no JSON Schema can say',
  },
  ({ kind, checks, path }, one) => {
    const hidden = checks.filter(({ name }) => name === 'custom' || name === 'property')
    if (kind !== 'refinement' && hidden.length === 0) return undefined
    const shown = one.shownAt(path).map(({ description }) => String(description ?? ''))
    const told = path === '' ? [...shown, one.description] : shown
    if (hidden.some((check) => isDescribed(check, told.join(' ')))) return undefined
    return {
      message: 'A refinement refuses values here, and the model never sees it.',
      fix: 'Use what a schema can say (.min, .max, .regex, z.enum), or tell the rule in the description, as the refinement does when it refuses.',
      ...(path !== '' && told.some((text) => text !== '') ? { level: 'info' } : {}),
    }
  },
)

function isDescribed({ refusal = '' }: ZodCheck, description: string): boolean {
  const [said, told] = [[...significantWords(refusal)], significantWords(description)]
  return said.length > 0 && said.filter((word) => told.has(word)).length >= said.length * describedShare
}

/** Zod has formats of its own for these: only their pattern says anything to others. */
const needPattern = ['regex', 'starts_with', 'ends_with', 'includes', 'lowercase', 'uppercase']

const lostConstraint = eachZodNode(
  {
    name: 'lost-constraint',
    level: 'warning',
    finds: 'a check of the schema that is missing from the JSON Schema, as the bounds of a date are',
  },
  ({ checks, path }, one) => {
    const shown = one.shownAt(path)
    const lost = checks.find((check) => {
      const keywords = keywordsOf(check)
      return keywords !== undefined && !shown.some((schema) => keywords.some((name) => name in schema))
    })
    return (
      lost && {
        message: `The check ${(lost.format ?? lost.name).replaceAll('_', ' ')} is not in the JSON Schema: the model never sees it.`,
        fix: 'Say it in the description, or use a check that a JSON Schema can hold, as .regex for texts.',
      }
    )
  },
)

function keywordsOf({ name, format = '' }: ZodCheck): readonly string[] | undefined {
  if (name === 'string_format' && needPattern.includes(format)) return ['pattern']
  return Object.hasOwn(keywordsOfCheck, name) ? keywordsOfCheck[name] : undefined
}

const lostFlags = eachZodNode(
  {
    name: 'lost-flags',
    level: 'warning',
    finds: 'flags of a regular expression, which a JSON Schema does not have',
  },
  ({ checks, path }, one) => {
    const shown = one.shownAt(path)
    const lost = checks.find(
      ({ pattern }) =>
        pattern && /[ims]/.test(pattern.flags) && shown.some((schema) => schema.pattern === pattern.source),
    )
    return (
      lost && {
        message: `The model sees ${lost.pattern?.source} without its flags "${lost.pattern?.flags}".`,
        fix: 'Write the pattern so that it needs no flags: [Aa] in place of i.',
      }
    )
  },
)

export const lossRules: readonly ToolRule[] = [hiddenCheck, lostConstraint, lostFlags]

// Code in a zod schema that stands between what a model writes and what a function gets.
const transformedValue = eachZodNode(
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

const pipedSchema = eachZodNode(
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

const coercionExamples: ReadonlyMap<string, string> = new Map([
  ['boolean', 'the text "false" becomes true'],
  ['number', 'null becomes 0, true becomes 1'],
  ['string', 'an object becomes "[object Object]"'],
])

const coercedValue = eachZodNode(
  {
    name: 'coerced-value',
    level: 'warning',
    finds: 'z.coerce, which takes what the schema does not say: null as 0, the text "false" as true',
  },
  ({ kind, coerces }) => {
    const slip = coercionExamples.get(kind)
    if (!coerces || slip === undefined) return undefined
    return {
      message: `z.coerce.${kind}() takes anything: ${slip}.`,
      fix: `Use z.${kind}(). With repair: 'safe' an agent still reads what is meant, as "3" for 3.`,
    }
  },
)

const changingDefault = eachZodNode(
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
      message: `The model is shown the default ${shortJson(shown)}, which was so when the tool was defined.`,
      fix: 'Use .optional() with a description of what holds without it, and fill it in in execute.',
    }
  },
)

function shortJson(value: unknown): string {
  const json = JSON.stringify(value)
  return json.length > 40 ? `${json.slice(0, 37)}...` : json
}

const caughtValue = eachZodNode(
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

const unreadableSchema = eachZodNode(
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

export const codeInSchemaRules: readonly ToolRule[] = [
  transformedValue,
  pipedSchema,
  coercedValue,
  changingDefault,
  caughtValue,
  unreadableSchema,
]
