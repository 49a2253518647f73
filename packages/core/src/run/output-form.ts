import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Opening } from '../answer/json-in-words.js'
import type { JsonSchemaParameters } from '../tool/json-schema.js'
import { toJsonSchema } from '../tool/to-parameters.js'
import { outcomeOf } from '../tool/validate.js'
import { andThen } from '../words/and-then.js'
import { isRecord } from '../words/record.js'

/** The form of an answer as a model is asked for it: an object's, as tools and servers take no other. */
export interface OutputForm {
  /** The schema that was given, or one of an object around it. */
  readonly schema: StandardSchemaV1
  /** What an answer may begin with. */
  readonly opening: Opening
  /** The answer as the caller gets it. */
  unwrap(value: unknown): unknown
  /** The same of one that is still being written: undefined while it may be another. */
  unwrapBegun(value: unknown): unknown
}

/** @throws CapstanError `invalid_tool` for a schema that JSON cannot express */
export function toOutputForm(schema: StandardSchemaV1, tool: string): OutputForm {
  const inner = toJsonSchema(schema, tool)
  if (inner.type !== 'object') return wrapped(schema, inner)
  const unwrapBegun = (value: unknown) => (isRecord(value) ? value : undefined)
  return { schema, opening: '{', unwrap: (value) => value, unwrapBegun }
}

/** The name under which an answer stands that is no object. */
const name = 'result'

function wrapped(schema: StandardSchemaV1, inner: Readonly<Record<string, unknown>>): OutputForm {
  const unwrap = (value: unknown) => (isWrapper(value) ? value[name] : value)
  const unwrapBegun = (value: unknown) =>
    !isRecord(value) || Object.keys(value)[0] === name ? unwrap(value) : undefined
  return { schema: around(schema, inner), opening: '{[', unwrap, unwrapBegun }
}

function isWrapper(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && Object.hasOwn(value, name)
}

/** Takes what is in the object, and what a model gave without one; gives it in one. */
function around(schema: StandardSchemaV1, inner: Readonly<Record<string, unknown>>): JsonSchemaParameters {
  return {
    schema: toObjectSchema(inner),
    '~standard': {
      version: 1,
      vendor: 'capstan',
      validate(value) {
        const path = isWrapper(value) ? [name] : []
        const given = isWrapper(value) ? value[name] : value
        return andThen<StandardSchemaV1.Result<unknown>, Wrapped>(outcomeOf(schema, given), (checked) => {
          if (!checked.issues) return { value: { [name]: checked.value } }
          if (isRecord(value) && path.length === 0) return { issues: [missing] }
          return { issues: checked.issues.map((one) => ({ ...one, path: [...path, ...(one.path ?? [])] })) }
        })
      },
    },
  }
}

type Wrapped = StandardSchemaV1.Result<Record<string, unknown>>

const missing = { message: 'missing: the answer goes here', path: [name] }

/** Definitions are looked for at the root, other references go on leading where they led. */
function toObjectSchema(inner: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { $schema, $id, definitions, $defs, ...rest } = moved(inner) as Readonly<Record<string, unknown>>
  return {
    type: 'object',
    properties: { [name]: rest },
    required: [name],
    additionalProperties: false,
    ...(definitions ? { definitions } : {}),
    ...($defs ? { $defs } : {}),
  }
}

function moved(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(moved)
  if (!isRecord(part)) return part
  const entries = Object.entries(part).map(([key, value]) => [
    key,
    key === '$ref' && typeof value === 'string' ? movedReference(value) : moved(value),
  ])
  return Object.fromEntries(entries)
}

function movedReference(reference: string): string {
  return reference.replace(/^#(?=\/|$)(?!\/(definitions|\$defs)\/)/, `#/properties/${name}`)
}
