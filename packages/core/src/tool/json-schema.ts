import { dereference, type OutputUnit, type Schema, type SchemaDraft, Validator } from '@cfworker/json-schema'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { CapstanError, messageOf } from '../words/error.js'
import { checkSchema } from './check-schema.js'
import { JsonLoss, toJson } from './to-json.js'

/** A plain JSON Schema as tool parameters: arguments are checked against it and handed over as they came. */
export interface JsonSchemaParameters extends StandardSchemaV1<Record<string, unknown>> {
  readonly schema: Readonly<Record<string, unknown>>
}

/**
 * Wraps a JSON Schema (drafts 4 to 2020-12) for use as `parameters`. What the schema cannot say in types,
 * it says at run time: arguments are `Record<string, unknown>`.
 * @throws CapstanError `invalid_tool` naming the place that is no JSON Schema, or a reference that leads nowhere
 */
export function jsonSchema(schema: Readonly<Record<string, unknown>>): JsonSchemaParameters {
  const { plain, validator } = toValidator(schema)
  return {
    schema: plain,
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

/** Of a copy, for the validator writes into its schema. What it would only find out in a run is looked for now. */
function toValidator(schema: unknown): { readonly plain: Schema; readonly validator: Validator } {
  try {
    const plain = toJson(schema)
    if (typeof plain !== 'object' || plain === null) throw new Error('it is no object')
    checkSchema(plain)
    checkReferences(plain)
    return { plain, validator: new Validator(plain, toDraft(plain as Schema), false) }
  } catch (error) {
    const why =
      error instanceof JsonLoss
        ? `${error.message}; use plain JSON, and $ref for what holds itself`
        : messageOf(error)
    const message = `jsonSchema(...) was given no JSON Schema that can be used: ${why}.`
    throw new CapstanError('invalid_tool', message, { cause: error })
  }
}

function checkReferences(schema: Schema): void {
  const parts = dereference(schema)
  for (const part of Object.values(parts)) {
    if (typeof part === 'boolean' || part.$ref === undefined) continue
    if (parts[part.__absolute_ref__ ?? part.$ref] === undefined)
      throw new Error(`"${part.$ref}" leads to no part of it; use "#/$defs/<name>", with that name in $defs`)
  }
}

/** A copy, as JSON has it: the validator knows no `undefined`. */
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
