import { eachZodNode, significantWords, type ToolRule } from './rule.js'
import type { ZodCheck } from './zod-walk.js'

// Rules for constraints in a zod schema that are missing from its JSON Schema.

/** The JSON Schema keywords that can express each zod check. */
const keywordsOfCheck: Readonly<Record<string, readonly string[]>> = {
  min_length: ['minLength', 'minItems'],
  max_length: ['maxLength', 'maxItems'],
  length_equals: ['minLength', 'minItems'],
  greater_than: ['minimum', 'exclusiveMinimum'],
  less_than: ['maximum', 'exclusiveMaximum'],
  multiple_of: ['multipleOf'],
  string_format: ['pattern', 'format'],
}

/**
 * The fraction of the words in a refinement's error message that a description must contain to count as describing the
 * refinement.
 */
const describedShare = 1 / 3

const hiddenCheck = eachZodNode(
  {
    name: 'hidden-check',
    level: 'warning',
    finds: 'a refinement: code that rejects arguments and has no JSON Schema',
  },
  ({ kind, checks, path }, one) => {
    const hidden = checks.filter(({ name }) => name === 'custom' || name === 'property')
    if (kind !== 'refinement' && hidden.length === 0) return undefined
    const shown = one.shownAt(path).map(({ description }) => String(description ?? ''))
    const told = path === '' ? [...shown, one.description] : shown
    if (hidden.some((check) => isDescribed(check, told.join(' ')))) return undefined
    return {
      message: 'A refinement rejects values here, but the model does not see it.',
      fix: 'Use what a JSON Schema supports (.min, .max, .regex, z.enum), or put the text of the error message into the description.',
      ...(path !== '' && told.some((text) => text !== '') ? { level: 'info' } : {}),
    }
  },
)

function isDescribed({ refusal = '' }: ZodCheck, description: string): boolean {
  const [said, told] = [[...significantWords(refusal)], significantWords(description)]
  return said.length > 0 && said.filter((word) => told.has(word)).length >= said.length * describedShare
}

/** Zod formats that JSON Schema can only express as a `pattern`. */
const needPattern = ['regex', 'starts_with', 'ends_with', 'includes', 'lowercase', 'uppercase']

const lostConstraint = eachZodNode(
  {
    name: 'lost-constraint',
    level: 'warning',
    finds: 'a check that is missing from the JSON Schema, such as the limits for a date',
  },
  ({ checks, path }, one) => {
    const shown = one.shownAt(path)
    const lost = checks.find((check) => {
      const keywords = keywordsOf(check)
      return keywords !== undefined && !shown.some((schema) => keywords.some((name) => name in schema))
    })
    return (
      lost && {
        message: `The check ${(lost.format ?? lost.name).replaceAll('_', ' ')} is not in the JSON Schema, so the model does not see it.`,
        fix: 'Describe it, or use a check that JSON Schema supports, such as .regex for strings.',
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
    finds: 'flags of a regular expression, which JSON Schema does not support',
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
        fix: 'Write the pattern without flags, such as [Aa] instead of the flag i.',
      }
    )
  },
)

export const lossRules: readonly ToolRule[] = [hiddenCheck, lostConstraint, lostFlags]

// A rule for code in a zod schema that changes the model's arguments before the function gets them.
const transformedValue = eachZodNode(
  {
    name: 'transformed-value',
    level: 'info',
    finds: 'a value that code transforms, without a description of what to write',
  },
  ({ kind, path }, one) => {
    if (kind !== 'transform') return undefined
    const isTold = one
      .shownAt(path)
      .some(({ description, format, pattern, enum: choices }) => description || format || pattern || choices)
    if (isTold) return undefined
    return {
      message: 'Code transforms this value, but the model sees only the input type.',
      fix: 'Describe what to write, with an example, or add a format or a pattern.',
    }
  },
)

const pipedSchema = eachZodNode(
  {
    name: 'piped-schema',
    level: 'warning',
    finds: 'a schema after a transform: the model sees only the input',
  },
  ({ kind }) => {
    if (kind !== 'piped') return undefined
    return {
      message: 'The model does not see the checks after the transform.',
      fix: 'Use a schema for the input, such as z.number().min(1), and transform the value in execute.',
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
    finds: 'z.coerce, which accepts more than the schema: null as 0, the text "false" as true',
  },
  ({ kind, coerces }) => {
    const slip = coercionExamples.get(kind)
    if (!coerces || slip === undefined) return undefined
    return {
      message: `z.coerce.${kind}() accepts any value: ${slip}.`,
      fix: `Use z.${kind}(). With repair: safeRepair, an agent still accepts values whose meaning is clear, such as "3" for 3.`,
    }
  },
)

const changingDefault = eachZodNode(
  {
    name: 'changing-default',
    level: 'warning',
    finds: 'a default that changes; the model sees only the first one',
  },
  ({ defaultValue, path }, one) => {
    const shown = one.shownAt(path).find((schema) => 'default' in schema)?.default
    if (defaultValue === undefined || shown === undefined) return undefined
    if (JSON.stringify(defaultValue) === JSON.stringify(shown)) return undefined
    return {
      message: `The model sees the default ${shortJson(shown)}, computed when the tool was defined.`,
      fix: 'Use .optional(), describe the default, and set it in execute.',
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
    finds: '.catch(), which replaces an invalid argument without telling the model',
  },
  ({ kind }) => {
    if (kind !== 'catch') return undefined
    return {
      message: '.catch() replaces an invalid argument, so the model cannot correct itself.',
      fix: 'Use .default() for optional values, and let invalid arguments be rejected.',
    }
  },
)

const unreadableSchema = eachZodNode(
  {
    name: 'unreadable-schema',
    level: 'info',
    finds: 'a schema whose own code throws when it is read',
  },
  ({ failure }) => {
    if (failure === undefined) return undefined
    return {
      message: `The schema cannot be read here: ${failure}.`,
      fix: 'Fix the getter that throws. The schemas inside it were not checked.',
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
