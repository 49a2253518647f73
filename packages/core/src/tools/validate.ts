import type { StandardSchemaV1 } from '@standard-schema/spec'
import { chain } from '../async.js'
import { CapstanError } from '../errors.js'
import { getOwn, isFunction, isObject, isRecord, isString, listOf, onceFor } from '../json.js'

/** The result of a validation: the validated value, or the issues, one line each. */
export type Checked =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly string[] }

/** Validates a value: synchronously, unless the schema is asynchronous. */
export function validate(schema: StandardSchemaV1, value: unknown): Checked | Promise<Checked> {
  return chain<Outcome, Checked>(outcomeOf(schema, value), (outcome) =>
    outcome.issues ? { issues: linesOf(outcome.issues, value) } : { value: outcome.value },
  )
}

/** What a schema's own validation returns. */
export type Outcome = StandardSchemaV1.Result<unknown>

/**
 * Calls a schema's own validation. A zod schema that may contain an asynchronous refinement is validated asynchronously
 * from the start, because zod's synchronous validation would drop the refinement's promise. If a schema may name a
 * field that all objects inherit, the objects to validate get no prototype, because libraries read fields as
 * `value[name]`.
 */
export function outcomeOf(schema: StandardSchemaV1, value: unknown): Outcome | Promise<Outcome> {
  const standard = schema['~standard']
  const { safeParseAsync } = schema as Partial<AsyncZod>
  const { isAsync, isBare }: Needs = standard.vendor === 'capstan' ? {} : needsOf(schema)
  const copies = new Map<object, object>()
  const given = isBare ? withoutPrototypes(value, copies) : value
  const outcome =
    isAsync && safeParseAsync
      ? safeParseAsync.call(schema, given).then(({ data, error }) => error ?? { value: data })
      : standard.validate(given)
  if (!isBare) return outcome
  return chain(outcome, (checked) => {
    for (const [from, copy] of copies) Object.setPrototypeOf(copy, Object.getPrototypeOf(from))
    return checked
  })
}

/** Copies a value and removes the prototypes of its plain objects. `copies` maps each original to its copy. */
function withoutPrototypes(value: unknown, copies: Map<object, object>): unknown {
  if (!isObject(value)) return value
  const known = copies.get(value)
  const isList = Array.isArray(value)
  if (known || (!isList && Object.getPrototypeOf(value) !== Object.prototype)) return known ?? value
  const copy: Record<string, unknown> = isList ? [] : Object.create(null)
  copies.set(value, copy)
  for (const [name, part] of Object.entries(value)) copy[name] = withoutPrototypes(part, copies)
  return copy
}

/** The asynchronous validation method of zod 3, zod 4 and zod mini. */
interface AsyncZod {
  safeParseAsync(value: unknown): Promise<{
    readonly data?: unknown
    readonly error?: { readonly issues: readonly StandardSchemaV1.Issue[] }
  }>
}

/** How a schema must be validated. */
interface Needs {
  /** Whether a zod schema contains user code that may return a promise: a refinement or a transform. */
  isAsync?: boolean
  /** Whether the schema may name a field that every object inherits, such as `constructor`. */
  isBare?: boolean
}

const needsOf = onceFor((schema: object) => {
  const needs: Needs = {}
  survey(schema, new Set(), needs)
  return needs
})

function survey(part: unknown, seen: Set<unknown>, needs: Needs): void {
  // It is unknown which fields another library's function reads.
  if (isFunction(part)) needs.isBare = true
  if (isString(part) && part in Object.prototype) needs.isBare = true
  if (!isObject(part) || seen.has(part)) return
  // A getter may create a new schema each time, endlessly.
  if (seen.add(part).size > maxParts) {
    needs.isAsync = needs.isBare = true
    return
  }
  const { _zod, _def } = part as { readonly _zod?: { readonly def: LooseDef }; readonly _def?: LooseDef }
  const def = _zod?.def ?? _def
  if (!def) {
    for (const inner of Object.entries(part).flat()) survey(inner, seen, needs)
    return
  }
  const { type, typeName, check, getter, shape } = def
  if (check === 'custom' || isFunction(def.transform)) needs.isAsync = true
  if (/^(custom|promise|transform|ZodEffects|ZodPromise)$/.test(String(typeName ?? type)))
    needs.isAsync = true
  const inner = [getter, shape].map((given) => (isFunction(given) ? given() : given))
  for (const one of [...inner, ...schemaFields.map((field) => def[field])]) survey(one, seen, needs)
}

