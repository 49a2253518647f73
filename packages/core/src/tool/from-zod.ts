import { type $ZodType, toJSONSchema } from 'zod/v4/core'
import { ignoreOverride, zodToJsonSchema } from 'zod-to-json-schema'
import { messageOf } from '../words/error.js'
import { jsonFormats } from './json-formats.js'
import { schemaPlace } from './schema-place.js'
import { JsonLoss, toJson } from './to-json.js'

type JsonObject = Record<string, unknown>
type Path = readonly (string | number)[]

const zod4Options = { io: 'input', target: 'draft-7', unrepresentable: 'any', override: mendZod4 } as const

/**
 * The JSON Schema of what a zod 4 schema takes, by its own method where it has one: copies of zod do not share their
 * descriptions. @throws Error naming the place that JSON cannot express, and what to use instead
 */
export function fromZod4(schema: object): JsonObject {
  const { toJSONSchema: own } = schema as { toJSONSchema?: (options: typeof zod4Options) => JsonObject }
  try {
    return own ? own.call(schema, zod4Options) : (toJSONSchema(schema as $ZodType, zod4Options) as JsonObject)
  } catch (error) {
    // Zod reads each default through JSON, and says nothing of undefined but that it is no JSON.
    if (!(error instanceof SyntaxError)) throw error
    throw new Error('a default is undefined; leave it out, or use .optional()', { cause: error })
  }
}

const literals = 'a string, a number, true, false or null, and .optional() for what may be left out'
const fitting = 'one that JSON can hold, or none'

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
  refuseLost(context.path, _zod.def, schema)
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
function refuseLost(path: Path, def: ZodDef, { default: shown, examples = [] }: JsonObject): void {
  for (const value of def.type === 'literal' ? (def.values ?? []) : [])
    refuseLoss(path, 'the literal', value, literals)
  if (/^(default|prefault)$/.test(def.type)) refuseLoss(path, 'the default', def.defaultValue, fitting)
  if (shown !== undefined) refuseLoss(path, 'the default', shown, fitting)
  refuseLoss(path, 'an example', examples, fitting)
}

function refuseLoss(path: Path, what: string, value: unknown, instead: string): void {
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
export function fromZod3(schema: object): JsonObject {
  return zodToJsonSchema(schema as Parameters<typeof zodToJsonSchema>[0], {
    $refStrategy: 'none',
    pipeStrategy: 'input',
    override(definition, { currentPath }, seen) {
      if (seen && seen.jsonSchema === undefined) return { $ref: seen.path.join('/') }
      const { typeName, coerce, value, defaultValue } = definition as unknown as Zod3Def
      const type = typeName?.slice('Zod'.length).toLowerCase() ?? ''
      if (!coerce && Object.hasOwn(beyondJson, type))
        throw cannotExpress(currentPath.slice(1), `z.${type}()`, beyondJson[type])
      if (type === 'literal') refuseLoss(currentPath.slice(1), 'the literal', value, literals)
      if (type === 'default') refuseLoss(currentPath.slice(1), 'the default', defaultValue?.(), fitting)
      return ignoreOverride
    },
  }) as JsonObject
}

function cannotExpress(path: Path, what: string, instead: string | undefined): Error {
  return new Error(`at "${schemaPlace(path)}", ${what} cannot be expressed in JSON; use ${instead}`)
}
