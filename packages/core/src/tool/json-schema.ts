import { type Schema, Validator } from '@cfworker/json-schema'
import type { StandardSchemaV1 } from '@standard-schema/spec'

/** A plain JSON Schema as tool parameters: arguments are checked against it and handed over as they came. */
export interface JsonSchemaParameters extends StandardSchemaV1<Record<string, unknown>> {
  readonly schema: Readonly<Record<string, unknown>>
}

/**
 * Wraps a JSON Schema (drafts 4 to 2020-12) for use as `parameters`. What the schema cannot say in types,
 * it says at run time: arguments are `Record<string, unknown>`.
 */
export function jsonSchema(schema: Readonly<Record<string, unknown>>): JsonSchemaParameters {
  const validator = new Validator(schema as Schema, '2020-12', false)
  return {
    schema,
    '~standard': {
      version: 1,
      vendor: 'capstan',
      validate(value) {
        const { valid, errors } = validator.validate(value)
        if (valid) return { value: value as Record<string, unknown> }
        const leaves = errors.filter(
          (one) => !errors.some((other) => isInside(other.instanceLocation, one.instanceLocation)),
        )
        return {
          issues: leaves.map(({ instanceLocation, error }) => ({
            message: error,
            path: instanceLocation.split('/').slice(1),
          })),
        }
      },
    },
  }
}

/** Errors of the parts are told once, at the part: the whole's "does not match" would only repeat them. */
function isInside(inner: string, outer: string): boolean {
  return inner !== outer && inner.startsWith(`${outer}/`)
}
