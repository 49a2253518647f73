import type { StandardSchemaV1 } from '@standard-schema/spec'
import { chain } from '../async.js'

export type Checked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly string[] }

/**
 * Checks a value against a schema, at once unless the schema has to wait; each issue is one line,
 * `path: what is wrong (given: what came)`.
 */
export function validate(schema: StandardSchemaV1, value: unknown): Checked | Promise<Checked> {
  return chain<Outcome, Checked>(outcomeOf(schema, value), (outcome) =>
    outcome.issues
      ? { ok: false, issues: outcome.issues.map((issue) => toLine(issue, value)) }
      : { ok: true, value: outcome.value },
  )
}

type Outcome = StandardSchemaV1.Result<unknown>

/**
 * Calls a schema's own check. Zod tries at once first, and drops the promise of a refinement that is asynchronous, so a
 * zod schema that may have one is asked to wait from the start.
 */
export function outcomeOf(schema: StandardSchemaV1, value: unknown): Outcome | Promise<Outcome> {
  const standard = schema['~standard']
  const { safeParseAsync } = schema as Partial<AsyncZod>
  if (standard.vendor !== 'zod' || !safeParseAsync || !mayBeAsync(schema)) return standard.validate(value)
  return safeParseAsync
    .call(schema, value)
    .then(({ success, data, error }) => (success ? { value: data } : { issues: error?.issues ?? [] }))
}

/** The method of a schema that checks it asynchronously: zod 3, zod 4 and zod mini have it. */
interface AsyncZod {
  safeParseAsync(value: unknown): Promise<{
    readonly success: boolean
    readonly data?: unknown
    readonly error?: { readonly issues: readonly StandardSchemaV1.Issue[] }
  }>
}

const known = new WeakMap<object, boolean>()

function mayBeAsync(schema: object): boolean {
  const before = known.get(schema)
  if (before !== undefined) return before
  const found = holdsCode(schema, new Set())
  known.set(schema, found)
  return found
}

/** Whether a part of a zod schema is code of the user that may return a promise: a refinement or a transform. */
function holdsCode(part: unknown, seen: Set<unknown>): boolean {
  if (typeof part !== 'object' || part === null || seen.has(part)) return false
  // A schema that makes itself anew has no end.
  if (seen.add(part).size > mostParts) return true
  const { _zod, _def } = part as { readonly _zod?: { readonly def: LooseDef }; readonly _def?: LooseDef }
  const def = _zod?.def ?? _def
  if (!def) return Object.values(part).some((inner) => holdsCode(inner, seen))
  const { type, typeName, check, getter, shape } = def
  if (check === 'custom' || typeof def.transform === 'function') return true
  if (/^(custom|promise|transform|ZodEffects|ZodPromise)$/.test(String(typeName ?? type))) return true
  const inner = [getter, shape].map((given) => (typeof given === 'function' ? given() : given))
  return [...inner, ...places.map((place) => def[place])].some((one) => holdsCode(one, seen))
}

type LooseDef = Readonly<Record<string, unknown>>

const mostParts = 10_000

/** Fields of a definition that contain schemas. In zod 3 the `type` of an array is one. */
const places =
  'catchall checks element in innerType items keyType left options out rest right schema type valueType'.split(
    ' ',
  )

function toLine({ path = [], message }: StandardSchemaV1.Issue, value: unknown): string {
  const keys = path.map((part) => String(typeof part === 'object' ? part.key : part))
  if (keys.length === 0) return message
  const came = JSON.stringify(keys.reduce(innerOf, value))
  const given = came === undefined ? 'nothing' : came.length > 80 ? `${came.slice(0, 77)}...` : came
  return `${keys.join('.')}: ${message} (given: ${given})`
}

function innerOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined
}