type LooseDef = Readonly<Record<string, unknown>>

const maxParts = 10_000

/** Fields of a zod definition that contain schemas or names. In zod 3 the `type` of an array is a schema. */
const schemaFields =
  'catchall checks element entries in innerType items keyType left options out rest right schema type valueType values'.split(
    ' ',
  )

/** Returns one line for each issue: `path: message (given: value)`, or only the message if there is no path. */
export function linesOf(issues: readonly StandardSchemaV1.Issue[], value: unknown): readonly string[] {
  return issues.map((issue) => toLine(issue, value))
}

function toLine({ path = [], message }: StandardSchemaV1.Issue, value: unknown): string {
  const keys = path.map((part) => String(typeof part === 'object' ? part.key : part))
  if (keys.length === 0) return message
  const part = keys.reduce(
    (whole, key) => (Array.isArray(whole) ? whole[Number(key)] : getOwn(whole, key)),
    value,
  )
  const json = JSON.stringify(part)
  const given = json === undefined ? 'nothing' : json.length > 80 ? `${json.slice(0, 77)}...` : json
  // Text for the model.
  return `${keys.join('.')}: ${message} (given: ${given})`
}

/** The part of a tool's context that is needed to report progress and to stop on abort. */
interface Progressing {
  readonly signal: AbortSignal
  progress(value: unknown): void
}

/**
 * Returns a function that validates the result of `execute`, and rejects with a CapstanError `invalid_tool` if it does
 * not match.
 */
export function withOutput<Context extends Progressing>(
  name: string,
  execute: (args: never, ctx: Context) => unknown,
  schema: StandardSchemaV1,
): (args: unknown, ctx: Context) => Promise<unknown> {
  return async (args, ctx) => {
    const result = await settle(execute(args as never, ctx), ctx.progress, ctx.signal)
    const checked = await validate(schema, result)
    if (!checked.issues) return checked.value
    // Text for the model.
    const message = `"${name}" ran, but its result does not match its output schema: ${checked.issues.join('; ')}.`
    throw new CapstanError('invalid_tool', message, { evidence: { tool: name } })
  }
}

/**
 * Returns a function's result. A generator's result is a promise: the generator runs to its end, and each value that it
 * yields is reported as progress. After an abort, the generator is ended at its next yield, because a polling generator
 * would otherwise run forever.
 */
export function settle(returned: unknown, progress: (value: unknown) => void, signal: AbortSignal): unknown {
  // An array iterator, which has no `throw`, is a plain value.
  const value = Object(returned)
  const isIterator = 'next' in value && (Symbol.asyncIterator in value || Symbol.iterator in value)
  return isIterator && 'throw' in value ? settleGenerator(value, progress, signal) : returned
}

async function settleGenerator(
  generator: AsyncGenerator | Generator,
  progress: (value: unknown) => void,
  signal: AbortSignal,
): Promise<unknown> {
  for (;;) {
    const { done, value } = await generator.next()
    if (done) return value
    progress(value)
    if (signal.aborted) {
      await generator.return(undefined)
      throw signal.reason
    }
  }
}

/** A part of a value that does not match a schema. */
export interface Violation {
  readonly path: readonly string[]
  readonly message: string
}

type Schema = Readonly<Record<string, unknown>>

/** A part of a value, with the schema that applies to the part. Without a key, the part is the entire value. */
export type AppliedSchema = readonly [part: unknown, schema: unknown, key?: string]

interface Surroundings {
  readonly schema: Schema
  readonly root: unknown
  /** Whether the value matches another schema. */
  readonly fits: (schema: unknown) => boolean
}

/**
 * Checks one keyword. Returns whether the value matches, or the parts of the value with the schemas that apply to them.
 */
export type Keyword = (
  value: unknown,
  rule: unknown,
  surroundings: Surroundings,
) => boolean | readonly AppliedSchema[]

