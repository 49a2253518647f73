import type { StandardSchemaV1 } from '@standard-schema/spec'
import { chain } from '../async.js'
import { CapstanError } from '../errors.js'
import { getOwn, isObject, onceFor } from '../json.js'

/** The validated value, or the issues. */
export type Checked =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly string[] }

/**
 * Validates a value, synchronously unless the schema is asynchronous. Each issue is one line:
 * `path: message (given: value)`.
 */
export function validate(schema: StandardSchemaV1, value: unknown): Checked | Promise<Checked> {
  return chain<Outcome, Checked>(outcomeOf(schema, value), (outcome) =>
    outcome.issues
      ? { issues: outcome.issues.map((issue) => toLine(issue, value)) }
      : { value: outcome.value },
  )
}

type Outcome = StandardSchemaV1.Result<unknown>

/**
 * Calls a schema's own validation. Zod first validates synchronously and drops the promise of an asynchronous
 * refinement, so a zod schema that may have one is validated asynchronously from the start. Libraries read a field as
 * `value[name]`, so a schema that may name a field as objects inherit it gets objects that inherit nothing.
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

/** Copies the plain objects and arrays of a value, without what they inherit. */
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

/** The asynchronous validation of zod 3, zod 4 and zod mini. */
interface AsyncZod {
  safeParseAsync(value: unknown): Promise<{
    readonly data?: unknown
    readonly error?: { readonly issues: readonly StandardSchemaV1.Issue[] }
  }>
}

/** What validation by a schema needs. */
interface Needs {
  /** Whether a zod schema contains code of the user that may return a promise: a refinement or a transform. */
  isAsync?: boolean
  /** Whether it may name a field that every object inherits. */
  isBare?: boolean
}

const needsOf = onceFor((schema: object) => {
  const needs: Needs = {}
  survey(schema, new Set(), needs)
  return needs
})

function survey(part: unknown, seen: Set<unknown>, needs: Needs): void {
  // What a function of another library reads is unknown.
  if (typeof part === 'function') needs.isBare = true
  if (typeof part === 'string' && part in Object.prototype) needs.isBare = true
  if (!isObject(part) || seen.has(part)) return
  // A getter may create a new schema each time, without end.
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
  if (check === 'custom' || typeof def.transform === 'function') needs.isAsync = true
  if (/^(custom|promise|transform|ZodEffects|ZodPromise)$/.test(String(typeName ?? type)))
    needs.isAsync = true
  const inner = [getter, shape].map((given) => (typeof given === 'function' ? given() : given))
  for (const one of [...inner, ...schemaFields.map((field) => def[field])]) survey(one, seen, needs)
}

type LooseDef = Readonly<Record<string, unknown>>

const maxParts = 10_000

/** Fields of a zod definition that contain schemas or names. In zod 3 the `type` of an array is a schema. */
const schemaFields =
  'catchall checks element entries in innerType items keyType left options out rest right schema type valueType values'.split(
    ' ',
  )

function toLine({ path = [], message }: StandardSchemaV1.Issue, value: unknown): string {
  const keys = path.map((part) => String(typeof part === 'object' ? part.key : part))
  if (keys.length === 0) return message
  const part = keys.reduce(
    (whole, key) => (Array.isArray(whole) ? whole[Number(key)] : getOwn(whole, key)),
    value,
  )
  const json = JSON.stringify(part)
  const given = json === undefined ? 'nothing' : json.length > 80 ? `${json.slice(0, 77)}...` : json
  return `${keys.join('.')}: ${message} (given: ${given})`
}

/** What the function of a tool needs to yield progress, and to end at an abort. */
interface Progressing {
  readonly signal: AbortSignal
  progress(value: unknown): void
}

/** Returns a function whose result is checked against a schema. */
export function withOutput<Context extends Progressing>(
  name: string,
  execute: (args: never, ctx: Context) => unknown,
  schema: StandardSchemaV1,
): (args: unknown, ctx: Context) => Promise<unknown> {
  return async (args, ctx) => {
    const result = await settle(execute(args as never, ctx), ctx.progress, ctx.signal)
    const checked = await validate(schema, result)
    if (!checked.issues) return checked.value
    const message = `"${name}" ran, but its result does not match its output: ${checked.issues.join('; ')}.`
    throw new CapstanError('invalid_tool', message, { evidence: { tool: name } })
  }
}

/**
 * Returns the result of a tool's function, to be awaited. A generator runs to its end, and its yields are progress.
 * After an abort it ends at its next yield: otherwise one that polls would run forever.
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
