import { tellingWords } from './plain-words.js'
import { eachZodPart, type ToolRule } from './rule.js'
import type { ZodCheck } from './zod-checks.js'

// What a zod schema says and its JSON Schema does not.

/** The keywords that say what a check asks. */
const saidBy: Readonly<Record<string, readonly string[]>> = {
  min_length: ['minLength', 'minItems'],
  max_length: ['maxLength', 'maxItems'],
  length_equals: ['minLength', 'minItems'],
  greater_than: ['minimum', 'exclusiveMinimum'],
  less_than: ['maximum', 'exclusiveMaximum'],
  multiple_of: ['multipleOf'],
  string_format: ['pattern', 'format'],
}

const hiddenCheck = eachZodPart(
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
    if (hidden.some((check) => isTold(check, told.join(' ')))) return undefined
    return {
      message: 'A refinement refuses values here, and the model never sees it.',
      fix: 'Use what a schema can say (.min, .max, .regex, z.enum), or tell the rule in the description, as the refinement does when it refuses.',
      ...(path !== '' && told.some((text) => text !== '') ? { level: 'info' } : {}),
    }
  },
)

/** Of what a refinement says when it refuses, so much must be in the description. */
const mostly = 1 / 3

function isTold({ refusal = '' }: ZodCheck, description: string): boolean {
  const [said, told] = [[...tellingWords(refusal)], tellingWords(description)]
  return said.length > 0 && said.filter((word) => told.has(word)).length >= said.length * mostly
}

const lostConstraint = eachZodPart(
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

/** Zod has formats of its own for these: only their pattern says anything to others. */
const needPattern = ['regex', 'starts_with', 'ends_with', 'includes', 'lowercase', 'uppercase']

function keywordsOf({ name, format = '' }: ZodCheck): readonly string[] | undefined {
  if (name === 'string_format' && needPattern.includes(format)) return ['pattern']
  return Object.hasOwn(saidBy, name) ? saidBy[name] : undefined
}

const lostFlags = eachZodPart(
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

export const lostRules: readonly ToolRule[] = [hiddenCheck, lostConstraint, lostFlags]