interface ValidatorOptions {
  readonly root?: unknown
  readonly keywords?: Readonly<Record<string, Keyword>>
}

/**
 * Returns the first part of a value that does not match a JSON Schema. This small validator is for Capstan's own
 * schemas and ignores keywords that are not in `ownKeywords`. Schemas passed to `jsonSchema` get a complete validator.
 */
export function findViolation(
  value: unknown,
  schema: unknown,
  { root = schema, keywords = ownKeywords }: ValidatorOptions = {},
): Violation | undefined {
  if (schema === true) return undefined
  if (!isRecord(schema)) return { path: [], message: 'is not allowed' }
  const find = (part: unknown, inner: unknown) => findViolation(part, inner, { root, keywords })
  const surroundings = { schema, root, fits: (inner: unknown) => !find(value, inner) }
  for (const [keyword, rule] of Object.entries(schema)) {
    const check = getOwn(keywords, keyword)
    const outcome = check?.(value, rule, surroundings) ?? true
    if (!outcome) return { path: [], message: `does not fit ${keyword}: ${JSON.stringify(rule)}` }
    for (const [part, inner, key] of outcome === true ? [] : outcome) {
      const found = find(part, inner)
      if (found) return { ...found, path: [...(key === undefined ? [] : [key]), ...found.path] }
    }
  }
  return undefined
}

/** The keywords that Capstan's own schemas use. The only reference that they use is `#`, the root schema. */
export const ownKeywords: Readonly<Record<string, Keyword>> = {
  type: (value, rule) => [rule].flat().some((type) => isOfType(value, type)),
  const: (value, rule) => value === rule,
  enum: (value, rule) => listOf(rule).includes(value),
  minimum: (value, rule) => typeof value !== 'number' || value >= Number(rule),
  maximum: (value, rule) => typeof value !== 'number' || value <= Number(rule),
  minLength: (value, rule) => !isString(value) || [...value].length >= Number(rule),
  pattern: (value, rule) => !isString(value) || RegExp(String(rule), 'u').test(value),
  required: (value, rule) =>
    !isRecord(value) || listOf(rule).every((name) => Object.hasOwn(value, String(name))),
  properties: (value, rule) =>
    fieldsOf(value).map(([name, part]) => [part, getOwn(rule, name) ?? true, name]),
  additionalProperties: (value, rule, { schema: { properties = {} } }) =>
    fieldsOf(value).flatMap(([name, part]) =>
      Object.hasOwn(Object(properties), name) ? [] : [[part, rule, name] as const],
    ),
  propertyNames: (value, rule) => fieldsOf(value).map(([name]) => [name, rule]),
  items: (value, rule) => listOf(value).map((part, at) => [part, rule, String(at)]),
  anyOf: (_, rule, { fits }) => listOf(rule).some(fits),
  $ref: (value, rule, { root }) => rule === '#' && [[value, root]],
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === 'object') return isRecord(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  return type === 'null' ? value === null : typeof value === type
}

function fieldsOf(value: unknown): readonly (readonly [name: string, part: unknown])[] {
  return isRecord(value) ? Object.entries(value) : []
}

/** A JSON Schema for use as `parameters` or `output`. Values are validated and passed on unchanged. */
export interface JsonSchemaParameters<Value = Record<string, unknown>> extends StandardSchemaV1<Value> {
  readonly schema: Readonly<Record<string, unknown>>
}

/**
 * Wraps the JSON Schema of one of Capstan's own tools. Values are checked by the small validator, not by the one that
 * `jsonSchema` uses.
 */
export function ownParameters(schema: Readonly<Record<string, unknown>>): JsonSchemaParameters {
  return withValidator(schema, (value) => {
    const found = findViolation(value, schema)
    return found ? { issues: [found] } : { value: value as Record<string, unknown> }
  })
}

/** Wraps a JSON Schema with the function that validates its values. */
export function withValidator<Value>(
  schema: JsonSchemaParameters['schema'],
  validate: StandardSchemaV1.Props<Value>['validate'],
): JsonSchemaParameters<Value> {
  return { schema, '~standard': { version: 1, vendor: 'capstan', validate } }
}
