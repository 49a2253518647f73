import { CapstanError, jsonSchema, type StandardSchemaV1, tool } from '@capstan/core'
import { zod3 } from '@capstan/core/zod3'
import { hasMethod, isRecord } from './records.js'

/** The schema of a tool's arguments. Core rejects a schema that does not describe an object. */
export type Parameters = StandardSchemaV1<unknown, Record<string, unknown>>

/**
 * Converts a framework tool's schema. Accepts zod 3 and 4, other Standard Schemas, AI SDK schemas, JSON Schema, and
 * functions that return one of these. If none is given, returns the schema of an object without fields.
 * @throws CapstanError `invalid_tool` for any other value, or an invalid JSON Schema
 */
export function toSchema(given: unknown, name: string): Parameters {
  if (given === undefined || given === null)
    return jsonSchema<Record<string, unknown>>({
      type: 'object',
      properties: {},
      additionalProperties: false,
    })
  if (Object(given)['~standard']) return zod3(given as Parameters)
  if (typeof given === 'function') return toSchema(given(), name)
  if (isRecord(given) && Object.hasOwn(given, aiSchema)) return fromAiSchema(given, name)
  if (isRecord(given) && !hasMethod(given, 'safeParse')) return jsonSchema<Record<string, unknown>>(given)
  throw noSchema(name)
}

/** Marks schemas that were created with the AI SDK's `jsonSchema()`, `zodSchema()` or `lazySchema()`. */
const aiSchema = Symbol.for('vercel.ai.schema')

function fromAiSchema(
  { jsonSchema: json, validate }: Readonly<Record<string, unknown>>,
  name: string,
): Parameters {
  if (hasMethod(json, 'then')) {
    const message = `The JSON Schema of tool "${name}" is a promise. Await it: jsonSchema(await schema).`
    throw new CapstanError('invalid_tool', message, { evidence: { name } })
  }
  if (!isRecord(json)) throw noSchema(name)
  const own = jsonSchema<Record<string, unknown>>(json)
  if (typeof validate !== 'function') return own
  return withJson(json, async (value) => {
    const checked: AiOutcome = await validate(value)
    if (checked.success) return { value: checked.value as Record<string, unknown> }
    return { issues: issuesOf(checked.error) }
  })
}

interface AiOutcome {
  readonly success: boolean
  readonly value?: unknown
  readonly error?: unknown
}

/**
 * Returns the issues in a validation error, from `issues` (zod) or `cause` (AI SDK). If there are none, returns one
 * issue with the error's message.
 */
function issuesOf(error: unknown): readonly StandardSchemaV1.Issue[] {
  const {
    issues,
    cause,
    message = 'does not match the schema',
  } = Object(error) as Readonly<Record<string, unknown>>
  const found = [issues, cause].find(Array.isArray)
  return found ?? [{ message: String(message) }]
}

function noSchema(name: string): CapstanError {
  const message = `The schema of tool "${name}" is of an unsupported kind. Use zod 3.24 or later, a different Standard Schema library, or JSON Schema.`
  return new CapstanError('invalid_tool', message, { evidence: { name } })
}

/**
 * Returns a schema that validates arguments without changing them. The tool parses the arguments itself, and a
 * transform must run only once.
 */
export function unparsed(schema: StandardSchemaV1, name: string): Parameters {
  const { parameters } = tool({ name, description: name, parameters: schema }).definition.function
  return withJson(parameters as Record<string, unknown>, async (value) => {
    const checked = await validate(schema, value)
    return checked.issues ? checked : { value: value as Record<string, unknown> }
  })
}

/**
 * Validates a value with any Standard Schema. Calls `safeParseAsync` of a zod schema, because otherwise the promise of
 * an asynchronous refinement would be ignored.
 */
export async function validate(
  schema: StandardSchemaV1,
  value: unknown,
): Promise<StandardSchemaV1.Result<unknown>> {
  if (schema['~standard'].vendor !== 'zod' || !hasMethod(schema, 'safeParseAsync'))
    return schema['~standard'].validate(value)
  const { data, error } = (await schema.safeParseAsync(value)) as {
    readonly data?: unknown
    readonly error?: StandardSchemaV1.FailureResult
  }
  return error ?? { value: data }
}

/** Creates a Standard Schema from a JSON Schema and a check, in the form that both core and the AI SDK accept. */
export function withJson<Value>(
  json: Readonly<Record<string, unknown>>,
  check: (value: unknown) => Promise<StandardSchemaV1.Result<Value>>,
): StandardSchemaV1<Value> {
  // Returns a copy, because the AI SDK changes it.
  const convert = () => structuredClone(json)
  const jsonSchema = { input: convert, output: convert }
  return {
    '~standard': { version: 1, vendor: '@capstan/tools', validate: check, jsonSchema },
  } as StandardSchemaV1<Value>
}
