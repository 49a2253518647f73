import type { StandardSchemaV1 } from '@standard-schema/spec'
import { type $ZodType, toJSONSchema } from 'zod/v4/core'
import { ignoreOverride, zodToJsonSchema } from 'zod-to-json-schema'
import { CapstanError, messageOf } from '../words/error.js'
import type { JsonSchemaParameters } from './json-schema.js'

type JsonObject = Record<string, unknown>

/**
 * The JSON Schema of a tool's parameters, as the model is shown it: what it may send, always with `type`,
 * `properties` and `required`. @throws CapstanError `invalid_tool` naming the part that JSON cannot express.
 */
export function toParameters(schema: StandardSchemaV1, tool: string): JsonObject {
  let converted: JsonObject
  try {
    converted = JSON.parse(toJson(convert(Object(schema))))
  } catch (error) {
    throw invalidParameters(tool, messageOf(error), error)
  }
  const { $schema, type, properties, required, ...rest } = converted
  if (type !== 'object') {
    const shape = type === undefined ? 'a union or have no type' : `of type ${JSON.stringify(type)}`
    throw invalidParameters(
      tool,
      `they are ${shape}, but a tool takes one object: wrap them, z.object({ value: ... })`,
    )
  }
  return { type, properties: properties ?? {}, required: required ?? [], ...rest }
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
function toJson(schema: JsonObject): string {
  const [root, name = ''] = /^#\/definitions\/(.+)$/.exec(String(schema.$ref)) ?? []
  if (root === undefined) return JSON.stringify(schema)
  const { [name]: object, ...others } = schema.definitions as Record<string, JsonObject>
  const definitions = Object.keys(others).length > 0 ? others : undefined
  return JSON.stringify({ ...object, definitions }).replaceAll(JSON.stringify(root), '"#"')
}

const zod4Options = { io: 'input', target: 'draft-7', unrepresentable: 'any', override: mendZod4 } as const

/** By the schema's own method where it has one: copies of zod do not share their descriptions. */
function fromZod4(schema: object): JsonObject {
  const { toJSONSchema: own } = schema as { toJSONSchema?: (options: typeof zod4Options) => JsonObject }
  return own ? own.call(schema, zod4Options) : (toJSONSchema(schema as $ZodType, zod4Options) as JsonObject)
}

const beyondJson: Readonly<Record<string, string>> = {
  date: 'z.iso.datetime() or z.coerce.date()',
  bigint: 'z.int() or z.coerce.bigint()',
  map: 'z.record(z.string(), ...)',
  set: 'z.array(...)',
  symbol: 'z.string()',
  undefined: '.optional()',
  void: '.optional()',
  nan: 'z.number()',
  function: 'z.enum([...]), a name for each choice',
  file: 'z.string(), the id of an artifact',
  custom: 'a schema that says what JSON it takes',
}

/** Refuses what JSON cannot express, and drops what costs tokens and says nothing. */
function mendZod4(context: {
  zodSchema: unknown
  jsonSchema: object
  path: readonly (string | number)[]
}): void {
  const { _zod, description } = context.zodSchema as { _zod: { def: ZodDef }; description?: string }
  const schema = context.jsonSchema as JsonObject
  const { type, coerce } = _zod.def
  if (coerce && type === 'date') Object.assign(schema, { type: 'string', format: 'date-time' })
  else if (coerce && type === 'bigint') schema.type = 'integer'
  else if (Object.hasOwn(beyondJson, type) && (type === 'file' || Object.keys(schema).length === 0)) {
    throw cannotExpress(context.path, `z.${type}()`, beyondJson[type])
  }
  if (description !== undefined) schema.description ??= description
  if (schema.format !== undefined) delete schema.pattern
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}

interface ZodDef {
  readonly type: string
  readonly coerce?: boolean
}

function fromZod3(schema: object): JsonObject {
  return zodToJsonSchema(schema as Parameters<typeof zodToJsonSchema>[0], {
    $refStrategy: 'none',
    pipeStrategy: 'input',
    override(definition, { currentPath }, seen) {
      if (seen && seen.jsonSchema === undefined) return { $ref: seen.path.join('/') }
      const { typeName, coerce } = definition as { typeName?: string; coerce?: boolean }
      const type = typeName?.slice('Zod'.length).toLowerCase() ?? ''
      if (!coerce && Object.hasOwn(beyondJson, type))
        throw cannotExpress(currentPath.slice(1), `z.${type}()`, beyondJson[type])
      return ignoreOverride
    },
  }) as JsonObject
}

function cannotExpress(path: readonly (string | number)[], what: string, instead: string | undefined): Error {
  const place = path.join('.').replace(/(^|\.)properties\./g, '$1')
  return new Error(`at "${place || 'the root'}", ${what} cannot be expressed in JSON; use ${instead}`)
}

function invalidParameters(tool: string, why: string, cause?: unknown): CapstanError {
  const message = `The parameters of tool "${tool}" cannot be shown to a model: ${why}.`
  return new CapstanError('invalid_tool', message, { evidence: { tool }, cause })
}
