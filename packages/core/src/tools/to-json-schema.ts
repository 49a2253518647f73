import type { StandardSchemaV1 } from '@standard-schema/spec'
import { type $ZodType, toJSONSchema } from 'zod/v4/core'
import { ignoreOverride, zodToJsonSchema } from 'zod-to-json-schema'
import { CapstanError, messageOf } from '../errors.js'
import { schemaPlace } from '../json.js'
import type { JsonSchemaParameters } from './json-schema-lite.js'
import { JsonLoss, toJson } from './to-json.js'

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

/** The forms of texts that JSON Schema has names for. */
export const jsonFormats: readonly string[] = [
  ...[
    'date-time',
    'date',
    'time',
    'duration',
    'email',
    'idn-email',
    'hostname',
    'idn-hostname',
    'ipv4',
    'ipv6',
  ],
  ...['uri', 'uri-reference', 'iri', 'iri-reference', 'uuid', 'uri-template', 'json-pointer'],
  ...['relative-json-pointer', 'regex'],
]

type JsonSchemaObject = Record<string, unknown>
type Path = readonly (string | number)[]

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

const literals = 'a string, a number, true, false or null, and .optional() for what may be left out'
const fitting = 'one that JSON can hold, or none'

const zod4Options = { io: 'input', target: 'draft-7', unrepresentable: 'any', override: fixZod4 } as const

/**
 * The JSON Schema of what a zod 4 schema takes, by its own method where it has one: copies of zod do not share their
 * descriptions. @throws Error naming the place that JSON cannot express, and what to use instead
 */
function fromZod4(schema: object): JsonSchemaObject {
  const { toJSONSchema: own } = schema as { toJSONSchema?: (options: typeof zod4Options) => JsonSchemaObject }
  try {
    return own
      ? own.call(schema, zod4Options)
      : (toJSONSchema(schema as $ZodType, zod4Options) as JsonSchemaObject)
  } catch (error) {
    // Zod reads each default through JSON, and says nothing of undefined but that it is no JSON.
    if (!(error instanceof SyntaxError)) throw error
    throw new Error('a default is undefined; leave it out, or use .optional()', { cause: error })
  }
}

/** Refuses what JSON cannot express, and drops what costs tokens and says nothing. */
function fixZod4(context: {
  zodSchema: unknown
  jsonSchema: object
  path: readonly (string | number)[]
}): void {
  const { _zod, description } = context.zodSchema as { _zod: { def: ZodDef }; description?: string }
  const schema = context.jsonSchema as JsonSchemaObject
  const { type, coerce } = _zod.def
  if (coerce && type === 'date') Object.assign(schema, { type: 'string', format: 'date-time' })
  else if (coerce && type === 'bigint') schema.type = 'integer'
  else if (Object.hasOwn(beyondJson, type) && (type === 'file' || Object.keys(schema).length === 0)) {
    throw cannotExpress(context.path, `z.${type}()`, beyondJson[type])
  }
  rejectLost(context.path, _zod.def, schema)
  if (description !== undefined) schema.description ??= description
  // What is known by name need not be spelled out; names that only zod knows say nothing to a model.
  if (jsonFormats.includes(String(schema.format))) delete schema.pattern
  if (Number(schema.minimum) <= Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (Number(schema.maximum) >= Number.MAX_SAFE_INTEGER) delete schema.maximum
}

interface ZodDef {
  readonly type: string
  readonly coerce?: boolean
  readonly values?: readonly unknown[]
  readonly defaultValue?: unknown
}

/** Values that stand in a schema must be such that JSON can hold: a model is shown them, or sends them. */
function rejectLost(path: Path, def: ZodDef, { default: shown, examples = [] }: JsonSchemaObject): void {
  for (const value of def.type === 'literal' ? (def.values ?? []) : [])
    rejectLoss(path, 'the literal', value, literals)
  if (/^(default|prefault)$/.test(def.type)) rejectLoss(path, 'the default', def.defaultValue, fitting)
  if (shown !== undefined) rejectLoss(path, 'the default', shown, fitting)
  rejectLoss(path, 'an example', examples, fitting)
}

function rejectLoss(path: Path, what: string, value: unknown, instead: string): void {
  try {
    if (toJson(value) !== undefined) return
    throw new JsonLoss('it is undefined', '')
  } catch (error) {
    throw cannotExpress(path, `${what} (${messageOf(error)})`, instead)
  }
}

interface Zod3Def {
  readonly typeName?: string
  readonly coerce?: boolean
  readonly value?: unknown
  readonly defaultValue?: () => unknown
}

/** The JSON Schema of what a zod 3 schema takes. @throws Error as for zod 4 */
function fromZod3(schema: object): JsonSchemaObject {
  return zodToJsonSchema(schema as Parameters<typeof zodToJsonSchema>[0], {
    $refStrategy: 'none',
    pipeStrategy: 'input',
    override(definition, { currentPath }, seen) {
      if (seen && seen.jsonSchema === undefined) return { $ref: seen.path.join('/') }
      const { typeName, coerce, value, defaultValue } = definition as unknown as Zod3Def
      const type = typeName?.slice('Zod'.length).toLowerCase() ?? ''
      if (!coerce && Object.hasOwn(beyondJson, type))
        throw cannotExpress(currentPath.slice(1), `z.${type}()`, beyondJson[type])
      if (type === 'literal') rejectLoss(currentPath.slice(1), 'the literal', value, literals)
      if (type === 'default') rejectLoss(currentPath.slice(1), 'the default', defaultValue?.(), fitting)
      return ignoreOverride
    },
  }) as JsonSchemaObject
}

function cannotExpress(path: Path, what: string, instead: string | undefined): Error {
  return new Error(`at "${schemaPlace(path)}", ${what} cannot be expressed in JSON; use ${instead}`)
}
