import type { StandardSchemaV1 } from '@standard-schema/spec'
import { CapstanError, messageOf } from '../words/error.js'
import { fromZod3, fromZod4 } from './from-zod.js'
import type { JsonSchemaParameters } from './json-schema.js'
import { toJson } from './to-json.js'

type JsonObject = Record<string, unknown>

/**
 * The JSON Schema of a tool's parameters, as the model is shown it: what it may send, always with `type`,
 * `properties` and `required`. @throws CapstanError `invalid_tool` naming the part that JSON cannot express.
 */
export function toParameters(schema: StandardSchemaV1, tool: string): JsonObject {
  const { $schema, type, properties, required, ...rest } = toJsonSchema(schema, tool)
  if (type !== 'object') {
    const shape = type === undefined ? 'a union or have no type' : `of type ${JSON.stringify(type)}`
    throw invalidParameters(
      tool,
      `they are ${shape}, but a tool takes one object: wrap them, z.object({ value: ... })`,
    )
  }
  return { type, properties: properties ?? {}, required: required ?? [], ...rest }
}

/** The JSON Schema of what any schema takes. @throws CapstanError as above */
export function toJsonSchema(schema: StandardSchemaV1, tool: string): JsonObject {
  try {
    return JSON.parse(toText(convert(Object(schema))))
  } catch (error) {
    throw invalidParameters(tool, messageOf(error), error)
  }
}

/** Each kind by its own converter: zod-to-json-schema says nothing of a zod 4 schema, and zod 4's fails on zod 3. */
function convert(schema: StandardSchemaV1): JsonObject {
  const standard = schema['~standard'] as StandardWithJson | undefined
  if ('_zod' in schema) return fromZod4(schema)
  if (standard?.vendor === 'zod') return fromZod3(schema)
  if (standard?.vendor === 'capstan') return { ...(schema as JsonSchemaParameters).schema }
  if (standard?.jsonSchema) return standard.jsonSchema.input({ target: 'draft-07' })
  throw new Error(
    'this schema cannot say its JSON Schema; use zod, or wrap a JSON Schema: jsonSchema({ ... })',
  )
}

type StandardWithJson = StandardSchemaV1['~standard'] & {
  readonly jsonSchema?: { input(options: { target: string }): JsonObject }
}

/** Written at once, so that what cannot be sent shows now. A root that is a reference is put in its place. */
function toText(given: JsonObject): string {
  const schema = toJson(given) as JsonObject
  const [root, name = ''] = /^#\/definitions\/(.+)$/.exec(String(schema.$ref)) ?? []
  if (root === undefined) return JSON.stringify(schema)
  const { [name]: object, ...others } = schema.definitions as Record<string, JsonObject>
  const definitions = Object.keys(others).length > 0 ? others : undefined
  return JSON.stringify({ ...object, definitions }).replaceAll(JSON.stringify(root), '"#"')
}

function invalidParameters(tool: string, why: string, cause?: unknown): CapstanError {
  const message = `The parameters of tool "${tool}" cannot be shown to a model: ${why}.`
  return new CapstanError('invalid_tool', message, { evidence: { tool }, cause })
}
