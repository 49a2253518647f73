import type { StandardSchemaV1 } from '@standard-schema/spec'
import { type $ZodType, toJSONSchema } from 'zod/v4/core'
import { CapstanError, messageOf } from '../errors.js'
import { schemaPlace } from '../json.js'
import { JsonLoss, toJson } from './render-result.js'
import type { JsonSchemaParameters } from './validate.js'

type JsonObject = Record<string, unknown>

/**
 * Returns the JSON Schema of a tool's parameters as the model should send them, before any transforms. Always has
 * `type`, `properties` and `required`.
 * @throws CapstanError `invalid_tool` that names the part that JSON Schema cannot express
 */
export function toParameters(schema: StandardSchemaV1, tool: string): JsonObject {
  const { $schema, type, properties, required, ...rest } = toJsonSchema(schema, tool)
  if (type !== 'object') {
    const shape = type === undefined ? 'a union or have no type' : `of type ${JSON.stringify(type)}`
    throw invalidParameters(
      tool,
      `they are ${shape}, but a tool takes one object; wrap them: z.object({ value: ... })`,
    )
  }
  return { type, properties: properties ?? {}, required: required ?? [], ...rest }
}

/** Returns the JSON Schema of any schema's input. @throws CapstanError `invalid_tool` as `toParameters` does */
export function toJsonSchema(schema: StandardSchemaV1, tool: string): JsonObject {
  try {
    return JSON.parse(toText(convert(Object(schema))))
  } catch (error) {
    throw invalidParameters(tool, messageOf(error), error)
  }
}

/** Converts each kind of schema with its own converter: zod 4's converter fails on zod 3 schemas. */
function convert(schema: StandardSchemaV1): JsonObject {
  const standard = schema['~standard'] as StandardWithJson | undefined
  if ('_zod' in schema) return fromZod4(schema)
  if (standard?.vendor === 'capstan') return { ...(schema as JsonSchemaParameters).schema }
  if (standard?.jsonSchema) return standard.jsonSchema.input({ target: 'draft-07' })
  if (standard?.vendor === 'zod')
    throw new Error('it is a zod 3 schema. Use zod3(schema) from @capstan/core/zod3')
  if (Object.values(schema).some((part) => '_zod' in Object(part)))
    throw new Error('it is an object of schemas; wrap it: z.object({ ... })')
  throw new Error('this schema exports no JSON Schema; use zod, or jsonSchema({ ... })')
}

type StandardWithJson = StandardSchemaV1['~standard'] & {
  readonly jsonSchema?: { input(options: { target: string }): JsonObject }
}

/**
 * Serializes the schema when the tool is created, so that errors are reported early. Replaces a reference at the root
 * with its target.
 */
function toText(given: JsonObject): string {
  const schema = toJson(given) as JsonObject
  const [root, name = ''] = /^#\/definitions\/(.+)$/.exec(String(schema.$ref)) ?? []
  if (root === undefined) return JSON.stringify(schema)
  const { [name]: object, ...others } = schema.definitions as Record<string, JsonObject>
  const definitions = Object.keys(others).length > 0 ? others : undefined
  return JSON.stringify({ ...object, definitions }).replaceAll(JSON.stringify(root), '"#"')
}

function invalidParameters(tool: string, why: string, cause?: unknown): CapstanError {
  const message = `Parameters of tool "${tool}" cannot be converted to JSON Schema: ${why}.`
  return new CapstanError('invalid_tool', message, { evidence: { tool }, cause })
}

/** The string formats that servers accept in strict schemas. */
export const strictFormats: readonly string[] =
  'date-time date time duration email hostname ipv4 ipv6 uuid'.split(' ')

/** The JSON Schema string formats that zod produces. */
const zodFormats = [...strictFormats, 'uri']

/**
 * The string formats of JSON Schema. Written out in full instead of extending the lists above, so that bundlers can
 * drop each list.
 */
export const jsonFormats: readonly string[] = [
  ...['date-time', 'date', 'time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid', 'uri'],
  ...['idn-email', 'idn-hostname', 'uri-reference', 'iri', 'iri-reference', 'uri-template', 'json-pointer'],
  ...['relative-json-pointer', 'regex'],
]

type Path = readonly (string | number)[]

