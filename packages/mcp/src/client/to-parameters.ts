import { CapstanError, type JsonSchemaParameters, jsonSchema } from '@capstan/core'
import { looseSchema } from './loose-schema.js'
import { schemaCost } from './schema-cost.js'
import { shownSchema } from './shown-schema.js'

/**
 * A server's schema: shown to the model as the server wrote it, its words tidied; arguments are checked by what of it
 * can be checked without danger. @throws CapstanError `invalid_tool`, or RangeError, for one that cannot be used
 */
export function toParameters(schema: Readonly<Record<string, unknown>>): JsonSchemaParameters {
  const { parts, loops } = schemaCost(schema)
  if (parts > maxParts) {
    const message = `Its schema has ${parts} parts with its references in place; ${maxParts} are the most.`
    throw new CapstanError('invalid_tool', message)
  }
  const shown = shownSchema(schema)
  const length = JSON.stringify(shown).length
  if (length > maxLength) {
    const message = `Its schema has ${length} characters; ${maxLength} are the most that a model is shown.`
    throw new CapstanError('invalid_tool', message)
  }
  const checked = jsonSchema(looseSchema(schema))
  const { validate, ...standard } = checked['~standard']
  return {
    schema: shown,
    '~standard': {
      ...standard,
      // What would take too long is left to the server, as its regular expressions are.
      validate: (value) =>
        loops ** depthOf(value) > maxLooks ? { value: value as Record<string, unknown> } : validate(value),
    },
  }
}

const maxParts = 20_000
const maxLength = 200_000
const maxLooks = 100_000

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce<number>((most, inner) => Math.max(most, 1 + depthOf(inner)), 1)
}
