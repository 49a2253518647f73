import { isRecord } from '../words/record.js'
import { appliedSchemas } from './applied-schemas.js'
import { ownBounds } from './own-bounds.js'
import { partAt } from './part-at.js'

/** A place where a value does not fit a schema. */
export interface Misfit {
  readonly path: readonly string[]
  readonly message: string
}

/**
 * The first place where a value does not fit a JSON Schema. It is small, and for schemas of our own and for guesses:
 * it takes references within the schema only, does not look at formats, and fits nothing to a keyword that is beyond
 * it. What users wrap by `jsonSchema` has a whole validator.
 */
export function misfit(value: unknown, schema: unknown, root = schema): Misfit | undefined {
  if (schema === true) return undefined
  if (!isRecord(schema)) return { path: [], message: 'is not known here' }
  const fits = (inner: unknown) => !misfit(value, inner, root)
  for (const [keyword, rule] of Object.entries(schema)) {
    const isKept = ruleOf(keyword, ownBounds)?.(value, rule) ?? ruleOf(keyword, choices)?.(rule, fits) ?? true
    if (!isKept) return { path: [], message: `does not fit ${keyword}: ${JSON.stringify(rule)}` }
    for (const [part, inner, key] of ruleOf(keyword, appliedSchemas)?.(value, rule, schema) ?? []) {
      const found = misfit(part, inner, root)
      if (found) return { ...found, path: [...(key === undefined ? [] : [key]), ...found.path] }
    }
  }
  const further = [
    ...(schema.$ref === undefined ? [] : [partAt(String(schema.$ref), root)]),
    ...(schema.if === undefined ? [] : [(fits(schema.if) ? schema.then : schema.else) ?? true]),
  ]
  return further.map((inner) => misfit(value, inner, root)).find((found) => found !== undefined)
}

type Fits = (schema: unknown) => boolean

/** The keywords that ask whether other schemas fit; and those that are beyond this. */
const choices: Readonly<Record<string, (rule: unknown, fits: Fits) => boolean>> = {
  anyOf: (rule, fits) => Array.isArray(rule) && rule.some(fits),
  oneOf: (rule, fits) => Array.isArray(rule) && rule.filter(fits).length === 1,
  not: (rule, fits) => !fits(rule),
  ...Object.fromEntries(
    ['contains', 'dependencies', '$dynamicRef', '$recursiveRef'].map((keyword) => [keyword, () => false]),
  ),
}

function ruleOf<Rule>(keyword: string, rules: Readonly<Record<string, Rule>>): Rule | undefined {
  return Object.hasOwn(rules, keyword) ? rules[keyword] : undefined
}
