import { type OutputUnit, type SchemaDraft, Validator } from '@cfworker/json-schema'
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
  const validator = new Validator(toPlain(schema), toDraft(schema), false)
  return {
    schema,
    '~standard': {
      version: 1,
      vendor: 'capstan',
      validate(value) {
        const { valid, errors } = validator.validate(toPlain(value))
        if (valid) return { value: value as Record<string, unknown> }
        return { issues: toIssues(errors) }
      },
    },
  }
}

/** A copy, as JSON has it: the validator writes into its schema, and knows no `undefined`. */
function toPlain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value) ?? 'null')
}

function toDraft({ $schema }: Readonly<Record<string, unknown>>): SchemaDraft {
  if (String($schema).includes('draft-04')) return '4'
  return /draft-0[67]/.test(String($schema)) ? '7' : '2020-12'
}

/** Errors of the parts are told once, at the part: the whole's "does not match" would only repeat them. */
function toIssues(errors: readonly OutputUnit[]): StandardSchemaV1.Issue[] {
  const known = errors.filter(({ keyword }) => keyword !== 'false')
  const isRepeated = ({ keyword, keywordLocation }: OutputUnit) =>
    !/^(any|one)Of$/.test(keyword) &&
    known.some((other) => other.keywordLocation.startsWith(`${keywordLocation}/`))
  return known
    .filter((one) => !isRepeated(one))
    .map(({ error, instanceLocation }) => ({ message: error, path: toPath(instanceLocation) }))
}

/** From a JSON Pointer as it stands in a URL. */
function toPath(pointer: string): string[] {
  const parts = pointer.split('/').slice(1).map(decodeURIComponent)
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}