/** What to use instead of zod types that JSON cannot express. */
const unrepresentable: Readonly<Record<string, string>> = {
  date: 'z.iso.datetime() or z.coerce.date()',
  bigint: 'z.int() or z.coerce.bigint()',
  map: 'z.record(z.string(), ...)',
  set: 'z.array(...)',
  symbol: 'z.string()',
  undefined: '.optional()',
  void: '.optional()',
  nan: 'z.number()',
  function: 'z.enum([...])',
  file: 'z.string(), the id of an artifact',
  custom: 'a schema of a JSON type',
}

const literalAdvice = 'a JSON value, or .optional()'
const valueAdvice = 'a JSON value, or omit it'

const zod4Options = { io: 'input', target: 'draft-7', unrepresentable: 'any', override: fixZod4 } as const

/**
 * Returns the JSON Schema of a zod 4 schema's input. Uses the schema's own method if it has one, because copies of zod
 * do not share descriptions.
 * @throws Error with the path of the part that JSON cannot express, and an alternative
 */
function fromZod4(schema: object): JsonObject {
  const { toJSONSchema: own } = schema as { toJSONSchema?: (options: typeof zod4Options) => JsonObject }
  try {
    return own ? own.call(schema, zod4Options) : (toJSONSchema(schema as $ZodType, zod4Options) as JsonObject)
  } catch (error) {
    // Zod parses each default as JSON, so an undefined one only causes a syntax error.
    if (!(error instanceof SyntaxError)) throw error
    throw new Error('a default is undefined; omit it, or use .optional()', { cause: error })
  }
}

/** Rejects what JSON cannot express, and removes keywords that cost tokens but give the model no information. */
function fixZod4(context: {
  zodSchema: unknown
  jsonSchema: object
  path: readonly (string | number)[]
}): void {
  const { _zod, description } = context.zodSchema as { _zod: { def: ZodDef }; description?: string }
  const schema = context.jsonSchema as JsonObject
  const { type, coerce } = _zod.def
  if (coerce && type === 'date') Object.assign(schema, { type: 'string', format: 'date-time' })
  else if (coerce && type === 'bigint') schema.type = 'integer'
  else if (type === 'file' || Object.keys(schema).length === 0) rejectType(context.path, type)
  rejectLost(context.path, _zod.def, schema)
  if (description !== undefined) schema.description ??= description
  // Models know the formats of JSON Schema without a pattern, but not zod's own formats.
  if (zodFormats.includes(String(schema.format))) delete schema.pattern
  // These are the default bounds of `z.int()`.
  for (const bound of ['minimum', 'maximum'])
    if (Math.abs(Number(schema[bound])) >= 2 ** 53 - 1) delete schema[bound]
}

/** Rejects a zod type that JSON cannot express, such as `date`. */
export function rejectType(path: Path, type: string): void {
  if (Object.hasOwn(unrepresentable, type)) throw cannotExpress(path, `z.${type}()`, unrepresentable[type])
}

interface ZodDef extends DefinedValues {
  readonly type: string
  readonly coerce?: boolean
}

/** The values that a schema's definition may contain: a literal's values, or a default. */
interface DefinedValues {
  readonly values?: readonly unknown[]
  readonly defaultValue?: unknown
}

/** Rejects literals, defaults and examples that JSON cannot represent, because models get and send them as JSON. */
export function rejectLost(
  path: Path,
  def: DefinedValues,
  { default: value, examples = [] }: JsonObject,
): void {
  for (const literal of def.values ?? []) rejectLoss(path, 'the literal', literal, literalAdvice)
  if ('defaultValue' in def) rejectLoss(path, 'the default', def.defaultValue, valueAdvice)
  if (value !== undefined) rejectLoss(path, 'the default', value, valueAdvice)
  rejectLoss(path, 'an example', examples, valueAdvice)
}

function rejectLoss(path: Path, what: string, value: unknown, instead: string): void {
  try {
    if (toJson(value) !== undefined) return
    throw new JsonLoss('it is undefined', '')
  } catch (error) {
    throw cannotExpress(path, `${what} (${messageOf(error)})`, instead)
  }
}

function cannotExpress(path: Path, what: string, instead: string | undefined): Error {
  return new Error(`at "${schemaPlace(path)}", ${what} cannot be expressed in JSON; use ${instead}`)
}
