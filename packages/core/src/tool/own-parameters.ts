import type { JsonSchemaParameters } from './json-schema.js'
import { misfit } from './misfit.js'

/** The parameters of a tool of our own, as a small JSON Schema: `jsonSchema` comes with a validator of all drafts. */
export function ownParameters(schema: Readonly<Record<string, unknown>>): JsonSchemaParameters {
  return {
    schema,
    '~standard': {
      version: 1,
      vendor: 'capstan',
      validate(value) {
        const found = misfit(value, schema)
        return found ? { issues: [found] } : { value: value as Record<string, unknown> }
      },
    },
  }
}
